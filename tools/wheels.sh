#!/bin/sh
# Build the source distribution and the wheels for Linux in dist/, and try both in environments of their own.
set -eu
cd "$(dirname "$0")/.."

targets="x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu"
oldest=manylinux_2_28 # glibc of Debian 10, Ubuntu 20.04, RHEL 8 and of all newer ones

say() { printf '%s\n' "$*" >&2; }

# pip_of FOLDER: a new environment there
pip_of() {
    python3 -m venv "$1"
    "$1/bin/pip" install --quiet --disable-pip-version-check --upgrade pip
}

# tried FOLDER PACKAGE: whether PACKAGE, installed into a new environment, simulates
tried() {
    pip_of "$1"
    "$1/bin/pip" install --quiet "$2"
    (cd "$1" && bin/penstock compare "$scenario" --scheme droptail --scheme red --runs 2 --set duration=5s --store runs >/dev/null)
    say "installed and ran: $2"
}

scenario="$PWD/scenarios/thesis_link.toml"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf dist

pip_of "$work/build"
"$work/build/bin/pip" install --quiet --require-hashes -r tools/wheels.txt
PATH="$work/build/bin:$PWD/.venv/bin:$PATH"

maturin sdist --out dist
for target in $targets; do
    if rustup target add "$target" >/dev/null 2>&1; then
        maturin build --quiet --release --locked --strip --zig --compatibility "$oldest" --target "$target" --out dist
    else
        say "no wheel for $target: Rust's library for it is not at hand (rustup target add $target)"
    fi
done
if [ "$(uname -s)" = Darwin ]; then # linked with Apple's SDK, which only a Mac has
    maturin build --quiet --release --locked --strip --out dist
fi

tried "$work/source" dist/*.tar.gz
for wheel in dist/*"$(uname -m)".whl; do
    tried "$work/wheel" "$wheel"
done
ls -l dist
