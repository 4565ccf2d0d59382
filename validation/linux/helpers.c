/* What all parts of the laboratory need: errors, time, files, processes. */
#include "lab.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct shared *shared;
const char *folder, *receiver_address;
const char *const *controls;
int traces;
FILE *tcp_info_log;
uint64_t zero, begin, end, first_start, datagram_gap, flow_bytes;

void fail(const char *format, ...)
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
int must(int result, const char *what)
{
    if (result < 0)
        fail("%s", what);
    return result;
}

uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return t.tv_sec * SECOND + t.tv_nsec;
}

/* Waits to the nanosecond: the timeouts of poll and epoll have a slack of a thousandth. */
void wait_until(uint64_t instant)
{
    struct timespec t = {(zero + instant) / SECOND, (zero + instant) % SECOND};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

double seconds(uint64_t instant)
{
    return (double)instant / SECOND;
}

void enter(const char *namespace)
{
    char path[64];

    snprintf(path, sizeof path, "/run/netns/%s", namespace);
    int file = must(open(path, O_RDONLY), path);
    must(setns(file, CLONE_NEWNET), path);
    close(file);
}

/* By lines, so that no line is torn when the machine is switched off. */
FILE *create(const char *name)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file)
        fail("%s", path);
    setvbuf(file, NULL, _IOLBF, 1 << 16);
    return file;
}

struct sockaddr_in address(const char *host, int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = inet_addr(host)};
}

void start(void (*part)(int), int number)
{
    fflush(NULL);
    if (must(fork(), "fork") == 0) {
        part(number);
        exit(0);
    }
}
