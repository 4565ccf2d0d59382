//! The writes of an application: a list of times and sizes, or one size at a constant interval.
//!
//! Each write begins a new packet, so that its last packet may be short, as with TCP_NODELAY.

use super::TcpParams;
use alloc::sync::Arc;
use alloc::vec::Vec;
use penstock_core::Span;
use penstock_core::param::{FromValue, Kind, Value};

/// Maximum length of a list of writes.
const MAX_WRITES: usize = 10_000;
/// Latest time of a write in nanoseconds, and largest size in bytes.
const MAX_NANOS: f64 = 1e18;
const MAX_BYTES: f64 = 4e18;

/// One write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// Time from the start of the connection.
    pub at: Span,
    /// User data.
    pub bytes: u64,
}

/// Writes in the order of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writes(Arc<[Write]>);

/// In canonical form: nanoseconds and bytes alternate.
impl FromValue for Writes {
    const KIND: Kind = Kind::Writes;
    fn from_value(value: &Value) -> Option<Self> {
        let numbers = Vec::<f64>::from_value(value)?;
        let (pairs, rest) = numbers.as_chunks::<2>();
        let is_legal = |[at, bytes]: &[f64; 2]| (0.0..=MAX_NANOS).contains(at) && (1.0..=MAX_BYTES).contains(bytes);
        let sound = rest.is_empty() && (1..=MAX_WRITES).contains(&pairs.len()) && pairs.iter().all(is_legal);
        let write = |&[at, bytes]: &[f64; 2]| Write { at: Span::from_nanos(at as u64), bytes: bytes as u64 };
        let writes: Arc<[Write]> = pairs.iter().map(write).collect();
        (sound && writes.is_sorted_by_key(|write| write.at)).then_some(Self(writes))
    }
}

/// The write that a packet belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WriteOfPacket {
    /// Data packets and bytes before it.
    first: u32,
    offset: u64,
    bytes: u64,
}

impl TcpParams {
    /// Whether the application writes at given times; otherwise it always has data to send.
    pub fn has_writes(&self) -> bool {
        self.writes.is_some() || self.period().is_some()
    }

    /// Size and interval of equal writes.
    fn period(&self) -> Option<(u64, Span)> {
        let bytes = if self.write.0 > 0 { self.write.0 } else { self.packet.0 };
        match (self.write_every, self.write_rate) {
            (Some(every), _) => Some((bytes, every)),
            (_, Some(rate)) => {
                let nanos = u128::from(bytes) * 8_000_000_000 / u128::from(rate.bits_per_second().max(1));
                Some((bytes, Span::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))))
            }
            _ => None,
        }
    }

    fn list(&self) -> &[Write] {
        self.writes.as_ref().map_or(&[], |writes| &writes.0)
    }

    /// Number of packets that carry a write of this size.
    fn packets_of(&self, bytes: u64) -> u32 {
        u32::try_from(bytes.div_ceil(self.packet.0)).unwrap_or(u32::MAX)
    }

    /// Time of write `number`, counted from 0, since the start of the connection; `None` after the last write.
    pub(crate) fn time_of_write(&self, number: u32) -> Option<Span> {
        match self.period() {
            Some((_, every)) => Some(Span::from_nanos(every.as_nanos().saturating_mul(u64::from(number)))),
            None => self.list().get(number as usize).map(|write| write.at),
        }
    }

    /// Number of packets that carry write `number`.
    pub(crate) fn packets_of_write(&self, number: u32) -> u32 {
        match self.period() {
            Some((bytes, _)) => self.packets_of(bytes),
            None => self.list().get(number as usize).map_or(0, |write| self.packets_of(write.bytes)),
        }
    }

    /// Number of data packets that carry the first `bytes` bytes of all writes; all of them if there are fewer.
    pub(super) fn packets_of_writes(&self, bytes: u64) -> u32 {
        if let Some((size, _)) = self.period() {
            let whole = u32::try_from(bytes / size).unwrap_or(u32::MAX);
            return whole.saturating_mul(self.packets_of(size)).saturating_add(self.packets_of(bytes % size));
        }
        let mut left = bytes;
        self.list().iter().fold(0_u32, |packets, write| {
            let part = write.bytes.min(left);
            left -= part;
            packets.saturating_add(self.packets_of(part))
        })
    }

    /// The write that data packet `number` belongs to; `None` if all writes end before it.
    pub(super) fn write_of(&self, number: u32) -> Option<WriteOfPacket> {
        if let Some((bytes, _)) = self.period() {
            let (each, before) = (self.packets_of(bytes), number / self.packets_of(bytes));
            return Some(WriteOfPacket { first: before * each, offset: u64::from(before) * bytes, bytes });
        }
        let (mut first, mut offset) = (0_u32, 0);
        for write in self.list() {
            let packets = self.packets_of(write.bytes);
            if number - first < packets {
                return Some(WriteOfPacket { first, offset, bytes: write.bytes });
            }
            (first, offset) = (first + packets, offset + write.bytes);
        }
        None
    }

    /// Bytes of all writes before data packet `number`, the bytes in it, and whether its write ends in it.
    pub(super) fn part_of_write(&self, number: u32) -> (u64, u64, bool) {
        let Some(WriteOfPacket { first, offset, bytes }) = self.write_of(number) else {
            return (self.list().iter().map(|write| write.bytes).sum(), 0, false);
        };
        let before = u64::from(number - first) * self.packet.0;
        let payload = (bytes - before).min(self.packet.0);
        (offset + before, payload, before + payload == bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Profile;
    use alloc::string::ToString;
    use alloc::vec;
    use penstock_core::Bytes;
    use penstock_core::Rate;

    fn listed(numbers: Vec<f64>) -> Result<TcpParams, penstock_core::param::ParamErrors> {
        TcpParams::from_settings(Profile::Linux, &[("writes".to_string(), Value::Numbers(numbers))])
    }

    /// Offset, payload and PSH of the first packets.
    fn packets(params: &TcpParams, count: u32) -> Vec<(u64, u32, bool)> {
        (0..count).map(|seq| (params.offset(seq), params.payload(seq), params.is_pushed(seq))).collect()
    }

    #[test]
    fn each_write_begins_a_new_packet() {
        // 3000 = 1460 + 1460 + 80, then 1460, then 1.
        let params = listed(vec![0.0, 3000.0, 5.0, 1460.0, 5.0, 1.0]).unwrap();
        let expected = [
            (0, 1460, false),
            (1460, 1460, false),
            (2920, 80, true),
            (3000, 1460, true),
            (4460, 1, true),
            (4461, 0, false),
        ];
        assert_eq!(packets(&params, 6), expected);
        assert_eq!(params.end(), 5);
        let times: Vec<_> = (0..4).map(|number| params.time_of_write(number).map(Span::as_nanos)).collect();
        assert_eq!(times, [Some(0), Some(5), Some(5), None]);
    }

    #[test]
    fn equal_writes_come_at_an_interval_or_at_a_rate() {
        let every =
            TcpParams { write: Bytes(3000), write_every: Some(Span::from_millis(40)), ..TcpParams::of(Profile::Linux) };
        let twice = [(0, 1460, false), (1460, 1460, false), (2920, 80, true), (3000, 1460, false), (4460, 1460, false)];
        assert_eq!(packets(&every, 5), twice);
        assert_eq!((every.end(), every.time_of_write(3)), (u32::MAX, Some(Span::from_millis(120))));
        // 3000 bytes at 600 kbit/s take 40 ms; without a size each write is one packet: 1460 bytes at 1.168 Mbit/s take
        // 10 ms.
        let rate = |write, rate| TcpParams {
            write: Bytes(write),
            write_rate: Some(Rate::from_bits_per_second(rate)),
            ..TcpParams::of(Profile::Linux)
        };
        assert_eq!(rate(3000, 600_000).time_of_write(3), Some(Span::from_millis(120)));
        assert_eq!(rate(0, 1_168_000).time_of_write(1), Some(Span::from_millis(10)));
    }

    #[test]
    fn a_transfer_cuts_the_last_write() {
        let params = |bytes| TcpParams {
            bytes: Some(Bytes(bytes)),
            write: Bytes(3000),
            write_every: Some(Span::from_millis(40)),
            ..TcpParams::of(Profile::Linux)
        };
        assert_eq!([1, 3000, 3001, 4500, 6000].map(|bytes| params(bytes).end()), [1, 3, 4, 5, 6]);
        assert_eq!([3, 4].map(|seq| params(4500).payload(seq)), [1460, 40]);
        assert_eq!(params(4500).offset(5), 4500);
        let few = TcpParams { bytes: Some(Bytes(2000)), ..listed(vec![0.0, 1000.0, 1.0, 1500.0, 2.0, 9.0]).unwrap() };
        assert_eq!((few.end(), few.payload(1)), (2, 1000));
    }

    #[test]
    fn impossible_writes_are_refused() {
        for numbers in [vec![], vec![1.0], vec![0.0, 0.0], vec![5.0, 10.0, 4.0, 10.0], vec![-1.0, 5.0]] {
            assert_eq!(listed(numbers.clone()).expect_err("an error")[0].name, "writes", "{numbers:?}");
        }
        let set = |keys: &[(&str, Value)]| {
            let settings: Vec<_> = keys.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
            TcpParams::from_settings(Profile::Linux, &settings).expect_err("an error")[0].name.clone()
        };
        let (every, rate) = (("write_every", Value::Time(Span::from_millis(1))), ("write_rate", Value::Number(1e6)));
        let (writes, write) = (("writes", Value::Numbers(vec![0.0, 9.0])), ("write", Value::Bytes(10.0)));
        assert_eq!(set(&[every.clone(), ("ecn", Value::Flag(true))]), "write_every");
        assert_eq!(set(&[write.clone(), every.clone(), rate.clone()]), "write_rate");
        assert_eq!(set(&[write.clone(), every, writes.clone()]), "writes");
        assert_eq!(set(&[rate, writes.clone()]), "writes");
        assert_eq!(set(&[write, writes]), "writes");
    }
}
