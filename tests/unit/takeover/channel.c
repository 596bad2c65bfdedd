/* SPDX-License-Identifier: MIT */
/* The connection of two agents: messages in pieces, silence, an end, and foreign users. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "takeover/channel.h"
#include "in_child.h"
#include "tree.h"
#include "unit.h"

enum { WAIT_MS = 60000, FOREIGN_USER = 65534 };

static struct tree tree;
static char path[TREE_PATH_BYTES];

static int setup(void **state)
{
	tree_create(&tree);
	tree_path(&tree, "agent.pid.sock", path);
	return 0;
}

static int teardown(void **state)
{
	tree_destroy(&tree);
	return 0;
}

struct pair {
	int listener;
	struct channel old, fresh;
};

static void connect_pair(struct pair *pair)
{
	pair->listener = channel_listen(path, NULL);
	assert_true(pair->listener >= 0);
	assert_int_equal(channel_accept(pair->listener, &pair->old, NULL), -EAGAIN);
	assert_int_equal(channel_connect(path, &pair->fresh, NULL), 0);
	assert_int_equal(channel_accept(pair->listener, &pair->old, NULL), 0);
}

static void close_pair(struct pair *pair)
{
	channel_close(&pair->old);
	channel_close(&pair->fresh);
	close(pair->listener);
}

static void test_path(void **state)
{
	struct buf name = {0};
	char text[200];

	assert_int_equal(channel_path("/run/agent.pid", &name), 0);
	assert_string_equal(name.data, "/run/agent.pid.sock");
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(channel_path(text, &name), -ENAMETOOLONG);
	buf_finish(&name);
}

static void test_messages(void **state)
{
	const struct takeover_message go = {.kind = TAKEOVER_GO, .pid = 7},
				       hello = {.kind = TAKEOVER_HELLO, .pid = 8};
	struct takeover_message message;
	struct pair pair;

	connect_pair(&pair);
	assert_int_equal(channel_receive(&pair.old, 0, &message, NULL), 0);
	assert_int_equal(channel_send(&pair.fresh, &hello, WAIT_MS, NULL), 0);
	assert_int_equal(channel_send(&pair.fresh, &go, WAIT_MS, NULL), 0);
	assert_int_equal(channel_receive(&pair.old, WAIT_MS, &message, NULL), 1);
	assert_int_equal(message.kind, TAKEOVER_HELLO);
	assert_int_equal(message.pid, 8);
	assert_int_equal(channel_receive(&pair.old, WAIT_MS, &message, NULL), 1);
	assert_int_equal(message.kind, TAKEOVER_GO);
	assert_int_equal(channel_receive(&pair.old, 0, &message, NULL), 0);
	close_pair(&pair);
}

static void test_pieces(void **state)
{
	const struct takeover_message hello = {.kind = TAKEOVER_HELLO, .pid = 8};
	struct takeover_message message;
	struct buf bytes = {0};
	struct pair pair;

	connect_pair(&pair);
	takeover_encode(&hello, &bytes);
	for (size_t i = 0; i < bytes.len; i++) {
		assert_int_equal(channel_receive(&pair.old, 0, &message, NULL), 0);
		assert_int_equal(send(pair.fresh.fd, bytes.data + i, 1, 0), 1);
	}
	assert_int_equal(channel_receive(&pair.old, WAIT_MS, &message, NULL), 1);
	buf_finish(&bytes);
	close_pair(&pair);
}

static void test_the_other_one_ends(void **state)
{
	struct takeover_message message;
	struct error err = {""};
	struct pair pair;

	connect_pair(&pair);
	channel_close(&pair.fresh);
	assert_false(channel_is_open(&pair.fresh));
	assert_int_equal(channel_receive(&pair.old, WAIT_MS, &message, &err), -ECONNRESET);
	assert_non_null(strstr(err.text, "closed"));
	close_pair(&pair);
}

static void test_garbage(void **state)
{
	struct takeover_message message;
	struct error err = {""};
	struct pair pair;

	connect_pair(&pair);
	assert_int_equal(send(pair.fresh.fd, "GET / HTTP/1.1\r\n", 16, 0), 16);
	assert_int_equal(channel_receive(&pair.old, WAIT_MS, &message, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "not of an agent"));
	close_pair(&pair);
}

/* Who does not read costs no more than the time that was given. */
static void test_no_reader(void **state)
{
	struct takeover_message message = {.kind = TAKEOVER_REACHED};
	struct error err = {""};
	struct pair pair;
	int code = 0;

	connect_pair(&pair);
	message.events_count = BOUNDARY_SEEN_MAX;
	message.events = calloc(message.events_count, sizeof(*message.events));
	for (int i = 0; i < 100 && code == 0; i++)
		code = channel_send(&pair.old, &message, 20, &err);
	assert_int_equal(code, -ETIMEDOUT);
	takeover_message_finish(&message);
	close_pair(&pair);
}

static void test_nobody_listens(void **state)
{
	struct channel channel;
	struct error err = {""};

	assert_int_equal(channel_connect(path, &channel, &err), -ENOENT);
	assert_non_null(strstr(err.text, path));
	close(channel_listen(path, NULL));
	assert_int_equal(channel_connect(path, &channel, &err), -ECONNREFUSED);
	/* What was left behind is replaced. */
	close(channel_listen(path, NULL));
}

static void test_a_file_is_not_replaced(void **state)
{
	struct error err = {""};

	tree_write(&tree, "agent.pid.sock", "text");
	assert_int_equal(channel_listen(path, &err), -EADDRINUSE);
}

static int connect_as_another(void *context)
{
	struct channel channel;

	EXPECT(setuid(FOREIGN_USER) == 0);
	/* Nor does it take over from an agent of another user than root. */
	EXPECT(channel_connect(path, &channel, NULL) == 0);
	return 0;
}

static void test_foreign_users(void **state)
{
	struct channel channel;
	struct error err = {""};
	struct stat st;
	int listener = channel_listen(path, NULL), code = -EAGAIN;

	if (geteuid())
		skip();
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	/* As if the permissions were no obstacle. */
	assert_int_equal(chmod(path, 0777), 0);
	assert_int_equal(chmod(tree.path, 0755), 0);
	in_child(connect_as_another, NULL);
	code = channel_accept(listener, &channel, &err);
	assert_int_equal(code, -EPERM);
	assert_non_null(strstr(err.text, "65534"));
	close(listener);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_path, setup, teardown),
	cmocka_unit_test_setup_teardown(test_messages, setup, teardown),
	cmocka_unit_test_setup_teardown(test_pieces, setup, teardown),
	cmocka_unit_test_setup_teardown(test_the_other_one_ends, setup, teardown),
	cmocka_unit_test_setup_teardown(test_garbage, setup, teardown),
	cmocka_unit_test_setup_teardown(test_no_reader, setup, teardown),
	cmocka_unit_test_setup_teardown(test_nobody_listens, setup, teardown),
	cmocka_unit_test_setup_teardown(test_a_file_is_not_replaced, setup, teardown),
	cmocka_unit_test_setup_teardown(test_foreign_users, setup, teardown),
};

UNIT_GROUP(tests);
