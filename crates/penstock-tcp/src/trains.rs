//! Segmentation offload: a sender hands its packets to the network interface in trains, which leave back to back.
//! `train_packets` computes the length of a train; `Rack::next_train` (`cc/rack_tlp.rs`) decides whether it is sent or waits.
//!
//! Linux 6.1: "IP Sysctl" (`tcp_min_tso_segs`, `tcp_tso_rtt_log`, `tcp_tso_win_divisor`), and the descriptions of the changes "tcp:
//! adjust TSO packet sizes based on min_rtt" (2022), "tcp: tso: remove tp->tso_deferred" and "tcp: tso: restore IW10 after TSO
//! autosizing" (2015), and "tcp: get rid of tcp_tso_should_defer() dependency on HZ/jiffies" (2018), all by E. Dumazet.
//!
//! # Rules
//! The length of a train is the number of whole packets that the sender's pacing rate sends in `offload_time`, plus
//! `offload_max` divided by 2 for every 512 us of the minimum round-trip time; at least two packets and at most
//! `offload_max` bytes. Flows that do not pace use the rate at which they would pace.
//!
//! A paced train leaves as soon as its first packet may leave. The next packet waits for the duration of the whole train.
//!
//! An ACK that allows less than a train of new data releases nothing if all of the following conditions are met; the next ACK
//! may then complete the train: the last packet was sent within the last millisecond; less than a third of the window is free;
//! the ACK of the oldest outstanding packet is expected within half of the smoothed round-trip time, and within a millisecond;
//! no losses are being repaired; and there is more data to send than may be sent.
//!
//! The last packet of a train of two or more is pushed (PSH), so that the receiver ACKs it immediately. The recordings of Linux
//! 6.1 show this rule, and the millisecond within which the next ACK must be expected (docs/explanation/linux.md).
//!
//! # Differences
//! * Below 1.2 Mb/s BBR sends single packets (draft-cardwell-iccrg-bbr-congestion-control-00, section 4.2.2).
//! * Prague sends single packets if two take more than `offload_time`, 250 us for Prague, so that its bursts stay within the limit
//!   of RFC 9331, section 4.3.
//! * Flows without `rack` never wait for a longer train, do not push its last packet, and do not know the minimum round-trip time.
//! * Retransmissions are paced in trains too.

use crate::params::{Flavour, TcpParams};
use penstock_core::Span;

/// Minimum length of a train (`tcp_min_tso_segs`), in packets.
const MIN_TRAIN: u32 = 2;

/// Rate in bit/s below which BBR sends single packets.
const BBR_SINGLE_RATE: f64 = 1.2e6;

/// Binary logarithm of the time, in us, that halves the addition for short round trips (`tcp_tso_rtt_log`).
const RTT_LOG: u32 = 9;

/// From this minimum round-trip time on, the addition for short round trips is 0: 64 kB halved 17 times are less than a byte.
const LONG_RTT: Span = Span::from_nanos(17 * 512_000);

/// A train waits for an ACK only if the last packet was sent within this time, and the ACK is expected within this time.
pub(crate) const LONGEST_WAIT: Span = Span::from_millis(1);

/// A train does not wait if at least `1 / WINDOW_DIVISOR` of the window is free (`tcp_tso_win_divisor`).
pub(crate) const WINDOW_DIVISOR: u32 = 3;

/// Whether this number of packets is at most the shortest train of the flow.
pub(crate) fn fits_any_train(params: &TcpParams, packets: u32) -> bool {
    let min = if matches!(params.flavour, Flavour::Prague | Flavour::Bbr | Flavour::Bbr3) { 1 } else { MIN_TRAIN };
    packets <= min
}

/// Number of packets in a train of a flow that paces with this gap between packets, in seconds.
pub(crate) fn train_packets(params: &TcpParams, gap: f64, min_rtt: Option<Span>) -> u32 {
    // The processor converts a signed integer with one instruction.
    let (packet, time) = (params.packet.0.cast_signed() as f64, params.offload_time.as_nanos().cast_signed() as f64);
    let min = match params.flavour {
        Flavour::Prague => 1,
        Flavour::Bbr | Flavour::Bbr3 if packet * 8.0 < BBR_SINGLE_RATE * gap => 1,
        _ => MIN_TRAIN,
    };
    let is_short = min_rtt.is_some_and(|min_rtt| min_rtt.as_nanos() < LONG_RTT.as_nanos());
    if !is_short && gap * 1e9 > time {
        return min;
    }
    let max = params.offload_max.0;
    let for_short_paths = min_rtt.map_or(0, |min_rtt| {
        let halvings = (min_rtt.as_nanos() / 1000) >> RTT_LOG;
        if halvings < u64::from(u32::BITS) { max >> halvings } else { 0 }
    });
    let bytes = packet * params.offload_time.as_secs() / gap + for_short_paths as f64;
    // At most 65 536 packets of one byte.
    ((bytes.min(max as f64) / packet) as u32).max(min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Profile;
    use penstock_core::Bytes;

    /// The description of "tcp: adjust TSO packet sizes based on min_rtt": bytes = rate / 1024 + 65 536 >> (min_rtt_us >> 9).
    #[test]
    fn a_train_lasts_a_millisecond_and_is_longer_on_short_paths() {
        let params = TcpParams { packet: Bytes(1448), ..TcpParams::of(Profile::Linux) };
        let packets = |bit_ps: f64, min_rtt_us: u64| {
            train_packets(&params, 8.0 * 1448.0 / bit_ps, Some(Span::from_nanos(min_rtt_us * 1000)))
        };
        let cases = [(10e6, 20_000), (50e6, 20_000), (100e6, 20_000), (100e6, 1000), (1e9, 20_000), (100e6, 511)];
        assert_eq!(cases.map(|(rate, rtt)| packets(rate, rtt)), [2, 4, 8, 31, 45, 45]);
    }

    #[test]
    fn slow_flows_of_prague_and_bbr_send_single_packets() {
        let packets = |flavour: Flavour, bit_ps: f64| {
            let params = TcpParams { flavour, packet: Bytes(1448), ..TcpParams::of(Profile::Linux) };
            train_packets(&params, 8.0 * 1448.0 / bit_ps, None)
        };
        let rates = [1.1e6, 1.3e6, 10e6];
        assert_eq!(rates.map(|rate| packets(Flavour::Bbr, rate)), [1, 2, 2]);
        assert_eq!(rates.map(|rate| packets(Flavour::Cubic, rate)), [2, 2, 2]);
        assert_eq!(rates.map(|rate| packets(Flavour::Prague, rate)), [1, 1, 1]);
    }
}
