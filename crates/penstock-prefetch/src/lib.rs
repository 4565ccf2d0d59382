//! Tells the processor which values are needed soon, so that it fetches them from memory meanwhile.
#![no_std]

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

#[cfg(test)]
mod tests {
    use super::prefetch;

    #[test]
    fn values_of_any_size_stay_as_they_are() {
        let (nothing, byte, many) = ((), 7_u8, [3_u64; 100]);
        prefetch(&nothing);
        prefetch(&byte);
        prefetch(&many);
        assert_eq!((byte, many), (7, [3; 100]));
    }
}
