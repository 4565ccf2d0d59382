//! The keys of a TCP flow as data: what each means, its range, and what each profile makes of it.

use crate::params::{Counting, Flavour, Halving, Hystart, Profile, Recovery, RtoFloor, TcpParams};
use alloc::format;
use alloc::string::{String, ToString};
use penstock_core::Span;
use penstock_core::param::{Default, Kind, ParamError, ParamInfo, Value};

/// One key of a TCP flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyInfo {
    /// Name in scenario files.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Unit as printed.
    pub unit: &'static str,
    /// Kind of value.
    pub kind: Kind,
    /// Words that are allowed besides.
    pub words: &'static [&'static str],
    /// Smallest and largest legal number in the canonical unit (seconds for times).
    pub range: Option<(f64, f64)>,
    /// Default in each profile, in the order of [`Profile::ALL`].
    pub defaults: [Default; 4],
}

impl KeyInfo {
    /// The default in a profile.
    pub fn default(&self, profile: Profile) -> Default {
        self.defaults[profile as usize]
    }

    /// The key as a parameter of one profile.
    pub fn info(&self, profile: Profile) -> ParamInfo {
        ParamInfo {
            name: self.name,
            doc: self.doc,
            unit: self.unit,
            kind: self.kind,
            words: self.words,
            default: self.default(profile),
            range: self.range,
        }
    }
}

const MILLI: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MILLI;

const fn all(default: Default) -> [Default; 4] {
    [default; 4]
}

const fn number(name: &'static str, unit: &'static str, kind: Kind, range: (f64, f64), doc: &'static str) -> KeyInfo {
    KeyInfo { name, doc, unit, kind, words: &[], range: Some(range), defaults: all(Default::Absent) }
}

const fn word(name: &'static str, words: &'static [&'static str], doc: &'static str) -> KeyInfo {
    KeyInfo { name, doc, unit: "", kind: Kind::Choice(words), words: &[], range: None, defaults: all(Default::Absent) }
}

const fn flag(name: &'static str, doc: &'static str) -> KeyInfo {
    KeyInfo { name, doc, unit: "", kind: Kind::Flag, words: &[], range: None, defaults: all(Default::Absent) }
}

impl KeyInfo {
    const fn by_profile(mut self, defaults: [Default; 4]) -> Self {
        self.defaults = defaults;
        self
    }

    const fn always(self, default: Default) -> Self {
        self.by_profile(all(default))
    }

    const fn or(mut self, words: &'static [&'static str]) -> Self {
        self.words = words;
        self
    }
}

use Default::{Flag, Nanos, Number, Text};

/// All keys. The order is that of the documentation.
pub(crate) static KEYS: [KeyInfo; 45] = [
    word("flavour", &["tahoe", "reno", "newreno", "sack", "vegas", "cubic", "dctcp", "prague", "bbr", "ledbat"], "Congestion control of the sender.").always(Text("reno")),
    number("window", "packets", Kind::Integer, (1.0, 1e8), "Window of the receiver: never more than this outstanding.")
        .by_profile([Number(20.0), Number(20.0), Number(20.0), Number(4096.0)]),
    number("packets", "packets", Kind::Integer, (1.0, 4e9), "Length of the transfer in data packets; endless if neither this nor bytes is given."),
    number("bytes", "bytes", Kind::Size, (1.0, 4e18), "Length of the transfer in bytes; ns-2's rules fill up the last packet."),
    number("packet", "bytes", Kind::Size, (1.0, 65_535.0), "User data in a packet.")
        .by_profile([Number(1000.0), Number(1000.0), Number(1000.0), Number(1460.0)]),
    number("headers", "bytes", Kind::Size, (0.0, 1000.0), "Headers added to each data packet.")
        .by_profile([Number(40.0), Number(0.0), Number(40.0), Number(40.0)]),
    number("ack_size", "bytes", Kind::Size, (1.0, 1500.0), "Size of an acknowledgement and of the opening packet.").always(Number(40.0)),
    number("sack_block_size", "bytes", Kind::Size, (0.0, 100.0), "What each SACK block adds to an acknowledgement.")
        .by_profile([Number(8.0), Number(8.0), Number(8.0), Number(0.0)]),
    number("sack_blocks", "", Kind::Integer, (1.0, 4.0), "At most so many SACK blocks in an acknowledgement.").always(Number(3.0)),
    number("min_rto", "s", Kind::Time, (0.0, 1e4), "Least retransmission timeout; RFC 6298 says 1 s.")
        .by_profile([Nanos(200 * MILLI), Nanos(SECOND), Nanos(SECOND), Nanos(200 * MILLI)]),
    word("rto_floor", &["timeout", "variance"], "What min_rto is the least value of: the timeout, or its part 4 RTTVAR as in Linux.")
        .by_profile([Text("timeout"), Text("timeout"), Text("timeout"), Text("variance")]),
    number("max_rto", "s", Kind::Time, (0.0, 1e4), "Greatest retransmission timeout, back-off included.")
        .by_profile([Nanos(60 * SECOND), Nanos(60 * SECOND), Nanos(60 * SECOND), Nanos(120 * SECOND)]),
    number("initial_rto", "s", Kind::Time, (0.0, 1e4), "Retransmission timeout before the first round trip is measured (RFC 6298: 1 s).")
        .by_profile([Nanos(3 * SECOND), Nanos(6 * SECOND), Nanos(6 * SECOND), Nanos(SECOND)]),
    number("tick", "s", Kind::Time, (0.0, 10.0), "Granularity of the clock that measures round trips; 0 s is exact.")
        .by_profile([Nanos(10 * MILLI), Nanos(100 * MILLI), Nanos(10 * MILLI), Nanos(0)]),
    number(
        "phase",
        "s",
        Kind::Time,
        (0.0, 10.0),
        "How long before the start of the run the coarse clock ticked; \"ns2\": as for the first agent of an ns-2 run with the default seed.",
    )
    .or(&["ns2"])
    .always(Text("ns2")),
    number("initial_window", "packets", Kind::Number, (1.0, 1e6), "Initial congestion window (RFC 6928: 10).")
        .by_profile([Number(2.0), Number(1.0), Number(2.0), Number(10.0)]),
    number("initial_ssthresh", "packets", Kind::Integer, (2.0, 1e9), "Initial slow start threshold.")
        .or(&["window"])
        .by_profile([Text("window"), Text("window"), Text("window"), Number(1e9)]),
    number("delayed_ack", "s", Kind::Time, (0.0, 0.5), "How long an acknowledgement may wait for a second packet (RFC 1122: below 0.5 s).")
        .or(&["off"])
        .by_profile([Text("off"), Text("off"), Text("off"), Nanos(40 * MILLI)]),
    number("quick_acks", "packets", Kind::Integer, (0.0, 65_535.0), "With delayed acknowledgements: so many data packets at the beginning are answered at once and, unless it is 0, those that are pushed (`write`).")
        .by_profile([Number(0.0), Number(0.0), Number(0.0), Number(140.0)]),
    number("quick_gap", "packets", Kind::Integer, (0.0, 65_535.0), "With delayed acknowledgements: so many data packets after the first 16 are not among the `quick_acks` packets; in Linux' recordings 15.")
        .by_profile([Number(0.0), Number(0.0), Number(0.0), Number(15.0)]),
    number("write", "bytes", Kind::Size, (0.0, 4e9), "So much user data the application writes at a time; the packet that a write ends in is pushed, as the last one of a transfer is. 0: no other is.")
        .always(Number(0.0)),
    number("sack_delay", "s", Kind::Time, (0.0, 1.0), "With delayed acknowledgements and SACK: from the fourth packet behind a gap on, answers wait so long for more packets, at most a twentieth of the first round trip, and 0.1 ms; 0 s answers each.")
        .by_profile([Nanos(0), Nanos(0), Nanos(0), Nanos(MILLI)]),
    number("timer_tick", "s", Kind::Time, (0.0, 1.0), "Timers end with a tick of a clock of this period, and that for a probe two ticks later, as in a Linux kernel; CUBIC counts its times by it. 0 s is exact.")
        .always(Nanos(0)),
    flag("ecn", "Explicit congestion notification (RFC 3168); dctcp and prague always use it.").always(Flag(false)),
    flag("syn", "The flow opens with a packet of `ack_size` bytes that is answered before data is sent; Vegas sends a data packet instead.")
        .by_profile([Flag(true), Flag(false), Flag(true), Flag(false)]),
    flag("limited_transmit", "The duplicate acknowledgements before a fast retransmit release new packets (RFC 3042).")
        .by_profile([Flag(true), Flag(false), Flag(true), Flag(true)]),
    flag("timestamps", "Every acknowledgement gives a round trip (RFC 7323); otherwise one packet a window is timed, never a retransmission (Karn).")
        .by_profile([Flag(false), Flag(false), Flag(false), Flag(true)]),
    number("dupack_threshold", "", Kind::Integer, (1.0, 1000.0), "Duplicate acknowledgements that mean a loss.").always(Number(3.0)),
    word("recovery", &["ns2", "rfc"], "Loss recovery as in ns-2.35, or by RFC 5681, 6582 and 6675.")
        .by_profile([Text("ns2"), Text("ns2"), Text("ns2"), Text("rfc")]),
    word("halving", &["real", "whole", "flight"], "What a loss halves: the window in use as a real or a whole number, or the packets in flight.")
        .by_profile([Text("real"), Text("whole"), Text("whole"), Text("whole")]),
    word("counting", &["acks", "packets"], "What makes the window grow: acknowledgements, or the packets that they acknowledge (RFC 3465).")
        .by_profile([Text("acks"), Text("acks"), Text("acks"), Text("packets")]),
    flag("prr", "Recovery by RFC 6675, or by NewReno, reduces the window in proportion to what arrives (RFC 6937).")
        .by_profile([Flag(false), Flag(false), Flag(false), Flag(true)]),
    flag("rescue", "Recovery by RFC 6675 may repeat the highest packet once (NextSeg, rule 4).")
        .by_profile([Flag(true), Flag(true), Flag(true), Flag(false)]),
    flag("rack", "With SACK: losses are found by the times of sending (RFC 8985), and marks lead the window down as losses do; otherwise by RFC 6675.")
        .by_profile([Flag(false), Flag(false), Flag(false), Flag(true)]),
    flag("tlp", "With SACK: two round trips without an answer send a probe before the timeout (RFC 8985, section 7).")
        .by_profile([Flag(false), Flag(false), Flag(false), Flag(true)]),
    flag("pacing", "Packets are spread over the round trip, half of it in slow start and 1/1.2 of it from then on, instead of sent at once; not for vegas, nor sack with recovery = \"ns2\". prague and bbr always do it, bbr at the rate of its model.")
        .always(Flag(false)),
    word("hystart", &["off", "on", "++"], "What ends slow start before a loss. \"on\", cubic: a train of acknowledgements or a rise of the delay (HyStart); \"++\", cubic, and sack with recovery = \"rfc\": a rise of the delay slows it down, five rounds of that end it (HyStart++, RFC 9406).")
        .by_profile([Text("off"), Text("off"), Text("off"), Text("on")]),
    flag("impatient", "NewReno: only the first partial acknowledgement restarts the timer (RFC 6582, section 4).")
        .by_profile([Flag(true), Flag(false), Flag(true), Flag(true)]),
    flag("deflation", "NewReno: a partial acknowledgement takes what it acknowledges out of the inflated window.")
        .by_profile([Flag(true), Flag(false), Flag(true), Flag(true)]),
    number("alpha", "packets", Kind::Number, (0.0, 1e6), "Vegas: the window grows while fewer extra packets than this are in the network.").always(Number(1.0)),
    number("beta", "packets", Kind::Number, (0.0, 1e6), "Vegas: the window shrinks while more extra packets than this are in the network.").always(Number(3.0)),
    number("gamma", "packets", Kind::Number, (0.0, 1e6), "Vegas: more extra packets than this in the network end slow start.").always(Number(1.0)),
    number("target", "s", Kind::Time, (0.001, 10.0), "LEDBAT: the queueing delay that it heads for (RFC 6817: at most 100 ms).").always(Nanos(100 * MILLI)),
    number("gain", "packets", Kind::Number, (0.001, 1000.0), "LEDBAT: packets that a round trip without queueing delay adds to the window (RFC 6817: at most 1).").always(Number(1.0)),
    number("margin", "", Kind::Number, (0.0, 0.5), "BBR: share of the bandwidth found that pacing leaves free.").always(Number(0.01)),
];

pub(crate) fn fault(name: &str, message: &str) -> ParamError {
    ParamError { name: name.to_string(), message: message.to_string() }
}

/// The parameters that a profile's column of the table describes.
pub(crate) fn defaults(profile: Profile) -> TcpParams {
    let mut params = TcpParams {
        flavour: Flavour::Reno,
        window: 1,
        packets: None,
        bytes: None,
        packet: 1,
        headers: 0,
        ack_size: 1,
        sack_block_size: 0,
        sack_blocks: 1,
        min_rto: Span::ZERO,
        rto_floor: RtoFloor::Timeout,
        max_rto: Span::ZERO,
        initial_rto: Span::ZERO,
        tick: Span::ZERO,
        phase: None,
        initial_window: 1.0,
        initial_ssthresh: None,
        delayed_ack: None,
        quick_acks: 0,
        quick_gap: 0,
        write: 0,
        sack_delay: Span::ZERO,
        timer_tick: Span::ZERO,
        ecn: false,
        syn: false,
        limited_transmit: false,
        timestamps: false,
        dupack_threshold: 1,
        recovery: Recovery::Ns2,
        halving: Halving::Real,
        counting: Counting::Acks,
        prr: false,
        rescue: false,
        rack: false,
        tlp: false,
        pacing: false,
        hystart: Hystart::Off,
        impatient: false,
        deflation: false,
        alpha: 0.0,
        beta: 0.0,
        gamma: 0.0,
        target: Span::ZERO,
        gain: 0.0,
        margin: 0.0,
    };
    for key in &KEYS {
        let Some(value) = key.default(profile).value() else { continue };
        let set = set(&mut params, key.name, &value);
        debug_assert_eq!(set, Ok(()), "a default is a legal value");
    }
    params
}

/// Set one key.
pub(crate) fn set(params: &mut TcpParams, name: &str, value: &Value) -> Result<(), ParamError> {
    let key = KEYS.iter().find(|key| key.name == name).ok_or_else(|| {
        let known = KEYS.iter().map(|key| key.name).collect::<alloc::vec::Vec<_>>().join(", ");
        fault(name, &format!("no such key of tcp traffic; there are {known}"))
    })?;
    let setting = key.read(value).map_err(|message| ParamError { name: name.to_string(), message })?;
    match (name, setting) {
        ("flavour", Setting::Word("tahoe")) => params.flavour = Flavour::Tahoe,
        ("flavour", Setting::Word("reno")) => params.flavour = Flavour::Reno,
        ("flavour", Setting::Word("newreno")) => params.flavour = Flavour::NewReno,
        ("flavour", Setting::Word("sack")) => params.flavour = Flavour::Sack,
        ("flavour", Setting::Word("vegas")) => params.flavour = Flavour::Vegas,
        ("flavour", Setting::Word("cubic")) => params.flavour = Flavour::Cubic,
        ("flavour", Setting::Word("dctcp")) => params.flavour = Flavour::Dctcp,
        ("flavour", Setting::Word("prague")) => params.flavour = Flavour::Prague,
        ("flavour", Setting::Word("bbr")) => params.flavour = Flavour::Bbr,
        ("flavour", _) => params.flavour = Flavour::Ledbat,
        ("window", Setting::Number(x)) => params.window = x as u32,
        ("packets", Setting::Number(x)) => params.packets = Some(x as u32),
        ("bytes", Setting::Number(x)) => params.bytes = Some(x as u64),
        ("packet", Setting::Number(x)) => params.packet = x as u32,
        ("headers", Setting::Number(x)) => params.headers = x as u32,
        ("ack_size", Setting::Number(x)) => params.ack_size = x as u32,
        ("sack_block_size", Setting::Number(x)) => params.sack_block_size = x as u32,
        ("sack_blocks", Setting::Number(x)) => params.sack_blocks = x as u32,
        ("min_rto", Setting::Time(t)) => params.min_rto = t,
        ("rto_floor", Setting::Word("timeout")) => params.rto_floor = RtoFloor::Timeout,
        ("rto_floor", _) => params.rto_floor = RtoFloor::Variance,
        ("max_rto", Setting::Time(t)) => params.max_rto = t,
        ("initial_rto", Setting::Time(t)) => params.initial_rto = t,
        ("tick", Setting::Time(t)) => params.tick = t,
        ("phase", Setting::Time(t)) => params.phase = Some(t),
        ("phase", _) => params.phase = None,
        ("initial_window", Setting::Number(x)) => params.initial_window = x,
        ("initial_ssthresh", Setting::Number(x)) => params.initial_ssthresh = Some(x as u32),
        ("initial_ssthresh", _) => params.initial_ssthresh = None,
        ("delayed_ack", Setting::Time(t)) => params.delayed_ack = (t > Span::ZERO).then_some(t),
        ("delayed_ack", _) => params.delayed_ack = None,
        ("quick_acks", Setting::Number(x)) => params.quick_acks = x as u32,
        ("quick_gap", Setting::Number(x)) => params.quick_gap = x as u32,
        ("write", Setting::Number(x)) => params.write = x as u32,
        ("sack_delay", Setting::Time(t)) => params.sack_delay = t,
        ("timer_tick", Setting::Time(t)) => params.timer_tick = t,
        ("ecn", Setting::Flag(on)) => params.ecn = on,
        ("syn", Setting::Flag(on)) => params.syn = on,
        ("limited_transmit", Setting::Flag(on)) => params.limited_transmit = on,
        ("timestamps", Setting::Flag(on)) => params.timestamps = on,
        ("dupack_threshold", Setting::Number(x)) => params.dupack_threshold = x as u32,
        ("recovery", Setting::Word("ns2")) => params.recovery = Recovery::Ns2,
        ("recovery", _) => params.recovery = Recovery::Rfc,
        ("halving", Setting::Word("real")) => params.halving = Halving::Real,
        ("halving", Setting::Word("whole")) => params.halving = Halving::Whole,
        ("halving", _) => params.halving = Halving::Flight,
        ("counting", Setting::Word("acks")) => params.counting = Counting::Acks,
        ("counting", _) => params.counting = Counting::Packets,
        ("prr", Setting::Flag(on)) => params.prr = on,
        ("rescue", Setting::Flag(on)) => params.rescue = on,
        ("rack", Setting::Flag(on)) => params.rack = on,
        ("tlp", Setting::Flag(on)) => params.tlp = on,
        ("pacing", Setting::Flag(on)) => params.pacing = on,
        ("hystart", Setting::Word("off")) => params.hystart = Hystart::Off,
        ("hystart", Setting::Word("on")) => params.hystart = Hystart::On,
        ("hystart", _) => params.hystart = Hystart::Plus,
        ("impatient", Setting::Flag(on)) => params.impatient = on,
        ("deflation", Setting::Flag(on)) => params.deflation = on,
        ("alpha", Setting::Number(x)) => params.alpha = x,
        ("beta", Setting::Number(x)) => params.beta = x,
        ("gamma", Setting::Number(x)) => params.gamma = x,
        ("target", Setting::Time(t)) => params.target = t,
        ("gain", Setting::Number(x)) => params.gain = x,
        ("margin", Setting::Number(x)) => params.margin = x,
        _ => return Err(fault(name, "this kind of value does not fit")),
    }
    Ok(())
}

/// A value that has been checked against its line of the table.
enum Setting {
    Number(f64),
    Time(Span),
    Flag(bool),
    Word(&'static str),
}

impl KeyInfo {
    /// Check a value against kind and range.
    fn read(&self, value: &Value) -> Result<Setting, String> {
        let words = if let Kind::Choice(words) = self.kind { words } else { self.words };
        if let Value::Text(text) = value {
            return words
                .iter()
                .find(|word| *word == text)
                .map(|word| Setting::Word(word))
                .ok_or_else(|| format!("\"{text}\" is not allowed; {}", self.allowed()));
        }
        let (setting, x) = match (self.kind, value) {
            (Kind::Flag, Value::Flag(on)) => return Ok(Setting::Flag(*on)),
            // "delayed_ack = false" is the word "off"; "hystart = true" is "on".
            (_, Value::Flag(false)) if words.contains(&"off") => return Ok(Setting::Word("off")),
            (_, Value::Flag(true)) if words.contains(&"on") => return Ok(Setting::Word("on")),
            (Kind::Time, Value::Time(t)) => (Setting::Time(*t), t.as_secs()),
            (Kind::Size, Value::Number(x) | Value::Bytes(x))
            | (Kind::Number | Kind::Integer, Value::Number(x) | Value::Packets(x)) => (Setting::Number(*x), *x),
            _ => return Err(self.allowed()),
        };
        if self.kind == Kind::Integer && x != penstock_core::math::floor(x) {
            return Err(format!("{x} is not a whole number"));
        }
        match self.range {
            Some((low, high)) if !(low..=high).contains(&x) => Err(format!("{x} is out of range; {}", self.allowed())),
            _ => Ok(setting),
        }
    }

    /// What is allowed, as a clause.
    fn allowed(&self) -> String {
        let words = if let Kind::Choice(words) = self.kind { words } else { self.words };
        let kind = match self.kind {
            Kind::Flag => "true or false".to_string(),
            Kind::Choice(_) => String::new(),
            Kind::Time => "a time".to_string(),
            _ => "a number".to_string(),
        };
        let range = match self.range {
            Some((low, high)) => format!(" from {low} to {high} {}", self.unit).trim_end().to_string(),
            None => String::new(),
        };
        let or = if words.is_empty() || kind.is_empty() { "" } else { " or " };
        format!("allowed: {kind}{}{or}{}", if range.is_empty() { "" } else { &range }, words.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(pairs: &[(&str, Value)]) -> alloc::vec::Vec<(String, Value)> {
        pairs.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()
    }

    #[test]
    fn every_default_is_a_legal_value() {
        for profile in Profile::ALL {
            let mut params = TcpParams::of(profile);
            for key in &KEYS {
                let Some(value) = key.default(profile).value() else { continue };
                assert_eq!(set(&mut params, key.name, &value), Ok(()), "{} in {}", key.name, profile.name());
            }
            assert_eq!(params, TcpParams::of(profile));
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
        assert_eq!(linux.delayed_ack, Some(Span::from_millis(40)));
    }

    #[test]
    fn all_faults_are_told_at_once() {
        let wrong = settings(&[
            ("windw", Value::Number(3.0)),
            ("window", Value::Number(0.5)),
            ("flavour", Value::Text("westwood".to_string())),
            ("min_rto", Value::Number(1.0)),
            ("ecn", Value::Text("yes".to_string())),
            ("packets", Value::Number(3.0)),
            ("bytes", Value::Bytes(3000.0)),
        ]);
        let faults = TcpParams::from_settings(Profile::Ns2, &wrong).expect_err("faults");
        let names: alloc::vec::Vec<_> = faults.iter().map(|fault| fault.name.as_str()).collect();
        assert_eq!(names, ["windw", "window", "flavour", "min_rto", "ecn", "bytes"]);
        assert!(faults[1].message.contains("whole"), "{}", faults[1].message);
        assert!(faults[2].message.contains("vegas"), "{}", faults[2].message);
        assert!(faults[3].message.contains("a time from 0 to 10000 s"), "{}", faults[3].message);
    }

    #[test]
    fn delayed_acknowledgements_are_a_time_or_off() {
        let delay = |value| TcpParams::from_settings(Profile::Linux, &settings(&[("delayed_ack", value)]));
        assert_eq!(delay(Value::Flag(false)).expect("off").delayed_ack, None);
        assert_eq!(delay(Value::Text("off".to_string())).expect("off").delayed_ack, None);
        let tenth = Span::from_millis(100);
        assert_eq!(delay(Value::Time(tenth)).expect("a time").delayed_ack, Some(tenth));
        assert!(delay(Value::Flag(true)).is_err());
    }
}
