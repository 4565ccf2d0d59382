//! Counts of a sender.

/// Counts of a sender since its start. Subtract an earlier copy to get the counts of an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SenderCounts {
    /// Integral of the congestion window over time, in packets times seconds.
    pub cwnd_integral: f64,
    /// Packets sent, retransmissions included.
    pub sent: u64,
    /// Retransmissions.
    pub retransmitted: u64,
    /// Retransmission timeouts with data outstanding.
    pub timeouts: u64,
    /// Fast retransmits: losses revealed by duplicate or selective ACKs.
    pub fast_retransmits: u64,
    /// Reductions of the window in response to echoed marks.
    pub ecn_responses: u64,
    /// Sum of the measured round trips, in seconds.
    pub rtt_sum_s: f64,
    /// Number of measured round trips.
    pub rtt_samples: u64,
    /// Sum of SRTT after each measurement, in seconds.
    pub srtt_sum_s: f64,
}

impl core::ops::AddAssign for SenderCounts {
    fn add_assign(&mut self, more: Self) {
        self.sent += more.sent;
        self.retransmitted += more.retransmitted;
        self.timeouts += more.timeouts;
        self.fast_retransmits += more.fast_retransmits;
        self.ecn_responses += more.ecn_responses;
        self.rtt_sum_s += more.rtt_sum_s;
        self.rtt_samples += more.rtt_samples;
        self.srtt_sum_s += more.srtt_sum_s;
        self.cwnd_integral += more.cwnd_integral;
    }
}

impl core::ops::Sub for SenderCounts {
    type Output = Self;

    /// The counts since `earlier`.
    fn sub(self, earlier: Self) -> Self {
        Self {
            sent: self.sent - earlier.sent,
            retransmitted: self.retransmitted - earlier.retransmitted,
            timeouts: self.timeouts - earlier.timeouts,
            fast_retransmits: self.fast_retransmits - earlier.fast_retransmits,
            ecn_responses: self.ecn_responses - earlier.ecn_responses,
            rtt_sum_s: self.rtt_sum_s - earlier.rtt_sum_s,
            rtt_samples: self.rtt_samples - earlier.rtt_samples,
            srtt_sum_s: self.srtt_sum_s - earlier.srtt_sum_s,
            cwnd_integral: self.cwnd_integral - earlier.cwnd_integral,
        }
    }
}
