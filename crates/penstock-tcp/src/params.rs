//! The parameters of a TCP flow, with their defaults in each profile.

mod choices;
mod transfer;
mod writes;

pub use choices::{
    ClockPhase, Counting, DelayedAck, Flavour, Halving, Hystart, Profile, RateReduction, RtoFloor, Ssthresh,
};
pub use writes::{Write, Writes};

use crate::recovery::RecoveryRules;
use alloc::string::String;
use alloc::vec::Vec;
use penstock_core::param::{self, Default, ParamError, ParamErrors, Settings, Value};
use penstock_core::{Bytes, Ecn, Rate, Span};

use Default::{Flag, Nanos, Number, Text};

const MILLI: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MILLI;

/// Maximum number of data packets of a finite transfer: the number of sequence numbers minus two, one for an opening
/// packet and one that means "endless".
const MAX_PACKETS: u64 = u32::MAX as u64 - 2;

/// Maximum duration of a burst of Prague (RFC 9331, section 4.3).
const PRAGUE_BURST: u64 = 250_000;

penstock_core::params! {
    /// All parameters of a TCP flow, sender and receiver. A default without `in PROFILE` holds in every profile for
    /// which no other is given.
    pub struct TcpParams by Profile {
        /// Congestion control of the sender.
        flavour: Flavour = Text("reno"), in Linux: Text("cubic");
        /// Receive window: the maximum number of outstanding packets. The default of linux is the largest value, which
        /// limits nothing.
        window: u32 = Number(20.0), in Linux: Number(1e8), unit: "packets", range: 1.0..=1e8;
        /// Length of the transfer in data packets; endless if neither this nor bytes is given. Packet numbers have 32
        /// bits, so an endless transfer ends after 4294967295 packets.
        packets: Option<u32> = Default::Absent, unit: "packets", range: 1.0..=4e9;
        /// Length of the transfer in bytes; with recovery = "ns2" it is rounded up to whole packets.
        bytes: Option<Bytes> = Default::Absent, unit: "bytes", range: 1.0..=4e18;
        /// User data per packet.
        packet: Bytes = Number(1000.0), in Linux: Number(1460.0), unit: "bytes", range: 1.0..=65_535.0;
        /// Headers added to each data packet.
        headers: Bytes = Number(40.0), in Ns2Of2001: Number(0.0), unit: "bytes", range: 0.0..=1000.0;
        /// Size of an ACK and of the SYN.
        ack_size: Bytes = Number(40.0), unit: "bytes", range: 1.0..=1500.0;
        /// Bytes that each SACK block adds to an ACK.
        sack_block_size: Bytes = Number(8.0), in Linux: Number(0.0), unit: "bytes", range: 0.0..=100.0;
        /// Largest number of SACK blocks in an ACK.
        sack_blocks: u32 = Number(3.0), range: 1.0..=4.0;
        /// Minimum retransmission timeout (RFC 6298: 1 s).
        min_rto: Span = Nanos(200 * MILLI), in Ns2Of2001 | Ns2Of2003: Nanos(SECOND), unit: "s", range: 0.0..=1e4;
        /// Quantity that min_rto bounds: the whole timeout, or its variance term 4 RTTVAR as in Linux.
        rto_floor: RtoFloor = Text("timeout"), in Linux: Text("variance");
        /// Maximum retransmission timeout, back-off included.
        max_rto: Span = Nanos(60 * SECOND), in Linux: Nanos(120 * SECOND), unit: "s", range: 0.0..=1e4;
        /// Retransmission timeout before the first round-trip time is measured (RFC 6298: 1 s).
        initial_rto: Span = Nanos(3 * SECOND), in Ns2Of2001 | Ns2Of2003: Nanos(6 * SECOND), in Linux: Nanos(SECOND),
            unit: "s", range: 0.0..=1e4;
        /// Granularity of the clock that measures round-trip times; 0 s: exact.
        tick: Span = Nanos(10 * MILLI), in Ns2Of2001: Nanos(100 * MILLI), in Linux: Nanos(0), unit: "s", range: 0.0..=10.0;
        /// Time from the last tick of that clock to the start of the run; "ns2": the value of the first agent of an
        /// ns-2 run with the default seed.
        phase: ClockPhase = Text("ns2"), unit: "s", range: 0.0..=10.0;
        /// Initial congestion window (RFC 6928: 10).
        initial_window: f64 = Number(2.0), in Ns2Of2001: Number(1.0), in Linux: Number(10.0),
            unit: "packets", range: 1.0..=1e6;
        /// Initial slow start threshold; "window": the receive window.
        initial_ssthresh: Ssthresh = Text("window"), in Linux: Number(1e9), unit: "packets", range: 2.0..=1e9;
        /// Longest time that an ACK waits for a second packet (RFC 1122: below 0.5 s).
        delayed_ack: DelayedAck = Text("off"), in Linux: Nanos(40 * MILLI), unit: "s", range: 0.0..=0.5;
        /// With delayed ACKs: number of data packets per ACK. RFC 5681: 2; larger values produce stretch ACKs.
        ack_every: u32 = Number(2.0), unit: "packets", range: 2.0..=255.0;
        /// With delayed ACKs: number of data packets at the start of the connection that are ACKed immediately. Unless
        /// it is 0, pushed packets (`write`) are ACKed immediately too.
        quick_acks: u32 = Number(0.0), in Linux: Number(140.0), unit: "packets", range: 0.0..=65_535.0;
        /// With delayed ACKs: number of data packets after the 16th whose ACKs may be delayed although they are among
        /// the first `quick_acks`; 15 in recordings of Linux.
        quick_gap: u32 = Number(0.0), in Linux: Number(15.0), unit: "packets", range: 0.0..=65_535.0;
        /// User data that the application writes at a time. The packet in which a write ends is pushed (PSH), and so is
        /// the last packet of a transfer. 0: only the last packet is pushed.
        write: Bytes = Number(0.0), unit: "bytes", range: 0.0..=4e9;
        /// Time between writes of `write` bytes, the first at the start of the connection; otherwise the application always has
        /// data to send. Each write begins a new packet. With `packets` or `bytes` the writes end with the transfer.
        write_every: Option<Span> = Default::Absent, unit: "s", range: 0.000_001..=1e4;
        /// Instead of write_every: mean rate of the user data written; without `write` each write is one packet.
        write_rate: Option<Rate> = Default::Absent, unit: "bit/s", range: 1.0..=1e13;
        /// Writes of these sizes at these times after the start of the connection, such as [["0s", "100kB"], ["1s", "50kB"]];
        /// the transfer ends with the last.
        writes: Option<Writes> = Default::Absent;
        /// With delayed ACKs and SACK: from the fourth packet behind a gap on, an ACK waits for more packets. The wait
        /// is this time or a twentieth of the first round-trip time, whichever is shorter, plus 0.1 ms. 0 s: no wait.
        sack_delay: Span = Nanos(0), in Linux: Nanos(MILLI), unit: "s", range: 0.0..=1.0;
        /// Period of the kernel clock: timers expire at its ticks as in Linux, tail-loss probes two ticks later, and
        /// CUBIC measures time in ticks. 0 s: exact timers.
        timer_tick: Span = Nanos(0), unit: "s", range: 0.0..=1.0;
        /// Explicit congestion notification (RFC 3168); dctcp and prague always use it.
        ecn: bool = Flag(false);
        /// With ECN: ACKs, retransmissions and the SYN are ECN-capable as well, as RFC 8257 (sections 3.6 and 5) and RFC
        /// 9331 (appendix A.2.1) recommend for dctcp and prague, for which it is on unless set. RFC 3168 forbids it.
        ecn_control: bool = Flag(false);
        /// The flow starts with a SYN of `ack_size` bytes without data, and sends data once that is ACKed.
        /// Not for vegas with recovery = "ns2".
        syn: bool = Flag(true), in Ns2Of2001 | Linux: Flag(false);
        /// Each duplicate ACK before a fast retransmit releases a new packet (RFC 3042).
        limited_transmit: bool = Flag(true), in Ns2Of2001: Flag(false);
        /// Measure the round-trip time with every ACK (RFC 7323); otherwise with one packet per window, never with a
        /// retransmission (Karn's algorithm).
        timestamps: bool = Flag(false), in Linux: Flag(true);
        /// Number of duplicate ACKs that signal a loss.
        dupack_threshold: u32 = Number(3.0), range: 1.0..=1000.0;
        /// Rules of loss recovery: those of ns-2.35, or those of RFC 5681, 6582 and 6675.
        recovery: RecoveryRules = Text("ns2"), in Linux: Text("rfc");
        /// Quantity that a loss halves: the used window as a real or as a whole number, or the number of packets in
        /// flight.
        halving: Halving = Text("whole"), in Ns2: Text("real");
        /// Unit by which the window grows: ACKs, or ACKed packets (RFC 3465).
        counting: Counting = Text("acks"), in Linux: Text("packets");
        /// In a recovery with SACK or NewReno, reduce the window in proportion to the delivered packets (proportional rate
        /// reduction): by RFC 9937 (also as true), by RFC 6937 with its slow start reduction bound, or as in Linux 6.1.
        /// "linux" is RFC 9937 with the congestion window before the reduction as RecoverFS, not the packets that may
        /// be delivered.
        prr: RateReduction = Text("off"), in Linux: Text("linux");
        /// With SACK: the receiver reports packets that it receives twice (duplicate SACK, RFC 2883). With rack, the reordering
        /// window of the sender adapts to these reports (RFC 8985, section 6.2).
        dsack: bool = Flag(false), in Linux: Flag(true);
        /// With rack: restore the window when retransmissions prove needless, because the timestamp of an ACK (RFC 3522) or
        /// duplicate SACK (RFC 3708) shows that packets were late, not lost.
        undo: bool = Flag(false), in Linux: Flag(true);
        /// Recovery by RFC 6675 may retransmit the highest outstanding packet once (rescue retransmission; NextSeg,
        /// rule 4).
        rescue: bool = Flag(true), in Linux: Flag(false);
        /// With SACK: detect losses by sending times (RACK, RFC 8985), and reduce the window gradually after a mark as
        /// after a loss; otherwise detect losses by counts of reported packets (RFC 6675). bbr3 always does.
        rack: bool = Flag(false), in Linux: Flag(true);
        /// With SACK: send a tail-loss probe after two round trips without an ACK (RFC 8985, section 7).
        tlp: bool = Flag(false), in Linux: Flag(true);
        /// Spread packets over time instead of sending bursts: a window takes half of the round-trip time while it is below
        /// half of the slow start threshold, and 1/1.2 of it afterwards. Not available for vegas, nor for sack with recovery = "ns2". The flavours
        /// prague, bbr and bbr3 always pace, bbr and bbr3 at the rate of their model.
        pacing: bool = Flag(false);
        /// Segmentation offload: packets leave in trains. A train has the packets that the pacing rate sends in `offload_time`,
        /// at least two. If an ACK allows less than a train, the sender may wait for the next ACK (with rack).
        offload: bool = Flag(false), in Linux: Flag(true);
        /// With offload: duration of a train at the pacing rate. The default is 2^-10 s (Linux), for prague 250 us (RFC 9331,
        /// section 4.3). Trains of prague may be single packets.
        offload_time: Span = Nanos(976_562), unit: "s", range: 0.0..=1.0;
        /// With offload: maximum payload of a train.
        offload_max: Bytes = Number(65_536.0), unit: "bytes", range: 1.0..=65_536.0;
        /// Generic receive offload: the receiver merges packets that arrive within this time of each other, and sends one ACK
        /// for them. A pushed packet ends the merging. 0 s: no merging, as in Linux unless the network interface delays
        /// interrupts.
        gro: Span = Nanos(0), unit: "s", range: 0.0..=0.1;
        /// With gro: maximum payload of merged packets.
        gro_max: Bytes = Number(65_536.0), unit: "bytes", range: 1.0..=1_000_000.0;
        /// Early end of slow start, before a loss. "on" (cubic): a train of ACKs or a rise of the delay ends slow start
        /// (HyStart). "++" (cubic, and sack with recovery = "rfc"): a rise of the delay slows the growth down, and
        /// after five rounds of slow growth slow start ends (HyStart++, RFC 9406).
        hystart: Hystart = Text("off"), in Linux: Text("on");
        /// NewReno: only the first partial ACK restarts the retransmission timer (RFC 6582, section 4).
        impatient: bool = Flag(true), in Ns2Of2001: Flag(false);
        /// NewReno: a partial ACK deflates the window by the number of packets that it acknowledges.
        deflation: bool = Flag(true), in Ns2Of2001: Flag(false);
        /// Vegas: the window grows while the flow has fewer packets than this queued in the network.
        alpha: f64 = Number(1.0), unit: "packets", range: 0.0..=1e6;
        /// Vegas: the window shrinks while the flow has more packets than this queued in the network.
        beta: f64 = Number(3.0), unit: "packets", range: 0.0..=1e6;
        /// Vegas: slow start ends when the flow has more packets than this queued in the network.
        gamma: f64 = Number(1.0), unit: "packets", range: 0.0..=1e6;
        /// LEDBAT: target queueing delay (RFC 6817: at most 100 ms).
        target: Span = Nanos(100 * MILLI), unit: "s", range: 0.001..=10.0;
        /// LEDBAT: growth of the window, in packets per round trip, without queueing delay (RFC 6817: at most 1).
        gain: f64 = Number(1.0), unit: "packets", range: 0.001..=1000.0;
        /// BBR: fraction of the estimated bandwidth that pacing leaves unused.
        margin: f64 = Number(0.01), range: 0.0..=0.5;
    }
}

/// Defaults of congestion controls, in place of those of the profile.
pub const FLAVOUR_DEFAULTS: &[(Flavour, &[(&str, Default)])] = &[
    (Flavour::Dctcp, &[("ecn", Flag(true)), ("ecn_control", Flag(true))]),
    (
        Flavour::Prague,
        &[
            ("ecn", Flag(true)),
            ("ecn_control", Flag(true)),
            ("pacing", Flag(true)),
            // A mark reduces the window by less than a packet.
            ("halving", Text("real")),
            ("offload_time", Nanos(PRAGUE_BURST)),
        ],
    ),
    (Flavour::Bbr, &[("pacing", Flag(true))]),
    (Flavour::Bbr3, &[("pacing", Flag(true)), ("rack", Flag(true))]),
];

/// The defaults of a congestion control that differ from those of the profile.
fn flavour_defaults(flavour: Flavour) -> impl Iterator<Item = (&'static str, Default)> {
    let of_flavour = FLAVOUR_DEFAULTS.iter().filter(move |(entry, _)| *entry == flavour);
    of_flavour.flat_map(|(_, defaults)| defaults.iter().copied())
}

/// Flags among these defaults that the congestion control does not require.
const OPTIONAL: [&str; 1] = ["ecn_control"];

/// The settings, completed with the defaults of the congestion control.
fn with_flavour_defaults(settings: &Settings, flavour: Flavour) -> Vec<(String, Value)> {
    let mut all = settings.to_vec();
    for (key, default) in flavour_defaults(flavour) {
        let value = match default {
            Number(number) => Value::Number(number),
            Nanos(nanos) => Value::Time(Span::from_nanos(nanos)),
            Flag(flag) => Value::Flag(flag),
            Text(word) => Value::Text(word.into()),
            Default::Numbers(numbers) => Value::Numbers(numbers.to_vec()),
            Default::Required | Default::Absent => continue,
        };
        if !settings.iter().any(|(name, _)| name == key) {
            all.push((key.into(), value));
        }
    }
    all
}

impl TcpParams {
    /// The defaults of a profile.
    ///
    /// # Panics
    /// Never happens: every default is a legal value, as a test asserts.
    pub fn of(profile: Profile) -> Self {
        Self::from_settings(profile, &[]).expect("every default is a legal value")
    }

    /// The defaults of a profile, overridden by `settings`. All errors are collected.
    pub fn from_settings(profile: Profile, settings: &Settings) -> Result<Self, ParamErrors> {
        let infos = Self::info(profile);
        let mut errors = param::read::<Self>(settings, &infos).err().unwrap_or_default();
        // Refused settings are replaced by their defaults, so that the remaining ones can still be checked against each
        // other.
        let is_sound = |name: &str| !errors.iter().any(|error| error.name == name);
        let sound: Vec<_> = settings.iter().filter(|(name, _)| is_sound(name)).cloned().collect();
        let flavour = param::read::<Self>(&sound, &infos)?.flavour;
        let params: Self = param::read(&with_flavour_defaults(&sound, flavour), &infos)?;
        params.check_together(&mut errors);
        params.check_flavour(&sound, &mut errors);
        if errors.is_empty() { Ok(params) } else { Err(errors) }
    }

    /// Refuse parameters that exclude each other.
    fn check_together(&self, errors: &mut ParamErrors) {
        if self.packets.is_some() && self.bytes.is_some() {
            errors.push(ParamError::new("bytes", "not together with packets"));
        }
        let periodic = [("write_every", self.write_every.is_some()), ("write_rate", self.write_rate.is_some())];
        if periodic.iter().all(|(_, given)| *given) {
            errors.push(ParamError::new("write_rate", "not together with write_every"));
        } else if self.write_every.is_some() && self.write.0 == 0 {
            errors.push(ParamError::new("write_every", "needs write, the size of each write"));
        }
        if self.writes.is_some() && (self.write.0 > 0 || periodic.iter().any(|(_, given)| *given)) {
            errors.push(ParamError::new("writes", "not together with write, write_every or write_rate"));
        }
        if self.bytes.is_some_and(|bytes| bytes.0.div_ceil(self.packet.0) > MAX_PACKETS) {
            errors.push(ParamError::new("bytes", alloc::format!("must not be more than {MAX_PACKETS} packets")));
        }
        if self.max_rto < self.min_rto {
            errors.push(ParamError::new("max_rto", "must not be below min_rto"));
        }
    }

    /// Refuse settings that contradict the congestion control.
    fn check_flavour(&self, settings: &Settings, errors: &mut ParamErrors) {
        let required = flavour_defaults(self.flavour).filter(|(_, default)| *default == Flag(true));
        for (key, _) in required.filter(|(key, _)| !OPTIONAL.contains(key)) {
            if settings.iter().any(|(name, value)| name == key && *value == Value::Flag(false)) {
                errors.push(ParamError::new(key, alloc::format!("{} does not work without it", self.flavour.word())));
            }
        }
        let sends_at_once = match self.flavour {
            Flavour::Vegas => Some("vegas does not pace"),
            Flavour::Sack if self.recovery == RecoveryRules::Ns2 => Some("sack does not pace with recovery = \"ns2\""),
            _ => None,
        };
        if let Some(why) = sends_at_once.filter(|_| self.pacing) {
            errors.push(ParamError::new("pacing", why));
        }
    }

    /// Whether the receiver may delay ACKs and therefore needs a timer.
    pub fn delays_acks(&self) -> bool {
        self.delayed_ack.limit().is_some() || self.gro > Span::ZERO
    }

    /// Whether ACKs count marked packets instead of echoing marks.
    pub fn is_accurate(&self) -> bool {
        self.flavour == Flavour::Prague
    }

    /// ECN field of a packet that may be marked.
    pub(crate) fn codepoint(&self) -> Ecn {
        if self.flavour == Flavour::Prague { Ecn::Ect1 } else { Ecn::Ect0 }
    }

    /// Whether packet 0 is a SYN without data. The Vegas sender of ns-2 has no SYN.
    pub fn opens(&self) -> bool {
        self.syn && self.flavour != Flavour::Vegas
    }

    /// Time from the last tick of the coarse clock to the start of the run. ns-2 draws this time for each agent.
    /// `ClockPhase::Ns2` gives every flow the value of the first agent of a run with the default seed; a Vegas agent
    /// uses a later draw of the same run.
    pub fn clock_phase(&self) -> Span {
        let share = if self.flavour == Flavour::Vegas { 0.014_204_660 } else { 0.555_880_716 };
        match self.phase {
            ClockPhase::Ns2 => Span::from_secs(share * self.tick.as_secs()),
            ClockPhase::Given(phase) => phase,
        }
    }

    /// The initial slow start threshold, in packets.
    pub(crate) fn first_ssthresh(&self) -> f64 {
        match self.initial_ssthresh {
            Ssthresh::Window => f64::from(self.window),
            Ssthresh::Packets(packets) => f64::from(packets),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::{String, ToString};

    fn settings(pairs: &[(&str, Value)]) -> Vec<(String, Value)> {
        pairs.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()
    }

    #[test]
    fn every_default_is_a_legal_value() {
        for profile in Profile::ALL {
            let infos = TcpParams::info(profile);
            let given: Vec<_> =
                infos.iter().filter_map(|info| Some((info.name.to_string(), info.default_value()?))).collect();
            assert!(
                given.len() >= infos.len() - 5,
                "all except the length of the transfer and its writes have a default"
            );
            assert_eq!(TcpParams::from_settings(profile, &given), Ok(TcpParams::of(profile)), "{}", profile.word());
        }
    }

    #[test]
    fn the_profiles_are_what_they_are_named_after() {
        let ns2 = TcpParams::of(Profile::Ns2);
        assert_eq!((ns2.min_rto, ns2.window, ns2.initial_window, ns2.syn), (Span::from_millis(200), 20, 2.0, true));
        assert_eq!(TcpParams::of(Profile::Ns2Of2001).min_rto, Span::from_secs(1.0));
        assert_eq!(TcpParams::of(Profile::Ns2Of2003).min_rto, Span::from_secs(1.0));
        let linux = TcpParams::of(Profile::Linux);
        assert_eq!((linux.min_rto, linux.initial_window, linux.timestamps), (Span::from_millis(200), 10.0, true));
        assert_eq!(linux.delayed_ack, DelayedAck::Within(Span::from_millis(40)));
    }

    #[test]
    fn all_errors_are_reported_at_once() {
        let wrong = settings(&[
            ("windw", Value::Number(3.0)),
            ("window", Value::Number(0.5)),
            ("flavour", Value::Text("westwood".to_string())),
            ("min_rto", Value::Number(1.0)),
            ("ecn", Value::Text("yes".to_string())),
            ("packets", Value::Number(3.0)),
            ("bytes", Value::Bytes(3000.0)),
        ]);
        let errors = TcpParams::from_settings(Profile::Ns2, &wrong).expect_err("errors");
        let message = |name: &str| &errors.iter().find(|error| error.name == name).expect("an error").message;
        assert_eq!(errors.len(), 6);
        assert_eq!(message("windw"), "unknown parameter \"windw\": did you mean \"window\"?");
        assert_eq!(message("window"), "must lie between 1 and 100000000 packets");
        assert!(message("flavour").contains("vegas"), "{}", message("flavour"));
        assert!(message("min_rto").contains("a time"), "{}", message("min_rto"));
        assert!(message("ecn").contains("true or false"), "{}", message("ecn"));
        assert_eq!(message("bytes"), "not together with packets");
        let fraction = settings(&[("window", Value::Number(2.5))]);
        let errors = TcpParams::from_settings(Profile::Ns2, &fraction).expect_err("an error");
        assert!(errors[0].message.contains("whole"), "{}", errors[0].message);
    }

    #[test]
    fn a_transfer_with_more_packets_than_sequence_numbers_is_refused() {
        let with_bytes = |bytes: f64| {
            let overrides = settings(&[("bytes", Value::Bytes(bytes)), ("packet", Value::Bytes(1000.0))]);
            TcpParams::from_settings(Profile::Linux, &overrides)
        };
        let max_bytes = 4_294_967_293.0 * 1000.0;
        assert_eq!(with_bytes(max_bytes).expect("legal").end(), 4_294_967_293);
        let errors = with_bytes(max_bytes + 1.0).expect_err("an error");
        assert_eq!(
            (&errors[0].name[..], &errors[0].message[..]),
            ("bytes", "must not be more than 4294967293 packets")
        );
    }

    #[test]
    fn a_flavour_brings_what_it_cannot_do_without() {
        let with = |flavour: &str, more: &[(&str, Value)]| {
            let flavour = [("flavour", Value::Text(flavour.to_string()))];
            TcpParams::from_settings(Profile::Linux, &settings(&[&flavour, more].concat()))
        };
        let prague = with("prague", &[]).expect("legal");
        assert_eq!((prague.ecn, prague.pacing, prague.halving), (true, true, Halving::Real));
        let whole = with("prague", &[("halving", Value::Text("whole".to_string()))]).expect("legal");
        assert_eq!(whole.halving, Halving::Whole);
        let bbr = with("bbr", &[]).expect("legal");
        assert_eq!((bbr.ecn, bbr.pacing), (false, true));
        for (flavour, key) in [
            ("dctcp", "ecn"),
            ("prague", "ecn"),
            ("prague", "pacing"),
            ("bbr", "pacing"),
            ("bbr3", "pacing"),
            ("bbr3", "rack"),
        ] {
            let errors = with(flavour, &[(key, Value::Flag(false))]).expect_err("an error");
            assert_eq!(errors[0].name, key, "{flavour}");
        }
        assert_eq!(with("vegas", &[("pacing", Value::Flag(true))]).expect_err("an error")[0].name, "pacing");
        let low = [("min_rto", Value::Time(Span::from_secs(3.0))), ("max_rto", Value::Time(Span::from_secs(2.0)))];
        assert_eq!(with("reno", &low).expect_err("an error")[0].name, "max_rto");
    }

    #[test]
    fn control_packets_of_dctcp_and_prague_are_ecn_capable_unless_set_otherwise() {
        let with = |flavour: &str, more: &[(&str, Value)]| {
            let flavour = [("flavour", Value::Text(flavour.to_string()))];
            TcpParams::from_settings(Profile::Linux, &settings(&[&flavour, more].concat()))
        };
        for flavour in ["dctcp", "prague"] {
            assert!(with(flavour, &[]).expect("legal").ecn_control, "{flavour}");
            assert!(!with(flavour, &[("ecn_control", Value::Flag(false))]).expect("legal").ecn_control, "{flavour}");
        }
        assert!(!with("cubic", &[("ecn", Value::Flag(true))]).expect("legal").ecn_control);
        assert!(with("cubic", &[("ecn_control", Value::Flag(true))]).expect("legal").ecn_control);
    }

    #[test]
    fn delayed_acks_are_a_time_or_off() {
        let delay = |value| TcpParams::from_settings(Profile::Linux, &settings(&[("delayed_ack", value)]));
        for off in [Value::Flag(false), Value::Text("off".to_string()), Value::Time(Span::ZERO)] {
            assert_eq!(delay(off).expect("off").delayed_ack, DelayedAck::Off);
        }
        let tenth = Span::from_millis(100);
        assert_eq!(delay(Value::Time(tenth)).expect("a time").delayed_ack, DelayedAck::Within(tenth));
        assert!(delay(Value::Flag(true)).is_err());
    }
}
