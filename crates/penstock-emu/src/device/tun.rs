//! TUN: a device whose packets a program reads and writes (Linux, Documentation/networking/tuntap.rst).

use super::Device;
use super::receive_offload::{Burst, OFFLOAD_HEADER};
use crate::errors::with_context;
use crate::namespace::Namespace;
use crate::netlink::Netlink;
use nix::errno::Errno;
use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, IoSliceMut};
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};

/// Length of the queue of packets that the kernel has sent and penstock has not read yet. The default of 500 loses packets
/// at high rates.
const QUEUE_LENGTH: u32 = 10_000;

/// A TUN device in a network namespace. The kernel removes the device when this value is dropped.
///
/// Each frame that is read is one IP packet of at most the MTU, with complete checksums: the kernel sends without
/// offloads. It receives with offloads: frames that are written in a row may reach it as one frame.
#[derive(Debug)]
pub struct Tun {
    file: File,
    counters: Counters,
    /// What is written next.
    burst: Burst,
    unsent: u64,
}

impl Tun {
    /// Creates the device `name` in `namespace`, with an address, a route to the network of `prefix` bits around that
    /// address, and an MTU in bytes, and switches it on. The calling thread stays in its own namespace.
    ///
    /// # Errors
    ///
    /// The failing step and its cause: there is no `/dev/net/tun`, the process may not use it, the name is empty,
    /// longer than 15 bytes or taken, or the kernel refuses the address or the MTU (from 68 to 65 535 bytes).
    pub fn open(namespace: &Namespace, name: &str, address: Ipv4Addr, prefix: u8, mtu: u32) -> io::Result<Self> {
        namespace.run(|| {
            let file = create(name)?;
            let mut netlink = Netlink::open()?;
            netlink.switch_on(name, Some(mtu), Some(QUEUE_LENGTH))?;
            netlink.add_address(name, address, prefix)?;
            let counters = Counters::open(name)?;
            Ok(Self { file, counters, burst: Burst::default(), unsent: 0 })
        })?
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Device for Tun {
    fn header(&self) -> usize {
        0
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        // Without offloads the header is all zeros.
        let mut header = [0; OFFLOAD_HEADER];
        match nix::sys::uio::readv(&self.file, &mut [IoSliceMut::new(&mut header), IoSliceMut::new(buffer)]) {
            Ok(length) => Ok(Some(length.saturating_sub(OFFLOAD_HEADER))),
            Err(Errno::EAGAIN | Errno::EINTR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        if !self.burst.join(frame) {
            self.flush()?;
            self.burst.begin(frame);
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let packets = self.burst.packets;
        if packets == 0 {
            return Ok(());
        }
        let (header, packet) = self.burst.finish();
        let result = nix::sys::uio::writev(&self.file, &[IoSlice::new(&header), IoSlice::new(packet)]);
        self.burst.clear();
        match result {
            Ok(_) => {}
            Err(Errno::EAGAIN | Errno::ENOBUFS | Errno::ENOMEM) => self.unsent += packets,
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn unsent(&self) -> u64 {
        self.unsent
    }

    fn lost(&self) -> io::Result<u64> {
        self.counters.transmit_drops()
    }
}

/// Creates a TUN device in the namespace of the calling thread.
fn create(name: &str) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open("/dev/net/tun")
        .map_err(|error| with_context("open /dev/net/tun", &error))?;
    // SAFETY: ifreq is plain data; all zeros are a valid value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    if name.is_empty() || name.len() >= request.ifr_name.len() || name.bytes().any(|byte| byte == 0 || byte == b'%') {
        let message = format!("\"{name}\" is not a device name: 1 to 15 bytes, without %");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    for (target, byte) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *target = byte.cast_signed() as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI | libc::IFF_VNET_HDR) as libc::c_short;
    // SAFETY: the file is open, and TUNSETIFF reads and writes one ifreq.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
    Errno::result(result).map_err(|error| with_context(&format!("create TUN device {name}"), &error.into()))?;
    Ok(file)
}

/// The counters of a device, as the kernel lists them in `/proc/net/dev` of its namespace.
#[derive(Debug)]
struct Counters {
    /// Opened while the thread was in the namespace of the device: later reads from any thread show that namespace.
    file: File,
    name: String,
}

impl Counters {
    /// Opens the counters of a device in the namespace of the calling thread.
    fn open(name: &str) -> io::Result<Self> {
        const PATH: &str = "/proc/thread-self/net/dev";
        let file = File::open(PATH).map_err(|error| with_context(&format!("open {PATH}"), &error))?;
        Ok(Self { file, name: name.to_owned() })
    }

    /// Number of packets dropped when the kernel handed them to the device.
    fn transmit_drops(&self) -> io::Result<u64> {
        const FIELD: usize = 11;
        let mut text = vec![0; 16 * 1024];
        let mut length = 0;
        loop {
            match self.file.read_at(&mut text[length..], length as u64)? {
                0 => break,
                read => length += read,
            }
            text.resize(length + 16 * 1024, 0);
        }
        let text = String::from_utf8_lossy(&text[..length]);
        let drops = text.lines().find_map(|line| {
            let counters = line.trim_start().strip_prefix(self.name.as_str())?.strip_prefix(':')?;
            counters.split_whitespace().nth(FIELD)?.parse().ok()
        });
        drops.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("device {} is gone", self.name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fresh_namespace;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    use std::net::UdpSocket;
    use std::time::Duration;

    const LEFT: Ipv4Addr = Ipv4Addr::new(10, 77, 1, 1);
    const RIGHT: Ipv4Addr = Ipv4Addr::new(10, 77, 1, 2);

    fn tun(namespace: &Namespace, address: Ipv4Addr) -> Tun {
        Tun::open(namespace, "emu0", address, 24, 1500).unwrap()
    }

    fn socket(namespace: &Namespace, address: Ipv4Addr) -> UdpSocket {
        let socket = namespace.run(|| UdpSocket::bind((address, 7)).unwrap()).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        socket
    }

    fn next_frame(tun: &mut Tun) -> Vec<u8> {
        let mut buffer = [0; 2048];
        let mut polled = [PollFd::new(tun.as_fd(), PollFlags::POLLIN)];
        assert_eq!(poll(&mut polled, PollTimeout::from(5000_u16)), Ok(1), "no frame within 5 s");
        let length = tun.receive(&mut buffer).unwrap().unwrap();
        buffer[..length].to_vec()
    }

    #[test]
    fn carries_datagrams_between_two_namespaces_both_ways() {
        let (Some(a), Some(b)) = (fresh_namespace(), fresh_namespace()) else { return };
        let (mut left, mut right) = (tun(&a, LEFT), tun(&b, RIGHT));
        let (here, there) = (socket(&a, LEFT), socket(&b, RIGHT));
        here.send_to(b"ping", (RIGHT, 7)).unwrap();
        let frame = next_frame(&mut left);
        assert_eq!((left.header(), frame.len(), &frame[28..]), (0, 32, &b"ping"[..]));
        right.send(&frame).unwrap();
        right.flush().unwrap();
        let mut received = [0; 16];
        let (length, from) = there.recv_from(&mut received).unwrap();
        assert_eq!((&received[..length], from), (&b"ping"[..], (LEFT, 7).into()));
        there.send_to(b"pong!", from).unwrap();
        left.send(&next_frame(&mut right)).unwrap();
        left.flush().unwrap();
        assert_eq!(here.recv(&mut received).unwrap(), 5);
        assert_eq!(left.receive(&mut received).unwrap(), None);
    }

    #[test]
    fn frames_that_are_not_read_in_time_are_counted_as_lost() {
        let Some(namespace) = fresh_namespace() else { return };
        let mut tun = tun(&namespace, LEFT);
        let socket = socket(&namespace, LEFT);
        assert_eq!(tun.lost().unwrap(), 0);
        for _ in 0..QUEUE_LENGTH + 600 {
            socket.send_to(b"x", (RIGHT, 7)).unwrap();
        }
        assert_eq!(tun.lost().unwrap(), 600);
        let mut buffer = [0; 64];
        let mut read = 0;
        while tun.receive(&mut buffer).unwrap().is_some() {
            read += 1;
        }
        assert_eq!(read, QUEUE_LENGTH);
    }

    #[test]
    fn a_device_that_was_taken_away_is_an_error() {
        let Some(namespace) = fresh_namespace() else { return };
        let mut tun = tun(&namespace, LEFT);
        namespace.run(|| Netlink::open()?.delete("emu0")).unwrap().unwrap();
        let mut buffer = [0; 64];
        assert!(tun.receive(&mut buffer).is_err());
        assert!(tun.send(&[0x45; 20]).and_then(|()| tun.flush()).is_err());
        assert_eq!(tun.lost().unwrap_err().to_string(), "device emu0 is gone");
    }

    #[test]
    fn bad_settings_are_refused_with_the_failing_step() {
        let Some(namespace) = fresh_namespace() else { return };
        let open = |name: &str, prefix, mtu| Tun::open(&namespace, name, LEFT, prefix, mtu).unwrap_err().to_string();
        assert_eq!(open("", 24, 1500), "\"\" is not a device name: 1 to 15 bytes, without %");
        assert_eq!(
            open("sixteen_bytes_xx", 24, 1500),
            "\"sixteen_bytes_xx\" is not a device name: 1 to 15 bytes, without %"
        );
        assert!(open("lo", 24, 1500).starts_with("create TUN device lo: "));
        assert!(open("emu0", 24, 67).starts_with("switch on device emu0 with MTU 67: "));
        assert!(open("emu0", 33, 1500).starts_with("add address 10.77.1.1/33 to emu0: "));
    }
}
