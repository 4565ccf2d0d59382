//! The receivers of TCP connections: they read, count and discard data.

use super::clock::now_ns;
use super::report::Counters;
use super::socket::{self, TcpSettings};
use super::tcp_info::set_window_clamp;
use super::{Host, Shared};
use nix::sys::socket::{Backlog, MsgFlags, SockType, listen as nix_listen, recv};
use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::Arc;

/// Largest number of bytes that are read at once.
const CHUNK: usize = 256 << 10;

/// Connections that may wait to be accepted.
const WAITING: i32 = 4096;

/// The connections that a listener accepts.
pub(super) struct Incoming {
    /// Where their data counts; `None` for requests.
    counters: Option<Arc<Counters>>,
    /// Whether several are open at a time.
    many: bool,
    /// Maximum window in bytes.
    window: Option<u32>,
}

impl Incoming {
    /// One connection of a flow.
    pub(super) fn one(counters: &Arc<Counters>, tcp: &TcpSettings) -> Self {
        Self { counters: Some(Arc::clone(counters)), many: false, window: tcp.window }
    }

    /// Connections of a session.
    pub(super) fn many(counters: &Arc<Counters>, tcp: &TcpSettings) -> Self {
        Self { counters: Some(Arc::clone(counters)), many: true, window: tcp.window }
    }

    /// Requests of a session.
    pub(super) fn requests(tcp: &TcpSettings) -> Self {
        Self { counters: None, many: true, window: tcp.window }
    }
}

/// Listen at a port of a host.
pub(super) fn listen(host: &Host, port: u16, tcp: &TcpSettings) -> io::Result<TcpListener> {
    host.namespace.run(|| {
        let made = socket::open(SockType::Stream, host, port)?;
        socket::set_tcp(&made, tcp)?;
        nix_listen(&made, Backlog::new(WAITING)?)?;
        Ok(TcpListener::from(made))
    })?
}

/// Accept and read connections until the gate closes.
pub(super) fn accept(listener: &TcpListener, name: &str, incoming: &Incoming, shared: &Arc<Shared>) {
    while !shared.gate.is_closed() {
        let stream = match listener.accept() {
            Ok((stream, _)) => Arc::new(stream),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return shared.fail(format!("{name}: cannot accept a connection: {error}")),
        };
        shared.open().push(Arc::clone(&stream));
        if !incoming.many {
            receive(&stream, name, (incoming.counters.as_deref(), incoming.window), shared);
            continue;
        }
        let (named, counters, window) = (name.to_owned(), incoming.counters.clone(), incoming.window);
        let state = Arc::clone(shared);
        let started = shared.helper(name, move || receive(&stream, &named, (counters.as_deref(), window), &state));
        if let Err(message) = started {
            return shared.fail(message);
        }
    }
}

/// Read a connection to its end, count its data, and limit its window.
fn receive(stream: &Arc<TcpStream>, name: &str, (counters, window): (Option<&Counters>, Option<u32>), shared: &Shared) {
    // The kernel discards the data and writes nothing to the buffer, so that its pages are never used.
    let mut buffer = vec![0; CHUNK];
    loop {
        match recv(stream.as_raw_fd(), &mut buffer, MsgFlags::MSG_TRUNC) {
            Ok(0) => break,
            Ok(read) => {
                if let Some(counters) = counters {
                    counters.read(read as u64, shared.window().contains(now_ns()));
                }
                if let Some(window) = window {
                    // The kernel resets the limit whenever it learns how much memory packets take. A connection that
                    // has just ended no longer has a limit.
                    let _ = set_window_clamp(&**stream, window);
                }
            }
            Err(nix::errno::Errno::EINTR) => {}
            Err(error) => {
                shared.fail(format!("{name}: cannot read: {error}"));
                break;
            }
        }
    }
    shared.open().retain(|other| !Arc::ptr_eq(other, stream));
}
