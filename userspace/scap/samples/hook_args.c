/* SPDX-License-Identifier: MIT */
/* Appends one argument after the other, whole or not at all. */
#include "scap/samples/hook_args.h"

/* Ends an argument that began at `begin`; one that did not fit, or has no value, is taken back. */
static void end_arg(struct buf *args, size_t begin, bool there)
{
	buf_append_char(args, '\0');
	if (!there || args->failed)
		args->len = begin;
}

void hook_args_of_tracepoint(const struct perf_tracepoint *tracepoint,
			     const struct sample_record *sample, struct buf *args)
{
	for (size_t i = 0; i < tracepoint->count; i++) {
		size_t begin = args->len;

		buf_append_string(args, tracepoint->fields[i].name);
		buf_append_char(args, '=');
		end_arg(args, begin,
			perf_tracepoint_append(&tracepoint->fields[i], sample->raw,
					       sample->raw_bytes, args));
	}
}

void hook_args_of_probe(const struct perf_usdt_args *known, bool is_return,
			const struct sample_record *sample, struct buf *args)
{
	for (size_t i = 0; i < known->count; i++) {
		size_t begin = args->len;
		int64_t value;

		if (!perf_usdt_arg_value(&known->list[i], &sample->registers, &value))
			continue;
		buf_append_string(args, is_return ? "ret" : "arg");
		if (!is_return)
			buf_append_u64(args, i + 1);
		buf_append_char(args, '=');
		if (known->list[i].is_signed)
			buf_append_i64(args, value);
		else
			buf_append_u64(args, (uint64_t)value);
		end_arg(args, begin, true);
	}
}
