/* SPDX-License-Identifier: MIT */
/* The command record: opens events and files, and moves what the rings have from the one to the
 * other. */
#include "agent/tools/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/tools/record_options.h"
#include "agent/process/child.h"
#include "agent/process/signals.h"
#include "perf/attr.h"
#include "perf/data/tasks.h"
#include "perf/data/tracing.h"
#include "perf/open.h"
#include "perf/record/recording.h"
#include "util/clock.h"
#include "util/count.h"
#include "util/value.h"
#include "util/version.h"
#include "util/waker.h"

enum {
	WAIT_MS = 500, /* between two looks at rings that are filled slowly */
	PATH_BYTES = 4096,
	MEBIBYTE = 1 << 20,
};

struct record_job {
	const struct record_options *options;
	char **words; /* of the command line */
	struct perf_machine machine;
	struct perf_event_list events;
	struct perf_target target;
	struct perf_recording *recording;
	struct perf_build_ids build_ids;
	struct buf tracing;
	struct perf_data_facts facts;
	struct perf_data_writer *writer;
	struct perf_tasks tasks;
	struct child child;
	bool has_child;
	struct waker *waker;
	struct pollfd *fds; /* owned: those of the rings, and the waker's */
	size_t fds_room;
	int out; /* the file; -1: none */
	bool is_pipe;
	uint64_t begun_ns; /* monotonic clock: when the file was begun */
	uint64_t woken; /* times that the rings had something */
	uint64_t bytes; /* of all files before */
};

/* The target. */

static int for_each_pid(const char *list, struct perf_target *target,
			int (*add)(struct perf_target *target, pid_t pid, struct error *err),
			struct error *err)
{
	while (list && *list) {
		pid_t pid;
		const char *end = value_read_pid(list, &pid);
		int r;

		if (!end)
			return error_set(err, -EINVAL, "record: '%s' is no list of processes",
					 list);
		r = add(target, pid, err);
		if (r)
			return r;
		list = *end == ',' ? end + 1 : end;
	}
	return 0;
}

static int add_thread(struct perf_target *target, pid_t tid, struct error *err)
{
	return perf_target_add_thread(target, tid) ? error_set(err, -ENOMEM, "out of memory") : 0;
}

static int find_user(const char *text, uid_t *uid, struct error *err)
{
	const struct passwd *user = getpwnam(text);
	uint64_t number;

	if (user) {
		*uid = user->pw_uid;
		return 0;
	}
	if (value_read_u64(text, &number) == 0 && number <= UINT32_MAX) {
		*uid = (uid_t)number;
		return 0;
	}
	return error_set(err, -EINVAL, "record: no user %s", text);
}

/* Those that have ended meanwhile are not there. */
static int add_user(struct perf_target *target, const char *text, struct error *err)
{
	struct dirent *entry;
	uid_t uid = 0;
	DIR *folder;
	int r = find_user(text, &uid, err);

	if (r)
		return r;
	folder = opendir("/proc");
	if (!folder)
		return error_set(err, -errno, "/proc: %s", strerror(errno));
	while (r == 0 && (entry = readdir(folder))) {
		struct stat process;
		char *end;
		long pid = strtol(entry->d_name, &end, 10);

		if (*end || pid <= 0 || pid == getpid() ||
		    fstatat(dirfd(folder), entry->d_name, &process, 0) || process.st_uid != uid)
			continue;
		r = perf_target_add_process(target, (pid_t)pid, err);
		r = r == -ESRCH ? 0 : r;
	}
	closedir(folder);
	if (r == 0 && !target->tids_count)
		r = error_set(err, -ESRCH, "record: user %s has no processes", text);
	return r;
}

static int record_set_target(struct record_job *job, struct error *err)
{
	const struct record_options *options = job->options;
	struct perf_target *target = &job->target;
	int r = 0;

	target->no_inherit = options->no_inherit;
	if (options->pids || options->tids || options->user) {
		r = for_each_pid(options->pids, target, perf_target_add_process, err);
		if (r == 0)
			r = for_each_pid(options->tids, target, add_thread, err);
		return r || !options->user ? r : add_user(target, options->user, err);
	}
	if (!options->all_cpus && !options->cpus && !options->cgroup) {
		target->on_exec = true;
		return add_thread(target, job->child.pid, err);
	}
	if (options->cgroup)
		r = perf_target_set_cgroup(target, options->cgroup, err);
	return r ? r : perf_target_set_cpus(target, options->cpus, err);
}

/* Files. */

/* An earlier recording is kept, as by perf(1). What is no regular file is written as a pipe. */
static int open_file(struct record_job *job, const char *path, struct error *err)
{
	char old[PATH_BYTES];
	struct stat found;
	bool exists = lstat(path, &found) == 0;

	if (exists && !S_ISREG(found.st_mode)) {
		job->is_pipe = stat(path, &found) == 0 && !S_ISREG(found.st_mode);
		job->out = open(path, O_WRONLY | O_CLOEXEC | (job->is_pipe ? 0 : O_TRUNC));
	} else {
		if (snprintf(old, sizeof(old), "%s.old", path) >= (int)sizeof(old))
			return error_set(err, -ENAMETOOLONG, "%s: the name is too long", path);
		if (exists && found.st_size && rename(path, old))
			return error_set(err, -errno, "cannot rename %s to %s: %s", path, old,
					 strerror(errno));
		if (exists && !found.st_size)
			unlink(path);
		job->out = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	}
	return job->out < 0 ? error_set(err, -errno, "%s: %s", path, strerror(errno)) : 0;
}

/* Standard output is the recording's alone: the command writes to standard error. */
static int take_output(struct record_job *job, struct error *err)
{
	if (isatty(STDOUT_FILENO))
		return error_set(err, -EINVAL,
				 "record: -o -: standard output is a terminal; pipe it to a file "
				 "or a program");
	job->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (job->out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return error_set(err, -errno, "standard output: %s", strerror(errno));
	job->is_pipe = true;
	return 0;
}

/* What was there before, which samples refer to. At the first file the command has not begun, and
 * what the tasks create afterwards is in there. */
static int append_begin(struct record_job *job, bool is_first)
{
	const struct record_options *options = job->options;
	struct perf_tasks *tasks = &job->tasks;

	perf_tasks_append_kernel(tasks, options->sampled.has_bpf);
	if (options->sampled.has_cgroup)
		perf_tasks_append_cgroups(tasks);
	if (!job->target.tids) {
		perf_tasks_append_all(tasks);
		return 0;
	}
	return perf_tasks_append_processes(tasks, job->target.tids, job->target.tids_count,
					   !job->target.on_exec || !is_first,
					   !job->target.no_inherit && !is_first);
}

static int begin_output(struct record_job *job, bool is_first, struct error *err)
{
	int r = perf_data_writer_create(job->out, job->is_pipe, &job->facts, &job->writer, err);

	if (r)
		return r;
	job->begun_ns = clock_ns(CLOCK_MONOTONIC);
	perf_tasks_init(&job->tasks, job->writer, &job->build_ids,
			perf_recording_trailer_bytes(job->recording));
	job->tasks.has_namespaces = job->options->sampled.has_namespaces;
	job->tasks.has_data = perf_recording_has_data(job->recording);
	return append_begin(job, is_first) ? error_set(err, -ENOMEM, "out of memory") : 0;
}

static int fail_writing(const struct record_job *job, int code, struct error *err)
{
	return error_set(err, code, "cannot write %s: %s", job->options->output, strerror(-code));
}

/* Ends a file. */
static int finish_output(struct record_job *job, struct error *err)
{
	const struct perf_recording_stats *stats = perf_recording_stats(job->recording);
	const struct perf_data_end end = {stats->first_ns, stats->last_ns};
	int r;

	perf_recording_append_losses(job->recording, job->writer);
	r = perf_data_writer_finish(job->writer, &end);
	job->bytes += perf_data_writer_bytes(job->writer);
	perf_data_writer_destroy(job->writer);
	job->writer = NULL;
	perf_tasks_finish(&job->tasks);
	if (close(job->out) && r == 0)
		r = -errno;
	job->out = -1;
	return r ? fail_writing(job, r, err) : 0;
}

/* Returns 0; -EEXIST; or another -errno. */
static int rename_to_new(const char *path, const char *to)
{
	if (renameat2(AT_FDCWD, path, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* The file system cannot do it at once. */
	if (faccessat(AT_FDCWD, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return -EEXIST;
	return rename(path, to) ? -errno : 0;
}

/* "perf.data.2026113004025912": by the wall clock, to hundredths of a second; the next one that is
 * free, as two can end in one of them. */
static int name_output(const struct record_job *job, struct error *err)
{
	enum { HUNDREDTH_NS = 10000000, SECOND_NS = 1000000000 };
	char path[PATH_BYTES], time[32];
	struct timespec now;
	struct tm parts;
	int r;

	clock_gettime(CLOCK_REALTIME, &now);
	do {
		localtime_r(&now.tv_sec, &parts);
		strftime(time, sizeof(time), "%Y%m%d%H%M%S", &parts);
		if (snprintf(path, sizeof(path), "%s.%s%02ld", job->options->output, time,
			     now.tv_nsec / HUNDREDTH_NS) >= (int)sizeof(path))
			return error_set(err, -ENAMETOOLONG, "%s: the name is too long",
					 job->options->output);
		r = rename_to_new(job->options->output, path);
		now.tv_nsec += HUNDREDTH_NS;
		now.tv_sec += now.tv_nsec / SECOND_NS;
		now.tv_nsec %= SECOND_NS;
	} while (r == -EEXIST);
	if (r)
		return error_set(err, r, "cannot rename %s to %s: %s", job->options->output, path,
				 strerror(-r));
	if (!job->options->quiet)
		fprintf(stderr, "agent: record: wrote %s\n", path);
	return 0;
}

static int switch_output(struct record_job *job, struct error *err)
{
	int r = finish_output(job, err);

	perf_recording_forget_times(job->recording);
	if (r == 0)
		r = name_output(job, err);
	if (r == 0)
		r = open_file(job, job->options->output, err);
	return r ? r : begin_output(job, false, err);
}

static bool is_switch_due(const struct record_job *job)
{
	const struct record_switch *switches = &job->options->switches;

	return (switches->wanted && signals_take_dump()) ||
	       (switches->bytes && perf_data_writer_bytes(job->writer) >= switches->bytes) ||
	       (switches->ns && clock_ns(CLOCK_MONOTONIC) - job->begun_ns >= switches->ns);
}

/* Running. */

static int drain(struct record_job *job, struct error *err)
{
	const struct perf_recording_stats *stats = perf_recording_stats(job->recording);
	uint64_t before = stats->records;
	int r = perf_recording_drain(job->recording, job->writer, &job->build_ids);

	job->woken += stats->records > before;
	return r ? fail_writing(job, r, err) : 0;
}

static int wait_ms(const struct record_job *job)
{
	const uint64_t ms_ns = 1000000;
	uint64_t limit = job->options->switches.ns, spent;

	if (!limit)
		return WAIT_MS;
	spent = clock_ns(CLOCK_MONOTONIC) - job->begun_ns;
	if (spent >= limit)
		return 0;
	limit = (limit - spent) / ms_ns + 1;
	return limit < WAIT_MS ? (int)limit : WAIT_MS;
}

static bool is_over(struct record_job *job)
{
	return signals_count() > 0 || (job->has_child && child_has_exited(&job->child));
}

static int record_until_end(struct record_job *job, struct error *err)
{
	int r = 0;

	while (r == 0) {
		bool over = is_over(job), switches;
		size_t count = perf_recording_fds(job->recording, job->fds, job->fds_room - 1);

		if (over || (!count && !job->has_child))
			break;
		job->fds[count] = (struct pollfd){waker_fd(job->waker), POLLIN, 0};
		if (poll(job->fds, count + 1, wait_ms(job)) > 0) {
			perf_recording_note(job->recording, job->fds, count);
			if (job->fds[count].revents)
				waker_rest(job->waker);
		}
		switches = is_switch_due(job);
		r = drain(job, err);
		if (r == 0 && switches)
			r = switch_output(job, err);
	}
	return r;
}

/* The account. */

static void report(const struct record_job *job)
{
	const struct perf_recording_stats stats = *perf_recording_stats(job->recording);
	const struct {
		uint64_t count;
		const char *what;
	} losses[] = {
		{stats.lost, "records lost, as rings were full: use a larger -m, or a lower -F"},
		{stats.lost_samples, "samples lost by the hardware"},
		{stats.corrupt, "times a ring could not be read: what it had is missing"},
		{stats.throttled, "times the kernel stopped an event for a moment, as there were "
				  "too many samples"},
	};

	if (!job->options->quiet)
		fprintf(stderr,
			"agent: record: woken %llu times; wrote %.3f MiB to %s: %llu samples, %llu "
			"lost\n",
			(unsigned long long)job->woken, (double)job->bytes / MEBIBYTE,
			strcmp(job->options->output, "-") ? job->options->output
							  : "standard output",
			(unsigned long long)stats.samples, (unsigned long long)stats.lost);
	for (size_t i = 0; i < COUNT(losses); i++)
		if (losses[i].count)
			fprintf(stderr, "agent: record: %llu %s\n",
				(unsigned long long)losses[i].count, losses[i].what);
}

static void explain_events(const struct record_job *job)
{
	size_t count;
	const struct perf_data_event *events = perf_recording_events(job->recording, &count);

	for (size_t i = 0; i < count && job->options->verbose; i++) {
		struct buf out = {0};

		perf_attr_append(&events[i].attr, 0, &out);
		fprintf(stderr, "agent: %s:\n%.*s", events[i].name, (int)out.len,
			out.data ? out.data : "");
		buf_finish(&out);
	}
}

/* Opening. */

static int parse_events(struct record_job *job, struct error *err)
{
	const char *text = job->options->events.len ? job->options->events.data
			   : job->machine.cores	    ? "cycles:P"
						    : "cpu-clock";

	return perf_event_parse(text, &job->machine, NULL, &job->events, err);
}

/* Tracepoints and samples of all tasks say on which CPU they are, as by perf(1). */
static void complete_options(const struct record_job *job, struct perf_record_options *sampled)
{
	*sampled = job->options->sampled;
	sampled->has_cpu = !job->target.tids;
	sampled->has_bpf = geteuid() == 0;
	for (size_t i = 0; i < job->events.count; i++)
		sampled->has_cpu |= job->events.events[i].attr.type == PERF_TYPE_TRACEPOINT;
}

static int open_recording(struct record_job *job, struct error *err)
{
	struct perf_recording_config config = {
		.events = &job->events,
		.target = &job->target,
		.machine = &job->machine,
		.ring_bytes = job->options->ring_bytes,
	};

	complete_options(job, &config.options);
	return perf_recording_open(&config, &job->recording, err);
}

static int describe_tracepoints(struct record_job *job, struct error *err)
{
	const char **names = calloc(job->events.count, sizeof(*names));
	size_t count = 0;
	int r = 0;

	if (!names)
		return error_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < job->events.count; i++)
		if (job->events.events[i].attr.type == PERF_TYPE_TRACEPOINT)
			names[count++] = job->events.events[i].name;
	if (count)
		r = perf_tracing_append(&job->machine, names, count, &job->tracing);
	free(names);
	return r ? error_set(err, r, "record: formats of tracepoints: %s", strerror(-r)) : 0;
}

static void state_facts(struct record_job *job)
{
	job->facts = (struct perf_data_facts){
		.version = "lanner " LANNER_VERSION,
		.command = job->words,
		.tracing = &job->tracing,
		.build_ids = &job->build_ids,
		.clock = job->options->sampled.clock,
		.ring_bytes = perf_recording_ring_bytes(job->recording),
		.level = job->options->level,
	};
	job->facts.events = perf_recording_events(job->recording, &job->facts.events_count);
}

/* Before signals are handled: the command has those dispositions, and the limit of files, that the
 * agent was started with. */
static int start_command(struct record_job *job, struct error *err)
{
	struct rlimit limit;
	int r = 0;

	if (strcmp(job->options->output, "-") == 0)
		r = take_output(job, err);
	if (r == 0 && job->options->command) {
		r = child_start(job->options->command, &job->child, err);
		job->has_child = r == 0;
	}
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	return r;
}

static int handle_signals(struct record_job *job, struct error *err)
{
	int r = signals_init(false, err);

	if (r == 0 && job->options->switches.wanted)
		r = signals_dump(err);
	if (r == 0 && job->has_child)
		r = signals_pass_on(job->child.pid, err);
	if (r == 0)
		r = waker_create(&job->waker) ? error_set(err, -ENOMEM, "out of memory") : 0;
	if (r == 0)
		signals_set_waker(job->waker);
	return r;
}

static int record_open(struct record_job *job, struct error *err)
{
	int r = perf_machine_open(&job->machine, NULL, NULL, err);

	if (r == 0)
		r = parse_events(job, err);
	if (r == 0)
		r = handle_signals(job, err);
	if (r == 0)
		r = record_set_target(job, err);
	if (r == 0)
		r = open_recording(job, err);
	if (r == 0)
		r = describe_tracepoints(job, err);
	if (r)
		return r;
	state_facts(job);
	explain_events(job);
	job->fds_room = (size_t)sysconf(_SC_NPROCESSORS_CONF) + 1;
	job->fds = calloc(job->fds_room, sizeof(*job->fds));
	if (!job->fds)
		return error_set(err, -ENOMEM, "out of memory");
	if (job->out < 0)
		r = open_file(job, job->options->output, err);
	return r ? r : begin_output(job, true, err);
}

static int record_all(struct record_job *job, struct error *err)
{
	int r;

	if (!job->target.on_exec)
		perf_recording_enable(job->recording, true);
	if (job->has_child)
		child_go(&job->child);
	r = record_until_end(job, err);
	perf_recording_enable(job->recording, false);
	if (r == 0)
		r = drain(job, err);
	if (r == 0)
		r = finish_output(job, err);
	if (r == 0 && job->options->switches.wanted)
		r = name_output(job, err);
	return r;
}

static void record_close(struct record_job *job)
{
	signals_set_waker(NULL);
	if (job->writer)
		perf_tasks_finish(&job->tasks);
	perf_data_writer_destroy(job->writer);
	if (job->out >= 0)
		close(job->out);
	perf_recording_close(job->recording);
	perf_build_ids_finish(&job->build_ids);
	buf_finish(&job->tracing);
	perf_target_finish(&job->target);
	perf_event_list_finish(&job->events);
	perf_machine_close(&job->machine);
	waker_destroy(job->waker);
	free(job->fds);
}

static int record_run_with(const struct record_options *options, char **words)
{
	struct record_job job = {
		.options = options, .words = words, .machine.tracefs = -1, .out = -1};
	struct error err = {""}, of_command = {""};
	int r, exit_code = EXIT_SUCCESS;

	perf_target_init(&job.target);
	r = start_command(&job, &err);
	if (r && options->command && !job.has_child)
		exit_code = child_exit_code_of_error(r);
	if (r == 0)
		r = record_open(&job, &err);
	if (r == 0)
		r = record_all(&job, &err);
	if (job.has_child && child_went(&job.child))
		exit_code = child_end(&job.child, &of_command);
	if (job.has_child)
		child_finish(&job.child);
	if (of_command.text[0])
		command_fail(exit_code, &of_command);
	if (r == 0)
		report(&job);
	record_close(&job);
	return r ? command_fail(exit_code ? exit_code : EXIT_FAILURE, &err) : exit_code;
}

int record_run(const struct options *options)
{
	struct record_options own;
	int code;

	if (!own_options_begin(&record_own_options, options, &own, &code))
		return code;
	code = record_run_with(&own, options->argv);
	record_options_finish(&own);
	return code;
}
