// A bare timer loop: wakes at each of a row of moments and notes how late it was. Asleep but for the last SPIN_NS, 60 us unless given, as the
// kit waits; 0: as whatever does not burn a processor waits.
// bare_timer GAP_NS COUNT [SPIN_NS] prints the lateness in ns at p50, p99 and p99.9, and the processor time in ns.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

static uint64_t now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int rising(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    if (argc != 3 && argc != 4) return 2;
    uint64_t gap = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10), spin = argc > 3 ? strtoull(argv[3], NULL, 10) : 60000;
    uint64_t *late = calloc(count, sizeof *late);
    if (!late || !count) return 1;
    prctl(PR_SET_TIMERSLACK, 1ul);
    uint64_t start = now(CLOCK_MONOTONIC);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t due = start + (i + 1) * gap, time = now(CLOCK_MONOTONIC), idle = time;
        while (time < due) {
            if (due - time > spin) {
                uint64_t until = due - spin;
                struct timespec t = {(time_t)(until / 1000000000u), (long)(until % 1000000000u)};
                clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
            }
            time = now(CLOCK_MONOTONIC);
        }
        // As in the kit: from the later of the moment it was due and the moment the loop was idle.
        late[i] = time - (due > idle ? due : idle);
    }
    uint64_t used = now(CLOCK_PROCESS_CPUTIME_ID);
    qsort(late, count, sizeof *late, rising);
    printf("%lu %lu %lu %lu\n", late[count / 2], late[count * 99 / 100], late[count * 999 / 1000], used);
    free(late);
    return 0;
}
