/* SPDX-License-Identifier: MIT */
/* The files that threads of outputs can use, by the kind and the keys. */
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/reach.h"
#include "output/target.h"
#include "tree.h"
#include "unit.h"

struct own {
	const char *ca, *letters, *other;
};

#define MEMBER(member) offsetof(struct own, member)

static const struct output_key keys[] = {
	{"ca", "FILE", "", OUTPUT_FILE, MEMBER(ca)},
	{"letters", "FILE", "", OUTPUT_FILE_WRITTEN, MEMBER(letters)},
	{"other", "TEXT", "", OUTPUT_TEXT, MEMBER(other)},
	{0},
};
static const char *const file_names[] = {"file", NULL}, *const server_names[] = {"server", NULL},
			 *const stdout_names[] = {"stdout", NULL};
static const char *const variables[] = {"LANNER_TEST_FILE", "LANNER_TEST_OTHER", NULL};
static const struct output_kind file_kind = {
	.names = file_names,
	.uses = OUTPUT_USES_FOLDER,
};
static const struct output_kind server_kind = {
	.names = server_names,
	.uses = OUTPUT_USES_NETWORK,
	.keys = keys,
	.own_bytes = sizeof(struct own),
	.file_variables = variables,
	.passes_dotted = true,
};
static const struct output_kind stdout_kind = {
	.names = stdout_names,
	.uses = OUTPUT_USES_STDOUT,
};
static const struct output_kind *const kinds[] = {&file_kind, &server_kind, &stdout_kind, NULL};

static struct output_config *read_config(const char *text)
{
	struct output_config *config;
	struct error err = {""};

	if (output_config_read(kinds, text, &config, &err))
		fail_msg("%s", err.text);
	return config;
}

/* 'w', 'r', or '-': there is no rule for exactly that path. */
static char right_to(const struct output_reach *reach, const char *path)
{
	for (size_t i = 0; i < reach->count; i++)
		if (strcmp(reach->rules[i].path, path) == 0)
			return reach->rules[i].writes ? 'w' : 'r';
	return '-';
}

static size_t count_written(const struct output_reach *reach)
{
	size_t count = 0;

	for (size_t i = 0; i < reach->count; i++)
		count += reach->rules[i].writes;
	return count;
}

static void test_file(void **state)
{
	struct output_config *config = read_config("file:/nonexistent/folder/out.json,spool=/s/p");
	struct output_reach reach = {0}, spool = {0};

	output_reach_target(config, &reach);
	assert_int_equal(right_to(&reach, "/nonexistent/folder"), 'w');
	assert_int_equal(right_to(&reach, "/usr"), 'r');
	assert_int_equal(right_to(&reach, "/etc/hosts"), '-');
	assert_int_equal(right_to(&reach, "/s/p"), '-');
	assert_int_equal(count_written(&reach), 1);
	assert_true(output_reach_limits(&reach).reads);
	assert_ptr_equal(output_reach_limits(&reach).rules, reach.rules);
	assert_null(reach.rules[reach.count].path);
	output_reach_spool(config, &spool);
	assert_int_equal(right_to(&spool, "/s/p"), 'w');
	assert_int_equal(count_written(&spool), 1);
	output_reach_finish(&reach);
	output_reach_finish(&spool);
	output_config_destroy(config);
}

/* What is mounted over a folder is reached by the one above. */
static void test_spool_that_is_not_there(void **state)
{
	char folder[TREE_PATH_BYTES], text[TREE_PATH_BYTES + 32];
	struct output_reach reach = {0};
	struct output_config *config;
	struct tree tree;

	tree_create(&tree);
	tree_path(&tree, "mount", folder);
	assert_int_equal(mkdir(folder, 0700), 0);
	snprintf(text, sizeof(text), "file:x,spool=%s/data/spool", folder);
	config = read_config(text);
	output_reach_spool(config, &reach);
	assert_int_equal(right_to(&reach, tree.path), 'w');
	assert_int_equal(right_to(&reach, folder), '-');
	assert_int_equal(count_written(&reach), 2);
	output_reach_finish(&reach);
	output_config_destroy(config);
	/* One that is there is all. */
	snprintf(text, sizeof(text), "file:x,spool=%s", folder);
	config = read_config(text);
	output_reach_spool(config, &reach);
	assert_int_equal(count_written(&reach), 1);
	output_reach_finish(&reach);
	output_config_destroy(config);
	tree_destroy(&tree);
}

static void test_without_a_spool(void **state)
{
	struct output_config *config = read_config("file:x");
	struct output_reach reach = {0};

	output_reach_spool(config, &reach);
	assert_int_equal(reach.count, 0);
	assert_null(output_reach_limits(&reach).rules->path);
	output_reach_target(config, &reach);
	assert_int_equal(right_to(&reach, "."), 'w');
	output_reach_finish(&reach);
	output_config_destroy(config);
}

/* Names, certificates, and the files of keys, also where a link leads to. */
static void test_network(void **state)
{
	char text[3 * TREE_PATH_BYTES], from[TREE_PATH_BYTES], to[TREE_PATH_BYTES];
	struct output_reach reach = {0};
	struct output_config *config;
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "archive/ca3.pem", "");
	tree_write(&tree, "live/other", "");
	tree_path(&tree, "live/ca.pem", from);
	assert_int_equal(symlink("../archive/ca3.pem", from), 0);
	snprintf(text, sizeof(text),
		 "server:x,ca=%s,letters=/d/l,other=/not/this,ssl.ca=/k/ca.pem,"
		 "linger.ms=5",
		 from);
	setenv("LANNER_TEST_FILE", "/v/cert.pem", 1);
	setenv("LANNER_TEST_OTHER", "no path", 1);
	config = read_config(text);
	output_reach_target(config, &reach);
	tree_path(&tree, "live", from);
	tree_path(&tree, "archive", to);
	assert_int_equal(right_to(&reach, from), 'r');
	assert_int_equal(right_to(&reach, to), 'r');
	assert_int_equal(right_to(&reach, "/d"), 'w');
	assert_int_equal(right_to(&reach, "/k"), 'r');
	assert_int_equal(right_to(&reach, "/v"), 'r');
	assert_int_equal(right_to(&reach, "/not"), '-');
	assert_int_equal(right_to(&reach, "/etc/hosts"), 'r');
	assert_int_equal(right_to(&reach, "/etc/ssl"), 'r');
	assert_int_equal(count_written(&reach), 1);
	assert_string_equal(output_path_written(config, 0), "x");
	assert_string_equal(output_path_written(config, 1), "/d/l");
	assert_null(output_path_written(config, 2));
	output_reach_finish(&reach);
	output_config_destroy(config);
	tree_destroy(&tree);
}

static void expect_resolver(const struct tree *tree, const char *name, const char *expected)
{
	char path[TREE_PATH_BYTES], folder[TREE_PATH_BYTES];
	struct output_reach reach = {0};

	tree_path(tree, name, path);
	output_reach_resolver(path, &reach);
	tree_path(tree, expected, folder);
	assert_int_equal(reach.count, 1);
	assert_string_equal(reach.rules[0].path, folder);
	assert_false(reach.rules[0].writes);
	output_reach_finish(&reach);
}

/* The folder of the file; also of one that is not there before the network is. */
static void test_resolver(void **state)
{
	char path[TREE_PATH_BYTES];
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "etc/resolv.conf", "");
	tree_write(&tree, "run/resolve/stub", "");
	tree_write(&tree, "run/systemd/x", "");
	expect_resolver(&tree, "etc/resolv.conf", "etc");
	expect_resolver(&tree, "etc/missing", "etc");
	tree_path(&tree, "etc/link", path);
	assert_int_equal(symlink("../run/resolve/stub", path), 0);
	expect_resolver(&tree, "etc/link", "run/resolve");
	tree_path(&tree, "etc/future", path);
	assert_int_equal(symlink("../run/systemd/resolve/stub", path), 0);
	expect_resolver(&tree, "etc/future", "run/systemd");
	tree_destroy(&tree);
}

static void test_text(void **state)
{
	struct output_config *config = read_config("stdout:");
	struct output_reach reach = {0};
	struct buf text = {0};

	output_reach_append(&reach, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, "writes nothing");
	buf_clear(&text);
	output_reach_target(config, &reach);
	output_reach_append(&reach, &text);
	buf_append_char(&text, '\0');
	assert_non_null(strstr(text.data, "writes /proc/self/fd/1; reads /usr, "));
	buf_finish(&text);
	output_reach_finish(&reach);
	output_config_destroy(config);
}

/* Above files, spools and what else is written; not what stands at the path itself. */
static void test_make_folders(void **state)
{
	char text[3 * TREE_PATH_BYTES], path[TREE_PATH_BYTES];
	struct output_config *config;
	struct error err = {""};
	struct tree tree;
	struct stat folder;
	mode_t mask = umask(022);

	tree_create(&tree);
	tree_path(&tree, "a/b/log", path);
	snprintf(text, sizeof(text), "file:%s,spool=", path);
	tree_path(&tree, "c/d/spool/", text + strlen(text));
	config = read_config(text);
	assert_int_equal(output_make_folders(config, &err), 0);
	assert_int_equal(output_make_folders(config, &err), 0);
	tree_path(&tree, "a/b", path);
	assert_int_equal(stat(path, &folder), 0);
	assert_int_equal(folder.st_mode & 0777, 0755);
	tree_path(&tree, "a/b/log", path);
	assert_int_equal(access(path, F_OK), -1);
	tree_path(&tree, "c/d", path);
	assert_int_equal(access(path, F_OK), 0);
	tree_path(&tree, "c/d/spool", path);
	assert_int_equal(access(path, F_OK), -1);
	output_config_destroy(config);
	tree_path(&tree, "letters/x", path);
	snprintf(text, sizeof(text), "server:host,letters=%s", path);
	config = read_config(text);
	assert_int_equal(output_make_folders(config, &err), 0);
	tree_path(&tree, "letters", path);
	assert_int_equal(access(path, F_OK), 0);
	output_config_destroy(config);
	umask(mask);
	tree_destroy(&tree);
}

static void test_folders_that_cannot_be_made(void **state)
{
	struct output_config *config = read_config("file:/dev/null/a/log");
	struct error err = {""};

	assert_int_equal(output_make_folders(config, &err), -ENOTDIR);
	assert_non_null(strstr(err.text, "cannot make the folder /dev/null/a, for "));
	output_config_destroy(config);
}

static void test_files_that_are_read(void **state)
{
	char text[TREE_PATH_BYTES + 64], path[TREE_PATH_BYTES];
	struct output_config *config;
	struct error err = {""};
	struct tree tree;

	tree_create(&tree);
	tree_path(&tree, "ca.pem", path);
	snprintf(text, sizeof(text), "server:host,letters=/none/x,ca=%s", path);
	config = read_config(text);
	assert_int_equal(output_check_files(config, &err), -ENOENT);
	assert_non_null(strstr(err.text, "ca="));
	assert_non_null(strstr(err.text, "/ca.pem: No such file or directory"));
	tree_write(&tree, "ca.pem", "x");
	assert_int_equal(output_check_files(config, &err), 0);
	output_config_destroy(config);
	tree_destroy(&tree);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_file),
	cmocka_unit_test(test_spool_that_is_not_there),
	cmocka_unit_test(test_without_a_spool),
	cmocka_unit_test(test_network),
	cmocka_unit_test(test_resolver),
	cmocka_unit_test(test_text),
	cmocka_unit_test(test_files_that_are_read),
	cmocka_unit_test(test_make_folders),
	cmocka_unit_test(test_folders_that_cannot_be_made),
};

UNIT_GROUP(tests);
