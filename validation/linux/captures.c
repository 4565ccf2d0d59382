/* Captures: a line for each TCP or ICMP packet at one end. */
#include "lab.h"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <string.h>
#include <sys/socket.h>

enum { IP = 20, TCP = 20, SACK_KIND = 5 };

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

/* Of all devices of the namespace, one of which has traffic. Packets begin with the IP header. */
static int packet_socket(void)
{
    int room = 1 << 24, yes = 1, packets = must(socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_ALL)), "socket of a capture");

    must(setsockopt(packets, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room), "room for a capture");
    must(setsockopt(packets, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes), "times of a capture");
    return packets;
}

static void capture(const char *namespace, const char *name)
{
    static unsigned char packet[2048], control[256];
    FILE *log = create(name);

    enter(namespace);
    int packets = packet_socket();
    uint64_t zero_of_stamps = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC) + zero;
    for (;;) {
        struct sockaddr_ll from;
        struct iovec place = {packet, sizeof packet};
        struct msghdr message = {&from, sizeof from, &place, 1, control, sizeof control, 0};
        int length = must(recvmsg(packets, &message, 0), name), protocol = packet[9];
        int known = from.sll_protocol == htons(ETH_P_IP) && (protocol == IPPROTO_TCP || protocol == IPPROTO_ICMP);

        if (known && length >= IP + TCP)
            write_packet(log, kernel_stamp(&message) - zero_of_stamps, from.sll_pkttype == PACKET_OUTGOING ? '>' : '<',
                         packet);
    }
}

void capture_sender(int unused)
{
    (void)unused;
    capture("c", "sender.txt");
}

void capture_receiver(int unused)
{
    (void)unused;
    capture("s", "receiver.txt");
}
