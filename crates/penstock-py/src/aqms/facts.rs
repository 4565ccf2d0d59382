//! Arguments of the methods of an AQM in Python: one object each, reused for every call.

use super::told_limit;
use penstock_aqm::{Backlog, Cause, Cx, Verdict as Judged};
use penstock_core::{Limit, PacketMeta, Rng, Time};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::mem;

/// Verdict on a packet: `PASS`, `DROP`, `MARK`; the latter two may be called with a cause.
#[pyclass(frozen, eq, hash, module = "penstock._native")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Verdict {
    kind: Kind,
    cause: Option<Cause>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Pass,
    Mark,
    Drop,
}

impl Verdict {
    pub(crate) const PASS: Self = Self { kind: Kind::Pass, cause: None };
    pub(crate) const MARK: Self = Self { kind: Kind::Mark, cause: None };
    pub(crate) const DROP: Self = Self { kind: Kind::Drop, cause: None };

    /// The verdict, with cause `usual` if none was given.
    pub(super) fn meant(self, usual: Cause) -> Judged {
        let cause = self.cause.unwrap_or(usual);
        match self.kind {
            Kind::Pass => Judged::Pass,
            Kind::Mark => Judged::Mark(cause),
            Kind::Drop => Judged::Drop(cause),
        }
    }
}

#[pymethods]
#[expect(clippy::trivially_copy_pass_by_ref, reason = "Python's objects are borrowed")]
impl Verdict {
    /// The same verdict for this cause: "early", "forced" or "overflow" on arrival, "sojourn" at the head.
    fn __call__(&self, cause: &str) -> PyResult<Self> {
        if self.kind == Kind::Pass {
            return Err(PyValueError::new_err("PASS has no cause"));
        }
        let found = Cause::ALL.into_iter().find(|known| known.name() == cause);
        let Some(cause) = found else {
            let known = Cause::ALL.map(Cause::name).join(", ");
            return Err(PyValueError::new_err(format!("unknown cause \"{cause}\": expected one of {known}")));
        };
        Ok(Self { cause: Some(cause), ..*self })
    }

    fn __repr__(&self) -> String {
        let kind = match self.kind {
            Kind::Pass => "PASS",
            Kind::Mark => "MARK",
            Kind::Drop => "DROP",
        };
        self.cause.map_or(kind.to_owned(), |cause| format!("{kind}(\"{}\")", cause.name()))
    }
}

/// The context of a call.
#[pyclass(name = "Cx", module = "penstock._native")]
pub(crate) struct CxFacts {
    now: Time,
    /// Bytes waiting at the whole link, over all its queues.
    #[pyo3(get)]
    link_bytes: u64,
    /// The queue that the AQM guards.
    #[pyo3(get)]
    queue: Py<QueueFacts>,
    /// The random stream of the AQM.
    #[pyo3(get)]
    rng: Py<RandomStream>,
}

impl CxFacts {
    pub(super) fn new(queue: Py<QueueFacts>, rng: Py<RandomStream>) -> Self {
        Self { now: Time::ZERO, link_bytes: 0, queue, rng }
    }

    pub(super) fn fill(&mut self, cx: &Cx<'_>) {
        self.now = cx.now;
        self.link_bytes = cx.link_bytes;
    }
}

#[pymethods]
impl CxFacts {
    /// Seconds since the start of the run.
    #[getter]
    fn now(&self) -> f64 {
        self.now.as_secs()
    }

    /// Nanoseconds since the start of the run: exact.
    #[getter]
    fn now_ns(&self) -> u64 {
        self.now.as_nanos()
    }
}

/// Backlog of the queue that the AQM guards.
#[pyclass(name = "Queue", module = "penstock._native")]
pub(crate) struct QueueFacts {
    /// Waiting packets.
    #[pyo3(get)]
    packets: u32,
    /// Waiting bytes.
    #[pyo3(get)]
    bytes: u64,
    most: Limit,
    first: Option<Time>,
    now: Time,
}

impl Default for QueueFacts {
    fn default() -> Self {
        Self { packets: 0, bytes: 0, most: Limit::Infinite, first: None, now: Time::ZERO }
    }
}

impl QueueFacts {
    pub(super) fn fill(&mut self, backlog: &Backlog, now: Time) {
        *self =
            Self { packets: backlog.packets, bytes: backlog.bytes, most: backlog.limit, first: backlog.oldest, now };
    }
}

#[pymethods]
impl QueueFacts {
    /// Limit of the backlog in `limit_unit`; infinite without a limit.
    #[getter]
    fn limit(&self) -> f64 {
        told_limit(self.most).0
    }

    /// Unit of the limit: "packets" or "bytes".
    #[getter]
    fn limit_unit(&self) -> &'static str {
        told_limit(self.most).1
    }

    /// Seconds that the packet at the head has waited; 0 for an empty queue.
    #[getter]
    fn age(&self) -> f64 {
        self.first.map_or(0.0, |first| self.now.since(first).as_secs())
    }

    /// Whether there is room for a packet of `size` bytes.
    fn admits(&self, size: u32) -> bool {
        self.most.admits(self.packets, self.bytes, size)
    }
}

/// The facts of a packet.
#[pyclass(name = "Packet", module = "penstock._native")]
#[derive(Default)]
pub(crate) struct PacketFacts {
    /// Dense number of the flow, from 0.
    #[pyo3(get)]
    flow: u32,
    /// Bytes on the wire.
    #[pyo3(get)]
    size: u32,
    /// ECN field, as in RFC 3168: 0 not capable, 1 ECT(1), 2 ECT(0), 3 congestion experienced.
    #[pyo3(get)]
    ecn: u8,
    /// Differentiated services codepoint.
    #[pyo3(get)]
    dscp: u8,
    /// IP protocol number: 6 TCP, 17 UDP.
    #[pyo3(get)]
    protocol: u8,
    /// Seconds that it has waited; 0 on arrival.
    #[pyo3(get)]
    sojourn: f64,
}

impl PacketFacts {
    pub(super) fn fill(&mut self, meta: &PacketMeta, enqueued: Option<Time>, now: Time) {
        *self = Self {
            flow: meta.flow,
            size: meta.size,
            ecn: meta.ecn as u8,
            dscp: meta.dscp,
            protocol: meta.protocol,
            sojourn: enqueued.map_or(0.0, |enqueued| now.since(enqueued).as_secs()),
        };
    }
}

/// The random stream of an AQM: the run's own during a call of a method, none otherwise.
#[pyclass(name = "Rng", module = "penstock._native")]
pub(crate) struct RandomStream {
    stream: Rng,
    lent: bool,
}

impl Default for RandomStream {
    fn default() -> Self {
        Self { stream: Rng::stream(0, ""), lent: false }
    }
}

impl RandomStream {
    /// Take the run's stream before a call, give it back after it.
    pub(super) fn swap(&mut self, stream: &mut Rng) {
        mem::swap(&mut self.stream, stream);
        self.lent = !self.lent;
    }

    fn own(&mut self) -> PyResult<&mut Rng> {
        if self.lent {
            Ok(&mut self.stream)
        } else {
            Err(PyRuntimeError::new_err("cx.rng belongs to the run: it can be used only within the call that got cx"))
        }
    }
}

#[pymethods]
impl RandomStream {
    /// Uniform on [0, 1).
    fn uniform(&mut self) -> PyResult<f64> {
        Ok(self.own()?.uniform())
    }

    /// True with probability `p`; draws one number whatever `p` is.
    fn chance(&mut self, p: f64) -> PyResult<bool> {
        Ok(self.own()?.chance(p))
    }

    /// Uniform on the whole numbers from 0 to `n` - 1.
    fn below(&mut self, n: u64) -> PyResult<u64> {
        if n == 0 {
            return Err(PyValueError::new_err("n must be at least 1"));
        }
        Ok(self.own()?.below(n))
    }
}
