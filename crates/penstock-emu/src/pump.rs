//! The loop that moves packets between devices and links: wait until a packet arrives or must be written, and no longer.

use crate::device::Device;
use crate::lateness::{self, Lateness};
use crate::network::{Network, Pending};
use crate::result;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use penstock_core::{Span, Time};
use serde_json::{Map, Value};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

/// Packets read from a device before those that are due are written.
const BATCH: usize = 64;

/// A sleeping thread wakes up some tens of microseconds late. So it sleeps only until this multiple of its mean
/// lateness, at most `EARLIEST`, before a packet is due. For the rest it polls the clock, for up to a tenth of the
/// total time.
const EARLY: f64 = 2.0;
const EARLIEST: f64 = 150e3;
const WATCHED_SHARE: u64 = 10;

/// A thread whose mean lateness is below this need not poll the clock. In virtual time, where only system calls take
/// time, polling would delay everything else.
const PUNCTUAL: Span = Span::from_micros(5);

/// Longest wait: timers of the queues are processed at least this often.
const LONGEST_WAIT: Span = Span::from_millis(50);

/// The clock of a real link: the time since its start, by the machine's monotonic clock, which is never set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    /// A clock that starts now.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since the start.
    pub(crate) fn now(&self) -> Time {
        Time::from_nanos(self.0.elapsed().as_nanos() as u64)
    }
}

/// Devices joined by a network of links. The device of host k is number k.
pub(crate) struct Pump {
    pub(crate) network: Network,
    pub(crate) devices: Vec<Box<dyn Device>>,
    pub(crate) clock: Clock,
    pub(crate) lateness: Lateness,
    /// Number of frames longer than a buffer, which occur if the sender's offloads are on.
    pub(crate) oversized: u64,
    /// Statistics at the end of the window, once it has come.
    pub(crate) finished: Option<Map<String, Value>>,
    /// Due times of the packets that are being written.
    delivered: Vec<Time>,
    /// Time spent polling the clock.
    watched: Span,
    /// Mean lateness of the latest wake-ups, in nanoseconds.
    wakes_late: f64,
    /// By device: whether it has a packet or an error to report.
    readable: Vec<bool>,
    starved_before: Option<f64>,
}

impl Pump {
    /// A pump whose clock starts now, in the thread that drives it.
    pub(crate) fn new(network: Network, devices: Vec<Box<dyn Device>>, clock: Clock) -> Self {
        Self {
            network,
            watched: Span::ZERO,
            wakes_late: EARLIEST / EARLY,
            readable: vec![true; devices.len()],
            devices,
            clock,
            lateness: Lateness::default(),
            delivered: Vec::new(),
            oversized: 0,
            finished: None,
            starved_before: lateness::starved(),
        }
    }

    /// One turn: write packets that are due, read waiting packets, then sleep until the next packet is due, a packet
    /// arrives, or `wake` can be read.
    ///
    /// # Errors
    /// A device is gone, or the poll failed.
    pub(crate) fn turn(&mut self, wake: BorrowedFd<'_>) -> io::Result<()> {
        self.advance()?;
        for host in 0..self.devices.len() {
            // Also if a device is gone: reading it returns the error.
            let mut left = if self.readable[host] { BATCH } else { 0 };
            while left > 0 && self.receive(host)? {
                left -= 1;
            }
        }
        self.advance()?;
        self.wait(wake)
    }

    /// Process the events up to now, and write the packets that have arrived at their hosts.
    fn advance(&mut self) -> io::Result<()> {
        let now = self.clock.now();
        self.network.advance(now);
        if self.finished.is_none() && self.network.window.pending == Pending::Nothing {
            let end = self.network.window.end;
            self.finished = Some(result::collect(&mut self.network, end));
        }
        while let Some(delivery) = self.network.next_delivery() {
            let bytes = self.network.outgoing(&delivery.frame);
            let sent = self.devices[delivery.host as usize].send(bytes);
            self.network.release(&delivery.frame);
            sent?;
            self.delivered.push(delivery.due);
        }
        self.flush()?;
        if !self.delivered.is_empty() {
            let now = self.clock.now();
            self.delivered.drain(..).for_each(|due| self.lateness.record(due, now));
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.devices.iter_mut().try_for_each(|device| device.flush())
    }

    /// Read a packet from the device of this host; returns whether there was one.
    fn receive(&mut self, host: usize) -> io::Result<bool> {
        let Some(slot) = self.network.take_buffer() else {
            self.network.ignored.without_memory += 1;
            let length = self.devices[host].receive(&mut [0; 64])?;
            return Ok(length.is_some());
        };
        let buffer = self.network.buffer(slot);
        let width = buffer.len();
        let received = self.devices[host].receive(buffer);
        let Ok(Some(length)) = received else {
            self.network.give_back(slot);
            return received.map(|_| false);
        };
        if length >= width {
            self.oversized += 1;
            self.network.give_back(slot);
            return Ok(true);
        }
        if !self.is_ip(host, slot) {
            self.pass_by(host, slot, length)?;
            return Ok(true);
        }
        self.network.arrive(self.clock.now(), host, slot, length);
        Ok(true)
    }

    /// Whether the frame in this buffer carries an IP packet, by the type in its Ethernet header, if it has one.
    fn is_ip(&mut self, host: usize, slot: u32) -> bool {
        const IPV4: [u8; 2] = [0x08, 0x00];
        const IPV6: [u8; 2] = [0x86, 0xdd];
        match self.devices[host].header() {
            0 => true,
            header => [IPV4, IPV6].iter().any(|kind| self.network.buffer(slot)[header - 2..header] == kind[..]),
        }
    }

    /// Other frames, such as ARP, are passed to the other device at once: links carry only IP packets.
    fn pass_by(&mut self, host: usize, slot: u32, length: usize) -> io::Result<()> {
        let frame = &self.network.buffer(slot)[..length];
        let mut others = self.devices.iter_mut().enumerate().filter(|&(number, _)| number != host);
        let sent = others.try_for_each(|(_, device)| device.send(frame));
        self.network.give_back(slot);
        sent?;
        self.flush()
    }

    fn wait(&mut self, wake: BorrowedFd<'_>) -> io::Result<()> {
        let now = self.clock.now();
        let due = self.network.wake_at();
        let early = self.early(now);
        let until = Time::from_nanos(due.since(Time::ZERO + early).as_nanos()).min(now + LONGEST_WAIT);
        let timeout = TimeSpec::from_duration(Duration::from_nanos(until.since(now).as_nanos()));
        let mut files: Vec<PollFd<'_>> =
            self.devices.iter().map(|device| PollFd::new(device.as_fd(), PollFlags::POLLIN)).collect();
        files.push(PollFd::new(wake, PollFlags::POLLIN));
        match ppoll(&mut files, Some(timeout), None) {
            Ok(0) => {
                let late = self.clock.now().since(until).as_nanos() as f64;
                self.wakes_late += (late - self.wakes_late) / 16.0;
            }
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        for (readable, file) in self.readable.iter_mut().zip(&files) {
            *readable = file.any().unwrap_or(true);
        }
        drop(files);
        self.watch_the_clock(due, early);
        Ok(())
    }

    /// How long before the next packet is due the clock is polled.
    fn early(&self, now: Time) -> Span {
        let early = Span::from_nanos((EARLY * self.wakes_late).min(EARLIEST) as u64);
        let is_punctual = self.wakes_late < PUNCTUAL.as_nanos() as f64;
        let is_allowed = (self.watched + early).as_nanos() * WATCHED_SHARE < now.as_nanos();
        if is_allowed && !is_punctual { early } else { Span::ZERO }
    }

    /// Wait without sleeping until a packet is due, if that is within `early`.
    fn watch_the_clock(&mut self, due: Time, early: Span) {
        let start = self.clock.now();
        if due.since(start) > early {
            return;
        }
        let mut now = start;
        while now < due {
            std::hint::spin_loop();
            now = self.clock.now();
        }
        self.watched = self.watched + now.since(start);
    }

    /// Packets that were lost before the queues saw them: the devices lost them, or there was no room to take them.
    pub(crate) fn lost_before_queue(&self) -> io::Result<u64> {
        let lost: u64 = self.devices.iter().map(|device| device.lost()).sum::<io::Result<u64>>()?;
        Ok(lost + self.oversized + self.refused() + self.network.ignored.without_memory)
    }

    /// Frames that a device had no room for.
    pub(crate) fn unsent(&self) -> u64 {
        self.devices.iter().map(|device| device.unsent()).sum()
    }

    /// Frames that differed from the frames on the wire.
    pub(crate) fn refused(&self) -> u64 {
        self.devices.iter().map(|device| device.refused()).sum()
    }

    /// Share of the time so far for which the thread waited for a processor.
    pub(crate) fn starved_share(&self) -> Option<f64> {
        let waited = lateness::starved()? - self.starved_before?;
        Some(waited / self.clock.now().as_secs())
    }
}
