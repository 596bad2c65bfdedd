/* SPDX-License-Identifier: MIT */
/* Loads programs one by one, through libbpf's section handlers. */
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
static void print_rejection(const struct bpf_program *program, const struct bpf_prog_load_opts *opts)
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
	static struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K},
		{.code = BPF_JMP | BPF_EXIT},
	};
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
	opts->func_info_cnt = 0;
	opts->line_info_cnt = 0;
	return bpf_program__set_insns(program, nothing, sizeof(nothing) / sizeof(nothing[0]));
}

int live_probe_begin(struct live_probe *probe, bool classic)
{
	/* By the sections of driver/bpf/. */
	const struct {
		const char *section;
		enum bpf_prog_type type;
		enum bpf_attach_type attach;
	} kinds[LIVE_PROBE_HANDLERS] = {
		{"tp/raw_syscalls/", classic ? BPF_PROG_TYPE_TRACEPOINT : BPF_PROG_TYPE_TRACING,
		 classic ? 0 : BPF_TRACE_RAW_TP},
		{"tp_btf/", BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP},
		{"tracepoint/", BPF_PROG_TYPE_TRACEPOINT, 0},
	};
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)probe,
		    .prog_prepare_load_fn = try_program);

	/*
	 * Never unregistered, so that the list never becomes empty: libbpf before 1.3 then frees
	 * it, and uses it again when the next handler is registered.
	 */
	int r = libbpf_register_prog_handler("unused/", BPF_PROG_TYPE_UNSPEC, 0, NULL);

	if (r < 0)
		return r;
	probe->rejected = calloc(live_programs_count, sizeof(*probe->rejected));
	if (!probe->rejected)
		return -ENOMEM;
	for (size_t i = 0; i < LIVE_PROBE_HANDLERS; i++) {
		r = libbpf_register_prog_handler(kinds[i].section, kinds[i].type, kinds[i].attach,
						 &opts);
		if (r < 0)
			return r;
		probe->handlers[probe->handlers_count++] = r;
	}
	return 0;
}

int live_probe_prepare(struct live_probe *probe, struct bpf_object *object)
{
	/* libbpf's own handlers would look up the attach targets of these. */
	for (size_t i = 0; i < live_programs_count; i++) {
		const struct live_program *row = &live_programs[i];
		struct bpf_program *program = bpf_object__find_program_by_name(object, row->name);
		int r;

		if (!program || !bpf_program__autoload(program) || !row->hook || row->at_enter ||
		    live_program_at_calls(row))
			continue;
		r = bpf_program__set_attach_target(program, 0, row->hook);
		if (r == -ENOMEM)
			return r;
		/* The kernel has no such tracepoint. */
		if (r < 0) {
			probe->rejected[i] = true;
			bpf_program__set_autoload(program, false);
			if (probe->report)
				probe->report(probe->context, i, r, "no such tracepoint\n");
		}
	}
	return 0;
}

void live_probe_end(struct live_probe *probe)
{
	for (int i = 0; i < probe->handlers_count; i++)
		libbpf_unregister_prog_handler(probe->handlers[i]);
	probe->handlers_count = 0;
	free(probe->rejected);
	probe->rejected = NULL;
}
