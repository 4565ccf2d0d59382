/* What the parts of the laboratory share: lab.c starts them, each in a process of its own. */
#ifndef LAB_H
#define LAB_H

#define _GNU_SOURCE
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { PORT = 5000, MAX_FLOWS = 64 };

#define MICROSECOND 1000ull
#define MILLISECOND 1000000ull
#define SECOND 1000000000ull

static const uint64_t SAMPLE_GAP = 10 * MILLISECOND;

/* Counts that the processes share. */
struct shared {
    volatile uint64_t received[MAX_FLOWS];
    volatile uint64_t samples, backlog_packets, backlog_bytes;
};

extern struct shared *shared;
extern const char *folder, *receiver_address;
extern const char *const *controls; /* of each flow */
extern int traces;                  /* whether to write them */
extern FILE *tcp_info_log;          /* of all flows, each of which writes whole lines */
extern uint64_t zero, begin, end, first_start; /* zero on the monotonic clock, the others counted from it */
extern uint64_t datagram_gap;                  /* 0: there are none */
extern uint64_t flow_bytes;                    /* of each flow; 0: no end */

/* helpers.c */

/* Ends the process with this message, and the error of the last system call if there was one. */
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* The result of a call that gives a number below 0 on failure. */
int must(int result, const char *what);
uint64_t clock_ns(clockid_t clock);
void wait_until(uint64_t instant);
double seconds(uint64_t instant);
/* Enters a network namespace. */
void enter(const char *namespace);
/* Creates a file of this name in the folder of the results. */
FILE *create(const char *name);
struct sockaddr_in address(const char *host, int port);
/* Runs a part in a process of its own. */
void start(void (*part)(int), int number);

/* flows.c: the parts that send and receive */
void receiver(int unused);
void send_flow(int number);
void ping(int unused);
void flood(int unused);

/* backlog.c */
void backlog(int unused);

/* captures.c */
void capture_sender(int unused);
void capture_receiver(int unused);

#endif
