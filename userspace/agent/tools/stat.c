/* SPDX-License-Identifier: MIT */
/* The command stat: counts while a command runs, or until a signal, once or several times. */
#include "agent/tools/run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/tools/stat_containers.h"
#include "agent/tools/stat_metrics.h"
#include "agent/tools/stat_options.h"
#include "perf/attr.h"
#include "perf/count/count.h"
#include "perf/open.h"
#include "util/clock.h"
#include "util/count.h"
#include "util/value.h"

static const char default_events[] = "task-clock,context-switches,cpu-migrations,page-faults,"
				     "cycles,instructions,branches,branch-misses";

static const double ms_of_ns = 1e-6;

/* How often it is looked whether tasks are still there. */
static const uint64_t look_ns = 1000000000;

/* How long a command may take to end. */
static const uint64_t patience_ns = 2000000000;

enum { EXIT_NOT_STARTED = 127, EXIT_SIGNALLED = 128, REAP_MS = 100 };

/* The mean of several runs, and the sum of the squares of the differences to it. */
struct stat_mean {
	double mean, squares;
	size_t n;
};

/* An event over all runs. */
struct stat_sum {
	struct stat_mean value;
	double of_run; /* while it is read */
	uint64_t enabled_ns, running_ns;
	bool supported;
};

struct stat_job {
	const struct stat_options *options;
	const struct options *of_agent;
	struct stat_containers *containers; /* NULL: these are not counted each */
	struct stat_printer printer;
	struct perf_machine machine;
	struct perf_event_list events;
	struct perf_counters counters;
	struct perf_target target;
	struct stat_sum *sums; /* owned; one for each event */
	struct stat_mean elapsed_ns;
	struct rusage usage; /* of the command */
	FILE *out;
	int signals; /* a signalfd */
	pid_t child; /* 0: none runs */
	int status; /* of the command, as exit codes */
	uint64_t start_ns, printed_ns; /* of a run; of the last interval */
	sigset_t signals_before; /* those that were blocked */
	struct rlimit files_before; /* the limit of open files, which is the command's */
	bool is_over; /* by a signal or the time: no further run */
};

static void mean_add(struct stat_mean *mean, double value)
{
	double delta = value - mean->mean;

	mean->n++;
	mean->mean += delta / (double)mean->n;
	mean->squares += delta * (value - mean->mean);
}

/* The standard deviation of the mean. */
static double mean_deviation(const struct stat_mean *mean)
{
	double n = (double)mean->n;

	return mean->n < 2 ? 0 : sqrt(mean->squares / (n - 1) / n);
}

/* The command. */

static const int handled_signals[] = {SIGINT, SIGTERM, SIGCHLD, SIGHUP};

static int block_signals(struct stat_job *job, struct error *err)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < COUNT(handled_signals); i++)
		sigaddset(&set, handled_signals[i]);
	sigprocmask(SIG_BLOCK, &set, &job->signals_before);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? error_set(err, -errno, "signalfd: %s", strerror(errno)) : fd;
}

/* In the child: waits until it may go, then becomes the command, or says why not. */
static void become_command(const struct stat_job *job, int go, int failed)
{
	char **command = job->options->command, byte;
	int error;

	sigprocmask(SIG_SETMASK, &job->signals_before, NULL);
	setrlimit(RLIMIT_NOFILE, &job->files_before);
	if (read(go, &byte, 1) == 1) {
		execvp(command[0], command);
		error = errno;
		if (write(failed, &error, sizeof(error)) < 0)
			_exit(EXIT_NOT_STARTED);
	}
	_exit(EXIT_NOT_STARTED);
}

/* The ends of the pipes that belong to the parent. */
struct stat_child {
	int go, failed; /* -1: none */
};

static int stat_fork(struct stat_job *job, struct stat_child *child, struct error *err)
{
	int go[2], failed[2];

	*child = (struct stat_child){-1, -1};
	if (!job->options->command)
		return 0;
	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		return error_set(err, -errno, "pipe: %s", strerror(errno));
	fflush(NULL);
	job->child = fork();
	if (job->child == 0) {
		close(go[1]);
		become_command(job, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	if (job->child < 0) {
		job->child = 0;
		return error_set(err, -errno, "fork: %s", strerror(errno));
	}
	*child = (struct stat_child){go[1], failed[0]};
	return 0;
}

/* Lets it go, and waits until it is the command. */
static int stat_release(struct stat_job *job, const struct stat_child *child, struct error *err)
{
	int error = 0;

	if (child->go < 0)
		return 0;
	if (write(child->go, "", 1) != 1)
		return error_set(err, -errno, "starting the command: %s", strerror(errno));
	if (read(child->failed, &error, sizeof(error)) != sizeof(error))
		return 0;
	job->status = EXIT_NOT_STARTED;
	return error_set(err, -error, "cannot start %s: %s", job->options->command[0],
			 strerror(error));
}

static void stat_close_child(const struct stat_child *child)
{
	if (child->go >= 0)
		close(child->go);
	if (child->failed >= 0)
		close(child->failed);
}

/* Collects the child if it has ended, or when it does. */
static void stat_reap(struct stat_job *job, int flags)
{
	int status;

	if (!job->child || wait4(job->child, &status, flags, &job->usage) != job->child)
		return;
	job->child = 0;
	job->status = WIFSIGNALED(status) ? EXIT_SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The target. */

static int for_each_pid(const char *list, struct stat_job *job,
			int (*add)(struct stat_job *job, pid_t pid, struct error *err),
			struct error *err)
{
	while (list && *list) {
		pid_t pid;
		const char *end = value_read_pid(list, &pid);
		int r;

		if (!end)
			return error_set(err, -EINVAL, "stat: '%s' is no list of processes", list);
		r = add(job, pid, err);
		if (r)
			return r;
		list = *end == ',' ? end + 1 : end;
	}
	return 0;
}

static int add_process(struct stat_job *job, pid_t pid, struct error *err)
{
	return perf_target_add_process(&job->target, pid, err);
}

static int add_thread(struct stat_job *job, pid_t pid, struct error *err)
{
	return perf_target_add_thread(&job->target, pid) ? error_set(err, -ENOMEM, "out of memory")
							 : 0;
}

static bool counts_containers(const struct stat_options *options)
{
	return options->per_container || options->per_pod;
}

static int stat_set_target(struct stat_job *job, struct error *err)
{
	const struct stat_options *options = job->options;
	int r = 0;

	perf_target_init(&job->target);
	job->target.no_inherit = options->no_inherit;
	if (options->pids || options->tids) {
		r = for_each_pid(options->pids, job, add_process, err);
		return r ? r : for_each_pid(options->tids, job, add_thread, err);
	}
	if (!options->all_cpus && !options->cpus && !options->cgroup &&
	    !counts_containers(options)) {
		job->target.on_exec = true;
		return add_thread(job, job->child, err);
	}
	if (options->cgroup)
		r = perf_target_set_cgroup(&job->target, options->cgroup, err);
	return r ? r : perf_target_set_cpus(&job->target, options->cpus, err);
}

/* Printing. */

/* Events of several PMUs that share a name are shown as one. */
static bool is_shown(const struct stat_job *job, size_t i)
{
	const struct perf_event *event = &job->events.events[i];

	return event->origin == i ||
	       strcmp(event->name, job->events.events[event->origin].name) != 0;
}

static struct stat_line make_line(const struct stat_job *job, size_t i, const struct stat_sum *sum)
{
	const struct perf_event *event = &job->events.events[i];
	bool is_clock = stat_metrics_is_clock(event);
	double scale = is_clock ? ms_of_ns : event->scale;

	return (struct stat_line){
		.name = job->containers ? event->name : job->counters.counters[i].name,
		.unit = is_clock      ? "msec"
			: event->unit ? event->unit
				      : "",
		.supported = sum->supported,
		.counted = sum->running_ns > 0,
		.value = sum->value.mean * scale,
		.is_scaled = floor(scale) != scale,
		.deviation_percent = sum->value.mean > 0
					     ? 100 * mean_deviation(&sum->value) / sum->value.mean
					     : 0,
		.enabled_ns = sum->enabled_ns / (sum->value.n ? sum->value.n : 1),
		.running_ns = sum->running_ns / (sum->value.n ? sum->value.n : 1),
	};
}

static int stat_print_lines(struct stat_job *job, const struct stat_owner *owner,
			    const struct stat_sum *sums, double elapsed_ns, uint64_t since_ns,
			    struct buf *out)
{
	size_t count = job->events.count;
	struct stat_value *values = calloc(count, sizeof(*values));

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		values[i] = (struct stat_value){&job->events.events[i],
						sums[i].value.mean * job->events.events[i].scale,
						sums[i].supported && sums[i].running_ns > 0};
	for (size_t i = 0; i < count; i++) {
		struct stat_line line = make_line(job, i, &sums[i]);

		if (!is_shown(job, i))
			continue;
		line.owner = owner;
		stat_metrics_set(values, count, i, elapsed_ns, &line);
		stat_print_line(&job->printer, &line, since_ns, out);
	}
	free(values);
	return 0;
}

static void stat_write(const struct stat_job *job, struct buf *out)
{
	fwrite(out->data, 1, out->len, job->out);
	fflush(job->out);
	buf_finish(out);
}

/* "'sleep 1' (3 runs)" */
static void append_what(const struct stat_job *job, struct buf *out)
{
	const struct stat_options *options = job->options;

	if (counts_containers(options))
		buf_append_string(out, options->per_pod ? "'pods'" : "'containers'");
	else if (options->cgroup)
		buf_printf(out, "control group '%s'", options->cgroup);
	else if (options->all_cpus || options->cpus)
		buf_printf(out, options->cpus ? "'CPU(s) %s'" : "'system wide'", options->cpus);
	else if (options->pids || options->tids)
		buf_printf(out, "%s id '%s'", options->pids ? "process" : "thread",
			   options->pids ? options->pids : options->tids);
	else
		for (char **word = options->command; *word; word++)
			buf_printf(out, "%s%s%s", word == options->command ? "'" : " ", *word,
				   word[1] ? "" : "'");
	if (options->runs > 1)
		buf_printf(out, " (%llu runs)", (unsigned long long)options->runs);
	buf_append_char(out, '\0');
}

static void stat_begin(struct stat_job *job)
{
	struct buf what = {0}, out = {0};

	append_what(job, &what);
	if (!what.failed)
		stat_print_head(&job->printer, what.data, &out);
	stat_write(job, &out);
	buf_finish(&what);
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

/* What the lines of a container are made of. */
struct stat_of_container {
	struct stat_job *job;
	struct stat_sum *sums;
	double elapsed_ns;
	uint64_t since_ns;
	struct buf *out;
};

static int stat_print_container(void *context, const struct stat_owner *owner,
				const struct counted_sum *counted)
{
	const struct stat_of_container *of = context;
	struct stat_job *job = of->job;

	memset(of->sums, 0, job->events.count * sizeof(*of->sums));
	for (size_t i = 0; i < job->events.count; i++) {
		size_t to = is_shown(job, i) ? i : job->events.events[i].origin;

		of->sums[to].of_run += counted[i].value;
		of->sums[to].supported |= counted[i].supported;
		of->sums[to].enabled_ns += counted[i].enabled_ns;
		of->sums[to].running_ns += counted[i].running_ns;
	}
	for (size_t i = 0; i < job->events.count; i++)
		mean_add(&of->sums[i].value, of->sums[i].of_run);
	return stat_print_lines(job, owner, of->sums, of->elapsed_ns, of->since_ns, of->out);
}

/* Of each container, or of all that is counted. The sums are overwritten. */
static int stat_print_all(struct stat_job *job, struct stat_sum *sums, double elapsed_ns,
			  uint64_t since_ns, struct buf *out)
{
	struct stat_of_container of = {job, sums, elapsed_ns, since_ns, out};

	if (!job->containers)
		return stat_print_lines(job, NULL, sums, elapsed_ns, since_ns, out);
	return stat_containers_each(job->containers, stat_print_container, &of);
}

static int stat_report(struct stat_job *job)
{
	const struct stat_times times = {
		.elapsed_s = job->elapsed_ns.mean * 1e-9,
		.deviation_s = mean_deviation(&job->elapsed_ns) * 1e-9,
		.has_usage = job->target.on_exec && job->options->runs == 1,
		.user_s = seconds(job->usage.ru_utime),
		.system_s = seconds(job->usage.ru_stime),
	};
	struct buf out = {0};
	int r = 0;

	if (!job->options->interval_ms) {
		stat_begin(job);
		r = stat_print_all(job, job->sums, job->elapsed_ns.mean, 0, &out);
	}
	stat_print_foot(&job->printer, &times, &out);
	stat_write(job, &out);
	if (job->containers)
		stat_containers_append_lacks(job->containers, &out);
	fwrite(out.data, 1, out.len, stderr);
	buf_finish(&out);
	return r;
}

/* Counting. */

/* Adds what was counted since the last time: of events that are shown as one, to the first. */
static void read_all(struct stat_job *job, struct stat_sum *sums)
{
	for (size_t i = 0; i < job->counters.count; i++) {
		struct perf_counter *counter = &job->counters.counters[i];
		struct stat_sum *sum = &sums[is_shown(job, i) ? i : counter->event->origin];
		struct perf_count count;

		perf_counter_read(counter, &count);
		sum->of_run += count.value;
		sum->supported |= counter->error == 0;
		sum->enabled_ns += count.enabled_ns;
		sum->running_ns += count.running_ns;
	}
	for (size_t i = 0; i < job->counters.count; i++) {
		mean_add(&sums[i].value, sums[i].of_run);
		sums[i].of_run = 0;
	}
}

static int stat_print_interval(struct stat_job *job)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), before = job->printed_ns;
	struct stat_sum *sums = calloc(job->events.count, sizeof(*sums));
	struct buf out = {0};
	int r = -ENOMEM;

	job->printed_ns = now;
	if (sums) {
		read_all(job, sums);
		r = stat_print_all(job, sums, (double)(now - before), now - job->start_ns, &out);
	}
	stat_write(job, &out);
	free(sums);
	return r;
}

/* Of tasks that were there before; the command has a signal. */
static bool has_tasks(const struct stat_job *job)
{
	for (size_t i = 0; i < job->target.tids_count; i++)
		if (kill(job->target.tids[i], 0) == 0 || errno == EPERM)
			return true;
	return job->target.tids_count == 0;
}

/* What ends the counting has happened: the command or the process has ended, a signal, the time. */
static bool stat_is_done(struct stat_job *job, int process)
{
	struct signalfd_siginfo info;
	uint64_t timeout_ns = job->options->timeout_ms * 1000000;
	struct pollfd ended = {process, POLLIN, 0};

	while (read(job->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			stat_reap(job, WNOHANG);
		else
			job->is_over = true;
	}
	if (timeout_ns && clock_ns(CLOCK_MONOTONIC) - job->start_ns >= timeout_ns)
		job->is_over = true;
	if ((process >= 0 && poll(&ended, 1, 0) == 1) || !has_tasks(job)) {
		job->is_over |= !job->target.on_exec;
		return true;
	}
	return job->is_over || (job->options->command && !job->child);
}

/* Milliseconds to the earliest of these times. */
static int wait_ms(const struct stat_job *job, uint64_t next_ns)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), first = now + look_ns;
	uint64_t end_ns = job->start_ns + job->options->timeout_ms * 1000000;

	if (next_ns && next_ns < first)
		first = next_ns;
	if (job->options->timeout_ms && end_ns < first)
		first = end_ns;
	return first > now ? (int)((first - now + 999999) / 1000000) : 0;
}

static int stat_wait(struct stat_job *job)
{
	bool is_one = job->options->pids && !job->options->tids && !strchr(job->options->pids, ',');
	int process = is_one ? (int)syscall(SYS_pidfd_open, job->target.tids[0], 0) : -1, r = 0;
	uint64_t step_ns = job->options->interval_ms * 1000000;
	uint64_t next_ns = step_ns ? job->start_ns + step_ns : 0;

	while (r == 0 && !stat_is_done(job, process)) {
		struct pollfd fds[] = {
			{job->signals, POLLIN, 0},
			{process, POLLIN, 0},
			{job->containers ? stat_containers_fd(job->containers) : -1, POLLIN, 0}};

		if (job->containers)
			stat_containers_step(job->containers);
		if (poll(fds, COUNT(fds), wait_ms(job, next_ns)) > 0 || !next_ns ||
		    clock_ns(CLOCK_MONOTONIC) < next_ns)
			continue;
		r = stat_print_interval(job);
		next_ns += step_ns;
	}
	if (process >= 0)
		close(process);
	return r;
}

/* One run: from the start of the command, if there is one, to its end. */
static int stat_count(struct stat_job *job, const struct stat_child *child, struct error *err)
{
	int r;

	if (!job->target.on_exec)
		perf_counters_enable(&job->counters);
	job->start_ns = job->printed_ns = clock_ns(CLOCK_MONOTONIC);
	r = stat_release(job, child, err);
	if (r)
		return r;
	r = stat_wait(job);
	mean_add(&job->elapsed_ns, (double)(clock_ns(CLOCK_MONOTONIC) - job->start_ns));
	perf_counters_disable(&job->counters);
	if (r == 0 && job->options->interval_ms)
		r = stat_print_interval(job);
	else if (r == 0)
		read_all(job, job->sums);
	return r ? error_set(err, r, "out of memory") : 0;
}

/* What -v says of each event; and of those that were asked for why there are none. */
static void stat_explain(const struct stat_job *job)
{
	for (size_t i = 0; i < job->counters.count; i++) {
		const struct perf_counter *counter = &job->counters.counters[i];
		struct buf out = {0};

		if (counter->error)
			perf_open_append_reason(&job->machine, counter->event, counter->error,
						&out);
		else if (counter->event->is_probe && job->target.tids && !job->options->no_inherit)
			BUF_LITERAL(&out,
				    "of the threads that there are at the beginning: the kernel "
				    "has no probes that others inherit");
		else if (job->options->verbose)
			perf_attr_append(&counter->attr, counter->event->config3, &out);
		if (counter->left_group)
			buf_printf(&out, "%sthe leader of its group counts on other CPUs: alone",
				   out.len ? "\n" : "");
		buf_append_char(&out, '\0');
		if (out.len > 1 && !out.failed &&
		    (job->options->verbose || job->options->events.len))
			fprintf(stderr, "agent: %s%s%s\n", counter->name,
				strchr(out.data, '\n') ? ":\n" : ": ", out.data);
		buf_finish(&out);
	}
}

/* Ends it, if it still runs, which is not its own doing: its status stays. Who ignores the signal
 * is killed. */
static void stat_end_child(struct stat_job *job)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + patience_ns;
	int status = job->status;

	if (!job->child)
		return;
	kill(job->child, SIGTERM);
	while (job->child && clock_ns(CLOCK_MONOTONIC) < end_ns) {
		struct pollfd signals = {job->signals, POLLIN, 0};
		struct signalfd_siginfo info;

		stat_reap(job, WNOHANG);
		if (job->child && poll(&signals, 1, REAP_MS) == 1)
			while (read(job->signals, &info, sizeof(info)) == sizeof(info))
				if (info.ssi_signo != SIGCHLD)
					end_ns = 0;
	}
	if (job->child)
		kill(job->child, SIGKILL);
	stat_reap(job, 0);
	job->status = status;
}

static int stat_open_counters(struct stat_job *job, struct error *err)
{
	const struct stat_containers_config config = {
		.options = job->of_agent,
		.events = &job->events,
		.machine = &job->machine,
		.cpus = job->options->cpus,
		.per_pod = job->options->per_pod,
	};

	return counts_containers(job->options)
		       ? stat_containers_open(&config, &job->containers, err)
		       : perf_counters_open(&job->counters, &job->events, &job->target,
					    &job->machine, err);
}

static int stat_run_once(struct stat_job *job, bool is_first, struct error *err)
{
	struct stat_child child;
	int r = stat_fork(job, &child, err);

	if (r == 0)
		r = stat_set_target(job, err);
	if (r == 0)
		r = stat_open_counters(job, err);
	if (r == 0 && is_first)
		stat_explain(job);
	if (r == 0 && is_first && job->options->interval_ms)
		stat_begin(job);
	if (r == 0)
		r = stat_count(job, &child, err);
	stat_close_child(&child);
	stat_end_child(job);
	return r;
}

/* All runs, then the report. */
static int stat_run_all(struct stat_job *job, struct error *err)
{
	uint64_t runs = job->options->runs;

	for (uint64_t i = 0; i < runs && !job->is_over; i++) {
		int r;

		if (i) {
			perf_counters_close(&job->counters);
			perf_target_finish(&job->target);
		}
		r = stat_run_once(job, i == 0, err);
		if (r)
			return r;
	}
	if (stat_report(job) != 0)
		return error_set(err, -ENOMEM, "out of memory");
	return ferror(job->out) ? error_set(err, -EIO, "cannot write what was counted") : 0;
}

/* Events of threads and CPUs need a descriptor each. */
static void raise_limit_of_files(struct stat_job *job)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &job->files_before);
	limit = job->files_before;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int stat_open(struct stat_job *job, struct error *err)
{
	const struct perf_parse_options parse = {.no_sampling_terms = true,
						 .no_bpf_counters = true};
	const struct stat_options *options = job->options;
	int r = perf_machine_open(&job->machine, NULL, NULL, err);

	if (r == 0)
		r = perf_event_parse(options->events.len ? options->events.data : default_events,
				     &job->machine, &parse, &job->events, err);
	if (r)
		return r;
	job->sums = calloc(job->events.count, sizeof(*job->sums));
	if (!job->sums)
		return error_set(err, -ENOMEM, "out of memory");
	if (options->output) {
		job->out = fopen(options->output, "we");
		if (!job->out) {
			job->out = stderr;
			return error_set(err, -errno, "%s: %s", options->output, strerror(errno));
		}
	}
	job->signals = block_signals(job, err);
	raise_limit_of_files(job);
	return job->signals < 0 ? job->signals : 0;
}

static void stat_close(struct stat_job *job)
{
	stat_containers_close(job->containers);
	perf_counters_close(&job->counters);
	perf_target_finish(&job->target);
	perf_event_list_finish(&job->events);
	perf_machine_close(&job->machine);
	if (job->signals >= 0)
		close(job->signals);
	if (job->out != stderr)
		fclose(job->out);
	free(job->sums);
}

static int stat_run_with(const struct stat_options *options, const struct options *of_agent)
{
	struct stat_job job = {
		.options = options,
		.of_agent = of_agent,
		.printer = {.form = options->form,
			    .separator = options->separator,
			    .has_intervals = options->interval_ms > 0,
			    .repeats = options->runs > 1},
		.machine.tracefs = -1,
		.target.cgroup = -1,
		.out = stderr,
		.signals = -1,
	};
	struct error err = {""};
	int r = stat_open(&job, &err);

	if (r == 0)
		r = stat_run_all(&job, &err);
	stat_close(&job);
	if (r == 0)
		return job.status;
	return command_fail(job.status ? job.status : EXIT_FAILURE, &err);
}

int stat_run(const struct options *options)
{
	struct stat_options own;
	int code;

	if (!own_options_begin(&stat_own_options, options, &own, &code))
		return code;
	code = stat_run_with(&own, options);
	stat_options_finish(&own);
	return code;
}
