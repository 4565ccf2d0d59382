//! WRT: Bodin, Schelen, Pink 2000, as Bodin and Schelen 2001 give it.

use super::wred::{self, Average, Wred, precedence};
use super::{
    AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, capacity, each_with, guarded, number, word,
};
use penstock_core::Rng;

pub fn settings() -> Vec<Given> {
    each_with(wred::shared(), &[vec![], vec![("th_in", number(3.0))], vec![("th_in", word("auto"))]])
}

struct Wrt {
    wred: Wred,
    th_in: f64,
    avg_in: Average,
}

impl AqmScheme for Wrt {
    fn arrival(&mut self, queue: &Queue, item: &Item, rng: &mut Rng) -> Say {
        let Wred { average, levels, rule, in_bytes, .. } = &mut self.wred;
        let size = |item: &Item| if *in_bytes { f64::from(item.size) / 1000.0 } else { 1.0 };
        average.update(queue.now, queue.items.iter().map(size).sum());
        let mut level = precedence(item, rule, levels.len());
        if level == 0 {
            let is_in = |item: &&Item| precedence(item, rule, levels.len()) == 0;
            self.avg_in.update(queue.now, queue.items.iter().filter(is_in).map(size).sum());
            if self.avg_in.value > self.th_in {
                level = 1;
            }
        }
        self.wred.judge = level;
        let few = self.wred.few(queue);
        self.wred.levels[level].judge(self.wred.average.value, few, rng)
    }

    fn overflow(&mut self, queue: &Queue, item: &Item) {
        self.wred.overflow(queue, item);
    }

    fn idle(&mut self, now: u64) {
        self.wred.idle(now);
        self.avg_in.idle(now);
    }
}

pub fn oracle(s: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    let wred = Wred::new(s, link);
    let th_in = s.unless_auto("th_in").unwrap_or(wred.levels[1].max_th);
    guarded(Wrt { wred, th_in, avg_in: Average::new(s.unless_auto("w_q"), capacity(link, 1000.0)) }, link)
}
