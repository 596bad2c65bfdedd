/* SPDX-License-Identifier: MIT */
/* Forks before there are threads; in the child, starts the worker again and again. */
#include "agent/continuous/continuous.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/continuous/worker.h"
#include "privileges/privileges.h"
#include "util/backoff.h"
#include "util/clock.h"
#include "util/count.h"

#define NS_PER_MS UINT64_C(1000000)
#define CHECK_NS (1000 * NS_PER_MS)
/* A worker that ran for so long has not failed at once. */
#define LASTED_NS (60 * 1000 * NS_PER_MS)

enum {
	LOOK_MS = 200, /* whether the worker has ended */
	PAUSE_MS = 10,
	WORKER_END_MS = 4000, /* it has 2 seconds for its last profile */
	ALL_END_MS = 6000,
	HANGS_S = 120, /* a worker without a sign of life */
};

struct watcher {
	struct worker_config config;
	pid_t worker; /* 0: there is none now */
	uint64_t started_ns;
	bool is_killed;
	struct backoff backoff;
};

/* Waits for the end of the agent, `ms` at most. */
static bool agent_has_ended(int alive, int ms)
{
	struct pollfd fd = {alive, POLLIN, 0};

	return poll(&fd, 1, ms) > 0;
}

/* Returns whether it has ended, with its status, within `ms`. */
static bool wait_for(pid_t pid, int ms, int *status)
{
	const struct timespec pause = clock_timespec(PAUSE_MS * NS_PER_MS);
	pid_t found;

	*status = 0;
	while ((found = waitpid(pid, status, WNOHANG)) == 0 && ms > 0) {
		nanosleep(&pause, NULL);
		ms -= PAUSE_MS;
	}
	return found != 0;
}

static void end_process(pid_t pid, int ms)
{
	int status;

	if (wait_for(pid, ms, &status))
		return;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

static void start_worker(struct watcher *watcher)
{
	pid_t parent = getpid();

	watcher->started_ns = clock_ns(CLOCK_MONOTONIC);
	watcher->is_killed = false;
	atomic_store(&watcher->config.counts->followed_ns, watcher->started_ns);
	atomic_store(&watcher->config.counts->writing_ns, 0);
	watcher->worker = fork();
	if (watcher->worker < 0)
		watcher->worker = 0;
	if (watcher->worker)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "agent-profile");
	if (getppid() != parent)
		_exit(WORKER_FAILED);
	_exit(worker_run(&watcher->config));
}

/* Says why it ended, and when there will be another one. */
static void take_end(struct watcher *watcher, int status)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	watcher->worker = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == WORKER_RENEWS)
		return;
	if (now - watcher->started_ns > LASTED_NS)
		backoff_reset(&watcher->backoff);
	backoff_failed(&watcher->backoff, now, (uint16_t)now);
	atomic_fetch_add(&watcher->config.counts->deaths, 1);
	if (WIFSIGNALED(status))
		fprintf(stderr,
			"agent: --profile: the process that takes profiles was ended by signal %d: "
			"it is started again\n",
			WTERMSIG(status));
	else
		fprintf(stderr, "agent: --profile: the process that takes profiles has ended: it "
				"is started again\n");
}

/* Waits that a signal does not end are left to the kernel: it is killed once. */
static void end_if_it_hangs(struct watcher *watcher)
{
	struct continuous_counts *counts = watcher->config.counts;
	uint64_t limit_ns = watcher->config.options->hangs_ns;

	limit_ns = limit_ns ? limit_ns : HANGS_S * 1000 * NS_PER_MS;
	if (watcher->is_killed ||
	    !continuous_counts_hang(counts, clock_ns(CLOCK_MONOTONIC), limit_ns))
		return;
	watcher->is_killed = true;
	atomic_fetch_add(&counts->hangs, 1);
	fprintf(stderr, "agent: --profile: the process that takes profiles hangs: it is ended\n");
	kill(watcher->worker, SIGKILL);
}

static int watch(struct watcher *watcher)
{
	int status;

	while (!agent_has_ended(watcher->config.alive, LOOK_MS)) {
		if (watcher->worker && wait_for(watcher->worker, 0, &status))
			take_end(watcher, status);
		if (watcher->worker)
			end_if_it_hangs(watcher);
		if (!watcher->worker &&
		    backoff_allows(&watcher->backoff, clock_ns(CLOCK_MONOTONIC)))
			start_worker(watcher);
	}
	if (watcher->worker)
		end_process(watcher->worker, WORKER_END_MS);
	return EXIT_SUCCESS;
}

static int continuous_serve(const struct continuous_options *options, const char *host_root,
			    struct continuous_counts *counts, int alive)
{
	struct watcher watcher = {
		.config = {options, host_root, counts, .alive = HELPER_FD},
	};
	int r = privileges_begin_helper("agent-profiles", &alive, 1);

	if (r) {
		fprintf(stderr, "agent: --profile: keeping a descriptor: %s\n", strerror(-r));
		return EXIT_FAILURE;
	}
	return watch(&watcher);
}

int continuous_start(const struct continuous_options *options, const char *host_root,
		     struct continuous *continuous, struct error *err)
{
	struct continuous_counts *counts;
	int ends[2];
	pid_t pid;

	if (!continuous_is_on(options))
		return 0;
	/* Ignored, as who starts the agent may have it, no end could be told. */
	signal(SIGCHLD, SIG_DFL);
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (counts == MAP_FAILED)
		return error_set(err, -errno, "cannot map memory: %s", strerror(errno));
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		munmap(counts, sizeof(*counts));
		return error_set(err, -errno, "cannot make a socket: %s", strerror(errno));
	}
	pid = fork();
	if (pid == 0)
		_exit(continuous_serve(options, host_root, counts, ends[1]));
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		munmap(counts, sizeof(*counts));
		return error_set(err, -errno, "cannot start a process: %s", strerror(errno));
	}
	*continuous = (struct continuous){.pid = pid, .alive = ends[0], .counts = counts};
	return 0;
}

void continuous_step(struct continuous *continuous, uint64_t now_ns)
{
	siginfo_t end = {0};

	if (!continuous->pid || continuous->ended || now_ns < continuous->check_due_ns)
		return;
	continuous->check_due_ns = now_ns + CHECK_NS;
	continuous->ended =
		waitid(P_PID, (id_t)continuous->pid, &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
		end.si_pid;
	if (continuous->ended)
		fputs("agent: --profile: no profiles are taken any more, as their process has "
		      "ended; "
		      "restart the agent\n",
		      stderr);
}

#define COUNTER(member) offsetof(struct continuous_counts, member)

static const struct {
	const char *name, *help;
	size_t member;
} metrics[] = {
	{"lanner_profile_intervals", "Intervals of which profiles were taken.", COUNTER(intervals)},
	{"lanner_profile_intervals_given_up",
	 "Intervals without a profile, as it was not written when the process ended.",
	 COUNTER(given_up)},
	{"lanner_profile_late",
	 "Times that an interval went on, as the profiles of the one before were not done.",
	 COUNTER(late)},
	{"lanner_profile_files", "Files of profiles that were written.", COUNTER(written)},
	{"lanner_profile_file_failures", "Files of profiles that could not be written.",
	 COUNTER(write_failures)},
	{"lanner_profile_files_removed", "Files of profiles that were too old or too many.",
	 COUNTER(removed)},
	{"lanner_profile_file_remove_failures",
	 "Times that a file of profiles that was too old, or too many, could not be removed.",
	 COUNTER(remove_failures)},
	{"lanner_profile_sent", "Profiles that were sent.", COUNTER(sent)},
	{"lanner_profile_send_failures", "Profiles that could not be sent.",
	 COUNTER(send_failures)},
	{"lanner_profile_containers_other",
	 "Containers without a profile of their own, as there were too many, by interval.",
	 COUNTER(grouped)},
	{"lanner_profile_names_left_out",
	 "Places in profiles without a name, as there was no room for it.", COUNTER(nameless)},
	{"lanner_profile_lost", "Samples and waits that are in no profile.", COUNTER(losses)},
	{"lanner_profile_restarts",
	 "Times that the process that takes profiles died and was started again.", COUNTER(deaths)},
	{"lanner_profile_hangs",
	 "Times that it was killed as it gave no sign of life; they are among the restarts.",
	 COUNTER(hangs)},
};

void continuous_append_metrics(const struct continuous *continuous, struct exposition *exposition)
{
	static const struct exposition_family up = {
		"lanner_profile_up", METRIC_GAUGE, NULL,
		"1: profiles are taken; 0: no more, until the agent is started again."};

	if (continuous->counts)
		exposition_add(exposition, &up, !continuous->ended);
	for (size_t i = 0; continuous->counts && i < COUNT(metrics); i++) {
		const struct exposition_family family = {metrics[i].name, METRIC_COUNTER, NULL,
							 metrics[i].help};
		const char *counts = (const char *)continuous->counts;

		exposition_add(
			exposition, &family,
			atomic_load((const _Atomic uint64_t *)(const void *)(counts +
									     metrics[i].member)));
	}
}

void continuous_finish(struct continuous *continuous)
{
	if (!continuous->pid)
		return;
	close(continuous->alive);
	end_process(continuous->pid, ALL_END_MS);
	munmap(continuous->counts, sizeof(*continuous->counts));
	*continuous = (struct continuous){0};
}
