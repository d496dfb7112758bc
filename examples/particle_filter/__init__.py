"""A bootstrap particle filter with resampling, beside the Kalman filter where that is exact."""
