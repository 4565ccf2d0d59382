#!/bin/sh
# The first process of the User Mode Linux that record.py boots. Makes the network, measures, and switches off. With a
# queue of the kernel the network has three namespaces,
#
#     c (sender) c0 --- r0 r (router) r1 --- s0 s (receiver)
#
# with the link and the queue under test on r1 and all delay behind s0. With a queue of penstock its
# emulator joins the namespaces c and s. With trains (segmentation offload), a namespace k stands for the sender's network card:
#
#     c (sender) c0 --- k0 k (card) k1 --- r0 r (router) ...
#
# c0 passes on whole trains, k1 sends their packets one after the other.
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

kernel_network() {
    ip netns add r
    if [ "$trains" = 1 ]; then
        ip netns add k
        cable c c0 02:00:00:00:01:01 10.0.1.1 k k0 02:00:00:00:01:02 10.0.1.2
        cable k k1 02:00:00:00:03:01 10.0.3.1 r r0 02:00:00:00:03:02 10.0.3.2
        ip -n k route add default via 10.0.3.2
        ip -n r route add default via 10.0.3.1
        in_namespace k sysctl -qw net.ipv4.ip_forward=1
        in_namespace k ethtool -K k1 tso off
    else
        cable c c0 02:00:00:00:01:01 10.0.1.1 r r0 02:00:00:00:01:02 10.0.1.2
    fi
    cable r r1 02:00:00:00:02:01 10.0.2.1 s s0 02:00:00:00:02:02 10.0.2.2
    ip -n c route add default via 10.0.1.2
    ip -n s route add default via 10.0.2.1
    in_namespace r sysctl -qw net.ipv4.ip_forward=1
    receiver=10.0.2.2
    if [ "$gro_ns" ]; then
        # s0 merges only what comes from a device without TSO. A packet waits for others until so long after the last one.
        in_namespace r ethtool -K r1 tso off
        in_namespace s ethtool -K s0 gro on
        in_namespace s sh -c "echo $gro_ns >/sys/class/net/s0/gro_flush_timeout"
    fi
    if [ "$sender_queue" ]; then
        in_namespace c tc qdisc add dev c0 root $sender_queue
    fi
}

kernel_queues() {
    in_namespace s tc qdisc add dev s0 root netem delay "${rtt_ms}ms" limit 100000
    # lab.c knows the queue under test by its handle. Its words are several arguments: $queue stands unquoted.
    if [ "$shaper" = htb ]; then
        # Shaper and queue count the bytes of a frame, or, with $overhead, so many more.
        in_namespace r tc qdisc add dev r1 root handle 1: ${overhead:+stab overhead $overhead} htb default 1
        # No two packets back to back after an idle time.
        in_namespace r tc class add dev r1 parent 1: classid 1:1 htb rate "$rate" burst 1 cburst 1 quantum 1514
        [ "$red_timer" = 1 ] && export LD_PRELOAD="${LAB%/*}/red_timer.so"
        in_namespace r tc qdisc add dev r1 parent 1:1 handle 20: $queue
        unset LD_PRELOAD
    else
        in_namespace r tc qdisc add dev r1 root handle 20: $queue
    fi
}

# The emulator says when its links run: time 0 on the monotonic clock, and the addresses of its ends. lab.c ends it through
# file 3 and reads its result from file 4.
emulated_network() {
    mknod /run/stop p
    mknod /run/result p
    "$emulator" "$JOB/scenario.json" "$seed" S=/run/netns/c D=/run/netns/s <>/run/stop >/run/result &
    exec 3>/run/stop 4</run/result
    read -r origin _ receiver <&4
}

measure() {
    set -e
    mount -t sysfs sys /sys
    mount -t tmpfs tmpfs /run
    . "$JOB/job"
    ip netns add c
    ip netns add s
    if [ "$emulator" ]; then
        emulated_network
    else
        kernel_network
        kernel_queues
        origin=0
    fi
    for n in c s; do
        in_namespace $n sysctl -qw net.ipv4.tcp_ecn="$ecn" net.ipv4.tcp_no_metrics_save=1
        for device in $(in_namespace $n ls /sys/class/net); do
            in_namespace $n ip link set "$device" up
            [ "$trains" = 1 ] || in_namespace $n ip link set "$device" gso_max_segs 1 # each segment is a packet of its own
        done
    done
    "$LAB" "$JOB" "$begin" "$end" "$start_us" "$traces" "$datagram_ns" "$bytes" "$receiver" "$origin" $controls
}

mount -t proc proc /proc
(measure) >"$JOB/log" 2>&1
sync
echo o >/proc/sysrq-trigger
sleep 10 # switching off takes a moment, in which the first process must not end
