//! Parameters whose values are words, and parameters that accept a word instead of a value.

use alloc::string::String;
use penstock_core::Span;
use penstock_core::param::{FromValue, Kind, Value};

penstock_core::choice! {
    /// A bundle of defaults.
    pub enum Profile {
        /// ns-2.35.
        Ns2 = "ns2",
        /// ns-2 as it was in 2001.
        Ns2Of2001 = "ns2-2001",
        /// ns-2 as it was in 2003.
        Ns2Of2003 = "ns2-2003",
        /// Linux hosts of today: CUBIC by the RFCs, with Linux's initial window and minimum retransmission timeout.
        Linux = "linux",
    }
}

impl Profile {
    /// The profile of flows that name none.
    pub const DEFAULT: Self = Self::Linux;

    /// All profiles.
    pub const ALL: [Self; 4] = [Self::Ns2, Self::Ns2Of2001, Self::Ns2Of2003, Self::Linux];

    /// The profile of this name in scenario files.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::from_value(&Value::Text(String::from(name)))
    }
}

penstock_core::choice! {
    /// The congestion control of a sender.
    pub enum Flavour {
        /// Fast retransmit, then slow start.
        Tahoe = "tahoe",
        /// Fast retransmit and fast recovery.
        Reno = "reno",
        /// Fast recovery that lasts until the whole window is repaired (RFC 6582).
        NewReno = "newreno",
        /// Recovery by selective ACKs (RFC 2018, RFC 6675).
        Sack = "sack",
        /// Congestion avoidance by delay (Brakmo and Peterson 1995).
        Vegas = "vegas",
        /// A window that is a cubic function of time (RFC 9438), with the recovery of SACK.
        Cubic = "cubic",
        /// A window that decreases in proportion to the share of marked packets (RFC 8257), with the recovery of SACK.
        Dctcp = "dctcp",
        /// DCTCP for the Internet: paced packets marked ECT(1), accurate ECN (RFC 9331).
        Prague = "prague",
        /// A rate and a window from measured bandwidth and round-trip time, version 1.
        Bbr = "bbr",
        /// Like bbr, but version 3: losses bound rate and window (draft-ietf-ccwg-bbr-06). It needs rack and pacing.
        Bbr3 = "bbr3",
        /// A window that keeps its own queueing delay near a target and yields to other traffic (RFC 6817).
        Ledbat = "ledbat",
    }
}

impl Flavour {
    /// Whether the receiver reports packets that arrived out of order (SACK).
    pub fn is_selective(self) -> bool {
        !matches!(self, Self::Tahoe | Self::Reno | Self::NewReno | Self::Vegas)
    }
}

penstock_core::choice! {
    /// Quantity that a loss halves.
    pub enum Halving {
        /// The used window, as a real number.
        Real = "real",
        /// The used window, rounded down.
        Whole = "whole",
        /// The packets in flight (RFC 5681, equation 4).
        RackScoreboard = "flight",
    }
}

penstock_core::choice! {
    /// Unit by which the window grows.
    pub enum Counting {
        /// ACKs.
        Acks = "acks",
        /// ACKed packets (RFC 3465).
        Packets = "packets",
    }
}

penstock_core::choice! {
    /// Early end of slow start, before a loss.
    pub enum Hystart {
        /// Nothing.
        Off = "off" | false,
        /// HyStart.
        On = "on" | true,
        /// HyStart++ (RFC 9406).
        Plus = "++",
    }
}

penstock_core::choice! {
    /// Quantity that `min_rto` bounds.
    pub enum RtoFloor {
        /// The retransmission timeout (RFC 6298, rule 2.4).
        Timeout = "timeout",
        /// The variance term of the timeout, 4 RTTVAR.
        Variance = "variance",
    }
}

penstock_core::choice! {
    /// Proportional rate reduction (PRR): how the window approaches the threshold in a recovery.
    pub enum RateReduction {
        /// The window drops to the threshold at once (RFC 5681, 6675).
        Off = "off" | false,
        /// RFC 6937 with the slow start reduction bound.
        Rfc6937 = "rfc6937",
        /// RFC 9937.
        Rfc9937 = "rfc9937" | true,
        /// Like RFC 9937, but in proportion to the congestion window before the reduction (Linux 6.1).
        Linux = "linux",
    }
}

/// How long an ACK may wait for a second packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayedAck {
    /// ACKs are not delayed.
    Off,
    /// An ACK waits at most this long.
    Within(Span),
}

impl DelayedAck {
    /// The maximum wait; `None`: ACKs are not delayed.
    pub fn limit(self) -> Option<Span> {
        match self {
            Self::Off => None,
            Self::Within(limit) => Some(limit),
        }
    }
}

impl FromValue for DelayedAck {
    const KIND: Kind = Kind::Time;
    const WORDS: &'static [&'static str] = &["off"];
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(word) if word == "off" => Some(Self::Off),
            Value::Flag(false) | Value::Time(Span::ZERO) => Some(Self::Off),
            Value::Time(limit) => Some(Self::Within(*limit)),
            _ => None,
        }
    }
}

/// The initial slow start threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ssthresh {
    /// The receive window.
    Window,
    /// This many packets.
    Packets(u32),
}

impl FromValue for Ssthresh {
    const KIND: Kind = Kind::Integer;
    const WORDS: &'static [&'static str] = &["window"];
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(word) if word == "window" => Some(Self::Window),
            _ => u32::from_value(value).map(Self::Packets),
        }
    }
}

/// Time from the last tick of the coarse clock to the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockPhase {
    /// The value of the first agent of an ns-2 run with the default seed.
    Ns2,
    /// This time.
    Given(Span),
}

impl FromValue for ClockPhase {
    const KIND: Kind = Kind::Time;
    const WORDS: &'static [&'static str] = &["ns2"];
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(word) if word == "ns2" => Some(Self::Ns2),
            _ => Span::from_value(value).map(Self::Given),
        }
    }
}
