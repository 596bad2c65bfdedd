/* SPDX-License-Identifier: MIT */
/*
 * Loads every BPF program and prints what the verifier says of each, a line per program:
 * name, "ok" or "rejected", microseconds, instructions walked, and the reason, with tabs between.
 * All in one load, by the agent's probe. "overwrites": as for a flight recorder.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "abi.h"
#include "event/event.h"
#include "event/names.h"
#include "lanner.skel.h"
#include "share_range.h"
#include "profile.skel.h"
#include "scap/live/call_hooks.h"
#include "scap/live/log.h"
#include "scap/live/load.h"
#include "scap/live/programs.h"
#include "scap/live/skeleton.h"
#include "scap/live/uring_hooks.h"

enum { REASON_BYTES = 256 };

struct result {
	bool tried, rejected;
	long microseconds, walked; /* -1: unknown */
	char reason[REASON_BYTES];
};

/* The largest filter: checks of all these facts, that meet again and again. */
static void configure_filter(struct kernel_filter *filter, unsigned int facts)
{
	filter->facts = (1 << facts) - 1;
	for (unsigned int i = 0; i < KERNEL_CHECKS_MAX; i++)
		filter->checks[i] = (struct kernel_check){
			.fact = (uint8_t)(i % facts),
			.op = i % 2 ? KERNEL_EQUAL : KERNEL_LESS,
			.on_true = i + 1 < KERNEL_CHECKS_MAX ? (uint8_t)(i + 1) : KERNEL_PASS,
			.on_false = i + 2 < KERNEL_CHECKS_MAX ? (uint8_t)(i + 2) : KERNEL_REJECT,
			.value = {i},
			.mask = {UINT64_MAX},
		};
}

/* For each event that can have one. Paths are the last facts. */
static void configure_filters(struct kernel_filters *filters)
{
	static const uint16_t ends[] = {EVENT_clone, EVENT_clone3,    EVENT_execve,
					EVENT_prctl, EVENT_setresuid, EVENT_cgroup_attach};
	static const uint16_t opens[] = {EVENT_open, EVENT_openat, EVENT_openat2, EVENT_creat,
					 EVENT_open_by_handle_at};

	memset(filters->at_exit, 1, sizeof(filters->at_exit));
	memset(filters->at_entry, 1, sizeof(filters->at_entry));
	memset(filters->groups, KERNEL_GROUPS_OF_FAILED, sizeof(filters->groups));
	filters->hierarchies = (2 << CGROUPS) - 1;
	memset(filters->mute, KERNEL_MUTE_DROPS, sizeof(filters->mute));
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		filters->mute[ends[i]] = KERNEL_MUTE_ENDS;
	filters->mutes = 1;
	for (size_t i = 0; i < sizeof(opens) / sizeof(opens[0]); i++)
		filters->at_path[opens[i]] = 2;
	configure_filter(&filters->filters[0], KERNEL_PATH);
	configure_filter(&filters->filters[1], KERNEL_FACTS);
}

/* As a flight recorder, which sends some events apart from the others. */
static void configure_flight(struct lanner *object)
{
	object->rodata->overwrites = true;
	object->rodata->reserves_room = false;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		object->rodata->read_at_once[id] = event_is_important(id);
}

/* As for views that count calls by all that there is; switches not in the same load as their event.
 */
static void configure_rows(struct lanner *object, bool switches)
{
	object->rodata->counts_calls = true;
	object->rodata->call_rows_by = CALL_ROWS_BY_ALL;
	object->rodata->call_rows_max = CALL_ROWS_MAX;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		object->rodata->counted_calls[id] = id != EVENT_switch || switches;
}

/* The kernel's tracepoints of io_uring. */
static const struct live_uring_hooks *uring_hooks(void)
{
	static struct scap_live_config config;
	static struct live_uring_hooks hooks;

	if (!config.events[EVENT_openat]) {
		config.events[EVENT_openat] = true;
		live_uring_hooks_find(&config, &hooks);
	}
	return &hooks;
}

/* As the agent does with all events wanted. What the verifier walks depends on it. */
static int configure(struct lanner *object, bool classic, bool overwrites)
{
	int cpus = libbpf_num_possible_cpus(), ret;

	if (cpus < 0)
		return cpus;
	object->rodata->self_pids[0] = 1;
	object->rodata->classic_calls = classic;
	object->rodata->uring_kernel = uring_hooks()->kernel;
	for (unsigned int i = 0; i < URING_OPCODES; i++)
		object->rodata->uring_events[i] = (struct uring_events){i + 1, i + 2};
	object->rodata->enter_times = true;
	object->rodata->compares_arguments = true;
	object->rodata->reads_environments = true;
	object->rodata->notes_sends = true;
	object->rodata->tells_files = true;
	object->rodata->tls_chosen.wanted = object->rodata->tls_chosen.all = 1;
	object->rodata->reserves_room = true;
	object->rodata->has_budget = true;
	object->rodata->rate_limits[RATE_OF_PROCESS] = object->rodata->rate_limits[RATE_OF_CGROUP] =
		1;
	configure_filters((struct kernel_filters *)&object->rodata->kernel_filters);
	object->rodata->snaplen = SNAPLEN_DEFAULT;
	object->rodata->stream_bytes = 1024;
	object->rodata->stream_only[EVENT_close] = true;
	object->rodata->batch_bytes = BATCH_BYTES_MAX;
	object->rodata->boot_offset_ns = 1;
	configure_rows(object, overwrites);
	if (overwrites)
		configure_flight(object);
	ret = bpf_map__set_max_entries(object->maps.rings, (uint32_t)cpus);
	return ret ? ret
		   : bpf_map__set_max_entries(object->maps.scratch,
					      (uint32_t)cpus * SCRATCH_SLOTS_PER_CPU);
}

/* The agent loads nothing for calls and tracepoints that the machine does not have. */
static bool is_of_here(const struct live_program *program)
{
	if (program->for_uring &&
	    !live_uring_hooks_have(uring_hooks(), program->hook, program->by_number))
		return false;
	return program->event == EVENT_NONE || event_desc_is_native(event_desc_get(program->event));
}

static int choose_programs(struct lanner *object)
{
	for (size_t i = 0; i < live_programs_count; i++) {
		struct bpf_program *program =
			bpf_object__find_program_by_name(object->obj, live_programs[i].name);

		if (!program)
			return -ENOENT;
		bpf_program__set_autoload(program, is_of_here(&live_programs[i]));
	}
	return 0;
}

/* The verifier's complaint: the last line before its statistics, or of a log without them. */
static void copy_reason(const char *log, char *reason)
{
	const char *statistics = strstr(log, "verification time ");
	const char *begin = log, *end = statistics ? statistics : log + strlen(log);

	if (end == begin)
		return;
	end--;
	for (const char *at = begin; at < end; at++)
		if (*at == '\n')
			begin = at + 1;
	snprintf(reason, REASON_BYTES, "%.*s", (int)(end - begin), begin);
}

/* The number after a label of the verifier's log; -1 when it is not there. */
static long number_after(const char *log, const char *label)
{
	const char *at = strstr(log, label);

	return at ? strtol(at + strlen(label), NULL, 10) : -1;
}

/* Called by the probe with each program. */
static void keep_result(void *results, size_t row, int error, const char *log)
{
	struct result *result = (struct result *)results + row;

	result->tried = true;
	result->rejected = error < 0;
	result->microseconds = number_after(log, "verification time ");
	result->walked = number_after(log, "processed ");
	if (error == 0)
		return;
	snprintf(result->reason, REASON_BYTES, "%s", strerror(-error));
	copy_reason(log, result->reason);
}

static int load(struct live_log *log, bool overwrites, struct result *results)
{
	struct live_probe probe = {.report = keep_result, .context = results};
	bool classic = live_kind_is_classic();
	int ret = live_probe_begin(&probe, classic);
	struct lanner *object = NULL;

	live_log_begin(log);
	if (ret == 0) {
		object = live_skeleton_open(NULL);
		ret = object ? configure(object, classic, overwrites) : -errno;
	}
	if (ret == 0)
		ret = choose_programs(object);
	if (ret == 0)
		ret = live_probe_prepare(&probe, object->obj);
	if (ret == 0)
		ret = lanner__load(object);
	live_log_end(log);
	/* The object refers to the handlers. */
	lanner__destroy(object);
	live_probe_end(&probe);
	return ret;
}

static int print_results(const struct result *results)
{
	int status = 0;

	for (size_t i = 0; i < live_programs_count; i++) {
		const struct result *result = &results[i];

		if (!result->tried)
			continue;
		printf("%s\t%s\t%ld\t%ld\t%s\n", live_programs[i].name,
		       result->rejected ? "rejected" : "ok", result->microseconds, result->walked,
		       result->reason);
		status |= result->rejected;
	}
	return status;
}

/* The programs of `agent profile`, which are an object of their own. */
static int load_profile_program(size_t index, char *log, size_t bytes, struct result *result)
{
	enum { STATISTICS = 4, ALL = 1 | STATISTICS };
	const int levels[] = {STATISTICS, ALL};

	for (size_t i = 0; i < 2; i++) {
		struct profile_programs *object = profile_programs__open();
		size_t at = 0;
		struct bpf_program *program;

		if (!object)
			return -errno;
		bpf_object__for_each_program(program, object->obj)
		{
			bpf_program__set_autoload(program, at == index);
			if (at++ == index) {
				bpf_program__set_log_level(program, levels[i]);
				bpf_program__set_log_buf(program, log, bytes);
			}
		}
		log[0] = '\0';
		keep_result(result, 0, profile_programs__load(object), log);
		profile_programs__destroy(object);
		if (!result->rejected)
			break;
	}
	return 0;
}

static int load_profile(struct live_log *log)
{
	enum { LOG_BYTES = 16 << 20 };
	static const char *const names[] = {"profile_sample", "profile_switch", "profile_waking"};
	char *text = malloc(LOG_BYTES);
	int status = text ? 0 : 1;

	live_log_begin(log);
	for (size_t i = 0; text && i < sizeof(names) / sizeof(*names); i++) {
		struct result result = {false};

		status |= load_profile_program(i, text, LOG_BYTES, &result) != 0;
		printf("%s\t%s\t%ld\t%ld\t%s\n", names[i], result.rejected ? "rejected" : "ok",
		       result.microseconds, result.walked, result.reason);
		status |= result.rejected;
	}
	live_log_end(log);
	free(text);
	return status;
}

int main(int argc, char **argv)
{
	bool overwrites = argc > 1 && strcmp(argv[1], "overwrites") == 0;
	struct result *results = calloc(live_programs_count, sizeof(*results));
	struct live_log log = {0};
	char reason[REASON_BYTES];
	int ret = -ENOMEM;

	if (results)
		ret = load(&log, overwrites, results);
	if (ret < 0) {
		live_log_reason(&log, reason, sizeof(reason));
		fprintf(stderr, "load_programs: %s: %s\n", strerror(-ret), reason);
		return 2;
	}
	ret = print_results(results) | load_profile(&log);
	live_log_finish(&log);
	free(results);
	return ret;
}
