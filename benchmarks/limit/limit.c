/* Three policies in plain C, each for one kind of requests: what the compiled engine is held to. */
#include <stdint.h>
#include <stdlib.h>

static double *ends;
static int64_t *numbers;

static void push(int64_t count, double end, int64_t number) {
    int64_t i = count;
    while (i > 0) {
        int64_t parent = (i - 1) >> 1;
        if (ends[parent] <= end)
            break;
        ends[i] = ends[parent], numbers[i] = numbers[parent];
        i = parent;
    }
    ends[i] = end, numbers[i] = number;
}

static int64_t pop(int64_t count) {
    int64_t first = numbers[0], last = count - 1, number = numbers[last], i = 0;
    double end = ends[last];
    for (;;) {
        int64_t child = 2 * i + 1;
        if (child >= last)
            break;
        if (child + 1 < last && ends[child + 1] < ends[child])
            child++;
        if (ends[child] >= end)
            break;
        ends[i] = ends[child], numbers[i] = numbers[child];
        i = child;
    }
    ends[i] = end, numbers[i] = number;
    return first;
}

static int place(const int32_t *sizes, int64_t width, const int64_t *idle, int64_t clusters,
                 int32_t *taken) {
    for (int64_t c = 0; c < clusters; c++)
        taken[c] = 0;
    for (int64_t i = 0; i < width && sizes[i]; i++) {
        int64_t best = -1;
        for (int64_t c = 0; c < clusters; c++)
            if (!taken[c] && idle[c] >= sizes[i] && (best < 0 || idle[c] > idle[best]))
                best = c;
        if (best < 0)
            return 0;
        taken[best] = sizes[i];
    }
    return 1;
}

/* FCFS, unordered requests, worst fit, a queue that holds one job. */
void saturated_fcfs(int64_t n, int64_t width, int64_t clusters, const double *runtime,
                    const int32_t *parts, int64_t *idle, double *start, double *end,
                    int32_t *allocation) {
    int64_t capacity = 0, running = 0, job = 0;
    double now = 0;
    for (int64_t c = 0; c < clusters; c++)
        capacity += idle[c];
    ends = malloc(capacity * sizeof *ends), numbers = malloc(capacity * sizeof *numbers);
    while (job < n) {
        int32_t *taken = allocation + job * clusters;
        while (job < n && place(parts + job * width, width, idle, clusters, taken)) {
            for (int64_t c = 0; c < clusters; c++)
                idle[c] -= taken[c];
            start[job] = now, end[job] = now + runtime[job];
            push(running++, end[job], job);
            job++, taken += clusters;
        }
        if (job == n)
            break;
        now = ends[0];
        while (running && ends[0] <= now) {
            int64_t gone = pop(running--);
            for (int64_t c = 0; c < clusters; c++)
                idle[c] += allocation[gone * clusters + c];
        }
    }
    free(ends), free(numbers);
}

/* The queue of a machine: numbers of jobs, in order of arrival. */
static int64_t *queue, waiting;

static void take_out(int64_t place) {
    waiting--;
    for (int64_t i = place; i < waiting; i++)
        queue[i] = queue[i + 1];
}

static void prepare(int64_t n, int64_t processors) {
    ends = malloc(processors * sizeof *ends), numbers = malloc(processors * sizeof *numbers);
    queue = malloc(n * sizeof *queue), waiting = 0;
}

static void tidy(void) {
    free(ends), free(numbers), free(queue);
}

/* FPFS of whole jobs on one machine. */
void fpfs(int64_t n, int64_t idle, int64_t max_jumps, const double *submit, const double *runtime,
          const int32_t *sizes, double *start, double *end) {
    int64_t running = 0, arrived = 0, started = 0;
    prepare(n, idle);
    while (started < n) {
        double now = running ? ends[0] : submit[arrived];
        int64_t fresh = waiting, departed = 0;
        if (arrived < n && submit[arrived] < now)
            now = submit[arrived];
        for (; running && ends[0] <= now; departed = 1)
            idle += sizes[pop(running--)];
        while (arrived < n && submit[arrived] <= now)
            queue[waiting++] = arrived++;
        for (int64_t i = departed ? 0 : fresh; i < waiting;) {
            int64_t job = queue[i];
            if (i && started - queue[0] >= max_jumps)
                break;
            if (sizes[job] > idle) {
                i++;
                continue;
            }
            idle -= sizes[job];
            start[job] = now, end[job] = now + runtime[job];
            push(running++, end[job], job);
            started++;
            take_out(i);
        }
    }
    tidy();
}

/* The running jobs once more, in the order of the ends that are expected of them. */
static double *plan;
static int64_t *whose;

static void insert(int64_t count, double end, int64_t job) {
    int64_t i = count;
    for (; i > 0 && plan[i - 1] > end; i--)
        plan[i] = plan[i - 1], whose[i] = whose[i - 1];
    plan[i] = end, whose[i] = job;
}

static void strike(int64_t count, int64_t job) {
    int64_t i = 0;
    while (whose[i] != job)
        i++;
    for (; i < count - 1; i++)
        plan[i] = plan[i + 1], whose[i] = whose[i + 1];
}

/* EASY of whole jobs on one machine, by the textbook: shadow time and extra processors. */
void easy(int64_t n, int64_t idle, const double *submit, const double *runtime,
          const double *expected, const int32_t *sizes, double *start, double *end) {
    int64_t running = 0, arrived = 0, started = 0, extra = 0;
    double shadow = 0;
    prepare(n, idle);
    plan = malloc(idle * sizeof *plan), whose = malloc(idle * sizeof *whose);
    while (started < n) {
        double now = running ? ends[0] : submit[arrived];
        int64_t first = waiting, departed = 0;
        if (arrived < n && submit[arrived] < now)
            now = submit[arrived];
        for (; running && ends[0] <= now; departed = 1) {
            int64_t gone = pop(running);
            strike(running--, gone);
            idle += sizes[gone];
        }
        while (arrived < n && submit[arrived] <= now)
            queue[waiting++] = arrived++;
        if (departed || first == 0) {
            for (first = 0; waiting && sizes[queue[0]] <= idle; started++) {
                int64_t job = queue[0];
                idle -= sizes[job];
                start[job] = now, end[job] = now + runtime[job];
                insert(running, now + expected[job], job);
                push(running++, end[job], job);
                take_out(0);
            }
            if (!waiting)
                continue;
            int64_t free = idle, i = 0;
            for (; free < sizes[queue[0]] || (i < running && plan[i] == shadow); i++)
                free += sizes[whose[i]], shadow = plan[i];
            extra = free - sizes[queue[0]];
            first = 1;
        }
        for (int64_t i = first; i < waiting;) {
            int64_t job = queue[i], late = now + expected[job] > shadow;
            if (sizes[job] > idle || (late && sizes[job] > extra)) {
                i++;
                continue;
            }
            if (late)
                extra -= sizes[job];
            idle -= sizes[job];
            start[job] = now, end[job] = now + runtime[job];
            insert(running, now + expected[job], job);
            push(running++, end[job], job);
            started++;
            take_out(i);
        }
    }
    free(plan), free(whose);
    tidy();
}
