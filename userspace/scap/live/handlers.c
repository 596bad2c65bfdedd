/* SPDX-License-Identifier: MIT */
#include "scap/live/handlers.h"

#include <errno.h>
#include <linux/bpf.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "scap/live/programs.h"

int live_handlers_begin(struct live_handlers *handlers, bool classic, live_handler_fn call,
			long cookie)
{
	/* By the sections of driver/bpf/. */
	const struct {
		const char *section;
		enum bpf_prog_type type;
		enum bpf_attach_type attach;
	} kinds[LIVE_HANDLERS] = {
		{"tp/raw_syscalls/", classic ? BPF_PROG_TYPE_TRACEPOINT : BPF_PROG_TYPE_TRACING,
		 classic ? 0 : BPF_TRACE_RAW_TP},
		{"tp_btf/", BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP},
		{"tracepoint/", BPF_PROG_TYPE_TRACEPOINT, 0},
	};
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = cookie, .prog_prepare_load_fn = call);

	/*
	 * Never unregistered, so that the list never becomes empty: libbpf before 1.3 then frees
	 * it, and uses it again when the next handler is registered.
	 */
	int r = libbpf_register_prog_handler("unused/", BPF_PROG_TYPE_UNSPEC, 0, NULL);

	handlers->count = 0;
	if (r < 0)
		return r;
	for (size_t i = 0; i < LIVE_HANDLERS; i++) {
		r = libbpf_register_prog_handler(kinds[i].section, kinds[i].type, kinds[i].attach,
						 &opts);
		if (r < 0)
			return r;
		handlers->ids[handlers->count++] = r;
	}
	return 0;
}

void live_handlers_end(struct live_handlers *handlers)
{
	for (int i = 0; i < handlers->count; i++)
		libbpf_unregister_prog_handler(handlers->ids[i]);
	handlers->count = 0;
}

/* Whether libbpf would look up the tracepoint of this program. */
static bool has_target(const struct live_program *row, const struct bpf_program *program)
{
	return program && bpf_program__autoload(program) && row->hook && !row->at_enter &&
	       !live_program_at_calls(row);
}

int live_handlers_prepare(struct bpf_object *object,
			  void (*missing)(void *context, size_t row, int error), void *context)
{
	for (size_t i = 0; i < live_programs_count; i++) {
		const struct live_program *row = &live_programs[i];
		struct bpf_program *program = bpf_object__find_program_by_name(object, row->name);
		int r;

		if (!has_target(row, program))
			continue;
		r = bpf_program__set_attach_target(program, 0, row->hook);
		if (r == -ENOMEM || (r < 0 && !missing))
			return r;
		if (r < 0) {
			bpf_program__set_autoload(program, false);
			missing(context, i, r);
		}
	}
	return 0;
}

int live_handlers_empty(struct bpf_program *program, struct bpf_prog_load_opts *opts)
{
	static struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K},
		{.code = BPF_JMP | BPF_EXIT},
	};

	opts->func_info_cnt = 0;
	opts->line_info_cnt = 0;
	return bpf_program__set_insns(program, nothing, sizeof(nothing) / sizeof(nothing[0]));
}
