/* SPDX-License-Identifier: MIT */
/*
 * One interval after the other: what is counted is read into one of two sets, while the writer has
 * the other one. An interval goes on for as long as the writer is not done.
 */
#include "agent/continuous/worker.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent/input/host.h"
#include "privileges/privileges.h"
#include "profile/capture/profile_capture.h"
#include "util/clock.h"
#include "util/count.h"

#define NS_PER_S UINT64_C(1000000000)
/* Before it counts: unwind tables of what runs are loaded. */
#define WARM_UP_NS UINT64_C(300000000)
/* Waits fill the maps sooner than samples do. */
#define READ_EACH_NS (10 * NS_PER_S)
#define READ_WAITS_EACH_NS (1 * NS_PER_S)
/* Files and processes that have ended are forgotten with the process alone. */
#define RENEW_NS (6 * 3600 * NS_PER_S)
#define RENEW_FULL_NS (600 * NS_PER_S)
/* How long the last profile may take when the agent ends. */
#define LAST_NS (2 * NS_PER_S)
/* A writer that takes so much longer than an interval hangs. */
enum { HANGS_INTERVALS = 10, HANGS_S = 120 };
/* How often it looks whether the writer is done. */
#define LOOK_NS UINT64_C(200000000)

/* Of addresses, more than it begins with: what files make it take ends there. */
enum { ADDRESSES_MAX = 1 << 30 };
/* As RLIMIT_NICE has it. */
enum { NICE_0 = 20 };

struct worker {
	const struct worker_config *config;
	struct host host;
	struct profile_capture *capture;
	struct continuous_writer *writer;
	struct stacks sets[2];
	unsigned int current; /* the set that is filled */
	uint64_t begun_ns; /* monotonic: the worker */
	uint64_t interval_ns; /* monotonic: when the interval began */
	uint64_t next_read_ns;
	bool is_full; /* of files or processes */
	char container[HOST_CONTAINER_BYTES];
};

static bool worker_describe(void *context, struct stack_process *process)
{
	struct worker *worker = context;

	if (process->was_read && host_container_of(&worker->host, process->pid, worker->container))
		process->container_id = worker->container;
	return true;
}

/* Bytes of addresses that the process has; 0: not known. */
static rlim_t addresses_now(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Each file that is executed takes a descriptor, two while a profile is written. */
static void set_limits(void)
{
	const rlim_t most = addresses_now() + ADDRESSES_MAX;
	const struct rlimit addresses = {most, most};
	const struct rlimit priority = {NICE_0, NICE_0};
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	setrlimit(RLIMIT_AS, &addresses);
	/* The writer may take back the priority that it has given up. */
	setrlimit(RLIMIT_NICE, &priority);
}

static int worker_open(struct worker *worker, struct error *err)
{
	const struct worker_config *config = worker->config;
	struct profile_capture_config capture = {
		.on_cpu = true,
		.off_cpu = config->options->off_cpu,
		.frequency_hz = config->options->frequency_hz,
		.describe = worker_describe,
		.context = worker,
	};
	struct continuous_writer_config writer = {.options = config->options,
						  .host_root = config->host_root,
						  .counts = config->counts};
	int r = host_open(&worker->host, config->host_root, err);

	if (r)
		return r;
	set_limits();
	writer.proc = capture.proc = scap_proc_dir(worker->host.proc);
	r = continuous_writer_create(&writer, &worker->writer, err);
	if (r == 0)
		r = profile_capture_open(&capture, &worker->capture, err);
	if (r == 0)
		r = profile_capture_begin(worker->capture, err);
	if (r == 0)
		r = privileges_enter(config->options->endpoint ? ROLE_PROFILES_SENT : ROLE_PROFILES,
				     NULL, err);
	if (r == 0 && stacks_init(&worker->sets[0]))
		r = error_set(err, -ENOMEM, "out of memory");
	if (r == 0) {
		r = continuous_writer_begin(worker->writer);
		if (r)
			error_set(err, r, "cannot start a thread: %s", strerror(-r));
	}
	return r;
}

static void worker_close(struct worker *worker)
{
	continuous_writer_destroy(worker->writer);
	profile_capture_close(worker->capture);
	stacks_finish(&worker->sets[0]);
	stacks_finish(&worker->sets[1]);
	host_close(&worker->host);
}

/* Follows what is new, until a time (monotonic). Returns 1: the agent has ended; 0; or -errno. */
static int worker_follow(struct worker *worker, uint64_t until_ns)
{
	struct pollfd fds[] = {{profile_capture_fd(worker->capture), POLLIN, 0},
			       {worker->config->alive, POLLIN, 0}};
	uint64_t now;
	int r = 0;

	while (r >= 0 && (now = clock_ns(CLOCK_MONOTONIC)) < until_ns) {
		atomic_store(&worker->config->counts->followed_ns, now);
		poll(fds, COUNT(fds), r ? 0 : (int)((until_ns - now) / 1000000) + 1);
		if (fds[1].revents)
			return 1;
		r = profile_capture_step(worker->capture);
	}
	return r < 0 ? r : 0;
}

static int worker_read(struct worker *worker)
{
	struct stacks *stacks = &worker->sets[worker->current];

	worker->next_read_ns =
		clock_ns(CLOCK_MONOTONIC) +
		(worker->config->options->off_cpu ? READ_WAITS_EACH_NS : READ_EACH_NS);
	return profile_capture_read(worker->capture, stacks);
}

/* What was counted since the begin of the interval becomes a profile. Returns 0; 1: the writer is
 * busy, and the interval goes on; or -errno. */
static int end_interval(struct worker *worker)
{
	struct stacks *stacks = &worker->sets[worker->current];
	int r = worker_read(worker);
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (r == 0)
		r = profile_capture_release(worker->capture, stacks);
	if (r)
		return r;
	stacks->duration_ns = now - worker->interval_ns;
	stacks->begin_ns = clock_ns(CLOCK_REALTIME) - stacks->duration_ns;
	worker->is_full |= stacks->lost[STACKS_LOST_FILES] || stacks->lost[STACKS_LOST_PROCESSES];
	if (!continuous_writer_give(worker->writer, stacks))
		return 1;
	worker->interval_ns = now;
	worker->current ^= 1;
	return stacks_init(&worker->sets[worker->current]);
}

static int follow_interval(struct worker *worker)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	uint64_t interval_ns = worker->config->options->interval_ns, end_ns;
	int r = 0;

	/* Of one that goes on: another interval later. */
	end_ns = worker->interval_ns;
	while (end_ns <= now)
		end_ns += interval_ns;
	while (r == 0 && clock_ns(CLOCK_MONOTONIC) < end_ns) {
		r = worker_follow(worker,
				  worker->next_read_ns < end_ns ? worker->next_read_ns : end_ns);
		if (r == 0 && worker->next_read_ns < end_ns)
			r = worker_read(worker);
	}
	return r;
}

static bool hangs(const struct worker *worker)
{
	uint64_t took_ns = clock_ns(CLOCK_MONOTONIC) - worker->interval_ns;

	return took_ns > HANGS_INTERVALS * worker->config->options->interval_ns &&
	       took_ns > HANGS_S * NS_PER_S;
}

static bool is_to_renew(const struct worker *worker)
{
	uint64_t age_ns = clock_ns(CLOCK_MONOTONIC) - worker->begun_ns;

	return age_ns > RENEW_NS || (worker->is_full && age_ns > RENEW_FULL_NS);
}

/*
 * Waits for the writer, until a time. The capture goes on meanwhile, unless the agent has ended
 * (*end: 1), or does now. Returns 0, -ETIMEDOUT or -errno.
 */
static int wait_for_writer(struct worker *worker, int *end, uint64_t *until_ns)
{
	uint64_t now;
	int r = 0;

	while (r >= 0 && !continuous_writer_wait(worker->writer, *end == 1 ? LOOK_NS : 0)) {
		now = clock_ns(CLOCK_MONOTONIC);
		if (now >= *until_ns)
			return -ETIMEDOUT;
		if (*end == 1)
			continue;
		r = worker_follow(worker, now + LOOK_NS);
		if (r == 0 && now >= worker->next_read_ns)
			r = worker_read(worker);
		if (r == 1) {
			*end = 1;
			*until_ns = now + LAST_NS;
		}
	}
	return r < 0 ? r : 0;
}

/* Has the last interval written: first the writer must be done with the one before. */
static void finish_intervals(struct worker *worker, int *end)
{
	struct continuous_counts *counts = worker->config->counts;
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + (*end == 1 ? LAST_NS : HANGS_S * NS_PER_S);
	int r = wait_for_writer(worker, end, &until_ns), given = -EBUSY;

	if (r == 0)
		r = given = end_interval(worker);
	if (r == 0)
		r = wait_for_writer(worker, end, &until_ns);
	if (r == 0)
		return;
	atomic_fetch_add(&counts->given_up,
			 (given != 0) + !continuous_writer_wait(worker->writer, 0));
	fprintf(stderr, "agent: --profile: the last profile is not written: %s\n",
		r == -ETIMEDOUT ? "that took too long" : strerror(-r));
}

/* Returns 1: the agent has ended; 2: it is to be renewed; or -errno. */
static int take_profiles(struct worker *worker)
{
	struct continuous_counts *counts = worker->config->counts;
	int r, late;

	worker->begun_ns = clock_ns(CLOCK_MONOTONIC);
	r = worker_follow(worker, worker->begun_ns + WARM_UP_NS);
	if (r == 0)
		r = profile_capture_restart(worker->capture, &worker->interval_ns);
	if (r)
		return r;
	while (r == 0) {
		r = follow_interval(worker);
		if (r == 0) {
			late = end_interval(worker);
			r = late < 0 ? late : 0;
			atomic_fetch_add(&counts->late, late == 1);
		}
		if (r == 0 && hangs(worker))
			r = -ETIMEDOUT;
		if (r == 0 && is_to_renew(worker))
			r = 2;
	}
	if (r > 0)
		finish_intervals(worker, &r);
	else
		atomic_fetch_add(&counts->given_up, 1 + !continuous_writer_wait(worker->writer, 0));
	/* A writer that hangs ends with the process. */
	if (r > 0 && !continuous_writer_wait(worker->writer, 0))
		_exit(r == 1 ? WORKER_ENDED : WORKER_RENEWS);
	return r;
}

enum worker_end worker_run(const struct worker_config *config)
{
	struct worker worker = {.config = config};
	struct error err = {""};
	int r = worker_open(&worker, &err);

	if (r == 0) {
		r = take_profiles(&worker);
		if (r < 0)
			error_set(&err, r, "%s",
				  r == -ETIMEDOUT ? "writing a profile does not end"
						  : strerror(-r));
	}
	if (err.text[0]) {
		fprintf(stderr, "agent: --profile: %s\n", err.text);
		/* The thread may hang. */
		_exit(WORKER_FAILED);
	}
	worker_close(&worker);
	return r == 2 ? WORKER_RENEWS : WORKER_ENDED;
}
