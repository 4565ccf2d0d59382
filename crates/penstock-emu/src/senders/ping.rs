//! Round trips by ICMP echo (RFC 792), which the kernel of the destination answers by itself.

use super::clock::{Gate, exact_timers, now_ns};
use super::connection::waits;
use crate::namespace::{Namespace, with_context};
use nix::sys::socket::{AddressFamily, SockFlag, SockProtocol, SockType, socket};
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::time::Duration;

/// Type of an echo request, and bytes of its header: type, code, checksum, identifier, number.
const REQUEST: u8 = 8;
const HEADER: usize = 8;

/// Time that the last answers may take.
const PATIENCE: Duration = Duration::from_secs(1);

/// Shortest time of waiting for an answer that a socket accepts.
const LEAST: Duration = Duration::from_micros(1);

/// Send `count` echo requests with a payload of `payload` bytes at equal intervals; returns the round-trip time of each in
/// nanoseconds, `None` for those without an answer.
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
        sent.push(now_ns());
        socket.send(&request)?;
        let last = number + 1 == count;
        let until = if last { now_ns() + PATIENCE.as_nanos() as u64 } else { due + interval.as_nanos() as u64 };
        answers(socket, until, &sent, &mut trips)?;
    }
    Ok(trips)
}

/// Take answers until this time, or until none is missing.
fn answers(socket: &UdpSocket, until: u64, sent: &[u64], trips: &mut [Option<u64>]) -> io::Result<()> {
    // The rest of an answer is not needed.
    let mut answer = [0; HEADER];
    while trips[..sent.len()].contains(&None) {
        let now = now_ns();
        if now >= until {
            break;
        }
        socket.set_read_timeout(Some(Duration::from_nanos(until - now).max(LEAST)))?;
        match socket.recv(&mut answer) {
            Ok(length) if length >= HEADER => {
                let now = now_ns();
                let number = usize::from(u16::from_be_bytes([answer[6], answer[7]]));
                if let Some(at) = sent.get(number) {
                    trips[number].get_or_insert(now - at);
                }
            }
            Ok(_) => {}
            Err(error) if waits(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
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
