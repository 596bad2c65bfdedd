/* SPDX-License-Identifier: MIT */
#include "scap/live/side.h"

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
#include "scap/live/programs.h"

/* A program that is to be loaded. */
struct job {
	struct bpf_program *program; /* the empty one in its place */
	struct bpf_insn *insns; /* owned; NULL: a thread has taken the job */
	size_t insns_count;
	enum bpf_prog_type type;
	struct bpf_prog_load_opts opts;
	int fd; /* owned; -1: not loaded */
};

struct live_side {
	struct live_handlers handlers;
	unsigned int threads_max;
	pthread_mutex_t mutex; /* of what follows */
	pthread_cond_t changed; /* there is another job, or there will be none */
	struct job *jobs; /* of live_programs_count at most */
	size_t count;
	bool complete; /* no job will be added */
	int error; /* of the first program that was rejected; the others are not loaded then */
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

		if (job->insns && (!largest || job->insns_count > largest->insns_count))
			largest = job;
	}
	return largest;
}

/* Takes a job, with its instructions. Returns NULL when there is nothing more to do. */
static struct job *take(struct live_side *side, struct bpf_insn **insns)
{
	struct job *job = NULL;

	pthread_mutex_lock(&side->mutex);
	while (!side->error && !(job = find_largest(side)) && !side->complete)
		pthread_cond_wait(&side->changed, &side->mutex);
	if (job) {
		*insns = job->insns;
		job->insns = NULL;
	}
	pthread_mutex_unlock(&side->mutex);
	return job;
}

/* Ends the work if `error` is not 0. */
static void set_state(struct live_side *side, bool complete, int error)
{
	pthread_mutex_lock(&side->mutex);
	side->complete |= complete;
	if (error && !side->error)
		side->error = error;
	pthread_cond_broadcast(&side->changed);
	pthread_mutex_unlock(&side->mutex);
}

static void load_jobs(struct live_side *side)
{
	struct bpf_insn *insns;
	struct job *job;

	while ((job = take(side, &insns)) != NULL) {
		job->fd = bpf_prog_load(job->type, bpf_program__name(job->program), DRIVER_LICENSE,
					insns, job->insns_count, &job->opts);
		free(insns);
		if (job->fd < 0)
			set_state(side, false, job->fd);
	}
}

static void *run_thread(void *context)
{
	load_jobs(context);
	return NULL;
}

/* Called by libbpf with a program that is ready to be loaded. */
static int add_job(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie)
{
	struct live_side *side = (struct live_side *)cookie;
	size_t bytes = bpf_program__insn_cnt(program) * sizeof(struct bpf_insn);
	struct job job = {
		.program = program,
		.insns_count = bpf_program__insn_cnt(program),
		.type = bpf_program__type(program),
		.opts = *opts,
		.fd = -1,
	};

	/* Only the caller adds, and changes the number. */
	if (side->count == live_programs_count)
		return -E2BIG;
	job.insns = malloc(bytes);
	if (!job.insns)
		return -ENOMEM;
	memcpy(job.insns, bpf_program__insns(program), bytes);
	/* libbpf frees it when it has loaded the empty ones; no program refers to it. */
	job.opts.fd_array = NULL;
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
	made->jobs = calloc(live_programs_count, sizeof(*made->jobs));
	r = made->jobs ? live_handlers_begin(&made->handlers, classic, add_job, (long)made)
		       : -ENOMEM;
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
	       pthread_create(&threads[count], NULL, run_thread, side) == 0)
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
	}
	return 0;
}

int live_side_load(struct live_side *side, struct bpf_object_skeleton *skeleton)
{
	pthread_t threads[LIVE_SIDE_THREADS_MAX];
	unsigned int count;
	int r = live_handlers_prepare(*skeleton->obj, NULL, NULL);

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

void live_side_destroy(struct live_side *side)
{
	if (!side)
		return;
	live_handlers_end(&side->handlers);
	for (size_t i = 0; side->jobs && i < side->count; i++) {
		free(side->jobs[i].insns);
		if (side->jobs[i].fd >= 0)
			close(side->jobs[i].fd);
	}
	free(side->jobs);
	pthread_cond_destroy(&side->changed);
	pthread_mutex_destroy(&side->mutex);
	free(side);
}
