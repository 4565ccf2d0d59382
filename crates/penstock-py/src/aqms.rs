//! AQMs written in Python: an adapter that calls the Python object for each packet.

mod facts;

pub(crate) use facts::{CxFacts, PacketFacts, QueueFacts, RandomStream, Verdict as PyVerdict};
use penstock_aqm::{Aqm, Capabilities, Cause, Cx, Departing, Judges, LinkInfo, TimerMoves, Verdict};
use penstock_core::param::{ParamError, ParamErrors, Settings, Value};
use penstock_core::{Limit, PacketMeta, Time};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::cell::Cell;
use std::panic::resume_unwind;

/// Calls between two checks for signals, for AQMs that run little Python.
const CALLS: u32 = 4096;

/// A Python exception that unwinds through the engine; the caller of the engine catches it.
pub(crate) struct Raised(pub(crate) PyErr);

/// The AQMs of a run by name: Python callables that take the settings and the link, and return the AQM.
pub(crate) struct PythonAqms(Py<PyDict>);

impl PythonAqms {
    pub(crate) fn new(makers: Bound<'_, PyDict>) -> Self {
        Self(makers.unbind())
    }
}

impl penstock_sim::AqmFactory for PythonAqms {
    fn build(&self, scheme: &str, settings: &Settings, link: &LinkInfo) -> Option<Result<Box<dyn Aqm>, ParamErrors>> {
        Python::attach(|py| {
            let maker = self.0.bind(py).get_item(scheme).ok().flatten()?;
            match PythonAqm::make(&maker, settings, link) {
                Ok(aqm) => Some(Ok(Box::new(aqm) as Box<dyn Aqm>)),
                Err(error) if error.is_instance_of::<PyValueError>(py) => Some(Err(vec![refusal(py, &error)])),
                Err(error) => leave(error),
            }
        })
    }
}

/// A `ValueError` raised while building an AQM means a refused setting; its attribute `parameter` names the setting.
fn refusal(py: Python<'_>, error: &PyErr) -> ParamError {
    let value = error.value(py);
    let parameter = value.getattr("parameter").and_then(|name| name.extract::<String>()).unwrap_or_default();
    ParamError::new(parameter, value.to_string())
}

/// End the run by unwinding to its caller, without a panic message.
fn leave(error: PyErr) -> ! {
    resume_unwind(Box::new(Raised(error)))
}

/// An AQM in Python. Its methods are looked up once; missing methods cost nothing.
struct PythonAqm {
    on_arrival: Option<Py<PyAny>>,
    on_enqueued: Option<Py<PyAny>>,
    on_overflow: Option<Py<PyAny>>,
    on_departure: Option<Py<PyAny>>,
    on_evicted: Option<Py<PyAny>>,
    on_idle: Option<Py<PyAny>>,
    on_link: Option<Py<PyAny>>,
    next_timeout: Option<Py<PyAny>>,
    on_timeout: Option<Py<PyAny>>,
    gauges: Option<Py<PyAny>>,
    drop_function: Option<Py<PyAny>>,
    /// Arguments of its methods, reused for every call.
    cx: Py<CxFacts>,
    queue: Py<QueueFacts>,
    rng: Py<RandomStream>,
    packet: Py<PacketFacts>,
    name: Py<PyAny>,
    /// The next timeout must be later than this, or time would stand still.
    timeout_was: Cell<Option<Time>>,
    calls: u32,
}

impl PythonAqm {
    fn make(maker: &Bound<'_, PyAny>, settings: &Settings, link: &LinkInfo) -> PyResult<Self> {
        let py = maker.py();
        let given = PyDict::new(py);
        for (name, value) in settings {
            match value {
                Value::Number(x) | Value::Packets(x) | Value::Bytes(x) => given.set_item(name, x)?,
                Value::Flag(flag) => given.set_item(name, flag)?,
                Value::Text(word) => given.set_item(name, word)?,
                Value::Time(span) => given.set_item(name, span.as_secs())?,
                Value::Numbers(numbers) => given.set_item(name, numbers)?,
                Value::Classes(_) => return Err(PyValueError::new_err("an AQM in Python has no classes")),
            }
        }
        let aqm = maker.call1((given, told_link(py, link)?))?;
        let own: Bound<'_, PyDict> = aqm.getattr("_methods")?.call0()?.cast_into()?;
        let method = |name: &str| -> PyResult<Option<Py<PyAny>>> { Ok(own.get_item(name)?.map(Bound::unbind)) };
        let queue = Py::new(py, QueueFacts::default())?;
        let rng = Py::new(py, RandomStream::default())?;
        Ok(Self {
            on_arrival: method("on_arrival")?,
            on_enqueued: method("on_enqueued")?,
            on_overflow: method("on_overflow")?,
            on_departure: method("on_departure")?,
            on_evicted: method("on_evicted")?,
            on_idle: method("on_idle")?,
            on_link: method("on_link")?,
            next_timeout: method("next_timeout")?,
            on_timeout: method("on_timeout")?,
            gauges: method("gauges")?,
            drop_function: method("drop_function")?,
            cx: Py::new(py, CxFacts::new(queue.clone_ref(py), rng.clone_ref(py)))?,
            queue,
            rng,
            packet: Py::new(py, PacketFacts::default())?,
            name: aqm.getattr("scheme")?.unbind(),
            timeout_was: Cell::new(None),
            calls: 0,
        })
    }

    /// Check for signals. The interpreter itself handles Ctrl-C while it runs the AQM; this is for AQMs that run little
    /// Python.
    fn look_at_signals(&mut self) {
        self.calls += 1;
        if self.calls >= CALLS {
            self.calls = 0;
            #[expect(
                clippy::redundant_closure_for_method_calls,
                reason = "the method alone lives too short for attach"
            )]
            let looked = Python::attach(|py| py.check_signals());
            looked.unwrap_or_else(|error| leave(error));
        }
    }

    /// Call a method with a packet or without; an error ends the run with a note of the packet and time.
    fn ask<T>(
        &self,
        method: Method,
        cx: &mut Cx<'_>,
        packet: Option<(&PacketMeta, Option<Time>)>,
        read: impl FnOnce(Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Option<T> {
        let function = match method {
            Method::Arrival => &self.on_arrival,
            Method::Enqueued => &self.on_enqueued,
            Method::Overflow => &self.on_overflow,
            Method::Departure => &self.on_departure,
            Method::Evicted => &self.on_evicted,
            Method::Timeout => &self.on_timeout,
        };
        let function = function.as_ref()?;
        // The interpreter is attached during the whole run: this only changes a counter.
        Some(Python::attach(|py| {
            self.cx.borrow_mut(py).fill(cx);
            self.queue.borrow_mut(py).fill(&cx.queue, cx.now);
            self.rng.borrow_mut(py).swap(cx.rng);
            let function = function.bind(py);
            let answer = match packet {
                Some((meta, enqueued)) => {
                    self.packet.borrow_mut(py).fill(meta, enqueued, cx.now);
                    function.call1((&self.cx, &self.packet))
                }
                None => function.call1((&self.cx,)),
            };
            self.rng.borrow_mut(py).swap(cx.rng);
            match answer.and_then(read) {
                Ok(answer) => answer,
                Err(error) => {
                    self.note(py, &error, method, cx, packet.map(|(meta, _)| meta));
                    leave(error)
                }
            }
        }))
    }

    /// Add to an error the place in the run where it occurred. If that fails, the error itself is still raised.
    fn note(&self, py: Python<'_>, error: &PyErr, method: Method, cx: &Cx<'_>, packet: Option<&PacketMeta>) {
        let about = packet.map_or(String::new(), |packet| {
            format!(", about a packet of flow {} with {} bytes", packet.flow, packet.size)
        });
        let note = format!(
            "in {} of the AQM {} at {} s{about}, with {} packets ({} bytes) waiting",
            method.name(),
            self.name.bind(py),
            cx.now.as_secs(),
            cx.queue.packets,
            cx.queue.bytes
        );
        let _ = error.value(py).setattr(intern!(py, "penstock_note"), note);
    }

    /// Call a method with a time, a number or no argument.
    fn call<T>(
        &self,
        function: &Py<PyAny>,
        name: &str,
        arguments: impl FnOnce(Python<'_>) -> PyResult<Bound<'_, PyTuple>>,
        read: impl FnOnce(Bound<'_, PyAny>) -> PyResult<T>,
    ) -> T {
        Python::attach(|py| {
            let answer = arguments(py).and_then(|arguments| function.bind(py).call1(arguments)).and_then(read);
            answer.unwrap_or_else(|error| {
                let note = format!("in {name} of the AQM {}", self.name.bind(py));
                let _ = error.value(py).setattr(intern!(py, "penstock_note"), note);
                leave(error)
            })
        })
    }
}

/// The methods that take the context.
#[derive(Clone, Copy)]
enum Method {
    Arrival,
    Enqueued,
    Overflow,
    Departure,
    Evicted,
    Timeout,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Self::Arrival => "on_arrival",
            Self::Enqueued => "on_enqueued",
            Self::Overflow => "on_overflow",
            Self::Departure => "on_departure",
            Self::Evicted => "on_evicted",
            Self::Timeout => "on_timeout",
        }
    }

    /// The verdict of a returned value; `DROP` and `MARK` without a cause have the method's usual cause.
    fn verdict(self, answer: &Bound<'_, PyAny>) -> PyResult<Verdict> {
        let Ok(verdict) = answer.cast::<PyVerdict>() else {
            let what = answer.repr()?;
            let message = format!("{} returned {what}, which is none of ps.PASS, ps.DROP and ps.MARK", self.name());
            return Err(PyTypeError::new_err(message));
        };
        let queued = matches!(self, Self::Departure);
        let verdict = verdict.get().meant(if queued { Cause::Sojourn } else { Cause::Early });
        match verdict {
            Verdict::Drop(cause) | Verdict::Mark(cause) if cause.was_queued() != queued => {
                let fitting: Vec<&str> =
                    Cause::ALL.into_iter().filter(|cause| cause.was_queued() == queued).map(Cause::name).collect();
                let (name, fitting) = (self.name(), fitting.join(", "));
                Err(PyValueError::new_err(format!(
                    "\"{}\" is not a cause in {name}: expected one of {fitting}",
                    cause.name()
                )))
            }
            _ => Ok(verdict),
        }
    }
}

/// For methods whose return value is ignored.
#[expect(clippy::unnecessary_wraps, reason = "it stands where a reader of answers does")]
fn nothing(_answer: Bound<'_, PyAny>) -> PyResult<()> {
    Ok(())
}

impl Aqm for PythonAqm {
    /// The capabilities, derived from the methods that the class of the AQM defines.
    fn capabilities(&self) -> Capabilities {
        let judges = match (&self.on_arrival, &self.on_departure) {
            (_, None) => Judges::Arrivals,
            (None, Some(_)) => Judges::Departures,
            (Some(_), Some(_)) => Judges::Both,
        };
        // The class may move its timer in any method; the host reads the timer again when the queue is empty, at the
        // latest.
        let timer = if self.next_timeout.is_some() { TimerMoves::OnIdle } else { TimerMoves::Never };
        Capabilities { judges, timer, ..Capabilities::ARRIVALS }
    }

    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Verdict {
        self.look_at_signals();
        let method = Method::Arrival;
        self.ask(method, cx, Some((packet, None)), |answer| method.verdict(&answer)).unwrap_or(Verdict::Pass)
    }

    fn on_enqueued(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) {
        self.ask(Method::Enqueued, cx, Some((packet, None)), nothing);
    }

    fn on_overflow(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) {
        self.ask(Method::Overflow, cx, Some((packet, None)), nothing);
    }

    fn on_departure(&mut self, cx: &mut Cx<'_>, packet: &Departing) -> Verdict {
        let (method, about) = (Method::Departure, (&packet.meta, Some(packet.enqueued)));
        self.ask(method, cx, Some(about), |answer| method.verdict(&answer)).unwrap_or(Verdict::Pass)
    }

    fn on_evicted(&mut self, cx: &mut Cx<'_>, packet: &Departing) {
        self.ask(Method::Evicted, cx, Some((&packet.meta, Some(packet.enqueued))), nothing);
    }

    fn on_idle(&mut self, now: Time) {
        if let Some(function) = &self.on_idle {
            self.call(function, "on_idle", |py| (now.as_secs(),).into_pyobject(py), nothing);
        }
    }

    fn on_link(&mut self, _now: Time, link: &LinkInfo) {
        if let Some(function) = &self.on_link {
            self.call(function, "on_link", |py| PyTuple::new(py, [told_link(py, link)?]), nothing);
        }
    }

    fn next_timeout(&self) -> Option<Time> {
        let function = self.next_timeout.as_ref()?;
        let was = self.timeout_was.get();
        let read = |answer: Bound<'_, PyAny>| match answer.extract::<Option<f64>>()? {
            None => Ok(None),
            // A time centuries ahead means never, and a larger float would not fit.
            Some(at) if at >= 1e10 => Ok(None),
            Some(at) if at >= 0.0 => {
                let at = Time::from_nanos((at * 1e9).round() as u64);
                if was.is_some_and(|was| at <= was) {
                    let message = "must be after the timeout that has just come, or None: time would stand still";
                    return Err(PyValueError::new_err(format!(
                        "next_timeout returned {} s; it {message}",
                        at.as_secs()
                    )));
                }
                Ok(Some(at))
            }
            Some(at) => Err(PyValueError::new_err(format!("next_timeout returned {at}; it must be a time in seconds"))),
        };
        self.call(function, "next_timeout", |py| Ok(PyTuple::empty(py)), read)
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        self.timeout_was.set(Some(cx.now));
        self.ask(Method::Timeout, cx, None, nothing);
    }

    fn gauges(&self, show: &mut dyn FnMut(&str, f64)) {
        let Some(function) = &self.gauges else { return };
        let read = |answer: Bound<'_, PyAny>| {
            let answer = answer.cast_into::<PyDict>()?;
            answer.iter().map(|(name, value)| Ok((name.extract()?, value.extract()?))).collect()
        };
        let gauges: Vec<(String, f64)> = self.call(function, "gauges", |py| Ok(PyTuple::empty(py)), read);
        for (name, value) in gauges {
            show(&name, value);
        }
    }

    fn drop_function(&self, average: f64) -> Option<f64> {
        let function = self.drop_function.as_ref()?;
        self.call(function, "drop_function", |py| (average,).into_pyobject(py), |answer| answer.extract())
    }
}

/// The link in the form of `penstock.aqms.python_aqm`.
fn told_link<'py>(py: Python<'py>, link: &LinkInfo) -> PyResult<Bound<'py, PyAny>> {
    let facts = PyDict::new(py);
    let (limit, unit) = told_limit(link.limit);
    facts.set_item("rate", link.rate.bits_per_second())?;
    facts.set_item("limit", limit)?;
    facts.set_item("limit_unit", unit)?;
    facts.set_item("mean_packet", link.mean_packet.0)?;
    facts.set_item("mtu", link.mtu.0)?;
    facts.set_item("rtt", link.rtt.map(penstock_core::Span::as_secs))?;
    facts.set_item("flows", link.flows)?;
    py.import("penstock.aqms.python_aqm")?.getattr("LinkFacts")?.call((), Some(&facts))
}

/// A limit as a number and its unit.
fn told_limit(limit: Limit) -> (f64, &'static str) {
    match limit {
        Limit::Packets(packets) => (f64::from(packets), "packets"),
        Limit::Bytes(bytes) => (bytes as f64, "bytes"),
        Limit::Infinite => (f64::INFINITY, "packets"),
    }
}
