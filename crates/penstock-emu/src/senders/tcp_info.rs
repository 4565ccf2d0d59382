//! Options of TCP sockets that `nix` lacks: the state of a connection, and the maximum window.
#![allow(unsafe_code, reason = "nix has neither TCP_INFO nor TCP_WINDOW_CLAMP")]

use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsFd, AsRawFd};

/// The state of a connection as its sender sees it (`tcp_info` of the kernel).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TcpInfo {
    /// Whether the two ends agreed on ECN.
    pub(super) ecn: bool,
    /// Smoothed round-trip time, its mean deviation and the minimum, in seconds.
    pub(super) srtt_s: f64,
    pub(super) rttvar_s: f64,
    pub(super) min_rtt_s: f64,
    /// Window and slow start threshold in packets.
    pub(super) cwnd: u32,
    pub(super) ssthresh: u32,
    /// Bytes of data in a packet.
    pub(super) mss: u32,
    /// Packets that the sender currently considers lost.
    pub(super) lost: u32,
    /// Packets retransmitted, data packets sent, packets delivered, and those of them that were CE-marked, so far.
    pub(super) retransmitted: u32,
    pub(super) sent: u32,
    pub(super) delivered: u32,
    pub(super) delivered_ce: u32,
    /// Time with data unsent or unacknowledged, and the part of it without data to send because the buffer had not been
    /// refilled, in seconds so far.
    pub(super) busy_s: f64,
    pub(super) unfilled_s: f64,
    /// Latest sample of the delivery rate, in bits per second.
    pub(super) delivery_rate_bps: f64,
}

/// The bit of ECN in `tcpi_options` (`TCPI_OPT_ECN` of the kernel).
const ECN: u8 = 8;

/// The state of a connection.
pub(super) fn tcp_info(socket: &impl AsFd) -> io::Result<TcpInfo> {
    let info = read(socket)?;
    Ok(TcpInfo {
        ecn: info.tcpi_options & ECN > 0,
        srtt_s: f64::from(info.tcpi_rtt) * 1e-6,
        rttvar_s: f64::from(info.tcpi_rttvar) * 1e-6,
        min_rtt_s: f64::from(info.tcpi_min_rtt) * 1e-6,
        cwnd: info.tcpi_snd_cwnd,
        ssthresh: info.tcpi_snd_ssthresh,
        mss: info.tcpi_snd_mss,
        lost: info.tcpi_lost,
        retransmitted: info.tcpi_total_retrans,
        sent: info.tcpi_data_segs_out,
        delivered: info.tcpi_delivered,
        delivered_ce: info.tcpi_delivered_ce,
        busy_s: info.tcpi_busy_time as f64 * 1e-6,
        unfilled_s: info.tcpi_sndbuf_limited as f64 * 1e-6,
        delivery_rate_bps: info.tcpi_delivery_rate as f64 * 8.0,
    })
}

fn read(socket: &impl AsFd) -> io::Result<libc::tcp_info> {
    // SAFETY: `tcp_info` consists of integers, for which zeros are values.
    let mut info: libc::tcp_info = unsafe { zeroed() };
    let mut length = size_of::<libc::tcp_info>() as libc::socklen_t;
    let fd = socket.as_fd().as_raw_fd();
    // SAFETY: the kernel writes at most `length` bytes to `info`, which has that length; older kernels write fewer.
    let done =
        unsafe { libc::getsockopt(fd, libc::IPPROTO_TCP, libc::TCP_INFO, (&raw mut info).cast(), &raw mut length) };
    if done == 0 { Ok(info) } else { Err(io::Error::last_os_error()) }
}

/// Limit the window that a receiver offers, in bytes; sockets accepted from a listener inherit it.
pub(super) fn set_window_clamp(socket: &impl AsFd, bytes: u32) -> io::Result<()> {
    let value = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX);
    let length = size_of::<libc::c_int>() as libc::socklen_t;
    let fd = socket.as_fd().as_raw_fd();
    // SAFETY: the kernel reads `length` bytes from `value`, which has that length.
    let done =
        unsafe { libc::setsockopt(fd, libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP, (&raw const value).cast(), length) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
