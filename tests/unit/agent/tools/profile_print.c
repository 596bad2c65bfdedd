/* SPDX-License-Identifier: MIT */
/* Each format of a profile, in a file; and what is compared with an earlier one. */
#include "agent/tools/profile_print.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "profiled.h"
#include "tree.h"
#include "unit.h"

static struct tree tree;

/* The beginning of the file that is written of a profile of two stacks without names. */
static const char *print_profile(struct profile_options options)
{
	static char text[1 << 16];
	char path[TREE_PATH_BYTES];
	struct profile_printing printing = {&options,
					    open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	struct profile_output output = {0};
	struct stacks stacks;
	struct error err = {""};
	int r;
	FILE *file;
	size_t len;

	tree_path(&tree, "profile", path);
	options.write = path;
	profiled_create(&stacks);
	profiled_add(&stacks, 0, NULL, (const uint64_t[]){2, 1, 0}, 5);
	profiled_add(&stacks, 1, NULL, (const uint64_t[]){1, 0}, 7);
	r = profile_output_open(&options, &output, &err);
	if (r == 0)
		r = profile_print(&printing, &output, &stacks, &err);
	profile_output_close(&output);
	stacks_finish(&stacks);
	close(printing.proc);
	if (r) {
		snprintf(text, sizeof(text), "%s", err.text);
		return text;
	}
	file = fopen(path, "r");
	assert_non_null(file);
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[len] = '\0';
	return text;
}

static void writes_each_format(void **state)
{
	static const struct {
		enum profile_format format;
		const char *part;
	} rows[] = {
		{PROFILE_CHOOSE, "one;[one];[one] 5\ntwo:x;[one] 7\n"},
		{PROFILE_FOLDED, "one;[one];[one] 5\ntwo:x;[one] 7\n"},
		{PROFILE_TOP, "  12 100.00 %            12 100.00 %  [one]\n"},
		{PROFILE_SPEEDSCOPE, "\"name\":\"CPU time\""},
		{PROFILE_PPROF, "\x1f\x8b"},
		{PROFILE_SVG, ">CPU time</text>"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct profile_options options = {.format = rows[i].format};
		const char *text = print_profile(options);

		if (!strstr(text, rows[i].part))
			fail_msg("row %zu: %s", i, text);
	}
}

static void says_what_it_is_of(void **state)
{
	static const struct {
		struct profile_options options;
		const char *title;
	} rows[] = {
		{{.format = PROFILE_SVG}, ">12 samples, cpu-clock at 100 Hz for 2.0 s</text>"},
		{{.format = PROFILE_SVG, .cycles = true}, ">CPU cycles</text>"},
		{{.format = PROFILE_SVG, .off_cpu = true}, ">Time off the CPU</text>"},
		{{.format = PROFILE_SVG, .wall = true}, ">Time on the CPU and off it</text>"},
		{{.format = PROFILE_SVG, .pids = {7}, .pids_count = 1}, "CPU time of process 7<"},
		{{.format = PROFILE_SVG, .pids = {7, 8}, .pids_count = 2},
		 "CPU time of processes 7, ..<"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_non_null(strstr(print_profile(rows[i].options), rows[i].title));
}

static void compares_with_an_earlier_one(void **state)
{
	char path[TREE_PATH_BYTES];
	struct profile_options options = {.format = PROFILE_FOLDED, .before = path};

	tree_write(&tree, "before", "one;[one];[one] 9\nthree 1\n");
	tree_path(&tree, "before", path);
	assert_string_equal(print_profile(options),
			    "one;[one];[one] 9 5\nthree 1 0\ntwo:x;[one] 0 7\n");
	options.format = PROFILE_SVG;
	assert_non_null(strstr(print_profile(options), "before: 90.00 %"));
	tree_write(&tree, "before", "none\n");
	assert_non_null(strstr(print_profile(options), "line 1 is no folded stack"));
	tree_path(&tree, "missing", path);
	assert_non_null(strstr(print_profile(options), "No such file"));
}

static void compares_only_where_it_can(void **state)
{
	static const struct {
		char *format;
		bool can;
	} rows[] = {{"svg", true},    {"folded", true},	     {"top", true},
		    {"pprof", false}, {"speedscope", false}, {"otlp", false}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *argv[] = {"profile", "--before", "file", "-o", rows[i].format, "1", NULL};
		struct profile_options options;
		struct error err;

		optind = 0;
		assert_int_equal(own_options_read(&profile_own_options, 6, argv, &options, &err) ==
					 0,
				 rows[i].can);
	}
}

static int create_folder(void **state)
{
	tree_create(&tree);
	return 0;
}

static int destroy_folder(void **state)
{
	tree_destroy(&tree);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(writes_each_format),
	cmocka_unit_test(says_what_it_is_of),
	cmocka_unit_test(compares_with_an_earlier_one),
	cmocka_unit_test(compares_only_where_it_can),
};

UNIT_GROUP(tests, .setup = create_folder, .teardown = destroy_folder);
