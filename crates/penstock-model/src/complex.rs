//! Complex numbers with the operations that transfer functions need.

use core::ops::{Add, Div, Mul, Neg, Sub};
use penstock_core::math;

/// re + i im.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Complex {
    /// The real part.
    pub re: f64,
    /// The imaginary part.
    pub im: f64,
}

impl Complex {
    /// re + i im.
    pub const fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }

    /// A real number.
    pub const fn real(re: f64) -> Self {
        Self::new(re, 0.0)
    }

    /// The distance from 0.
    pub fn modulus(self) -> f64 {
        math::hypot(self.re, self.im)
    }

    /// The angle in -pi .. pi.
    pub fn angle(self) -> f64 {
        math::atan2(self.im, self.re)
    }

    /// e to the power of this number.
    #[must_use]
    pub fn exp(self) -> Self {
        let modulus = math::exp(self.re);
        Self::new(modulus * math::cos(self.im), modulus * math::sin(self.im))
    }

    /// `factor` times this number.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self::new(factor * self.re, factor * self.im)
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.re + other.re, self.im + other.im)
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.re - other.re, self.im - other.im)
    }
}

impl Neg for Complex {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.re, -self.im)
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::new(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)
    }
}

impl Div for Complex {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let square = other.re * other.re + other.im * other.im;
        let product = self * Self::new(other.re, -other.im);
        Self::new(product.re / square, product.im / square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operations_are_those_of_the_field() {
        let (a, b) = (Complex::new(3.0, -2.0), Complex::new(-1.0, 0.5));
        assert_eq!(a * b, Complex::new(-2.0, 3.5));
        let back = a * b / b - a;
        assert!(back.modulus() < 1e-15 && (a + -a).modulus() == 0.0);
        // Euler
        let turn = Complex::new(0.5_f64.ln(), core::f64::consts::FRAC_PI_2).exp();
        assert!((turn - Complex::new(0.0, 0.5)).modulus() < 1e-16);
        assert!((Complex::new(-1.0, -1.0).angle() + 0.75 * core::f64::consts::PI).abs() < 1e-15);
        assert_eq!(Complex::real(2.0).times(3.0), Complex::new(6.0, 0.0));
    }
}
