//! Validation of a link.

use super::{ChangeSpec, Draw, LinkSpec, LossSpec, OutageSpec, When};

impl LinkSpec {
    /// Check every value: calls `require` with each condition, the key and the message if the condition fails.
    pub fn check(&self, require: &mut impl FnMut(bool, &str, &str)) {
        let path = |key: &str| format!("links.{}.{key}", self.name);
        require(self.from != self.to, &path("to"), "must be another node than from");
        require(self.rate.within(1.0, 1e13), &path("rate"), "must be from 1 bit/s to 10 Tbit/s");
        require(self.delay.within(0.0, 1e13), &path("delay"), "must be from 0 s to 10 000 s");
        require(self.device_queue.is_none() || self.queue.is_some(), &path("device_queue"), "needs a queue above it");
        let probability = |p: f64| (0.0..=1.0).contains(&p);
        match &self.loss {
            Some(LossSpec::Rate(p)) => require(probability(*p), &path("loss.rate"), "must be from 0 to 1"),
            Some(LossSpec::Gilbert(channel)) => {
                for (key, p) in [("p", channel.p), ("r", channel.r), ("good", channel.good), ("bad", channel.bad)] {
                    require(probability(p), &path(&format!("loss.gilbert.{key}")), "must be from 0 to 1");
                }
                require(channel.r > 0.0, &path("loss.gilbert.r"), "must be above 0, or the bad state lasts for ever");
            }
            Some(LossSpec::Arrivals(_)) | None => {}
        }
        let jitter = self.jitter.as_ref().is_none_or(|draw| draw.within(0.0, 1e13));
        require(jitter, &path("jitter"), "must be from 0 s to 10 000 s");
        if let Some(reorder) = &self.reorder {
            require(probability(reorder.rate), &path("reorder.rate"), "must be from 0 to 1");
            require(reorder.delay.within(0.0, 1e13), &path("reorder.delay"), "must be from 0 s to 10 000 s");
        }
        for (i, change) in self.change.iter().enumerate() {
            change.check(&path(&format!("change[{i}]")), require);
        }
        if let Some(millis) = &self.capacity_ms {
            require(millis.last() > Some(&0), &path("capacity"), "must have an instant after 0 ms");
            require(millis.is_sorted(), &path("capacity"), "must be in order of time");
        }
        require(self.outage.iter().all(|outage| outage.for_ns > 0), &path("outage"), "each must last longer than 0 s");
        let apart = |pair: &[OutageSpec]| pair[0].at_ns.saturating_add(pair[0].for_ns) <= pair[1].at_ns;
        require(
            self.outage.windows(2).all(apart),
            &path("outage"),
            "each must not start before the end of the one before",
        );
        let shares = self.shares.iter().all(|[low, high]| low < high);
        require(shares, &path("queue.share"), "each must be [low, high] with low below high");
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
