/*
 * Makes RED of Linux 6.1 adapt: load it into tc (LD_PRELOAD) for `tc qdisc add ... red ... adaptive`.
 *
 * tc sends RED's flags in the attribute TCA_RED_FLAGS since its version 5.7. The kernel takes them from there, but starts the timer that
 * adapts max_p only if `adaptive` is in tc_red_qopt.flags, and refuses a message with flags in both places. This moves
 * them to the latter, as earlier versions of tc sent them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <sys/socket.h>

static struct rtattr *find(struct rtattr *first, int length, int type)
{
    for (struct rtattr *a = first; RTA_OK(a, length); a = RTA_NEXT(a, length))
        if ((a->rta_type & NLA_TYPE_MASK) == type)
            return a;
    return NULL;
}

static void move_flags(struct nlmsghdr *message)
{
    if (message->nlmsg_type != RTM_NEWQDISC)
        return;
    struct tcmsg *queue = NLMSG_DATA(message);
    struct rtattr *options = find(TCA_RTA(queue), TCA_PAYLOAD(message), TCA_OPTIONS);
    if (!options)
        return;
    struct rtattr *parameters = find(RTA_DATA(options), RTA_PAYLOAD(options), TCA_RED_PARMS);
    struct rtattr *flags = find(RTA_DATA(options), RTA_PAYLOAD(options), TCA_RED_FLAGS);
    if (!parameters || !flags)
        return;
    ((struct tc_red_qopt *)RTA_DATA(parameters))->flags = ((struct nla_bitfield32 *)RTA_DATA(flags))->value;
    flags->rta_type = TCA_RED_UNSPEC; /* which the kernel ignores */
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags)
{
    ssize_t (*send)(int, const struct msghdr *, int) =
        (ssize_t(*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg");

    for (size_t i = 0; i < message->msg_iovlen; i++)
        if (message->msg_iov[i].iov_len >= sizeof(struct nlmsghdr))
            move_flags(message->msg_iov[i].iov_base);
    return send(socket, message, flags);
}
