# penstock with its real links: docker build -t penstock . && docker run --rm -it --privileged penstock link examples/slow_dsl.toml
FROM rust:1.95-slim-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv && rm -rf /var/lib/apt/lists/*
WORKDIR /penstock
COPY . .
RUN python3 -m venv /build && /build/bin/pip install --no-cache-dir 'maturin>=1.9,<2' \
    && /build/bin/maturin build --release --locked --out /wheels

FROM python:3.11-slim-bookworm
# Programs to put on a link.
RUN apt-get update && apt-get install -y --no-install-recommends curl iperf3 iproute2 iputils-ping ethtool tcpdump \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir /wheels/*.whl && rm -r /wheels
WORKDIR /penstock
COPY examples examples
COPY scenarios scenarios
ENTRYPOINT ["penstock"]
CMD ["doctor"]
