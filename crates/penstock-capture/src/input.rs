//! The bytes of a file, decompressed.

use flate2::bufread::MultiGzDecoder;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;

/// Bytes read ahead.
const BUFFER: usize = 1 << 18;

/// Bytes that identify a compression.
const MAGIC: usize = 6;

/// A stream of bytes from a capture.
pub(crate) struct Input {
    bytes: Box<dyn BufRead + Send>,
}

impl Input {
    /// Open a regular file.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        // A FIFO would wait for its writer, and a device may never end.
        if !fs::metadata(path).map_err(|error| unreadable(&error))?.is_file() {
            return Err("is not a regular file".to_owned());
        }
        let file = File::open(path).map_err(|error| unreadable(&error))?;
        Self::new(BufReader::with_capacity(BUFFER, file))
    }

    /// The content of a stream, which is decompressed if it begins with the magic number of gzip (RFC 1952, section 2.3.1)
    /// or zstd (RFC 8878, section 3.1).
    pub(crate) fn new(mut stream: impl BufRead + Send + 'static) -> Result<Self, String> {
        let start = stream.fill_buf().map_err(|error| unreadable(&error))?;
        let bytes: Box<dyn BufRead + Send> = match start[..start.len().min(MAGIC)] {
            [0x1f, 0x8b, ..] => Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(stream))),
            // A frame with data, or a skippable frame that precedes one.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                let decoder = zstd::Decoder::with_buffer(stream).map_err(|error| unreadable(&error))?;
                Box::new(BufReader::with_capacity(BUFFER, decoder))
            }
            [0xfd, b'7', b'z', b'X', b'Z', 0] => return Err(compressed("xz")),
            [b'B', b'Z', b'h', ..] => return Err(compressed("bzip2")),
            [0x04, 0x22, 0x4d, 0x18, ..] => return Err(compressed("lz4")),
            _ => Box::new(stream),
        };
        Ok(Self { bytes })
    }

    /// Read the next bytes; fewer than the buffer has room for only at the end of the file.
    pub(crate) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, String> {
        let mut filled = 0;
        while filled < buffer.len() {
            let available = self.available()?;
            if available.is_empty() {
                break;
            }
            let count = available.len().min(buffer.len() - filled);
            buffer[filled..filled + count].copy_from_slice(&available[..count]);
            self.bytes.consume(count);
            filled += count;
        }
        Ok(filled)
    }

    /// Skip bytes; false if the file ends first.
    pub(crate) fn skip(&mut self, mut count: u64) -> Result<bool, String> {
        while count > 0 {
            let available = self.available()?.len() as u64;
            if available == 0 {
                return Ok(false);
            }
            let skipped = available.min(count);
            self.bytes.consume(skipped as usize);
            count -= skipped;
        }
        Ok(true)
    }

    /// Bytes that are already read, or the next ones; empty at the end of the file, even if it ends within a compressed
    /// stream.
    fn available(&mut self) -> Result<&[u8], String> {
        loop {
            match self.bytes.fill_buf().map(<[u8]>::len) {
                Ok(_) => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(&[]),
                Err(error) => return Err(unreadable(&error)),
            }
        }
        // The bytes are available now.
        self.bytes.fill_buf().map_err(|error| unreadable(&error))
    }
}

fn unreadable(error: &std::io::Error) -> String {
    format!("cannot be read: {error}")
}

fn compressed(program: &str) -> String {
    format!("is compressed by {program}; decompress it, or compress it with gzip or zstd instead")
}
