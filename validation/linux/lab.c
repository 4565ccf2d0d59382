/*
 * Measures TCP flows over the queue of a link, inside a User Mode Linux in virtual time whose network init.sh has made.
 *
 * Usage: lab FOLDER BEGIN END START_US TRACES DATAGRAM_NS BYTES RECEIVER ORIGIN CONTROL...
 *
 * One flow to the address RECEIVER for each CONTROL, the name of a congestion control; flow i starts START_US + i * 100 ms
 * after the beginning of time. Each DATAGRAM_NS, unless that is 0, a datagram of a full frame crosses the queue as well.
 * Each flow sends BYTES and there is no ping; or, where BYTES is 0, the flows have no end.
 * The counts run from BEGIN to END, in seconds. ORIGIN is 0 where the queue is the kernel's. Otherwise it is that of an
 * emulator, whose time 0 is ORIGIN on the monotonic clock and whose statistics run from BEGIN + SETTLE seconds of that time
 * to END + SETTLE; it ends when it reads a line from file 3 and then writes its result to file 4. FOLDER gets
 *
 *   begin.json, end.json   the queue's own counters at these times, as tc -s -j prints them; or end.json alone, the
 *                          emulator's result
 *   result.json            goodput of each flow in bit/s, and the mean backlog, if the kernel has the queue
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
#include <unistd.h>

/* Time for the network to get ready before the beginning, in the emulator's time. */
static const uint64_t SETTLE = SECOND;

static void save_counters(const char *name)
{
    char command[4096];

    snprintf(command, sizeof command, "ip netns exec r tc -s -j qdisc show dev r1 >'%s/%s'", folder, name);
    errno = 0;
    if (system(command))
        fail("tc gives no counters");
}

static void end_emulator(void)
{
    enum { STOP = 3, RESULT = 4 };
    static char part[1 << 16];
    FILE *file = create("end.json");
    int length;

    must(write(STOP, "\n", 1), "end of the emulator");
    while ((length = must(read(RESULT, part, sizeof part), "result of the emulator")) > 0)
        fwrite(part, 1, length, file);
    if (fclose(file))
        fail("end.json");
}

static void copy_received(uint64_t *to)
{
    for (int i = 0; i < MAX_FLOWS; i++)
        to[i] = shared->received[i];
}

static void save_result(int flows, const uint64_t *before, const uint64_t *after, int with_backlog)
{
    FILE *file = create("result.json");

    fputs("{\"goodput_bps\": [", file);
    for (int i = 0; i < flows; i++)
        fprintf(file, "%s%.0f", i ? ", " : "", (after[i] - before[i]) * 8 / seconds(end - begin));
    fputc(']', file);
    if (with_backlog)
        fprintf(file, ", \"backlog_packets\": %.3f, \"backlog_bytes\": %.1f",
                (double)shared->backlog_packets / shared->samples, (double)shared->backlog_bytes / shared->samples);
    fputs("}\n", file);
    if (fclose(file))
        fail("result.json");
}

int main(int count, char **arguments)
{
    uint64_t before[MAX_FLOWS], after[MAX_FLOWS], origin;
    int flows = count - 10;

    if (flows < 1 || flows > MAX_FLOWS)
        fail("usage: lab FOLDER BEGIN END START_US TRACES DATAGRAM_NS BYTES RECEIVER ORIGIN CONTROL... (1 to %d)", MAX_FLOWS);
    folder = arguments[1];
    begin = strtoull(arguments[2], NULL, 10) * SECOND;
    end = strtoull(arguments[3], NULL, 10) * SECOND;
    first_start = strtoull(arguments[4], NULL, 10) * MICROSECOND;
    traces = atoi(arguments[5]);
    datagram_gap = strtoull(arguments[6], NULL, 10);
    flow_bytes = strtoull(arguments[7], NULL, 10);
    receiver_address = arguments[8];
    origin = strtoull(arguments[9], NULL, 10);
    controls = (const char *const *)arguments + 10;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        fail("mmap");

    zero = ((origin ? origin + SETTLE : clock_ns(CLOCK_MONOTONIC) + SECOND / 2) / SAMPLE_GAP) * SAMPLE_GAP;
    if (clock_ns(CLOCK_MONOTONIC) >= zero)
        fail("the network was ready too late");
    if (traces) {
        tcp_info_log = create("tcp_info.txt");
        start(capture_sender, 0);
        start(capture_receiver, 0);
    }
    start(receiver, 0);
    if (!flow_bytes)
        start(ping, 0);
    if (datagram_gap)
        start(flood, 0);
    if (!origin)
        start(backlog, 0);
    for (int i = 0; i < flows; i++)
        start(send_flow, i);

    wait_until(begin);
    copy_received(before);
    if (!origin)
        save_counters("begin.json");
    wait_until(end);
    copy_received(after);
    if (!origin)
        save_counters("end.json");
    errno = 0;
    if (waitpid(-1, NULL, WNOHANG) > 0)
        fail("a part of the measurement ended early");
    if (origin) {
        wait_until(end + 2 * SAMPLE_GAP); /* the emulator's statistics end up to one gap later */
        end_emulator();
    }
    save_result(flows, before, after, !origin);
    return 0;
}
