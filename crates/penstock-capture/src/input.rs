//! The bytes of a file, decompressed.

mod parts;

use parts::{Compression, Parts};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;

/// Bytes read ahead.
const BUFFER: usize = 1 << 18;

/// Bytes that identify a compression; a stream must have them in its buffer.
pub(crate) const MAGIC: usize = 6;

/// A stream of bytes from a capture.
pub(crate) struct Input {
    bytes: Bytes,
}

enum Bytes {
    Plain(Box<dyn BufRead + Send>),
    Compressed(Box<BufReader<Parts>>),
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
        let start = &start[..start.len().min(MAGIC)];
        if let Some(compression) = Compression::of(start) {
            let parts = Parts::new(compression, Box::new(stream)).map_err(|error| unreadable(&error))?;
            let bytes = Box::new(BufReader::with_capacity(BUFFER, parts));
            return Ok(Self { bytes: Bytes::Compressed(bytes) });
        }
        match start {
            [0xfd, b'7', b'z', b'X', b'Z', 0] => Err(compressed("xz")),
            [b'B', b'Z', b'h', ..] => Err(compressed("bzip2")),
            [0x04, 0x22, 0x4d, 0x18, ..] => Err(compressed("lz4")),
            _ => Ok(Self { bytes: Bytes::Plain(Box::new(stream)) }),
        }
    }

    /// Bytes after the end of the compressed data, once the end of the file was reached. Zeros do not count.
    pub(crate) fn unused(&self) -> u64 {
        match &self.bytes {
            Bytes::Plain(_) => 0,
            Bytes::Compressed(parts) => parts.get_ref().unused(),
        }
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
            self.stream().consume(count);
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
            self.stream().consume(skipped as usize);
            count -= skipped;
        }
        Ok(true)
    }

    /// Whether all bytes up to the end of the file are zeros. Stops at the first other byte.
    pub(crate) fn has_only_zeros(&mut self) -> Result<bool, String> {
        loop {
            let available = self.available()?;
            if available.is_empty() {
                return Ok(true);
            }
            if available.iter().any(|byte| *byte != 0) {
                return Ok(false);
            }
            let count = available.len();
            self.stream().consume(count);
        }
    }

    fn stream(&mut self) -> &mut dyn BufRead {
        match &mut self.bytes {
            Bytes::Plain(bytes) => bytes,
            Bytes::Compressed(bytes) => bytes,
        }
    }

    /// Bytes that are already read, or the next ones; empty at the end of the file, even if it ends within a compressed
    /// stream.
    fn available(&mut self) -> Result<&[u8], String> {
        loop {
            match self.stream().fill_buf().map(<[u8]>::len) {
                Ok(_) => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(&[]),
                Err(error) => return Err(unreadable(&error)),
            }
        }
        // The bytes are available now.
        self.stream().fill_buf().map_err(|error| unreadable(&error))
    }
}

fn unreadable(error: &std::io::Error) -> String {
    format!("cannot be read: {error}")
}

fn compressed(program: &str) -> String {
    format!("is compressed by {program}; decompress it, or compress it with gzip or zstd instead")
}
