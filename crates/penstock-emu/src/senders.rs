//! Real traffic between namespaces: Senders: TCP connections of the kernel, datagrams at given times, and sessions that
//! open connections; each has its receiver.
//!
//! Every flow has threads of its own. Times of flows are nanoseconds after time 0 of the link, which is a value of
//! `CLOCK_MONOTONIC`. Statistics count what receivers read between the end of the warm-up and the end of the run.

mod clock;
mod connection;
mod datagrams;
mod kernel;
mod ping;
mod receiver;
mod report;
mod session;
mod socket;
mod tcp_info;
#[cfg(test)]
mod tests;

use crate::namespace::Namespace;
pub use clock::now_ns;
use clock::{Gate, Window};
use kernel::Sampler;
use penstock_core::Ecn;
pub use ping::ping;
use receiver::Incoming;
use report::Counters;
pub use report::{Completion, DatagramReport, DelayReport, FlowReport, KernelReport};
pub use socket::TcpSettings;
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Bytes of stack of each thread: they call little, and buffers lie on the heap.
const STACK: usize = 128 << 10;

/// A host of the network.
#[derive(Clone)]
pub struct Host {
    /// The namespace in which its sockets are made.
    pub namespace: Namespace,
    /// Its address.
    pub address: Ipv4Addr,
}

/// A flow with its receiver, or a session.
pub struct Flow {
    /// Its two ends.
    pub ends: Ends,
    /// Start, in nanoseconds after time 0.
    pub start: u64,
    /// Time from which it offers no new data, in nanoseconds after time 0.
    pub stop: u64,
    /// The data that it offers.
    pub offer: Offer,
}

/// The two ends of a flow.
#[derive(Clone)]
pub struct Ends {
    /// Name in messages, such as `traffic.bulk, flow 3`.
    pub name: String,
    /// The hosts that send data: one host, or the hosts that a session chooses from.
    pub sources: Vec<Host>,
    /// The host that receives data.
    pub destination: Host,
    /// Port at which `destination` receives; requests of a session go to this port of a source.
    pub port: u16,
    /// Codepoint of the packets of TCP connections, 0 to 63.
    pub dscp: u8,
}

/// The data that a flow offers.
pub enum Offer {
    /// One TCP connection.
    Transfer {
        /// Settings of the connection.
        tcp: TcpSettings,
        /// Bytes to send; `None`: without end, until the stop time.
        bytes: Option<u64>,
    },
    /// Datagrams at given times.
    Datagrams {
        /// In the order of sending.
        schedule: Vec<Datagram>,
    },
    /// Connections that come and go.
    Session {
        /// Settings of the connections.
        tcp: TcpSettings,
        /// Decides when to open a connection and how much to send.
        source: Box<dyn Session>,
    },
}

/// A datagram to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Time of sending, in nanoseconds after time 0.
    pub at: u64,
    /// Bytes of payload, at least [`MIN_PAYLOAD`].
    pub payload: u16,
    /// ECN field.
    pub ecn: Ecn,
    /// Codepoint, 0 to 63.
    pub dscp: u8,
}

/// Smallest payload of a datagram: its sequence number and the time of sending.
pub const MIN_PAYLOAD: u16 = datagrams::HEADER as u16;

/// A source of connections. Times are nanoseconds after time 0.
pub trait Session: Send {
    /// The time of its next action; `None` while it waits for the end of a connection, and after its stop.
    fn next(&self) -> Option<u64>;
    /// Acts at the time given by [`next`](Self::next); returns the connections to open.
    fn on_time(&mut self, now: u64) -> Vec<Opening>;
    /// The connection with this tag has delivered all its data; returns the connections to open.
    fn on_end(&mut self, now: u64, tag: u32) -> Vec<Opening>;
}

/// A connection to open now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Number of the sending host among the sources of the flow; for a request, of the host that receives it.
    pub sender: u32,
    /// Whether the destination of the flow sends it to the source: a request.
    pub request: bool,
    /// Bytes to send, at least 1.
    pub bytes: u64,
    /// Identifier for [`Session::on_end`].
    pub tag: u32,
}

/// The times of a run: values of `CLOCK_MONOTONIC` in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Time 0 of the flows.
    pub zero: u64,
    /// End of the warm-up: start of the statistics.
    pub warmup: u64,
    /// End of the run, and of the statistics.
    pub end: u64,
}

/// Senders and receivers. Dropping them stops them.
pub struct Senders {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    counters: Vec<Arc<Counters>>,
}

/// State that all threads of a run share.
struct Shared {
    /// Whether threads for datagrams have priority over ordinary threads.
    ahead: bool,
    times: OnceLock<Times>,
    gate: Gate,
    sampler: Sampler,
    /// Connections in progress, so that a stop can shut them down.
    open: Mutex<Vec<Arc<TcpStream>>>,
    listeners: Mutex<Vec<Arc<TcpListener>>>,
    /// The first error.
    error: Mutex<Option<String>>,
    /// Threads that connections and sessions started and that still run.
    helpers: AtomicUsize,
}

impl Senders {
    /// Open all receivers, and a thread for each flow, which waits for [`start`](Self::start). With `ahead`, threads
    /// for datagrams have priority over ordinary threads; they may delay the kernel's own work, such as shaping.
    ///
    /// # Errors
    ///
    /// A message that names the flow and the remedy, if a receiver or a thread cannot be created; nothing runs then.
    pub fn prepare(flows: Vec<Flow>, ahead: bool) -> Result<Self, String> {
        let shared = Arc::new(Shared {
            ahead,
            times: OnceLock::new(),
            gate: Gate::default(),
            sampler: Sampler::default(),
            open: Mutex::default(),
            listeners: Mutex::default(),
            error: Mutex::default(),
            helpers: AtomicUsize::new(0),
        });
        let mut senders = Self { shared, threads: Vec::new(), counters: Vec::new() };
        for flow in flows {
            let counters = Arc::new(Counters::default());
            senders.counters.push(Arc::clone(&counters));
            senders.receive(&flow, &counters)?;
            senders.send(flow, counters)?;
        }
        let shared = Arc::clone(&senders.shared);
        senders.thread("sampler", move || {
            if shared.gate.wait() {
                shared.sampler.run(shared.window(), &shared.gate);
            }
        })?;
        Ok(senders)
    }

    /// Start all flows, once.
    pub fn start(&self, times: Times) {
        // Only the first start has an effect.
        let _ = self.shared.times.set(times);
        self.shared.gate.open();
    }

    /// Open the receivers of a flow.
    fn receive(&mut self, flow: &Flow, counters: &Arc<Counters>) -> Result<(), String> {
        let ends = &flow.ends;
        match &flow.offer {
            Offer::Datagrams { .. } => {
                let socket = datagrams::receiver(&ends.destination, ends.port)
                    .map_err(|error| ends.error(&ends.destination, "cannot receive", &error))?;
                let (shared, counters) = (Arc::clone(&self.shared), Arc::clone(counters));
                self.thread(&ends.name, move || datagrams::receive(&socket, &counters, &shared))
            }
            Offer::Transfer { tcp, .. } => self.accept(ends, &ends.destination, tcp, Incoming::one(counters, tcp)),
            Offer::Session { tcp, .. } => {
                self.accept(ends, &ends.destination, tcp, Incoming::many(counters, tcp))?;
                let mut sources = ends.sources.iter();
                sources.try_for_each(|source| self.accept(ends, source, tcp, Incoming::requests(tcp)))
            }
        }
    }

    fn accept(&mut self, ends: &Ends, host: &Host, tcp: &TcpSettings, incoming: Incoming) -> Result<(), String> {
        let listener =
            receiver::listen(host, ends.port, tcp).map_err(|error| ends.error(host, "cannot receive", &error))?;
        let listener = Arc::new(listener);
        self.shared.listeners().push(Arc::clone(&listener));
        let (shared, name) = (Arc::clone(&self.shared), ends.name.clone());
        self.thread(&ends.name, move || receiver::accept(&listener, &name, &incoming, &shared))
    }

    /// Start the sender of a flow.
    fn send(&mut self, flow: Flow, counters: Arc<Counters>) -> Result<(), String> {
        let (shared, name) = (Arc::clone(&self.shared), flow.ends.name.clone());
        let work = move || {
            if let Err(message) = flow.run(&counters, &shared) {
                shared.fail(message);
            }
        };
        self.thread(&name, work)
    }

    fn thread(&mut self, name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), String> {
        let thread = thread::Builder::new().stack_size(STACK).spawn(work).map_err(|error| no_thread(name, &error))?;
        self.threads.push(thread);
        Ok(())
    }

    /// The first error of a flow so far.
    pub fn error(&self) -> Option<String> {
        self.shared.error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stop all flows, wait until no thread is left, and report the flows in the order of [`prepare`](Self::prepare).
    ///
    /// # Errors
    ///
    /// The first error of a flow: a message that names the flow and the remedy.
    pub fn stop(mut self) -> Result<Vec<FlowReport>, String> {
        self.end();
        match self.error() {
            Some(message) => Err(message),
            None => Ok(self.counters.iter().map(|counters| counters.report(self.shared.window())).collect()),
        }
    }

    fn end(&mut self) {
        self.shared.gate.close();
        while !self.threads.is_empty() || self.shared.helpers.load(Ordering::Acquire) > 0 {
            self.shared.shut();
            // A thread may have opened a connection just before the gate closed, so repeat the shutdown until all
            // threads have ended.
            thread::sleep(Duration::from_millis(1));
            self.threads.retain(|thread| !thread.is_finished());
        }
    }
}

impl Drop for Senders {
    fn drop(&mut self) {
        self.end();
    }
}

impl Flow {
    /// Send until the stop.
    fn run(self, counters: &Arc<Counters>, shared: &Arc<Shared>) -> Result<(), String> {
        let Self { ends, start, stop, offer } = self;
        if !shared.gate.wait() || !shared.gate.sleep_until(shared.zero().saturating_add(start)) {
            return Ok(());
        }
        let stop = shared.zero().saturating_add(stop).min(shared.window().end);
        let failed = |error| ends.error(&ends.destination, "cannot send", &error);
        match offer {
            Offer::Transfer { tcp, bytes } => {
                let path = connection::Path::data(&ends, 0);
                let sent = connection::send(path, &tcp, (bytes, stop), counters, shared).map_err(failed)?;
                if let Some(completion) = sent {
                    counters.complete(completion);
                }
                Ok(())
            }
            Offer::Datagrams { schedule } => datagrams::send(&ends, &schedule, counters, shared).map_err(failed),
            Offer::Session { tcp, source } => {
                session::run(ends, tcp, source, counters, shared);
                Ok(())
            }
        }
    }
}

impl Ends {
    /// A message about an error of this flow.
    fn error(&self, host: &Host, action: &str, error: &std::io::Error) -> String {
        format!("{}: {action} at {}:{}: {error}{}", self.name, host.address, self.port, cure(error))
    }
}

/// How to remedy this error.
fn cure(error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::ConnectionRefused => "; nothing receives there: a firewall of the namespace may refuse connections",
        ErrorKind::AddrInUse => "; the port is taken: stop the program in this namespace that uses it",
        ErrorKind::TimedOut => "; no answer: the link loses all packets of the connection",
        ErrorKind::AddrNotAvailable => "; the namespace does not have this address",
        ErrorKind::PermissionDenied => "; run as root, or in a user namespace of your own",
        ErrorKind::NetworkUnreachable | ErrorKind::HostUnreachable => "; the namespace has no route to it",
        ErrorKind::NotFound => "; the kernel does not have this congestion control",
        _ if error.raw_os_error() == Some(libc::EMFILE) => "; raise the limit of open files with ulimit -n",
        _ => "",
    }
}

fn no_thread(name: &str, error: &std::io::Error) -> String {
    format!("{name}: no thread can be started: {error}; use fewer flows, or raise the limit with ulimit -u")
}

impl Shared {
    /// Time 0 of the flows, once they have started.
    fn zero(&self) -> u64 {
        self.times.get().map_or(0, |times| times.zero)
    }

    /// The interval of the statistics; before the start an empty interval in the future.
    fn window(&self) -> Window {
        let (start, end) = self.times.get().map_or((u64::MAX, u64::MAX), |times| (times.warmup, times.end));
        Window { start, end }
    }

    /// Start a thread for a connection of a flow; it is counted until it ends.
    fn helper(self: &Arc<Self>, name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), String> {
        self.helpers.fetch_add(1, Ordering::AcqRel);
        let counted = Counted(Arc::clone(self));
        let started = thread::Builder::new().stack_size(STACK).spawn(move || {
            let _counted = counted;
            work();
        });
        started.map(drop).map_err(|error| no_thread(name, &error))
    }

    /// Keep the first error. Errors after the stop are caused by it and are not reported.
    fn fail(&self, message: String) {
        if !self.gate.is_closed() {
            self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
        }
    }

    fn open(&self) -> MutexGuard<'_, Vec<Arc<TcpStream>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listeners(&self) -> MutexGuard<'_, Vec<Arc<TcpListener>>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shut all sockets down: blocked reads, writes and accepts return.
    fn shut(&self) {
        for stream in self.open().iter() {
            // The other host may have closed it already.
            let _ = stream.shutdown(Shutdown::Both);
        }
        for listener in self.listeners().iter() {
            let _ = nix::sys::socket::shutdown(listener.as_raw_fd(), nix::sys::socket::Shutdown::Read);
        }
    }
}

/// A thread that is counted until this is dropped, also by a panic.
struct Counted(Arc<Shared>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.helpers.fetch_sub(1, Ordering::AcqRel);
    }
}
