//! Prague in steady state: two marks a round trip.

use crate::ns2_path::{Faults, run};
use penstock_core::Span;
use penstock_core::param::Value;
use penstock_tcp::{Profile, TcpParams};

/// Mean window of a flow of which each `n`th packet is marked, after its first 40 000 packets.
fn window(n: usize) -> f64 {
    let settings = [
        ("flavour", Value::Text("prague".into())),
        ("packets", Value::Number(80_000.0)),
        ("delayed_ack", Value::Flag(false)),
    ];
    let settings: Vec<_> = settings.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    let params = TcpParams::from_settings(Profile::Linux, &settings).expect("legal settings");
    let marks = (0..80_000).step_by(n).collect();
    let record = run(params, &Faults { marks, waiting: 1000, ..Faults::default() }, Span::from_secs(1e4));
    assert_eq!(record.sent.len(), 80_000, "nothing is lost");
    let settled = &record.cwnd[40_000..];
    settled.iter().map(|(_, cwnd)| cwnd).sum::<f64>() / settled.len() as f64
}

#[test]
fn the_window_is_two_over_the_share_of_marks() {
    // Marks at equal distances: a cut each round trip takes alpha/2 = p/2 of the window, which has grown by one: p = 2/cwnd.
    for n in [5, 10, 20, 40] {
        let (found, control) = (window(n), 2.0 * n as f64);
        assert!((found / control - 1.0).abs() < 0.1, "each {n}th is marked: {found} instead of {control}");
    }
}
