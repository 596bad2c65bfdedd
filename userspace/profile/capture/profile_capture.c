/* SPDX-License-Identifier: MIT */
/* The programs, the events that they run on, and the ring buffer with what is new. */
#include "profile/capture/profile_capture.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "perf/attr.h"
#include "perf/cpus.h"
#include "share_range.h"
#include "profile.skel.h"
#include "profile/capture/collect.h"
#include "scap/live/log.h"
#include "scap/proc/subuid.h"
#include "scap/proc/text.h"
#include "util/clock.h"

enum {
	KALLSYMS_BYTES_MAX = 64 << 20,
	SETTLE_NS = 2000000, /* for programs that run while the generation changes */
	MAPPED_EACH_NS = 50000000, /* between processes whose mappings are read, on average */
	MAPPED_AHEAD_NS = 1000000000, /* at the beginning, or after a while, so many at once */
	STACKS_EACH = 4, /* generations from one removal of stacks to the next, if there is room */
	STACKS_PART = 16, /* of the map: with more samples a second it is a large one */
	STACKS_USED_PART = 4, /* of the map: beyond that they are removed in each generation */
	READ_SAMPLES = 4000, /* that may all have other stacks: then the maps are read */
	READ_LEAST_NS = 40000000,
	READ_MOST_NS = 1000000000,
	STEP_NS = 50000000, /* for what is new; the rest of it in the next step */
	STEPS_OF_READ = 20, /* before what was counted is read */
	TAKEN_BYTES = PROFILE_TAKEN * sizeof(uint64_t),
	CPUS_EACH_NS = 1000000000, /* between two looks for CPUs that came online */
};

struct profile_capture {
	struct profile_capture_config config;
	struct profile_programs *programs;
	struct ring_buffer *news;
	struct captured_files files;
	struct captured_processes processes;
	struct kernel_functions functions;
	struct collect_job collector;
	uint64_t *taken; /* owned: the map of that name */
	struct bpf_link **links; /* owned: samples, by CPU; NULL: it was not online */
	size_t links_count; /* CPUs that there can be */
	uint64_t cpus_due_ns; /* monotonic: when CPUs are looked for again; 0: not */
	uint32_t possible_cpus, stacks_max;
	uint64_t losses[PROFILE_LOSSES]; /* that were read already */
	uint64_t generations;
	uint64_t begin_ns; /* what was before is not counted; 0: all is */
	uint64_t stopped_ns; /* 0: it runs */
	uint64_t mapped_due_ns; /* when mappings of a further process may be read (monotonic) */
	int error; /* of what followed the news */
};

/* Loading. */

/* As the processes of that folder are numbered, which may be those of the machine. 0: it is not
 * there. */
static uint32_t own_pid(int proc)
{
	char text[16];
	ssize_t len = readlinkat(proc, "self", text, sizeof(text) - 1);

	text[len > 0 ? len : 0] = '\0';
	return (uint32_t)strtoul(text, NULL, 10);
}

/* How many frames the kernel gives of its own stacks. */
static uint32_t read_frames_max(int proc)
{
	struct buf text = {0};
	unsigned long most = 0;

	if (proc_read_file(proc, "sys/kernel/perf_event_max_stack", 64, &text) == 0)
		most = strtoul(text.data, NULL, 10);
	buf_finish(&text);
	return most > 0 && most < PROFILE_FRAMES_MAX ? (uint32_t)most : PROFILE_FRAMES_MAX;
}

/* At most: of all CPUs. */
static uint64_t samples_each_second(const struct profile_capture *capture)
{
	return capture->config.on_cpu ? capture->config.frequency_hz * capture->possible_cpus : 0;
}

uint64_t profile_capture_read_each(const struct profile_capture *capture)
{
	uint64_t samples = samples_each_second(capture);
	uint64_t ns = samples ? READ_SAMPLES * UINT64_C(1000000000) / samples : READ_MOST_NS;

	return ns < READ_LEAST_NS ? READ_LEAST_NS : ns > READ_MOST_NS ? READ_MOST_NS : ns;
}

static void configure(struct profile_capture *capture)
{
	struct profile_programs *programs = capture->programs;
	const struct profile_capture_config *config = &capture->config;
	uint64_t secret = clock_ns(CLOCK_MONOTONIC);

	(void)!getrandom(&secret, sizeof(secret), GRND_NONBLOCK);
	programs->rodata->secret = secret;
	programs->rodata->cpus = capture->possible_cpus;
	programs->rodata->kernel_frames_max = read_frames_max(config->proc);
	capture->stacks_max =
		config->off_cpu || samples_each_second(capture) > PROFILE_STACKS / STACKS_PART
			? PROFILE_STACKS
			: PROFILE_STACKS / 2;
	bpf_map__set_max_entries(programs->maps.stacks, capture->stacks_max);
	/* Maps are of memory that is taken at once. */
	if (!config->off_cpu) {
		bpf_map__set_max_entries(programs->maps.waits, 1);
		bpf_map__set_max_entries(programs->maps.waiting, 1);
	}
	programs->rodata->stacks_max = capture->stacks_max;
	programs->rodata->has_targets = config->pids_count > 0;
	programs->rodata->own_pid = config->pids_count ? 0 : own_pid(config->proc);
	programs->rodata->share_ranges_count =
		(uint32_t)subuid_read(config->proc, (void *)programs->rodata->share_ranges);
	programs->rodata->only_tid = (uint32_t)config->tid;
	programs->rodata->leaves_out_kernel = config->no_kernel_threads;
	programs->rodata->leaves_out_users = config->no_user_threads;
	programs->rodata->wait_min_ns = config->wait_min_ns;
	programs->rodata->wait_max_ns = config->wait_max_ns;
	programs->rodata->has_states = config->has_states;
	programs->rodata->only_states = config->states;
	bpf_program__set_autoload(programs->progs.profile_sample, config->on_cpu);
	bpf_program__set_autoload(programs->progs.profile_switch, config->off_cpu);
	bpf_program__set_autoload(programs->progs.profile_waking, config->off_cpu);
}

static int load(struct profile_capture *capture, struct error *err)
{
	struct live_log log = {0};
	char reason[256];
	int r;

	live_log_begin(&log);
	capture->programs = profile_programs__open();
	r = capture->programs ? 0 : -errno;
	if (r == 0) {
		configure(capture);
		r = profile_programs__load(capture->programs);
	}
	live_log_end(&log);
	if (r) {
		live_log_reason(&log, reason, sizeof(reason));
		error_set(err, r, "loading the programs of the profile: %s%s%s", strerror(-r),
			  reason[0] ? ": " : "", reason);
	}
	live_log_finish(&log);
	return r;
}

static int add_targets(struct profile_capture *capture, struct error *err)
{
	int map = bpf_map__fd(capture->programs->maps.targets);

	for (size_t i = 0; i < capture->config.pids_count; i++) {
		uint32_t pid = (uint32_t)capture->config.pids[i], one = 1;
		char name[16];

		snprintf(name, sizeof(name), "%u", pid);
		if (faccessat(capture->config.proc, name, F_OK, 0))
			return error_set(err, -ESRCH, "there is no process %u", pid);
		if (bpf_map_update_elem(map, &pid, &one, BPF_ANY))
			return -errno;
		if (captured_files_add_mapped(&capture->files, pid))
			return -ENOMEM;
	}
	return 0;
}

/* The news. */

/*
 * Describes a process, and loads the tables of all that it has mapped, unless there are very many
 * processes: then those that its stacks are in.
 */
static int add_process(struct profile_capture *capture, const struct profile_process_key *key)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!captured_processes_get(&capture->processes, key))
		return -ENOMEM;
	if (capture->mapped_due_ns > now + MAPPED_AHEAD_NS)
		return 0;
	if (capture->mapped_due_ns < now)
		capture->mapped_due_ns = now;
	capture->mapped_due_ns += MAPPED_EACH_NS;
	return captured_files_add_mapped(&capture->files, key->pid);
}

static int follow(void *context, void *data, size_t bytes)
{
	struct profile_capture *capture = context;
	const struct profile_news *news = data;
	int r = 0;

	if (bytes < sizeof(*news))
		return 0;
	switch (news->kind) {
	case PROFILE_NEWS_FILE:
		r = captured_files_add(&capture->files, &news->file);
		break;
	case PROFILE_NEWS_PAGE:
		r = captured_files_want(&capture->files, &news->page);
		break;
	case PROFILE_NEWS_PROCESS:
		r = add_process(capture, &news->process);
		break;
	}
	if (r)
		capture->error = r;
	/* This one is done; those behind it wait. */
	return clock_ns(CLOCK_MONOTONIC) > capture->files.until_ns ? -EAGAIN : 0;
}

int profile_capture_fd(const struct profile_capture *capture)
{
	return ring_buffer__epoll_fd(capture->news);
}

/* Returns how much was new; -EAGAIN: there is more, for another time; or -errno. */
static int take_news(struct profile_capture *capture)
{
	int r;

	capture->files.until_ns = clock_ns(CLOCK_MONOTONIC) + STEP_NS;
	r = ring_buffer__consume(capture->news);
	return capture->error ? capture->error : r;
}

int profile_capture_step(struct profile_capture *capture)
{
	int r = take_news(capture);

	if (r < 0)
		return r == -EAGAIN ? 1 : r;
	/* Also where there is always something new, as programs begin all the time. */
	return captured_files_fill(&capture->files);
}

/* Opening. */

static int read_functions(struct profile_capture *capture)
{
	struct buf text = {0};
	int r = proc_read_file(capture->config.proc, "kallsyms", KALLSYMS_BYTES_MAX, &text);

	/* Without it waits have no reasons. */
	r = r ? 0 : kernel_functions_read(text.data, text.len, &capture->functions);
	buf_finish(&text);
	return r;
}

/* The one for whom there is no other one. */
static int add_share(const struct profile_capture *capture)
{
	const struct profile_share none = {0};
	const uint64_t others = PROFILE_SHARE_OF_OTHERS;
	const uint32_t no_waits = 0;

	return bpf_map_update_elem(bpf_map__fd(capture->programs->maps.shares), &others, &none,
				   BPF_ANY) ||
			       bpf_map_update_elem(bpf_map__fd(capture->programs->maps.waiting),
						   &others, &no_waits, BPF_ANY)
		       ? -errno
		       : 0;
}

static int map_taken(struct profile_capture *capture)
{
	void *memory = mmap(NULL, TAKEN_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			    bpf_map__fd(capture->programs->maps.taken), 0);

	if (memory == MAP_FAILED)
		return -errno;
	capture->taken = memory;
	return 0;
}

static int open_parts(struct profile_capture *capture, struct error *err)
{
	const struct profile_programs *programs = capture->programs;
	struct tables tables;
	int r = tables_open(&tables, bpf_map__fd(programs->maps.chunks),
			    bpf_map__fd(programs->maps.rules), bpf_map__fd(programs->maps.pages));

	if (r)
		return r;
	r = map_taken(capture);
	if (r) {
		tables_close(&tables);
		return r;
	}
	captured_files_init(&capture->files, capture->config.proc,
			    bpf_map__fd(programs->maps.files), capture->possible_cpus, &tables);
	capture->files.taken = &capture->taken[PROFILE_SHARED_FILES];
	capture->processes =
		(struct captured_processes){.proc = capture->config.proc,
					    .processes_map = bpf_map__fd(programs->maps.processes),
					    .describe = capture->config.describe,
					    .context = capture->config.context};
	capture->collector =
		(struct collect_job){.files = &capture->files,
				     .processes = &capture->processes,
				     .functions = &capture->functions,
				     .rows_map = bpf_map__fd(programs->maps.rows),
				     .stacks_map = bpf_map__fd(programs->maps.stacks),
				     .waits_map = bpf_map__fd(programs->maps.waits),
				     .shares_map = bpf_map__fd(programs->maps.shares),
				     .stacks_taken = &capture->taken[PROFILE_SHARED_STACKS]};
	capture->news = ring_buffer__new(bpf_map__fd(programs->maps.news), follow, capture, NULL);
	if (!capture->news)
		return -errno;
	r = add_share(capture);
	if (r == 0 && capture->config.off_cpu)
		r = read_functions(capture);
	return r ? r : add_targets(capture, err);
}

int profile_capture_open(const struct profile_capture_config *config,
			 struct profile_capture **capture, struct error *err)
{
	struct profile_capture *made = calloc(1, sizeof(*made));
	int r, cpus = libbpf_num_possible_cpus();

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->config = *config;
	made->possible_cpus = cpus > 0 ? (uint32_t)cpus : 1;
	r = load(made, err);
	if (r == 0) {
		r = open_parts(made, err);
		if (r && r != -ESRCH)
			error_set(err, r, "preparing the profile: %s", strerror(-r));
	}
	made->config.pids = NULL;
	if (r)
		profile_capture_close(made);
	else
		*capture = made;
	return r;
}

void profile_capture_close(struct profile_capture *capture)
{
	if (!capture)
		return;
	profile_capture_stop(capture);
	ring_buffer__free(capture->news);
	if (capture->taken)
		munmap(capture->taken, TAKEN_BYTES);
	collect_finish(&capture->collector);
	captured_files_finish(&capture->files);
	captured_processes_finish(&capture->processes);
	kernel_functions_finish(&capture->functions);
	profile_programs__destroy(capture->programs);
	free(capture);
}

/* Counting. */

static int sample_cpu(struct profile_capture *capture, unsigned int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = capture->config.frequency_hz,
		.disabled = 1,
	};
	struct bpf_link *link;
	int fd;

	if (capture->config.cycles) {
		attr.type = PERF_TYPE_HARDWARE;
		attr.config = PERF_COUNT_HW_CPU_CYCLES;
	}
	fd = perf_attr_open(&attr, 0, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return fd;
	link = bpf_program__attach_perf_event(capture->programs->progs.profile_sample, fd);
	if (!link) {
		int r = -errno;

		close(fd);
		return r;
	}
	capture->links[cpu] = link;
	return 0;
}

/* Those that are online and not sampled yet. */
static int sample_cpus(struct profile_capture *capture)
{
	char text[PERF_CPUS_TEXT_BYTES];
	struct perf_cpus cpus = {0};
	struct arena arena = {0};
	int r = perf_cpus_online(text);

	if (r == 0)
		r = perf_cpus_read(text, &arena, &cpus);
	for (size_t i = 0; r == 0 && i < cpus.count; i++) {
		unsigned int cpu = cpus.numbers[i];

		if (cpu < capture->links_count && !capture->links[cpu])
			r = sample_cpu(capture, cpu);
		if (r == -ENODEV) /* it has gone meanwhile */
			r = 0;
	}
	arena_finish(&arena);
	return r;
}

/*
 * Samples of CPUs that came online since; the events of one that went offline go on when it is
 * back. What fails is tried again.
 */
static void follow_online_cpus(struct profile_capture *capture)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!capture->cpus_due_ns || now < capture->cpus_due_ns || !capture->links)
		return;
	capture->cpus_due_ns = now + CPUS_EACH_NS;
	(void)sample_cpus(capture);
}

static int begin_samples(struct profile_capture *capture, struct error *err)
{
	int r = -ENOMEM;

	capture->links = calloc(capture->possible_cpus, sizeof(struct bpf_link *));
	if (capture->links) {
		capture->links_count = capture->possible_cpus;
		r = sample_cpus(capture);
		capture->cpus_due_ns = clock_ns(CLOCK_MONOTONIC) + CPUS_EACH_NS;
	}
	if (r == -ENOENT || r == -EOPNOTSUPP)
		return error_set(err, r,
				 "samples of cycles: this machine does not count them; "
				 "without -e cycles it is sampled by the clock");
	return r ? error_set(err, r, "opening the events of the profile: %s", strerror(-r)) : 0;
}

static int begin_waits(struct profile_capture *capture, struct error *err)
{
	struct profile_programs *programs = capture->programs;

	programs->links.profile_waking = bpf_program__attach(programs->progs.profile_waking);
	if (programs->links.profile_waking)
		programs->links.profile_switch =
			bpf_program__attach(programs->progs.profile_switch);
	if (programs->links.profile_switch)
		return 0;
	return error_set(err, -errno, "attaching to the scheduler: %s", strerror(errno));
}

int profile_capture_begin(struct profile_capture *capture, struct error *err)
{
	int r = 0;

	if (capture->config.off_cpu)
		r = begin_waits(capture, err);
	if (r == 0 && capture->config.on_cpu)
		r = begin_samples(capture, err);
	return r;
}

void profile_capture_stop(struct profile_capture *capture)
{
	struct profile_programs *programs = capture->programs;

	for (size_t i = 0; i < capture->links_count; i++)
		bpf_link__destroy(capture->links[i]);
	free(capture->links);
	capture->links = NULL;
	capture->links_count = 0;
	if (programs) {
		bpf_link__destroy(programs->links.profile_switch);
		bpf_link__destroy(programs->links.profile_waking);
		programs->links.profile_switch = programs->links.profile_waking = NULL;
	}
	if (!capture->stopped_ns)
		capture->stopped_ns = clock_ns(CLOCK_MONOTONIC);
}

/* Reading. */

static uint64_t read_loss(const struct profile_capture *capture, uint32_t cause)
{
	uint64_t counts[capture->possible_cpus], sum = 0;

	if (bpf_map_lookup_elem(bpf_map__fd(capture->programs->maps.losses), &cause, counts))
		return 0;
	for (uint32_t i = 0; i < capture->possible_cpus; i++)
		sum += counts[i];
	return sum;
}

/* Counts losses since the last call, and looks for files whose records were lost. */
static int add_losses(struct profile_capture *capture, struct stacks *stacks)
{
	static const uint8_t losses[PROFILE_LOSSES] = {
		[PROFILE_LOST_ROW] = STACKS_LOST_ROWS,
		[PROFILE_LOST_IN_USE] = STACKS_LOST_NO_CPU,
		[PROFILE_LOST_START] = STACKS_LOST_STARTS,
		[PROFILE_LOST_START_OF_SHARE] = STACKS_LOST_STARTS_OF_SHARE,
		[PROFILE_LOST_END] = STACKS_LOST_ENDS,
		[PROFILE_LOST_STACK] = STACKS_LOST_FRAMES,
		[PROFILE_LOST_FILE] = STACKS_LOST_FILES,
		[PROFILE_LOST_PROCESS] = STACKS_LOST_PROCESSES,
		[PROFILE_LOST_NEWS] = STACKS_LOSSES,
	};
	int r = 0;

	for (uint32_t i = 0; i < PROFILE_LOSSES; i++) {
		uint64_t now = read_loss(capture, i), more = now - capture->losses[i];

		capture->losses[i] = now;
		if (losses[i] < STACKS_LOSSES)
			stacks->lost[losses[i]] += more;
		else if (more)
			r = captured_files_look(&capture->files);
	}
	stacks->lost[STACKS_UNREAD_PROCESSES] += capture->processes.unread;
	stacks->lost[STACKS_UNOPENED_FILES] += capture->files.unopened;
	stacks->lost[STACKS_VANISHED_FILES] += capture->files.vanished;
	stacks->lost[STACKS_FULL_PAGES] += capture->files.tables.full;
	capture->processes.unread = capture->files.unopened = capture->files.vanished =
		capture->files.tables.full = 0;
	return r;
}

/* Stacks in the map, by the shares that have them. */
static uint32_t count_stacks(const struct profile_capture *capture)
{
	int map = bpf_map__fd(capture->programs->maps.shares);
	struct profile_share share;
	uint64_t key, *before = NULL, next;
	uint32_t steps = 0, count = 0;

	while (steps++ < PROFILE_SHARES && bpf_map_get_next_key(map, before, &next) == 0) {
		key = next;
		before = &key;
		if (bpf_map_lookup_elem(map, &key, &share) == 0)
			count += share.taken[PROFILE_SHARED_STACKS];
	}
	return count;
}

static int read_generation(struct profile_capture *capture, struct stacks *stacks)
{
	const struct timespec settle = clock_timespec(SETTLE_NS);
	uint32_t *generation = &capture->programs->bss->generation;
	uint8_t now = (uint8_t)(*generation + 1);
	int r;

	*(volatile uint32_t *)generation = now;
	nanosleep(&settle, NULL);
	/* Rows have files that are among the news. */
	r = -EAGAIN;
	for (int i = 0; i < STEPS_OF_READ && r == -EAGAIN; i++)
		r = take_news(capture);
	if (r > 0 || r == -EAGAIN)
		r = 0;
	follow_online_cpus(capture);
	collect_into(&capture->collector, stacks);
	if (r == 0)
		r = collect_rows(&capture->collector, now);
	if (r == 0 && (++capture->generations % STACKS_EACH == 0 ||
		       count_stacks(capture) > capture->stacks_max / STACKS_USED_PART))
		r = collect_remove_stacks(&capture->collector, now);
	return r ? r : add_losses(capture, stacks);
}

int profile_capture_read(struct profile_capture *capture, struct stacks *stacks)
{
	const struct profile_capture_config *config = &capture->config;

	stacks->event = config->cycles ? "cycles" : "cpu-clock";
	stacks->frequency_hz = config->on_cpu ? config->frequency_hz : 0;
	stacks->period_ns =
		config->on_cpu && !config->cycles ? 1000000000 / config->frequency_hz : 0;
	return read_generation(capture, stacks);
}

int profile_capture_release(struct profile_capture *capture, const struct stacks *stacks)
{
	return captured_files_release(&capture->files, stacks);
}

int profile_capture_restart(struct profile_capture *capture, uint64_t *begin_ns)
{
	struct stacks dropped;
	int r = stacks_init(&dropped);

	if (r)
		return r;
	capture->begin_ns = clock_ns(CLOCK_MONOTONIC);
	*(volatile __u64 *)&capture->programs->bss->begin_ns = capture->begin_ns;
	r = read_generation(capture, &dropped);
	stacks_finish(&dropped);
	*begin_ns = capture->begin_ns;
	return r;
}

int profile_capture_read_waits(struct profile_capture *capture, struct stacks *stacks)
{
	uint64_t end_ns = capture->stopped_ns ? capture->stopped_ns : clock_ns(CLOCK_MONOTONIC);

	collect_into(&capture->collector, stacks);
	return collect_waits(&capture->collector, capture->begin_ns, end_ns);
}

void profile_capture_cost(const struct profile_capture *capture, uint64_t *run_ns, uint64_t *runs)
{
	struct bpf_program *program;

	*run_ns = *runs = 0;
	bpf_object__for_each_program(program, capture->programs->obj)
	{
		struct bpf_prog_info info = {0};
		uint32_t bytes = sizeof(info);
		int fd = bpf_program__fd(program);

		if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &bytes) == 0) {
			*run_ns += info.run_time_ns;
			*runs += info.run_cnt;
		}
	}
}
