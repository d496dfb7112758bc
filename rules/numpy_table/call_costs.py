"""What the functions of NumPy and SciPy cost, where that differs from what an operation costs, in NumPy and compiled by XLA.

Measured on a desktop CPU by `benchmarks/numpy_call_costs.py`, and rounded. NumPy has vector instructions for functions that XLA
computes item by item, such as `arcsin`, and sorts many times as fast; other functions of NumPy pass over their arrays again and again.
Functions that the script does not name have the figures of the nearest relative that it does (`fft.fft2` those of `fft.fft`), and
`histogram` those of the definition that np2jax writes for it, which XLA computes faster than `jnp.histogram`.
"""

from __future__ import annotations

from typing import NamedTuple


class CallCost(NamedTuple):
    """The cost of one function. `few`: microseconds of a call on a few elements in NumPy; `numpy`, `xla`: nanoseconds for each element of
    large arrays, in NumPy, and in compiled code that does other things with the elements as well."""

    few: float
    numpy: float
    xla: float


OPERATION = CallCost(1, 0.8, 0.1)
_COSTS = """
acos 1 1.5 12
allclose 12 4 0.1
angle 1 4 3
apply_along_axis 12 2 0.5
apply_over_axes 3 1 0.5
arccos 1 1.5 12
arccosh 1 2 7
arcsin 1 1.5 13
arcsinh 1 2 8
arctan2 1 2 14
arctanh 1 1.5 12
argmax 1 0.1 2
argmin 1 0.1 2.5
argpartition 1 1.5 500
argsort 1 34 346
array_split 5 0.1 0.5
asin 1 1.5 13
atan2 1 2 14
bincount 1 1.5 5
block 8 1.5 1
broadcast_arrays 3 0.1 0.1
cbrt 1 1 19
corrcoef 37 9 1
cos 1 4 5
cosh 1 1 1.5
cov 17 14 1.5
cross 16 7 0.5
cumprod 1 2.5 2.5
cumsum 1 2.5 3
digitize 1 78 53
dot 1 29 18
dstack 1 1.5 1.5
einsum 1 1.5 1.5
exp2 1 0.5 1
fft.fft 3 16 18
fft.fft2 10 12 6
fft.fftn 8 12 6
fft.fftshift 5 1 0.5
fft.ifft 4 31 39
fft.ifft2 10 12 6
fft.ifftn 8 12 6
fft.ifftshift 5 1 0.5
fft.irfft 3 16 17
fft.irfft2 10 6 4
fft.irfftn 8 6 4
fft.rfft 3 16 17
fft.rfft2 10 6 4
fft.rfftn 8 6 4
float_power 1 2 11
floor_divide 1 16 19
fmod 1 13 13
geomspace 12 3 2.5
gradient 6 1.5 0.5
histogram 25 11 2
histogram2d 40 11 2
hypot 1 15 0.5
i0 43 68 11
inner 1 29 18
insert 6 0.5 1.5
interp 1 61 24
intersect1d 12 35 349
isclose 10 4 0.1
isin 4 14 21
kron 12 1 0.1
lexsort 1 34 346
linalg.cholesky 3 9 7
linalg.cond 7 126 252
linalg.det 1 18 1
linalg.eig 8 198 248
linalg.eigh 5 90 87
linalg.eigvals 5 113 110
linalg.eigvalsh 4 85 128
linalg.inv 3 35 34
linalg.lstsq 7 6 6
linalg.matrix_power 1 29 18
linalg.matrix_rank 10 156 145
linalg.multi_dot 1 29 18
linalg.norm 1 5 1
linalg.pinv 18 246 261
linalg.qr 11 69 35
linalg.slogdet 1 10 20
linalg.solve 4 42 33
linalg.svd 7 233 223
linspace 3 1 0.1
log 1 1 1.5
log10 1 1 1.5
log1p 1 1 5
log2 1 1 2.5
logaddexp 1 24 9
logspace 5 3 2.5
matmul 1 29 18
median 7 15 336
meshgrid 10 0.5 0.1
mod 1 9 14
moveaxis 3 0.1 0.1
nan_to_num 5 2.5 0.1
nanargmax 6 1.5 3
nancumsum 3 3 4
nanmax 1 0.1 1
nanmean 8 1.5 2
nanmedian 10 16 372
nanmin 1 0.1 1
nanpercentile 20 16 372
nanquantile 20 16 372
nanstd 18 3 5
nansum 3 1 0.5
nanvar 31 3 4
nextafter 1 7 0.5
pad 10 0.5 0.1
partition 1 1.5 500
percentile 21 10 236
piecewise 5 9 0.1
poly 8 0.1 0.1
polyfit 18 141 246
polymul 20 1 0.5
polyval 4 9 0.1
pow 1 2 11
power 1 2 11
quantile 34 10 318
remainder 1 11 19
roll 7 0.5 0.1
roots 12 0.1 0.1
rot90 3 0.5 0.1
scipy.special.digamma 1 8.5 13
scipy.special.entr 1 4.5 2
scipy.special.erf 1 3 2
scipy.special.erfc 1 4 2
scipy.special.erfinv 1 17 6
scipy.special.expit 1 6 2
scipy.special.gamma 1 7 21
scipy.special.gammaln 1 12 13
scipy.special.i0 1 43 10
scipy.special.i0e 1 36 5
scipy.special.i1 1 42 6
scipy.special.i1e 1 37 5
scipy.special.log_softmax 13 1.5 1.5
scipy.special.logit 1 13 3.5
scipy.special.logsumexp 54 13 1
scipy.special.ndtr 1 4 9
scipy.special.ndtri 1 9 10
scipy.special.psi 1 8.5 13
scipy.special.softmax 7 1.5 1
scipy.stats.norm.cdf 25 12 9
scipy.stats.norm.logpdf 31 23 0.5
scipy.stats.norm.pdf 31 23 1.5
scipy.stats.norm.ppf 43 37 10
scipy.stats.norm.sf 25 28 10
searchsorted 1 43 22
select 10 17 0.5
setdiff1d 12 35 349
sin 1 5 2.5
sinc 1 10 1.5
sinh 1 1 4
sort 1 6 236
split 4 0.1 0.1
stack 1 1 1
std 7 1.5 0.1
tan 1 1.5 5
tensordot 5 29 18
tile 3 1 0.1
trapezoid 3 2 0.1
tril 3 0.5 0.1
tril_indices 12 1 0.5
trim_zeros 8 1 0.5
triu 3 0.5 0.1
triu_indices 12 1 0.5
union1d 6 35 349
unique 5 35 349
unwrap 10 17 7
vander 1 18 15
var 6 1.5 0.1
where 1 4 0.1
"""
COSTS = {
    f"numpy.{name}": CallCost(*map(float, numbers)) for name, *numbers in (line.split() for line in _COSTS.strip().splitlines())
}
