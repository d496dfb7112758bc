"""scipy.signal, scipy.fft, scipy.interpolate, scipy.integrate and scipy.io."""

from __future__ import annotations

from .entry import NOTHING, UNKNOWN, Row, alike, array, instance, number, row

_WINDOWS = "hann hamming blackman bartlett blackmanharris flattop nuttall bohman barthann parzen triang cosine boxcar lanczos"


def _filter_design(params: str) -> Row:
    return row(params, array("", "1"), array("", "1"), arrays="", unless="output")


def _transform(params: str, dtype: str) -> Row:
    return row(params, array(dtype, "same"), writes="overwrite_x")


SIGNAL: dict[str, Row] = {
    **{f"windows.{name}": row("M sym", array("float64", "1"), arrays="") for name in _WINDOWS.split()},
    **alike("windows.kaiser windows.tukey windows.gaussian", row("M beta sym", array("float64", "1"), arrays="")),
    "get_window": row("window Nx fftbins", array("float64", "1"), arrays="", unless="xp device"),
    **alike("convolve correlate", row("in1 in2 mode method", array("", "same"), arrays="in1 in2")),
    **alike("fftconvolve oaconvolve", row("in1 in2 mode axes", array("float", "same"), arrays="in1 in2")),
    **alike("convolve2d correlate2d", row("in1 in2 mode boundary fillvalue", array("promote", "2"), arrays="in1 in2")),
    "lfilter": row("b a x axis zi", array("", "same"), arrays="x", unless="zi"),
    "filtfilt": row("b a x axis", array("", "same"), arrays="x"),
    "sosfilt": row("sos x axis zi", array("", "same"), arrays="x", unless="zi"),
    "sosfiltfilt": row("sos x axis", array("", "same"), arrays="x"),
    "savgol_filter": row("x window_length polyorder deriv delta axis", array("plain", "same")),
    "medfilt": row("volume kernel_size", array("same", "same")),
    "medfilt2d": row("input kernel_size", array("same", "2")),
    "wiener": row("im mysize noise", array("", "same")),
    "detrend": row("data axis type bp overwrite_data", array("float", "same"), writes="overwrite_data"),
    "hilbert": row("x N axis", array("complex", "same")),
    "resample": row("x num t axis window domain", array("", "same"), unless="t"),
    "resample_poly": row("x up down axis", array("", "same")),
    "decimate": row("x q", array("", "same")),
    **alike("butter bessel", _filter_design("N Wn btype analog output")),
    **alike("cheby1 cheby2", _filter_design("N ripple Wn btype analog output")),
    "ellip": _filter_design("N rp rs Wn btype analog output"),
    "iirfilter": _filter_design("N Wn rp rs btype analog ftype output"),
    "iirnotch": row("w0 Q fs", array("float64", "1"), array("float64", "1"), arrays=""),
    "iirpeak": row("w0 Q fs", array("float64", "1"), array("float64", "1"), arrays=""),
    "firwin": row("numtaps cutoff", array("float64", "1"), arrays=""),
    "firwin2": row("numtaps freq gain", array("float64", "1"), arrays=""),
    "remez": row("numtaps bands desired", array("float64", "1"), arrays=""),
    "freqz": row("b a worN whole", array("", "1"), array("complex128", "1"), arrays=""),
    "sosfreqz": row("sos worN whole", array("", "1"), array("complex128", "1"), arrays=""),
    "lfilter_zi": row("b a", array("", "1")),
    "sosfilt_zi": row("sos", array("", "2")),
    "tf2zpk": row("b a", array("", "1"), array("", "1"), number()),
    "zpk2tf": row("z p k", array("", "1"), array("", "1")),
    "zpk2sos": row("z p k", array("float64", "2")),
    "tf2sos": row("b a", array("float64", "2")),
    "find_peaks": row("x height threshold distance prominence width", array("int64", "1"), UNKNOWN),
    "argrelextrema": row("data comparator axis order mode", UNKNOWN),
    "peak_prominences": row("x peaks", array("float64", "1"), array("int64", "1"), array("int64", "1")),
    "peak_widths": row("x peaks", *(array("float64", "1"),) * 4),
    "welch": row("x fs", array("", "1"), array("", "same")),
    "periodogram": row("x fs", array("", "1"), array("", "same")),
    "csd": row("x y fs", array("", "1"), array("", "same")),
    "coherence": row("x y fs", array("", "1"), array("", "same")),
    "spectrogram": row("x fs", array("", "1"), array("", "1"), array("", "plus:1")),
    "stft": row("x fs", array("", "1"), array("", "1"), array("", "plus:1")),
    "istft": row("Zxx fs", array("", "1"), array("", "minus:1")),
    "chirp": row("t f0 t1 f1", array("", "same"), unless="complex"),
    "square": row("t duty", array("", "same")),
    "sawtooth": row("t width", array("", "same")),
    "gausspulse": row("t fc bw bwr tpr retquad retenv", array("", "same"), unless="retquad retenv"),
    "unit_impulse": row("shape idx dtype", array("", ""), arrays=""),
    "max_len_seq": row("nbits", array("int8", "1"), array("int8", "1"), arrays=""),
    "vectorstrength": row("events period", number(), number(), unless="period"),
    "lombscargle": row("x y freqs", array("float64", "1")),
}

FFT: dict[str, Row] = {
    **alike("fft ifft fft2 ifft2 fftn ifftn rfft rfft2 rfftn ihfft", _transform("x n axis norm overwrite_x", "complex")),
    **alike("irfft irfft2 irfftn hfft", _transform("x n axis norm overwrite_x", "")),
    **alike("dct idct dst idst dctn idctn dstn idstn", _transform("x type n axis norm overwrite_x", "float")),
    **alike("fftfreq rfftfreq", row("n d", array("float64", "1"), arrays="", unless="xp device")),
    **alike("fftshift ifftshift", row("x axes", array("same", "same"))),
    "next_fast_len": row("target real", number("int"), arrays=""),
}

_CURVES = "CubicSpline PchipInterpolator Akima1DInterpolator UnivariateSpline InterpolatedUnivariateSpline interp1d BSpline"
_SURFACES = "RegularGridInterpolator RectBivariateSpline LinearNDInterpolator NearestNDInterpolator RBFInterpolator Rbf"
INTERPOLATE: dict[str, Row] = {
    **{name: row("x y", instance(f"scipy.interpolate.{name}"), retains=True) for name in (*_CURVES.split(), *_SURFACES.split())},
    "PPoly": row("c x", instance("scipy.interpolate.PPoly"), retains=True),
    "griddata": row("points values xi", array(), arrays="xi"),
    "interpn": row("points values xi", array(), arrays="xi"),
    "splev": row("x tck", array("", "same")),
    "splrep": row(
        "x y w xb xe k task s t full_output", array("float64", "1"), array("float64", "1"), number("int"), unless="full_output"
    ),
    "pchip_interpolate": row("xi yi x", array(), arrays="x"),
    "barycentric_interpolate": row("xi yi x", array(), arrays="x"),
    "make_interp_spline": row("x y", instance("scipy.interpolate.BSpline"), retains=True),
}

INTEGRATE: dict[str, Row] = {
    "quad": row("func a b args full_output", number("float"), number("float"), unless="full_output"),
    "dblquad": row("func a b gfun hfun", number("float"), number("float")),
    "tplquad": row("func a b gfun hfun qfun rfun", number("float"), number("float")),
    "odeint": row("func y0 t args Dfun col_deriv full_output", array("float64", "2"), arrays="y0", unless="full_output"),
    "solve_ivp": row("fun t_span y0", instance("scipy.integrate.OdeResult")),
    **alike("trapezoid simpson", row("y x dx axis", array("", "reduce:-1"))),
    "cumulative_trapezoid": row("y x dx axis initial", array("", "same")),
    "romb": row("y dx axis", array("", "reduce:-1")),
    "fixed_quad": row("func a b", array(), NOTHING, arrays=""),
}

IO: dict[str, Row] = {
    "wavfile.read": row("filename mmap", number("int"), array("", ""), arrays=""),
    "wavfile.write": row("filename rate data", NOTHING),
    "loadmat": row("file_name", UNKNOWN, arrays=""),
    "savemat": row("file_name mdict", NOTHING),
}
