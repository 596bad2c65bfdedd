/* SPDX-License-Identifier: MIT */
/* The command profile: captures for a time, or until a signal, and prints the stacks. */
#include "agent/tools/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "agent/tools/profile_options.h"
#include "agent/tools/profile_print.h"
#include "agent/tools/profile_who.h"
#include "agent/input/host.h"
#include "profile/capture/profile_capture.h"
#include "util/clock.h"

/*
 * Before it counts, the programs run for a moment: unwind tables of what runs then are loaded.
 */
#define WARM_UP_NS UINT64_C(300000000)

enum { PRIORITY = -15, NS_PER_US = 1000 };

struct profile_job {
	const struct profile_options *options;
	struct host host;
	struct profile_capture *capture;
	struct stacks stacks;
	int signals; /* a signalfd */
	struct profile_who *who;
	struct profile_output output;
	uint64_t names_until_ns; /* monotonic: then no more names are looked for */
};

/* Names of files that make it hard take no longer than this. */
#define NAMES_NS UINT64_C(60000000000)

/* Set by the first signal behind the capture; the next one ends the process. */
static volatile sig_atomic_t profile_is_asked_to_end;

static bool profile_describe(void *context, struct stack_process *process)
{
	struct profile_job *job = context;

	return profile_who_describe(job->who, process);
}

static int profile_block_signals(struct error *err)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? error_set(err, -errno, "signalfd: %s", strerror(errno)) : fd;
}

/*
 * What is new has to be followed soon, also where others take all CPUs: it takes little of them. A
 * failure costs stacks that are whole, nothing else.
 */
static void profile_raise_priority(void)
{
	(void)setpriority(PRIO_PROCESS, 0, PRIORITY);
}

/* Each file that is executed takes a descriptor. */
static void profile_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int profile_open(struct profile_job *job, const struct options *agent, struct error *err)
{
	const struct profile_options *options = job->options;
	struct profile_capture_config config = {
		.on_cpu = options->wall || !options->off_cpu,
		.off_cpu = options->wall || options->off_cpu,
		.cycles = options->cycles,
		.frequency_hz = options->frequency_hz,
		.pids = options->pids,
		.pids_count = options->pids_count,
		.tid = (pid_t)options->tid,
		.no_kernel_threads = options->no_kernel_threads,
		.no_user_threads = options->no_user_threads,
		.wait_min_ns = options->wait_min_us * NS_PER_US,
		.wait_max_ns = options->wait_max_us * NS_PER_US,
		.has_states = options->has_states,
		.states = options->states,
		.describe = profile_describe,
		.context = job,
	};
	const struct profile_who_config who = {agent, &job->host, options->filter,
					       options->container};
	int r = host_open(&job->host, agent->host_root, err);

	if (r == 0)
		r = profile_output_open(options, &job->output, err);
	if (r == 0)
		r = profile_who_open(&who, &job->who, err);
	if (r)
		return r;
	profile_raise_limit();
	profile_raise_priority();
	job->signals = profile_block_signals(err);
	if (job->signals < 0)
		return job->signals;
	config.proc = scap_proc_dir(job->host.proc);
	r = profile_capture_open(&config, &job->capture, err);
	if (r == 0 && stacks_init(&job->stacks))
		r = error_set(err, -ENOMEM, "out of memory");
	return r;
}

/* Follows what is new, until a time (monotonic). Returns 1 after a signal; 0; or -errno. */
static int follow_until(struct profile_job *job, uint64_t end_ns)
{
	struct pollfd fds[] = {{profile_capture_fd(job->capture), POLLIN, 0},
			       {job->signals, POLLIN, 0}};
	uint64_t now;
	int r = 0;

	while (r >= 0 && (now = clock_ns(CLOCK_MONOTONIC)) < end_ns) {
		poll(fds, 2, r ? 0 : (int)((end_ns - now) / 1000000) + 1);
		if (fds[1].revents)
			return 1;
		r = profile_capture_step(job->capture);
	}
	return r < 0 ? r : 0;
}

static void profile_note_signal(int number)
{
	profile_is_asked_to_end = 1;
}

static bool profile_names_are_over(void *context)
{
	const struct profile_job *job = context;

	return profile_is_asked_to_end || clock_ns(CLOCK_MONOTONIC) > job->names_until_ns;
}

/*
 * The capture is complete. What files of others have in them decides how long finding names takes:
 * it has no priority and a limit, the next signal ends it, and what was captured is written with
 * the names that were found. The one after that ends all.
 */
static void profile_end_capture(struct profile_job *job)
{
	const struct sigaction note = {.sa_handler = profile_note_signal,
				       .sa_flags = SA_RESTART | (int)SA_RESETHAND};
	struct signalfd_siginfo taken;
	sigset_t set;

	while (read(job->signals, &taken, sizeof(taken)) == sizeof(taken))
		;
	sigaction(SIGINT, &note, NULL);
	sigaction(SIGTERM, &note, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	(void)setpriority(PRIO_PROCESS, 0, 0);
	job->names_until_ns = clock_ns(CLOCK_MONOTONIC) + NAMES_NS;
}

static int profile_capture_all(struct profile_job *job)
{
	uint64_t begin_ns = 0, end_ns, next_ns;
	int r = follow_until(job, clock_ns(CLOCK_MONOTONIC) + WARM_UP_NS);
	int error = profile_capture_restart(job->capture, &begin_ns);

	if (r < 0 || error)
		return r < 0 ? r : error;
	if (job->options->verbose)
		fprintf(stderr, "agent: counting\n");
	job->stacks.begin_ns = clock_ns(CLOCK_REALTIME) - (clock_ns(CLOCK_MONOTONIC) - begin_ns);
	next_ns = begin_ns;
	end_ns = begin_ns + job->options->duration_ns;
	while (r == 0 && next_ns < end_ns) {
		/* Reading may take longer than that: the end is not put off. */
		next_ns = clock_ns(CLOCK_MONOTONIC) + profile_capture_read_each(job->capture);
		r = follow_until(job, next_ns < end_ns ? next_ns : end_ns);
		if (r == 0 && next_ns < end_ns)
			r = profile_capture_read(job->capture, &job->stacks);
	}
	profile_capture_stop(job->capture);
	job->stacks.duration_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
	if (r >= 0)
		r = profile_capture_read(job->capture, &job->stacks);
	/* bcc counts waits that have ended. */
	if (r >= 0 && job->options->format != PROFILE_WAITS)
		r = profile_capture_read_waits(job->capture, &job->stacks);
	profile_end_capture(job);
	if (r >= 0 && !job->stacks.rows_count)
		fprintf(stderr,
			"agent: nothing was seen: no thread ran, or began or ended a wait\n");
	return r < 0 ? r : 0;
}

/* What the agent itself took, too, but for naming and printing. */
static void profile_print_cost(const struct profile_job *job)
{
	uint64_t run_ns, runs, wall_ns = job->stacks.duration_ns + WARM_UP_NS;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct rusage usage;
	double own_s;

	profile_capture_cost(job->capture, &run_ns, &runs);
	getrusage(RUSAGE_SELF, &usage);
	own_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		(double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
	fprintf(stderr,
		"agent: programs ran %llu times, %.3f ms in all, %.3f %% of the time of %ld CPUs; "
		"the agent took %.3f s\n",
		(unsigned long long)runs, (double)run_ns * 1e-6,
		100.0 * (double)run_ns / ((double)wall_ns * (double)cpus), cpus, own_s);
}

static int profile_print_job(struct profile_job *job, struct error *err)
{
	const struct profile_printing printing = {job->options, scap_proc_dir(job->host.proc),
						  profile_names_are_over, job};

	return profile_print(&printing, &job->output, &job->stacks, err);
}

int profile_run_with(const struct profile_options *options, const struct options *agent)
{
	struct profile_job job = {.options = options, .signals = -1};
	struct error err = {""};
	/* The kernel measures programs as long as this is open. */
	int measures = options->verbose ? bpf_enable_stats(BPF_STATS_RUN_TIME) : -1;
	int r = profile_open(&job, agent, &err);

	if (r == 0)
		r = profile_capture_begin(job.capture, &err);
	if (r == 0) {
		r = profile_capture_all(&job);
		if (r)
			error_set(&err, r, "capturing the profile: %s", strerror(-r));
		else if (options->verbose)
			profile_print_cost(&job);
	}
	if (r == 0 && profile_who_decide(job.who, &job.stacks))
		r = error_set(&err, -ENOMEM, "out of memory");
	if (r == 0)
		profile_who_print_lacks(job.who);
	if (r == 0)
		r = profile_print_job(&job, &err);
	profile_capture_close(job.capture);
	profile_who_close(job.who);
	profile_output_close(&job.output);
	stacks_finish(&job.stacks);
	host_close(&job.host);
	if (job.signals >= 0)
		close(job.signals);
	if (measures >= 0)
		close(measures);
	return r ? command_fail(r == -EINVAL ? EXIT_USAGE : EXIT_FAILURE, &err) : EXIT_SUCCESS;
}

int profile_run(const struct options *options)
{
	struct profile_options own;
	int code;

	if (!own_options_begin(&profile_own_options, options, &own, &code))
		return code;
	code = profile_run_with(&own, options);
	profile_options_finish(&own);
	return code;
}
