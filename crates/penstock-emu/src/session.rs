//! A real link in a separate thread, controlled from outside: take a snapshot, replace the queue, stop the link.

use crate::device::Device;
use crate::network::Network;
use crate::port::RealQueue;
use crate::pump::{Clock, Pump};
use crate::result;
use crate::scheduling::{self, Class};
use crate::trace::TraceRow;
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::time::{ClockId, clock_gettime};
use penstock_core::Time;
use penstock_link::{LinkPlan, NetworkPlan, ScenarioError};
use serde_json::{Map, Value, json};
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

/// Bounds beyond which the results of a run do not represent the link of the scenario.
#[derive(Clone, Copy, Debug)]
pub struct Validity {
    /// Largest lateness in seconds that 99 % of the packets may have.
    pub lateness_p99: f64,
    /// Largest lateness in seconds that any packet may have.
    pub lateness_max: f64,
    /// Largest number of packets lost before the queues saw them.
    pub lost_before_queue: u64,
    /// Largest share of the time for which the link may wait for a processor.
    pub starved: f64,
}

impl Default for Validity {
    /// 99 % of the packets at most 1 ms late, and no packet lost before a queue.
    fn default() -> Self {
        Self { lateness_p99: 1e-3, lateness_max: f64::INFINITY, lost_before_queue: 0, starved: 1.0 }
    }
}

/// A running real link.
pub struct Session {
    plan: NetworkPlan,
    commands: Sender<Command>,
    wake: Arc<EventFd>,
    thread: Option<JoinHandle<Outcome>>,
    origin: u64,
    started: Clock,
}

/// The numbers of a run, and its recorded events.
pub struct Outcome {
    /// The result as JSON.
    pub result: Map<String, Value>,
    /// Every event of a packet, if the network recorded them.
    pub trace: Vec<TraceRow>,
    /// Why captured packets could not be written.
    pub uncaptured: Option<io::Error>,
}

enum Command {
    Snapshot(Sender<Map<String, Value>>),
    Replace { link: usize, plan: Box<LinkPlan>, queue: RealQueue },
    Stop,
}

impl Session {
    /// Start the links: packets of the devices, one for each host of the network, are carried from now on.
    ///
    /// # Errors
    /// The system is out of file descriptors or threads.
    pub fn start(network: Network, devices: Vec<Box<dyn Device>>, validity: Validity) -> io::Result<Self> {
        let (commands, received) = mpsc::channel();
        let wake = Arc::new(EventFd::from_flags(EfdFlags::EFD_NONBLOCK | EfdFlags::EFD_CLOEXEC)?);
        let plan = network.plan.clone();
        let started = Clock::start();
        let origin = monotonic()?.saturating_sub(started.now().as_nanos());
        let waker = Arc::clone(&wake);
        let thread = thread::Builder::new().name("penstock-link".to_owned()).spawn(move || {
            let class = scheduling::raise_priority();
            let _awake = scheduling::keep_awake();
            let pump = Pump::new(network, devices, started);
            drive(pump, &received, &waker, class, &validity)
        })?;
        Ok(Self { plan, commands, wake, thread: Some(thread), origin, started })
    }

    /// Time 0 of the links, in nanoseconds of the machine's monotonic clock.
    pub fn origin(&self) -> u64 {
        self.origin
    }

    /// The names of the links, in the order of their numbers.
    pub fn links(&self) -> impl Iterator<Item = &str> {
        self.plan.links.iter().map(|link| link.spec.name.as_str())
    }

    /// The state of the links and the counts so far; `None` if the link has stopped because of a fault.
    pub fn snapshot(&self) -> Option<Map<String, Value>> {
        let (reply, answer) = mpsc::channel();
        self.send(Command::Snapshot(reply))?;
        answer.recv().ok()
    }

    /// Another queue in front of the link of this number, as `plan` describes it. Packets that wait are sent first; none is lost
    /// by the change.
    ///
    /// # Errors
    /// The errors of the queue's parameters.
    pub fn replace(&self, link: usize, plan: LinkPlan) -> Result<(), Vec<ScenarioError>> {
        let mut network = self.plan.clone();
        network.links[link] = plan.clone();
        let queue = Network::build(&network, link, self.started.now())?;
        self.send(Command::Replace { link, plan: Box::new(plan), queue });
        Ok(())
    }

    /// Stop the links; packets on them are lost. `None` if the thread panicked, which is a defect.
    pub fn stop(mut self) -> Option<Outcome> {
        self.send(Command::Stop);
        self.thread.take()?.join().ok()
    }

    fn send(&self, command: Command) -> Option<()> {
        self.commands.send(command).ok()?;
        // The counter of the file cannot overflow: the thread resets it.
        self.wake.write(1).ok().map(drop)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.send(Command::Stop);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// Move packets until a command or a fault ends it.
fn drive(mut pump: Pump, commands: &Receiver<Command>, wake: &EventFd, class: Class, validity: &Validity) -> Outcome {
    let fault = loop {
        if let Err(error) = pump.turn(wake.as_fd()) {
            break Some(error);
        }
        // Resets the counter; without a command there is nothing to read.
        let _ = wake.read();
        let mut stop = false;
        while let Ok(command) = commands.try_recv() {
            match command {
                Command::Snapshot(reply) => {
                    let now = pump.network.now();
                    drop(reply.send(result::snapshot(&mut pump.network, now)));
                }
                Command::Replace { link, plan, queue } => {
                    pump.network.replace(pump.clock.now(), link, plan.queue, queue);
                }
                Command::Stop => stop = true,
            }
        }
        if stop {
            break None;
        }
    };
    finish(pump, fault.as_ref(), class, validity)
}

/// Why a link stopped.
fn reason_of(fault: &io::Error) -> String {
    // The errors that the kernel returns after a device has been removed.
    let removed = matches!(fault.raw_os_error(), Some(libc::EBADFD | libc::ENODEV | libc::ENXIO | libc::ENETDOWN));
    let reason = if removed { "a device of the link was removed, or set down" } else { "the link stopped" };
    format!("{reason}: {fault}")
}

fn finish(mut pump: Pump, fault: Option<&io::Error>, class: Class, validity: &Validity) -> Outcome {
    let now = pump.network.now();
    let complete = pump.finished.is_some() || pump.network.window.end == Time::NEVER;
    let mut result = pump.finished.take().unwrap_or_else(|| result::collect(&mut pump.network, now));
    let mut reasons = Vec::new();
    let mut require = |holds: bool, reason: String| {
        if !holds {
            reasons.push(reason);
        }
    };
    if let Some(error) = fault {
        require(false, reason_of(error));
    }
    require(complete || fault.is_some(), "it was stopped before the end of its duration".to_owned());
    let lateness = &pump.lateness;
    let (p50, p99, max) = (lateness.quantile(0.5), lateness.quantile(0.99), lateness.max());
    let micros = |seconds: f64| format!("{:.0} us", seconds * 1e6);
    let late = |share: &str, is: f64, limit: f64| {
        format!("{share} late by up to {}: at most {} are allowed", micros(is), micros(limit))
    };
    require(p99 <= validity.lateness_p99, late("99 % of the packets were", p99, validity.lateness_p99));
    require(max <= validity.lateness_max, late("a packet was", max, validity.lateness_max));
    let lost = pump.lost_before_queue().ok();
    let allowed = validity.lost_before_queue;
    if let Some(lost) = lost {
        require(lost <= allowed, format!("{lost} packets were lost before the queue: at most {allowed} are allowed"));
    }
    let unsent = pump.unsent();
    require(unsent == 0, format!("{unsent} packets found no room at their host"));
    let unlike = pump.oversized + pump.refused();
    let offloads = "larger than the MTU, without a checksum or in a VLAN: switch offloads off";
    require(unlike == 0, format!("{unlike} packets were {offloads}"));
    let starved = pump.starved_share();
    let waited = starved.unwrap_or(0.0);
    let too_long = format!(
        "the link waited for a processor for {:.1} % of the time: at most {:.1} % are allowed",
        waited * 100.0,
        validity.starved * 100.0
    );
    require(waited <= validity.starved, too_long);
    require(pump.network.is_conserved(), "packets were not conserved: a defect of penstock".to_owned());
    result.insert("lateness".to_owned(), json!({"p50_s": p50, "p99_s": p99, "max_s": max}));
    result.insert("lost_before_queue".to_owned(), json!(lost));
    result.insert("oversized".to_owned(), json!(unlike));
    result.insert("starved".to_owned(), json!(starved));
    result.insert("scheduling".to_owned(), json!(class.to_string()));
    result.insert("valid".to_owned(), json!(reasons.is_empty()));
    result.insert("invalid_because".to_owned(), json!(reasons));
    let trace = pump.network.take_trace();
    Outcome { result, trace, uncaptured: pump.network.close_capture().err() }
}

fn monotonic() -> nix::Result<u64> {
    let time = clock_gettime(ClockId::CLOCK_MONOTONIC)?;
    Ok(time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64)
}
