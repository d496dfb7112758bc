"""scipy.special: universal functions, which broadcast."""

from __future__ import annotations

from .entry import Row, array

_OF_ONE = (
    "bei beip ber berp cbrt cosdg cosm1 cotdg dawsn digamma ellipe ellipk ellipkm1 entr erf erfc erfcinv erfcx erfi erfinv exp1 exp10 "
    "exp2 expi expit expm1 exprel gamma gammaln i0 i0e i1 i1e it2struve0 itmodstruve0 itstruve0 j0 j1 k0 k0e k1 k1e kei keip ker kerp "
    "kolmogi kolmogorov log1p log_expit log_ndtr loggamma logit ndtr ndtri ndtri_exp psi rgamma round sindg spence tandg wrightomega y0 "
    "y1 zetac"
)
_OF_TWO = (
    "agm beta betaln binom boxcox boxcox1p chdtr chdtrc chdtri chdtriv ellipeinc ellipkinc elliprc gammainc gammaincc gammainccinv "
    "gammaincinv huber hyp0f1 inv_boxcox inv_boxcox1p iv ive jv jve kl_div kv kve modstruve owens_t pdtr pdtrc pdtrik poch powm1 "
    "pseudo_huber rel_entr stdtr stdtrit struve tklmbda xlog1py xlogy yv yve"
)
_OF_THREE = "bdtrik bdtrin betainc betaincc betaincinv btdtria btdtrib chndtr fdtr fdtrc fdtri gdtr gdtrc hyp1f1 hyperu lpmv voigt_profile"
_PAIRS = "fresnel it2i0k0 it2j0y0 iti0k0 itj0y0 shichi sici"


def _ufunc(inputs: int, results: int = 1) -> Row:
    params = tuple(f"x{i}" for i in range(inputs))
    return Row(
        (*params, "out"), (array("float", "broadcast"),) * results, params, ("out",), ("out", "dtype", "signature", "subok")
    )


ENTRIES: dict[str, Row] = {
    **dict.fromkeys(_OF_ONE.split(), _ufunc(1)),
    **dict.fromkeys(_OF_TWO.split(), _ufunc(2)),
    **dict.fromkeys(_OF_THREE.split(), _ufunc(3)),
    "hyp2f1": _ufunc(4),
    "ellipj": _ufunc(2, 4),
    "airy": _ufunc(1, 4),
    **dict.fromkeys(_PAIRS.split(), _ufunc(1, 2)),
    "softmax": Row(("x", "axis"), (array("float", "same"),), ("x",)),
    "log_softmax": Row(("x", "axis"), (array("float", "same"),), ("x",)),
    "logsumexp": Row(
        ("a", "axis", "b", "keepdims", "return_sign"),
        (array("float", "reduce:None"),),
        ("a",),
        unless=("b", "keepdims", "return_sign"),
    ),
}
