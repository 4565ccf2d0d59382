"""Memory that is freed stays for the next results."""

import platform
import subprocess
import sys

import pytest

FAULTS = """
import ctypes, resource
from penstock.engine.memory import keep_freed_memory
if {kept}:
    keep_freed_memory()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
def use(size=8 << 20):
    place = libc.malloc(size)
    ctypes.memset(place, 1, size)
    libc.free(place)
use()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
use()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="a setting of glibc")
def test_freed_memory_is_used_again_without_page_faults() -> None:
    def faults(is_kept: bool) -> int:
        code = FAULTS.format(kept=is_kept)
        return int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)

    pages = (8 << 20) // 4096
    assert faults(is_kept=False) > 0.9 * pages, "glibc keeps freed memory by itself now"
    assert faults(is_kept=True) < 0.01 * pages
