//! Sockets in namespaces, with the settings of a flow.

use super::Host;
use super::tcp_info::set_window_clamp;
use nix::sys::socket::sockopt::{Ipv4Tos, RcvBuf, RcvBufForce, ReuseAddr, TcpCongestion, TcpMaxSeg};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrIn, bind, connect, setsockopt, socket};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::net::{SocketAddrV4, TcpStream};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::{Mutex, PoisonError};

/// Settings of a TCP connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TcpSettings {
    /// Congestion control by its name in the kernel, such as `cubic`.
    pub congestion_control: String,
    /// Whether the connection negotiates ECN.
    pub ecn: bool,
    /// Whether it negotiates timestamps (RFC 7323), which take 12 bytes of each packet.
    pub timestamps: bool,
    /// Whether it negotiates selective acknowledgements.
    pub sack: bool,
    /// Bytes of a packet without the IP and TCP headers of 40 bytes; with timestamps 12 of these bytes are not user
    /// data.
    pub mss: u32,
    /// Maximum receive window in bytes; `None`: as the kernel chooses.
    pub window: Option<u32>,
}

impl TcpSettings {
    /// Bytes of user data in a packet.
    pub(super) fn payload(&self) -> usize {
        (self.mss as usize).saturating_sub(if self.timestamps { TIMESTAMPS } else { 0 }).max(1)
    }
}

/// Bytes of the timestamps in the header of a packet, with padding.
const TIMESTAMPS: usize = 12;

/// The setting `tcp_ecn` of a namespace: accept ECN, but do not ask for it.
const ECN_PASSIVE: &str = "2";

fn write(name: &str, value: &str) -> io::Result<()> {
    let path = format!("/proc/sys/net/ipv4/{name}");
    fs::write(&path, value).map_err(|error| io::Error::new(error.kind(), format!("{path} cannot be written: {error}")))
}

/// A socket in the namespace of this thread, bound to a port if it is not 0.
pub(super) fn open(kind: SockType, host: &Host, port: u16) -> io::Result<OwnedFd> {
    let made = socket(AddressFamily::Inet, kind, SockFlag::SOCK_CLOEXEC, None)?;
    setsockopt(&made, ReuseAddr, &true)?;
    bind(made.as_raw_fd(), &SockaddrIn::from(SocketAddrV4::new(host.address, port)))?;
    Ok(made)
}

/// Set the codepoint and the ECN field of a socket's packets; TCP sets the ECN field itself.
pub(super) fn set_traffic_class(socket: &impl AsFd, dscp: u8, ecn: u8) -> io::Result<()> {
    Ok(setsockopt(socket, Ipv4Tos, &i32::from(dscp << 2 | ecn))?)
}

/// Set the options that both hosts of a connection share.
pub(super) fn set_tcp(socket: &OwnedFd, tcp: &TcpSettings) -> io::Result<()> {
    let name = OsString::from(&tcp.congestion_control);
    setsockopt(socket, TcpCongestion, &name)?;
    setsockopt(socket, TcpMaxSeg, &tcp.mss)?;
    tcp.window.map_or(Ok(()), |window| limit_window(socket, window))
}

/// Limit the window that a receiver will offer, with a buffer that the kernel leaves alone.
fn limit_window(socket: &OwnedFd, window: u32) -> io::Result<()> {
    // Half of a buffer is overhead of the kernel, and more with short packets.
    let buffer = 4 * window as usize;
    setsockopt(socket, RcvBufForce, &buffer).or_else(|_| setsockopt(socket, RcvBuf, &buffer))?;
    set_window_clamp(socket, window)
}

/// Begin a connection from a socket in the namespace of this thread; the socket does not block then. Returns once the
/// first packet is sent.
pub(super) fn begin(source: &Host, destination: SocketAddrV4, dscp: u8, tcp: &TcpSettings) -> io::Result<TcpStream> {
    /// The kernel reads the options of a connection from the settings of the namespace when the first packet is sent.
    static OPTIONS: Mutex<()> = Mutex::new(());
    let made = open(SockType::Stream, source, 0)?;
    set_traffic_class(&made, dscp, 0)?;
    set_tcp(&made, tcp)?;
    let stream = TcpStream::from(made);
    stream.set_nonblocking(true)?;
    let wanted: Vec<(&str, &str, &str)> = [
        ("tcp_ecn", tcp.ecn, "1", ECN_PASSIVE),
        ("tcp_timestamps", !tcp.timestamps, "0", "1"),
        ("tcp_sack", !tcp.sack, "0", "1"),
    ]
    .into_iter()
    .filter_map(|(name, differs, value, usual)| differs.then_some((name, value, usual)))
    .collect();
    let _lock = OPTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    wanted.iter().try_for_each(|(name, value, _)| write(name, value))?;
    let begun = connect(stream.as_raw_fd(), &SockaddrIn::from(destination));
    wanted.iter().try_for_each(|(name, _, usual)| write(name, usual))?;
    match begun {
        Ok(()) | Err(nix::errno::Errno::EINPROGRESS) => Ok(stream),
        Err(error) => Err(error.into()),
    }
}
