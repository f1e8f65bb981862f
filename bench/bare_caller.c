// A bare caller: an open loop over kept connections that makes the system calls of one and does nothing else. What it reads it neither takes
// apart nor checks nor times. Asleep but for the last 60 us before a call is due, as bare_timer is; the last half microsecond on the clock alone.
// bare_caller PORT CONNECTIONS GAP_NS COUNT prints the lateness in ns at p50, p99 and p99.9, the processor time in ns, and in ns the 50th, 90th
// and 99th percentile of the time that a write took.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

enum { MOST = 512, ASLEEP_NS = 60000, BLIND_NS = 500 };
static const char REQUEST[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bare\r\n\r\n";

static int *idle;        // Connections without a call, the last used on top.
static uint64_t *since;  // When each became so, by its descriptor.
static uint64_t idles, made, count, gap, start;
static uint64_t *late, *took;

static uint64_t now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int rising(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int connected(int port, int events) {
    int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = fd};
    if (fd < 0 || fd >= MOST || connect(fd, (struct sockaddr *)&to, sizeof to)) fail("no connection");
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) || epoll_ctl(events, EPOLL_CTL_ADD, fd, &event)) fail("no events");
    return fd;
}

// Makes every call that is due and finds a connection; gives when the next one is due, or the end of time where that waits for an answer.
static uint64_t calls(void) {
    while (made < count && idles > 0) {
        uint64_t due = start + (made + 1) * gap, time = now(CLOCK_MONOTONIC);
        if (time + BLIND_NS < due) return due;
        while (time < due) time = now(CLOCK_MONOTONIC);
        int fd = idle[--idles];
        late[made] = time - (due > since[fd] ? due : since[fd]);
        if (send(fd, REQUEST, sizeof REQUEST - 1, MSG_DONTWAIT) != sizeof REQUEST - 1) fail("a request was not sent");
        took[made++] = now(CLOCK_MONOTONIC) - time;
    }
    return UINT64_MAX;
}

// Waits for answers until shortly before that moment, and reads them; calls that fall due meanwhile are made in between.
static void answers(int events, uint64_t moment) {
    static struct epoll_event told[MOST];
    static char answer[65536];
    uint64_t time = now(CLOCK_MONOTONIC), left = moment > time + ASLEEP_NS ? moment - ASLEEP_NS - time : 0;
    struct timespec wait = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
    int ready = epoll_pwait2(events, told, MOST, moment == UINT64_MAX ? NULL : &wait, NULL);
    for (int i = 0; i < ready; i++) {
        int fd = told[i].data.fd;
        if (recv(fd, answer, sizeof answer, MSG_DONTWAIT) <= 0) fail("no answer");
        since[fd] = now(CLOCK_MONOTONIC);
        idle[idles++] = fd;
        calls();
    }
}

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    uint64_t connections = strtoull(argv[2], NULL, 10);
    gap = strtoull(argv[3], NULL, 10), count = strtoull(argv[4], NULL, 10);
    idle = calloc(MOST, sizeof *idle), since = calloc(MOST, sizeof *since);
    late = calloc(count, sizeof *late), took = calloc(count, sizeof *took);
    int events = epoll_create1(0);
    if (!count || !connections || connections >= MOST || !idle || !since || !late || !took || events < 0) return 1;
    prctl(PR_SET_TIMERSLACK, 1ul);
    while (idles < connections) idle[idles++] = connected(atoi(argv[1]), events);
    start = now(CLOCK_MONOTONIC);
    for (uint64_t moment = calls(); made < count || idles < connections; moment = calls()) answers(events, moment);
    uint64_t used = now(CLOCK_PROCESS_CPUTIME_ID);
    qsort(late, count, sizeof *late, rising);
    qsort(took, count, sizeof *took, rising);
    printf("%lu %lu %lu %lu ", late[count / 2], late[count * 99 / 100], late[count * 999 / 1000], used);
    printf("%lu %lu %lu\n", took[count / 2], took[count * 9 / 10], took[count * 99 / 100]);
    return 0;
}
