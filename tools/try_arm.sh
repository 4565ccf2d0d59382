#!/bin/sh
# Try the wheel for 64-bit ARM of dist/ on a processor that QEMU emulates: all recorded runs must have their results.
# As root; Debian: apt install qemu-user-static debootstrap.
set -eu
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A Debian 12 whose packages are unpacked, but not configured: its Python runs, and this machine does the rest.
debootstrap --arch=arm64 --foreign --variant=minbase --include=python3 bookworm "$work/debian" >/dev/null
for package in "$work"/debian/var/cache/apt/archives/*.deb; do
    dpkg -x "$package" "$work/debian"
done
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --target "$work/site" --only-binary=:all: --python-version 3.11 --implementation cp \
    --platform manylinux_2_28_aarch64 --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 \
    dist/penstock-*aarch64.whl

# Laws in Python run in processes, which would need the kernel to know QEMU: they are left out.
PYTHONPATH="$work/site:$PWD" qemu-aarch64-static -L "$work/debian" "$work/debian/usr/bin/python3.11" - <<'EOF'
import platform
import sys
import tempfile
from pathlib import Path

from penstock.engine.run import run_batch

from tests.python import record_of_meaning as record
from tests.python.recorded_runs import recorded_runs

known = record.Record.read().results
with tempfile.TemporaryDirectory() as folder:
    runs = {name: tree for name, tree in recorded_runs(Path(folder)).items() if name in known and "Python" not in name}
    results = run_batch([record._for_engine(name, tree) for name, tree in runs.items()], [1] * len(runs))
different = [name for name, found in zip(runs, results) if record._hash(found) != known[name]]
print(f"{platform.machine()}: {len(runs) - len(different)} of {len(runs)} recorded runs have their results")
sys.exit(f"different: {', '.join(different[:10])}" if different else 0)
EOF
