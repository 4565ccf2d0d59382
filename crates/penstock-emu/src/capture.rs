//! Real packets that cross links, as files in the pcap format ([`penstock_link::pcap`]).
//!
//! The time of a packet is the start of its transmission, after the queue, by the clock of the links. Its bytes are as
//! the host sent them, except that the ECN field and the codepoint are those after the queue. A thread per file writes,
//! so that the links never wait for a disk.

use penstock_core::Time;
use penstock_link::pcap::{self, LONGEST};
use std::fs::File;
use std::io::{self, Write};
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

/// Bytes that are passed to the writing thread at once.
const BLOCK: usize = 1 << 18;

/// Files that are being written.
#[derive(Default)]
pub struct Capture {
    files: Vec<CaptureFile>,
}

/// A file with the packets of some links.
struct CaptureFile {
    /// Numbers of the links.
    links: Vec<u32>,
    snaplen: usize,
    /// Bytes that the writing thread does not have yet.
    block: Vec<u8>,
    blocks: Sender<Vec<u8>>,
    writer: JoinHandle<io::Result<()>>,
}

impl Capture {
    /// Create a file for packets of these links, each cut after `snaplen` bytes; `None`: whole packets.
    ///
    /// # Errors
    /// The file cannot be created, or the system is out of threads.
    pub fn add(&mut self, file: &Path, links: Vec<u32>, snaplen: Option<NonZeroU32>) -> io::Result<()> {
        let snaplen = snaplen.map_or(LONGEST, |bytes| LONGEST.min(bytes.get() as usize));
        let file = File::create(file)?;
        let (blocks, received) = mpsc::channel();
        let writer = thread::Builder::new().name("penstock-pcap".to_owned()).spawn(move || write(file, &received))?;
        let mut block = Vec::with_capacity(BLOCK + LONGEST);
        block.extend(pcap::file_header(snaplen as u32));
        self.files.push(CaptureFile { links, snaplen, block, blocks, writer });
        Ok(())
    }

    /// Whether packets of this link are captured.
    pub(crate) fn has(&self, link: u32) -> bool {
        self.files.iter().any(|file| file.links.contains(&link))
    }

    /// The transmission of a packet over this link begins; `packet` starts with the IP header.
    pub(crate) fn sent(&mut self, time: Time, link: u32, packet: &[u8]) {
        for file in self.files.iter_mut().filter(|file| file.links.contains(&link)) {
            let kept = packet.len().min(file.snaplen);
            file.block.extend(pcap::packet_header(time, kept as u32, packet.len() as u32));
            file.block.extend(&packet[..kept]);
            if file.block.len() >= BLOCK {
                let block = std::mem::replace(&mut file.block, Vec::with_capacity(BLOCK + LONGEST));
                // A thread that has failed accepts no data; `close` returns its error.
                drop(file.blocks.send(block));
            }
        }
    }

    /// Capture no further packets.
    pub(crate) fn stop(&mut self) {
        self.files.iter_mut().for_each(|file| file.links.clear());
    }

    /// Complete the files.
    ///
    /// # Errors
    /// A file could not be written.
    pub(crate) fn close(self) -> io::Result<()> {
        self.files.into_iter().try_for_each(|CaptureFile { block, blocks, writer, .. }| {
            drop(blocks.send(block));
            drop(blocks);
            writer.join().unwrap_or_else(|_| Err(io::Error::other("the writing thread panicked")))
        })
    }
}

fn write(mut file: File, blocks: &Receiver<Vec<u8>>) -> io::Result<()> {
    blocks.iter().try_for_each(|block| file.write_all(&block))
}
