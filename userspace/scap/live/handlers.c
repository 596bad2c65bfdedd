/* SPDX-License-Identifier: MIT */
/*
 * libbpf knows the programs as a type that has no tracepoint in the kernel's description of its
 * types, so that it does not read that; their own type is set right before they are loaded.
 */
#include "scap/live/handlers.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "abi.h"
#include "scap/live/load.h"
#include "util/count.h"

enum { FUNCTIONS = KERNEL_FUNCTIONS_END - KERNEL_FUNCTIONS_BEGIN - 1 };

/* By the constant of a call, less that of the first. */
static const char *const functions[FUNCTIONS] = {
#define KERNEL_FUNCTION(name, function) #function,
	KERNEL_FUNCTIONS(KERNEL_FUNCTION)
#undef KERNEL_FUNCTION
};

/* How programs of a section are attached. */
enum way { NOT_BY_TYPE, BY_TRACEPOINT, BY_ITERATOR };

/* By the sections of driver/bpf/. */
static const struct {
	const char *section;
	enum bpf_prog_type type; /* that libbpf knows */
	enum way way, classic_way;
	enum bpf_attach_type attach; /* that libbpf passes on */
} kinds[LIVE_HANDLERS] = {
	{"tp/raw_syscalls/", BPF_PROG_TYPE_RAW_TRACEPOINT, BY_TRACEPOINT, NOT_BY_TYPE},
	{"tp_btf/", BPF_PROG_TYPE_RAW_TRACEPOINT, BY_TRACEPOINT, BY_TRACEPOINT},
	{"tracepoint/", BPF_PROG_TYPE_TRACEPOINT, NOT_BY_TYPE, NOT_BY_TYPE},
	{"iter/", BPF_PROG_TYPE_RAW_TRACEPOINT, BY_ITERATOR, BY_ITERATOR},
	{"raw_tp", BPF_PROG_TYPE_RAW_TRACEPOINT, NOT_BY_TYPE, NOT_BY_TYPE},
	{"cgroup/sendmsg4", BPF_PROG_TYPE_CGROUP_SOCK_ADDR, NOT_BY_TYPE, NOT_BY_TYPE,
	 BPF_CGROUP_UDP4_SENDMSG},
	{"cgroup/sendmsg6", BPF_PROG_TYPE_CGROUP_SOCK_ADDR, NOT_BY_TYPE, NOT_BY_TYPE,
	 BPF_CGROUP_UDP6_SENDMSG},
	{"uprobe", BPF_PROG_TYPE_KPROBE, NOT_BY_TYPE, NOT_BY_TYPE},
};

/* What the kernel describes of a way to attach. */
static const struct {
	const char *prefix; /* before the name of the tracepoint or iterator */
	uint32_t kind;
	enum bpf_attach_type attach;
} ways[] = {
	[BY_TRACEPOINT] = {"btf_trace_", BTF_KIND_TYPEDEF, BPF_TRACE_RAW_TP},
	[BY_ITERATOR] = {"bpf_iter_", BTF_KIND_FUNC, BPF_TRACE_ITER},
};

int live_handlers_begin(struct live_handlers *handlers, bool classic, live_handler_fn call,
			long cookie)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = cookie, .prog_prepare_load_fn = call);

	/*
	 * Never unregistered, so that the list never becomes empty: libbpf before 1.3 then frees
	 * it, and uses it again when the next handler is registered.
	 */
	int r = libbpf_register_prog_handler("unused/", BPF_PROG_TYPE_UNSPEC, 0, NULL);

	*handlers = (struct live_handlers){.classic = classic};
	for (size_t i = 0; i < LIVE_HANDLERS && r >= 0; i++) {
		bool is_classic = classic && kinds[i].classic_way != kinds[i].way;

		r = libbpf_register_prog_handler(
			kinds[i].section, is_classic ? BPF_PROG_TYPE_TRACEPOINT : kinds[i].type,
			kinds[i].attach, &opts);
		if (r >= 0)
			handlers->ids[handlers->count++] = r;
	}
	return r < 0 ? r : 0;
}

void live_handlers_end(struct live_handlers *handlers)
{
	for (int i = 0; i < handlers->count; i++)
		libbpf_unregister_prog_handler(handlers->ids[i]);
	free(handlers->types);
	*handlers = (struct live_handlers){0};
}

/* How a program is attached, and the name of what the kernel describes for that. */
static enum way handlers_way_of(const struct live_handlers *handlers,
				const struct bpf_program *program, char name[LIVE_TYPE_NAME_BYTES])
{
	const char *section = bpf_program__section_name(program);
	enum way way = NOT_BY_TYPE;

	for (size_t i = 0; i < LIVE_HANDLERS; i++)
		if (strncmp(section, kinds[i].section, strlen(kinds[i].section)) == 0)
			way = handlers->classic ? kinds[i].classic_way : kinds[i].way;
	if (way != NOT_BY_TYPE)
		snprintf(name, LIVE_TYPE_NAME_BYTES, "%s%s", ways[way].prefix,
			 strrchr(section, '/') + 1);
	return way;
}

static uint32_t type_id(const struct live_handlers *handlers, const char *name)
{
	for (size_t i = 0; i < handlers->types_count; i++)
		if (strcmp(handlers->types[i].name, name) == 0)
			return handlers->types[i].id;
	return 0;
}

static void add_type(struct live_handlers *handlers, uint32_t kind, const char *name)
{
	struct live_kernel_type *type = &handlers->types[handlers->types_count];

	for (size_t i = 0; i < handlers->types_count; i++)
		if (strcmp(handlers->types[i].name, name) == 0)
			return;
	type->kind = kind;
	snprintf(type->name, sizeof(type->name), "%s", name);
	handlers->types_count++;
}

static int list_types(struct live_handlers *handlers, struct bpf_object *object)
{
	char name[LIVE_TYPE_NAME_BYTES];
	struct bpf_program *program;
	size_t count = FUNCTIONS;

	bpf_object__for_each_program(program, object) count++;
	free(handlers->types);
	handlers->types_count = 0;
	handlers->types = calloc(count, sizeof(*handlers->types));
	if (!handlers->types)
		return -ENOMEM;
	for (size_t i = 0; i < FUNCTIONS; i++)
		add_type(handlers, BTF_KIND_FUNC, functions[i]);
	bpf_object__for_each_program(program, object)
	{
		enum way way = handlers_way_of(handlers, program, name);

		if (way != NOT_BY_TYPE && bpf_program__autoload(program))
			add_type(handlers, ways[way].kind, name);
	}
	return live_kernel_types_find(LIVE_BTF_PATH, handlers->types, handlers->types_count);
}

int live_handlers_prepare(struct live_handlers *handlers, struct bpf_object *object,
			  void (*missing)(void *context, const struct bpf_program *program),
			  void *context)
{
	int r = list_types(handlers, object);
	char name[LIVE_TYPE_NAME_BYTES];
	struct bpf_program *program;

	if (r < 0)
		return r;
	bpf_object__for_each_program(program, object)
	{
		if (!bpf_program__autoload(program) ||
		    handlers_way_of(handlers, program, name) == NOT_BY_TYPE ||
		    type_id(handlers, name))
			continue;
		if (!missing)
			return -ESRCH;
		bpf_program__set_autoload(program, false);
		missing(context, program);
	}
	return 0;
}

/* Where the kernel has no such function, the verifier finds that the call is not reached. */
static void resolve_calls(const struct live_handlers *handlers, struct live_prepared *prepared)
{
	uint32_t ids[FUNCTIONS];

	for (size_t i = 0; i < FUNCTIONS; i++)
		ids[i] = type_id(handlers, functions[i]);
	for (size_t i = 0; i < prepared->insns_count; i++) {
		struct bpf_insn *insn = &prepared->insns[i];
		uint32_t function = (uint32_t)insn->imm - KERNEL_FUNCTIONS_BEGIN - 1;

		if (insn->code != (BPF_JMP | BPF_CALL) || insn->src_reg != 0 ||
		    function >= FUNCTIONS || !ids[function])
			continue;
		insn->src_reg = BPF_PSEUDO_KFUNC_CALL;
		insn->imm = (int32_t)ids[function];
	}
}

int live_handlers_resolve(const struct live_handlers *handlers, const struct bpf_program *program,
			  const struct bpf_prog_load_opts *opts, struct live_prepared *prepared)
{
	char name[LIVE_TYPE_NAME_BYTES];
	enum way way = handlers_way_of(handlers, program, name);
	size_t bytes = bpf_program__insn_cnt(program) * sizeof(struct bpf_insn);

	*prepared = (struct live_prepared){
		.type = bpf_program__type(program),
		.opts = *opts,
		.insns = malloc(bytes),
		.insns_count = bpf_program__insn_cnt(program),
	};
	if (!prepared->insns)
		return -ENOMEM;
	memcpy(prepared->insns, bpf_program__insns(program), bytes);
	resolve_calls(handlers, prepared);
	/* libbpf frees it when it has loaded the empty ones; no program refers to it. */
	prepared->opts.fd_array = NULL;
	if (way != NOT_BY_TYPE) {
		prepared->type = BPF_PROG_TYPE_TRACING;
		prepared->opts.expected_attach_type = ways[way].attach;
		prepared->opts.attach_btf_id = type_id(handlers, name);
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
	return bpf_program__set_insns(program, nothing, COUNT(nothing));
}
