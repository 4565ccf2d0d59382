//! Fates of the frames of a video at its receiver.

use crate::traffic::datagram::{FrameType, NewFrame};

/// The frames of one flow, in the order of sending.
#[derive(Default)]
pub(crate) struct Frames {
    frames: Vec<Frame>,
    /// Whether a frame is useless without the frames that it refers to.
    dependence: bool,
}

struct Frame {
    /// Number of its first datagram.
    first: u32,
    fragments: u32,
    delivered: u32,
    /// Delivered bytes on the wire.
    bytes: u32,
    kind: FrameType,
    /// One of its datagrams was lost.
    broken: bool,
    /// It was sent after the warm-up.
    counts: bool,
}

/// Fate of a frame.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    /// All of it was delivered.
    Whole,
    /// Some of it is in flight.
    Open,
    /// Some of it was lost.
    Useless,
}

/// Sums over the frames of a group whose fate is known.
#[derive(Clone, Copy, Default)]
pub(crate) struct Waste {
    pub(crate) frames: u64,
    pub(crate) useless: u64,
    pub(crate) bytes: u64,
    pub(crate) useless_bytes: u64,
}

impl Frames {
    /// No frames yet.
    pub(crate) fn new(dependence: bool) -> Self {
        Self { frames: Vec::new(), dependence }
    }

    /// A frame begins with datagram `first`.
    pub(crate) fn begin(&mut self, first: u32, frame: &NewFrame, counts: bool) {
        let NewFrame { kind, fragments, .. } = *frame;
        self.frames.push(Frame { first, fragments, delivered: 0, bytes: 0, kind, broken: false, counts });
    }

    /// A datagram of this number of bytes has reached the receiver.
    pub(crate) fn deliver(&mut self, seq: u32, size: u32) {
        if let Some(frame) = self.frame_of(seq) {
            frame.delivered += 1;
            frame.bytes = frame.bytes.saturating_add(size);
        }
    }

    /// A datagram was lost.
    pub(crate) fn lose(&mut self, seq: u32) {
        if let Some(frame) = self.frame_of(seq) {
            frame.broken = true;
        }
    }

    fn frame_of(&mut self, seq: u32) -> Option<&mut Frame> {
        let after = self.frames.partition_point(|frame| frame.first <= seq);
        self.frames.get_mut(after.checked_sub(1)?)
    }

    /// Useful and useless frames. A frame with datagrams in flight counts in neither sum.
    pub(crate) fn waste(&self) -> Waste {
        let fates: Vec<Fate> = if self.dependence { self.with_references() } else { self.alone().collect() };
        let mut waste = Waste::default();
        for (frame, fate) in self.frames.iter().zip(fates).filter(|(frame, fate)| frame.counts && *fate != Fate::Open) {
            waste.frames += 1;
            waste.bytes += u64::from(frame.bytes);
            if fate == Fate::Useless {
                waste.useless += 1;
                waste.useless_bytes += u64::from(frame.bytes);
            }
        }
        waste
    }

    /// Fates that count only the frames' own datagrams.
    fn alone(&self) -> impl Iterator<Item = Fate> {
        self.frames.iter().map(|frame| match (frame.broken, frame.delivered == frame.fragments) {
            (true, _) => Fate::Useless,
            (false, true) => Fate::Whole,
            (false, false) => Fate::Open,
        })
    }

    /// Fates that also count the frames referred to: a P frame refers to the I or P frame before it, a B frame to the I
    /// or P frames before and after it, across groups of pictures. The worst fate counts.
    fn with_references(&self) -> Vec<Fate> {
        let mut fates: Vec<Fate> = self.alone().collect();
        let mut before = Fate::Whole;
        for (frame, fate) in self.frames.iter().zip(&mut fates) {
            if frame.kind == FrameType::P {
                *fate = before.max(*fate);
            }
            if frame.kind == FrameType::B {
                *fate = before.max(*fate);
            } else {
                before = *fate;
            }
        }
        // The last frames of the run may have no such frame after them.
        let mut after = Fate::Whole;
        for (frame, fate) in self.frames.iter().zip(&mut fates).rev() {
            if frame.kind == FrameType::B {
                *fate = after.max(*fate);
            } else {
                after = *fate;
            }
        }
        fates
    }
}

impl std::ops::AddAssign for Waste {
    fn add_assign(&mut self, other: Self) {
        self.frames += other.frames;
        self.useless += other.useless;
        self.bytes += other.bytes;
        self.useless_bytes += other.useless_bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames of two datagrams of 100 bytes each; the second one is lost at `lost`, and in flight at `open`.
    fn frames(types: &str, lost: &[usize], open: &[usize], dependence: bool) -> (u64, u64, u64, u64) {
        let mut frames = Frames::new(dependence);
        for (i, letter) in types.chars().enumerate() {
            let kind = match letter {
                'I' => FrameType::I,
                'P' => FrameType::P,
                _ => FrameType::B,
            };
            let first = 2 * i as u32;
            frames.begin(first, &NewFrame { kind, fragments: 2, unit: 0 }, i > 0);
            frames.deliver(first, 100);
            if lost.contains(&i) {
                frames.lose(first + 1);
            } else if !open.contains(&i) {
                frames.deliver(first + 1, 100);
            }
        }
        let waste = frames.waste();
        (waste.frames, waste.useless, waste.bytes, waste.useless_bytes)
    }

    #[test]
    fn a_frame_without_all_its_datagrams_is_useless() {
        // The first frame is sent before the end of the warm-up.
        assert_eq!(frames("IBBPBB", &[], &[], false), (5, 0, 1000, 0));
        assert_eq!(frames("IBBPBB", &[0, 3], &[], false), (5, 1, 900, 100));
        assert_eq!(frames("IBBPBB", &[3], &[5], false), (4, 1, 700, 100));
    }

    #[test]
    fn with_dependence_so_are_those_that_refer_to_it() {
        // The loss of a P frame affects the B frames on both sides of it, and the next P frame with its B frames.
        assert_eq!(frames("IBBPBBPBBI", &[3], &[], true), (9, 8, 1700, 1500));
        // A B frame: none.
        assert_eq!(frames("IBBPBBPBBI", &[4], &[], true), (9, 1, 1700, 100));
        // The loss of the second I frame affects the B frames before it.
        assert_eq!(frames("IBBPBBPBBI", &[9], &[], true), (9, 3, 1700, 500));
        // A frame that refers to a frame in flight has no fate yet, unless another loss makes it useless.
        assert_eq!(frames("IBBPBBPBBI", &[7], &[6], true), (5, 1, 900, 100));
    }
}
