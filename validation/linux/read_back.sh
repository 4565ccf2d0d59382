#!/bin/sh
# The first process of the User Mode Linux that tc_read_back.py boots: gives each of the settings to a device that sends
# nothing, and prints what tc then says of it, with JOB/settings a shell script that calls `setting NUMBER` before the
# lines of each setting and `shown` after them.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin

setting() {
    echo "setting $1"
    tc qdisc del dev eth0 root 2>/dev/null
}

shown() {
    echo printed
    tc -d qdisc show dev eth0
    tc class show dev eth0
    tc filter show dev eth0
}

mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs tmpfs /run
ip link add eth0 type dummy
ip link set eth0 up
(
    uname -r
    tc -V
    . "$JOB/settings"
) >"$JOB/printed" 2>&1
sync
echo o >/proc/sysrq-trigger
sleep 10 # switching off takes a moment, in which the first process must not end
