//! The sender of a TCP connection.

use super::clock::now_ns;
use super::report::{Completion, Counters};
use super::socket::{self, TcpSettings};
use super::{Ends, Host, Shared};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::Linger;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddrV4, TcpStream};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

/// Largest number of bytes that are written at once.
const CHUNK: usize = 128 << 10;

/// The data of all connections.
static ZEROS: [u8; CHUNK] = [0; CHUNK];

/// Longest time between two checks whether the thread must end.
const POLL: Duration = Duration::from_millis(100);

/// The way of a connection.
#[derive(Clone, Copy)]
pub(super) struct Path<'a> {
    source: &'a Host,
    destination: SocketAddrV4,
    dscp: u8,
}

impl<'a> Path<'a> {
    /// For data, from source number `sender`.
    pub(super) fn data(ends: &'a Ends, sender: u32) -> Self {
        let source = &ends.sources[sender as usize % ends.sources.len()];
        Self { source, destination: SocketAddrV4::new(ends.destination.address, ends.port), dscp: ends.dscp }
    }

    /// For a request, to source number `sender`.
    pub(super) fn request(ends: &'a Ends, sender: u32) -> Self {
        let server = &ends.sources[sender as usize % ends.sources.len()];
        Self { source: &ends.destination, destination: SocketAddrV4::new(server.address, ends.port), dscp: ends.dscp }
    }
}

/// Connect and send a number of bytes, or without end, until a stop; returns the completion if all data was delivered.
/// The thread stays in the namespace of the source.
pub(super) fn send(
    path: Path<'_>,
    tcp: &TcpSettings,
    (bytes, stop): (Option<u64>, u64),
    counters: &Arc<Counters>,
    shared: &Shared,
) -> io::Result<Option<Completion>> {
    path.source.namespace.enter()?;
    let begin = now_ns();
    let stream = Arc::new(socket::begin(path.source, path.destination, path.dscp, tcp)?);
    shared.open().push(Arc::clone(&stream));
    let watched = shared.sampler.watch(&stream, counters);
    let sent = transfer(&stream, tcp, (bytes, stop), counters, shared);
    shared.sampler.close(&watched, shared.window());
    shared.open().retain(|other| !Arc::ptr_eq(other, &stream));
    if shared.gate.is_closed() {
        // Nothing is retransmitted after the run; if this fails, retransmissions end with the namespace.
        let _ = setsockopt(&stream, Linger, &libc::linger { l_onoff: 1, l_linger: 0 });
        return Ok(None);
    }
    let end = now_ns();
    let completion = Completion { at: end.saturating_sub(shared.zero()), seconds: (end - begin) as f64 / 1e9 };
    Ok(sent?.then_some(completion))
}

/// Returns whether all data was delivered.
fn transfer(
    stream: &TcpStream,
    tcp: &TcpSettings,
    (bytes, stop): (Option<u64>, u64),
    counters: &Counters,
    shared: &Shared,
) -> io::Result<bool> {
    if !connected(stream, shared)? {
        return Ok(false);
    }
    stream.set_nonblocking(false)?;
    stream.set_write_timeout(Some(POLL))?;
    stream.set_read_timeout(Some(POLL))?;
    // Write whole packets: otherwise each write would end in a short packet.
    let payload = tcp.payload();
    let chunk = CHUNK / payload * payload;
    let mut left = bytes.unwrap_or(u64::MAX);
    while left > 0 {
        if shared.gate.is_closed() || now_ns() >= stop {
            return Ok(false);
        }
        match (&*stream).write(&ZEROS[..usize::try_from(left).map_or(chunk, |left| left.min(chunk))]) {
            Ok(written) => {
                left -= written as u64;
                counters.write(written as u64);
            }
            Err(error) if waits(&error) => {}
            Err(error) => return Err(error),
        }
    }
    stream.shutdown(Shutdown::Write)?;
    delivered(stream, shared)
}

/// Wait until the receiver has read all data and closed the connection; returns whether it has.
fn delivered(mut stream: &TcpStream, shared: &Shared) -> io::Result<bool> {
    while !shared.gate.is_closed() {
        match stream.read(&mut [0]) {
            Ok(_) => return Ok(true),
            Err(error) if waits(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

/// Wait until the connection is made; returns whether it is.
fn connected(stream: &TcpStream, shared: &Shared) -> io::Result<bool> {
    let timeout = PollTimeout::try_from(POLL).unwrap_or(PollTimeout::ZERO);
    while !shared.gate.is_closed() {
        match poll(&mut [PollFd::new(stream.as_fd(), PollFlags::POLLOUT)], timeout) {
            Ok(0) | Err(nix::errno::Errno::EINTR) => {}
            Ok(_) => return stream.take_error()?.map_or(Ok(true), Err),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(false)
}

/// Whether the operation must be repeated: its timeout has passed, or a signal came.
pub(super) fn waits(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
