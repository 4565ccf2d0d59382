#!/bin/sh
# Build the engine as a WebAssembly module, python/penstock/live/penstock.wasm. Needs wasm-opt, and a Rust that can build for
# WebAssembly: rustup's with the target wasm32-unknown-unknown, or Debian's with its sources.
set -eu
cd "$(dirname "$0")/.."

target=wasm32-unknown-unknown
root=$(rustc --print sysroot)
std="" # options by which cargo builds the standard library itself
if [ ! -d "$root/lib/rustlib/$target" ]; then
    if [ ! -d "$root/lib/rustlib/src" ] || ! command -v wasm-ld >/dev/null; then
        echo "No Rust for WebAssembly. rustup target add $target; or Debian 12: apt install rustc-web cargo-web rust-web-src lld" >&2
        exit 4
    fi
    export RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld
    std="-Zbuild-std=std,panic_abort"
fi
if ! command -v wasm-opt >/dev/null; then
    echo "No wasm-opt. Debian: apt install binaryen" >&2
    exit 4
fi

# The paths of the building machine have no place in the module.
export RUSTFLAGS="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo --remap-path-prefix=$PWD=."

# shellcheck disable=SC2086 # no option or one
cargo build ${std:+$std} --locked --quiet --profile live -p penstock-wasm --lib --target $target
# What compilers for WebAssembly emit by default; names are for debugging.
wasm-opt -Oz --converge --strip-debug --strip-producers --enable-bulk-memory --enable-sign-ext --enable-mutable-globals \
    --enable-nontrapping-float-to-int --enable-multivalue --enable-reference-types \
    "${CARGO_TARGET_DIR:-target}/$target/live/penstock_wasm.wasm" -o python/penstock/live/penstock.wasm
