//! Validation of a scenario: collects all its errors.

use super::{Draw, HeaderField, OnUnit, Scenario, SizeUnit, StartSpec, TcpSpec, TrafficKind, TrafficSpec, VideoSpec};
use crate::name_hash::NameSet;
use penstock_core::param::Value;
use penstock_link::ScenarioError;
use std::hash::BuildHasherDefault;

/// Largest number of flows: their numbers and timers must fit into the keys of the event queue.
const MAX_FLOWS: u64 = 4_000_000;

/// Largest block of forward error correction, in packets: the longest block of a code over symbols of 16 bits.
const MAX_IN_BLOCK: u32 = 65_535;

impl Scenario {
    /// Errors that need neither routes nor registries to be found.
    pub(crate) fn errors(&self) -> Vec<ScenarioError> {
        let mut errors = Vec::new();
        let mut require = |holds: bool, path: &str, message: &str| {
            if !holds {
                errors.push(ScenarioError::new(path, message.to_owned()));
            }
        };
        require(self.duration_ns > 0, "duration", "must be above 0 s");
        require(self.warmup_ns < self.duration_ns, "warmup", "must be below duration");
        require(self.sampling_ns > 0, "sampling", "must be above 0 s");
        require(!self.links.is_empty(), "links", "at least one link is needed");
        let flows: u64 = self.traffic.iter().map(|group| u64::from(group.count)).sum();
        require(flows <= MAX_FLOWS, "traffic", "at most 4 000 000 flows are possible");
        let mut report = |path: &str, message: &str| errors.push(ScenarioError::new(path, message.to_owned()));
        let mut names = NameSet::with_capacity_and_hasher(self.links.len(), BuildHasherDefault::default());
        for link in &self.links {
            if !names.insert(link.name.as_str()) {
                report(&format!("links.{}", link.name), "is defined twice");
            }
            link.check(&mut report);
            if link.duplicate.is_some() && self.traffic.iter().any(TrafficSpec::counts_each_packet_once) {
                let path = format!("links.{}.duplicate", link.name);
                report(&path, "is not possible with traffic of the kinds fec and video, which count each packet once");
            }
        }
        let mut names = NameSet::default();
        for group in &self.traffic {
            if !names.insert(group.name.as_str()) {
                report(&format!("traffic.{}", group.name), "is defined twice");
            }
            let loads = |name: &String| self.traffic.iter().any(|other| other.name == *name && other.lasts());
            if !group.rpm_of.iter().all(loads) {
                report(&format!("traffic.{}.rpm_of", group.name), "must name tcp flows that send during the whole run");
            }
            group.check(&mut |holds, key, message| {
                if !holds {
                    report(&format!("traffic.{}.{key}", group.name), message);
                }
            });
        }
        errors
    }
}

impl TrafficSpec {
    /// Whether a packet that arrives twice would count as two packets of a block or frame.
    fn counts_each_packet_once(&self) -> bool {
        matches!(self.kind, TrafficKind::Fec | TrafficKind::Video)
    }

    /// Calls `require` with each condition, its key, and the message if it fails.
    fn check(&self, require: &mut impl FnMut(bool, &str, &str)) {
        require(!self.from.is_empty(), "from", "a node is needed");
        require(!self.to.is_empty(), "to", "a node is needed");
        require(self.codepoint() < 64, "dscp", "must be from 0 to 63");
        let replays = self.kind == TrafficKind::Replay;
        require(replays || self.dscp != HeaderField::Recorded, "dscp", "can be recorded only in packets of replay");
        require(replays || self.ecn != HeaderField::Recorded, "ecn", "can be recorded only in packets of replay");
        let ordered = match self.start {
            StartSpec::Uniform { uniform_ns: [low, high] } => low <= high,
            StartSpec::Staggered { .. } => true,
        };
        require(ordered, "start", "the first of uniform must not be above the second");
        require(
            !self.watch || self.lasts(),
            "watch",
            "applies only to TCP flows whose connection lasts for the whole run",
        );
        if let Some(onoff) = &self.onoff {
            let longest = if onoff.unit == OnUnit::Packets { 4e9 } else { 1e18 };
            require(onoff.on.within(1.0, longest), "on", "must be at least one packet or 1 ns");
            require(onoff.off.within(0.0, 1e18), "off", "must be at least 0 s");
        }
        if let Some(web) = &self.web {
            require(web.pages.within(0.0, 1e18), "pages", "must be at least 0 s");
            require(web.objects.within(0.0, 4e9), "objects", "must be at least 0");
            require(web.gap.within(0.0, 1e18), "gap", "must be at least 0 s");
            require(web.size.within(0.0, 1e15), "size", "must be at least 0 B");
            require(web.option <= 1, "option", "must be 0 or 1");
        }
        self.check_felt(require);
        self.check_sessions(require);
        self.check_datagrams(require);
    }

    /// What users feel: delays, calls, requirements of an application, and probes of the responsiveness.
    fn check_felt(&self, require: &mut impl FnMut(bool, &str, &str)) {
        require(!self.delays || self.tcp.is_some(), "delays", "applies to TCP; those of datagrams are always measured");
        let steady = self.udp.as_ref().is_some_and(|udp| {
            self.kind == TrafficKind::Cbr && matches!((&udp.rate, &udp.payload), (Draw::Fixed(_), Draw::Fixed(_)))
        });
        require(self.call.is_none() || steady, "call", "belongs to cbr with one rate and one packet size");
        let measured = self.tcp.is_none() || self.delays;
        require(self.qoo.is_none() || measured, "qoo", "needs the delays of the data packets");
        let shakes = |tcp: &TcpSpec| tcp.flavour != "vegas" && tcp.settings.get("syn") == Some(&Value::Flag(true));
        let probes = self.transfers.is_some() && self.tcp.as_ref().is_some_and(shakes);
        require(self.rpm_of.is_empty() || probes, "rpm_of", "belongs to tcp transfers with a handshake (syn = true)");
        if let Some(qoo) = &self.qoo {
            let rising = qoo.delays.is_sorted_by(|one, other| one.0 < other.0);
            require(rising, "qoo", "delays must be in ascending order of their percentiles, each once");
            let shares = qoo.delays.iter().all(|(share, _)| (0.0..=1.0).contains(share));
            require(shares, "qoo", "percentiles must be from 0 to 1");
            let ends =
                qoo.delays.iter().all(|(_, [low, high])| low < high) && qoo.loss.is_none_or(|[low, high]| low < high);
            require(ends, "qoo", "optimal values must be below unacceptable ones");
            require(!qoo.delays.is_empty() || qoo.loss.is_some(), "qoo", "needs delays, loss or both");
        }
    }

    /// Keys of traffic that opens connections.
    fn check_sessions(&self, require: &mut impl FnMut(bool, &str, &str)) {
        let mut belongs = |kind: TrafficKind, given: bool, key: &str| {
            let message = "belongs to one kind of traffic, which needs it";
            require((self.kind == kind) == given, key, message);
        };
        belongs(TrafficKind::Onoff, self.onoff.is_some(), "on");
        belongs(TrafficKind::Web, self.web.is_some(), "pages");
        belongs(TrafficKind::Incast, self.incast.is_some(), "every");
        belongs(TrafficKind::Video, self.video.is_some(), "fps");
        belongs(TrafficKind::Replay, self.replay.is_some(), "file");
        belongs(TrafficKind::Fec, self.fec.is_some(), "k");
        let sized = matches!(self.kind, TrafficKind::Tcp | TrafficKind::Incast);
        let complete = self.transfers.is_some() || self.kind != TrafficKind::Incast;
        require((sized || self.transfers.is_none()) && complete, "bytes", "belongs to tcp and incast");
        if let Some(transfers) = &self.transfers {
            let packets = transfers.unit == SizeUnit::Packets;
            let (key, most) = if packets { ("packets", 4e9) } else { ("bytes", 4e18) };
            require(transfers.size.within(1.0, most), key, "must be at least one packet or 1 B");
            let gaps = transfers.arrivals.as_ref().is_none_or(|gaps| gaps.within(1.0, 1e18));
            require(gaps, "arrivals", "must be at least 1 ns");
            require(transfers.classes.is_sorted(), "classes", "must be in rising order");
        }
        if let Some(incast) = &self.incast {
            require(incast.every_ns != Some(0), "every", "must be above 0 s");
            require(incast.pause.within(0.0, 1e18), "pause", "must be at least 0 s");
        }
    }

    fn check_datagrams(&self, require: &mut impl FnMut(bool, &str, &str)) {
        require(
            self.tcp.is_none() || self.ecn == HeaderField::default(),
            "ecn",
            "of TCP traffic belongs in its TCP settings",
        );
        if let Some(fec) = self.fec {
            require(fec.k >= 1, "k", "must be at least 1");
            let block = u64::from(fec.k) + u64::from(fec.h);
            require(block <= u64::from(MAX_IN_BLOCK), "h", "k + h must be at most 65 535");
            let fixed = self.udp.as_ref().is_none_or(|udp| matches!(udp.payload, Draw::Fixed(_)));
            require(fixed, "packet", "must be one size: a code takes as much from each packet of a block");
        }
        let bursts = self.kind == TrafficKind::Onoff && self.udp.is_some();
        if matches!(self.kind, TrafficKind::Video | TrafficKind::Replay) {
            let alone = self.tcp.is_none() && self.udp.is_none();
            require(alone, "kind", "has neither the keys of a TCP nor those of datagrams");
        } else if !bursts && !matches!(self.kind, TrafficKind::Cbr | TrafficKind::Poisson | TrafficKind::Fec) {
            require(self.tcp.is_some(), "kind", "needs the keys of a TCP");
        } else if let Some(udp) = &self.udp {
            require(udp.rate.within(1.0, 1e13), "rate", "must be from 1 bit/s to 10 Tbit/s");
            require(udp.payload.within(1.0, 65_535.0), "packet", "must be from 1 B to 65 535 B");
            require(udp.headers <= 1000, "headers", "must be at most 1000 B");
            require((0.0..=1.0).contains(&udp.jitter), "jitter", "must be from 0 to 1");
            require(udp.jitter == 0.0 || self.kind == TrafficKind::Cbr, "jitter", "belongs to cbr");
        } else {
            require(false, "kind", "datagrams need a rate and a packet size");
        }
        if let Some(video) = &self.video {
            video.check(require);
        }
        if let Some(replay) = &self.replay {
            require(replay.headers <= 1000, "headers", "must be at most 1000 B");
        }
    }
}

impl VideoSpec {
    fn check(&self, require: &mut impl FnMut(bool, &str, &str)) {
        require((1.0..=1e13).contains(&self.rate), "rate", "must be from 1 bit/s to 10 Tbit/s");
        require((0.001..=1e6).contains(&self.fps), "fps", "must be from 0.001 to 1 000 000 frames a second");
        let types = self.gop.len() <= 1000 && self.gop.bytes().all(|letter| b"IPB".contains(&letter));
        require(types && self.gop.starts_with('I'), "gop", "must be of the letters I, P and B, and begin with I");
        let sizes = self.sizes.iter().all(|size| (1e-6..=1e6).contains(size));
        require(sizes, "sizes", "must be numbers from 0.000001 to 1 000 000");
        require((0.0..=10.0).contains(&self.variation), "variation", "must be from 0 to 10");
        require((1..=65_535).contains(&self.payload), "packet", "must be from 1 B to 65 535 B");
        require(self.headers <= 1000, "headers", "must be at most 1000 B");
    }
}
