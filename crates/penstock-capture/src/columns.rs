//! The packets of a capture as columns.

use crate::load::Load;
use crate::packet::{Packet, Tcp, Transport};
use crate::reader::Reader;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;

/// The packets of a capture in order of time, as rows of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// Senders and receivers. The port is 0 for packets without a TCP or UDP header. Address and port are 0 for packets
    /// without a complete IP header.
    pub endpoints: Vec<SocketAddr>,
    /// The notes of the capture as a [`Load`].
    pub notes: Vec<String>,
    rows: Vec<[i64; NAMES.len()]>,
}

/// The columns. A field that a packet lacks is 0, or -1 for TCP options.
///
/// `t_ns`: nanoseconds since 1970. `size`: bytes of the IP packet. `source`, `target`: indices into the endpoints.
/// `protocol`: 6 with a TCP header, 17 with a UDP header, otherwise 0. `payload`: bytes after that header. `seq` to
/// `window`: fields of the TCP header. `sack_from`, `sack_to`: edges of the first SACK block.
const NAMES: [&str; 18] = [
    "t_ns",
    "size",
    "source",
    "target",
    "protocol",
    "dscp",
    "ecn",
    "payload",
    "seq",
    "ack",
    "flags",
    "window",
    "mss",
    "scale",
    "sack_from",
    "sack_to",
    "tsval",
    "tsecr",
];

/// Value of an option that a packet lacks.
const MISSING: i64 = -1;

impl Columns {
    /// Read a file.
    ///
    /// # Errors
    /// The reason why the file cannot be used, worded as in [`Reader::open`].
    pub fn read(path: &Path) -> Result<Self, String> {
        Self::from_readers(|| Reader::open(path))
    }

    /// Each column with its name.
    pub fn columns(&self) -> impl Iterator<Item = (&'static str, impl Iterator<Item = i64>)> {
        NAMES.iter().enumerate().map(|(number, &name)| (name, self.rows.iter().map(move |row| row[number])))
    }

    fn from_readers(open: impl Fn() -> Result<Reader, String>) -> Result<Self, String> {
        let mut columns = Self::default();
        let mut numbers = HashMap::new();
        let load = Load::from_readers(open, |packet| {
            let ends = endpoints(packet).map(|endpoint| {
                *numbers.entry(endpoint).or_insert_with(|| {
                    let number = columns.endpoints.len() as u32;
                    columns.endpoints.push(endpoint);
                    i64::from(number)
                })
            });
            columns.rows.push(row(packet, ends));
        })?;
        columns.notes = load.notes;
        columns.rows.sort_by_key(|row| row[0]);
        Ok(columns)
    }
}

fn endpoints(packet: &Packet) -> [SocketAddr; 2] {
    let Some(headers) = packet.headers else {
        return [SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0); 2];
    };
    let (source_port, destination_port) = match headers.transport {
        Some(
            Transport::Tcp(Tcp { source_port, destination_port, .. })
            | Transport::Udp { source_port, destination_port, .. },
        ) => (source_port, destination_port),
        None => (0, 0),
    };
    [SocketAddr::new(headers.source, source_port), SocketAddr::new(headers.destination, destination_port)]
}

/// The values of [`NAMES`].
fn row(packet: &Packet, [source, target]: [i64; 2]) -> [i64; NAMES.len()] {
    let t_ns = i64::try_from(packet.time_ns).unwrap_or(i64::MAX);
    let (size, dscp, ecn) = (packet.length.into(), packet.dscp.into(), packet.ecn as i64);
    let (protocol, payload, tcp) = match packet.headers.and_then(|headers| headers.transport) {
        Some(Transport::Tcp(tcp)) => (6, tcp.payload.into(), Some(tcp)),
        Some(Transport::Udp { payload, .. }) => (17, payload.into(), None),
        None => (0, 0, None),
    };
    let [seq, ack, flags, window] = tcp
        .map_or([0; 4], |tcp| [tcp.sequence.into(), tcp.acknowledgement.into(), tcp.flags.0.into(), tcp.window.into()]);
    let options = tcp.map(|tcp| tcp.options).unwrap_or_default();
    let mss = options.mss.map_or(MISSING, i64::from);
    let scale = options.window_scale.map_or(MISSING, i64::from);
    let [sack_from, sack_to] = options.sack.map_or([MISSING; 2], |edges| edges.map(i64::from));
    let [tsval, tsecr] = options.timestamps.map_or([MISSING; 2], |stamps| stamps.map(i64::from));
    [
        t_ns, size, source, target, protocol, dscp, ecn, payload, seq, ack, flags, window, mss, scale, sack_from,
        sack_to, tsval, tsecr,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Captured, Order, ipv4, ipv6, pcap, reader, tcp, whole};
    use std::collections::BTreeMap;

    /// Link type of IP packets without a link-layer header.
    const RAW: u32 = 101;

    fn columns_of(frames: &[Captured]) -> (Vec<String>, BTreeMap<&'static str, Vec<i64>>) {
        let columns = Columns::from_readers(|| reader(&pcap(Order::Big, true, RAW, frames))).unwrap();
        let values = columns.columns().map(|(name, values)| (name, values.collect())).collect();
        (columns.endpoints.iter().map(ToString::to_string).collect(), values)
    }

    #[test]
    fn packets_are_in_order_of_time_and_refer_to_their_endpoints() {
        let udp = [&[0x10, 0, 0x20, 0, 0, 58, 0, 0][..], &[0; 50]].concat();
        let frames = [whole(9, ipv4(3, 6, &tcp(0x10, &[], 100))), whole(5, ipv6(0xb9, 17, &udp))];
        let (endpoints, columns) = columns_of(&frames);
        let six = ["fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd:fdfd", "fefe:fefe:fefe:fefe:fefe:fefe:fefe:fefe"];
        let expected = ["10.0.0.1:1000", "10.0.0.2:2000", &format!("[{}]:4096", six[0]), &format!("[{}]:8192", six[1])];
        assert_eq!(endpoints, expected);
        for (name, values) in [
            ("t_ns", [5, 9]),
            ("size", [98, 140]),
            ("source", [2, 0]),
            ("target", [3, 1]),
            ("protocol", [17, 6]),
            ("dscp", [0x2e, 0]),
            ("ecn", [1, 3]),
            ("payload", [50, 100]),
            ("seq", [0, 7]),
            ("ack", [0, 8]),
            ("flags", [0, 0x10]),
            ("window", [0, 0x0102]),
            ("mss", [-1, -1]),
            ("tsval", [-1, -1]),
        ] {
            assert_eq!(columns[name], values, "{name}");
        }
    }

    #[test]
    fn the_notes_are_those_of_the_load() {
        let frames = [whole(9, ipv4(0, 6, &tcp(0x10, &[], 100))), whole(5, ipv4(0, 6, &tcp(0x10, &[], 99)))];
        let bytes = pcap(Order::Big, true, RAW, &frames);
        let columns = Columns::from_readers(|| reader(&bytes)).unwrap();
        assert_eq!(columns.notes, Load::from_readers(|| reader(&bytes), |_| ()).unwrap().notes);
        assert_eq!(columns.notes, ["1 packet is out of order, by 4ns at most: sorted by time"]);
    }

    #[test]
    fn options_have_columns() {
        let stamps = [8, 10, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 2];
        let syn = ipv4(0, 6, &tcp(2, &[&[2, 4, 5, 180, 3, 3, 7, 1, 1, 1][..], &stamps].concat(), 0));
        let sack = ipv4(0, 6, &tcp(0x10, &[&[5, 10, 0, 0, 0, 3, 0, 0, 0, 4][..], &stamps].concat(), 0));
        let (_, columns) = columns_of(&[whole(0, syn), whole(1, sack)]);
        for (name, values) in [
            ("mss", [1460, -1]),
            ("scale", [7, -1]),
            ("sack_from", [-1, 3]),
            ("sack_to", [-1, 4]),
            ("tsval", [0xffff_ffff, 0xffff_ffff]),
            ("tsecr", [2, 2]),
        ] {
            assert_eq!(columns[name], values, "{name}");
        }
    }

    #[test]
    fn packets_without_headers_have_sizes_and_times() {
        let cut = |kept: usize| Captured {
            ticks: kept as u64,
            length: 1040,
            bytes: ipv4(0, 6, &tcp(0x10, &[], 1000))[..kept].to_vec(),
        };
        let (endpoints, columns) = columns_of(&[cut(10), cut(30)]);
        assert_eq!(endpoints, ["0.0.0.0:0", "10.0.0.1:0", "10.0.0.2:0"]);
        assert_eq!((&columns["size"], &columns["protocol"]), (&vec![1040, 1040], &vec![0, 0]));
    }
}
