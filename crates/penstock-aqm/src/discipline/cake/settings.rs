//! The settings of CAKE, and the rates and laws that follow from them on a link.

use super::hosts::Isolation;
use super::tins::Diffserv;
use crate::aqm::LinkInfo;
use crate::law::ce_threshold::CeThresholdFor;
use crate::law::cobalt::{Cobalt, CobaltParams};
use penstock_core::param::Auto;
use penstock_core::{Rate, Span, Time};

/// The parameters.
pub(super) struct CakeSettings {
    pub(super) diffserv: Diffserv,
    pub(super) isolation: Isolation,
    pub(super) flows: u32,
    /// Rate of the shaper, if there is one.
    pub(super) bandwidth: Option<Rate>,
    /// Bytes that each packet occupies on the wire in addition to its size.
    pub(super) overhead: u32,
    pub(super) rtt: Span,
    pub(super) ecn: bool,
}

impl CakeSettings {
    /// The rate of a tin with this share.
    pub(super) fn rate(&self, share: f64, link: &LinkInfo) -> Rate {
        let rate = self.bandwidth.unwrap_or(link.rate);
        Rate::from_bits_per_second((rate.bits_per_second() as f64 * share) as u64)
    }

    /// The law of a queue in a tin with this share: its target is rtt / 20, but at least 1.5 times the transmission
    /// time of a full packet at the tin's rate.
    pub(super) fn law(&self, share: f64, link: &LinkInfo, now: Time) -> Cobalt {
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
