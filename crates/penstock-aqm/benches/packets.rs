//! Nanoseconds for one packet through each scheme: an arrival and a departure at a backlog of about ten packets.

use divan::Bencher;
use divan::counter::ItemsCount;
use penstock_aqm::{Env, LinkInfo, build, schemes};
use penstock_core::param::{Default, Value};
use penstock_core::{Bytes, Ecn, Limit, PacketMeta, Rate, Rng, Span, Time};

const PACKETS: u32 = 10_000;

fn main() {
    divan::main();
}

#[divan::bench(args = schemes().iter().map(|scheme| scheme.name))]
fn enqueue_and_dequeue(bencher: Bencher, scheme: &str) {
    let link = LinkInfo {
        rate: Rate::from_bits_per_second(1_500_000),
        limit: Limit::Packets(35),
        mean_packet: Bytes(1000),
        mtu: Bytes(1500),
        rtt: None,
        flows: None,
    };
    let params = schemes().iter().find(|info| info.name == scheme).unwrap().params;
    let required = params.iter().filter(|info| info.default == Default::Required);
    let settings: Vec<_> = required.map(|info| (info.name.to_string(), Value::Number(0.01))).collect();
    let mut queue = build::<PacketMeta>(scheme, &settings, &link).unwrap();
    let mut rng = Rng::stream(1, "bench");
    let mut now = Time::ZERO;
    let packet = PacketMeta { flow: 0, size: 1000, ecn: Ecn::Not, dscp: 0, protocol: 6, rare: None };
    bencher.counter(ItemsCount::new(PACKETS)).bench_local(|| {
        for _ in 0..PACKETS {
            now += Span::from_micros(5333);
            let mut env = Env { now, rng: &mut rng, probe: &mut (), facts: &() };
            queue.enqueue(&mut env, divan::black_box(packet));
            if queue.backlog().packets > 10 {
                divan::black_box(queue.dequeue(&mut env));
            }
        }
    });
}
