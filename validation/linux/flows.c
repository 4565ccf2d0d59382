/* The parts that send and receive: TCP flows, a ping, a flood of datagrams, and the receiver of all. */
#include "lab.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FIRST_SOURCE_PORT = 6000, DATAGRAM = 1472 /* 1514 in the frame */ };

static const uint64_t FLOW_GAP = 100 * MILLISECOND;
static const uint64_t PING_GAP = 10007 * MICROSECOND;

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

void receiver(int unused)
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

/* ---- A flow: writes as much as the socket takes, of its whole length if it has one ---- */

static uint64_t flow_start(int flow)
{
    return first_start + flow * FLOW_GAP;
}

static int connected_socket(int flow)
{
    struct sockaddr_in own = address("0.0.0.0", FIRST_SOURCE_PORT + flow), peer = address(receiver_address, PORT);
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
                "%.6f %d cwnd %u ssthresh %u unacked %u sacked %u lost %u retrans %u total %u rtt %u state %u pacing %llu\n",
                seconds(instant), flow, i.tcpi_snd_cwnd, i.tcpi_snd_ssthresh, i.tcpi_unacked, i.tcpi_sacked,
                i.tcpi_lost, i.tcpi_retrans, i.tcpi_total_retrans, i.tcpi_rtt, i.tcpi_ca_state,
                (unsigned long long)i.tcpi_pacing_rate);
    }
}

void send_flow(int number)
{
    static const char data[128 * 1024];

    enter("c");
    wait_until(flow_start(number));
    struct pollfd writable = {.fd = connected_socket(number), .events = POLLOUT};
    if (traces && must(fork(), "fork") == 0)
        sample_tcp_info(writable.fd, number);
    uint64_t left = flow_bytes ? flow_bytes : UINT64_MAX;
    while (left) {
        ssize_t written;
        must(poll(&writable, 1, -1), "poll");
        while (left && (written = write(writable.fd, data, left < sizeof data ? left : sizeof data)) > 0)
            left -= written;
        if (left && errno != EAGAIN)
            fail("flow %d", number);
    }
    pause();
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

void ping(int unused)
{
    struct sockaddr_in peer = address(receiver_address, 0);
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

void flood(int unused)
{
    static const char data[DATAGRAM];
    struct sockaddr_in peer = address(receiver_address, PORT);

    (void)unused;
    enter("c");
    int datagrams = must(socket(AF_INET, SOCK_DGRAM, 0), "socket of the flood");
    for (uint64_t n = 0;; n++) {
        wait_until(n * datagram_gap);
        must(sendto(datagrams, data, sizeof data, 0, (struct sockaddr *)&peer, sizeof peer), "datagram");
    }
}
