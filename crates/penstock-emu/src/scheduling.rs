//! Waking up on time: the scheduling class of a thread, its timers and its memory.
//!
//! A thread of the ordinary class waits for the time slices of others, several milliseconds each; only a real-time class
//! wakes up on time on a busy machine.
#![allow(unsafe_code, reason = "the C library has no wrapper of sched_setattr, and nix none of MCL_ONFAULT")]

use nix::errno::Errno;
use std::fmt;
use std::fs::File;
use std::io::Write;
use std::time::Duration;

/// Budget of processor time in each period. A thread with a budget never starves other threads, so the kernel does not
/// stop it, as it does for 50 ms with a busy thread of fixed priority.
const BUDGET: Duration = Duration::from_micros(262);
const PERIOD: Duration = Duration::from_micros(300);

/// Fixed priority used if no budget is granted, from 1 to 99.
const PRIORITY: u32 = 10;

/// Requests a latency of 0 while the file is open, so that idle processors do not sleep; waking up would take tens of
/// microseconds (Linux, Documentation/power/pm_qos_interface.rst). `None` if the process has no permission.
pub(crate) fn keep_awake() -> Option<File> {
    let mut file = File::options().write(true).open("/dev/cpu_dma_latency").ok()?;
    file.write_all(&0_i32.to_ne_bytes()).ok()?;
    Some(file)
}

/// Scheduling class of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `SCHED_DEADLINE`: a budget of processor time in each period.
    Deadline,
    /// `SCHED_FIFO`: a fixed priority above all ordinary threads.
    Fifo,
    /// The class of ordinary threads: late by milliseconds on a busy machine.
    Other,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deadline => "SCHED_DEADLINE",
            Self::Fifo => "SCHED_FIFO",
            Self::Other => "SCHED_OTHER",
        })
    }
}

/// Lets the calling thread wake up on time, as far as the process is permitted: exact timers, memory that stays
/// resident, and the best scheduling class that is granted, which is returned. Processes and threads started by it are
/// ordinary ones.
pub fn raise_priority() -> Class {
    // Both steps are optional; without them the run reports more lateness.
    let _ = nix::sys::prctl::set_timerslack(1);
    // SAFETY: takes no pointers. Only current mappings, so that a limit of locked memory cannot make later allocations
    // fail.
    let _ = unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_ONFAULT) };
    for class in [Class::Deadline, Class::Fifo] {
        if set_class(class).is_ok() {
            return class;
        }
    }
    Class::Other
}

/// Gives a thread that sends or receives datagrams priority over ordinary threads, as far as the process is permitted.
/// If the thread of the link takes its processor, the kernel moves it to another one at once.
pub(crate) fn go_ahead() {
    // Without permission the thread is late more often, which is counted.
    let _ = set_class(Class::Fifo);
}

/// Moves the calling thread into a scheduling class.
fn set_class(class: Class) -> nix::Result<()> {
    let nanoseconds = |span: Duration| u64::try_from(span.as_nanos()).unwrap_or(u64::MAX);
    let (policy, priority, budget, period) = match class {
        Class::Deadline => (libc::SCHED_DEADLINE, 0, nanoseconds(BUDGET), nanoseconds(PERIOD)),
        Class::Fifo => (libc::SCHED_FIFO, PRIORITY, 0, 0),
        Class::Other => (libc::SCHED_OTHER, 0, 0, 0),
    };
    let attributes = libc::sched_attr {
        size: size_of::<libc::sched_attr>() as u32,
        sched_policy: policy.cast_unsigned(),
        sched_flags: libc::SCHED_FLAG_RESET_ON_FORK as u64,
        sched_nice: 0,
        sched_priority: priority,
        sched_runtime: budget,
        sched_deadline: period,
        sched_period: period,
    };
    // SAFETY: the kernel reads `size` bytes of the structure; 0 is the calling thread, and there are no flags.
    let result = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
    Errno::result(result).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Class of the calling thread, and whether its children get the ordinary class.
    fn class() -> (libc::c_int, bool) {
        // SAFETY: takes no pointers; 0 is the calling thread.
        let policy = unsafe { libc::sched_getscheduler(0) };
        (policy & !libc::SCHED_RESET_ON_FORK, policy & libc::SCHED_RESET_ON_FORK != 0)
    }

    fn number(class: Class) -> libc::c_int {
        match class {
            Class::Deadline => libc::SCHED_DEADLINE,
            Class::Fifo => libc::SCHED_FIFO,
            Class::Other => libc::SCHED_OTHER,
        }
    }

    #[test]
    fn the_thread_is_in_the_class_that_is_returned_and_its_children_are_ordinary() {
        let (raised, found, child) = std::thread::spawn(|| {
            let raised = raise_priority();
            // A thread with a budget cannot start others unless these get the ordinary class.
            let child = std::thread::spawn(class).join().unwrap();
            (raised, class(), child)
        })
        .join()
        .unwrap();
        assert_eq!(found, (number(raised), raised != Class::Other));
        assert_eq!(child.0, libc::SCHED_OTHER);
        assert_eq!(
            nix::sys::prctl::get_timerslack().map(|slack| slack > 1),
            Ok(true),
            "the caller's timers are its own"
        );
    }
}
