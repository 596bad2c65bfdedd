/* SPDX-License-Identifier: MIT */
/* Formats of tracepoints as kernels write them, and values in data that is right, cut, or absurd.
 */
#include "perf/tracepoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

static const char format[] =
	"name: some\nID: 314\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:const void * skbaddr;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:__u8 saddr[4];\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] filename;\toffset:44;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] other;\toffset:48;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long flags;\toffset:56;\tsize:8;\tsigned:0;\n"
	"\tfield:struct odd thing;\toffset:64;\tsize:24;\tsigned:0;\n"
	"\nprint fmt: \"field:int not_one;offset:0;size:4;signed:1;\", REC->x\n";

static const struct {
	const char *name, *value;
} expected[] = {
	{"prev_comm", "bash"},
	{"prev_pid", "-7"},
	{"skbaddr", "0xffff888012345678"},
	{"saddr", "10,0,0,255"},
	{"filename", "/bin/true"},
	{"other", "rel"},
	{"flags", "18446744073709551615"},
};

enum { FIELDS = sizeof(expected) / sizeof(expected[0]), RAW_BYTES = 96 };

static void make_raw(uint8_t raw[RAW_BYTES])
{
	const uint64_t address = 0xffff888012345678, all = UINT64_MAX;
	const int32_t pid = -7;
	const uint32_t absolute = 10 << 16 | 64, relative = 4 << 16 | (76 - 52);

	memset(raw, 0, RAW_BYTES);
	memcpy(raw + 8, "bash", 4);
	memcpy(raw + 24, &pid, sizeof(pid));
	memcpy(raw + 32, &address, sizeof(address));
	memcpy(raw + 40, "\x0a\0\0\xff", 4);
	memcpy(raw + 44, &absolute, sizeof(absolute));
	memcpy(raw + 48, &relative, sizeof(relative));
	memcpy(raw + 56, &all, sizeof(all));
	memcpy(raw + 64, "/bin/true", 10);
	memcpy(raw + 76, "rel", 4);
}

static void has_fields_and_values(void **state)
{
	struct perf_tracepoint tracepoint;
	struct arena arena = {0};
	uint8_t raw[RAW_BYTES];

	make_raw(raw);
	assert_int_equal(perf_tracepoint_parse(format, &arena, &tracepoint), 0);
	assert_int_equal(tracepoint.count, FIELDS);
	for (size_t i = 0; i < FIELDS; i++) {
		struct buf text = {0};

		assert_string_equal(tracepoint.fields[i].name, expected[i].name);
		assert_true(perf_tracepoint_append(&tracepoint.fields[i], raw, sizeof(raw), &text));
		buf_append_char(&text, '\0');
		assert_string_equal(text.data, expected[i].value);
		buf_finish(&text);
	}
	arena_finish(&arena);
}

/* Of data that is shorter, on the heap and exactly as long, so that a sanitizer sees any read
 * beyond. */
static void checks_the_data(void **state)
{
	struct perf_tracepoint tracepoint;
	struct arena arena = {0};
	uint8_t raw[RAW_BYTES];
	const uint32_t absurd[] = {UINT32_MAX, 0xffff0000, 0x0000ffff, 0x00010060};

	make_raw(raw);
	assert_int_equal(perf_tracepoint_parse(format, &arena, &tracepoint), 0);
	for (size_t len = 0; len <= sizeof(raw); len++) {
		uint8_t *cut = malloc(len ? len : 1);

		assert_non_null(cut);
		memcpy(cut, raw, len);
		for (size_t i = 0; i < tracepoint.count; i++) {
			struct buf text = {0};
			const struct perf_tracepoint_field *field = &tracepoint.fields[i];
			bool there = perf_tracepoint_append(field, cut, len, &text);

			assert_true(!there || len >= field->offset + field->bytes);
			assert_true(there || text.len == 0);
			buf_finish(&text);
		}
		free(cut);
	}
	for (size_t i = 0; i < sizeof(absurd) / sizeof(absurd[0]); i++) {
		struct buf text = {0};

		memcpy(raw + 44, &absurd[i], sizeof(absurd[i]));
		assert_false(
			perf_tracepoint_append(&tracepoint.fields[4], raw, sizeof(raw), &text) &&
			text.len);
		buf_finish(&text);
	}
	arena_finish(&arena);
}

static void leaves_out_what_it_does_not_understand(void **state)
{
	static const char *const lines[] = {
		"field:",
		"field:;",
		"field:x;",
		"field:int x",
		"field:int x;\toffset:-1;\tsize:4;",
		"field:int x;\toffset:0;\tsize:3;",
		"field:int x;\toffset:99999;\tsize:4;",
		"field: ;\toffset:0;\tsize:4;",
		"field:[;\toffset:0;\tsize:4;",
		"field:odd x[4];\toffset:0;\tsize:4;",
		"field:__data_loc ;\toffset:0;\tsize:4;",
	};
	struct perf_tracepoint tracepoint;
	struct arena arena = {0};

	assert_int_equal(perf_tracepoint_parse("", &arena, &tracepoint), -EBADMSG);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char text[256] = "format:\n\t";

		strcat(text, lines[i]);
		assert_int_equal(perf_tracepoint_parse(text, &arena, &tracepoint), 0);
		assert_int_equal(tracepoint.count, 0);
	}
	arena_finish(&arena);
}

static void reads_those_of_the_machine(void **state)
{
	struct perf_tracepoint tracepoint;
	struct perf_machine machine;
	struct arena arena = {0};
	int r;

	assert_int_equal(perf_machine_open(&machine, NULL, NULL, NULL), 0);
	assert_true(perf_tracepoint_read(&machine, "nothing", &arena, &tracepoint) < 0);
	assert_true(perf_tracepoint_read(&machine, "no:such", &arena, &tracepoint) < 0);
	r = perf_tracepoint_read(&machine, "sched:sched_switch", &arena, &tracepoint);
	if (r == 0) {
		assert_string_equal(tracepoint.fields[0].name, "prev_comm");
		assert_int_equal(tracepoint.fields[0].kind, PERF_FIELD_TEXT);
	}
	arena_finish(&arena);
	perf_machine_close(&machine);
	if (r)
		skip();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(has_fields_and_values),
	cmocka_unit_test(checks_the_data),
	cmocka_unit_test(leaves_out_what_it_does_not_understand),
	cmocka_unit_test(reads_those_of_the_machine),
};

UNIT_GROUP(tests);
