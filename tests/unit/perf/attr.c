/* SPDX-License-Identifier: MIT */
/* Attributes as text, and opened by the kernel of this machine. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "perf/attr.h"
#include "unit.h"

static void check(const struct perf_event_attr *attr, uint64_t config3, const char *expected)
{
	struct buf out = {0};

	perf_attr_append(attr, config3, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, expected);
	buf_finish(&out);
}

static void shows_what_is_not_zero(void **state)
{
	struct perf_event_attr attr = {0};

	check(&attr, 0, "type 0\n");
	attr = (struct perf_event_attr){
		.type = 2,
		.size = sizeof(attr),
		.config = 0x174,
		.sample_period = 1,
		.disabled = 1,
		.inherit = 1,
		.exclude_kernel = 1,
		.precise_ip = 3,
		.mmap_data = 1,
		.exclude_guest = 1,
		.sigtrap = 1,
		.bp_type = 4,
		.config1 = 16,
		.config2 = 17,
		.sample_max_stack = 9,
		.sig_data = 18,
	};
	check(&attr, 19,
	      "type 0x2\nsize 0x80\nconfig 0x174\nsample_period 0x1\ndisabled 1\ninherit 1\n"
	      "exclude_kernel 1\nprecise_ip 3\nmmap_data 1\nexclude_guest 1\nsigtrap 1\n"
	      "bp_type 0x4\nconfig1 0x10\nconfig2 0x11\nsample_max_stack 0x9\nsig_data 0x12\n"
	      "config3 0x13\n");
}

/* Each bit of the word of flags has the name of its member. */
static void names_the_bits(void **state)
{
	struct perf_event_attr attr = {.exclude_callchain_user = 1, .remove_on_exec = 1};

	check(&attr, 0, "type 0\nexclude_callchain_user 1\nremove_on_exec 1\n");
	attr = (struct perf_event_attr){.enable_on_exec = 1, .write_backward = 1, .build_id = 1};
	check(&attr, 0, "type 0\nenable_on_exec 1\nwrite_backward 1\nbuild_id 1\n");
}

static void opens_and_counts(void **state)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = perf_attr_open(&attr, 0, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	uint64_t count = 1;

	if (fd == -EACCES || fd == -EPERM || fd == -ENOSYS)
		skip();
	assert_true(fd >= 0);
	assert_int_equal(read(fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(count, 0);
	close(fd);
	/* Each type has its own errors: the kernel sees the attr that was given. */
	attr.config = 1000;
	assert_int_equal(perf_attr_open(&attr, 0, 0, -1, -1, PERF_FLAG_FD_CLOEXEC), -ENOENT);
	assert_int_equal(perf_attr_open(&attr, 0, -1, -1, -1, PERF_FLAG_FD_CLOEXEC), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(shows_what_is_not_zero),
	cmocka_unit_test(names_the_bits),
	cmocka_unit_test(opens_and_counts),
};

UNIT_GROUP(tests);
