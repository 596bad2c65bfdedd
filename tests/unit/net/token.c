/* SPDX-License-Identifier: MIT */
/* When the token is read again, and what is no token. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/url.h"
#include "tree.h"
#include "unit.h"

#define SECOND UINT64_C(1000000000)

static struct tree tree;
static char path[TREE_PATH_BYTES];

static int setup(void **state)
{
	tree_create(&tree);
	tree_path(&tree, "token", path);
	return 0;
}

static int teardown(void **state)
{
	tree_destroy(&tree);
	return 0;
}

static void test_is_read_every_minute(void **state)
{
	struct net_token token = {.path = path};

	tree_write(&tree, "token", " first.one\n");
	assert_int_equal(net_token_refresh(&token, 100 * SECOND, NULL), 0);
	assert_string_equal(token.text, "first.one");
	tree_write(&tree, "token", "second\r\n\n");
	assert_int_equal(net_token_refresh(&token, 159 * SECOND, NULL), 0);
	assert_string_equal(token.text, "first.one");
	assert_int_equal(net_token_refresh(&token, 160 * SECOND, NULL), 0);
	assert_string_equal(token.text, "second");
	net_token_finish(&token);
}

static void test_rejected_one_is_read_again(void **state)
{
	struct net_token token = {.path = path};

	tree_write(&tree, "token", "first");
	assert_int_equal(net_token_refresh(&token, SECOND, NULL), 0);
	tree_write(&tree, "token", "second");
	token.rejected = true;
	assert_int_equal(net_token_refresh(&token, 2 * SECOND, NULL), 0);
	assert_string_equal(token.text, "second");
	assert_false(token.rejected);
	net_token_finish(&token);
}

/* Kubelet replaces the folder that a link leads to. */
static void test_link(void **state)
{
	struct net_token token = {.path = path};

	tree_write(&tree, "data/token", "linked");
	unlink(path);
	assert_int_equal(symlink("data/token", path), 0);
	assert_int_equal(net_token_refresh(&token, SECOND, NULL), 0);
	assert_string_equal(token.text, "linked");
	unlink(path);
	net_token_finish(&token);
}

static void test_old_one_stays(void **state)
{
	static char longer[TOKEN_BYTES_MAX + 2];
	const char *texts[] = {"", " \n", "two words", "a\x01", "a\nb", "\xc3\xa4", longer};
	struct net_token token = {.path = path};
	struct error err;

	memset(longer, 'a', sizeof(longer) - 1);
	tree_write(&tree, "token", "old");
	assert_int_equal(net_token_refresh(&token, SECOND, NULL), 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		tree_write(&tree, "token", texts[i]);
		token.rejected = true;
		assert_true(net_token_refresh(&token, SECOND, &err) < 0);
		assert_non_null(strstr(err.text, path));
		assert_string_equal(token.text, "old");
	}
	unlink(path);
	assert_int_equal(net_token_refresh(&token, 100 * SECOND, &err), -ENOENT);
	assert_string_equal(token.text, "old");
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(net_token_refresh(&token, 200 * SECOND, &err), -EINVAL);
	unlink(path);
	net_token_finish(&token);
	assert_null(token.text);
}

static void test_none(void **state)
{
	struct net_token token = {0};

	assert_int_equal(net_token_refresh(&token, SECOND, NULL), 0);
	assert_null(token.text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_is_read_every_minute),
	cmocka_unit_test(test_rejected_one_is_read_again),
	cmocka_unit_test(test_link),
	cmocka_unit_test(test_old_one_stays),
	cmocka_unit_test(test_none),
};

UNIT_GROUP(tests, .setup = setup, .teardown = teardown);
