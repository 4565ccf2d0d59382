//! AFD: Pan, Breslau, Prabhakar, Shenker 2003.

use super::{
    AqmScheme, Given, Item, LinkInfo, MS, Oracle, Queue, Say, Settings, each_with, early, flag, guarded,
    limit_in_packets, millis, number,
};
use penstock_core::param::Value;
use penstock_core::{Bytes, Rng};

pub fn settings() -> Vec<Given> {
    let own = vec![
        vec![],
        vec![("shadow", number(20.0)), ("sample", number(2.0)), ("interval", millis(20))],
        vec![("shadow", number(50.0)), ("sample", number(1.0)), ("q_ref", number(3.0)), ("a", number(0.5))],
        vec![("shadow", number(1.0)), ("sample", number(1.5)), ("mean_packet", Value::Bytes(300.0))],
        vec![("shadow", number(10.0)), ("sample", number(1.0)), ("b", number(0.3)), ("a", number(0.0))],
    ];
    each_with(own, &[vec![], vec![("ecn", flag(true))]])
}

struct Afd {
    most: usize,
    sample: f64,
    a: f64,
    b: f64,
    q_ref: f64,
    interval: u64,
    mean: f64,
    ecn: bool,
    /// Flow and size of the sampled packets.
    shadow: Vec<(usize, f64)>,
    m_fair: f64,
    q_old: f64,
    due: u64,
}

impl AqmScheme for Afd {
    fn arrival(&mut self, _queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        if rng.uniform() < 1.0 / self.sample {
            let entry = (item.flow, f64::from(item.size));
            if self.shadow.len() < self.most {
                self.shadow.push(entry);
            } else {
                self.shadow[rng.below(self.most as u64) as usize] = entry;
            }
        }
        let own = self.shadow.iter().filter(|(flow, _)| *flow == item.flow);
        let m = own.map(|(_, size)| size).sum::<f64>() / self.mean;
        if m > self.m_fair && rng.uniform() < 1.0 - self.m_fair / m { early(self.ecn) } else { Say::Pass }
    }

    fn due(&self) -> u64 {
        self.due
    }

    fn tick(&mut self, queue: &Queue) {
        let q = queue.len();
        let step = self.a * (self.q_old - self.q_ref) - self.b * (q - self.q_ref);
        self.m_fair = (self.m_fair + step).clamp(0.0, self.most as f64);
        self.q_old = q;
        self.due += self.interval;
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let (mean, most) = (s.number("mean_packet", 1000.0), s.number("shadow", 500.0));
    let interval = s.nanos("interval", 6 * MS + MS / 4);
    let aqm = Afd {
        most: most as usize,
        sample: s.number("sample", 10.0),
        a: s.number("a", 1.7),
        b: s.number("b", 1.8),
        q_ref: s
            .unless_auto("q_ref")
            .unwrap_or(limit_in_packets(&LinkInfo { mean_packet: Bytes(mean as u64), ..*link }) / 2.0),
        interval,
        mean,
        ecn: s.flag("ecn", false),
        shadow: Vec::new(),
        m_fair: most,
        q_old: 0.0,
        due: interval,
    };
    guarded(aqm, link)
}
