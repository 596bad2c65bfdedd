/* SPDX-License-Identifier: MIT */
/* Arguments as texts: whole ones alone, as many as fit. */
#include "scap/samples/hook_args.h"

#include <string.h>

#include "unit.h"

static const struct perf_tracepoint_field fields[] = {
	{.name = "comm", .kind = PERF_FIELD_TEXT, .offset = 0, .bytes = 8, .element = 1},
	{.name = "far", .kind = PERF_FIELD_NUMBER, .offset = 90, .bytes = 4, .element = 4},
	{.name = "pid", .kind = PERF_FIELD_NUMBER, .offset = 8, .bytes = 2, .element = 2},
};

static const struct perf_tracepoint tracepoint = {(struct perf_tracepoint_field *)fields, 3};
static const struct sample_record sample = {.raw = (const uint8_t *)"bash\0xxx\7\0",
					    .raw_bytes = 10};

static void lists_fields(void **state)
{
	char memory[64];
	struct buf args = buf_fixed(memory, sizeof(memory));

	hook_args_of_tracepoint(&tracepoint, &sample, &args);
	assert_int_equal(args.len, 16);
	assert_memory_equal(memory, "comm=bash\0pid=7", 16);
}

static void leaves_out_what_does_not_fit(void **state)
{
	for (size_t room = 0; room < 16; room++) {
		char memory[64] = "";
		struct buf args = buf_fixed(memory, room);

		hook_args_of_tracepoint(&tracepoint, &sample, &args);
		assert_int_equal(args.len, room < 10 ? 0 : 10);
	}
}

static void lists_arguments(void **state)
{
	const struct perf_usdt_args known = {
		.count = 3,
		.list = {{.bytes = 8,
			  .base = PERF_NO_REGISTER,
			  .index = PERF_NO_REGISTER,
			  .number = 7},
			 {.bytes = 8, .base = 0, .index = PERF_NO_REGISTER},
			 {.bytes = 4,
			  .is_signed = true,
			  .base = PERF_NO_REGISTER,
			  .index = PERF_NO_REGISTER,
			  .number = -9}}};
	/* All bits, without a sign and with one. */
	const struct perf_usdt_args large = {.count = 2,
					     .list = {{.bytes = 8,
						       .base = PERF_NO_REGISTER,
						       .index = PERF_NO_REGISTER,
						       .number = -1},
						      {.bytes = 8,
						       .is_signed = true,
						       .base = PERF_NO_REGISTER,
						       .index = PERF_NO_REGISTER,
						       .number = -1}}};
	char memory[64];
	struct buf args = buf_fixed(memory, sizeof(memory));

	/* Without registers the second one is not known. */
	hook_args_of_probe(&known, false, &sample, &args);
	assert_int_equal(args.len, 15);
	assert_memory_equal(memory, "arg1=7\0arg3=-9", 15);
	args.len = 0;
	hook_args_of_probe(&large, false, &sample, &args);
	assert_int_equal(args.len, 34);
	assert_memory_equal(memory, "arg1=18446744073709551615\0arg2=-1", 34);
	buf_clear(&args);
	hook_args_of_probe(&(struct perf_usdt_args){.count = 1, .list = {known.list[0]}}, true,
			   &sample, &args);
	assert_int_equal(args.len, 6);
	assert_memory_equal(memory, "ret=7", 6);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(lists_arguments),
	cmocka_unit_test(lists_fields),
	cmocka_unit_test(leaves_out_what_does_not_fit),
};

UNIT_GROUP(tests);
