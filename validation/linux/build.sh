#!/bin/sh
# Builds what record.py boots: a Linux 6.1 kernel for User Mode Linux, and the measuring program.
# Usage: build.sh [FOLDER [SOURCE.tar.xz]]; FOLDER is build/linux of this repository if not given, SOURCE what Debian's
# package linux-source-6.1 installs. Goes on after an interruption.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../../build/linux}
source=$(realpath "${2:-/usr/src/linux-source-6.1.tar.xz}")

fail() {
    echo "build.sh: $1" >&2
    exit 1
}

for tool in gcc make patch flex bison bc xz; do
    command -v $tool >/dev/null || fail "needs $tool; the packages it takes stand in README.md beside this script"
done
[ -r "$source" ] || fail "no $source; install linux-source-6.1 or name the archive as second argument"

mkdir -p "$folder"
cd "$folder"
gcc -std=gnu11 -O2 -Wall -Wextra -static -o lab "$here"/*.c
gcc -std=gnu11 -O2 -Wall -Wextra -shared -fPIC -o red_timer.so "$here"/red_timer/red_timer.c

# A tree that is whole has the name `source`: the unpacking of an interrupted call is thrown away.
if [ ! -d source ]; then
    rm -rf unpacked
    mkdir unpacked
    tar xf "$source" -C unpacked --strip-components=1
    patch -d unpacked -p1 <"$here/virtual.patch"
    mv unpacked source
fi

cd source
[ -f .config ] || make ARCH=um defconfig
while read -r options; do
    for option in $options; do
        scripts/config -e "$option"
    done
done <<OPTIONS
UML_TIME_TRAVEL_SUPPORT HIGH_RES_TIMERS HOSTFS STATIC_LINK BPF_SYSCALL
NAMESPACES NET_NS VETH TUN IFB DUMMY
NET_SCHED NET_SCH_RED NET_SCH_CODEL NET_SCH_FQ_CODEL NET_SCH_PIE NET_SCH_FQ_PIE NET_SCH_CAKE NET_SCH_CHOKE NET_SCH_SFQ
NET_SCH_SFB NET_SCH_GRED NET_SCH_FQ NET_SCH_PRIO NET_SCH_NETEM NET_SCH_HTB NET_SCH_TBF NET_SCH_INGRESS
NET_CLS NET_CLS_MATCHALL NET_CLS_U32 NET_CLS_FLOWER NET_CLS_ACT NET_ACT_GACT GACT_PROB
TCP_CONG_ADVANCED TCP_CONG_CUBIC TCP_CONG_BBR TCP_CONG_DCTCP
OPTIONS
# Without drivers, file systems and debug information that no measurement uses, which only take time.
for option in EXT4_FS REISERFS_FS QUOTA WLAN ETHERNET FTRACE SWAP SUSPEND CGROUPS KALLSYMS DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT; do
    scripts/config -d "$option"
done
scripts/config -e DEBUG_INFO_NONE
make ARCH=um olddefconfig
make ARCH=um -j "$(nproc)" linux
cp linux ../linux
