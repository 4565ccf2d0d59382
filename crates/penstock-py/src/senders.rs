//! Real senders for Python: the traffic of a scenario between hosts in network namespaces.

use crate::namespaces::Namespace;
use crate::runs::simulate;
use penstock_core::Time;
use penstock_emu::senders;
use penstock_emu::senders::{
    Datagram, DatagramReport, DelayReport, Ends, Flow, FlowReport, Host, KernelReport, MIN_PAYLOAD, Offer, Opening,
    Session, TcpSettings, Times,
};
use penstock_sim::scenario::TrafficSpec;
use penstock_sim::{Connection, ConnectionSource, Emission, EmissionSource, EmittedDatagram, Scenario, emissions};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::net::Ipv4Addr;
use std::sync::Mutex;
use std::time::Duration;

/// Bytes of the IP and UDP headers of a datagram.
const HEADERS: u32 = 28;

/// A host: its namespace and its IPv4 address, by node.
type Hosts<'py> = HashMap<String, (PyRef<'py, Namespace>, String)>;

/// TCP settings of a group: congestion control, ECN, timestamps, SACK, packet without headers of 40 bytes, window in bytes,
/// bytes of a transfer.
type Tcp = (String, bool, bool, bool, u32, Option<u32>, Option<u64>);

/// Senders and receivers for the traffic of a canonical scenario with this seed. `hosts` are those of the nodes at its ends;
/// `tcp` has the settings of each group, `None` for datagrams; flow i receives at port `first_port` + i; `mtu` is that of the
/// hosts' devices in bytes. With `ahead`, threads for datagrams have priority over ordinary threads. This suits a link
/// of penstock, whose thread has the highest priority; a queue of the kernel would have to wait for them.
///
/// `ValueError` with the JSON list of errors of the scenario; `RuntimeError` with a message that names the flow and the
/// cure.
#[pyclass(frozen, module = "penstock._native")]
pub(crate) struct Senders {
    running: Mutex<Option<senders::Senders>>,
    warmup: u64,
    duration: u64,
    /// Group and number in it of each flow.
    flows: Vec<(usize, u32)>,
    /// Codepoint of each group, as in the canonical scenario.
    codepoints: Vec<String>,
}

#[pymethods]
impl Senders {
    #[new]
    #[expect(clippy::needless_pass_by_value, clippy::too_many_arguments, reason = "arguments from Python")]
    fn new(
        py: Python<'_>,
        scenario: &str,
        seed: u64,
        hosts: Hosts<'_>,
        tcp: Vec<Option<Tcp>>,
        first_port: u16,
        mtu: u32,
        ahead: bool,
    ) -> PyResult<Self> {
        let scenario = simulate::read(scenario).map_err(PyValueError::new_err)?;
        let hosts = hosts
            .into_iter()
            .map(|(node, (namespace, address))| {
                let address = address.parse().map_err(|error| PyValueError::new_err(format!("{address}: {error}")))?;
                Ok((node, Host { namespace: namespace.0.clone(), address }))
            })
            .collect::<PyResult<HashMap<_, _>>>()?;
        let emissions = emissions(&scenario, seed)
            .map_err(|errors| PyValueError::new_err(serde_json::to_string(&errors).unwrap_or_default()))?;
        let plan = Plan { scenario: &scenario, hosts: &hosts, tcp: &tcp, mtu };
        let flows = emissions.iter().map(|emission| (emission.group, emission.copy)).collect();
        let ready = (first_port..).zip(emissions).map(|(port, emission)| plan.flow(emission, port));
        let ready = ready.collect::<Result<Vec<_>, String>>().map_err(PyValueError::new_err)?;
        let running = py.detach(|| senders::Senders::prepare(ready, ahead)).map_err(PyRuntimeError::new_err)?;
        let (warmup, duration) = (scenario.warmup_ns, scenario.duration_ns);
        let codepoint = |dscp: Option<u8>| dscp.map_or_else(|| "recorded".to_owned(), |dscp| dscp.to_string());
        let codepoints = scenario.traffic.iter().map(|group| codepoint(group.dscp.fixed())).collect();
        Ok(Self { running: Mutex::new(Some(running)), warmup, duration, flows, codepoints })
    }

    /// Start all flows; `zero` is time 0 of the scenario in nanoseconds of the monotonic clock.
    fn start(&self, zero: u64) {
        let times = Times { zero, warmup: zero + self.warmup, end: zero + self.duration };
        if let Ok(Some(running)) = self.running.lock().as_deref() {
            running.start(times);
        }
    }

    /// The first error of a flow so far.
    fn error(&self) -> Option<String> {
        self.running.lock().ok()?.as_ref()?.error()
    }

    /// Stop all flows. Returns an object with the lists `flows` and, by group, `delays`, and with `codepoint_delays` by
    /// codepoint, as JSON; `RuntimeError` with the first error of a flow.
    fn stop(&self, py: Python<'_>) -> PyResult<String> {
        let Some(running) = self.running.lock().ok().and_then(|mut running| running.take()) else {
            return Err(PyRuntimeError::new_err("senders stop once"));
        };
        let mut reports = py.detach(|| running.stop()).map_err(PyRuntimeError::new_err)?;
        let numbers = || self.flows.iter().copied();
        let flows: Vec<Value> =
            numbers().zip(&reports).map(|((group, copy), report)| of_flow(group, copy, report)).collect();
        let taken = |((group, _), report): ((usize, u32), &mut FlowReport)| {
            report.datagrams.as_mut().map(|datagrams| (group, std::mem::take(&mut datagrams.delays)))
        };
        let mut delays = vec![Vec::new(); self.codepoints.len()];
        let mut of_codepoints: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for (group, delays_of_flow) in numbers().zip(&mut reports).filter_map(taken) {
            of_codepoints.entry(&self.codepoints[group]).or_default().extend(&delays_of_flow);
            delays[group].extend(delays_of_flow);
        }
        let delays: Vec<Value> = delays.into_iter().map(of_delays).collect();
        let of_codepoints: BTreeMap<&str, Value> =
            of_codepoints.into_iter().map(|(codepoint, delays)| (codepoint, of_delays(delays))).collect();
        Ok(json!({"flows": flows, "delays": delays, "codepoint_delays": of_codepoints}).to_string())
    }
}

/// Send `count` ICMP echo requests with `payload` bytes at intervals of `interval` nanoseconds from a namespace; returns the
/// round-trip time of each in nanoseconds, `None` for those without an answer.
#[pyfunction]
pub(crate) fn ping(
    py: Python<'_>,
    source: &Namespace,
    destination: &str,
    count: u16,
    interval: u64,
    payload: u16,
) -> PyResult<Vec<Option<u64>>> {
    let target: Ipv4Addr =
        destination.parse().map_err(|error| PyValueError::new_err(format!("{destination}: {error}")))?;
    Ok(py.detach(|| senders::ping(&source.0, target, count, Duration::from_nanos(interval), payload))?)
}

/// The ends and settings of all groups.
struct Plan<'a> {
    scenario: &'a Scenario,
    hosts: &'a HashMap<String, Host>,
    tcp: &'a [Option<Tcp>],
    mtu: u32,
}

impl Plan<'_> {
    /// A flow for real senders; an error is a JSON list of errors of the scenario.
    fn flow(&self, emission: Emission, port: u16) -> Result<Flow, String> {
        let group = &self.scenario.traffic[emission.group];
        let copy = emission.copy as usize;
        let shared =
            matches!(emission.source, EmissionSource::Session(_)) && (group.web.is_some() || group.incast.is_some());
        let of_copy = &group.from[copy % group.from.len()];
        let sources: Vec<&String> = if shared { group.from.iter().collect() } else { vec![of_copy] };
        let host = |node: &String| {
            let known = self.hosts.get(node).cloned();
            known.ok_or_else(|| simulate::defect(&format!("node {node} of {} has no host", group.name)))
        };
        let ends = Ends {
            name: format!("traffic.{}, flow {copy}", group.name),
            sources: sources.into_iter().map(host).collect::<Result<_, _>>()?,
            destination: host(&group.to[copy % group.to.len()])?,
            port,
            dscp: group.dscp.fixed().unwrap_or_default(),
        };
        let offer = self.offer(emission.group, group, emission.source)?;
        Ok(Flow { ends, start: emission.start.as_nanos(), stop: emission.stop.as_nanos(), offer })
    }

    fn offer(&self, number: usize, group: &TrafficSpec, source: EmissionSource) -> Result<Offer, String> {
        let settings = self.tcp.get(number).and_then(Option::as_ref);
        match (source, settings) {
            (EmissionSource::Datagrams(all), _) => {
                let datagram = |&EmittedDatagram { at, size, ecn, dscp }: &EmittedDatagram| {
                    let payload = size.checked_sub(HEADERS).and_then(|payload| u16::try_from(payload).ok());
                    let fits = payload.filter(|payload| *payload >= MIN_PAYLOAD && size <= self.mtu);
                    let payload = fits.ok_or_else(|| self.wrong_size(group, size))?;
                    Ok(Datagram { at: at.as_nanos(), payload, ecn, dscp })
                };
                let schedule = all.iter().map(datagram).collect::<Result<_, String>>()?;
                Ok(Offer::Datagrams { schedule })
            }
            (EmissionSource::Connection, Some(tcp)) => Ok(Offer::Transfer { tcp: tcp_settings(tcp), bytes: tcp.6 }),
            (EmissionSource::Session(source), Some(tcp)) => {
                Ok(Offer::Session { tcp: tcp_settings(tcp), source: Box::new(Drawn(*source)) })
            }
            (_, None) => Err(simulate::defect(&format!("{} has no settings of TCP", group.name))),
        }
    }

    fn wrong_size(&self, group: &TrafficSpec, size: u32) -> String {
        let least = HEADERS + u32::from(MIN_PAYLOAD);
        let message = format!(
            "a datagram of {size} bytes with its headers cannot be sent: real ones have from {least} bytes (headers, a number \
             and a time) to the MTU of {} bytes",
            self.mtu
        );
        json!([{"path": format!("traffic.{}.packet", group.name), "message": message}]).to_string()
    }
}

fn tcp_settings((congestion_control, ecn, timestamps, sack, mss, window, _): &Tcp) -> TcpSettings {
    TcpSettings {
        congestion_control: congestion_control.clone(),
        ecn: *ecn,
        timestamps: *timestamps,
        sack: *sack,
        mss: *mss,
        window: *window,
    }
}

/// The simulator's session, over real connections.
struct Drawn(ConnectionSource);

impl Session for Drawn {
    fn next(&self) -> Option<u64> {
        self.0.next().map(Time::as_nanos)
    }

    fn on_time(&mut self, now: u64) -> Vec<Opening> {
        openings(self.0.on_time(Time::from_nanos(now)))
    }

    fn on_end(&mut self, now: u64, tag: u32) -> Vec<Opening> {
        openings(self.0.on_end(Time::from_nanos(now), tag).0)
    }
}

fn openings(connections: Vec<Connection>) -> Vec<Opening> {
    let opening = |Connection { sender, request, bytes, tag }| Opening { sender, request, bytes, tag };
    connections.into_iter().map(opening).collect()
}

fn of_flow(group: usize, copy: u32, report: &FlowReport) -> Value {
    let completions = report.completions.iter().map(|completion| (completion.at as f64 * 1e-9, completion.seconds));
    json!({
        "group": group,
        "copy": copy,
        "goodput_bps": report.goodput_bps,
        "written_bytes": report.written_bytes,
        "read_bytes": report.read_bytes,
        "completions": completions.collect::<Vec<_>>(),
        "kernel": report.kernel.as_ref().map(of_kernel),
        "datagrams": report.datagrams.as_ref().map(of_datagrams),
    })
}

fn of_kernel(kernel: &KernelReport) -> Value {
    json!({
        "samples": kernel.samples,
        "ecn": kernel.ecn,
        "srtt_mean_s": kernel.srtt_mean_s,
        "srtt_last_s": kernel.srtt_last_s,
        "rttvar_mean_s": kernel.rttvar_mean_s,
        "rtt_min_s": kernel.min_rtt_s,
        "cwnd_mean_pkts": kernel.cwnd_mean_pkts,
        "cwnd_last_pkts": kernel.cwnd_last_pkts,
        "ssthresh_last_pkts": kernel.ssthresh_last_pkts,
        "lost_mean_pkts": kernel.lost_mean_pkts,
        "mss_bytes": kernel.mss_bytes,
        "sent_pkts": kernel.sent_pkts,
        "retransmitted_pkts": kernel.retransmitted_pkts,
        "delivered_pkts": kernel.delivered_pkts,
        "delivered_ce_pkts": kernel.delivered_ce_pkts,
        "delivery_rate_bps": kernel.delivery_rate_bps,
        "open_s": kernel.open_s,
        "starved_s": kernel.starved_s,
    })
}

fn of_datagrams(report: &DatagramReport) -> Value {
    json!({
        "sent_pkts": report.sent_pkts,
        "lost_pkts": report.lost_pkts,
        "received_pkts": report.received_pkts,
        "reordered_pkts": report.reordered_pkts,
        "jitter_mean_s": report.jitter_mean_s,
        "late_mean_s": report.late_mean_s,
        "late_max_s": report.late_max_s,
    })
}

/// The one-way delays of datagrams, `null` without any.
fn of_delays(mut delays: Vec<u64>) -> Value {
    let delay = DelayReport::of(&mut delays).map(|delay| {
        json!({
            "owd_mean_s": delay.mean, "owd_sd_s": delay.sd, "owd_p50_s": delay.p50, "owd_p95_s": delay.p95,
            "owd_p99_s": delay.p99, "owd_p999_s": delay.p999,
        })
    });
    json!(delay)
}
