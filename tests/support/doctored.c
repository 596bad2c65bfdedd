/* SPDX-License-Identifier: MIT */
#include "doctored.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "in_child.h"
#include "parsed.h"

enum { PASSED, FAILED, SKIPPED = 77 /* of a child */ };

int doctored_setup(void **state)
{
	static struct tree tree;

	tree_create(&tree);
	*state = &tree;
	return 0;
}

int doctored_teardown(void **state)
{
	tree_destroy(*state);
	return 0;
}

/* Returns whether it found that, and prints what else. */
static bool finds(const struct tree *tree, const char *line, doctor_run_check *check,
		  enum doctor_status status, const char *words)
{
	struct options options;
	struct doctor doctor = {&options, tree ? tree->path : ""};
	struct buf found = {0};
	enum doctor_status actual;
	bool is_right;

	parse_right(line, &options);
	actual = check(&doctor, &found);
	buf_append_char(&found, '\0');
	is_right = !found.failed && actual == status && strstr(found.data, words);
	if (!is_right)
		fprintf(stderr, "%s: %s, expected %s: %s\n", doctor_status_name(actual), found.data,
			doctor_status_name(status), words);
	buf_finish(&found);
	options_finish(&options);
	return is_right;
}

void doctored_expect(const struct tree *tree, const char *line, doctor_run_check *check,
		     enum doctor_status status, const char *words)
{
	assert_true(finds(tree, line, check, status, words));
}

void doctored_expect_child(int (*prepare)(void), doctor_run_check *check, enum doctor_status status,
			   const char *words)
{
	pid_t child = fork();
	int code;

	if (child == 0) {
		if (prepare())
			in_child_end(SKIPPED);
		in_child_end(finds(NULL, "doctor", check, status, words) ? PASSED : FAILED);
	}
	assert_int_equal(waitpid(child, &code, 0), child);
	assert_true(WIFEXITED(code));
	if (WEXITSTATUS(code) == SKIPPED)
		skip();
	assert_int_equal(WEXITSTATUS(code), PASSED);
}
