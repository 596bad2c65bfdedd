/* SPDX-License-Identifier: MIT */
/* Trees of stacks: from a set and from folded ones, of one profile and of two. */
#include "profile/formats/flame.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profile/formats/folded.h"
#include "profiled.h"
#include "unit.h"

static const struct flame_options plain;

/* The folded text of a tree. */
static const char *folded(struct flame *flame)
{
	static char text[8192];
	struct buf out = {0};

	assert_int_equal(flame_complete(flame), 0);
	folded_write(flame, &out);
	assert_true(!out.failed && out.len < sizeof(text));
	memcpy(text, out.len ? out.data : "", out.len);
	text[out.len] = '\0';
	buf_finish(&out);
	flame_finish(flame);
	return text;
}

static const char *fold(const struct stacks *stacks, const struct flame_options *options)
{
	struct flame flame;
	struct profile_names names;

	profiled_name(stacks, &names);
	assert_int_equal(flame_init(&flame), 0);
	assert_int_equal(flame_add_stacks(&flame, FLAME_NOW, stacks, &names, options), 0);
	names_finish(&names);
	return folded(&flame);
}

static void puts_what_begins_alike_together(void **state)
{
	struct stacks stacks;

	profiled_create(&stacks);
	profiled_add(&stacks, 0, NULL, (const uint64_t[]){3, 2, 1, 0}, 5);
	profiled_add(&stacks, 0, NULL, (const uint64_t[]){2, 1, 0}, 7);
	profiled_add(&stacks, 0, (const uint64_t[]){9, 8, 0}, (const uint64_t[]){2, 1, 0}, 1);
	profiled_add(&stacks, 1, NULL, (const uint64_t[]){1000, 0}, 2);
	profiled_add(&stacks, 1, NULL, NULL, 3);
	assert_string_equal(fold(&stacks, &plain), "one;f1;f2 7\n"
						   "one;f1;f2;f3 5\n"
						   "one;f1;f2;k8_[k];k9_[k] 1\n"
						   "two:x 3\n"
						   "two:x;[unknown] 2\n");
	assert_string_equal(fold(&stacks, &(const struct flame_options){.containers = true}),
			    "one;f1;f2 7\n"
			    "one;f1;f2;f3 5\n"
			    "one;f1;f2;k8_[k];k9_[k] 1\n"
			    "space/pod-1/box (0123456789ab image:1);two:x 3\n"
			    "space/pod-1/box (0123456789ab image:1);two:x;[unknown] 2\n");
	stacks_finish(&stacks);
}

/* What is known of it, and its id, as others may have the same name. */
static void names_containers(void **state)
{
	static const struct {
		struct stack_container container;
		const char *text;
	} rows[] = {
		{{"0123456789abcdef"}, "0123456789abcdef;two:x 1\n"},
		{{"0123456789abcdef", "box"}, "box (0123456789ab);two:x 1\n"},
		{{"0123456789abcdef@1000", "box"}, "box (0123456789ab@1000);two:x 1\n"},
		{{"short@7", "box"}, "box (short@7);two:x 1\n"},
		{{"0123456789abcdef", NULL, NULL, "pod", "ns"}, "ns/pod/ (0123456789ab);two:x 1\n"},
		{{"0123456789abcdef", "box", "image"}, "box (0123456789ab image);two:x 1\n"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct stacks stacks;

		profiled_create(&stacks);
		stacks.processes[1].container = rows[i].container;
		profiled_add(&stacks, 1, NULL, NULL, 1);
		assert_string_equal(
			fold(&stacks, &(const struct flame_options){.containers = true}),
			rows[i].text);
		stacks_finish(&stacks);
	}
}

/* In the order of the calls, and behind a waker in that of the returns. */
static void has_frames_of_what_is_inlined(void **state)
{
	const struct flame_options options = {.wakers = true};
	struct profile_names names;
	struct stacks stacks;
	struct stack_row row;
	struct flame flame;

	profiled_create(&stacks);
	stacks.period_ns = 10;
	profiled_add(&stacks, 0, NULL, (const uint64_t[]){3, 2, 1, 0}, 5);
	row = profiled_row(&stacks, 0, NULL, (const uint64_t[]){2, 0}, 7);
	row.kind = STACK_OFF_CPU;
	row.reason = STACK_LOCK;
	row.waker.pid = 11;
	strcpy(row.waker.comm, "waker");
	row.waker.user = row.user;
	assert_int_equal(stacks_add_row(&stacks, &row), 0);
	profiled_name(&stacks, &names);
	profiled_inline(&names, 2);
	assert_int_equal(flame_init(&flame), 0);
	assert_int_equal(flame_add_stacks(&flame, FLAME_NOW, &stacks, &names, &options), 0);
	names_finish(&names);
	stacks_finish(&stacks);
	assert_string_equal(
		folded(&flame),
		"one;f1;f2;outer_[i];inner_[i];f3 50\n"
		"one;f2;outer_[i];inner_[i];[lock];[woken by];inner_[i];outer_[i];f2;waker 7\n");
}

static void says_why_frames_are_missing(void **state)
{
	struct stacks stacks;
	struct stack_row row;

	profiled_create(&stacks);
	row = profiled_row(&stacks, 0, NULL, (const uint64_t[]){3, 0}, 5);
	row.user.lack = STACK_NOT_64_BIT;
	strcpy(row.comm, "worker");
	assert_int_equal(stacks_add_row(&stacks, &row), 0);
	row.user.lack = STACK_BY_FRAME_POINTER;
	assert_int_equal(stacks_add_row(&stacks, &row), 0);
	assert_non_null(strstr(fold(&stacks, &plain), ";f3 5\none;f3 5\n"));
	assert_non_null(strstr(fold(&stacks, &(const struct flame_options){.threads = true}),
			       "one;worker;f3 5\n"));
	stacks_finish(&stacks);
}

static void counts_time_where_there_is_some_off_cpu(void **state)
{
	struct stacks stacks;
	struct stack_row row;

	profiled_create(&stacks);
	profiled_add(&stacks, 0, NULL, (const uint64_t[]){1, 0}, 5);
	row = profiled_row(&stacks, 0, (const uint64_t[]){7, 0}, (const uint64_t[]){1, 0}, 1234);
	row.kind = STACK_OFF_CPU;
	row.reason = STACK_DISK;
	row.waker.pid = 11;
	strcpy(row.waker.comm, "disk/0");
	row.waker.kernel = row.kernel;
	assert_int_equal(stacks_add_row(&stacks, &row), 0);
	assert_string_equal(fold(&stacks, &plain), "one;f1 50000000\n"
						   "one;f1;k7_[k];[disk] 1234\n");
	assert_string_equal(fold(&stacks, &(const struct flame_options){.wakers = true}),
			    "one;f1 50000000\n"
			    "one;f1;k7_[k];[disk];[woken by];k7_[k];disk/0 1234\n");
	stacks_finish(&stacks);
}

static int read_folded(const char *text, struct flame *flame, struct error *err)
{
	assert_int_equal(flame_init(flame), 0);
	return flame_add_folded(flame, FLAME_NOW, text, strlen(text), err);
}

static void reads_what_it_writes(void **state)
{
	static const char text[] = "one;a b;c_[k] 3\n"
				   "one;a b;d_[j] 4\n"
				   "one;e;[disk] 5\n"
				   "two 18446744073709551615\n";
	struct flame flame;

	assert_int_equal(read_folded(text, &flame, NULL), 0);
	assert_string_equal(folded(&flame), text);
	/* Empty lines and frames, the same stack twice, what is no comment. */
	assert_int_equal(read_folded("\n;one;;a 3\none;a 4\n#one;a 1", &flame, NULL), 0);
	assert_string_equal(folded(&flame), "#one;a 1\none;a 7\n");
}

static void says_which_line_is_none(void **state)
{
	static const char *const rows[] = {"one;a", "one;a ",	"one;a 3x",
					   " 3",    "one;a -3", "one;a 18446744073709551616"};
	struct error err;
	struct flame flame;
	char text[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text), "one;b 1\n%s\none;c 1\n", rows[i]);
		assert_int_equal(read_folded(text, &flame, &err), -EBADMSG);
		assert_non_null(strstr(err.text, "line 2 "));
		flame_finish(&flame);
	}
	assert_int_equal(flame_init(&flame), 0);
	assert_int_equal(flame_add_folded(&flame, FLAME_NOW, "a\0b 1", 5, &err), -EBADMSG);
	flame_finish(&flame);
}

static void compares_two(void **state)
{
	static const char before[] = "one;a 4\none;c 2\n";
	struct flame flame;

	assert_int_equal(read_folded("one;a 10\none;b 1\n", &flame, NULL), 0);
	assert_int_equal(flame_add_folded(&flame, FLAME_BEFORE, before, sizeof(before) - 1, NULL),
			 0);
	assert_string_equal(folded(&flame), "one;a 4 10\none;b 0 1\none;c 2 0\n");
}

/* What is too deep is the value of the frame where it ends. */
static void keeps_the_value_of_what_is_cut(void **state)
{
	struct flame flame;
	struct buf text = {0};
	uint32_t depth = 0, deepest = 0;

	for (int i = 0; i < 2 * FLAME_DEPTH_MAX; i++)
		buf_append_string(&text, "f;");
	buf_append_string(&text, "f 9\n");
	assert_int_equal(flame_init(&flame), 0);
	assert_int_equal(flame_add_folded(&flame, FLAME_NOW, text.data, text.len, NULL), 0);
	assert_int_equal(flame_complete(&flame), 0);
	assert_int_equal(flame.nodes[0].total[FLAME_NOW], 9);
	assert_int_equal(flame.cut, FLAME_DEPTH_MAX + 1);
	for (uint32_t i = flame_next(&flame, 0, &depth); i; i = flame_next(&flame, i, &depth))
		deepest = depth > deepest ? depth : deepest;
	assert_int_equal(deepest, FLAME_DEPTH_MAX);
	flame_finish(&flame);
	buf_finish(&text);
}

static void writes_values_for_readers(void **state)
{
	static const struct {
		enum flame_unit unit;
		uint64_t value;
		const char *text;
	} rows[] = {
		{FLAME_SAMPLES, 1, "1 sample"},
		{FLAME_SAMPLES, 20, "20 samples"},
		{FLAME_NS, 1234567, "1.235 ms"},
		{FLAME_NS, 1250000000, "1.25 s"},
	};
	struct buf out = {0};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct flame flame = {.unit = rows[i].unit};

		buf_clear(&out);
		flame_append_value(&flame, rows[i].value, &out);
		buf_append_char(&out, '\0');
		assert_string_equal(out.data, rows[i].text);
	}
	buf_clear(&out);
	flame_append_share(1, 8, &out);
	flame_append_share(1, 0, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "12.50 %0.00 %");
	buf_finish(&out);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_containers),
	cmocka_unit_test(puts_what_begins_alike_together),
	cmocka_unit_test(has_frames_of_what_is_inlined),
	cmocka_unit_test(says_why_frames_are_missing),
	cmocka_unit_test(counts_time_where_there_is_some_off_cpu),
	cmocka_unit_test(reads_what_it_writes),
	cmocka_unit_test(says_which_line_is_none),
	cmocka_unit_test(compares_two),
	cmocka_unit_test(keeps_the_value_of_what_is_cut),
	cmocka_unit_test(writes_values_for_readers),
};

UNIT_GROUP(tests);
