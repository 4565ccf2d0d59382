//! The numbers of a flow.

use super::clock::Window;
use super::tcp_info::TcpInfo;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The result of a flow.
#[derive(Clone, Debug, Default)]
pub struct FlowReport {
    /// Bits of user data per second that the receivers read during the statistics.
    pub goodput_bps: f64,
    /// Bytes of user data written by the senders and read by the receivers, in the whole run.
    pub written_bytes: u64,
    /// See `written_bytes`.
    pub read_bytes: u64,
    /// Finished transfers, in the order of their ends, in the whole run.
    pub completions: Vec<Completion>,
    /// State of the TCP senders during the statistics; `None` without a sample.
    pub kernel: Option<KernelReport>,
    /// Of a flow of datagrams.
    pub datagrams: Option<DatagramReport>,
}

/// A finished transfer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Completion {
    /// Its end, in nanoseconds after time 0.
    pub at: u64,
    /// From the opening of the connection to the acknowledgement of the last byte, in seconds.
    pub seconds: f64,
}

/// The state of TCP senders, as the kernel shows it (`TCP_INFO`): means over samples every 100 ms, the latest values, and
/// counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelReport {
    /// Number of samples.
    pub samples: u64,
    /// Whether the two hosts agreed on ECN.
    pub ecn: bool,
    /// Smoothed round-trip time: mean and latest value.
    pub srtt_mean_s: f64,
    /// See `srtt_mean_s`.
    pub srtt_last_s: f64,
    /// Mean deviation of the round-trip time, mean.
    pub rttvar_mean_s: f64,
    /// Smallest round-trip time.
    pub min_rtt_s: f64,
    /// Congestion window: mean and latest value.
    pub cwnd_mean_pkts: f64,
    /// See `cwnd_mean_pkts`.
    pub cwnd_last_pkts: u32,
    /// Slow start threshold, latest value; `None` while the sender has none.
    pub ssthresh_last_pkts: Option<u32>,
    /// Packets that the sender considers lost, mean.
    pub lost_mean_pkts: f64,
    /// Bytes of data in a packet.
    pub mss_bytes: u32,
    /// Data packets sent, retransmissions included.
    pub sent_pkts: u64,
    /// Packets retransmitted.
    pub retransmitted_pkts: u64,
    /// Packets delivered.
    pub delivered_pkts: u64,
    /// Packets delivered with a congestion mark.
    pub delivered_ce_pkts: u64,
    /// Delivery rate, mean.
    pub delivery_rate_bps: f64,
    /// Time for which connections were open, in seconds.
    pub open_s: f64,
    /// Part of it during which they had nothing to send, in seconds: an endless flow should always have.
    pub starved_s: f64,
}

/// Numbers of a flow of datagrams during the statistics.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DatagramReport {
    /// Datagrams sent.
    pub sent_pkts: u64,
    /// Datagrams among these that did not arrive before the stop.
    pub lost_pkts: u64,
    /// Datagrams received, and those that arrived after one sent later.
    pub received_pkts: u64,
    /// See `received_pkts`.
    pub reordered_pkts: u64,
    /// One-way delays of the datagrams that arrived, in nanoseconds, in the order of arrival.
    pub delays: Vec<u64>,
    /// Mean difference between the delays of two datagrams that arrive one after the other.
    pub jitter_mean_s: Option<f64>,
    /// Largest time by which a datagram was sent late.
    pub late_max_s: f64,
    /// Mean time by which datagrams were sent late.
    pub late_mean_s: f64,
}

/// One-way delays in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DelayReport {
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub sd: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p999: f64,
}

/// Counts of a flow that its threads share.
#[derive(Default)]
pub(super) struct Counters {
    written: AtomicU64,
    read: AtomicU64,
    read_in_window: AtomicU64,
    completions: Mutex<Vec<Completion>>,
    kernel: Mutex<Sums>,
    departed: Mutex<Option<Departed>>,
    arrived: Mutex<Option<Arrived>>,
}

/// The largest threshold of the kernel, which means none.
const NO_THRESHOLD: u32 = 0x7fff_ffff;

impl Counters {
    pub(super) fn write(&self, bytes: u64) {
        self.written.fetch_add(bytes, Ordering::Relaxed);
    }

    /// `counts`: whether this is within the interval of the statistics.
    pub(super) fn read(&self, bytes: u64, counts: bool) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
        if counts {
            self.read_in_window.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    pub(super) fn complete(&self, completion: Completion) {
        lock(&self.completions).push(completion);
    }

    pub(super) fn kernel(&self, sums: &Sums) {
        lock(&self.kernel).merge(sums);
    }

    pub(super) fn depart(&self, departed: Departed) {
        *lock(&self.departed) = Some(departed);
    }

    pub(super) fn arrive(&self, arrived: Arrived) {
        *lock(&self.arrived) = Some(arrived);
    }

    /// The numbers of the flow, after all its threads have ended.
    pub(super) fn report(&self, window: Window) -> FlowReport {
        let datagrams = match (&*lock(&self.departed), lock(&self.arrived).take()) {
            (Some(departed), Some(arrived)) => Some(arrived.report(departed)),
            _ => None,
        };
        FlowReport {
            goodput_bps: self.read_in_window.load(Ordering::Relaxed) as f64 * 8.0 / window.seconds(),
            written_bytes: self.written.load(Ordering::Relaxed),
            read_bytes: self.read.load(Ordering::Relaxed),
            completions: lock(&self.completions).clone(),
            kernel: KernelReport::of(&lock(&self.kernel)),
            datagrams,
        }
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl KernelReport {
    fn of(sums: &Sums) -> Option<Self> {
        let count = sums.samples as f64;
        (sums.samples > 0).then(|| Self {
            samples: sums.samples,
            ecn: sums.last.ecn,
            srtt_mean_s: sums.srtt_s / count,
            srtt_last_s: sums.last.srtt_s,
            rttvar_mean_s: sums.rttvar_s / count,
            min_rtt_s: sums.min_rtt_s.unwrap_or_default(),
            cwnd_mean_pkts: sums.cwnd / count,
            cwnd_last_pkts: sums.last.cwnd,
            ssthresh_last_pkts: Some(sums.last.ssthresh).filter(|&threshold| threshold < NO_THRESHOLD),
            lost_mean_pkts: sums.lost / count,
            mss_bytes: sums.last.mss,
            sent_pkts: sums.sent,
            retransmitted_pkts: sums.retransmitted,
            delivered_pkts: sums.delivered,
            delivered_ce_pkts: sums.delivered_ce,
            delivery_rate_bps: sums.delivery_rate_bps / count,
            open_s: sums.open_s,
            starved_s: sums.starved_s,
        })
    }
}

/// The datagrams that were sent during the statistics.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Departed {
    pub(super) sent: u64,
    /// How late they were sent, in nanoseconds: sum and maximum.
    pub(super) late: u64,
    pub(super) latest: u64,
}

/// The datagrams that arrived.
#[derive(Debug, Default)]
pub(super) struct Arrived {
    /// Number of arrived datagrams that were sent during the statistics.
    pub(super) of_window: u64,
    /// Delays of the datagrams that arrived during the statistics, in nanoseconds.
    pub(super) delays: Vec<u64>,
    pub(super) reordered: u64,
    /// Largest sequence number so far.
    pub(super) highest: Option<u32>,
    /// Sum of the differences between the delays of successive arrivals.
    pub(super) differences: u64,
}

/// The samples of connections: sums for means, the latest values, and counts since the end of the warm-up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub(super) samples: u64,
    pub(super) srtt_s: f64,
    pub(super) rttvar_s: f64,
    pub(super) cwnd: f64,
    pub(super) lost: f64,
    pub(super) delivery_rate_bps: f64,
    /// Smallest of the minimum round-trip times, once one is known.
    pub(super) min_rtt_s: Option<f64>,
    /// The latest sample, and whether it is the last.
    pub(super) last: TcpInfo,
    pub(super) complete: bool,
    pub(super) retransmitted: u64,
    pub(super) sent: u64,
    pub(super) delivered: u64,
    pub(super) delivered_ce: u64,
    /// Seconds of the statistics in which the sender was open, and in which it had nothing to send.
    pub(super) open_s: f64,
    pub(super) starved_s: f64,
    /// Time of the latest sample, or of the start of the connection or of the statistics.
    pub(super) at: u64,
}
