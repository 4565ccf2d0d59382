//! Settings of network devices, addresses and routes of the calling thread's namespace, by rtnetlink (RFC 3549; Linux
//! rtnetlink(7)): The program `ip` need not be installed.

use crate::errors::with_context;
use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, socket};
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, OwnedFd};

/// A socket to the kernel's routing tables.
pub(crate) struct Netlink {
    socket: OwnedFd,
    sequence: u32,
}

impl Netlink {
    /// Opens the tables of the calling thread's namespace.
    pub(crate) fn open() -> io::Result<Self> {
        let socket = socket(AddressFamily::Netlink, SockType::Raw, SockFlag::SOCK_CLOEXEC, SockProtocol::NetlinkRoute)
            .map_err(|error| with_context("open an rtnetlink socket", &error.into()))?;
        Ok(Self { socket, sequence: 0 })
    }

    /// Switches a device on, with an MTU in bytes and a length of its transmit queue in packets, if given.
    pub(crate) fn switch_on(&mut self, device: &str, mtu: Option<u32>, queue_length: Option<u32>) -> io::Result<()> {
        let step =
            || format!("switch on device {device}{}", mtu.map_or(String::new(), |mtu| format!(" with MTU {mtu}")));
        let mut attempt = || {
            const UP: u32 = libc::IFF_UP as u32;
            let mut message = Message::link(self.index(device)?, UP, UP);
            for (attribute, value) in [(libc::IFLA_MTU, mtu), (libc::IFLA_TXQLEN, queue_length)] {
                if let Some(value) = value {
                    message.attribute(attribute, &value.to_ne_bytes());
                }
            }
            self.request(libc::RTM_NEWLINK, 0, message)
        };
        attempt().map_err(|error| with_context(&step(), &error))
    }

    /// Gives a device an address in a network of `prefix` bits, with the route to that network.
    pub(crate) fn add_address(&mut self, device: &str, address: Ipv4Addr, prefix: u8) -> io::Result<()> {
        let mut attempt = || {
            let mut message = Message(vec![libc::AF_INET as u8, prefix, 0, 0]);
            message.0.extend(self.index(device)?.to_ne_bytes());
            message.attribute(libc::IFA_LOCAL, &address.octets());
            message.attribute(libc::IFA_ADDRESS, &address.octets());
            self.request(libc::RTM_NEWADDR, libc::NLM_F_CREATE | libc::NLM_F_EXCL, message)
        };
        attempt().map_err(|error| with_context(&format!("add address {address}/{prefix} to {device}"), &error))
    }

    /// Routes a network of `prefix` bits through a device; 0.0.0.0/0 is the default route. TCP to that network uses `tcp`, a
    /// congestion control of the kernel, if given.
    pub(crate) fn add_route(
        &mut self,
        network: Ipv4Addr,
        prefix: u8,
        device: &str,
        tcp: Option<&str>,
    ) -> io::Result<()> {
        // <linux/rtnetlink.h>
        const RTAX_CC_ALGO: u16 = 16;
        let mut attempt = || {
            let scope = [libc::RT_TABLE_MAIN, libc::RTPROT_STATIC, libc::RT_SCOPE_LINK, libc::RTN_UNICAST];
            let mut message = Message(vec![libc::AF_INET as u8, prefix, 0, 0]);
            message.0.extend(scope);
            message.0.extend(0_u32.to_ne_bytes());
            message.attribute(libc::RTA_DST, &network.octets());
            message.attribute(libc::RTA_OIF, &self.index(device)?.to_ne_bytes());
            if let Some(name) = tcp {
                let mut metrics = Message(Vec::new());
                metrics.text(RTAX_CC_ALGO, name);
                message.attribute(libc::RTA_METRICS, &metrics.0);
            }
            self.request(libc::RTM_NEWROUTE, libc::NLM_F_CREATE | libc::NLM_F_EXCL, message)
        };
        attempt().map_err(|error| with_context(&format!("route {network}/{prefix} through {device}"), &error))
    }

    /// Removes a device.
    #[cfg(test)]
    pub(crate) fn delete(&mut self, device: &str) -> io::Result<()> {
        let message = Message::link(self.index(device)?, 0, 0);
        self.request(libc::RTM_DELLINK, 0, message)
    }

    /// Makes a pair of Ethernet devices that are joined by a wire: `device` here and `peer` in another namespace.
    #[cfg(test)]
    pub(crate) fn add_pair(&mut self, device: &str, peer: &str, other: &impl std::os::fd::AsFd) -> io::Result<()> {
        // <linux/veth.h>
        const VETH_INFO_PEER: u16 = 1;
        let mut end = Message::link(0, 0, 0);
        end.text(libc::IFLA_IFNAME, peer);
        end.attribute(libc::IFLA_NET_NS_FD, &other.as_fd().as_raw_fd().to_ne_bytes());
        let (mut data, mut info, mut message) = (Message(Vec::new()), Message(Vec::new()), Message::link(0, 0, 0));
        data.attribute(VETH_INFO_PEER, &end.0);
        info.text(libc::IFLA_INFO_KIND, "veth");
        info.attribute(libc::IFLA_INFO_DATA, &data.0);
        message.text(libc::IFLA_IFNAME, device);
        message.attribute(libc::IFLA_LINKINFO, &info.0);
        self.request(libc::RTM_NEWLINK, libc::NLM_F_CREATE | libc::NLM_F_EXCL, message)
    }

    /// Number of a device. Unlike if_nametoindex(3), this reports why there is no such device.
    pub(crate) fn index(&mut self, device: &str) -> io::Result<u32> {
        let mut message = Message::link(0, 0, 0);
        message.text(libc::IFLA_IFNAME, device);
        let answer = self.exchange(libc::RTM_GETLINK, 0, message)?;
        // In `ifinfomsg` the number follows the first word.
        Ok(word(&answer, HEADER + 4)?.cast_unsigned())
    }

    /// Sends a request and waits for its acknowledgement.
    fn request(&mut self, kind: u16, flags: libc::c_int, message: Message) -> io::Result<()> {
        self.exchange(kind, libc::NLM_F_ACK | flags, message).map(drop)
    }

    /// Sends a request and returns the answer.
    fn exchange(&mut self, kind: u16, flags: libc::c_int, message: Message) -> io::Result<Vec<u8>> {
        self.sequence += 1;
        let flags = (libc::NLM_F_REQUEST | flags) as u16;
        let mut bytes = Vec::with_capacity(HEADER + message.0.len());
        bytes.extend(((HEADER + message.0.len()) as u32).to_ne_bytes());
        bytes.extend(kind.to_ne_bytes());
        bytes.extend(flags.to_ne_bytes());
        bytes.extend(self.sequence.to_ne_bytes());
        bytes.extend(0_u32.to_ne_bytes());
        bytes.extend(message.0);
        send(self.socket.as_raw_fd(), &bytes, MsgFlags::empty())?;
        let mut answer = vec![0; 4096];
        let length = recv(self.socket.as_raw_fd(), &mut answer, MsgFlags::empty())?;
        answer.truncate(length);
        let is_error = answer.get(4..6) == Some(&(libc::NLMSG_ERROR as u16).to_ne_bytes()[..]);
        match word(&answer, HEADER)? {
            error if is_error && error != 0 => Err(Errno::from_raw(-error).into()),
            _ => Ok(answer),
        }
    }
}

/// Bytes of the header of a message.
const HEADER: usize = 16;

/// The word of a message at this place.
fn word(message: &[u8], at: usize) -> io::Result<i32> {
    let bytes = message.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
    bytes.map(i32::from_ne_bytes).ok_or_else(|| Errno::EBADMSG.into())
}

/// The part of a message behind its header: a fixed structure, then attributes.
struct Message(Vec<u8>);

impl Message {
    /// `ifinfomsg`: a device and the flags to change.
    fn link(index: u32, flags: u32, change: u32) -> Self {
        let mut bytes = vec![0; 4];
        for word in [index, flags, change] {
            bytes.extend(word.to_ne_bytes());
        }
        Self(bytes)
    }

    /// Appends an attribute, padded to whole words.
    fn attribute(&mut self, kind: u16, value: &[u8]) {
        self.0.extend((4 + value.len() as u16).to_ne_bytes());
        self.0.extend(kind.to_ne_bytes());
        self.0.extend(value);
        self.0.resize(self.0.len().next_multiple_of(4), 0);
    }

    /// Appends a text, with the zero that ends it.
    fn text(&mut self, kind: u16, text: &str) {
        self.attribute(kind, &[text.as_bytes(), &[0]].concat());
    }
}
