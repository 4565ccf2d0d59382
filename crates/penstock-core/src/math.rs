//! The mathematics of the laws, from `libm`: the platform's own functions differ in the last bit.

/// e to the power of `x`.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// Natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// `x` to the power of `y`.
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// Square root (exact by IEEE 754).
pub fn sqrt(x: f64) -> f64 {
    libm::sqrt(x)
}

/// The largest integer not above `x`.
pub fn floor(x: f64) -> f64 {
    libm::floor(x)
}

/// The nearest integer, halves away from zero.
pub fn round(x: f64) -> f64 {
    libm::round(x)
}

/// The angle in -pi/2 .. pi/2 whose tangent is `x`.
pub fn atan(x: f64) -> f64 {
    libm::atan(x)
}
