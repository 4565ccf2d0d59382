//! Erlang's formulas: M/M/m without a queue (B) and with an infinite queue (C). L. Kleinrock, "Queueing Systems",
//! vol. 1, 1975, sections 3.4 and 3.5. `a` is the offered load in servers.

/// Erlang B: share of arrivals that find all `servers` busy and are lost; by the recursion
/// B(0) = 1, 1 / B(m) = 1 + m / (a B(m - 1)).
pub fn b(a: f64, servers: u32) -> f64 {
    (1..=servers).fold(1.0, |before, m| a * before / (f64::from(m) + a * before))
}

/// Erlang C: share of arrivals that wait; 1 from a = `servers`.
pub fn c(a: f64, servers: u32) -> f64 {
    let m = f64::from(servers);
    if a >= m {
        return 1.0;
    }
    let lost = b(a, servers);
    m * lost / (m - a * (1.0 - lost))
}

/// Mean wait of all arrivals in mean services: C / (m - a); infinite from a = `servers`.
pub fn wait(a: f64, servers: u32) -> f64 {
    let m = f64::from(servers);
    if a < m { c(a, servers) / (m - a) } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mm1;

    #[test]
    fn the_recursion_is_the_quotient_of_sums() {
        for (a, m) in [(0.5, 1), (3.0, 5), (20.0, 25), (100.0, 90)] {
            let mut term = 1.0;
            let mut sum = 1.0;
            for n in 1..=m {
                term *= a / f64::from(n);
                sum += term;
            }
            assert!((b(a, m) / (term / sum) - 1.0).abs() < 1e-12);
            let waits = term / (1.0 - a / f64::from(m));
            if a < f64::from(m) {
                assert!((c(a, m) / (waits / (sum - term + waits)) - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn one_server_is_m_m_1() {
        assert!((c(0.7, 1) - 0.7).abs() < 1e-15);
        assert!((0.7 * wait(0.7, 1) - mm1::waiting(0.7)).abs() < 1e-12);
        assert!((b(0.7, 1) - mm1::loss(0.7, 1)).abs() < 1e-15);
        assert_eq!((c(5.0, 5), wait(6.0, 5), b(0.0, 3)), (1.0, f64::INFINITY, 0.0));
    }

    #[test]
    fn printed_tables_of_traffic_agree() {
        // 1 % loss: 4.461 erlangs on 10 servers, 84.06 on 100
        assert!((b(4.461, 10) - 0.01).abs() < 1e-5 && (b(84.06, 100) - 0.01).abs() < 1e-5);
    }
}
