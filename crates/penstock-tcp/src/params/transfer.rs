//! The data of a transfer: its number of packets, and the user data in each.

use super::TcpParams;

impl TcpParams {
    /// Number of packets of the transfer, the SYN included, which is also the number after the last packet;
    /// `u32::MAX` for an endless transfer.
    pub fn end(&self) -> u32 {
        let data = match (self.packets, self.bytes) {
            (Some(packets), _) => packets.min(self.packets_written()),
            (None, Some(bytes)) if self.has_writes() => self.packets_of_writes(bytes.0),
            (None, None) if self.writes.is_some() => self.packets_written(),
            (None, Some(bytes)) => u32::try_from(bytes.0.div_ceil(self.packet.0)).unwrap_or(u32::MAX),
            (None, None) => return u32::MAX,
        };
        data.saturating_add(u32::from(self.opens()))
    }

    /// User data before packet `seq`, in bytes.
    pub fn offset(&self, seq: u32) -> u64 {
        if self.has_writes() {
            let (offset, ..) = self.part_of_write(seq.saturating_sub(u32::from(self.opens())));
            return self.bytes.map_or(offset, |bytes| offset.min(bytes.0));
        }
        let full = u64::from(seq.saturating_sub(u32::from(self.opens()))) * self.packet.0;
        self.bytes.map_or(full, |bytes| full.min(self.recovery.transfer_size(bytes.0, self.packet.0)))
    }

    /// Whether a write of the application ends in data packet `seq`; the last packet of a transfer is not considered.
    #[inline]
    pub fn is_pushed(&self, seq: u32) -> bool {
        if self.has_writes() {
            return seq.checked_sub(u32::from(self.opens())).is_some_and(|number| self.part_of_write(number).2);
        }
        self.write.0 > 0 && self.offset(seq) / self.write.0 < self.offset(seq + 1) / self.write.0
    }

    /// User data in packet `seq`, in bytes. The last packet of a transfer of `bytes` may be short.
    #[inline]
    pub fn payload(&self, seq: u32) -> u32 {
        if self.has_writes() {
            return self.written_payload(seq);
        }
        if seq > 0 && self.bytes.is_none() {
            return self.packet.0 as u32;
        }
        if seq == 0 && self.opens() {
            return 0;
        }
        match self.bytes {
            Some(bytes) => {
                let rest = self.recovery.transfer_size(bytes.0, self.packet.0).saturating_sub(self.offset(seq));
                rest.min(self.packet.0) as u32
            }
            None => self.packet.0 as u32,
        }
    }

    /// Like [`Self::payload`], if the application writes at given times.
    fn written_payload(&self, seq: u32) -> u32 {
        let Some(number) = seq.checked_sub(u32::from(self.opens())) else { return 0 };
        let (offset, payload, _) = self.part_of_write(number);
        let left = self.bytes.map_or(u64::MAX, |bytes| bytes.0.saturating_sub(offset));
        payload.min(left) as u32
    }

    /// Number of data packets that carry all writes; `u32::MAX` if they do not end.
    fn packets_written(&self) -> u32 {
        if self.writes.is_some() { self.packets_of_writes(u64::MAX) } else { u32::MAX }
    }
}
