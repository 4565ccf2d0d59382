//! Mathematical functions from `libm`, since those of different platforms differ in the last bit.

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

/// The nearest integer; halves round away from zero.
pub fn round(x: f64) -> f64 {
    libm::round(x)
}

/// The angle in -pi/2 .. pi/2 whose tangent is `x`.
pub fn atan(x: f64) -> f64 {
    libm::atan(x)
}

/// e to the power of `x`, minus 1; accurate for small `x`.
pub fn exp_m1(x: f64) -> f64 {
    libm::expm1(x)
}

/// Natural logarithm of 1 + `x`; accurate for small `x`.
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// Sine of an angle in radians.
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// Cosine of an angle in radians.
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// The angle in -pi .. pi of the point (`x`, `y`).
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// Distance of the point (`x`, `y`) from the origin.
pub fn hypot(x: f64, y: f64) -> f64 {
    libm::hypot(x, y)
}
