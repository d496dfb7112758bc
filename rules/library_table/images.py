"""scipy.ndimage and scipy.spatial."""

from __future__ import annotations

from .entry import Row, alike, array, instance, number, row

# Of each filter, the parameters between the image and its `output`.
_FILTERS = {
    "gaussian_filter": "sigma order",
    "gaussian_filter1d": "sigma axis order",
    "uniform_filter": "size",
    **dict.fromkeys(("uniform_filter1d", "maximum_filter1d", "minimum_filter1d"), "size axis"),
    **dict.fromkeys(("median_filter", "maximum_filter", "minimum_filter"), "size footprint"),
    "rank_filter": "rank size footprint",
    "percentile_filter": "percentile size footprint",
    **dict.fromkeys(("convolve", "correlate"), "weights"),
    **dict.fromkeys(("convolve1d", "correlate1d"), "weights axis"),
    **dict.fromkeys(("sobel", "prewitt"), "axis"),
    "laplace": "",
    **dict.fromkeys(("gaussian_laplace", "gaussian_gradient_magnitude"), "sigma"),
    **dict.fromkeys(("grey_erosion", "grey_dilation", "grey_opening", "grey_closing"), "size footprint structure"),
    **dict.fromkeys(("morphological_gradient", "morphological_laplace"), "size footprint structure"),
    **dict.fromkeys(("white_tophat", "black_tophat"), "size footprint structure"),
    "shift": "shift",
    "spline_filter1d": "order axis",
}
_BINARY = {
    **dict.fromkeys(("binary_erosion", "binary_dilation"), "structure iterations mask"),
    **dict.fromkeys(("binary_opening", "binary_closing"), "structure iterations"),
    "binary_fill_holes": "structure",
    "binary_propagation": "structure mask",
    "binary_hit_or_miss": "structure1 structure2",
}
_OF_LABELS = "mean standard_deviation variance maximum minimum median sum sum_labels"
_ANOTHER_DTYPE = ("spline_filter1d", "morphological_gradient", "morphological_laplace")  # depends on the dtype of the image


def _filter(between: str, dtype: str) -> Row:
    return row(f"input {between} output", array(dtype, "same"), writes="output", unless="output")


NDIMAGE: dict[str, Row] = {
    **{name: _filter(between, "" if name in _ANOTHER_DTYPE else "same") for name, between in _FILTERS.items()},
    **{name: _filter(between, "bool_") for name, between in _BINARY.items()},
    "zoom": row("input zoom output", array("same", "same"), writes="output", unless="output"),
    "rotate": row("input angle axes reshape output", array("same", "same"), writes="output", unless="output"),
    "affine_transform": row("input matrix offset output_shape output", array("same", "same"), writes="output", unless="output"),
    "map_coordinates": row("input coordinates output", array("same", ""), writes="output", unless="output"),
    "label": row("input structure output", array("int32", "same"), number("int"), writes="output", unless="output"),
    "distance_transform_edt": row(
        "input sampling return_distances return_indices distances indices",
        array("float64", "same"),
        writes="distances indices",
        unless="return_distances return_indices distances indices",
    ),
    **alike(_OF_LABELS, row("input labels index", number(), unless="index labels")),
    "generate_binary_structure": row("rank connectivity", array("bool_", ""), arrays=""),
    "fourier_gaussian": row("input sigma n axis output", array("", "same"), writes="output", unless="output n"),
}

DISTANCE: dict[str, Row] = {
    "cdist": row("XA XB metric out", array("float64", "2"), writes="out", unless="out"),
    "pdist": row("X metric out", array("float64", "1"), writes="out", unless="out"),
    "directed_hausdorff": row("u v seed", number("float"), number("int"), number("int")),
    **alike(
        "euclidean sqeuclidean cityblock chebyshev cosine correlation minkowski canberra braycurtis hamming jensenshannon mahalanobis "
        "seuclidean jaccard dice rogerstanimoto russellrao sokalsneath yule",
        row("u v", number("")),
    ),
}
SPATIAL: dict[str, Row] = {
    "distance_matrix": row("x y", array("", "2")),
    "minkowski_distance": row("x y p", array("", "")),
    **alike("KDTree cKDTree", row("data", instance("scipy.spatial.KDTree"), retains=True)),
    **alike("Delaunay", row("points", instance("scipy.spatial.Delaunay"), retains=True)),
    **alike("ConvexHull", row("points", instance("scipy.spatial.ConvexHull"), retains=True)),
    **alike("Voronoi", row("points", instance("scipy.spatial.Voronoi"), retains=True)),
    "procrustes": row("data1 data2", array("float64", "2"), array("float64", "2"), number("")),
}
