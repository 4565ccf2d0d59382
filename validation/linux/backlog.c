/* The backlog: the kernel is asked every 10 ms. */
#include "lab.h"

#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>

/* Away from the ticks of the kernel and the beginnings of flows, at whole 10 ms. */
static const uint64_t BACKLOG_PHASE = 2500 * MICROSECOND;
static const unsigned QUEUE_HANDLE = 0x20;

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

void backlog(int unused)
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
