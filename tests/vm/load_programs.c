/* SPDX-License-Identifier: MIT */
/*
 * Loads every BPF program and prints what the verifier says of each, a line per program:
 * name, "ok" or "refused", microseconds, instructions walked, and the reason, with tabs between.
 * Usage: load_programs
 * A program that is refused makes the whole object fail, so it is left out and the load repeated.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "abi.h"
#include "lanner.skel.h"
#include "scap/live_log.h"

enum {
	LOG_STATISTICS = 4, /* BPF_LOG_STATS of include/linux/bpf_verifier.h */
	LOG_BYTES = 16384,
	REASON_BYTES = 256,
};

struct program {
	const char *name;
	bool refused;
	char reason[REASON_BYTES];
	char log[LOG_BYTES];
};

static struct program *programs;
static size_t programs_count;

/* As the agent does with all events wanted. What the verifier walks depends on it. */
static int configure(struct lanner *object)
{
	int cpus = libbpf_num_possible_cpus(), ret;

	if (cpus < 0)
		return cpus;
	object->rodata->self_pid = 1;
	object->rodata->snaplen = SNAPLEN_DEFAULT;
	object->rodata->gather_bytes = GATHER_BYTES;
	object->rodata->boot_offset_ns = 1;
	ret = bpf_map__set_max_entries(object->maps.rings, (uint32_t)cpus);
	return ret ? ret :
		     bpf_map__set_max_entries(object->maps.scratch,
					      (uint32_t)cpus * SCRATCH_SLOTS_PER_CPU);
}

static void prepare_programs(struct lanner *object)
{
	struct program *row = programs;
	struct bpf_program *program;

	bpf_object__for_each_program(program, object->obj) {
		row->log[0] = '\0';
		bpf_program__set_autoload(program, !row->refused);
		bpf_program__set_log_level(program, LOG_STATISTICS);
		bpf_program__set_log_buf(program, row->log, sizeof(row->log));
		row++;
	}
}

static int list_programs(void)
{
	struct lanner *object = lanner__open();
	struct bpf_program *program;

	if (!object)
		return -errno;
	bpf_object__for_each_program(program, object->obj)
		programs_count++;
	programs = calloc(programs_count, sizeof(*programs));
	if (!programs)
		return -ENOMEM;
	programs_count = 0;
	bpf_object__for_each_program(program, object->obj)
		programs[programs_count++].name = strdup(bpf_program__name(program));
	lanner__destroy(object);
	return 0;
}

static int load_once(struct live_log *log)
{
	struct lanner *object = lanner__open();
	int ret = object ? configure(object) : -errno;

	if (ret == 0) {
		prepare_programs(object);
		live_log_begin(log);
		ret = lanner__load(object);
		live_log_end(log);
	}
	lanner__destroy(object);
	return ret;
}

/* Keeps out the program that the log speaks of; false when there is none to be kept out. */
static bool leave_out(const struct live_log *log)
{
	char name[64];

	if (!live_log_program(log, name, sizeof(name)))
		return false;
	for (size_t i = 0; i < programs_count; i++) {
		struct program *row = &programs[i];

		if (strcmp(row->name, name) != 0 || row->refused)
			continue;
		row->refused = true;
		live_log_reason(log, row->reason, sizeof(row->reason));
		return true;
	}
	return false;
}

/* The number behind the last `label` of a verifier's log; -1 when it is not there. */
static long number_behind(const char *log, const char *label)
{
	const char *at = strstr(log, label);

	return at ? strtol(at + strlen(label), NULL, 10) : -1;
}

static int print_programs(void)
{
	int status = 0;

	for (size_t i = 0; i < programs_count; i++) {
		const struct program *row = &programs[i];

		printf("%s\t%s\t%ld\t%ld\t%s\n", row->name, row->refused ? "refused" : "ok",
		       number_behind(row->log, "verification time "),
		       number_behind(row->log, "processed "), row->reason);
		status |= row->refused;
	}
	return status;
}

int main(void)
{
	struct live_log log = {0};
	char reason[REASON_BYTES];
	int ret = list_programs();

	if (ret == 0)
		do
			ret = load_once(&log);
		while (ret < 0 && ret != -EPERM && leave_out(&log));
	if (ret < 0) {
		live_log_reason(&log, reason, sizeof(reason));
		fprintf(stderr, "load_programs: %s: %s\n", strerror(-ret), reason);
		return 2;
	}
	live_log_finish(&log);
	return print_programs();
}
