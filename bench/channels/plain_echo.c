// The plainest echo over each channel: what the engine's channels are held against.
//
//   plain_echo CHANNEL SIZE
//
// Forks a server that echoes messages of SIZE bytes, which both sides know beforehand, without framing, time-outs or
// notice of death. Prints "ready CLIENT_PID SERVER_PID"; then for each line "go NANOSECONDS" on stdin calls for so long
// and answers "CALLS ELAPSED_NS".

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 1 << 20, PIECE = 8192, DEPTH = 10, LOOKS = 4000, BATCH = 8 };

static size_t size;
static unsigned char message[LARGEST];

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "plain_echo: %s: %s\n", what, strerror(errno));
        exit(1);
    }
}

// Shared memory: a box for each direction. `count` says how many messages have been put in.
struct box {
    _Alignas(128) atomic_uint count;
    atomic_uint waits;
    unsigned char bytes[LARGEST];
};

static struct box *requests, *answers;

static void prepare_memory(void)
{
    requests = mmap(NULL, 2 * sizeof *requests, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(requests != MAP_FAILED, "mmap");
    answers = requests + 1;
}

static void put(struct box *box)
{
    memcpy(box->bytes, message, size);
    atomic_fetch_add(&box->count, 1);
}

static void put_and_wake(struct box *box)
{
    put(box);
    if (atomic_load(&box->waits))
        syscall(SYS_futex, &box->count, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void take_asleep(struct box *box, unsigned seen)
{
    while (atomic_load(&box->count) == seen) {
        atomic_store(&box->waits, 1);
        syscall(SYS_futex, &box->count, FUTEX_WAIT, seen, NULL, NULL, 0);
        atomic_store(&box->waits, 0);
    }
    memcpy(message, box->bytes, size);
}

static void take_spinning(struct box *box, unsigned seen)
{
    for (unsigned looks = 0; atomic_load_explicit(&box->count, memory_order_acquire) == seen; looks++) {
        if (looks < LOOKS)
            __builtin_ia32_pause();
        else
            sched_yield();
    }
    memcpy(message, box->bytes, size);
}

static void serve_shm(void)
{
    for (unsigned seen = 0;; seen++) {
        take_asleep(requests, seen);
        put_and_wake(answers);
    }
}

static void call_shm(void)
{
    static unsigned seen;
    put_and_wake(requests);
    take_asleep(answers, seen++);
}

static void serve_spinning(void)
{
    for (unsigned seen = 0;; seen++) {
        take_spinning(requests, seen);
        put(answers);
    }
}

static void call_spinning(void)
{
    static unsigned seen;
    put(requests);
    take_spinning(answers, seen++);
}

// Message queues: a message in pieces of 8 KiB.
static mqd_t ask, answer;

static mqd_t queue(const char *name)
{
    struct mq_attr form = { .mq_maxmsg = DEPTH, .mq_msgsize = PIECE };
    mqd_t made = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &form);
    must(made != (mqd_t)-1, "mq_open");
    mq_unlink(name);
    return made;
}

static void prepare_queues(void)
{
    char name[64];
    snprintf(name, sizeof name, "/plain-echo-%d", getpid());
    ask = queue(name);
    answer = queue(name);
}

static void put_pieces(mqd_t to)
{
    for (size_t at = 0; at < size; at += PIECE)
        must(mq_send(to, (char *)message + at, size - at < PIECE ? size - at : PIECE, 0) == 0, "mq_send");
}

static void take_pieces(mqd_t from)
{
    // The kernel wants room for a whole piece even for the last.
    for (size_t at = 0; at < size;) {
        ssize_t count = mq_receive(from, (char *)message + at, PIECE, NULL);
        must(count > 0, "mq_receive");
        at += (size_t)count;
    }
}

static void serve_queues(void)
{
    for (;;) {
        take_pieces(ask);
        put_pieces(answer);
    }
}

static void call_queues(void)
{
    put_pieces(ask);
    take_pieces(answer);
}

// Streams: pipes and sockets. Each side reads from one descriptor and writes to one.
static int client_to, client_from, server_to, server_from;

static void open_pipe(int *to, int *from)
{
    char name[64];
    snprintf(name, sizeof name, "/tmp/plain-echo-%d", getpid());
    must(mkfifo(name, 0600) == 0, "mkfifo");
    *from = open(name, O_RDONLY | O_NONBLOCK);
    *to = open(name, O_WRONLY);
    must(*from >= 0 && *to >= 0, "open");
    must(fcntl(*from, F_SETFL, 0) == 0, "fcntl");
    unlink(name);
}

static void prepare_pipes(void)
{
    open_pipe(&client_to, &server_from);
    open_pipe(&server_to, &client_from);
}

static void prepare_unix(void)
{
    int pair[2];
    must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "socketpair");
    client_to = client_from = pair[0];
    server_to = server_from = pair[1];
}

static void prepare_tcp(void)
{
    struct sockaddr_in place = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof place;
    int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    must(bind(listener, (struct sockaddr *)&place, length) == 0 && listen(listener, 1) == 0, "listen");
    getsockname(listener, (struct sockaddr *)&place, &length);
    client_to = client_from = socket(AF_INET, SOCK_STREAM, 0);
    must(connect(client_to, (struct sockaddr *)&place, length) == 0, "connect");
    server_to = server_from = accept(listener, NULL, NULL);
    must(server_to >= 0, "accept");
    setsockopt(client_to, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(server_to, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

static void put_stream(int to)
{
    for (size_t at = 0; at < size;) {
        ssize_t count = write(to, message + at, size - at);
        must(count > 0, "write");
        at += (size_t)count;
    }
}

static void take_stream(int from)
{
    for (size_t at = 0; at < size;) {
        ssize_t count = read(from, message + at, size - at);
        must(count > 0, "read");
        at += (size_t)count;
    }
}

static void serve_stream(void)
{
    for (;;) {
        take_stream(server_from);
        put_stream(server_to);
    }
}

static void call_stream(void)
{
    put_stream(client_to);
    take_stream(client_from);
}

static const struct channel {
    const char *name;
    void (*prepare)(void);
    void (*serve)(void);
    void (*call)(void);
} channels[] = {
    { "shm", prepare_memory, serve_shm, call_shm },
    { "shm-spin", prepare_memory, serve_spinning, call_spinning },
    { "mqueue", prepare_queues, serve_queues, call_queues },
    { "pipe", prepare_pipes, serve_stream, call_stream },
    { "unix", prepare_unix, serve_stream, call_stream },
    { "tcp", prepare_tcp, serve_stream, call_stream },
};

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void drive(const struct channel *channel)
{
    unsigned long long length;
    while (scanf(" go %llu", &length) == 1) {
        uint64_t calls = 0, start = now(), end = start;
        while (end - start < length) {
            for (int turn = 0; turn < BATCH; turn++) {
                message[0] = (unsigned char)++calls;
                channel->call();
                must(message[0] == (unsigned char)calls, "a wrong answer");
            }
            end = now();
        }
        printf("%llu %llu\n", (unsigned long long)calls, (unsigned long long)(end - start));
        fflush(stdout);
    }
}

int main(int count, char **words)
{
    const struct channel *channel = NULL;
    for (size_t at = 0; count == 3 && at < sizeof channels / sizeof *channels; at++)
        if (strcmp(channels[at].name, words[1]) == 0)
            channel = &channels[at];
    size = count == 3 ? strtoul(words[2], NULL, 10) : 0;
    if (channel == NULL || size == 0 || size + PIECE > LARGEST) {
        fprintf(stderr, "usage: plain_echo shm|shm-spin|mqueue|pipe|unix|tcp SIZE\n");
        return 2;
    }
    channel->prepare();
    pid_t parent = getpid(), server = fork();
    must(server >= 0, "fork");
    if (server == 0) {
        // The server ends with its client, however that one ends.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            channel->serve();
        return 0;
    }
    printf("ready %d %d\n", (int)parent, (int)server);
    fflush(stdout);
    drive(channel);
    kill(server, SIGKILL);
    return 0;
}
