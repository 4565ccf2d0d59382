//! Datagrams at given times, each with its number and sending time, so that the receiver can compute losses and delays.

use super::clock::{exact_timers, now_ns};
use super::connection::waits;
use super::report::{Arrived, Counters, DatagramReport, DelayReport, Departed};
use super::{Datagram, Ends, Host, Shared, socket};
use crate::scheduling::go_ahead;
use nix::sys::socket::sockopt::{RcvBuf, RcvBufForce};
use nix::sys::socket::{SockType, setsockopt};
use penstock_core::Ecn;
use std::io;
use std::net::{SocketAddrV4, UdpSocket};
use std::time::Duration;

/// Bytes at the start of a payload: number (4) and time of sending after time 0 in nanoseconds (8), both big-endian.
pub(super) const HEADER: usize = 12;

/// Largest payload: a datagram of 65 535 bytes with its headers.
const LARGEST: usize = 65_507;

/// Bytes that a receiver may leave unread: 30 ms at 1 Gb/s.
const BUFFER: usize = 4 << 20;

/// Longest time between two checks whether the receiver must end.
const POLL: Duration = Duration::from_millis(100);

/// A socket that receives at this port.
pub(super) fn receiver(host: &Host, port: u16) -> io::Result<UdpSocket> {
    host.namespace.run(|| {
        let made = socket::open(SockType::Datagram, host, port)?;
        // A buffer beyond the limit of the system requires the right to administer its network.
        setsockopt(&made, RcvBufForce, &BUFFER).or_else(|_| setsockopt(&made, RcvBuf, &BUFFER))?;
        let socket = UdpSocket::from(made);
        socket.set_read_timeout(Some(POLL))?;
        Ok(socket)
    })?
}

/// Send all datagrams at their times.
pub(super) fn send(ends: &Ends, schedule: &[Datagram], counters: &Counters, shared: &Shared) -> io::Result<()> {
    let source = &ends.sources[0];
    source.namespace.enter()?;
    exact_timers();
    if shared.ahead {
        go_ahead();
    }
    let socket = UdpSocket::from(socket::open(SockType::Datagram, source, 0)?);
    socket.connect(SocketAddrV4::new(ends.destination.address, ends.port))?;
    let mut payload = vec![0; LARGEST];
    let mut departed = Departed::default();
    let mut fields = (0, Ecn::Not);
    for (number, datagram) in (0_u32..).zip(schedule) {
        let due = shared.zero() + datagram.at;
        let mut now = now_ns();
        if now < due {
            if !shared.gate.sleep_until(due) {
                break;
            }
            now = now_ns();
        } else if shared.gate.is_closed() {
            break;
        }
        payload[..4].copy_from_slice(&number.to_be_bytes());
        payload[4..HEADER].copy_from_slice(&now.saturating_sub(shared.zero()).to_be_bytes());
        if fields != (datagram.dscp, datagram.ecn) {
            fields = (datagram.dscp, datagram.ecn);
            socket::set_traffic_class(&socket, datagram.dscp, datagram.ecn as u8)?;
        }
        match socket.send(&payload[..usize::from(datagram.payload)]) {
            Ok(sent) => counters.write(sent as u64),
            // The queue of the device is full: the datagram is lost, as in the network.
            Err(error) if error.raw_os_error() == Some(libc::ENOBUFS) => {}
            Err(error) => return Err(error),
        }
        if shared.window().contains(now) {
            departed.add(now - due);
        }
    }
    counters.depart(departed);
    Ok(())
}

/// Receive until the gate closes.
pub(super) fn receive(socket: &UdpSocket, counters: &Counters, shared: &Shared) {
    if shared.ahead {
        go_ahead();
    }
    let mut payload = vec![0; LARGEST];
    let mut arrived = Arrived::default();
    loop {
        match socket.recv(&mut payload) {
            Ok(length) if length >= HEADER => {
                let now = now_ns();
                let number = u32::from_be_bytes(payload[..4].try_into().unwrap_or_default());
                let sent = shared.zero() + u64::from_be_bytes(payload[4..HEADER].try_into().unwrap_or_default());
                let counts = shared.window().contains(now);
                counters.read(length as u64, counts);
                arrived.of_window += u64::from(shared.window().contains(sent));
                arrived.add(number, now.saturating_sub(sent), counts);
            }
            // Of someone else.
            Ok(_) => {}
            Err(error) if waits(&error) && shared.gate.is_closed() => break,
            Err(error) if waits(&error) => {}
            Err(error) => {
                shared.fail(format!("a receiver of datagrams failed: {error}"));
                break;
            }
        }
    }
    counters.arrive(arrived);
}

impl Departed {
    fn add(&mut self, late: u64) {
        self.sent += 1;
        self.late += late;
        self.latest = self.latest.max(late);
    }
}

impl Arrived {
    /// A datagram arrives; `counts`: during the statistics.
    fn add(&mut self, number: u32, delay: u64, counts: bool) {
        if counts {
            self.differences += self.delays.last().map_or(0, |last| last.abs_diff(delay));
            self.delays.push(delay);
            self.reordered += u64::from(self.highest.is_some_and(|highest| number < highest));
        }
        self.highest = self.highest.max(Some(number));
    }

    pub(super) fn report(self, departed: &Departed) -> DatagramReport {
        let count = self.delays.len() as f64;
        DatagramReport {
            sent_pkts: departed.sent,
            lost_pkts: departed.sent.saturating_sub(self.of_window),
            received_pkts: self.delays.len() as u64,
            reordered_pkts: self.reordered,
            jitter_mean_s: (count > 1.0).then(|| self.differences as f64 / (count - 1.0) * 1e-9),
            delays: self.delays,
            late_max_s: departed.latest as f64 / 1e9,
            late_mean_s: departed.late as f64 / departed.sent.max(1) as f64 / 1e9,
        }
    }
}

impl DelayReport {
    /// The summary of these delays in nanoseconds, which are sorted; `None` without any.
    pub fn of(delays: &mut [u64]) -> Option<Self> {
        delays.sort_unstable();
        let count = delays.len() as f64;
        let last = delays.len().checked_sub(1)?;
        let mean = delays.iter().map(|&delay| delay as f64).sum::<f64>() / count;
        let squares: f64 = delays.iter().map(|&delay| (delay as f64 - mean).powi(2)).sum();
        // The smallest delay that at least this share of the datagrams does not exceed.
        let quantile = |share: f64| delays[((share * count).ceil() as usize).saturating_sub(1).min(last)] as f64 * 1e-9;
        Some(Self {
            mean: mean * 1e-9,
            sd: (squares / count).sqrt() * 1e-9,
            p50: quantile(0.5),
            p95: quantile(0.95),
            p99: quantile(0.99),
            p999: quantile(0.999),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_losses_and_jitter_follow_from_numbers_and_times() {
        let mut departed = Departed::default();
        for late in [0, 3000, 0, 1000] {
            departed.add(late);
        }
        let mut arrived = Arrived { of_window: 3, ..Arrived::default() };
        arrived.add(0, 9_000_000, false);
        arrived.add(2, 10_000_000, true);
        arrived.add(1, 14_000_000, true);
        arrived.add(3, 12_000_000, true);
        let report = arrived.report(&departed);
        assert_eq!((report.sent_pkts, report.lost_pkts, report.received_pkts, report.reordered_pkts), (4, 1, 3, 1));
        assert_eq!((report.jitter_mean_s, report.late_max_s, report.late_mean_s), (Some(0.003), 3e-6, 1e-6));
        let delay = DelayReport::of(&mut report.delays.clone()).expect("three arrived");
        assert_eq!((delay.mean, delay.p50, delay.p99), (0.012, 0.012, 0.014));
        assert!((delay.sd - (8.0_f64 / 3.0).sqrt() * 1e-3).abs() < 1e-12);
        assert_eq!(DelayReport::of(&mut []), None);
        // 1000 delays of 1 to 1000 ns: the 999th is the smallest that 99.9 % of them do not exceed.
        let delay = DelayReport::of(&mut (1..=1000).collect::<Vec<_>>()).expect("delays");
        assert!((delay.p99 - 990e-9).abs() < 1e-15 && (delay.p999 - 999e-9).abs() < 1e-15, "{delay:?}");
    }
}
