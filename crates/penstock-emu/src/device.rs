//! Network devices that real packets come from and go to.
#![allow(unsafe_code, reason = "devices are controlled through ioctl and socket options")]

mod ethernet;
mod receive_offload;
mod tun;

pub use ethernet::Ethernet;
pub use tun::Tun;

use std::io;
use std::os::fd::AsFd;

/// A network device, read and written without blocking; poll its file descriptor to wait for a frame.
pub trait Device: AsFd + Send {
    /// Bytes in front of the IP header of each frame: 0 (TUN) or 14 (Ethernet).
    fn header(&self) -> usize;
    /// Reads one frame into `buffer` and returns its length in bytes; `None` if no frame waits. A frame longer than
    /// `buffer` is truncated; the returned length is then the length of the buffer or of the whole frame.
    ///
    /// # Errors
    ///
    /// The device is gone or down.
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>>;
    /// Sends a frame, at the latest when [`flush`](Self::flush) is called.
    ///
    /// # Errors
    ///
    /// The device is gone or down, or refuses the frame.
    fn send(&mut self, frame: &[u8]) -> io::Result<()>;
    /// Sends the frames that [`send`](Self::send) has buffered.
    ///
    /// # Errors
    ///
    /// Those of [`send`](Self::send).
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
    /// Number of frames lost since the device was opened because it had no room for them.
    fn unsent(&self) -> u64;
    /// Number of frames lost since the device was opened because they were not read in time.
    ///
    /// # Errors
    ///
    /// The device is gone.
    fn lost(&self) -> io::Result<u64>;
    /// Number of frames that were read and discarded, because they differ from the frames on the wire: offloads are on,
    /// or there is a VLAN.
    fn refused(&self) -> u64 {
        0
    }
}
