"""scipy.stats, scipy.optimize, scipy.sparse and scipy.cluster."""

from __future__ import annotations

from .entry import Row, alike, array, instance, number, row

_DISTRIBUTIONS = (
    "norm expon gamma beta uniform t chi2 f lognorm laplace logistic cauchy pareto rayleigh gumbel_r gumbel_l triang truncnorm "
    "weibull_min weibull_max invgamma genextreme genpareto skewnorm vonmises"
)
_DISCRETE = "poisson binom geom nbinom randint bernoulli hypergeom"
_METHODS = "cdf sf ppf isf logcdf logsf"

STATS: dict[str, Row] = {
    **{
        f"{name}.{method}": row("x", array("", ""))
        for name in _DISTRIBUTIONS.split()
        for method in (*_METHODS.split(), "pdf", "logpdf")
    },
    **{
        f"{name}.{method}": row("k", array("", ""))
        for name in _DISCRETE.split()
        for method in (*_METHODS.split(), "pmf", "logpmf")
    },
    "zscore": row("a axis ddof nan_policy", array("float", "same"), unless="nan_policy"),
    "zmap": row("scores compare axis ddof nan_policy", array("", "same"), unless="nan_policy"),
    "rankdata": row("a method axis nan_policy", array("double", "flat"), unless="nan_policy"),
    "sem": row("a axis ddof nan_policy", array("", "reduce:0"), unless="nan_policy keepdims"),
    "iqr": row("x axis rng scale nan_policy interpolation keepdims", array("", "reduce:None"), unless="nan_policy keepdims rng"),
    **alike("gmean hmean", row("a axis dtype weights", array("", "reduce:0"), unless="dtype keepdims nan_policy")),
    "skew": row("a axis bias nan_policy", array("", "reduce:0"), unless="nan_policy keepdims"),
    "kurtosis": row("a axis fisher bias nan_policy", array("", "reduce:0"), unless="nan_policy keepdims"),
    "entropy": row("pk qk base axis", array("", "reduce:0"), unless="nan_policy keepdims"),
    "trim_mean": row("a proportiontocut axis", array("", "reduce:0"), unless="nan_policy keepdims"),
    "percentileofscore": row("a score kind", array("", ""), arrays="score"),
    **alike("pearsonr spearmanr kendalltau linregress", row("x y", instance("scipy.stats.Result"))),
    "theilslopes": row("y x", instance("scipy.stats.Result")),
    **alike(
        "ttest_ind ttest_rel ttest_1samp mannwhitneyu wilcoxon ks_2samp kstest shapiro f_oneway",
        row("a b", instance("scipy.stats.Result")),
    ),
    **alike("mode describe anderson chisquare bartlett levene", row("a", instance("scipy.stats.Result"))),
    "gaussian_kde": row("dataset", instance("scipy.stats.gaussian_kde"), retains=True),
}

_RESULT = instance("scipy.optimize.OptimizeResult")


def _minimiser(params: str) -> Row:
    return row(params, array("", "1"), arrays="", unless="full_output retall")


OPTIMIZE: dict[str, Row] = {
    **alike(
        "minimize root least_squares basinhopping differential_evolution dual_annealing",
        row("fun x0", _RESULT),
    ),
    **alike(
        "minimize_scalar root_scalar shgo milp linprog", row("fun x0", instance("scipy.optimize.Result"))
    ),  # `x` may be a number or None
    "curve_fit": row("f xdata ydata", array("float64", "1"), array("float64", "2"), unless="full_output"),
    "nnls": row("A b", array("float64", "1"), number("float")),
    **alike(
        "brentq bisect brenth ridder", row("f a b args xtol rtol maxiter full_output", number("float"), unless="full_output")
    ),
    "fsolve": row("func x0 args fprime full_output", array("", "1"), unless="full_output"),
    **alike("fmin fmin_powell", _minimiser("func x0 args xtol ftol maxiter maxfun full_output disp retall")),
    **alike("fmin_cg fmin_bfgs", _minimiser("f x0 fprime args gtol norm epsilon maxiter full_output disp retall")),
    "linear_sum_assignment": row("cost_matrix", array("int64", "1"), array("int64", "1")),
}

_FORMATS = "csr csc coo lil dok dia bsr"
SPARSE: dict[str, Row] = {
    **{
        f"{name}_{kind}": row("arg1", instance(f"scipy.sparse.{name}_{kind}"), retains=True)
        for name in _FORMATS.split()
        for kind in ("matrix", "array")
    },
    **alike(
        "eye identity diags spdiags eye_array diags_array random block_diag kron hstack vstack bmat",
        row("m", instance("scipy.sparse"), retains=True),
    ),
    **alike("issparse isspmatrix", row("x", number("bool"))),
}

CLUSTER: dict[str, Row] = {
    "vq.whiten": row("obs", array("float", "same")),
    "vq.vq": row("obs code_book", array("", "1"), array("", "1")),
    "hierarchy.linkage": row("y method metric", array("float64", "2")),
    "hierarchy.fcluster": row("Z t criterion", array("int32", "1")),
}

# Attributes of the objects that functions return.
ATTRIBUTES = {
    "scipy.optimize.OptimizeResult": {"x": array("", ""), "success": number("bool"), "nfev": number("int"), "nit": number("int")},
    "scipy.integrate.OdeResult": {
        "t": array("float64", "1"),
        "y": array("", "2"),
        "success": number("bool"),
        "nfev": number("int"),
    },
    "scipy.spatial.Delaunay": {
        "simplices": array("int32", "2"),
        "neighbors": array("int32", "2"),
        "points": array("float64", "2"),
    },
    "scipy.spatial.ConvexHull": {
        "vertices": array("int32", "1"),
        "simplices": array("int32", "2"),
        "points": array("float64", "2"),
        "volume": number("float"),
        "area": number("float"),
    },
}
