//! A memory allocator that counts, for each thread. A test program that uses this crate uses the allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

struct Counting;

fn count(allocations: u64, bytes: i64) {
    ALLOCATIONS.set(ALLOCATIONS.get() + allocations);
    LIVE.set(LIVE.get() + bytes);
    PEAK.set(PEAK.get().max(LIVE.get()));
}

#[expect(unsafe_code, reason = "passes every call on to the system's allocator")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as i64);
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as i64);
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(0, -(layout.size() as i64));
        unsafe { System.dealloc(memory, layout) }
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(1, size as i64 - layout.size() as i64);
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static HEAP: Counting = Counting;

/// The result of `work`, the number of its allocations, and the largest increase of the memory in use during it, in
/// bytes.
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, u64, u64) {
    let (allocations, live) = (ALLOCATIONS.get(), LIVE.get());
    PEAK.set(live);
    let result = work();
    (result, ALLOCATIONS.get() - allocations, (PEAK.get() - live) as u64)
}
