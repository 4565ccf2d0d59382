#!/bin/sh
# The first process of the User Mode Linux that record.py boots. Makes the network of three namespaces,
#
#     c (sender) c0 --- r0 r (router) r1 --- s0 s (receiver)
#
# with the link of 10 Mbit/s and the queue under test on r1 and all delay behind s0, measures, and switches off.
# Comes with the kernel's command line: LAB, the measuring program; JOB, the folder of this run, in which the file `job`
# sets the variables used below.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin

in_namespace() {
    ip netns exec "$@"
}

cable() { # NAMESPACE DEVICE MAC ADDRESS, then the same of the other end
    ip link add "$2" address "$3" netns "$1" type veth peer name "$6" address "$7" netns "$5"
    ip -n "$1" address add "$4/24" dev "$2"
    ip -n "$5" address add "$8/24" dev "$6"
    ip -n "$1" link set "$2" up
    ip -n "$5" link set "$6" up
    # No packets but those measured: who is where is told beforehand.
    ip -n "$1" neigh replace "$8" lladdr "$7" dev "$2" nud permanent
    ip -n "$5" neigh replace "$4" lladdr "$3" dev "$6" nud permanent
}

network() {
    for n in c r s; do
        ip netns add $n
        ip -n $n link set lo up
    done
    cable c c0 02:00:00:00:01:01 10.0.1.1 r r0 02:00:00:00:01:02 10.0.1.2
    cable r r1 02:00:00:00:02:01 10.0.2.1 s s0 02:00:00:00:02:02 10.0.2.2
    ip -n c route add default via 10.0.1.2
    ip -n s route add default via 10.0.2.1
    in_namespace r sysctl -qw net.ipv4.ip_forward=1
    # Each segment is a packet of its own.
    ip -n c link set c0 gso_max_segs 1
    ip -n s link set s0 gso_max_segs 1
    for n in c s; do
        in_namespace $n sysctl -qw net.ipv4.tcp_ecn="$ecn" net.ipv4.tcp_no_metrics_save=1
    done
}

queues() {
    in_namespace s tc qdisc add dev s0 root netem delay "${rtt_ms}ms" limit 100000
    # lab.c knows the queue under test by its handle. Its words are several arguments: $queue stands unquoted.
    if [ "$shaper" = htb ]; then
        in_namespace r tc qdisc add dev r1 root handle 1: htb default 1
        # No two packets back to back after an idle time.
        in_namespace r tc class add dev r1 parent 1: classid 1:1 htb rate 10mbit burst 1 cburst 1 quantum 1514
        in_namespace r tc qdisc add dev r1 parent 1:1 handle 20: $queue
    else
        in_namespace r tc qdisc add dev r1 root handle 20: $queue
    fi
}

measure() {
    set -e
    mount -t sysfs sys /sys
    mount -t tmpfs tmpfs /run
    . "$JOB/job"
    network
    queues
    "$LAB" "$JOB" "$begin" "$end" "$start_us" "$traces" "$datagram_ns" $controls
}

mount -t proc proc /proc
(measure) >"$JOB/log" 2>&1
sync
echo o >/proc/sysrq-trigger
sleep 10 # switching off takes a moment, in which the first process must not end
