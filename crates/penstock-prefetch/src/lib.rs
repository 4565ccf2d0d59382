//! Tells the processor and the kernel how memory is used: which values are needed soon, and which vectors are large.
#![no_std]

extern crate alloc;

use alloc::vec::Vec;

/// Bytes of a cache line.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Fetch `value`, without waiting for it. It affects only the time of later accesses. On processors other than x86-64
/// it does nothing.
#[inline]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let first = core::ptr::from_ref(value).cast::<i8>();
        for offset in offsets(size_of::<T>(), align_of::<T>()) {
            #[expect(unsafe_code, reason = "a prefetch reads and writes nothing, whatever its address")]
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(first.wrapping_add(offset));
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Byte offsets in a value, at least one for each cache line that the value may occupy.
#[cfg(target_arch = "x86_64")]
#[inline]
fn offsets(size: usize, align: usize) -> impl Iterator<Item = usize> {
    // The last byte may lie in a further line, if the value does not begin at the start of a line.
    let last = size.saturating_sub(1);
    let end = if align < LINE && last > 0 { last + LINE } else { size };
    (0..end).step_by(LINE).map(move |offset| offset.min(last))
}

/// Bytes of a huge page.
#[cfg(target_os = "linux")]
const HUGE: usize = 1 << 21;

/// Asks the kernel for huge pages behind a vector of at least two of them, so that the processor translates most of its addresses
/// without a look into memory. Best before the vector is filled. On other systems than Linux, or if the kernel has no
/// huge pages, nothing happens.
pub fn use_huge_pages<T>(vector: &Vec<T>) {
    #[cfg(target_os = "linux")]
    {
        let bytes = vector.capacity() * size_of::<T>();
        if bytes < 2 * HUGE {
            return;
        }
        let start = vector.as_ptr().cast::<u8>();
        // The whole huge pages within the vector, as advice must begin at a page.
        let skipped = start.align_offset(HUGE);
        let length = bytes.saturating_sub(skipped) & !(HUGE - 1);
        #[expect(unsafe_code, reason = "the advice is about the vector's own memory, and changes no byte of it")]
        unsafe {
            libc::madvise(start.wrapping_add(skipped).cast_mut().cast(), length, libc::MADV_HUGEPAGE);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = vector;
}

#[cfg(test)]
mod tests {
    extern crate std;
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn every_cache_line_of_a_value_is_fetched_and_no_other() {
        for (size, align) in
            [(0, 1), (1, 1), (2, 1), (24, 8), (63, 1), (64, 8), (65, 1), (128, 64), (192, 64), (800, 8)]
        {
            for start in (0..super::LINE).step_by(align) {
                let fetched: BTreeSet<usize> =
                    super::offsets(size, align).map(|offset| (start + offset) / super::LINE).collect();
                let lines: BTreeSet<usize> = (start..start + size).map(|byte| byte / super::LINE).collect();
                assert_eq!(fetched, lines, "{size} bytes, a multiple of {align}, from {start}");
            }
        }
    }

    /// Whether the kernel was asked for huge pages at this address: the flag `hg` of proc(5), section smaps.
    #[cfg(target_os = "linux")]
    fn is_advised(address: usize) -> bool {
        let maps = std::fs::read_to_string("/proc/self/smaps").expect("Linux has /proc");
        let mut inside = false;
        for line in maps.lines() {
            let range = line.split_once(' ').and_then(|(range, _)| range.split_once('-'));
            let bounds = range.map(|(start, end)| (usize::from_str_radix(start, 16), usize::from_str_radix(end, 16)));
            if let Some((Ok(start), Ok(end))) = bounds {
                inside = (start..end).contains(&address);
            } else if inside && let Some(flags) = line.strip_prefix("VmFlags:") {
                return flags.split_whitespace().any(|flag| flag == "hg");
            }
        }
        panic!("no memory is mapped at {address:#x}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_large_vectors_get_huge_pages_and_all_keep_their_values() {
        let kernel_has_them = std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists();
        for (length, large) in [(1, false), (100_000, false), (1_500_000, true)] {
            let vector: Vec<usize> = (0..length).collect();
            super::use_huge_pages(&vector);
            assert_eq!(is_advised(&raw const vector[length / 2] as usize), large && kernel_has_them, "{length} values");
            assert!(vector.iter().copied().eq(0..length));
        }
    }
}
