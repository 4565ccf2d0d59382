//! The settings of CAKE, and the rates and AQMs that follow from them on a link.

use super::ack_filter::AckFiltering;
use super::hosts::Isolation;
use super::tins::Diffserv;
use crate::algorithm::ce_threshold::CeThresholdFor;
use crate::algorithm::cobalt::{Cobalt, CobaltParams};
use crate::aqm::LinkInfo;
use penstock_core::param::Auto;
use penstock_core::{Framing, Rate, Span, Time};

/// The parameters.
pub(super) struct CakeSettings {
    pub(super) diffserv: Diffserv,
    pub(super) isolation: Isolation,
    pub(super) flows: u32,
    /// Rate of the shaper, if there is one.
    pub(super) bandwidth: Option<Rate>,
    /// The framing of the link behind the shaper.
    pub(super) framing: Framing,
    pub(super) rtt: Span,
    pub(super) ecn: bool,
    pub(super) ack_filter: AckFiltering,
    /// Whether the bottleneck is in front of the queue.
    pub(super) ingress: bool,
    pub(super) wash: bool,
}

impl CakeSettings {
    /// Bytes that a packet of `size` bytes occupies on the wire.
    #[inline]
    pub(super) fn size_on_wire(&self, size: u32) -> u32 {
        self.framing.wire_size(size)
    }

    /// The rate of a tin with this share.
    pub(super) fn rate(&self, share: f64, link: &LinkInfo) -> Rate {
        let rate = self.bandwidth.unwrap_or(link.rate);
        Rate::from_bits_per_second((rate.bits_per_second() as f64 * share) as u64)
    }

    /// The AQM of a queue in a tin with this share: its target is rtt / 20, but at least 1.5 times the transmission
    /// time of a full packet at the tin's rate.
    pub(super) fn aqm(&self, share: f64, link: &LinkInfo, now: Time) -> Cobalt {
        let rate = self.rate(share, link).max(Rate::from_bits_per_second(1));
        let mtu_time = link.mtu.0 as f64 * 8.0 / rate.bits_per_second() as f64;
        let rtt = self.rtt.as_secs();
        let target = (1.5 * mtu_time).max(rtt / 20.0);
        let interval = (rtt + target - rtt / 20.0).max(2.0 * target);
        let params = CobaltParams {
            target: Span::from_secs(target),
            interval: Span::from_secs(interval),
            mtu: Auto::Value(link.mtu),
            p_inc: 1.0 / 256.0,
            p_dec: 1.0 / 4096.0,
            ecn: self.ecn,
            ce_threshold: None,
            ce_threshold_for: CeThresholdFor::Ect,
        };
        Cobalt::new(params, &LinkInfo { rate, ..*link }, now)
    }
}
