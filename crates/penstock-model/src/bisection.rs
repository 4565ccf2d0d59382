//! The zero of a function by bisection.

/// The zero of `f` between `low` and `high`, to the last bit; `None` if it has the same sign at both ends.
pub(crate) fn between(low: f64, high: f64, f: impl Fn(f64) -> f64) -> Option<f64> {
    let (mut low, mut high) = (low, high);
    let below = f(low) < 0.0;
    if below == (f(high) < 0.0) {
        return None;
    }
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return Some(middle);
        }
        if (f(middle) < 0.0) == below {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zero_is_found_whichever_way_the_function_goes() {
        let root = between(0.0, 2.0, |x| x * x - 2.0).unwrap();
        assert!((root - core::f64::consts::SQRT_2).abs() < 1e-15);
        assert!((between(0.0, 2.0, |x| 2.0 - x * x).unwrap() - root).abs() < 1e-15);
        assert_eq!(between(0.0, 1.0, |x| x * x - 2.0), None);
    }
}
