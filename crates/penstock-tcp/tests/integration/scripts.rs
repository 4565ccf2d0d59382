//! Single behaviours as scripts: arrivals with their times, and the packets that must be sent in response. One file a
//! rule, named by it.
//!
//! A script is a list of `TIME < EVENT` (what arrives) and `TIME > EXPECTED` (what is sent at that time), with `cwnd`, `ssthresh`
//! and `finished` as checks of the sender. An acknowledgement echoes the time at which the packet before its number was
//! last sent, or `echo=TIME`. Timers run by themselves. `sender` or `receiver` with settings begins a new case; a sender sends
//! single packets unless it sets `offload`.

use penstock_core::param::Value;
use penstock_core::{Ecn, Span, Time};
use penstock_tcp::{
    Ack, PacketSink, Profile, Receiver, ReceiverAck, SackBlock, SackBlocks, Segment, Sender, TcpParams,
};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

#[derive(Default)]
struct Outbox(VecDeque<Segment>);

impl PacketSink for Outbox {
    fn transmit(&mut self, segment: Segment) {
        self.0.push_back(segment);
    }
}

enum Case {
    Sender { sender: Box<Sender>, sent: Outbox, stamps: HashMap<u32, Time> },
    Receiver { receiver: Receiver, sent: VecDeque<(Time, ReceiverAck, SackBlocks)> },
}

fn milliseconds(text: &str) -> Option<Span> {
    text.strip_suffix("ms")?.parse().ok().map(Span::from_millis)
}

fn value(text: &str) -> Value {
    if let Some(span) = milliseconds(text) {
        return Value::Time(span);
    }
    if let Some(bytes) = text.strip_suffix('B').and_then(|bytes| bytes.parse().ok()) {
        return Value::Bytes(bytes);
    }
    if text.contains(':') {
        let writes = text.split(',').map(|write| write.split_once(':').expect("TIME:SIZE"));
        let numbers = writes.flat_map(|(at, bytes)| {
            let at = milliseconds(at).expect("a time");
            [at.as_nanos() as f64, bytes.strip_suffix('B').and_then(|bytes| bytes.parse().ok()).expect("a size")]
        });
        return Value::Numbers(numbers.collect());
    }
    match (text.parse(), text.parse()) {
        (Ok(number), _) => Value::Number(number),
        (_, Ok(flag)) => Value::Flag(flag),
        _ => Value::Text(text.to_string()),
    }
}

/// `5` or `5-7`, both ends included.
fn range(text: &str) -> (u32, u32) {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    (first.parse().expect("a number"), last.parse().expect("a number"))
}

/// The count in a word such as `ace5`; 0 without one.
fn ace(words: &[&str]) -> u8 {
    words.iter().find_map(|word| word.strip_prefix("ace")?.parse().ok()).unwrap_or_default()
}

impl Case {
    fn begin(line: &str) -> Self {
        let mut words = line.split_whitespace();
        let kind = words.next().expect("sender or receiver");
        let mut profile = Profile::Linux;
        let mut settings = vec![("offload".to_string(), Value::Flag(false))];
        for (key, text) in words.map(|word| word.split_once('=').expect("key=value")) {
            if key == "profile" {
                profile = Profile::from_name(text).expect("a profile");
            } else {
                settings.retain(|(given, _)| given != key);
                settings.push((key.to_string(), value(text)));
            }
        }
        let params = TcpParams::from_settings(profile, &settings).expect("legal settings");
        if kind == "receiver" {
            return Self::Receiver { receiver: Receiver::new(&params), sent: VecDeque::new() };
        }
        let mut sent = Outbox::default();
        let mut sender = Box::new(Sender::new(Arc::new(params)));
        sender.start(Time::ZERO, &mut sent);
        Self::Sender { sender, sent, stamps: HashMap::new() }
    }

    /// Run the timers that end before `now`, or at it.
    fn run_timers(&mut self, now: Time, included: bool) {
        let due = |timer: Option<Time>| timer.filter(|at| *at < now || (included && *at == now));
        match self {
            Self::Sender { sender, sent, .. } => {
                while let Some(at) = due(sender.timer()) {
                    sender.on_timer(at, sent);
                }
            }
            Self::Receiver { receiver, sent } => {
                while let Some(at) = due(receiver.timer()) {
                    sent.extend(receiver.on_timer(at).map(|ack| (at, ack, receiver.sack_blocks().into())));
                }
            }
        }
    }

    fn assert_nothing_sent(&self, place: &str) {
        match self {
            Self::Sender { sent, .. } => assert!(sent.0.is_empty(), "{place}: unexpected {:?}", sent.0),
            Self::Receiver { sent, .. } => assert!(sent.is_empty(), "{place}: unexpected {sent:?}"),
        }
    }

    fn arrives(&mut self, now: Time, words: &[&str]) {
        let number = range(words[1]).0;
        let is = |word| words.contains(&word);
        match self {
            Self::Sender { sender, sent, stamps } => {
                let blocks = words.iter().skip_while(|word| **word != "sack").skip(1).filter(|word| word.contains('-'));
                let blocks: Vec<_> =
                    blocks.map(|text| range(text)).map(|(start, last)| SackBlock { start, end: last + 1 }).collect();
                let sent_at = number.checked_sub(1).and_then(|seq| stamps.get(&seq)).copied().unwrap_or(Time::ZERO);
                let echo = words.iter().find_map(|word| milliseconds(word.strip_prefix("echo=")?));
                let stamp = echo.map_or(sent_at, |echo| Time::ZERO + echo);
                let (ece, ace) = (is("ece"), ace(words));
                let ack = Ack { ack: number, stamp, ece, ace, sack: &blocks, retransmission: false };
                sender.on_ack(now, &ack, sent);
            }
            Self::Receiver { receiver, sent } => {
                let segment = Segment {
                    seq: number,
                    stamp: now,
                    ecn: if is("ce") { Ecn::Ce } else { Ecn::Ect0 },
                    cwr: is("cwr"),
                    payload: 1460,
                    push: is("push"),
                    ..Segment::default()
                };
                sent.extend(receiver.ack_before(&segment).map(|ack| (now, ack, receiver.sack_blocks().into())));
                let ack = receiver.on_segment(now, &segment);
                sent.extend(ack.map(|ack| (now, ack, receiver.sack_blocks().into())));
            }
        }
    }

    fn expect(&mut self, now: Time, words: &[&str], place: &str) {
        let is = |word| words.contains(&word);
        match self {
            Self::Sender { sent, stamps, .. } => {
                let (first, last) = range(words[0]);
                for seq in first..=last {
                    let segment = sent.0.pop_front().unwrap_or_else(|| panic!("{place}: {seq} was not sent"));
                    let seen = (segment.stamp, segment.seq, segment.retransmission, segment.cwr, segment.ecn);
                    let ecn = match (is("ect"), is("ect1")) {
                        (true, _) => Ecn::Ect0,
                        (_, true) => Ecn::Ect1,
                        _ => Ecn::Not,
                    };
                    assert_eq!(seen, (now, seq, is("rtx"), is("cwr"), ecn), "{place}");
                    stamps.insert(seq, now);
                }
            }
            Self::Receiver { sent, .. } => {
                let (at, ack, blocks_sent) = sent.pop_front().unwrap_or_else(|| panic!("{place}: no acknowledgement"));
                let blocks: Vec<_> = words.iter().filter(|word| word.contains('-')).map(|text| range(text)).collect();
                let seen: Vec<_> = blocks_sent.iter().map(|block| (block.start, block.end - 1)).collect();
                let wanted = (now, range(words[1]).0, is("ece"), ace(words), blocks);
                assert_eq!((at, ack.ack, ack.ece, ack.ace, seen), wanted, "{place}");
            }
        }
    }

    fn check(&self, now: Time, words: &[&str], place: &str) {
        let Self::Sender { sender, .. } = self else { panic!("{place}: not a check of a receiver") };
        match words {
            ["finished"] => assert_eq!(sender.finished(), Some(now), "{place}"),
            [what, number] => {
                let seen = if *what == "cwnd" { sender.cwnd() } else { sender.ssthresh() };
                let wanted: f64 = number.parse().expect("a number");
                assert!((seen - wanted).abs() < 1e-3, "{place}: {what} is {seen}");
            }
            _ => panic!("{place}: unknown check"),
        }
    }
}

fn run(name: &str, script: &str) {
    let mut case: Option<Case> = None;
    for (number, line) in script.lines().enumerate() {
        let place = format!("{name}:{}: {line}", number + 1);
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] | ["#", ..] => {}
            ["sender" | "receiver", ..] => {
                if let Some(case) = &case {
                    case.assert_nothing_sent(&place);
                }
                case = Some(Case::begin(line));
            }
            [time, rest @ ..] => {
                let case = case.as_mut().expect("a case has begun");
                let now = Time::ZERO + milliseconds(time).expect("a time in ms");
                case.run_timers(now, rest[0] != "<");
                match rest {
                    ["<", event @ ..] => {
                        case.assert_nothing_sent(&place);
                        case.arrives(now, event);
                    }
                    [">", expected @ ..] => case.expect(now, expected, &place),
                    _ => case.check(now, rest, &place),
                }
            }
        }
    }
    case.expect("a case").assert_nothing_sent(name);
}

#[test]
fn scripts_hold() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scripts");
    let mut names: Vec<_> =
        std::fs::read_dir(folder).expect("the scripts").map(|entry| entry.expect("a file").path()).collect();
    names.sort();
    assert!(names.len() >= 15);
    for path in names {
        let script = std::fs::read_to_string(&path).expect("a script");
        run(&path.file_name().expect("a name").to_string_lossy(), &script);
    }
}
