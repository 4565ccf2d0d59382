//! Flows over the loopback device of a fresh namespace.

use super::*;
use crate::testing::fresh_namespace;
use std::time::Instant;

const MS: u64 = 1_000_000;

/// Flows between two addresses of a namespace, which sends from 127.0.0.1 to 127.0.0.2.
struct Network {
    namespace: Namespace,
    flows: Vec<Flow>,
}

impl Network {
    fn new() -> Option<Self> {
        fresh_namespace().map(|namespace| Self { namespace, flows: Vec::new() })
    }

    fn host(&self, last: u8) -> Host {
        Host { namespace: self.namespace.clone(), address: Ipv4Addr::new(127, 0, 0, last) }
    }

    /// A flow that starts at 10 ms.
    fn add(&mut self, offer: Offer) {
        let port = 5001 + self.flows.len() as u16;
        let name = format!("traffic.test, flow {}", self.flows.len());
        let ends = Ends { name, sources: vec![self.host(1)], destination: self.host(2), port, dscp: 0 };
        self.flows.push(Flow { ends, start: 10 * MS, stop: u64::MAX, offer });
    }

    /// Run for 400 ms after a warm-up of 100 ms.
    fn run(self) -> Result<Vec<FlowReport>, String> {
        self.run_with_warmup(100)
    }

    /// Half a second with a warm-up of this number of milliseconds.
    fn run_with_warmup(self, warmup: u64) -> Result<Vec<FlowReport>, String> {
        let senders = Senders::prepare(self.flows, true)?;
        let zero = now_ns();
        senders.start(Times { zero, warmup: zero + warmup * MS, end: zero + 500 * MS });
        thread::sleep(Duration::from_millis(600));
        senders.stop()
    }
}

fn tcp() -> TcpSettings {
    TcpSettings {
        congestion_control: "cubic".to_owned(),
        ecn: false,
        timestamps: true,
        sack: true,
        mss: 1000,
        window: None,
    }
}

#[test]
fn a_transfer_delivers_its_bytes_once_and_completes() {
    let Some(mut network) = Network::new() else { return };
    network.add(Offer::Transfer { tcp: tcp(), bytes: Some(1_234_567) });
    network.add(Offer::Transfer { tcp: tcp(), bytes: Some(1) });
    // A busy machine may need several hundred milliseconds.
    let reports = network.run_with_warmup(490).unwrap();
    for (report, bytes) in reports.iter().zip([1_234_567, 1]) {
        assert_eq!((report.written_bytes, report.read_bytes, report.completions.len()), (bytes, bytes, 1));
        let completion = report.completions[0];
        assert!(completion.at >= 10 * MS && completion.seconds > 0.0 && completion.seconds < 0.5, "{completion:?}");
        // The transfer ended in the warm-up.
        assert_eq!(report.goodput_bps, 0.0);
    }
}

#[test]
fn endless_flows_fill_the_time_and_stop_when_asked() {
    let Some(mut network) = Network::new() else { return };
    for control in ["cubic", "reno"] {
        let window = Some(20_000);
        network.add(Offer::Transfer {
            tcp: TcpSettings { congestion_control: control.to_owned(), window, ..tcp() },
            bytes: None,
        });
    }
    let begin = Instant::now();
    let reports = network.run().unwrap();
    assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
    for report in reports {
        let counted = report.goodput_bps / 8.0 * 0.4;
        assert!(report.completions.is_empty());
        assert!(report.written_bytes >= report.read_bytes && counted > 0.0, "{report:?}");
        assert!(counted <= report.read_bytes as f64 && counted > 0.5 * report.read_bytes as f64, "{report:?}");
        let kernel = report.kernel.expect("samples at 200, 300, 400 and 500 ms");
        // On a busy machine one datagram may arrive too late.
        assert!((3..=4).contains(&kernel.samples) && !kernel.ecn, "{kernel:?}");
        assert!(kernel.open_s > 0.3 && kernel.open_s < 0.7 && kernel.starved_s <= kernel.open_s, "{kernel:?}");
        // Timestamps take 12 bytes of a packet.
        assert_eq!(kernel.mss_bytes, 988);
        assert!(kernel.delivered_pkts as f64 * 988.0 > 0.9 * counted, "{kernel:?}");
    }
}

#[test]
fn connections_negotiate_as_their_settings_say() {
    let Some(mut network) = Network::new() else { return };
    for ecn in [true, false] {
        network.add(Offer::Transfer {
            tcp: TcpSettings { ecn, timestamps: !ecn, sack: !ecn, window: Some(20_000), ..tcp() },
            bytes: None,
        });
    }
    let namespace = network.namespace.clone();
    let reports = network.run().unwrap();
    let negotiated = reports.iter().filter_map(|report| report.kernel).map(|kernel| (kernel.ecn, kernel.mss_bytes));
    assert_eq!(negotiated.collect::<Vec<_>>(), [(true, 1000), (false, 988)]);
    // The settings of the namespace are as before.
    let setting = |name: &str| std::fs::read_to_string(format!("/proc/sys/net/ipv4/{name}")).unwrap().trim().to_owned();
    let settings = namespace.run(|| ["tcp_ecn", "tcp_timestamps", "tcp_sack"].map(setting)).unwrap();
    assert_eq!(settings, ["2", "1", "1"]);
}

#[test]
fn datagrams_leave_at_their_times_and_all_arrive() {
    let Some(mut network) = Network::new() else { return };
    // 200 datagrams from 50 ms to 249 ms, 150 of them after the warm-up; five at the same instant.
    let datagram = |at: u64, payload| Datagram { at: at * MS, payload, ecn: Ecn::Ect0, dscp: 0 };
    let mut schedule: Vec<Datagram> = (50..250).map(|at| datagram(at, MIN_PAYLOAD + (at % 7) as u16)).collect();
    schedule.extend([datagram(300, 1472); 5]);
    let bytes: u64 = schedule.iter().map(|datagram| u64::from(datagram.payload)).sum();
    network.add(Offer::Datagrams { schedule });
    let report = network.run().unwrap().remove(0);
    let mut datagrams = report.datagrams.expect("a flow of datagrams");
    assert_eq!((report.written_bytes, report.read_bytes), (bytes, bytes));
    // A late datagram may fall on the other side of the boundary.
    assert!((155..=158).contains(&datagrams.sent_pkts), "{datagrams:?}");
    assert_eq!((datagrams.lost_pkts, datagrams.reordered_pkts), (0, 0));
    let delay = DelayReport::of(&mut datagrams.delays).expect("delays");
    assert!(delay.mean >= 0.0 && delay.p50 <= delay.p95 && delay.p95 <= delay.p99 && delay.p50 < 0.01, "{delay:?}");
    assert!(datagrams.late_mean_s >= 0.0 && datagrams.late_mean_s <= datagrams.late_max_s);
}

/// A request at 20 ms, an answer of 50 000 bytes, and 30 ms after its end the next request.
struct OneByOne {
    next: Option<u64>,
    answering: bool,
    ended: u32,
}

impl Session for OneByOne {
    fn next(&self) -> Option<u64> {
        self.next
    }

    fn on_time(&mut self, now: u64) -> Vec<Opening> {
        assert!(self.next.take().is_some_and(|next| next == now));
        vec![Opening { sender: 0, request: true, bytes: 300, tag: 7 }]
    }

    fn on_end(&mut self, now: u64, tag: u32) -> Vec<Opening> {
        assert_eq!(tag, 7);
        self.answering = !self.answering;
        if self.answering {
            return vec![Opening { sender: 0, request: false, bytes: 50_000, tag: 7 }];
        }
        self.ended += 1;
        self.next = Some(now + 30 * MS).filter(|_| self.ended < 3);
        Vec::new()
    }
}

#[test]
fn a_session_opens_one_connection_after_the_other() {
    let Some(mut network) = Network::new() else { return };
    let source = Box::new(OneByOne { next: Some(20 * MS), answering: false, ended: 0 });
    network.add(Offer::Session { tcp: tcp(), source });
    let report = network.run().unwrap().remove(0);
    // Requests do not count as data of the flow.
    assert_eq!((report.read_bytes, report.written_bytes, report.completions.len()), (150_000, 150_000, 3));
    let ends: Vec<u64> = report.completions.iter().map(|completion| completion.at).collect();
    assert!(ends.windows(2).all(|pair| pair[1] >= pair[0] + 30 * MS), "{ends:?}");
}

#[test]
fn errors_name_the_flow_and_the_cure() {
    let Some(mut network) = Network::new() else { return };
    let unknown = TcpSettings { congestion_control: "unknown".to_owned(), ..tcp() };
    network.add(Offer::Transfer { tcp: unknown, bytes: None });
    let message = network.run().unwrap_err();
    assert!(message.starts_with("traffic.test, flow 0: cannot receive at 127.0.0.2:5001: "), "{message}");
    assert!(message.ends_with("; the kernel does not have this congestion control"), "{message}");

    let Some(mut network) = Network::new() else { return };
    network.add(Offer::Transfer { tcp: tcp(), bytes: None });
    network.add(Offer::Transfer { tcp: tcp(), bytes: None });
    network.flows[1].ends.port = network.flows[0].ends.port;
    let message = network.run().unwrap_err();
    assert!(message.starts_with("traffic.test, flow 1: cannot receive at 127.0.0.2:5001: "), "{message}");
    assert!(message.ends_with("stop the program in this namespace that uses it"), "{message}");

    let Some(mut network) = Network::new() else { return };
    network.add(Offer::Transfer { tcp: tcp(), bytes: None });
    network.flows[0].ends.sources[0].address = Ipv4Addr::new(192, 0, 2, 1);
    let message = network.run().unwrap_err();
    assert!(message.ends_with("the namespace does not have this address"), "{message}");
}

#[test]
fn flows_that_wait_for_their_start_end_at_once() {
    let Some(mut network) = Network::new() else { return };
    network.add(Offer::Transfer { tcp: tcp(), bytes: None });
    network.add(Offer::Datagrams {
        schedule: vec![Datagram { at: 3_600_000 * MS, payload: 100, ecn: Ecn::Not, dscp: 0 }],
    });
    network.flows[0].start = 3_600_000 * MS;
    let senders = Senders::prepare(network.flows, true).unwrap();
    senders.start(Times { zero: now_ns(), warmup: now_ns(), end: u64::MAX });
    thread::sleep(Duration::from_millis(50));
    let begin = Instant::now();
    let reports = senders.stop().unwrap();
    assert!(begin.elapsed() < Duration::from_millis(500), "{:?}", begin.elapsed());
    assert!(reports.iter().all(|report| report.written_bytes == 0 && report.kernel.is_none()));
}
