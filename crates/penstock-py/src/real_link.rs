//! Real links for Python: the links of a scenario between devices in network namespaces.

use crate::namespaces::Namespace;
use crate::runs::simulate;
use crate::traces::NO_CAUSE;
use penstock_core::Time;
use penstock_emu::device::{Device, Ethernet, Tun};
use penstock_emu::{Capture, Limits, Network, Outcome, Session, TraceRow, Validity};
use penstock_link::ScenarioError;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::net::Ipv4Addr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Mutex;

/// Address bits that all hosts of a real link share.
const PREFIX: u8 = 24;

/// A host: its node, its namespace, the name of its device, and its IPv4 address; without one, the device is an existing
/// Ethernet device.
type Host<'py> = (String, PyRef<'py, Namespace>, String, Option<String>);

/// Links that do not run yet, and the devices of the hosts.
type Idle = (Network, Vec<Box<dyn Device>>);

/// The links of a canonical scenario between TUN devices, made here, in the namespaces of the hosts; or between Ethernet
/// devices that are there.
///
/// `mtu` is the MTU of the devices, in bytes; `overhead` the bytes that a link carries in addition to each IP packet;
/// `memory` the bytes for packets on the links. With `endless`, statistics end only when the links are stopped, not
/// after the scenario's duration. With `trace`, every event of a packet is recorded. Each of `captures` is a pcap file
/// to write and the numbers of the links whose packets go into it, each cut after `snaplen` bytes, if given.
/// `ValueError` with the JSON list of all errors of the scenario; `OSError` if a device or a file cannot be made.
#[pyclass(module = "penstock._native")]
pub(crate) struct RealLink {
    hosts: Vec<String>,
    seed: u64,
    /// Until the start. Behind a lock, as its parts may be moved between threads, but not shared.
    idle: Mutex<Option<Idle>>,
    session: Option<Session>,
}

#[pymethods]
impl RealLink {
    #[new]
    #[pyo3(signature = (scenario, seed, hosts, *, mtu, overhead, memory, endless, trace, captures=vec![], snaplen=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn new(
        py: Python<'_>,
        scenario: &str,
        seed: u64,
        hosts: Vec<Host<'_>>,
        mtu: u32,
        overhead: u32,
        memory: usize,
        endless: bool,
        trace: bool,
        captures: Vec<(PathBuf, Vec<u32>)>,
        snaplen: Option<NonZeroU32>,
    ) -> PyResult<Self> {
        let scenario = simulate::read(scenario).map_err(PyValueError::new_err)?;
        let mut names = Vec::new();
        let (mut addresses, mut places) = (Vec::new(), Vec::new());
        for (node, namespace, device, address) in hosts {
            let address = address.as_deref().map(parse_address).transpose()?;
            addresses.push(address.iter().map(|address| u128::from(address.to_ipv6_mapped())).collect());
            places.push((namespace.0.clone(), device, address));
            names.push(node);
        }
        let mut plan = penstock_sim::real_network(&scenario, seed, &names).map_err(refused)?;
        if endless {
            plan.end = Time::NEVER;
        }
        let bare = places.iter().filter(|(_, _, address)| address.is_none()).count();
        if ![0, places.len()].contains(&bare) {
            return Err(PyValueError::new_err("the devices of all hosts are Ethernet devices, or of none"));
        }
        let header = if bare > 0 { Ethernet::HEADER } else { 0 };
        // One byte more than the largest frame, so that a larger frame is detected.
        let limits = Limits { frame: header + mtu as usize + 1, header, memory, overhead };
        let mut network = Network::new(plan, &addresses, &limits, trace).map_err(refused)?;
        let open = || {
            let device = |(namespace, name, address): &(_, String, Option<Ipv4Addr>)| match address {
                Some(address) => Ok(Box::new(Tun::open(namespace, name, *address, PREFIX, mtu)?) as Box<dyn Device>),
                None => Ok(Box::new(Ethernet::open(namespace, name)?) as Box<dyn Device>),
            };
            places.iter().map(device).collect::<std::io::Result<Vec<_>>>()
        };
        let devices = py.detach(open)?;
        let mut capture = Capture::default();
        captures.into_iter().try_for_each(|(file, links)| capture.add(&file, links, snaplen))?;
        network.capture(capture);
        Ok(Self { hosts: names, seed, idle: Mutex::new(Some((network, devices))), session: None })
    }

    /// Packets are carried from now on; returns time 0 of the links in nanoseconds of the monotonic clock. Bounds beyond which the
    /// run is invalid: lateness in seconds, packets lost before a queue, share of the time without a processor.
    #[pyo3(signature = (*, lateness_p99, lateness_max, lost_before_queue, starved))]
    fn start(
        &mut self,
        py: Python<'_>,
        lateness_p99: f64,
        lateness_max: f64,
        lost_before_queue: u64,
        starved: f64,
    ) -> PyResult<u64> {
        let Some((network, devices)) = self.idle.get_mut().ok().and_then(Option::take) else {
            return Err(PyRuntimeError::new_err("a real link starts once"));
        };
        let validity = Validity { lateness_p99, lateness_max, lost_before_queue, starved };
        let session = py.detach(|| Session::start(network, devices, validity))?;
        let origin = session.origin();
        self.session = Some(session);
        Ok(origin)
    }

    /// Whether packets are being carried, or were until a fault.
    fn is_running(&self) -> bool {
        self.session.is_some()
    }

    /// The state of the links and the counts so far, as JSON; `None` if the links do not run.
    fn snapshot(&self, py: Python<'_>) -> Option<String> {
        let session = self.session.as_ref()?;
        py.detach(|| session.snapshot()).map(|state| serde_json::Value::Object(state).to_string())
    }

    /// The queue that `link` has in this canonical scenario takes the place of its present one, without losing a packet.
    fn replace(&self, py: Python<'_>, link: &str, scenario: &str) -> PyResult<()> {
        let Some(session) = &self.session else { return Err(PyRuntimeError::new_err("the link does not run")) };
        let scenario = simulate::read(scenario).map_err(PyValueError::new_err)?;
        let plan = penstock_sim::real_network(&scenario, self.seed, &self.hosts).map_err(refused)?;
        let number = session.links().position(|name| name == link);
        let new = plan.links.into_iter().find(|plan| plan.spec.name == link);
        let (Some(number), Some(new)) = (number, new) else {
            return Err(PyValueError::new_err(format!("the scenario has no link {link:?}")));
        };
        py.detach(|| session.replace(number, new)).map_err(refused)
    }

    /// Stop the links: the result as JSON, and the columns of the trace as raw little-endian bytes, empty without `trace`:
    /// those of [`crate::traces::run_recorded`], with `ecn` and `protocol` (uint8) instead of `kind`, and packet numbers in `seq`.
    /// `OSError` if captured packets could not be written.
    fn stop<'py>(&mut self, py: Python<'py>) -> PyResult<(String, Bound<'py, PyDict>)> {
        let Some(session) = self.session.take() else {
            return Err(PyRuntimeError::new_err("the link does not run"));
        };
        let Some(Outcome { result, trace, uncaptured }) = py.detach(|| session.stop()) else {
            return Err(PyRuntimeError::new_err("the thread of the link panicked; see the message above"));
        };
        if let Some(error) = uncaptured {
            return Err(error.into());
        }
        Ok((serde_json::Value::Object(result).to_string(), columns(py, &trace)?))
    }
}

fn parse_address(text: &str) -> PyResult<Ipv4Addr> {
    text.parse().map_err(|error| PyValueError::new_err(format!("{text}: {error}")))
}

/// The exception for a refused scenario.
#[expect(clippy::needless_pass_by_value, reason = "used with map_err")]
fn refused(errors: Vec<ScenarioError>) -> PyErr {
    PyValueError::new_err(serde_json::to_string(&errors).unwrap_or_default())
}

fn columns<'py>(py: Python<'py>, rows: &[TraceRow]) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    if rows.is_empty() {
        return Ok(columns);
    }
    let put = |name: &str, bytes: Vec<u8>| columns.set_item(name, PyBytes::new(py, &bytes));
    put("t_ns", rows.iter().flat_map(|row| row.time.as_nanos().to_le_bytes()).collect())?;
    put("event", rows.iter().map(|row| row.event as u8).collect())?;
    put("cause", rows.iter().map(|row| row.cause.map_or(NO_CAUSE, |cause| cause as u8)).collect())?;
    put("link", rows.iter().flat_map(|row| row.link.to_le_bytes()).collect())?;
    put("flow", rows.iter().flat_map(|row| row.flow.to_le_bytes()).collect())?;
    put("seq", rows.iter().flat_map(|row| row.number.to_le_bytes()).collect())?;
    put("size_bytes", rows.iter().flat_map(|row| row.size.to_le_bytes()).collect())?;
    put("ecn", rows.iter().map(|row| row.ecn as u8).collect())?;
    put("protocol", rows.iter().map(|row| row.protocol).collect())?;
    Ok(columns)
}
