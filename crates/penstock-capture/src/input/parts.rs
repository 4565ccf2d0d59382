//! Decompression of files that consist of several compressed parts, and of padding after them.

use flate2::bufread::GzDecoder;
use std::io::{BufRead, Error, Read};

/// A compressed stream.
type Stream = Box<dyn BufRead + Send>;

/// A format whose files are sequences of parts.
#[derive(Clone, Copy)]
pub(super) enum Compression {
    /// Members (RFC 1952, section 2.2).
    Gzip,
    /// Frames, with data or skippable (RFC 8878, section 3.1).
    Zstd,
}

impl Compression {
    /// The format whose magic number begins these bytes.
    pub(super) fn of(start: &[u8]) -> Option<Self> {
        [Self::Gzip, Self::Zstd].into_iter().find(|format| start.len() >= format.magic() && format.begins(start))
    }

    /// Length of the magic number.
    fn magic(self) -> usize {
        match self {
            Self::Gzip => 2,
            Self::Zstd => 4,
        }
    }

    /// Whether bytes may begin a part; fewer than the magic number has are compared with its start.
    fn begins(self, start: &[u8]) -> bool {
        let start = &start[..start.len().min(self.magic())];
        match self {
            Self::Gzip => [0x1f, 0x8b].starts_with(start),
            Self::Zstd => {
                [0x28, 0xb5, 0x2f, 0xfd].starts_with(start)
                    || matches!(start, [0x50..=0x5f, rest @ ..] if [0x2a, 0x4d, 0x18].starts_with(rest))
            }
        }
    }
}

/// The content of all parts of a stream, one after another. Like gzip(1), it ignores what follows the last part.
pub(super) struct Parts {
    compression: Compression,
    part: Option<Part>,
    unused: u64,
}

enum Part {
    Gzip(GzDecoder<Stream>),
    Zstd(zstd::Decoder<'static, Stream>),
}

impl Parts {
    /// The parts of a stream that begins with one.
    pub(super) fn new(compression: Compression, stream: Stream) -> Result<Self, Error> {
        Ok(Self { compression, part: Some(Part::new(compression, stream)?), unused: 0 })
    }

    /// Bytes after the last part; 0 if all of them are zeros, with which tapes and disks fill their blocks.
    pub(super) fn unused(&self) -> u64 {
        self.unused
    }

    /// Go to the part that follows, if there is one.
    fn follow(&mut self, mut stream: Stream) -> Result<(), Error> {
        let start = stream.fill_buf()?;
        if start.is_empty() {
            return Ok(());
        }
        if self.compression.begins(start) {
            self.part = Some(Part::new(self.compression, stream)?);
            return Ok(());
        }
        self.unused = length_unless_zeros(stream)?;
        Ok(())
    }
}

impl Read for Parts {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        while let Some(part) = &mut self.part {
            let count = match part {
                Part::Gzip(decoder) => decoder.read(buffer)?,
                Part::Zstd(decoder) => decoder.read(buffer)?,
            };
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            if let Some(part) = self.part.take() {
                self.follow(part.into_stream())?;
            }
        }
        Ok(0)
    }
}

impl Part {
    fn new(compression: Compression, stream: Stream) -> Result<Self, Error> {
        Ok(match compression {
            Compression::Gzip => Self::Gzip(GzDecoder::new(stream)),
            Compression::Zstd => Self::Zstd(zstd::Decoder::with_buffer(stream)?.single_frame()),
        })
    }

    /// What follows this part, which has been read to its end.
    fn into_stream(self) -> Stream {
        match self {
            Self::Gzip(decoder) => decoder.into_inner(),
            Self::Zstd(decoder) => decoder.finish(),
        }
    }
}

/// Number of bytes in a stream; 0 if all of them are zeros.
fn length_unless_zeros(mut stream: Stream) -> Result<u64, Error> {
    let (mut length, mut is_padding) = (0, true);
    loop {
        let bytes = stream.fill_buf()?;
        if bytes.is_empty() {
            return Ok(if is_padding { 0 } else { length });
        }
        is_padding &= bytes.iter().all(|byte| *byte == 0);
        let count = bytes.len();
        length += count as u64;
        stream.consume(count);
    }
}
