/* SPDX-License-Identifier: MIT */
/* The options of the command profile. */
#include "agent/tools/profile_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

enum { WORDS_MAX = 16 };

/* Words that are separated by blanks. */
static int read_words(const char *text, struct profile_options *options, struct error *err)
{
	static char memory[256];
	static char *words[WORDS_MAX];
	char *rest = memory;
	int n = 0;

	snprintf(memory, sizeof(memory), "profile %s", text);
	while (n < WORDS_MAX - 1 && (words[n] = strsep(&rest, " ")))
		n += words[n][0] != '\0';
	words[n] = NULL;
	return profile_options_read(n, words, options, err);
}

static void reads_options(void **state)
{
	struct profile_options options;
	struct error err = {""};

	assert_int_equal(read_words("10", &options, &err), 0);
	assert_int_equal(options.frequency_hz, 99);
	assert_int_equal(options.duration_ns, 10000000000);
	assert_false(options.off_cpu || options.wall || options.cycles);
	assert_int_equal(read_words("-F 997 -p 3,17 -p 4 --off-cpu -o folded -w file --threads 0.5",
				    &options, &err),
			 0);
	assert_int_equal(options.frequency_hz, 997);
	assert_int_equal(options.duration_ns, 500000000);
	assert_int_equal(options.pids_count, 3);
	assert_int_equal(options.pids[1], 17);
	assert_int_equal(options.format, PROFILE_FOLDED);
	assert_string_equal(options.write, "file");
	assert_true(options.off_cpu && options.threads && !options.containers);
	assert_int_equal(read_words("-e cycles --container abc --containers 1", &options, &err), 0);
	assert_true(options.cycles && options.containers);
	assert_string_equal(options.container, "abc");
	assert_null(options.filter);
	assert_int_equal(read_words("-F 9 proc.name=a and proc.pid=3 2", &options, &err), 0);
	assert_string_equal(options.filter, "proc.name=a and proc.pid=3");
	assert_int_equal(options.duration_ns, 2000000000);
	profile_options_finish(&options);
	assert_null(options.filter);
	assert_int_equal(read_words("--help", &options, &err), 0);
	assert_true(options.help);
}

static void rejects_what_does_not_fit(void **state)
{
	static const struct {
		const char *words, *message;
	} rows[] = {
		{"", "needs one time"},
		{"1 x", "which comes last"},
		{"proc.name=a", "which comes last"},
		{"x", "no time in seconds"},
		{"-F 0 1", "expected a number from 1"},
		{"-F 50001 1", "at most 50000"},
		{"-p x 1", "no list of processes"},
		{"-e instructions 1", "expected cpu-clock or cycles"},
		{"-e cycles --wall 1", "not both -e cycles"},
		{"-e cycles --off-cpu 1", "not both -e cycles"},
		{"-o none 1", "-o none"},
		{"-zF 99 2", "profile: -z: unknown option"},
		{"-vz 2", "profile: -z: unknown option"},
		{"2 -F", "which comes last"},
		{"-F", "-F needs a value"},
		{"--frek 9 2", "--frek: unknown option (did you mean --freq?)"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct profile_options options;
		struct error err = {""};

		assert_int_equal(read_words(rows[i].words, &options, &err), -EINVAL);
		if (!strstr(err.text, rows[i].message))
			fail_msg("%s: %s", rows[i].words, err.text);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_options),
	cmocka_unit_test(rejects_what_does_not_fit),
};

UNIT_GROUP(tests);
