//! The settings of a TCP flow. What each key means stands in its line of the key table.

use crate::keys;
use alloc::string::String;
use alloc::vec::Vec;
use penstock_core::param::{ParamError, Value};
use penstock_core::{Ecn, Span, Time};

/// The congestion control of a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Fast retransmit, then slow start.
    Tahoe,
    /// Fast retransmit and fast recovery.
    Reno,
    /// Fast recovery that lasts until the whole window is repaired (RFC 6582).
    NewReno,
    /// Recovery by selective acknowledgements (RFC 2018, RFC 6675).
    Sack,
    /// Congestion avoidance by delay (Brakmo and Peterson 1995).
    Vegas,
    /// A window that is a cubic function of time (RFC 8312), with the recovery of SACK.
    Cubic,
    /// A window that yields in proportion to the share of marked packets (RFC 8257), with the recovery of SACK.
    Dctcp,
    /// DCTCP for the Internet: paced packets marked ECT(1), accurate ECN (RFC 9331).
    Prague,
    /// A rate and a window from measured bandwidth and round trip, version 1.
    Bbr,
    /// A window that keeps its own delay near a target and yields to all others (RFC 6817).
    Ledbat,
}

impl Flavour {
    /// Whether its receiver reports what arrived out of order.
    pub fn is_selective(self) -> bool {
        matches!(self, Self::Sack | Self::Cubic | Self::Dctcp | Self::Prague | Self::Bbr | Self::Ledbat)
    }
}

/// A bundle of defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// ns-2.35.
    Ns2,
    /// ns-2 as it was in 2001.
    Ns2Of2001,
    /// ns-2 as it was in 2003.
    Ns2Of2003,
    /// The RFCs, with Linux' initial window and minimum retransmission timeout.
    Linux,
}

impl Profile {
    /// All profiles, in the order of the columns of the key table.
    pub const ALL: [Self; 4] = [Self::Ns2, Self::Ns2Of2001, Self::Ns2Of2003, Self::Linux];

    /// The name in scenario files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ns2 => "ns2",
            Self::Ns2Of2001 => "ns2-2001",
            Self::Ns2Of2003 => "ns2-2003",
            Self::Linux => "linux",
        }
    }

    /// The profile of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }
}

/// Whose rules of loss recovery a flow follows where ns-2 and the RFCs differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// What ns-2.35 does.
    Ns2,
    /// RFC 5681, 6582 and 6675.
    Rfc,
}

/// What a loss halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halving {
    /// The window in use, kept as a fraction (the threshold is rounded down).
    Real,
    /// The window in use, rounded down.
    Whole,
    /// The packets in flight (RFC 5681, equation 4).
    Flight,
}

/// What makes a window grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Acknowledgements.
    Acks,
    /// The packets that they acknowledge (RFC 3465).
    Packets,
}

/// What ends slow start before a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hystart {
    /// Nothing.
    Off,
    /// HyStart.
    On,
    /// HyStart++ (RFC 9406).
    Plus,
}

/// What `min_rto` is the least value of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoFloor {
    /// The retransmission timeout (RFC 6298, rule 2.4).
    Timeout,
    /// The part of it that stands for the variation, 4 RTTVAR.
    Variance,
}

/// All settings of a TCP flow, sender and receiver.
#[derive(Clone, Debug, PartialEq)]
pub struct TcpParams {
    /// Congestion control.
    pub flavour: Flavour,
    /// Window of the receiver, in packets.
    pub window: u32,
    /// Data packets to send; `None`: no limit, or `bytes`.
    pub packets: Option<u32>,
    /// User data to send, in bytes; `None`: no limit, or `packets`.
    pub bytes: Option<u64>,
    /// User data in a packet, in bytes.
    pub packet: u32,
    /// Headers added to each data packet, in bytes.
    pub headers: u32,
    /// Size of an acknowledgement and of the opening packet, in bytes.
    pub ack_size: u32,
    /// What each SACK block adds to an acknowledgement, in bytes.
    pub sack_block_size: u32,
    /// At most so many SACK blocks in an acknowledgement.
    pub sack_blocks: u32,
    /// Least retransmission timeout.
    pub min_rto: Span,
    /// What that is the least value of.
    pub rto_floor: RtoFloor,
    /// Greatest retransmission timeout, back-off included.
    pub max_rto: Span,
    /// Retransmission timeout before the first measurement.
    pub initial_rto: Span,
    /// Granularity of the clock that round trips are measured with; zero: exact.
    pub tick: Span,
    /// How long before the start of the run the coarse clock last ticked; `None`: as in ns-2 ([`Self::clock_phase`]).
    pub phase: Option<Span>,
    /// Initial window, in packets.
    pub initial_window: f64,
    /// Initial slow start threshold, in packets; `None`: the window.
    pub initial_ssthresh: Option<u32>,
    /// How long an acknowledgement may wait for a second packet; `None`: not at all.
    pub delayed_ack: Option<Span>,
    /// So many packets at the beginning are acknowledged at once.
    pub quick_acks: u32,
    /// So many of these, after the first 16, are not.
    pub quick_gap: u32,
    /// The packet in which each so much user data ends is pushed, in bytes; 0: only the last one of a transfer is.
    pub write: u32,
    /// How long answers to packets behind a gap wait for more packets, from the fourth on; at most a twentieth of the first
    /// round trip.
    pub sack_delay: Span,
    /// Timers end when a clock of this period ticks, and CUBIC counts by it; zero: exactly.
    pub timer_tick: Span,
    /// Whether to use explicit congestion notification.
    pub ecn: bool,
    /// Whether the flow opens with a packet of its own.
    pub syn: bool,
    /// Whether the first two duplicate acknowledgements release new packets (RFC 3042).
    pub limited_transmit: bool,
    /// Whether every acknowledgement gives a round trip (RFC 7323), instead of one packet a window.
    pub timestamps: bool,
    /// Duplicate acknowledgements that mean a loss.
    pub dupack_threshold: u32,
    /// Whose rules of recovery.
    pub recovery: Recovery,
    /// What a loss halves.
    pub halving: Halving,
    /// What makes the window grow.
    pub counting: Counting,
    /// Whether recovery by selective acknowledgements reduces the window in proportion to what arrives (RFC 6937).
    pub prr: bool,
    /// Whether such a recovery may repeat the highest packet (RFC 6675, NextSeg, rule 4).
    pub rescue: bool,
    /// Whether losses are found by the times of sending (RFC 8985).
    pub rack: bool,
    /// Whether a probe is sent before the retransmission timeout (RFC 8985, section 7).
    pub tlp: bool,
    /// Whether packets are spread over the round trip instead of sent at once.
    pub pacing: bool,
    /// What ends slow start before a loss: HyStart that of cubic, HyStart++ that of cubic and of SACK by the RFCs.
    pub hystart: Hystart,
    /// NewReno: only the first partial acknowledgement restarts the timer.
    pub impatient: bool,
    /// NewReno: a partial acknowledgement deflates the window by what it acknowledges.
    pub deflation: bool,
    /// Vegas: fewer extra packets in the network than this, and the window grows.
    pub alpha: f64,
    /// Vegas: more extra packets in the network than this, and the window shrinks.
    pub beta: f64,
    /// Vegas: more extra packets in the network than this end slow start.
    pub gamma: f64,
    /// LEDBAT: the queueing delay that it heads for.
    pub target: Span,
    /// LEDBAT: packets that a round trip adds to the window at most.
    pub gain: f64,
    /// BBR: share of the bandwidth found that pacing leaves free.
    pub margin: f64,
}

impl TcpParams {
    /// The defaults of a profile.
    pub fn of(profile: Profile) -> Self {
        keys::defaults(profile)
    }

    /// The defaults of a profile with some keys set; all faults are told at once.
    pub fn from_settings(profile: Profile, settings: &[(String, Value)]) -> Result<Self, Vec<ParamError>> {
        let mut params = Self::of(profile);
        let mut faults: Vec<ParamError> =
            settings.iter().filter_map(|(name, value)| keys::set(&mut params, name, value).err()).collect();
        if params.packets.is_some() && params.bytes.is_some() {
            faults.push(keys::fault("bytes", "not together with packets"));
        }
        if params.max_rto < params.min_rto {
            faults.push(keys::fault("max_rto", "must not be below min_rto"));
        }
        let turned_off = |key: &str| settings.iter().any(|(name, value)| name == key && *value == Value::Flag(false));
        let (ecn, pacing) = match params.flavour {
            Flavour::Dctcp => (Some("dctcp is nothing without it"), None),
            Flavour::Prague => (Some("prague is nothing without it"), Some("prague is nothing without it")),
            Flavour::Bbr => (None, Some("bbr is nothing without it")),
            _ => (None, None),
        };
        for (key, on, why) in [("ecn", &mut params.ecn, ecn), ("pacing", &mut params.pacing, pacing)] {
            if let Some(why) = why {
                *on = true;
                faults.extend(turned_off(key).then(|| keys::fault(key, why)));
            }
        }
        if params.flavour == Flavour::Prague && !settings.iter().any(|(name, _)| name == "halving") {
            // What a mark takes is less than a packet.
            params.halving = Halving::Real;
        }
        let at_once = match params.flavour {
            Flavour::Vegas => Some("vegas sends at once"),
            Flavour::Sack if params.recovery == Recovery::Ns2 => Some("sack sends at once with recovery = \"ns2\""),
            _ => None,
        };
        if let Some(why) = at_once.filter(|_| params.pacing) {
            faults.push(keys::fault("pacing", why));
        }
        if faults.is_empty() { Ok(params) } else { Err(faults) }
    }

    /// The key table.
    pub fn keys() -> &'static [keys::KeyInfo] {
        &keys::KEYS
    }

    /// Whether acknowledgements count marked packets instead of echoing marks.
    pub fn is_accurate(&self) -> bool {
        self.flavour == Flavour::Prague
    }

    /// ECN field of a packet that may be marked.
    pub(crate) fn codepoint(&self) -> Ecn {
        if self.flavour == Flavour::Prague { Ecn::Ect1 } else { Ecn::Ect0 }
    }

    /// Whether packet 0 is an opening packet without data: Vegas of ns-2 has none.
    pub fn opens(&self) -> bool {
        self.syn && self.flavour != Flavour::Vegas
    }

    /// How long before the start of the run the coarse clock last ticked. ns-2 draws it for each agent; unless it is given,
    /// every flow has that of the first agent of a run with the default seed, of which a Vegas agent takes a later draw.
    pub fn clock_phase(&self) -> Span {
        let share = if self.flavour == Flavour::Vegas { 0.014_204_660 } else { 0.555_880_716 };
        self.phase.unwrap_or_else(|| Span::from_secs(share * self.tick.as_secs()))
    }

    /// The slow start threshold at first, in packets.
    pub(crate) fn first_ssthresh(&self) -> f64 {
        f64::from(self.initial_ssthresh.unwrap_or(self.window))
    }

    /// A time by the clock of timers.
    pub(crate) fn on_clock(&self, now: Time) -> Time {
        let tick = self.timer_tick.as_nanos().max(1);
        Time::from_nanos(now.as_nanos() / tick * tick)
    }

    /// A span in whole periods of the clock of timers, rounded up.
    pub(crate) fn in_ticks(&self, span: Span) -> Span {
        let tick = self.timer_tick.as_nanos().max(1);
        Span::from_nanos(span.as_nanos().div_ceil(tick) * tick)
    }

    /// The number after that of the last packet, the opening packet included; `u32::MAX` for an endless transfer.
    pub fn end(&self) -> u32 {
        let data = match (self.packets, self.bytes) {
            (Some(packets), _) => packets,
            (None, Some(bytes)) => u32::try_from(bytes.div_ceil(u64::from(self.packet))).unwrap_or(u32::MAX),
            (None, None) => return u32::MAX,
        };
        data.saturating_add(u32::from(self.opens()))
    }

    /// User data before packet `seq`, in bytes.
    pub fn offset(&self, seq: u32) -> u64 {
        let full = u64::from(seq.saturating_sub(u32::from(self.opens()))) * u64::from(self.packet);
        match self.bytes {
            Some(bytes) if self.recovery == Recovery::Rfc => full.min(bytes),
            _ => full,
        }
    }

    /// Whether a write of the application ends in data packet `seq`, the last packet of a transfer left aside.
    #[inline]
    pub fn is_pushed(&self, seq: u32) -> bool {
        self.write > 0 && self.offset(seq) / u64::from(self.write) < self.offset(seq + 1) / u64::from(self.write)
    }

    /// User data in packet `seq`. The last packet of a transfer of so many bytes may be short; ns-2 fills it up.
    #[inline]
    pub fn payload(&self, seq: u32) -> u32 {
        if seq > 0 && self.bytes.is_none() {
            return self.packet;
        }
        if seq == 0 && self.opens() {
            return 0;
        }
        match self.bytes {
            Some(bytes) if self.recovery == Recovery::Rfc => {
                let before = u64::from(seq - u32::from(self.opens())) * u64::from(self.packet);
                bytes.saturating_sub(before).min(u64::from(self.packet)) as u32
            }
            _ => self.packet,
        }
    }
}
