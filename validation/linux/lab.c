/*
 * Measures TCP flows over the queue of a link, inside a User Mode Linux in virtual time whose network init.sh has made.
 *
 * Usage: lab FOLDER BEGIN END START_US TRACES DATAGRAM_NS CONTROL...
 *
 * One flow for each CONTROL, the name of a congestion control; flow i starts START_US + i * 100 ms after the beginning
 * of time. Each DATAGRAM_NS, unless that is 0, a datagram of a full frame crosses the queue as well. Counted is what
 * happens from BEGIN to END, in seconds. FOLDER gets
 *
 *   begin.json, end.json   the queue's own counters at these times, as tc -s -j says them
 *   result.json            goodput of each flow in bit/s, and the mean backlog
 *
 * and, where TRACES is 1, what README.md tells under "Traces": tcp_info.txt, backlog.txt, sender.txt, receiver.txt.
 *
 * Each part is a process in its network namespace and runs until the machine is switched off. Processor time costs
 * nothing in virtual time; only reading the clock does (256 ns), so nobody reads it but who has to wait.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/tcp.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RECEIVER "10.0.2.2"

enum { PORT = 5000, FIRST_SOURCE_PORT = 6000, MAX_FLOWS = 64, DATAGRAM = 1472 /* 1514 in the frame */ };

#define MICROSECOND 1000ull
#define MILLISECOND 1000000ull
#define SECOND 1000000000ull

static const uint64_t FLOW_GAP = 100 * MILLISECOND;
static const uint64_t PING_GAP = 10007 * MICROSECOND;
static const uint64_t SAMPLE_GAP = 10 * MILLISECOND;
/* Away from the ticks of the kernel and the beginnings of flows, at whole 10 ms. */
static const uint64_t BACKLOG_PHASE = 2500 * MICROSECOND;
static const unsigned QUEUE_HANDLE = 0x20;

/* What the processes tell each other. */
struct shared {
    volatile uint64_t received[MAX_FLOWS];
    volatile uint64_t samples, backlog_packets, backlog_bytes;
};

static struct shared *shared;
static const char *folder;
static const char *const *controls; /* of each flow */
static int traces;
static FILE *tcp_info_log; /* of all flows, each of which writes whole lines */
static uint64_t zero, begin, end, first_start; /* zero on the monotonic clock, the others counted from it */
static uint64_t datagram_gap;                  /* 0: there are none */

/* ---- Small helpers ---- */

static void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

static void fail(const char *format, ...)
{
    int error = errno;
    va_list values;

    va_start(values, format);
    fputs("lab: ", stderr);
    vfprintf(stderr, format, values);
    va_end(values);
    fprintf(stderr, error ? ": %s\n" : "\n", strerror(error));
    exit(1);
}

/* A call that gives a number below 0 on failure. */
static int must(int result, const char *what)
{
    if (result < 0)
        fail("%s", what);
    return result;
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return t.tv_sec * SECOND + t.tv_nsec;
}

/* Waits to the nanosecond: the timeouts of poll and epoll have a slack of a thousandth. */
static void wait_until(uint64_t instant)
{
    struct timespec t = {(zero + instant) / SECOND, (zero + instant) % SECOND};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

static double seconds(uint64_t instant)
{
    return (double)instant / SECOND;
}

static void enter(const char *namespace)
{
    char path[64];

    snprintf(path, sizeof path, "/run/netns/%s", namespace);
    int file = must(open(path, O_RDONLY), path);
    must(setns(file, CLONE_NEWNET), path);
    close(file);
}

/* By lines, so that no line is torn when the machine is switched off. */
static FILE *create(const char *name)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file)
        fail("%s", path);
    setvbuf(file, NULL, _IOLBF, 1 << 16);
    return file;
}

static struct sockaddr_in address(const char *host, int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = inet_addr(host)};
}

static void start(void (*part)(int), int number)
{
    fflush(NULL);
    if (must(fork(), "fork") == 0) {
        part(number);
        exit(0);
    }
}

/* ---- The receiver: reads at once and counts ---- */

static int listening_socket(void)
{
    struct sockaddr_in any = address("0.0.0.0", PORT);
    int listener = must(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), "socket of the receiver");

    must(bind(listener, (struct sockaddr *)&any, sizeof any), "bind of the receiver");
    must(listen(listener, MAX_FLOWS), "listen");
    return listener;
}

/* The flow is known by its source port. */
static void accept_flows(int listener, int epoll, int connections[])
{
    struct sockaddr_in peer;
    socklen_t length = sizeof peer;
    int connection;

    while ((connection = accept4(listener, (struct sockaddr *)&peer, &length, SOCK_NONBLOCK)) >= 0) {
        int flow = ntohs(peer.sin_port) - FIRST_SOURCE_PORT;
        struct epoll_event readable = {EPOLLIN, {.u32 = flow}};
        connections[flow] = connection;
        must(epoll_ctl(epoll, EPOLL_CTL_ADD, connection, &readable), "epoll of a connection");
    }
}

/* Takes the datagrams, lest they be answered with errors; nobody reads it. */
static void open_datagram_sink(void)
{
    struct sockaddr_in any = address("0.0.0.0", PORT);
    int sink = must(socket(AF_INET, SOCK_DGRAM, 0), "socket for datagrams");

    must(bind(sink, (struct sockaddr *)&any, sizeof any), "bind for datagrams");
}

static void receiver(int unused)
{
    static char byte; /* nothing is copied: MSG_TRUNC drops what is read */
    int connections[MAX_FLOWS];
    struct epoll_event new_flow = {EPOLLIN, {.u32 = MAX_FLOWS}}, ready[MAX_FLOWS];

    (void)unused;
    enter("s");
    open_datagram_sink();
    int listener = listening_socket();
    int epoll = must(epoll_create1(0), "epoll");
    must(epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &new_flow), "epoll of the receiver");
    for (;;) {
        int n = epoll_wait(epoll, ready, MAX_FLOWS, -1);
        for (int i = 0; i < n; i++) {
            unsigned flow = ready[i].data.u32;
            ssize_t length;
            if (flow == MAX_FLOWS) {
                accept_flows(listener, epoll, connections);
                continue;
            }
            while ((length = recv(connections[flow], &byte, 1 << 20, MSG_TRUNC)) > 0)
                shared->received[flow] += length;
        }
    }
}

/* ---- A flow: writes as much as the socket takes ---- */

static uint64_t flow_start(int flow)
{
    return first_start + flow * FLOW_GAP;
}

static int connected_socket(int flow)
{
    struct sockaddr_in own = address("0.0.0.0", FIRST_SOURCE_PORT + flow), peer = address(RECEIVER, PORT);
    int connection = must(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), "socket of a flow");
    const char *control = controls[flow];

    must(setsockopt(connection, IPPROTO_TCP, TCP_CONGESTION, control, strlen(control)), control);
    must(bind(connection, (struct sockaddr *)&own, sizeof own), "bind of a flow");
    if (connect(connection, (struct sockaddr *)&peer, sizeof peer) && errno != EINPROGRESS)
        fail("connect");
    return connection;
}

static void sample_tcp_info(int connection, int flow)
{
    for (uint64_t instant = (flow_start(flow) / SAMPLE_GAP + 1) * SAMPLE_GAP;; instant += SAMPLE_GAP) {
        struct tcp_info i = {0};
        socklen_t length = sizeof i;

        wait_until(instant);
        must(getsockopt(connection, IPPROTO_TCP, TCP_INFO, &i, &length), "tcp_info");
        fprintf(tcp_info_log,
                "%.6f %d cwnd %u ssthresh %u unacked %u sacked %u lost %u retrans %u total %u rtt %u state %u\n",
                seconds(instant), flow, i.tcpi_snd_cwnd, i.tcpi_snd_ssthresh, i.tcpi_unacked, i.tcpi_sacked,
                i.tcpi_lost, i.tcpi_retrans, i.tcpi_total_retrans, i.tcpi_rtt, i.tcpi_ca_state);
    }
}

static void send_flow(int number)
{
    static const char data[128 * 1024];

    enter("c");
    wait_until(flow_start(number));
    struct pollfd writable = {.fd = connected_socket(number), .events = POLLOUT};
    if (traces && must(fork(), "fork") == 0)
        sample_tcp_info(writable.fd, number);
    for (;;) {
        must(poll(&writable, 1, -1), "poll");
        while (write(writable.fd, data, sizeof data) > 0)
            ;
        if (errno != EAGAIN)
            fail("flow %d", number);
    }
}

/* ---- The ping: a small packet across the queue now and then; its answers are for the traces alone ---- */

static uint16_t internet_checksum(const uint16_t *words, size_t n)
{
    uint32_t sum = 0;

    while (n--)
        sum += *words++;
    sum = (sum & 0xffff) + (sum >> 16);
    return ~(sum + (sum >> 16));
}

static void ping(int unused)
{
    struct sockaddr_in peer = address(RECEIVER, 0);
    union {
        struct icmphdr header;
        uint16_t words[32]; /* 64 bytes: 98 in the frame */
    } echo;

    (void)unused;
    enter("c");
    int raw = must(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP), "socket of the ping");
    for (uint64_t n = 0;; n++) {
        memset(&echo, 0, sizeof echo);
        echo.header.type = ICMP_ECHO;
        echo.header.un.echo.sequence = htons(n);
        echo.header.checksum = internet_checksum(echo.words, 32);
        wait_until(n * PING_GAP);
        must(sendto(raw, &echo, sizeof echo, 0, (struct sockaddr *)&peer, sizeof peer), "ping");
    }
}

/* ---- Datagrams: a flood that heeds nothing ---- */

static void flood(int unused)
{
    static const char data[DATAGRAM];
    struct sockaddr_in peer = address(RECEIVER, PORT);

    (void)unused;
    enter("c");
    int datagrams = must(socket(AF_INET, SOCK_DGRAM, 0), "socket of the flood");
    for (uint64_t n = 0;; n++) {
        wait_until(n * datagram_gap);
        must(sendto(datagrams, data, sizeof data, 0, (struct sockaddr *)&peer, sizeof peer), "datagram");
    }
}

/* ---- The backlog: the kernel is asked every 10 ms ---- */

static void count_backlog(FILE *log, uint64_t instant, const struct tc_stats *stats)
{
    if (log)
        fprintf(log, "%.6f packets %u bytes %u drops %u\n", seconds(instant), stats->qlen, stats->backlog,
                stats->drops);
    if (instant < begin || instant >= end)
        return;
    shared->samples++;
    shared->backlog_packets += stats->qlen;
    shared->backlog_bytes += stats->backlog;
}

/* What one message of the kernel's answer says of the queue, if it is about it. */
static const struct tc_stats *queue_stats(struct nlmsghdr *message, int device)
{
    struct tcmsg *queue = NLMSG_DATA(message);
    int length = TCA_PAYLOAD(message);

    if (queue->tcm_ifindex != device || queue->tcm_handle >> 16 != QUEUE_HANDLE)
        return NULL;
    for (struct rtattr *a = TCA_RTA(queue); RTA_OK(a, length); a = RTA_NEXT(a, length))
        if (a->rta_type == TCA_STATS)
            return RTA_DATA(a);
    return NULL;
}

static void ask_backlog(int netlink, int device, FILE *log, uint64_t instant)
{
    static char answer[1 << 16] __attribute__((aligned(NLMSG_ALIGNTO)));
    struct {
        struct nlmsghdr header;
        struct tcmsg queue;
    } question = {
        {.nlmsg_len = sizeof question, .nlmsg_type = RTM_GETQDISC, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        {.tcm_family = AF_UNSPEC, .tcm_ifindex = device},
    };

    must(send(netlink, &question, sizeof question, 0), "question for the backlog");
    for (;;) {
        int length = must(recv(netlink, answer, sizeof answer, 0), "answer about the backlog");
        for (struct nlmsghdr *h = (struct nlmsghdr *)answer; NLMSG_OK(h, length); h = NLMSG_NEXT(h, length)) {
            if (h->nlmsg_type == NLMSG_DONE)
                return;
            const struct tc_stats *stats = queue_stats(h, device);
            if (stats)
                count_backlog(log, instant, stats);
        }
    }
}

static void backlog(int unused)
{
    FILE *log = traces ? create("backlog.txt") : NULL;

    (void)unused;
    enter("r");
    int device = if_nametoindex("r1");
    int netlink = must(socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), "netlink");
    for (uint64_t instant = BACKLOG_PHASE;; instant += SAMPLE_GAP) {
        wait_until(instant);
        ask_backlog(netlink, device, log, instant);
    }
}

/* ---- Captures: a line for each TCP or ICMP packet at one end ---- */

enum { ETHERNET = 14, IP = 20, TCP = 20, SACK_KIND = 5 };

static unsigned word16(const unsigned char *at)
{
    return at[0] << 8 | at[1];
}

static uint32_t word32(const unsigned char *at)
{
    return (uint32_t)word16(at) << 16 | word16(at + 2);
}

static void write_sacks(FILE *log, const unsigned char *option, const unsigned char *end_of_options)
{
    while (option < end_of_options && *option != 0) {
        if (*option == 1) { /* padding, the only kind without a length */
            option++;
            continue;
        }
        if (*option == SACK_KIND)
            for (int i = 2; i < option[1]; i += 8)
                fprintf(log, " sack %u-%u", word32(option + i), word32(option + i + 4));
        option += option[1];
    }
}

static void write_packet(FILE *log, uint64_t instant, char direction, const unsigned char *ip)
{
    const unsigned char *tcp = ip + IP;
    int header = (tcp[12] >> 4) * 4;

    fprintf(log, "%.6f %c ", seconds(instant), direction);
    if (ip[9] == IPPROTO_ICMP) {
        fprintf(log, "ping %u\n", word16(ip + IP + 6));
        return;
    }
    fprintf(log, "%u %u seq %u ack %u length %d window %u flags %02x ecn %d", word16(tcp), word16(tcp + 2),
            word32(tcp + 4), word32(tcp + 8), word16(ip + 2) - IP - header, word16(tcp + 14), tcp[13], ip[1] & 3);
    write_sacks(log, tcp + TCP, tcp + header);
    fputc('\n', log);
}

static uint64_t kernel_stamp(struct msghdr *message)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c))
        if (c->cmsg_type == SO_TIMESTAMPNS) {
            struct timespec *t = (struct timespec *)CMSG_DATA(c);
            return t->tv_sec * SECOND + t->tv_nsec;
        }
    fail("a packet without a time");
}

static int packet_socket(const char *device)
{
    int room = 1 << 24, yes = 1, packets = must(socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)), "socket of a capture");
    struct sockaddr_ll place = {
        .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = if_nametoindex(device)};

    must(setsockopt(packets, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room), "room for a capture");
    must(setsockopt(packets, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes), "times of a capture");
    must(bind(packets, (struct sockaddr *)&place, sizeof place), device);
    return packets;
}

static void capture(const char *namespace, const char *device, const char *name)
{
    static unsigned char frame[2048], control[256];
    FILE *log = create(name);

    enter(namespace);
    int packets = packet_socket(device);
    uint64_t zero_of_stamps = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC) + zero;
    for (;;) {
        struct sockaddr_ll from;
        struct iovec place = {frame, sizeof frame};
        struct msghdr message = {&from, sizeof from, &place, 1, control, sizeof control, 0};
        int length = must(recvmsg(packets, &message, 0), name), protocol = frame[ETHERNET + 9];
        int known = word16(frame + 12) == ETHERTYPE_IP && (protocol == IPPROTO_TCP || protocol == IPPROTO_ICMP);

        if (known && length >= ETHERNET + IP + TCP)
            write_packet(log, kernel_stamp(&message) - zero_of_stamps, from.sll_pkttype == PACKET_OUTGOING ? '>' : '<',
                         frame + ETHERNET);
    }
}

static void capture_sender(int unused)
{
    (void)unused;
    capture("c", "c0", "sender.txt");
}

static void capture_receiver(int unused)
{
    (void)unused;
    capture("s", "s0", "receiver.txt");
}

/* ---- The measurement ---- */

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
