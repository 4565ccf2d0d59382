//! An existing Ethernet device: its frames are taken from the wire and put on it (Linux packet(7)).

use super::Device;
use crate::errors::with_context;
use crate::namespace::Namespace;
use crate::netlink::Netlink;
use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes of frames that the kernel keeps for this program.
const BUFFER: libc::c_int = 16 << 20;

/// An Ethernet device from which every incoming frame is read, whatever its destination. The device remains when this
/// value is dropped.
///
/// The kernel of this machine also sees the frames, so give the device no address. Offloads must be off, so that frames
/// are the same as on the wire: see [`Device::refused`].
#[derive(Debug)]
pub struct Ethernet {
    socket: OwnedFd,
    /// Number of frames lost, kept here because the kernel resets its count when it is read.
    lost: AtomicU64,
    refused: u64,
    unsent: u64,
}

impl Ethernet {
    /// Bytes of an Ethernet header: two addresses and a type.
    pub const HEADER: usize = 14;

    /// Opens the device `name` of `namespace`. The calling thread stays in its own namespace.
    ///
    /// # Errors
    ///
    /// The failing step and its cause: there is no such device, or the process may not open it.
    pub fn open(namespace: &Namespace, name: &str) -> io::Result<Self> {
        namespace.run(|| {
            let attempt = || -> io::Result<OwnedFd> {
                let index = Netlink::open()?.index(name)?.cast_signed();
                let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
                // Protocol 0: nothing is received until the socket is bound to the device.
                let socket = socket(AddressFamily::Packet, SockType::Raw, flags, None)?;
                set_option(&socket, libc::SOL_PACKET, libc::PACKET_IGNORE_OUTGOING, &1)?;
                set_option(&socket, libc::SOL_PACKET, libc::PACKET_AUXDATA, &1)?;
                // Without the privilege the limit of the system applies.
                let forced = set_option(&socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &BUFFER);
                forced.or_else(|_| set_option(&socket, libc::SOL_SOCKET, libc::SO_RCVBUF, &BUFFER))?;
                bind(&socket, index)?;
                // SAFETY: packet_mreq is plain data; all zeros are a valid value.
                let mut membership: libc::packet_mreq = unsafe { zeroed() };
                (membership.mr_ifindex, membership.mr_type) = (index, libc::PACKET_MR_PROMISC as libc::c_ushort);
                set_option(&socket, libc::SOL_PACKET, libc::PACKET_ADD_MEMBERSHIP, &membership)?;
                Ok(socket)
            };
            let socket = attempt().map_err(|error| with_context(&format!("open device {name}"), &error))?;
            Ok(Self { socket, lost: AtomicU64::new(0), refused: 0, unsent: 0 })
        })?
    }
}

impl AsFd for Ethernet {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Device for Ethernet {
    fn header(&self) -> usize {
        Self::HEADER
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        loop {
            match receive(&self.socket, buffer) {
                Ok((length, state)) if state & UNUSABLE == 0 => return Ok(Some(length)),
                Ok(_) => self.refused += 1,
                Err(Errno::EAGAIN | Errno::EINTR) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        match nix::unistd::write(&self.socket, frame) {
            Ok(_) => {}
            Err(Errno::EAGAIN | Errno::ENOBUFS | Errno::ENOMEM) => self.unsent += 1,
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn unsent(&self) -> u64 {
        self.unsent
    }

    fn lost(&self) -> io::Result<u64> {
        // SAFETY: tpacket_stats is plain data; all zeros are a valid value.
        let mut found: libc::tpacket_stats = unsafe { zeroed() };
        let mut length = size_of::<libc::tpacket_stats>() as libc::socklen_t;
        // SAFETY: the kernel writes at most `length` bytes into the structure.
        let result = unsafe {
            let place = (&raw mut found).cast();
            libc::getsockopt(self.socket.as_raw_fd(), libc::SOL_PACKET, libc::PACKET_STATISTICS, place, &raw mut length)
        };
        Errno::result(result)?;
        let drops = u64::from(found.tp_drops);
        Ok(self.lost.fetch_add(drops, Relaxed) + drops)
    }

    fn refused(&self) -> u64 {
        self.refused
    }
}

/// States of a frame that cannot be passed on unchanged: its checksum was left to the hardware of a device, or the
/// kernel has removed its VLAN tag.
const UNUSABLE: u32 = libc::TP_STATUS_CSUMNOTREADY | libc::TP_STATUS_VLAN_VALID;

fn set_option<T>(socket: &OwnedFd, level: libc::c_int, option: libc::c_int, value: &T) -> nix::Result<()> {
    let length = size_of::<T>() as libc::socklen_t;
    // SAFETY: the kernel reads `length` bytes of the value.
    let result = unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, (&raw const *value).cast(), length) };
    Errno::result(result).map(drop)
}

/// Receives every frame of the device of this number.
fn bind(socket: &OwnedFd, index: libc::c_int) -> nix::Result<()> {
    // SAFETY: sockaddr_ll is plain data; all zeros are a valid value.
    let mut address: libc::sockaddr_ll = unsafe { zeroed() };
    address.sll_family = libc::AF_PACKET as libc::c_ushort;
    address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
    address.sll_ifindex = index;
    let length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    // SAFETY: the kernel reads `length` bytes of the address.
    Errno::result(unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) }).map(drop)
}

/// Reads a frame: its length, even if it is longer than the buffer, and its state.
fn receive(socket: &OwnedFd, buffer: &mut [u8]) -> nix::Result<(usize, u32)> {
    const SPACE: usize = 64;
    #[repr(align(8))]
    struct Control([u8; SPACE]);
    let mut control = Control([0; SPACE]);
    let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    // SAFETY: msghdr is plain data; all zeros are a valid value.
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.0.as_mut_ptr().cast();
    message.msg_controllen = SPACE as _;
    // SAFETY: the message points to the buffer and to the space for control data, both of the lengths that it says.
    let length = Errno::result(unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, libc::MSG_TRUNC) })?;
    let mut state = 0;
    // SAFETY: the kernel has filled in the control data, and the macros walk it within its length; the data of a header of
    // this type is a tpacket_auxdata, read without regard to alignment.
    unsafe {
        let mut header = libc::CMSG_FIRSTHDR(&raw const message);
        while !header.is_null() {
            if ((*header).cmsg_level, (*header).cmsg_type) == (libc::SOL_PACKET, libc::PACKET_AUXDATA) {
                state = libc::CMSG_DATA(header).cast::<libc::tpacket_auxdata>().read_unaligned().tp_status;
            }
            header = libc::CMSG_NXTHDR(&raw const message, header);
        }
    }
    Ok((length.cast_unsigned(), state))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fresh_namespace;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    use std::net::{Ipv4Addr, UdpSocket};

    const HOST: Ipv4Addr = Ipv4Addr::new(10, 78, 0, 1);
    const PEER: Ipv4Addr = Ipv4Addr::new(10, 78, 0, 2);

    /// A host with an address at one end of a wire, and the device at its other end.
    fn wire() -> Option<(Namespace, Ethernet)> {
        let (host, middle) = (fresh_namespace()?, fresh_namespace()?);
        let set_up = || {
            let mut netlink = Netlink::open()?;
            netlink.add_pair("host0", "port0", &middle)?;
            netlink.switch_on("host0", None, None)?;
            netlink.add_address("host0", HOST, 24)
        };
        host.run(set_up).unwrap().unwrap();
        middle.run(|| Netlink::open()?.switch_on("port0", None, None)).unwrap().unwrap();
        Some((host, Ethernet::open(&middle, "port0").unwrap()))
    }

    fn next_frame(device: &mut Ethernet) -> Option<Vec<u8>> {
        let mut buffer = [0; 2048];
        let mut polled = [PollFd::new(device.as_fd(), PollFlags::POLLIN)];
        poll(&mut polled, PollTimeout::from(5000_u16)).unwrap();
        device.receive(&mut buffer).unwrap().map(|length| buffer[..length].to_vec())
    }

    /// The answer to a host's request for the Ethernet address of `PEER` (RFC 826): the request with its addresses
    /// exchanged.
    fn arp_answer(question: &[u8]) -> Vec<u8> {
        let mut answer = question.to_vec();
        let own = [2, 0, 0, 0, 0, 9];
        answer[..6].copy_from_slice(&question[6..12]);
        answer[6..12].copy_from_slice(&own);
        answer[21] = 2;
        answer[22..28].copy_from_slice(&own);
        answer[28..32].copy_from_slice(&question[38..42]);
        answer[32..42].copy_from_slice(&question[22..32]);
        answer
    }

    #[test]
    fn frames_of_the_wire_are_read_and_written() {
        let Some((host, mut device)) = wire() else { return };
        let socket = host.run(|| UdpSocket::bind((HOST, 7)).unwrap()).unwrap();
        socket.send_to(b"ping", (PEER, 7)).unwrap();
        let question = next_frame(&mut device).unwrap();
        assert_eq!((device.header(), &question[..6], &question[12..14]), (14, &[0xff; 6][..], &[8, 6][..]));
        device.send(&arp_answer(&question)).unwrap();
        // Now the datagram arrives without its checksum: the offloads of the host are on.
        assert_eq!(next_frame(&mut device), None);
        assert_eq!((device.refused(), device.lost().unwrap()), (1, 0));
        assert_eq!(device.receive(&mut [0; 64]).unwrap(), None, "frames that were sent are not read");
    }

    #[test]
    fn the_length_of_a_frame_is_told_even_if_the_buffer_is_shorter() {
        let Some((host, mut device)) = wire() else { return };
        let socket = host.run(|| UdpSocket::bind((HOST, 7)).unwrap()).unwrap();
        socket.send_to(b"ping", (PEER, 7)).unwrap();
        let mut polled = [PollFd::new(device.as_fd(), PollFlags::POLLIN)];
        poll(&mut polled, PollTimeout::from(5000_u16)).unwrap();
        assert_eq!(device.receive(&mut [0; 16]).unwrap(), Some(42));
    }

    #[test]
    fn a_device_must_exist_and_stay() {
        let Some((host, mut device)) = wire() else { return };
        let missing = Ethernet::open(&host, "none0").unwrap_err().to_string();
        assert!(missing.starts_with("open device none0: No such device"), "{missing}");
        host.run(|| Netlink::open()?.delete("host0")).unwrap().unwrap();
        assert!(device.send(&[0; 60]).is_err());
    }
}
