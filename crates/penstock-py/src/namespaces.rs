//! Network namespaces for Python, and probes of what a real link needs.

use penstock_emu::device::Tun;
use penstock_emu::{namespace, scheduling};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, AsRawFd};
use std::path::PathBuf;

/// A network namespace without a name. It lasts as long as this object, a process in it, or an open file of it.
#[pyclass(frozen, module = "penstock._native")]
pub(crate) struct Namespace(pub(crate) namespace::Namespace);

#[pymethods]
impl Namespace {
    /// A fresh namespace: the loopback device on, forwarding on, IPv6 off.
    #[new]
    fn new(py: Python<'_>) -> PyResult<Self> {
        Ok(Self(py.detach(namespace::Namespace::new)?))
    }

    /// The namespace of the calling thread.
    #[staticmethod]
    fn current() -> PyResult<Self> {
        Ok(Self(namespace::Namespace::current()?))
    }

    /// The namespace of a file: `/run/netns/NAME` or `/proc/PID/ns/net`.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "a path from Python is owned")]
    fn open(path: PathBuf) -> PyResult<Self> {
        Ok(Self(namespace::Namespace::open(&path)?))
    }

    /// Move the calling thread into the namespace, for good.
    fn enter(&self) -> PyResult<()> {
        Ok(self.0.enter()?)
    }

    /// The file descriptor that keeps the namespace alive; it stays this object's.
    fn fileno(&self) -> i32 {
        self.0.as_fd().as_raw_fd()
    }

    /// Change a setting of the namespace below `/proc/sys/net`, e.g. `ipv4/tcp_ecn`.
    fn set(&self, py: Python<'_>, key: &str, value: &str) -> PyResult<()> {
        Ok(py.detach(|| self.0.set(key, value))?)
    }

    /// Route a network such as 10.0.0.0 with 8 bits through a device of the namespace; 0.0.0.0 with 0 bits is the default
    /// route. TCP to that network uses the congestion control `tcp` of the kernel, if given.
    #[pyo3(signature = (network, prefix, device, tcp = None))]
    fn add_route(&self, py: Python<'_>, network: &str, prefix: u8, device: &str, tcp: Option<&str>) -> PyResult<()> {
        let network: Ipv4Addr =
            network.parse().map_err(|error| PyValueError::new_err(format!("{network}: {error}")))?;
        Ok(py.detach(|| self.0.add_route(network, prefix, device, tcp))?)
    }

    /// Create a TUN device in the namespace and remove it again; `OSError` names the step that fails.
    fn try_tun(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| Tun::open(&self.0, "penstock0", Ipv4Addr::new(10, 77, 0, 1), 24, 1500))?;
        Ok(())
    }
}

/// Let the calling thread wake up on time, and return the scheduling class that was granted, e.g. `SCHED_DEADLINE`.
#[pyfunction]
pub(crate) fn raise_priority() -> String {
    scheduling::raise_priority().to_string()
}
