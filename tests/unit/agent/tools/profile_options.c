/* SPDX-License-Identifier: MIT */
/* The options of the command profile. */
#include "agent/tools/profile_options.h"

#include "typed.h"
#include "unit.h"

static void reads_options(void **state)
{
	struct profile_options options;
	struct error err = {""};

	assert_int_equal(typed_read(&profile_own_options, "10", &options, &err), 0);
	assert_int_equal(options.frequency_hz, 99);
	assert_int_equal(options.duration_ns, 10000000000);
	assert_false(options.off_cpu || options.wall || options.cycles);
	assert_int_equal(typed_read(&profile_own_options,
				    "-F 997 -p 3,17 -p 4 --off-cpu -o folded -w file --threads 0.5",
				    &options, &err),
			 0);
	assert_int_equal(options.frequency_hz, 997);
	assert_int_equal(options.duration_ns, 500000000);
	assert_int_equal(options.pids_count, 3);
	assert_int_equal(options.pids[1], 17);
	assert_int_equal(options.format, PROFILE_FOLDED);
	assert_string_equal(options.write, "file");
	assert_true(options.off_cpu && options.threads && !options.containers);
	assert_int_equal(typed_read(&profile_own_options,
				    "-e cycles --container abc --containers 1", &options, &err),
			 0);
	assert_true(options.cycles && options.containers);
	assert_string_equal(options.container, "abc");
	assert_null(options.filter);
	assert_int_equal(typed_read(&profile_own_options, "-F 9 proc.name=a and proc.pid=3 2",
				    &options, &err),
			 0);
	assert_string_equal(options.filter, "proc.name=a and proc.pid=3");
	assert_int_equal(options.duration_ns, 2000000000);
	profile_options_finish(&options);
	assert_null(options.filter);
	assert_int_equal(typed_read(&profile_own_options, "--help", &options, &err), 0);
	assert_true(options.help);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_options),
};

UNIT_GROUP(tests);
