use super::cycle::AckPhase;
use super::*;
use crate::params::{Flavour, Profile, TcpParams};
use proptest::prelude::*;
use std::vec::Vec;

fn sender() -> SenderState {
    let params = TcpParams { flavour: Flavour::Bbr3, pacing: true, rack: true, ..TcpParams::of(Profile::Linux) };
    SenderState::new(params.into())
}

fn connection(delivered: u32, in_flight: f64) -> Connection {
    Connection { now: Time::from_nanos(1_000_000_000), delivered, in_flight, is_cwnd_limited: true, initial_cwnd: 10.0 }
}

/// The sample of a packet that was sent after `prior` packets had been delivered.
fn sample(rate: f64, prior: u32) -> Rs {
    Rs {
        has_data: true,
        delivery_rate: rate,
        delivered: 10.0,
        prior_delivered: prior,
        newly_acked: 1.0,
        ..Rs::default()
    }
}

/// A flow that fills a path of 1000 packets/s and 100 ms, in this state.
fn filled(state: State) -> Bbr3 {
    let mut bbr = Bbr3 { state, cwnd: 200.0, opened: true, ..Bbr3::default() };
    bbr.start_probe_bw_down(&connection(0, 0.0));
    (bbr.state, bbr.cycle.ack_phase, bbr.cycle.full_bw_reached) = (state, AckPhase::Init, true);
    bbr.model.update_max_bw(&sample(1000.0, 0), 10);
    bbr.model.bound_bw();
    bbr.model.min_rtt = Some(Span::from_millis(100));
    bbr
}

#[test]
fn the_gains_are_those_of_the_table() {
    // Section 5.6.1.
    let table = [
        (State::Startup, 2.77, 2.0),
        (State::Drain, 0.5, 2.0),
        (State::ProbeBwDown, 0.9, 2.0),
        (State::ProbeBwCruise, 1.0, 2.0),
        (State::ProbeBwRefill, 1.0, 2.0),
        (State::ProbeBwUp, 1.25, 2.25),
        (State::ProbeRtt, 1.0, 0.5),
    ];
    for (state, pacing, window) in table {
        assert_eq!(state.gains(), (pacing, window), "{state:?}");
    }
    assert!((STARTUP_PACING_GAIN - 4.0 * std::f64::consts::LN_2).abs() < 5e-3);
}

#[test]
fn a_rate_counts_in_its_cycle_and_in_the_next() {
    let mut model = Model::default();
    for (cycle, (rate, max)) in [(200.0, 200.0), (100.0, 200.0), (90.0, 100.0), (80.0, 90.0)].into_iter().enumerate() {
        if cycle > 0 {
            model.advance_max_bw_filter();
        }
        model.update_max_bw(&sample(rate, 0), 1);
        assert_eq!(model.max_bw(), max, "{cycle}");
    }
    model.update_max_bw(&Rs { is_app_limited: true, ..sample(60.0, 0) }, 1);
    assert_eq!(model.max_bw_filter, [80.0, 90.0], "a limited sample counts only above the maximum");
    model.update_max_bw(&Rs { is_app_limited: true, ..sample(300.0, 0) }, 1);
    assert_eq!(model.max_bw(), 300.0);
}

#[test]
fn three_rounds_without_a_quarter_of_growth_fill_the_pipe() {
    let mut bbr = Bbr3::default();
    let mut delivered = 0;
    let mut full_after = |rates: &[f64]| {
        bbr.cycle = cycle::Cycle::default();
        for (n, rate) in rates.iter().enumerate() {
            let rs = sample(*rate, delivered);
            delivered += 10;
            bbr.model.update_max_bw(&rs, delivered);
            bbr.check_full_bw_reached(&rs);
            if bbr.cycle.full_bw_reached {
                return Some(n);
            }
        }
        None
    };
    assert_eq!(full_after(&[100.0, 200.0, 240.0, 240.0, 240.0]), Some(4));
    assert_eq!(full_after(&[100.0, 124.0, 124.0, 125.0, 130.0, 130.0, 156.0]), Some(6));
    assert_eq!(full_after(&[100.0, 125.0, 157.0, 197.0, 247.0]), None);
}

#[test]
fn startup_ends_by_a_round_of_recovery_with_six_gaps_and_more_than_2_percent() {
    let ends = |gaps: u32, lost: f64, since: u32| {
        let mut bbr = Bbr3 { recovering_since: Some(since), ..filled(State::Startup) };
        bbr.cycle.full_bw_reached = false;
        bbr.note_loss(100);
        (0..gaps).for_each(|gap| bbr.model.note_lost(100 + 2 * gap));
        let rs = Rs { lost, tx_in_flight: 100.0, delivered: 80.0, ..sample(1000.0, 100) };
        bbr.update_model_and_state(&connection(180, 150.0), &rs);
        (bbr.state == State::Drain).then_some(bbr.model.inflight_longterm)
    };
    // max(bdp, inflight_latest) is bdp, 1000 packets/s for 100 ms.
    assert_eq!(ends(6, 2.5, 100), Some(100.0));
    assert_eq!(ends(5, 2.5, 100), None);
    assert_eq!(ends(6, 2.0, 100), None, "no more than 2 %");
    assert_eq!(ends(6, 2.5, 101), None, "not a round of recovery yet");
}

#[test]
fn lost_packets_in_a_row_are_one_gap() {
    let mut model = Model::default();
    for seq in [0, 1, 2, 5, 6, 9, 8] {
        model.note_lost(seq);
    }
    assert_eq!(model.lost_ranges, 4);
}

/// Section 5.5.10.2: where among the packets in flight the losses crossed 2 %.
#[test]
fn the_flight_at_a_loss_solves_its_equation() {
    let rs = Rs { tx_in_flight: 101.0, lost: 3.0, ..Rs::default() };
    let at = model::inflight_at_loss(&rs);
    // (lost_prev + lost_prefix) / (inflight_prev + lost_prefix) = LossThresh
    let prefix = at - 100.0;
    assert!(((2.0 + prefix) / at - 0.02).abs() < 1e-12);
}

#[test]
fn losses_outside_probing_bound_the_model_once_a_round_by_delivery_or_three_tenths() {
    for (delivered, bw, flight) in [(10.0, 700.0, 140.0), (150.0, 900.0, 150.0)] {
        let mut bbr = filled(State::ProbeBwCruise);
        bbr.note_loss(10);
        let rate = if delivered > 100.0 { 900.0 } else { 100.0 };
        bbr.update_model_and_state(&connection(50, 90.0), &Rs { delivered, ..sample(rate, 10) });
        assert_eq!((bbr.model.bw_shortterm, bbr.model.inflight_shortterm), (bw, flight));
        assert_eq!(bbr.model.bw, bw);
        // A round without losses keeps the bounds, and ProbeBwRefill lifts them.
        bbr.update_model_and_state(&connection(90, 90.0), &Rs { delivered, ..sample(rate, 50) });
        assert_eq!(bbr.model.bw_shortterm, bw);
        bbr.cycle.rounds_since_probe_up = 100;
        bbr.update_model_and_state(&connection(95, 90.0), &Rs { delivered, ..sample(rate, 60) });
        assert_eq!((bbr.state, bbr.model.bw), (State::ProbeBwRefill, 1000.0));
    }
}

#[test]
fn losses_while_probing_leave_the_short_term_model() {
    let mut bbr = filled(State::ProbeBwUp);
    bbr.note_loss(10);
    bbr.update_model_and_state(&connection(50, 90.0), &sample(100.0, 10));
    assert!(bbr.model.bw_shortterm.is_infinite());
}

#[test]
fn a_probe_that_loses_too_much_is_followed_by_a_brief_one_and_by_a_long_one_at_once() {
    let mut bbr = filled(State::ProbeBwUp);
    let at = |delivered, in_flight| connection(delivered, in_flight);
    bbr.cycle.is_bw_probe_sample = true;
    bbr.handle_inflight_too_high(&at(100, 120.0), &Rs { tx_in_flight: 120.0, ..Rs::default() });
    assert_eq!((bbr.state, bbr.model.inflight_longterm), (State::ProbeBwDown, 120.0));
    assert!(bbr.cycle.prev_probe_too_high && !bbr.cycle.is_bw_probe_sample);
    // At least 0.7 of the target, which is the path's 100 packets.
    bbr.handle_inflight_too_high(&at(100, 20.0), &Rs { tx_in_flight: 20.0, ..Rs::default() });
    assert_eq!(bbr.model.inflight_longterm, 70.0);
    bbr.model.inflight_longterm = 120.0;
    // The cruise begins once 15 % is free and the queue has drained: below 102 packets, and at the path's 100.
    for (in_flight, state) in [(101.0, State::ProbeBwDown), (100.0, State::ProbeBwCruise)] {
        bbr.update_probe_bw_cycle_phase(&at(110, in_flight), &sample(1000.0, 50));
        assert_eq!(bbr.state, state);
    }
    bbr.state = State::ProbeBwUp;
    bbr.update_probe_bw_cycle_phase(&at(300, 119.0), &sample(1000.0, 50));
    assert_eq!(bbr.state, State::ProbeBwUp);
    bbr.update_probe_bw_cycle_phase(&at(300, 120.0), &sample(1000.0, 50));
    assert_eq!((bbr.state, bbr.cycle.ack_phase), (State::ProbeBwDown, AckPhase::ProbeStopping));
    // One round later nothing was lost: the flow probes again without a cruise, and stays at the bound.
    bbr.model.round_start = true;
    bbr.update_probe_bw_cycle_phase(&at(400, 100.0), &sample(1000.0, 300));
    assert_eq!(bbr.state, State::ProbeBwRefill);
    bbr.update_probe_bw_cycle_phase(&at(500, 100.0), &sample(1000.0, 400));
    bbr.model.round_start = false;
    bbr.update_probe_bw_cycle_phase(&at(550, 120.0), &sample(1000.0, 450));
    assert_eq!(bbr.state, State::ProbeBwUp);
}

#[test]
fn the_bound_rises_by_1_2_4_packets_a_round() {
    let mut bbr = filled(State::ProbeBwRefill);
    (bbr.model.inflight_longterm, bbr.cwnd) = (64.0, 64.0);
    bbr.model.round_start = true;
    bbr.update_probe_bw_cycle_phase(&connection(0, 60.0), &sample(1000.0, 0));
    assert_eq!(bbr.state, State::ProbeBwUp);
    let mut rises = Vec::new();
    for round in 0..4_u32 {
        let before = bbr.model.inflight_longterm;
        for packet in 0..64 {
            // The window follows the bound; the draft's step is a share of the window at the round's beginning.
            bbr.cwnd = bbr.cwnd.max(bbr.model.inflight_longterm);
            bbr.model.round_start = packet == 63;
            bbr.update_probe_bw_cycle_phase(&connection(64 * round + packet, 60.0), &sample(1000.0, 0));
        }
        rises.push(bbr.model.inflight_longterm - before);
    }
    // The window of the round has grown with the earlier rises, so the last step of a round may fall into the next.
    for (rise, wanted) in rises.iter().zip([1.0, 2.0, 4.0, 8.0]) {
        assert!((rise - wanted).abs() <= 1.0, "{rises:?}");
    }
}

#[test]
fn the_round_trip_is_the_least_of_ten_seconds_and_a_probe_is_due_after_five() {
    let (at, ms) = (|seconds: f64| Time::ZERO + Span::from_secs(seconds), Span::from_millis);
    let mut model = Model::default();
    model.start(Time::ZERO);
    assert!(!model.update_min_rtt(at(0.1), Some(ms(40))));
    assert!(!model.update_min_rtt(at(5.0), Some(ms(60))));
    assert_eq!(model.min_rtt, Some(ms(40)));
    // The probe is due. The minimum measured during it becomes the next minimum round-trip time.
    assert!(model.update_min_rtt(at(5.2), Some(ms(60))));
    assert_eq!(model.min_rtt, Some(ms(40)));
    assert!(!model.update_min_rtt(at(5.3), Some(ms(50))));
    assert!(!model.update_min_rtt(at(10.2), Some(ms(55))));
    assert_eq!(model.min_rtt, Some(ms(50)), "the 40 ms are more than 10 s old");
}

#[test]
fn a_recovery_restores_the_window_and_a_timeout_starts_from_what_is_in_flight() {
    let mut bbr = Bbr3 { cwnd: 80.0, ..filled(State::ProbeBwCruise) };
    let mut s = sender();
    (s.cwnd, s.max, s.una) = (80.0, 50, 10);
    bbr.on_timeout(&mut s);
    // The recovery sets the window to the packets in flight plus one.
    bbr.cwnd = 1.0;
    bbr.end_recovery(49, false);
    assert_eq!(bbr.cwnd, 1.0);
    bbr.end_recovery(50, false);
    assert_eq!(bbr.cwnd, 80.0);
}

#[test]
fn a_restart_from_idle_paces_at_the_bandwidth_and_probes_for_no_round_trip() {
    let (mut bbr, mut s) = (filled(State::ProbeBwUp), sender());
    bbr.started = true;
    s.sampler().expect("a sampler").hold_back(0);
    s.sampler().expect("a sampler").on_send(Time::ZERO, 0, true);
    bbr.on_send(&mut s, Time::from_nanos(7_000_000_000), 0, 1);
    assert_eq!(s.pacer.as_ref().expect("it paces").rate(), Some(990.0));
    bbr.check_probe_rtt(&connection(20, 1.0), &Rs::default(), true);
    assert_eq!(bbr.state, State::ProbeBwUp);
    // The first delivery ends this limit.
    bbr.check_probe_rtt(&connection(20, 1.0), &sample(1000.0, 5), true);
    bbr.check_probe_rtt(&connection(21, 1.0), &sample(1000.0, 5), true);
    assert_eq!(bbr.state, State::ProbeRtt);
}

/// Section 5.3.4.4: `HandleProbeRTT()` marks the connection as limited before it checks whether the probe is over.
#[test]
fn the_acknowledgement_that_ends_a_probe_of_the_round_trip_counts_as_limited() {
    let (mut bbr, mut s) = (filled(State::ProbeRtt), sender());
    let at = |ms: u64| Time::from_nanos(ms * 1_000_000);
    // At 1 s few enough packets are in flight: 200 ms and a round remain.
    bbr.check_probe_rtt(&connection(0, 10.0), &Rs::default(), false);
    s.sampler().expect("a sampler").on_send(at(1250), 0, true);
    let ack = Ack { ack: 1, stamp: Time::ZERO, ece: false, ace: 0, sack: &[], retransmission: false };
    bbr.control(&mut s, at(1300), &ack, &Delivery { newly: 1, in_flight: 9, lost: 0, recovering: false });
    assert_eq!(bbr.state, State::ProbeBwCruise);
    assert!(s.sampler().expect("a sampler").is_limited());
    // The limit lasts until the nine packets in flight and one more are delivered.
    let sampler = s.sampler().expect("a sampler");
    sampler.on_send(at(1301), 1, false);
    for (seq, limited) in (1..12).zip([true; 9].into_iter().chain([false; 2])) {
        let ack = Ack { ack: seq + 1, ..ack };
        sampler.on_send(at(1301 + u64::from(seq)), seq + 1, false);
        sampler.on_ack(at(1350 + u64::from(seq)), &ack, 1);
        assert_eq!(sampler.is_limited(), limited, "{seq}");
    }
}

/// `UpdateACKAggregation()` and its filter written out over the whole history.
#[derive(Default)]
struct PlainAggregation {
    start: f64,
    delivered: f64,
    samples: Vec<(u32, f64)>,
}

impl PlainAggregation {
    fn on_ack(&mut self, now: f64, round: u32, newly: f64, bw: f64, cwnd: f64) {
        if self.delivered <= bw * (now - self.start) {
            (self.delivered, self.start) = (0.0, now);
        }
        self.delivered += newly;
        self.samples.push((round, (self.delivered - bw * (now - self.start)).min(cwnd)));
    }

    fn max(&self, round: u32, rounds: u32) -> f64 {
        let recent = self.samples.iter().filter(|(at, _)| round - at < rounds);
        recent.fold(0.0, |most, (_, extra)| extra.max(most))
    }
}

proptest! {
    #[test]
    fn aggregation_is_that_of_the_pseudocode(acks in prop::collection::vec((0_u32..4, 1_u32..40, 0_u32..30), 1..120)) {
        let (mut model, mut plain, mut now) = (Model::default(), PlainAggregation::default(), 0_u64);
        model.bw = 1000.0;
        let mut delivered = 0;
        for (kind, newly, wait) in acks {
            now += u64::from(wait) * 1_000_000;
            // Every fourth ACK begins a round.
            let prior = if kind == 0 { delivered } else { u32::MAX };
            delivered += newly;
            model.update_max_bw(&Rs { delivery_rate: 0.0, ..sample(0.0, prior) }, delivered);
            model.update_ack_aggregation(Time::from_nanos(now), f64::from(newly), 60.0);
            plain.on_ack(now as f64 / 1e9, model.round_count, f64::from(newly), 1000.0, 60.0);
            for (full, rounds) in [(false, 1), (true, 10)] {
                let (found, wanted) = (model.extra_acked(full), plain.max(model.round_count, rounds));
                prop_assert!((found - wanted).abs() < 1e-6, "{} and {}", found, wanted);
            }
        }
    }

    /// `BoundCwndForModel()` and `SetCwnd()` for any model: the caps of the table of section 5.6.1.
    #[test]
    fn the_window_keeps_to_the_caps_of_the_table(
        cwnd in 1.0_f64..400.0, long in 1.0_f64..400.0, short in 1.0_f64..400.0, newly in 0_u32..20, bounded in any::<bool>(), n in 0_usize..7,
    ) {
        use State::{Drain, ProbeBwCruise, ProbeBwDown, ProbeBwRefill, ProbeBwUp, ProbeRtt, Startup};
        let state = [Startup, Drain, ProbeBwDown, ProbeBwCruise, ProbeBwRefill, ProbeBwUp, ProbeRtt][n];
        let mut bbr = Bbr3 { cwnd, ..filled(state) };
        (bbr.model.inflight_longterm, bbr.model.inflight_shortterm) = if bounded { (long, short) } else { (f64::INFINITY, f64::INFINITY) };
        bbr.set_cwnd(&connection(1000, 50.0), &Rs { newly_acked: f64::from(newly), ..Rs::default() });
        let path = match state {
            ProbeBwUp => 225.0 + 2.0,
            ProbeRtt => 50.0,
            _ => 200.0,
        };
        let free = (long - (0.15 * long).max(1.0)).max(4.0);
        let cap = match state {
            _ if !bounded => f64::INFINITY,
            ProbeBwDown | ProbeBwRefill | ProbeBwUp => long.min(short),
            ProbeBwCruise | ProbeRtt => free.min(short),
            _ => short,
        };
        prop_assert!((bbr.cwnd - (cwnd + f64::from(newly)).min(path).max(4.0).min(cap.max(4.0))).abs() < 1e-9, "{:?} {}", state, bbr.cwnd);
    }
}
