/* SPDX-License-Identifier: MIT */
/* What stacks of the kernel say, by texts of /proc/kallsyms. */
#include "profile/capture/kernel_functions.h"

#include <string.h>

#include "unit.h"

static const char symbols[] = "ffffffff81000000 T _text\n"
			      "ffffffff81000100 t futex_wait_queue.isra.0\n"
			      "ffffffff81000200 t __schedule\n"
			      "ffffffff81000200 t other_name\n"
			      "ffffffff81000300 D data_symbol\n"
			      "ffffffff81000400 T do_nanosleep\n"
			      "ffffffff81000500 T schedule\n"
			      "ffffffff81000600 T try_to_wake_up\n"
			      "ffffffff81000700 T asm_sysvec_apic_timer_interrupt\n"
			      "ffffffff81000800 T io_schedule_timeout\n"
			      "ffffffff81000900 T futex\n"
			      "ffffffffa0000000 t do_nanosleep\t[module]\n"
			      "ffffffffa0000100 t last\t[module]\n"
			      "not a line\n"
			      "ffffffffa0000200";

static struct kernel_functions known(void)
{
	struct kernel_functions functions;

	assert_int_equal(kernel_functions_read(symbols, sizeof(symbols) - 1, &functions), 0);
	return functions;
}

static void finds_functions_by_address(void **state)
{
	struct kernel_functions functions = known();

	assert_null(kernel_functions_at(&functions, 0xffffffff81000050));
	assert_int_equal(kernel_functions_at(&functions, 0xffffffff81000100)->reason, STACK_LOCK);
	assert_int_equal(kernel_functions_at(&functions, 0xffffffff810001ff)->reason, STACK_LOCK);
	assert_int_equal(kernel_functions_at(&functions, 0xffffffff81000200)->role,
			 KERNEL_SWITCHES);
	assert_int_equal(kernel_functions_at(&functions, 0xffffffff81000350)->role,
			 KERNEL_SWITCHES);
	assert_null(kernel_functions_at(&functions, 0xffffffff81000500));
	assert_null(kernel_functions_at(&functions, 0xffffffff81000900));
	assert_int_equal(kernel_functions_at(&functions, 0xffffffffa0000001)->reason, STACK_SLEEP);
	assert_null(kernel_functions_at(&functions, 0xffffffffa0000100));
	kernel_functions_finish(&functions);
}

/* Return addresses: one at the begin of a function is of the end of the one before it. */
static void says_why_a_thread_waits(void **state)
{
	static const struct {
		__u64 frames[3];
		enum stack_reason reason;
	} rows[] = {
		{{0xffffffff81000210, 0xffffffff81000510, 0xffffffff81000150}, STACK_LOCK},
		{{0xffffffff81000210, 0xffffffff81000510, 0xffffffff81000450}, STACK_SLEEP},
		{{0xffffffff81000210, 0xffffffff81000850, 0xffffffff81000150}, STACK_DISK},
		{{0xffffffff81000210, 0xffffffff81000510, 0xffffffff81000900}, STACK_DISK},
		{{0xffffffff81000210, 0xffffffff81000510, 0xffffffff81000010}, STACK_OTHER},
	};
	struct kernel_functions functions = known();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(kernel_functions_reason(&functions, rows[i].frames, 3),
				 rows[i].reason);
	kernel_functions_finish(&functions);
}

static void finds_what_to_cut_off(void **state)
{
	const __u64 frames[] = {0xffffffffc0000000, 0xffffffff81000210, 0xffffffff81000610,
				0xffffffff81000710, 0xffffffff81000010};
	struct kernel_functions functions = known();

	assert_int_equal(kernel_functions_inner(&functions, KERNEL_SWITCHES, frames, 5), 2);
	assert_int_equal(kernel_functions_inner(&functions, KERNEL_WAKES, frames, 5), 3);
	assert_int_equal(kernel_functions_inner(&functions, KERNEL_WAKES, frames, 2), 0);
	assert_int_equal(kernel_functions_interrupt(&functions, frames, 5), 4);
	assert_int_equal(kernel_functions_interrupt(&functions, frames, 3), 0);
	kernel_functions_finish(&functions);
}

/* A user who may not see addresses sees zeros. */
static void has_none_where_addresses_are_hidden(void **state)
{
	static const char hidden[] = "0000000000000000 T do_nanosleep\n0000000000000000 t x\n";
	struct kernel_functions functions;
	__u64 frame = 1;

	assert_int_equal(kernel_functions_read(hidden, sizeof(hidden) - 1, &functions), 0);
	assert_int_equal(functions.count, 0);
	assert_int_equal(kernel_functions_reason(&functions, &frame, 1), STACK_OTHER);
	kernel_functions_finish(&functions);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(finds_functions_by_address),
	cmocka_unit_test(says_why_a_thread_waits),
	cmocka_unit_test(finds_what_to_cut_off),
	cmocka_unit_test(has_none_where_addresses_are_hidden),
};

UNIT_GROUP(tests);
