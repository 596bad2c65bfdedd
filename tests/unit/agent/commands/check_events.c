/* SPDX-License-Identifier: MIT */
/* Perf events in configuration files that this machine has not; its tracefs is the test's. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "printed.h"
#include "tree.h"
#include "unit.h"
#include "util/count.h"
#include "util/kernel_fs.h"

static const char *tracefs; /* NULL: it cannot be read */

/* In place of the one that mounts it. */
int kernel_fs_open(const char *type, const char *folder, const char *entry)
{
	int fd = tracefs ? open(tracefs, O_PATH | O_DIRECTORY | O_CLOEXEC) : -EPERM;

	return fd == -1 ? -errno : fd;
}

static void check(const struct tree *tree, const char *text, int exit_code, const char *word)
{
	char path[TREE_PATH_BYTES], line[TREE_PATH_BYTES + 32];
	struct printed printed;

	tree_write(tree, "a.yaml", text);
	tree_path(tree, "a.yaml", path);
	assert_int_equal(chmod(path, 0644), 0);
	snprintf(line, sizeof(line), "check-config %s", path);
	printed_run(line, &printed);
	assert_int_equal(printed.exit_code, exit_code);
	printed_expect(printed.out, (const char *const[]){word, NULL});
	printed_finish(&printed);
}

/* They may be there where events are captured, which the checker does not know without tracefs. */
static void warns_of_what_another_machine_may_have(void **state)
{
	static const char *const texts[] = {
		"sample: page-fautls\n",
		"tracepoint: sched:sched_switch\n",
		"probe: u:/nosuch:main\n",
		"container-counters: page-fautls\nhttp: 127.0.0.1:9100\n",
	};
	struct tree tree;

	tree_create(&tree);
	tracefs = NULL;
	for (size_t i = 0; i < COUNT(texts); i++)
		check(&tree, texts[i], 0, ": warning: ");
	tracefs = tree.path;
	for (size_t i = 0; i < COUNT(texts); i++)
		check(&tree, texts[i], 1, ": error: ");
	tree_destroy(&tree);
}

static void rejects_what_is_wrong_everywhere(void **state)
{
	static const char *const texts[] = {
		"sample: cs/freq=9,period=9/\n",
		"sample: 'cs:x'\n",
		"probe: cs\n",
		"container-counters: 'cs:b'\nhttp: 127.0.0.1:9100\n",
	};
	struct tree tree;

	tree_create(&tree);
	tracefs = NULL;
	for (size_t i = 0; i < COUNT(texts); i++)
		check(&tree, texts[i], 1, ": error: ");
	tree_destroy(&tree);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(warns_of_what_another_machine_may_have),
	cmocka_unit_test(rejects_what_is_wrong_everywhere),
};

UNIT_GROUP(tests);
