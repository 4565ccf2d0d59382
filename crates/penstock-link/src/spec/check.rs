//! Validation of a link.

use super::{ChangeSpec, Draw, JitterSpec, LinkSpec, LossSpec, OutageSpec, StatesSpec, When};

const BELOW_ONE: &str = "must be from 0 to below 1";

fn probability(p: f64) -> bool {
    (0.0..=1.0).contains(&p)
}

fn correlation(rho: f64) -> bool {
    (0.0..1.0).contains(&rho)
}

impl LinkSpec {
    /// Check every value: calls `report` with the path and the message of each condition that fails.
    pub fn check(&self, report: &mut impl FnMut(&str, &str)) {
        let mut require = |holds: bool, key: &str, message: &str| {
            if !holds {
                report(&format!("links.{}.{key}", self.name), message);
            }
        };
        require(self.from != self.to, "to", "must be another node than from");
        require(self.rate.within(1.0, 1e13), "rate", "must be from 1 bit/s to 10 Tbit/s");
        require(self.delay.within(0.0, 1e13), "delay", "must be from 0 s to 10 000 s");
        self.check_framing(&mut require);
        require(self.device_queue.is_none() || self.queue.is_some(), "device_queue", "needs a queue above it");
        self.check_loss(&mut require);
        self.check_order(&mut require);
        for (i, change) in self.change.iter().enumerate() {
            change.check(&format!("change[{i}]"), &mut require);
        }
        if let Some(millis) = &self.capacity_ms {
            require(millis.last() > Some(&0), "capacity", "must have an instant after 0 ms");
            require(millis.is_sorted(), "capacity", "must be in order of time");
        }
        require(self.outage.iter().all(|outage| outage.for_ns > 0), "outage", "each must last longer than 0 s");
        let apart = |pair: &[OutageSpec]| pair[0].at_ns.saturating_add(pair[0].for_ns) <= pair[1].at_ns;
        require(self.outage.windows(2).all(apart), "outage", "each must not start before the end of the one before");
        let shares = self.shares.iter().all(|[low, high]| low < high);
        require(shares, "queue.share", "each must be [low, high] with low below high");
    }

    fn check_framing(&self, require: &mut impl FnMut(bool, &str, &str)) {
        require(
            self.framing.framing().is_some(),
            "framing",
            "must have an overhead of -64 to 256 B and an mpu of 0 to 256 B",
        );
        let is_framed = !self.framing().is_none();
        require(
            !is_framed || self.capacity_ms.is_none(),
            "framing",
            "needs a rate: an opportunity of a trace carries 1500 B of IP packets",
        );
    }

    fn check_loss(&self, require: &mut impl FnMut(bool, &str, &str)) {
        match &self.loss {
            Some(LossSpec::Rate(p)) => require(probability(*p), "loss.rate", "must be from 0 to 1"),
            Some(LossSpec::Gilbert(channel)) => {
                for (key, p) in [("p", channel.p), ("r", channel.r), ("good", channel.good), ("bad", channel.bad)] {
                    require(probability(p), &format!("loss.gilbert.{key}"), "must be from 0 to 1");
                }
                require(channel.r > 0.0, "loss.gilbert.r", "must be above 0, or the bad state lasts for ever");
            }
            Some(LossSpec::Correlated(chance)) => {
                require(probability(chance.rate), "loss.correlated.rate", "must be from 0 to 1");
                require(correlation(chance.correlation), "loss.correlated.correlation", BELOW_ONE);
            }
            Some(LossSpec::States(states)) => states.check(require),
            Some(LossSpec::Arrivals(_)) | None => {}
        }
    }

    /// The jitter, the reordering and the duplicates.
    fn check_order(&self, require: &mut impl FnMut(bool, &str, &str)) {
        match &self.jitter {
            Some(JitterSpec::Added(draw)) => {
                require(draw.within(0.0, 1e13), "jitter", "must be from 0 s to 10 000 s");
            }
            Some(JitterSpec::Around(around)) => {
                let time = (0.0..=1e13).contains(&around.deviation);
                require(time, "jitter.deviation", "must be from 0 s to 10 000 s");
                require(correlation(around.correlation), "jitter.correlation", BELOW_ONE);
            }
            None => {}
        }
        if let Some(reorder) = &self.reorder {
            require(probability(reorder.rate), "reorder.rate", "must be from 0 to 1");
            require(correlation(reorder.correlation), "reorder.correlation", BELOW_ONE);
            let delay = reorder.delay.as_ref().is_none_or(|draw| draw.within(0.0, 1e13));
            require(delay, "reorder.delay", "must be from 0 s to 10 000 s");
        }
        if let Some(duplicate) = &self.duplicate {
            require(probability(duplicate.rate), "duplicate.rate", "must be from 0 to 1");
            require(correlation(duplicate.correlation), "duplicate.correlation", BELOW_ONE);
        }
    }
}

impl StatesSpec {
    fn check(&self, require: &mut impl FnMut(bool, &str, &str)) {
        let Self { p13, p31, p32, p23, p14 } = *self;
        for (key, p) in [("p13", p13), ("p31", p31), ("p32", p32), ("p23", p23), ("p14", p14)] {
            require(probability(p), &format!("loss.states.{key}"), "must be from 0 to 1");
        }
        require(p31 > 0.0, "loss.states.p31", "must be above 0, or a burst lasts for ever");
        require(p23 > 0.0, "loss.states.p23", "must be above 0, or a reception within a burst lasts for ever");
        require(p13 + p14 <= 1.0, "loss.states.p14", "must be at most 1 - p13");
        require(p31 + p32 <= 1.0, "loss.states.p32", "must be at most 1 - p31");
    }
}

impl ChangeSpec {
    fn check(&self, path: &str, require: &mut impl FnMut(bool, &str, &str)) {
        require(self.when != When::EveryNs(0), &format!("{path}.every"), "must be above 0 s");
        require(self.rate.is_some() || self.delay.is_some(), path, "must give a rate or a delay");
        let within = |draw: &Option<Draw>, low, high| draw.as_ref().is_none_or(|draw| draw.within(low, high));
        require(within(&self.rate, 1.0, 1e13), &format!("{path}.rate"), "must be from 1 bit/s to 10 Tbit/s");
        require(within(&self.delay, 0.0, 1e13), &format!("{path}.delay"), "must be from 0 s to 10 000 s");
    }
}
