#!/bin/sh
# Prepare this folder: check what must be there, make .venv, install the locked packages, build the native module.
# A second call finds nothing to do. Nothing outside the folder is touched, the caches of pip and cargo aside.
set -eu
cd "$(dirname "$0")/.."

say() { printf '%s\n' "$*" >&2; }

missing=""
need() { # need NAME "WHAT TO INSTALL": one line for each thing that is missing, all told at once
    missing="${missing}  $1: $2
"
}

# at_least HAVE WANT: whether version HAVE (1.95.0) is WANT (1.88) or newer
at_least() {
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -t. -k1,1n -k2,2n | head -n 1)" = "$2" ]
}

python=${PYTHON:-python3}

check_versions() {
    rust="cargo 1.88 or newer (Debian 12: apt install cargo-web rustc-web; elsewhere: rustup)"
    if ! command -v cargo >/dev/null 2>&1; then
        need cargo "not found; install $rust"
    else
        have=$(cargo --version 2>/dev/null | cut -d' ' -f2)
        at_least "${have:-0}" 1.88 || need cargo "version ${have:-unknown} is too old; install $rust"
    fi
    if ! command -v "$python" >/dev/null 2>&1; then
        need "$python" "not found; install Python 3.11 or newer (Debian: apt install python3)"
    else
        "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
            need "$python" "$("$python" --version 2>&1) is too old; install 3.11 or newer, or say PYTHON=/path/to/python3"
    fi
    if ! command -v cc >/dev/null 2>&1 && ! command -v gcc >/dev/null 2>&1 && ! command -v clang >/dev/null 2>&1; then
        need cc "no C compiler found (Debian: apt install gcc libc6-dev)"
    fi
    if [ -n "$missing" ]; then
        say "penstock cannot be set up, because something is missing:"
        printf '%s' "$missing" >&2
        exit 4
    fi
}

# sum FILE...: one short name for the contents of all these files
sum() { cat "$@" | cksum | tr ' ' '-'; }

stamp_is() { [ -f ".venv/stamp-$1" ] && [ "$(cat ".venv/stamp-$1")" = "$2" ]; }

make_venv() {
    rm -rf .venv
    if command -v uv >/dev/null 2>&1; then
        uv venv --quiet --python "$python" .venv
    elif "$python" -m venv .venv 2>/dev/null; then
        :
    else # Debian's python3 without python3-venv has no ensurepip
        rm -rf .venv
        "$python" -m venv --without-pip .venv
        PYTHONPATH=$(echo tools/wheels/pip-*.whl) .venv/bin/python -m pip install --quiet --no-index \
            --disable-pip-version-check tools/wheels/pip-*.whl
    fi
}

install_packages() {
    say "Installing the locked Python packages into .venv"
    if command -v uv >/dev/null 2>&1; then
        uv pip install --quiet --python .venv/bin/python --require-hashes --only-binary :all: -r requirements.lock
    else
        .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-warn-script-location \
            --require-hashes --only-binary :all: -r requirements.lock
    fi
}

build_native() {
    say "Building the native module (about two minutes the first time)"
    uv_flag=""
    .venv/bin/python -m pip --version >/dev/null 2>&1 || uv_flag="--uv"
    # shellcheck disable=SC2086  # an empty flag must vanish
    VIRTUAL_ENV="$PWD/.venv" PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_QUIET=1 \
        .venv/bin/maturin develop --release --locked --quiet $uv_flag
}

packages=$(sum requirements.lock)
native=$(sum $(find Cargo.toml Cargo.lock pyproject.toml crates -type f \
    \( -name '*.rs' -o -name '*.toml' -o -name '*.lock' -o -name '*.json' -o -name '*.md' \) \
    ! -path '*/tests/*' ! -path '*/benches/*' | LC_ALL=C sort))

if ! stamp_is packages "$packages" || ! .venv/bin/python -c '' 2>/dev/null; then
    check_versions
    make_venv
    install_packages
    printf '%s' "$packages" >.venv/stamp-packages
fi
if ! stamp_is native "$native"; then
    check_versions
    build_native
    printf '%s' "$native" >.venv/stamp-native
fi
