//! Network namespaces: each real host of a scenario has one (Linux network_namespaces(7)).

use crate::errors::with_context;
use crate::netlink::Netlink;
use nix::sched::{CloneFlags, setns, unshare};
use std::fs::File;
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

/// Settings of a fresh namespace, below `/proc/sys/net`.
const SETTINGS: [(&str, &str); 9] = [
    // Hosts forward, so that links can be nested; packets may return on another path.
    ("ipv4/ip_forward", "1"),
    ("ipv4/conf/all/rp_filter", "0"),
    ("ipv4/conf/default/rp_filter", "0"),
    // No packets of neighbour discovery in the queue.
    ("ipv6/conf/all/disable_ipv6", "1"),
    ("ipv6/conf/default/disable_ipv6", "1"),
    // The kernel's default, whatever the setting in the caller's namespace: ECN if the peer asks for it.
    ("ipv4/tcp_ecn", "2"),
    // No connection starts with values cached from an earlier one.
    ("ipv4/tcp_no_metrics_save", "1"),
    // Room for 1 Gbit/s over 200 ms: the window, not the buffer, limits a sender.
    ("ipv4/tcp_rmem", "4096 131072 67108864"),
    ("ipv4/tcp_wmem", "4096 131072 67108864"),
];

/// A network namespace, kept alive by an open file. It has no name: the kernel removes it, with all devices in it, when
/// the last file and the last process in it are gone.
#[derive(Clone, Debug)]
pub struct Namespace(Arc<OwnedFd>);

impl Namespace {
    /// A new namespace with the loopback device on, forwarding on and IPv6 off. The calling thread stays in its own.
    ///
    /// # Errors
    ///
    /// The failing step and its cause: the process may not make namespaces or change their settings.
    pub fn new() -> io::Result<Self> {
        in_thread(|| {
            unshare(CloneFlags::CLONE_NEWNET).map_err(|error| with_context("unshare(CLONE_NEWNET)", &error.into()))?;
            let namespace = Self::current()?;
            Netlink::open()?.switch_on("lo", None, None)?;
            for (key, value) in SETTINGS {
                set_here(key, value)?;
            }
            Ok(namespace)
        })?
    }

    /// The namespace of the calling thread.
    ///
    /// # Errors
    ///
    /// `/proc` is not mounted.
    pub fn current() -> io::Result<Self> {
        Self::open(Path::new("/proc/thread-self/ns/net"))
    }

    /// An existing namespace: `/run/netns/NAME` or `/proc/PID/ns/net`.
    ///
    /// # Errors
    ///
    /// The file cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path).map_err(|error| with_context(&format!("open {}", path.display()), &error))?;
        Ok(Self(Arc::new(file.into())))
    }

    /// Moves the calling thread into the namespace permanently.
    ///
    /// # Errors
    ///
    /// The process may not enter it, or the file is not a network namespace.
    pub fn enter(&self) -> io::Result<()> {
        setns(&self.0, CloneFlags::CLONE_NEWNET)
            .map_err(|error| with_context("enter a network namespace: setns", &error.into()))
    }

    /// Runs `work` in a thread of its own inside the namespace and returns its result.
    ///
    /// # Errors
    ///
    /// The thread cannot be started or cannot enter the namespace.
    ///
    /// # Panics
    ///
    /// `work` panicked.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        in_thread(|| {
            self.enter()?;
            Ok(work())
        })?
    }

    /// Changes a setting of the namespace, such as `ipv4/tcp_ecn`, below `/proc/sys/net`. A setting of IPv6 is skipped
    /// where the kernel has no IPv6.
    ///
    /// # Errors
    ///
    /// The setting does not exist, cannot be changed, or cannot have this value.
    pub fn set(&self, key: &str, value: &str) -> io::Result<()> {
        self.run(|| set_here(key, value))?
    }

    /// Routes an IPv4 network of `prefix` bits through a device of the namespace; 0.0.0.0/0 is the default route. TCP to
    /// that network uses the congestion control `tcp` of the kernel, if given; programs may still choose another one.
    ///
    /// # Errors
    ///
    /// There is no such device or congestion control, or the kernel refuses the route.
    pub fn add_route(&self, network: Ipv4Addr, prefix: u8, device: &str, tcp: Option<&str>) -> io::Result<()> {
        self.run(|| Netlink::open()?.add_route(network, prefix, device, tcp))?
    }
}

impl AsFd for Namespace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Changes a setting of the calling thread's namespace.
fn set_here(key: &str, value: &str) -> io::Result<()> {
    let path = Path::new("/proc/sys/net").join(key);
    match std::fs::write(&path, value) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && key.starts_with("ipv6/") => Ok(()),
        result => result.map_err(|error| with_context(&format!("write \"{value}\" to {}", path.display()), &error)),
    }
}

/// Runs `work` in a thread of its own.
fn in_thread<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("namespace".to_owned()).spawn_scoped(scope, work)?;
        thread.join().map_or_else(|panic| std::panic::resume_unwind(panic), Ok)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fresh_namespace;
    use std::os::linux::fs::MetadataExt;
    use std::os::unix::net::UnixStream;

    /// Identifies the namespace of the calling thread.
    fn inode() -> u64 {
        std::fs::metadata("/proc/thread-self/ns/net").unwrap().st_ino()
    }

    fn devices() -> Vec<String> {
        let text = std::fs::read_to_string("/proc/thread-self/net/dev").unwrap();
        text.lines().skip(2).map(|line| line.split(':').next().unwrap().trim().to_owned()).collect()
    }

    #[test]
    fn a_fresh_namespace_has_only_a_working_loopback_device() {
        let Some(namespace) = fresh_namespace() else { return };
        let (home, before) = (inode(), devices());
        namespace
            .run(|| {
                assert_ne!(inode(), home);
                // Kernels add fall-back tunnels to each namespace; all of these are down.
                assert!(devices().contains(&"lo".to_owned()));
                let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
                socket.send_to(b"x", socket.local_addr().unwrap()).unwrap();
                assert_eq!(socket.recv(&mut [0; 4]).unwrap(), 1);
                for (key, value) in SETTINGS {
                    if let Ok(text) = std::fs::read_to_string(Path::new("/proc/sys/net").join(key)) {
                        assert_eq!(text.split_whitespace().collect::<Vec<_>>().join(" "), value, "{key}");
                    }
                }
            })
            .unwrap();
        assert_eq!((inode(), devices()), (home, before));
    }

    #[test]
    fn a_thread_enters_for_good_and_others_stay() {
        let Some(namespace) = fresh_namespace() else { return };
        let home = inode();
        let inside = std::thread::spawn(move || {
            namespace.enter().unwrap();
            inode()
        });
        assert_ne!(inside.join().unwrap(), home);
        assert_eq!(inode(), home);
        assert_eq!(Namespace::current().unwrap().run(inode).unwrap(), home);
    }

    #[test]
    fn settings_and_errors_name_their_step() {
        let Some(namespace) = fresh_namespace() else { return };
        namespace.set("ipv4/tcp_ecn", "1").unwrap();
        let ecn = namespace.run(|| std::fs::read_to_string("/proc/sys/net/ipv4/tcp_ecn").unwrap()).unwrap();
        assert_eq!(ecn.trim(), "1");
        let message = |result: io::Result<()>| result.unwrap_err().to_string();
        assert!(message(namespace.set("ipv4/no_such", "1")).starts_with("write \"1\" to /proc/sys/net/ipv4/no_such: "));
        let route = namespace.add_route(Ipv4Addr::UNSPECIFIED, 0, "emu9", None);
        assert!(message(route).starts_with("route 0.0.0.0/0 through emu9: "));
        let missing = Namespace::open(Path::new("/run/netns/no-such"));
        assert!(message(missing.map(drop)).starts_with("open /run/netns/no-such: "));
        let (pipe, _other) = UnixStream::pair().unwrap();
        assert!(message(Namespace(Arc::new(pipe.into())).enter()).starts_with("enter a network namespace: setns: "));
    }
}
