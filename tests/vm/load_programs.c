/* SPDX-License-Identifier: MIT */
/*
 * Loads every BPF program and prints what the verifier says of each, a line per program:
 * name, "ok" or "rejected", microseconds, instructions walked, and the reason, with tabs between.
 * A program that is rejected makes the whole object fail, so it is left out and the load repeated.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "abi.h"
#include "event/event.h"
#include "lanner.skel.h"
#include "scap/live/kind.h"
#include "scap/live/log.h"
#include "scap/live/programs.h"

enum {
	LOG_STATISTICS = 4, /* BPF_LOG_STATS of include/linux/bpf_verifier.h */
	LOG_BYTES = 16384,
	REASON_BYTES = 256,
};

struct result {
	bool rejected;
	char reason[REASON_BYTES];
	char log[LOG_BYTES];
};

/* As the agent does with all events wanted. What the verifier walks depends on it. */
static int configure(struct lanner *object, bool classic)
{
	int cpus = libbpf_num_possible_cpus(), ret;

	if (cpus < 0)
		return cpus;
	object->rodata->self_pid = 1;
	object->rodata->classic_calls = classic;
	object->rodata->enter_times = true;
	object->rodata->snaplen = SNAPLEN_DEFAULT;
	object->rodata->batch_bytes = BATCH_BYTES_MAX;
	object->rodata->boot_offset_ns = 1;
	ret = bpf_map__set_max_entries(object->maps.rings, (uint32_t)cpus);
	return ret ? ret :
		     bpf_map__set_max_entries(object->maps.scratch,
					      (uint32_t)cpus * SCRATCH_SLOTS_PER_CPU);
}

/* The agent loads nothing for calls and tracepoints that the machine does not have. */
static bool is_of_here(const struct live_program *program)
{
	return program->event == EVENT_NONE || event_desc_is_native(event_desc_get(program->event));
}

static int prepare_programs(struct lanner *object, bool classic, struct result *results)
{
	for (size_t i = 0; i < live_programs_count; i++) {
		struct bpf_program *program =
			bpf_object__find_program_by_name(object->obj, live_programs[i].name);
		const char *hook = live_program_at_calls(&live_programs[i]);
		int ret = program ? 0 : -ENOENT;

		if (ret == 0 && !classic && hook)
			ret = live_kind_make_raw(program, hook);
		if (ret < 0)
			return ret;
		bpf_program__set_autoload(program, is_of_here(&live_programs[i]) &&
							   !results[i].rejected);
		if (!bpf_program__autoload(program))
			continue;
		bpf_program__set_log_level(program, LOG_STATISTICS);
		bpf_program__set_log_buf(program, results[i].log, LOG_BYTES);
	}
	return 0;
}

static int load_once(struct live_log *log, struct result *results)
{
	bool classic = live_kind_is_classic();
	struct lanner *object = lanner__open();
	int ret = object ? configure(object, classic) : -errno;

	if (ret == 0)
		ret = prepare_programs(object, classic, results);
	if (ret == 0) {
		live_log_begin(log);
		ret = lanner__load(object);
		live_log_end(log);
	}
	lanner__destroy(object);
	return ret;
}

/* The verifier's complaint: the last line before its statistics; else what libbpf says. */
static void copy_reason(const struct live_log *log, struct result *result)
{
	const char *begin = result->log, *end = strstr(begin, "verification time ");

	if (!end || end == begin) {
		live_log_reason(log, result->reason, REASON_BYTES);
		return;
	}
	end--;
	for (const char *at = begin; at < end; at++)
		if (*at == '\n')
			begin = at + 1;
	snprintf(result->reason, REASON_BYTES, "%.*s", (int)(end - begin), begin);
}

/* Keeps out the program that the log speaks of; false if there is none to be kept out. */
static bool leave_out(const struct live_log *log, struct result *results)
{
	char name[64];

	if (!live_log_program(log, name, sizeof(name)))
		return false;
	for (size_t i = 0; i < live_programs_count; i++) {
		if (strcmp(live_programs[i].name, name) != 0 || results[i].rejected)
			continue;
		results[i].rejected = true;
		copy_reason(log, &results[i]);
		return true;
	}
	return false;
}

/* The number after a label of the verifier's log; -1 when it is not there. */
static long number_behind(const char *log, const char *label)
{
	const char *at = strstr(log, label);

	return at ? strtol(at + strlen(label), NULL, 10) : -1;
}

static int print_results(const struct result *results)
{
	int status = 0;

	for (size_t i = 0; i < live_programs_count; i++) {
		const struct result *result = &results[i];

		if (!is_of_here(&live_programs[i]))
			continue;
		printf("%s\t%s\t%ld\t%ld\t%s\n", live_programs[i].name,
		       result->rejected ? "rejected" : "ok",
		       number_behind(result->log, "verification time "),
		       number_behind(result->log, "processed "), result->reason);
		status |= result->rejected;
	}
	return status;
}

int main(void)
{
	struct result *results = calloc(live_programs_count, sizeof(*results));
	struct live_log log = {0};
	char reason[REASON_BYTES];
	int ret = -ENOMEM;

	if (results)
		do
			ret = load_once(&log, results);
		while (ret < 0 && ret != -EPERM && leave_out(&log, results));
	if (ret < 0) {
		live_log_reason(&log, reason, sizeof(reason));
		fprintf(stderr, "load_programs: %s: %s\n", strerror(-ret), reason);
		return 2;
	}
	ret = print_results(results);
	live_log_finish(&log);
	free(results);
	return ret;
}
