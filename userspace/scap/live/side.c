/* SPDX-License-Identifier: MIT */
/*
 * Loads programs beside libbpf, on several threads, while it prepares the next ones. The largest
 * come first; the reason of a rejection is found by loading that program again with a log.
 */
#include "scap/live/load.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi.h"
#include "scap/live/handlers.h"

enum {
	LOG_BYTES = 1 << 20,
	LOG_ALL = 1, /* level of the verifier's log, as in include/linux/bpf_verifier.h */
};

/* A program that is to be loaded. */
struct job {
	struct bpf_program *program; /* the empty one in its place */
	struct live_prepared prepared; /* its instructions are NULL: a thread has taken the job */
	int fd; /* owned; -1: not loaded */
};

struct live_side {
	struct live_handlers handlers;
	unsigned int threads_max;
	pthread_mutex_t mutex; /* of what follows */
	pthread_cond_t changed; /* there is another job, or there will be none */
	struct job *jobs; /* of jobs_max at most */
	size_t count, jobs_max;
	bool complete; /* no job will be added */
	int error; /* of the first program that was rejected; the others are not loaded then */
	char *log; /* owned; what the verifier says of that one; NULL: not known */
};

unsigned int live_side_threads(void)
{
	cpu_set_t cpus;
	unsigned int others;

	/* Fails with more CPUs than a set has. */
	if (sched_getaffinity(0, sizeof(cpus), &cpus) < 0)
		return LIVE_SIDE_THREADS_MAX;
	others = (unsigned int)CPU_COUNT(&cpus) - 1;
	return others < LIVE_SIDE_THREADS_MAX ? others : LIVE_SIDE_THREADS_MAX;
}

/* The largest program first, so that none is left over at the end for one thread. */
static struct job *find_largest(struct live_side *side)
{
	struct job *largest = NULL;

	for (size_t i = 0; i < side->count; i++) {
		struct job *job = &side->jobs[i];

		if (job->prepared.insns &&
		    (!largest || job->prepared.insns_count > largest->prepared.insns_count))
			largest = job;
	}
	return largest;
}

/* Takes a job, with its instructions. Returns NULL when there is nothing more to do. */
static struct job *side_take(struct live_side *side, struct bpf_insn **insns)
{
	struct job *job = NULL;

	pthread_mutex_lock(&side->mutex);
	while (!side->error && !(job = find_largest(side)) && !side->complete)
		pthread_cond_wait(&side->changed, &side->mutex);
	if (job) {
		*insns = job->prepared.insns;
		job->prepared.insns = NULL;
	}
	pthread_mutex_unlock(&side->mutex);
	return job;
}

/* Ends the work if `error` is not 0. Returns whether that is the first error. */
static bool set_state(struct live_side *side, bool complete, int error)
{
	bool is_first;

	pthread_mutex_lock(&side->mutex);
	is_first = error && !side->error;
	side->complete |= complete;
	if (is_first)
		side->error = error;
	pthread_cond_broadcast(&side->changed);
	pthread_mutex_unlock(&side->mutex);
	return is_first;
}

static int side_load(const struct job *job, const struct bpf_insn *insns,
		     const struct bpf_prog_load_opts *opts)
{
	return bpf_prog_load(job->prepared.type, bpf_program__name(job->program), DRIVER_LICENSE,
			     insns, job->prepared.insns_count, opts);
}

/* Loads a program that was rejected again, for the verifier's log. */
static void find_reason(struct live_side *side, const struct job *job, const struct bpf_insn *insns)
{
	struct bpf_prog_load_opts opts = job->prepared.opts;
	char *log = calloc(1, LOG_BYTES);
	int fd;

	opts.log_buf = log;
	opts.log_size = log ? LOG_BYTES : 0;
	opts.log_level = log ? LOG_ALL : 0;
	fd = side_load(job, insns, &opts);
	if (fd >= 0)
		close(fd);
	pthread_mutex_lock(&side->mutex);
	free(side->log);
	side->log = log;
	pthread_mutex_unlock(&side->mutex);
}

static void load_jobs(struct live_side *side)
{
	struct bpf_insn *insns;
	struct job *job;

	while ((job = side_take(side, &insns)) != NULL) {
		job->fd = side_load(job, insns, &job->prepared.opts);
		if (job->fd < 0 && set_state(side, false, job->fd))
			find_reason(side, job, insns);
		free(insns);
	}
}

static void *side_run_thread(void *context)
{
	load_jobs(context);
	return NULL;
}

/* Called by libbpf with a program that is ready to be loaded. */
static int add_job(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie)
{
	struct live_side *side = (struct live_side *)cookie;
	struct job job = {.program = program, .fd = -1};
	int r;

	/* Only the caller adds, and changes the number. */
	if (side->count == side->jobs_max)
		return -E2BIG;
	r = live_handlers_resolve(&side->handlers, program, opts, &job.prepared);
	if (r < 0)
		return r;
	pthread_mutex_lock(&side->mutex);
	side->jobs[side->count++] = job;
	pthread_cond_signal(&side->changed);
	pthread_mutex_unlock(&side->mutex);
	return live_handlers_empty(program, opts);
}

int live_side_create(bool classic, unsigned int threads, struct live_side **side)
{
	struct live_side *made = calloc(1, sizeof(*made));
	int r;

	if (!made)
		return -ENOMEM;
	pthread_mutex_init(&made->mutex, NULL);
	pthread_cond_init(&made->changed, NULL);
	made->threads_max = threads < LIVE_SIDE_THREADS_MAX ? threads : LIVE_SIDE_THREADS_MAX;
	r = live_handlers_begin(&made->handlers, classic, add_job, (long)made);
	if (r < 0) {
		live_side_destroy(made);
		return r;
	}
	*side = made;
	return 0;
}

/* Returns the number of threads, which may be 0: the caller works, too. */
static unsigned int start_threads(struct live_side *side, pthread_t *threads)
{
	unsigned int count = 0;
	sigset_t all, before;

	/* Signals are for the threads that were there before. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (count < side->threads_max &&
	       pthread_create(&threads[count], NULL, side_run_thread, side) == 0)
		count++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return count;
}

/* Gives the programs the descriptors of the empty ones, which are closed. */
static int exchange(struct live_side *side)
{
	for (size_t i = 0; i < side->count; i++) {
		const struct job *job = &side->jobs[i];

		if (dup3(job->fd, bpf_program__fd(job->program), O_CLOEXEC) < 0)
			return -errno;
		live_wait_for_frees(i + 1);
	}
	return 0;
}

static int side_prepare(struct live_side *side, struct bpf_object *object)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, object) side->jobs_max++;
	side->jobs = calloc(side->jobs_max, sizeof(*side->jobs));
	if (!side->jobs)
		return -ENOMEM;
	return live_handlers_prepare(&side->handlers, object, NULL, NULL);
}

int live_side_load(struct live_side *side, struct bpf_object_skeleton *skeleton)
{
	pthread_t threads[LIVE_SIDE_THREADS_MAX];
	unsigned int count;
	int r = side_prepare(side, *skeleton->obj);

	if (r < 0)
		return r;
	count = start_threads(side, threads);
	r = bpf_object__load_skeleton(skeleton);
	set_state(side, true, r);
	load_jobs(side);
	while (count)
		pthread_join(threads[--count], NULL);
	return side->error ? side->error : exchange(side);
}

const char *live_side_log(const struct live_side *side)
{
	return side->log ? side->log : "";
}

void live_side_destroy(struct live_side *side)
{
	if (!side)
		return;
	live_handlers_end(&side->handlers);
	for (size_t i = 0; side->jobs && i < side->count; i++) {
		free(side->jobs[i].prepared.insns);
		if (side->jobs[i].fd >= 0)
			close(side->jobs[i].fd);
	}
	free(side->jobs);
	free(side->log);
	pthread_cond_destroy(&side->changed);
	pthread_mutex_destroy(&side->mutex);
	free(side);
}
