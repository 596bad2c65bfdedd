/* SPDX-License-Identifier: MIT */
/* Loads programs one by one, right before libbpf would. */
#include "scap/live/load.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi.h"
#include "scap/live/programs.h"

enum {
	LOG_BYTES = 1 << 16,
	LOG_ALL = 1, /* levels of the verifier's log, as in include/linux/bpf_verifier.h */
	LOG_STATISTICS = 4,
};

static size_t probe_row_of(const struct bpf_program *program)
{
	size_t row = 0;

	while (row < live_programs_count &&
	       strcmp(live_programs[row].name, bpf_program__name(program)) != 0)
		row++;
	return row;
}

/* Returns a descriptor or -errno. */
static int probe_load(const struct bpf_program *program, const struct live_prepared *prepared,
		      const struct bpf_prog_load_opts *opts)
{
	return bpf_prog_load(prepared->type, bpf_program__name(program), DRIVER_LICENSE,
			     prepared->insns, prepared->insns_count, opts);
}

/* The same, with the verifier's log in `log`, of LOG_BYTES; it remains as it is if that is NULL. */
static int load_logged(const struct bpf_program *program, const struct live_prepared *prepared,
		       unsigned int level, char *log)
{
	struct bpf_prog_load_opts opts = prepared->opts;

	opts.log_level = log ? level : 0;
	opts.log_size = log ? LOG_BYTES : 0;
	opts.log_buf = log;
	return probe_load(program, prepared, &opts);
}

/* Loads it again, with the verifier's log. */
static void print_rejection(const struct bpf_program *program, const struct live_prepared *prepared)
{
	char *log = calloc(1, LOG_BYTES);
	int fd = load_logged(program, prepared, LOG_ALL, log);

	if (fd >= 0)
		close(fd);
	fprintf(stderr, "program '%s' is rejected:\n%s\n", bpf_program__name(program),
		log ? log : "");
	free(log);
}

static int load_reported(struct live_probe *probe, size_t row, const struct bpf_program *program,
			 const struct live_prepared *prepared)
{
	char *log = calloc(1, LOG_BYTES);
	int fd = log ? load_logged(program, prepared, LOG_STATISTICS, log) : -ENOMEM;

	if (log)
		probe->report(probe->context, row, fd < 0 ? fd : 0, log);
	free(log);
	return fd;
}

/* Returns 0, or -errno if not the program is at fault, or it is in no row. */
static int try_prepared(struct live_probe *probe, const struct bpf_program *program,
			const struct live_prepared *prepared)
{
	size_t row = probe_row_of(program);
	bool is_reported = probe->report && row < live_programs_count;
	int fd = is_reported ? load_reported(probe, row, program, prepared)
			     : probe_load(program, prepared, &prepared->opts);

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	/* Of one that is in no row nobody would hear why. */
	if (probe->report && row == live_programs_count)
		print_rejection(program, prepared);
	if (fd == -EPERM || fd == -ENOMEM || row == live_programs_count)
		return fd;
	probe->rejected[row] = true;
	if (probe->verbose)
		print_rejection(program, prepared);
	return 0;
}

/* Called by libbpf with a program that is ready to be loaded. */
static int try_program(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie)
{
	struct live_probe *probe = (struct live_probe *)cookie;
	struct live_prepared prepared;
	int r = live_handlers_resolve(&probe->handlers, program, opts, &prepared);

	if (r < 0)
		return r;
	r = try_prepared(probe, program, &prepared);
	free(prepared.insns);
	return r < 0 ? r : live_handlers_empty(program, opts);
}

int live_probe_begin(struct live_probe *probe, bool classic)
{
	probe->rejected = calloc(live_programs_count, sizeof(*probe->rejected));
	if (!probe->rejected)
		return -ENOMEM;
	return live_handlers_begin(&probe->handlers, classic, try_program, (long)probe);
}

/* The kernel has no such tracepoint. */
static void reject_missing(void *context, const struct bpf_program *program)
{
	struct live_probe *probe = context;
	size_t row = probe_row_of(program);

	if (row == live_programs_count)
		return;
	probe->rejected[row] = true;
	if (probe->report)
		probe->report(probe->context, row, -ESRCH, "no such tracepoint\n");
}

int live_probe_prepare(struct live_probe *probe, struct bpf_object *object)
{
	return live_handlers_prepare(&probe->handlers, object, reject_missing, probe);
}

void live_probe_end(struct live_probe *probe)
{
	live_handlers_end(&probe->handlers);
	free(probe->rejected);
	probe->rejected = NULL;
}
