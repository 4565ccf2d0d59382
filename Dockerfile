# penstock with its real links and programs to put on them: docker build -t penstock .
FROM python:3.11-slim-bookworm AS python

# The locked packages, downloaded once and checked against their hashes.
FROM python AS packages
COPY requirements.lock .
RUN pip download --no-cache-dir --require-hashes --only-binary :all: --dest /packages -r requirements.lock \
    && pip install --no-cache-dir --root-user-action ignore --no-index --find-links /packages maturin

# The wheel. The native module uses Python's stable ABI, so its build needs no Python. The cache mounts keep the work of
# cargo for the next build.
FROM rust:1.95-slim-bookworm AS wheel
COPY --from=packages /usr/local/bin/maturin /usr/local/bin/
WORKDIR /penstock
COPY Cargo.toml Cargo.lock pyproject.toml LICENSE-APACHE LICENSE-MIT README.md ./
COPY crates crates
COPY package package
COPY python python
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/penstock/target \
    maturin build --release --locked --strip --out /wheel

FROM python
RUN apt-get update \
    && apt-get install -y --no-install-recommends curl ethtool iperf3 iproute2 iputils-ping tcpdump \
    && rm -rf /var/lib/apt/lists/*
# The dependencies have a layer of their own: a change of the sources does not install them again.
RUN --mount=type=bind,from=packages,source=/packages,target=/packages \
    --mount=type=bind,source=pyproject.toml,target=/pyproject.toml \
    python -c 'import tomllib; print(*tomllib.load(open("/pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")' \
    | xargs -d '\n' pip install --no-cache-dir --root-user-action ignore --no-index --find-links /packages
# The cache of results and fonts: any user may write here, and a volume keeps it for the next container. A link without a
# command gets the shell.
ENV XDG_CACHE_HOME=/cache MPLCONFIGDIR=/cache/matplotlib SHELL=/bin/bash
RUN install -d -m 1777 /cache && useradd --create-home penstock
RUN --mount=type=bind,from=wheel,source=/wheel,target=/wheel \
    pip install --no-cache-dir --root-user-action ignore --no-index --no-deps /wheel/*.whl
WORKDIR /penstock
COPY examples examples
COPY scenarios scenarios
USER penstock
ENTRYPOINT ["penstock"]
CMD ["doctor"]
