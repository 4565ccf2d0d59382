//! Validation of a link.

use super::{ChangeSpec, Draw, LinkSpec, LossSpec, OutageSpec, When};

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
        require(self.device_queue.is_none() || self.queue.is_some(), "device_queue", "needs a queue above it");
        let probability = |p: f64| (0.0..=1.0).contains(&p);
        match &self.loss {
            Some(LossSpec::Rate(p)) => require(probability(*p), "loss.rate", "must be from 0 to 1"),
            Some(LossSpec::Gilbert(channel)) => {
                for (key, p) in [("p", channel.p), ("r", channel.r), ("good", channel.good), ("bad", channel.bad)] {
                    require(probability(p), &format!("loss.gilbert.{key}"), "must be from 0 to 1");
                }
                require(channel.r > 0.0, "loss.gilbert.r", "must be above 0, or the bad state lasts for ever");
            }
            Some(LossSpec::Arrivals(_)) | None => {}
        }
        let jitter = self.jitter.as_ref().is_none_or(|draw| draw.within(0.0, 1e13));
        require(jitter, "jitter", "must be from 0 s to 10 000 s");
        if let Some(reorder) = &self.reorder {
            require(probability(reorder.rate), "reorder.rate", "must be from 0 to 1");
            require(reorder.delay.within(0.0, 1e13), "reorder.delay", "must be from 0 s to 10 000 s");
        }
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
