/* SPDX-License-Identifier: MIT */
/* The list of views, and the verdict on their files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "printed.h"
#include "tree.h"
#include "unit.h"

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char view[] = "name: mine\ntitle: T\nquestion: What\nargs: [{name: a, example: '1'}]\n"
			   "filter: fd.num=${a}\nkeys: [proc.name]\n"
			   "values: [{name: n, aggregate: count}]\ndrill: [opens]\n";

static void lists_views(void **state)
{
	char path[TREE_PATH_BYTES], line[2 * TREE_PATH_BYTES];
	struct printed printed;
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "v/mine.yaml", view);
	tree_write(&tree, "v/wrong.yaml", "name: x\n");
	tree_path(&tree, "v", path);
	printed_expect_run("views opens", WORDS("VIEW", "opens", "Who opens files?"));
	snprintf(line, sizeof(line), "views --view-dir %s -o json mine", path);
	printed_run(line, &printed);
	assert_int_equal(printed.exit_code, 0);
	printed_expect(printed.out,
		       WORDS("{\"view\":\"mine\",\"title\":\"T\",\"question\":\"What\"",
			     "\"kind\":\"table\",\"filter\":\"fd.num=1\",\"args\":[\"a\"]",
			     "\"keys\":[\"proc.name\"],\"values\":[\"n\"],\"drill\":[\"opens\"]}"));
	printed_expect(printed.err, WORDS("wrong.yaml:1:1: error: a view needs a key 'title'"));
	printed_finish(&printed);
	printed_run("views mmine", &printed);
	assert_int_equal(printed.exit_code, 1);
	printed_finish(&printed);
	snprintf(line, sizeof(line), "views --view-dir %s -v whatt", path);
	printed_run(line, &printed);
	assert_int_equal(printed.exit_code, 1);
	printed_expect(printed.err, WORDS("no views match 'whatt'"));
	printed_finish(&printed);
	tree_destroy(&tree);
}

static void checks_files(void **state)
{
	char right[TREE_PATH_BYTES], wrong[TREE_PATH_BYTES], line[4 * TREE_PATH_BYTES];
	struct printed printed;
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "mine.yaml", view);
	tree_write(&tree, "b.yaml", "name: x\ntitle: t\nkeys: [proc.nam]\n");
	tree_path(&tree, "mine.yaml", right);
	tree_path(&tree, "b.yaml", wrong);
	snprintf(line, sizeof(line), "check-view %s", right);
	printed_expect_run(line, WORDS("mine.yaml: OK: a table of 1 keys and 1 values"));
	snprintf(line, sizeof(line), "check-view %s %s %s.not", wrong, right, right);
	printed_run(line, &printed);
	assert_int_equal(printed.exit_code, 1);
	printed_expect(printed.out, WORDS("b.yaml:3:8: error: unknown field 'proc.nam'",
					  "mine.yaml: OK", "mine.yaml.not: error"));
	printed_finish(&printed);
	printed_run("check-view", &printed);
	assert_int_equal(printed.exit_code, 2);
	printed_finish(&printed);
	tree_destroy(&tree);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(lists_views),
	cmocka_unit_test(checks_files),
};

UNIT_GROUP(tests);
