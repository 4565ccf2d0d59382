//! Video: frames of three types at a constant rate, each sent as a burst of datagrams.
//! Frame types and groups of pictures: ISO/IEC 11172-2 (MPEG-1); lognormal sizes of the frames of one type: M. Krunz,
//! R. Sass, H. Hughes, "Statistical Characteristics and Multiplexing of MPEG Streams", INFOCOM 1995.
//!
//! # Algorithm
//! Frame k is sent k / fps after the first, in datagrams that follow each other without a gap, all full but the last.
//! Its type is letter k modulo n of `gop`, which has n letters. Its size on the wire is lognormal; its mean is in
//! proportion to the size of its type, such that a group of pictures has rate n / fps bits on average. The last datagram
//! of a frame has at least one byte of payload.
//!
//! # Differences
//! * Sizes of frames are independent given their types: there are no scenes.
//! * They are sent in the order of `gop`; an encoder sends a frame after those that it refers to.

use crate::scenario::{DataUnit, Phase, VideoSpec};
use crate::traffic::datagram::{Datagram, FrameType, NewFrame, next_number};
use penstock_core::{Ecn, Rng, Span, Time};

/// A source of frames.
pub(crate) struct Video {
    spec: VideoSpec,
    gop: Vec<FrameType>,
    /// Mean bytes on the wire of I, P and B frames.
    means: [f64; 3],
    rng: Rng,
    /// Number of the next frame.
    number: u64,
    /// Bytes on the wire and datagrams that remain of the previous frame.
    bytes: u64,
    fragments: u32,
    pub(crate) sent: u32,
}

impl Video {
    /// The source that `spec` describes; `rng` is the flow's own stream.
    pub(crate) fn new(spec: &VideoSpec, rng: Rng) -> Self {
        let gop: Vec<FrameType> = spec.gop.bytes().map(FrameType::from_letter).collect();
        let weight: f64 = gop.iter().map(|kind| spec.sizes[*kind as usize]).sum();
        let bytes_in_gop = spec.rate / 8.0 * gop.len() as f64 / spec.fps;
        let means = spec.sizes.map(|size| bytes_in_gop * size / weight);
        Self { spec: spec.clone(), gop, means, rng, number: 0, bytes: 0, fragments: 0, sent: 0 }
    }

    /// Time from the start of the flow to its first frame.
    pub(crate) fn first_gap(&mut self) -> Span {
        match self.spec.phase {
            Phase::Zero => Span::ZERO,
            Phase::Random => Span::from_secs(self.rng.between(0.0, 1.0 / self.spec.fps)),
        }
    }

    /// The next datagram.
    pub(crate) fn next(&mut self) -> Datagram {
        let frame = (self.fragments == 0).then(|| self.begin());
        let full = self.spec.payload + self.spec.headers;
        self.fragments -= 1;
        let size = if self.fragments > 0 { full } else { (self.bytes as u32).max(self.spec.headers + 1) };
        self.bytes -= u64::from(size).min(self.bytes);
        let gap = if self.fragments > 0 {
            Span::ZERO
        } else {
            self.time_of(self.number).since(self.time_of(self.number - 1))
        };
        let seq = self.sent;
        self.sent = next_number(seq);
        Datagram { payload: size - self.spec.headers, size, seq, gap, ecn: Ecn::Not, dscp: 0, frame }
    }

    /// The next frame.
    fn begin(&mut self) -> NewFrame {
        let count = self.gop.len() as u64;
        let kind = self.gop[(self.number % count) as usize];
        let mean = self.means[kind as usize];
        let bytes = if self.spec.variation > 0.0 { self.rng.lognormal(mean, self.spec.variation) } else { mean };
        self.bytes = bytes.round().clamp(1.0, 1e12) as u64;
        self.fragments = self.bytes.div_ceil(u64::from(self.spec.payload + self.spec.headers)) as u32;
        let unit = if self.spec.unit == DataUnit::Gop { self.number / count } else { self.number } as u32;
        self.number += 1;
        NewFrame { kind, fragments: self.fragments, unit }
    }

    /// Sending time of a frame, if the first is sent at time 0.
    fn time_of(&self, number: u64) -> Time {
        Time::ZERO + Span::from_secs(number as f64 / self.spec.fps)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn spec(variation: f64) -> VideoSpec {
        VideoSpec {
            rate: 1e6,
            fps: 30.0,
            gop: "IBBPBBPBB".to_owned(),
            sizes: [5.0, 3.0, 1.0],
            variation,
            payload: 1000,
            headers: 28,
            phase: Phase::Zero,
            unit: DataUnit::Frame,
            dependence: false,
        }
    }

    /// Type, bytes on the wire and time since the first frame, of `count` frames.
    fn frames(video: &mut Video, count: usize) -> Vec<(FrameType, u64, u64)> {
        let (mut frames, mut now) = (Vec::new(), 0);
        while frames.len() < count {
            let first = video.next();
            let frame = first.frame.unwrap();
            let mut bytes = u64::from(first.size);
            let mut gap = first.gap;
            for left in (0..frame.fragments - 1).rev() {
                assert_eq!(gap, Span::ZERO);
                let more = video.next();
                assert!(more.frame.is_none() && (left == 0 || more.payload == 1000) && more.payload > 0);
                bytes += u64::from(more.size);
                gap = more.gap;
            }
            frames.push((frame.kind, bytes, now));
            now += gap.as_nanos();
        }
        frames
    }

    #[test]
    fn a_group_of_pictures_has_its_share_of_the_rate() {
        let found = frames(&mut Video::new(&spec(0.0), Rng::stream(1, "video")), 10);
        let types: Vec<FrameType> = found.iter().map(|(kind, ..)| *kind).collect();
        assert_eq!(types, "IBBPBBPBBI".bytes().map(FrameType::from_letter).collect::<Vec<_>>());
        // 9 frames at 30 per second take 300 ms, in which 1 Mbit/s is 37 500 bytes, divided into 5 + 2 x 3 + 6 x 1 = 17
        // parts.
        let part = 37_500.0 / 17.0;
        for (kind, bytes, _) in &found {
            let expected = part * spec(0.0).sizes[*kind as usize];
            assert!((*bytes as f64 - expected).abs() <= 1.0, "{kind:?}: {bytes}, {expected} expected");
        }
        assert_eq!((found[1].2, found[3].2, found[9].2), (33_333_333, 100_000_000, 300_000_000));
    }

    /// The standard normal distribution function, by the series of the error function: Abramowitz and Stegun 26.2.10.
    fn phi(x: f64) -> f64 {
        if x.abs() > 8.0 {
            return if x > 0.0 { 1.0 } else { 0.0 };
        }
        let (mut term, mut sum) = (x, x);
        for k in 1..200 {
            term *= -x * x / (2.0 * f64::from(k));
            sum += term / f64::from(2 * k + 1);
        }
        0.5 + sum / (2.0 * std::f64::consts::PI).sqrt()
    }

    #[test]
    fn sizes_of_each_type_are_lognormal() {
        // Without headers: a last datagram that would be shorter than its headers is longer than drawn.
        let spec = VideoSpec { headers: 0, ..spec(0.4) };
        let found = frames(&mut Video::new(&spec, Rng::stream(7, "video")), 90_000);
        let variance = (1.0_f64 + 0.16).ln();
        for (kind, mean) in [(FrameType::I, 5.0), (FrameType::P, 3.0), (FrameType::B, 1.0)] {
            let mean = mean * 37_500.0 / 17.0;
            let mut sizes: Vec<f64> =
                found.iter().filter(|(it, ..)| *it == kind).map(|(_, bytes, _)| *bytes as f64).collect();
            sizes.sort_by(f64::total_cmp);
            let n = sizes.len() as f64;
            let cdf = |x: f64| phi(((x / mean).ln() + variance / 2.0) / variance.sqrt());
            let gap = |(i, x): (usize, &f64)| (cdf(*x) - i as f64 / n).abs().max((cdf(*x) - (i + 1) as f64 / n).abs());
            let far = sizes.iter().enumerate().map(gap).fold(0.0, f64::max) * n.sqrt();
            // The statistic of Kolmogorov and Smirnov is below 1.63 in 99 of 100 samples.
            assert!(far < 1.63, "{kind:?}: {far}");
        }
        let rate = found.iter().map(|(_, bytes, _)| *bytes as f64 * 8.0).sum::<f64>() / (90_000.0 / 30.0);
        // The standard error is about a thousandth.
        assert!((rate / 1e6 - 1.0).abs() < 0.005, "{rate}");
    }
}
