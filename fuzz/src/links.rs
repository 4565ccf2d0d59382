//! Damaged packets for running links: a device hands them to a session and takes what the links deliver.

use crate::packets::any_packet;
use penstock_core::Rng;
use penstock_emu::device::Device;
use penstock_emu::ip::parse;
use penstock_emu::{Limits, Network, Session, Validity};
use penstock_sim::real_network;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::sleep;
use std::time::Duration;

const ADDRESSES: [Ipv4Addr; 2] = [Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2)];
const FRAME: usize = 1501;

/// The packets so far.
#[derive(Default)]
struct Counts {
    sent: AtomicU64,
    oversized: AtomicU64,
    delivered: AtomicU64,
}

/// A host that sends damaged packets to the other one, as fast as they are read.
struct Host {
    number: usize,
    rng: Rng,
    packets: u64,
    counts: Arc<Counts>,
    /// Has a byte that nobody reads, so that the device always looks readable.
    readable: UnixStream,
    _writer: UnixStream,
}

impl Host {
    fn new(number: usize, seed: u64, packets: u64, counts: &Arc<Counts>) -> io::Result<Self> {
        let (readable, mut writer) = UnixStream::pair()?;
        writer.write_all(&[0])?;
        let (rng, counts) = (Rng::stream(seed, format_args!("host {number}")), Arc::clone(counts));
        Ok(Self { number, rng, packets, counts, readable, _writer: writer })
    }
}

impl AsFd for Host {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.readable.as_fd()
    }
}

impl Device for Host {
    fn header(&self) -> usize {
        0
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        if self.packets == 0 {
            return Ok(None);
        }
        self.packets -= 1;
        let mut packet = any_packet(&mut self.rng);
        // Most packets of version 4 have an address of the hosts, sometimes the sender's own.
        if packet.len() >= 20 && packet[0] >> 4 == 4 && self.rng.chance(0.9) {
            let to = if self.rng.chance(0.02) { self.number } else { 1 - self.number };
            packet[12..16].copy_from_slice(&ADDRESSES[self.number].octets());
            packet[16..20].copy_from_slice(&ADDRESSES[to].octets());
        }
        let length = packet.len().min(buffer.len());
        buffer[..length].copy_from_slice(&packet[..length]);
        self.counts.sent.fetch_add(1, Relaxed);
        self.counts.oversized.fetch_add(u64::from(length >= FRAME), Relaxed);
        Ok(Some(length))
    }

    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        let header = parse(frame).expect("links deliver only packets");
        // All but its own packets go to the other one of two hosts.
        let other = ADDRESSES[1 - self.number].to_ipv6_mapped().to_bits();
        assert_ne!(header.key.dst, other, "delivered to the wrong host");
        self.counts.delivered.fetch_add(1, Relaxed);
        Ok(())
    }

    fn unsent(&self) -> u64 {
        0
    }

    fn lost(&self) -> io::Result<u64> {
        Ok(0)
    }
}

/// Two links that carry this number of packets at most: all are delivered, dropped by the queues, or refused, and counted.
pub fn fuzz(seed: u64, packets: u64) -> Result<String, String> {
    let counts = Arc::new(Counts::default());
    let result = run(seed, packets, &counts).map_err(|error| format!("links of seed {seed}: {error}"))?;
    let link = |name: &str, metric: &str| result["links"][name][metric].as_u64().expect("a count");
    let both = |metric| link("there", metric) + link("back", metric);
    let ignored = |reason: &str| result["ignored"][reason].as_u64().expect("a count");
    let (malformed, unroutable) = (ignored("malformed"), ignored("unroutable"));
    let [sent, oversized, delivered] = [&counts.sent, &counts.oversized, &counts.delivered].map(|n| n.load(Relaxed));
    let lost = result["lost_before_queue"].as_u64().expect("a count");
    let reasons = result["invalid_because"].to_string();
    let accounts = [
        ("all were sent", sent == packets),
        ("those sent were carried or refused", sent == both("arrivals") + malformed + unroutable + lost),
        ("those carried were delivered or dropped", both("arrivals") == delivered + both("drops")),
        ("packets were conserved", !reasons.contains("conserved")),
        ("long ones were noticed", lost >= oversized),
    ];
    let told = format!(
        "links: {sent} packets, {malformed} malformed, {unroutable} unroutable, {lost} too long or without memory, \
         {} dropped, {} marked, {delivered} delivered",
        both("drops"),
        both("marks")
    );
    match accounts.iter().find(|(_, holds)| !holds) {
        None => Ok(told),
        Some((account, _)) => Err(format!("links of seed {seed}: not {account}: {told}; {reasons}")),
    }
}

fn run(seed: u64, packets: u64, counts: &Arc<Counts>) -> Result<Value, String> {
    let link = |name, from, to, queue| json!({"name": name, "from": from, "to": to, "rate": 5e7, "delay": 1e5, "watch": true, "queue": queue});
    let red = json!({"scheme": "red", "limit": {"packets": 100}, "params": {"ecn": true}});
    let fq_codel = json!({"scheme": "fq-codel", "limit": {"packets": 420}, "params": {"target": {"ns": 100_000}}});
    let scenario = json!({
        "duration_ns": 1_000_000_000_000_000_u64, "traffic": [],
        "links": [link("there", "A", "B", red), link("back", "B", "A", fq_codel)],
    });
    let scenario = serde_json::from_value(scenario).map_err(|error| error.to_string())?;
    let plan = real_network(&scenario, seed, &["A".to_owned(), "B".to_owned()]).map_err(|e| format!("{e:?}"))?;
    let addresses = ADDRESSES.map(|address| vec![address.to_ipv6_mapped().to_bits()]);
    let limits = Limits { frame: FRAME, header: 0, memory: 1 << 20, overhead: 0 };
    let network = Network::new(plan, &addresses, &limits, false).map_err(|errors| format!("{errors:?}"))?;
    let host = |number| Host::new(number, seed, packets / 2, counts).map(|host| Box::new(host) as Box<dyn Device>);
    let devices = [host(0), host(1)].into_iter().collect::<io::Result<Vec<_>>>().map_err(|error| error.to_string())?;
    let session = Session::start(network, devices, Validity::default()).map_err(|error| error.to_string())?;
    while counts.sent.load(Relaxed) < packets && session.snapshot().is_some() {
        sleep(Duration::from_millis(20));
    }
    sleep(Duration::from_millis(200)); // the last ones arrive
    let outcome = session.stop().ok_or("the thread of the links panicked")?;
    Ok(outcome.result.into())
}
