/* SPDX-License-Identifier: MIT */
/* Where bundles are found, and that the bundle of another container is never taken. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "meta/runtimes/bundle.h"
#include "meta/runtimes/document.h"

#include "tree.h"
#include "unit.h"

static struct tree tree;
static struct bundle bundle;
static struct error err;

static int setup(void **state)
{
	tree_create(&tree);
	bundle = (struct bundle){0};
	err = (struct error){""};
	return 0;
}

static int teardown(void **state)
{
	bundle_finish(&bundle);
	tree_destroy(&tree);
	return 0;
}

static int find(const char *id, const char *hint)
{
	bundle_finish(&bundle);
	return bundle_find(tree.path, &(struct meta_request){.id = id, .bundle = hint}, &bundle,
			   &err);
}

static void expect(const char *id, const char *hint, const char *path)
{
	assert_int_equal(find(id, hint), 0);
	assert_string_equal(bundle.path, path);
	assert_non_null(bundle.spec);
}

static void test_hint(void **state)
{
	tree_write(&tree, "odd/place/config.json", "{\"linux\": {\"cgroupsPath\": \"/x/web1\"}}");
	expect("web1", "/odd/place", "/odd/place");
}

/* The hint is what anybody may write on a command line. */
static void test_hint_of_another(void **state)
{
	tree_write(&tree, "odd/config.json", "{\"linux\": {\"cgroupsPath\": \"/x/web2\"}}");
	assert_int_equal(find("web1", "/odd"), -ENOENT);
	assert_null(bundle.spec);
	assert_int_equal(find("web1", "odd"), -ENOENT);
	assert_int_equal(find("web1", "/none"), -ENOENT);
	assert_string_equal(err.text, "");
}

/* A hint that leads nowhere does not hide the right place. */
static void test_default_place(void **state)
{
	static const char place[] = "run/containerd/io.containerd.runtime.v2.task/default/web1";
	char name[TREE_PATH_BYTES];

	snprintf(name, sizeof(name), "%s/config.json", place);
	tree_write(&tree, name, "{}");
	expect("web1", NULL, "/run/containerd/io.containerd.runtime.v2.task/default/web1");
	expect("web1", "/none", "/run/containerd/io.containerd.runtime.v2.task/default/web1");
	tree_write(&tree, "bad/config.json", "{");
	expect("web1", "/bad", "/run/containerd/io.containerd.runtime.v2.task/default/web1");
	assert_int_equal(find("web", NULL), -ENOENT);
}

static void test_notes(void **state)
{
	tree_write(&tree, "b/config.json", "{}");
	tree_write(&tree, "run/runc/one/state.json",
		   "{\"config\": {\"labels\": [\"x\", 7, \"bundle=/b\"]}}");
	tree_write(&tree, "run/crun/two/status", "{\"bundle\": \"/b\"}");
	tree_write(&tree, "run/runc/none/state.json", "{\"config\": {\"labels\": {}}}");
	expect("one", NULL, "/b");
	expect("two", NULL, "/b");
	assert_int_equal(find("none", NULL), -ENOENT);
}

static void test_odd_ids(void **state)
{
	tree_write(&tree, "run/containers/storage/overlay-containers/a/userdata/config.json", "{}");
	expect("a", NULL, "/run/containers/storage/overlay-containers/a/userdata");
	assert_int_equal(find("*", NULL), -ENOENT);
	assert_int_equal(find("[a]", NULL), -ENOENT);
	assert_int_equal(find("x/../a", NULL), -ENOENT);
	assert_int_equal(find("..", NULL), -ENOENT);
	assert_int_equal(find("", NULL), -ENOENT);
}

static void test_failure(void **state)
{
	tree_write(&tree, "bad/config.json", "{");
	assert_int_equal(find("a", "/bad"), -EBADMSG);
	assert_non_null(strstr(err.text, "/bad/config.json"));
	assert_null(bundle.spec);
}

static void test_own_folder(void **state)
{
	char path[PATH_MAX];

	tree_write(&tree, "b/config.json",
		   "{\"mounts\": [7, {\"destination\": \"/x\", \"source\": \"/d/id/x\"},"
		   " {\"destination\": \"/etc/hosts\", \"source\": \"/data/id/hosts\"}]}");
	expect("id", "/b", "/b");
	assert_true(bundle_own_folder(&bundle, "id", path));
	assert_string_equal(path, "/data/id");
	assert_false(bundle_own_folder(&bundle, "i", path));
	assert_false(bundle_own_folder(&bundle, "hosts", path));
	bundle_finish(&bundle);
	assert_false(bundle_own_folder(&bundle, "id", path));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_hint, setup, teardown),
	cmocka_unit_test_setup_teardown(test_hint_of_another, setup, teardown),
	cmocka_unit_test_setup_teardown(test_default_place, setup, teardown),
	cmocka_unit_test_setup_teardown(test_notes, setup, teardown),
	cmocka_unit_test_setup_teardown(test_odd_ids, setup, teardown),
	cmocka_unit_test_setup_teardown(test_failure, setup, teardown),
	cmocka_unit_test_setup_teardown(test_own_folder, setup, teardown),
};

UNIT_GROUP(tests);
