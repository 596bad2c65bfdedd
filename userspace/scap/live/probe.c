/* SPDX-License-Identifier: MIT */
/* Loads programs one by one, right before libbpf would. */
#include "scap/live/probe.h"

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

static size_t row_of(const struct bpf_program *program)
{
	size_t row = 0;

	while (row < live_programs_count &&
	       strcmp(live_programs[row].name, bpf_program__name(program)) != 0)
		row++;
	return row;
}

/* Returns a descriptor or -errno. */
static int load(const struct bpf_program *program, struct bpf_prog_load_opts *opts)
{
	return bpf_prog_load(bpf_program__type(program), bpf_program__name(program), DRIVER_LICENSE,
			     bpf_program__insns(program), bpf_program__insn_cnt(program), opts);
}

/* The same, with the verifier's log in `log`, of LOG_BYTES; it remains as it is if that is NULL. */
static int load_logged(const struct bpf_program *program, struct bpf_prog_load_opts opts,
		       unsigned int level, char *log)
{
	opts.log_level = log ? level : 0;
	opts.log_size = log ? LOG_BYTES : 0;
	opts.log_buf = log;
	return load(program, &opts);
}

/* Loads it again, with the verifier's log. */
static void print_rejection(const struct bpf_program *program,
			    const struct bpf_prog_load_opts *opts)
{
	char *log = calloc(1, LOG_BYTES);
	int fd = load_logged(program, *opts, LOG_ALL, log);

	if (fd >= 0)
		close(fd);
	fprintf(stderr, "program '%s' is rejected:\n%s\n", bpf_program__name(program),
		log ? log : "");
	free(log);
}

static int load_reported(struct live_probe *probe, size_t row, const struct bpf_program *program,
			 const struct bpf_prog_load_opts *opts)
{
	char *log = calloc(1, LOG_BYTES);
	int fd = log ? load_logged(program, *opts, LOG_STATISTICS, log) : -ENOMEM;

	if (log)
		probe->report(probe->context, row, fd < 0 ? fd : 0, log);
	free(log);
	return fd;
}

/* Called by libbpf with a program that is ready to be loaded. */
static int try_program(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie)
{
	struct live_probe *probe = (struct live_probe *)cookie;
	size_t row = row_of(program);
	int fd;

	if (row == live_programs_count)
		return -ENOENT;
	fd = probe->report ? load_reported(probe, row, program, opts) : load(program, opts);
	if (fd == -EPERM || fd == -ENOMEM)
		return fd;
	if (fd >= 0) {
		close(fd);
	} else {
		probe->rejected[row] = true;
		if (probe->verbose)
			print_rejection(program, opts);
	}
	return live_handlers_empty(program, opts);
}

int live_probe_begin(struct live_probe *probe, bool classic)
{
	probe->rejected = calloc(live_programs_count, sizeof(*probe->rejected));
	if (!probe->rejected)
		return -ENOMEM;
	return live_handlers_begin(&probe->handlers, classic, try_program, (long)probe);
}

/* The kernel has no such tracepoint. */
static void reject_missing(void *context, size_t row, int error)
{
	struct live_probe *probe = context;

	probe->rejected[row] = true;
	if (probe->report)
		probe->report(probe->context, row, error, "no such tracepoint\n");
}

int live_probe_prepare(struct live_probe *probe, struct bpf_object *object)
{
	return live_handlers_prepare(object, reject_missing, probe);
}

void live_probe_end(struct live_probe *probe)
{
	live_handlers_end(&probe->handlers);
	free(probe->rejected);
	probe->rejected = NULL;
}
