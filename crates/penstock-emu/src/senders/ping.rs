//! Round trips by ICMP echo (RFC 792), which the kernel of the destination answers by itself.

use super::clock::{Gate, exact_timers, now_ns};
use crate::errors::with_context;
use crate::namespace::Namespace;
use nix::errno::Errno;
use nix::sys::socket::sockopt::{ReceiveTimeout, ReceiveTimestampns};
use nix::sys::socket::{
    AddressFamily, ControlMessageOwned, MsgFlags, SockFlag, SockProtocol, SockType, recvmsg, setsockopt, socket,
};
use nix::sys::time::{TimeSpec, TimeVal, TimeValLike};
use nix::time::{ClockId, clock_gettime};
use std::io::{self, IoSliceMut};
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::os::fd::AsRawFd;
use std::time::Duration;

/// Type of an echo request, and bytes of its header: type, code, checksum, identifier, number.
const REQUEST: u8 = 8;
const HEADER: usize = 8;

/// Maximum time to wait for the last answers.
const PATIENCE: Duration = Duration::from_secs(1);

/// Shortest time of waiting for an answer that a socket accepts, in microseconds.
const LEAST: i64 = 1;

/// Send `count` echo requests with a payload of `payload` bytes at equal intervals; returns the round-trip time of each in
/// nanoseconds, `None` for those without an answer. A round trip ends when the kernel receives the answer, by the kernel's
/// own time stamp; that this thread then wakes up late does not count.
///
/// # Errors
///
/// The namespace cannot be entered, or has no route to the destination.
pub fn ping(
    source: &Namespace,
    destination: Ipv4Addr,
    count: u16,
    interval: Duration,
    payload: u16,
) -> io::Result<Vec<Option<u64>>> {
    // Only groups in this range may send echo requests without a raw socket.
    source.set("ipv4/ping_group_range", "0 2147483647")?;
    source.run(|| {
        exact_timers();
        let made = socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, SockProtocol::Icmp)
            .map_err(|error| with_context("open a socket for echo requests", &error.into()))?;
        let socket = UdpSocket::from(made);
        socket.connect(SocketAddrV4::new(destination, 0))?;
        setsockopt(&socket, ReceiveTimestampns, &true)?;
        exchange(&socket, count, interval, payload)
    })?
}

fn exchange(socket: &UdpSocket, count: u16, interval: Duration, payload: u16) -> io::Result<Vec<Option<u64>>> {
    let mut request = vec![0; HEADER + usize::from(payload)];
    request[0] = REQUEST;
    let (gate, begin) = (Gate::default(), now_ns());
    let mut sent = Vec::with_capacity(usize::from(count));
    let mut trips = vec![None; usize::from(count)];
    for number in 0..count {
        let due = begin + u64::from(number) * interval.as_nanos() as u64;
        gate.sleep_until(due);
        // The kernel sets identifier and checksum.
        request[6..HEADER].copy_from_slice(&number.to_be_bytes());
        sent.push(stamp()?);
        socket.send(&request)?;
        let last = number + 1 == count;
        let until = if last { now_ns() + PATIENCE.as_nanos() as u64 } else { due + interval.as_nanos() as u64 };
        answers(socket, until, &sent, &mut trips)?;
    }
    Ok(trips)
}

/// The time of the clock that the kernel's time stamps show.
fn stamp() -> nix::Result<TimeSpec> {
    clock_gettime(ClockId::CLOCK_REALTIME)
}

/// Receive answers until this time, or until none is missing.
fn answers(socket: &UdpSocket, until: u64, sent: &[TimeSpec], trips: &mut [Option<u64>]) -> io::Result<()> {
    while trips[..sent.len()].contains(&None) {
        let now = now_ns();
        if now >= until {
            break;
        }
        let wait = TimeVal::microseconds(((until - now) / 1000).cast_signed().max(LEAST));
        setsockopt(socket, ReceiveTimeout, &wait)?;
        if let Some((number, at)) = answer(socket)?
            && let Some(&sent) = sent.get(number)
        {
            let trip = at - sent;
            trips[number].get_or_insert(trip.num_nanoseconds().max(0).cast_unsigned());
        }
    }
    Ok(())
}

/// The number of an answer, and the time at which the kernel received it; `None` if no answer arrives in time.
fn answer(socket: &UdpSocket) -> io::Result<Option<(usize, TimeSpec)>> {
    // The rest of an answer is not needed.
    let mut bytes = [0; HEADER];
    let mut parts = [IoSliceMut::new(&mut bytes)];
    let mut control = nix::cmsg_space!(TimeSpec);
    let message = match recvmsg::<()>(socket.as_raw_fd(), &mut parts, Some(&mut control), MsgFlags::empty()) {
        Ok(message) => message,
        Err(Errno::EAGAIN | Errno::EINTR) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let stamped = message.cmsgs()?.find_map(|part| match part {
        ControlMessageOwned::ScmTimestampns(at) => Some(at),
        _ => None,
    });
    let length = message.bytes;
    let number = usize::from(u16::from_be_bytes([bytes[6], bytes[7]]));
    Ok(stamped.filter(|_| length == HEADER).map(|at| (number, at)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fresh_namespace;

    #[test]
    fn the_kernel_answers_every_request_in_its_place() {
        let Some(namespace) = fresh_namespace() else { return };
        let begin = now_ns();
        let trips = ping(&namespace, Ipv4Addr::LOCALHOST, 20, Duration::from_millis(5), 1472).unwrap();
        assert!(now_ns() - begin >= 19 * 5_000_000);
        assert_eq!(trips.len(), 20);
        assert!(trips.iter().all(|trip| trip.is_some_and(|trip| trip > 0 && trip < 1_000_000_000)), "{trips:?}");
    }

    #[test]
    fn an_unreachable_destination_is_an_error() {
        let Some(namespace) = fresh_namespace() else { return };
        let error = ping(&namespace, Ipv4Addr::new(192, 0, 2, 1), 1, Duration::from_millis(1), 56).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NetworkUnreachable);
    }
}
