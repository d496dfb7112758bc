"""scipy.linalg, and the dense results of scipy.sparse.linalg."""

from __future__ import annotations

from .entry import UNKNOWN, Row, alike, array, instance, number, row

_FLOAT2 = array("float", "same")  # stacks of matrices are accepted by some versions of SciPy

ENTRIES: dict[str, Row] = {
    "inv": row("a overwrite_a", array("", "same"), writes="overwrite_a"),
    "pinv": row("a", array("", "same"), unless="return_rank"),
    **alike("expm sinm cosm tanm sinhm coshm tanhm", row("A", array("", "same"))),
    "logm": row("A disp", array("", "same"), unless="disp"),
    "sqrtm": row("A disp blocksize", array("", "same"), unless="disp blocksize"),
    "solve": row("a b lower overwrite_a overwrite_b", array("float", "last"), arrays="a b", writes="overwrite_a overwrite_b"),
    "det": row("a overwrite_a", array("", "minus:2"), writes="overwrite_a"),
    "norm": row("a ord axis keepdims", array("", "reduce:None"), unless="keepdims"),
    "cholesky": row("a lower overwrite_a", _FLOAT2, writes="overwrite_a"),
    "cho_factor": row("a lower overwrite_a", _FLOAT2, UNKNOWN, writes="overwrite_a"),  # a bool, or an array from SciPy 1.18 on
    "cho_solve": row("c_and_lower b overwrite_b", array(), arrays="b", writes="overwrite_b"),
    "solve_triangular": row(
        "a b trans lower unit_diagonal overwrite_b", array("float", "last"), arrays="a b", writes="overwrite_b"
    ),
    "lu_factor": row("a overwrite_a", _FLOAT2, array("int32", "minus:1"), writes="overwrite_a"),
    "lu_solve": row("lu_and_piv b trans overwrite_b", array(), arrays="b", writes="overwrite_b"),
    "lu": row(
        "a permute_l overwrite_a check_finite p_indices",
        array("real", "same"),
        _FLOAT2,
        _FLOAT2,
        writes="overwrite_a",
        unless="permute_l p_indices",
    ),
    "qr": row("a overwrite_a lwork mode pivoting", _FLOAT2, _FLOAT2, writes="overwrite_a", unless="mode pivoting"),
    "rq": row("a overwrite_a lwork mode", _FLOAT2, _FLOAT2, writes="overwrite_a", unless="mode"),
    "svd": row(
        "a full_matrices compute_uv overwrite_a",
        _FLOAT2,
        array("real", "minus:1"),
        _FLOAT2,
        writes="overwrite_a",
        unless="compute_uv",
    ),
    "svdvals": row("a overwrite_a", array("real", "minus:1"), writes="overwrite_a"),
    "eigh": row(
        "a b", array("real", "minus:1"), array("float", "same"), writes="overwrite_a overwrite_b", unless="b eigvals_only"
    ),
    "eigvalsh": row("a b", array("real", "minus:1"), writes="overwrite_a overwrite_b", unless="b"),
    "eig": row(
        "a b left right overwrite_a overwrite_b check_finite homogeneous_eigvals",
        array("complex", "minus:1"),
        array("", "same"),
        writes="overwrite_a overwrite_b",
        unless="b left right homogeneous_eigvals",
    ),
    # SciPy 1.18 put overwrite_b before check_finite: the fifth argument is one parameter or the other.
    "eigvals": row(
        "a b overwrite_a overwrite_b check_finite_or_homogeneous_eigvals homogeneous_eigvals",
        array("complex", "minus:1"),
        writes="overwrite_a overwrite_b",
        unless="b check_finite_or_homogeneous_eigvals homogeneous_eigvals",
    ),
    "schur": row("a output lwork overwrite_a sort", _FLOAT2, _FLOAT2, writes="overwrite_a", unless="output sort"),
    "polar": row("a", _FLOAT2, _FLOAT2),
    "null_space": row("A", array("float", "2")),
    "orth": row("A", array("float", "2")),
    "lstsq": row(
        "a b cond overwrite_a overwrite_b",
        array("", "last"),
        array("", ""),
        number("int"),
        array("", ""),
        arrays="a b",
        writes="overwrite_a overwrite_b",
    ),
    "block_diag": row("", array("", "2")),
    "toeplitz": row("c r", array("", "2")),
    "circulant": row("c", array("same", "plus:1")),
    "hankel": row("c r", array("", "2")),
    "hilbert": row("n", array("float64", "2"), arrays=""),
    "invhilbert": row("n exact", array("float64", "2"), arrays="", unless="exact"),
    "hadamard": row("n", array("", "2"), arrays=""),
    "solve_discrete_are": row("a b q r", array("", "2")),
    "solve_continuous_are": row("a b q r", array("", "2")),
    "solve_discrete_lyapunov": row("a q", array("", "2")),
    "solve_continuous_lyapunov": row("a q", array("", "2")),
    "solve_sylvester": row("a b q", array("", "2")),
    "solve_banded": row("l_and_u ab b overwrite_ab overwrite_b", array(), arrays="b", writes="overwrite_ab overwrite_b"),
    "solveh_banded": row("ab b overwrite_ab overwrite_b", array(), arrays="b", writes="overwrite_ab overwrite_b"),
    "solve_toeplitz": row("c_or_cr b", array(), arrays="b"),
    "subspace_angles": row("A B", array("", "1")),
    "companion": row("a", array("", "2")),
}

SPARSE: dict[str, Row] = {
    **alike("spsolve", row("A b", array("", ""), arrays="b")),
    **alike("cg gmres bicg bicgstab minres lgmres", row("A b", array("", "1"), number("int"), arrays="b")),
    "expm_multiply": row("A B", array("", ""), arrays="B"),
    "splu": row("A", instance("scipy.sparse.linalg.SuperLU"), retains=True),
}
