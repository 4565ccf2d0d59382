//! Tells the processor and the kernel how memory is used: which values are needed soon, and which vectors are large.
#![no_std]

extern crate alloc;

use alloc::vec::Vec;

/// Bytes of a cache line.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Fetch `value`, without waiting for it. Nothing but the time of later accesses depends on it. Elsewhere than on x86-64 it
/// does nothing.
#[inline]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let first = core::ptr::from_ref(value).cast::<i8>();
        // The last byte may be in one more line, if the value does not begin with one.
        let last = size_of::<T>().saturating_sub(1);
        let end = if align_of::<T>() < LINE && last > 0 { last + LINE } else { size_of::<T>() };
        for at in (0..end).step_by(LINE) {
            #[expect(unsafe_code, reason = "a prefetch reads and writes nothing, whatever its address")]
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(first.wrapping_add(at.min(last)));
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Bytes of a huge page.
#[cfg(target_os = "linux")]
const HUGE: usize = 1 << 21;

/// Asks the kernel for huge pages behind a vector of at least two of them, so that the processor translates most of its addresses
/// without a look into memory. Best before the vector is filled. Elsewhere than on Linux, or where the kernel has none, nothing
/// happens.
pub fn use_huge_pages<T>(vector: &Vec<T>) {
    #[cfg(target_os = "linux")]
    {
        let bytes = vector.capacity() * size_of::<T>();
        if bytes < 2 * HUGE {
            return;
        }
        let start = vector.as_ptr().cast::<u8>();
        // The whole huge pages within: advice begins at a page.
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
    use super::{prefetch, use_huge_pages};
    use alloc::vec::Vec;

    #[test]
    fn vectors_of_any_size_keep_their_values() {
        for length in [0, 1, 100_000, 1_500_000] {
            let mut vector = Vec::with_capacity(length);
            use_huge_pages(&vector);
            vector.extend(0..length);
            use_huge_pages(&vector);
            assert!(vector.iter().copied().eq(0..length));
        }
    }

    #[test]
    fn values_of_any_size_stay_as_they_are() {
        let (nothing, byte, many) = ((), 7_u8, [3_u64; 100]);
        prefetch(&nothing);
        prefetch(&byte);
        prefetch(&many);
        assert_eq!((byte, many), (7, [3; 100]));
    }
}
