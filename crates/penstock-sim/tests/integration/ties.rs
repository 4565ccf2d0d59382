//! Events of one instant at a queue come in the order that `penstock_aqm` promises its AQMs.

use penstock_aqm::{Aqm, Capabilities, Cx, Departing, LinkInfo, TimerMoves, Verdict};
use penstock_core::param::{ParamErrors, Settings};
use penstock_core::{PacketMeta, Span, Time};
use penstock_sim::{AqmFactory, RunOptions, Scenario, run_with};
use serde_json::json;
use std::sync::{Arc, Mutex};

/// Events of one instant, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Departure,
    Arrival,
    Timer,
}

type EventLog = Arc<Mutex<Vec<(Time, Event)>>>;

/// Records its events. Its timer expires 8 ms, the transmission time of a packet, after an arrival.
struct Recorder {
    log: EventLog,
    timer: Option<Time>,
}

impl Aqm for Recorder {
    fn capabilities(&self) -> Capabilities {
        Capabilities::ARRIVALS.with_timer(TimerMoves::Always)
    }

    fn on_arrival(&mut self, cx: &mut Cx<'_>, _packet: &PacketMeta) -> Verdict {
        self.log.lock().unwrap().push((cx.now, Event::Arrival));
        self.timer = self.timer.or(Some(cx.now + Span::from_millis(8)));
        Verdict::Pass
    }

    fn on_departure(&mut self, cx: &mut Cx<'_>, _packet: &Departing) -> Verdict {
        self.log.lock().unwrap().push((cx.now, Event::Departure));
        Verdict::Pass
    }

    fn next_timeout(&self) -> Option<Time> {
        self.timer
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        self.log.lock().unwrap().push((cx.now, Event::Timer));
        self.timer = None;
    }
}

struct Recorders(EventLog);

impl AqmFactory for Recorders {
    fn build(&self, scheme: &str, _: &Settings, _: &LinkInfo) -> Option<Result<Box<dyn Aqm>, ParamErrors>> {
        (scheme == "recorder").then(|| Ok(Box::new(Recorder { log: self.0.clone(), timer: None }) as Box<dyn Aqm>))
    }
}

#[test]
fn at_one_instant_packets_depart_then_arrive_and_then_the_timer_of_the_queue_expires() {
    // A packet of 1000 bytes takes 8 ms at 1 Mbit/s. Two bursts fill the queue: packets of the first burst leave at the
    // times at which packets of the second arrive over another link of the same rate.
    let link = |name: &str, from: &str, to: &str, scheme: &str| {
        json!({"name": name, "from": from, "to": to,
        "rate": 1e6, "delay": 1e6, "queue": {"scheme": scheme, "limit": {"packets": 1000}}, "watch": true})
    };
    let load = |name: &str, from: &str| {
        json!({"name": name, "kind": "cbr", "count": 1, "from": [from], "to": ["B"],
        "start": {"first_ns": 0, "every_ns": 0, "jitter_ns": 0}, "udp": {"rate": 1.944e6, "payload": 972}})
    };
    let scenario: Scenario = serde_json::from_value(json!({
        "duration_ns": 2_000_000_000_u64, "warmup_ns": 0,
        "links": [link("one", "A", "R", "droptail"), link("two", "C", "R", "droptail"), link("core", "R", "B", "recorder")],
        "traffic": [load("first", "A"), load("second", "C")],
    }))
    .unwrap();
    let log = EventLog::default();
    let options = RunOptions { aqms: &Recorders(log.clone()), ..RunOptions::default() };
    run_with(&scenario, 1, &options).unwrap();
    let log = log.lock().unwrap();
    let ties: Vec<Vec<Event>> =
        log.chunk_by(|one, next| one.0 == next.0).map(|tie| tie.iter().map(|&(_, event)| event).collect()).collect();
    // at the first instant the link is idle, and the packet departs as it arrives
    assert_eq!(ties[0], [Event::Arrival, Event::Departure, Event::Arrival]);
    assert!(ties.iter().filter(|tie| tie.len() == 4).count() > 100);
    for tie in &ties[1..] {
        assert_eq!(tie[..], [Event::Departure, Event::Arrival, Event::Arrival, Event::Timer][..tie.len()], "{tie:?}");
    }
}
