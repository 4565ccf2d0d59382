/*
 * Measures TCP flows over the queue of a link, inside a User Mode Linux in virtual time whose network init.sh has made.
 *
 * Usage: lab FOLDER BEGIN END START_US TRACES DATAGRAM_NS CONTROL...
 *
 * One flow for each CONTROL, the name of a congestion control; flow i starts START_US + i * 100 ms after the beginning
 * of time. Each DATAGRAM_NS, unless that is 0, a datagram of a full frame crosses the queue as well. The counts
 * run from BEGIN to END, in seconds. FOLDER gets
 *
 *   begin.json, end.json   the queue's own counters at these times, as tc -s -j prints them
 *   result.json            goodput of each flow in bit/s, and the mean backlog
 *
 * and, where TRACES is 1, the files that README.md describes under "Traces": tcp_info.txt, backlog.txt, sender.txt, receiver.txt.
 *
 * Each part is a process in its network namespace and runs until the machine is switched off. Processor time costs
 * nothing in virtual time; only reading the clock does (256 ns), so a part reads it only when it has to wait.
 */
#include "lab.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

static void save_counters(const char *name)
{
    char command[4096];

    snprintf(command, sizeof command, "ip netns exec r tc -s -j qdisc show dev r1 >'%s/%s'", folder, name);
    errno = 0;
    if (system(command))
        fail("tc gives no counters");
}

static void copy_received(uint64_t *to)
{
    for (int i = 0; i < MAX_FLOWS; i++)
        to[i] = shared->received[i];
}

static void save_result(int flows, const uint64_t *before, const uint64_t *after)
{
    FILE *file = create("result.json");

    fputs("{\"goodput_bps\": [", file);
    for (int i = 0; i < flows; i++)
        fprintf(file, "%s%.0f", i ? ", " : "", (after[i] - before[i]) * 8 / seconds(end - begin));
    fprintf(file, "], \"backlog_packets\": %.3f, \"backlog_bytes\": %.1f}\n",
            (double)shared->backlog_packets / shared->samples, (double)shared->backlog_bytes / shared->samples);
    if (fclose(file))
        fail("result.json");
}

int main(int count, char **arguments)
{
    uint64_t before[MAX_FLOWS], after[MAX_FLOWS];
    int flows = count - 7;

    if (flows < 1 || flows > MAX_FLOWS)
        fail("usage: lab FOLDER BEGIN END START_US TRACES DATAGRAM_NS CONTROL... (1 to %d)", MAX_FLOWS);
    folder = arguments[1];
    begin = strtoull(arguments[2], NULL, 10) * SECOND;
    end = strtoull(arguments[3], NULL, 10) * SECOND;
    first_start = strtoull(arguments[4], NULL, 10) * MICROSECOND;
    traces = atoi(arguments[5]);
    datagram_gap = strtoull(arguments[6], NULL, 10);
    controls = (const char *const *)arguments + 7;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        fail("mmap");

    zero = (clock_ns(CLOCK_MONOTONIC) / SAMPLE_GAP + 50) * SAMPLE_GAP; /* half a second to get ready */
    if (traces) {
        tcp_info_log = create("tcp_info.txt");
        start(capture_sender, 0);
        start(capture_receiver, 0);
    }
    start(receiver, 0);
    start(ping, 0);
    if (datagram_gap)
        start(flood, 0);
    start(backlog, 0);
    for (int i = 0; i < flows; i++)
        start(send_flow, i);

    wait_until(begin);
    copy_received(before);
    save_counters("begin.json");
    wait_until(end);
    copy_received(after);
    save_counters("end.json");
    errno = 0;
    if (waitpid(-1, NULL, WNOHANG) > 0)
        fail("a part of the measurement ended early");
    save_result(flows, before, after);
    return 0;
}
