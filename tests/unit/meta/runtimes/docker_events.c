/* SPDX-License-Identifier: MIT */
/* Docker's list, and what its events mean. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "meta/describe.h"
#include "meta/source.h"
#include "meta/runtimes/docker_api.h"

#include "fake_runtime.h"
#include "unit.h"

static struct state_container_info *added[4];
static char ids[4][8];
static size_t count;

static void add(void *data, const char *id, struct state_container_info *info, int known)
{
	assert_int_equal(known, META_SOURCE_PART);
	assert_true(count < 4);
	strncpy(ids[count], id, sizeof(ids[0]) - 1);
	added[count++] = info;
}

/* Lists what a daemon answers. Returns the result. */
static int list(int status, const char *text, struct error *err)
{
	const struct fake_answer answers[] = {{FAKE_JSON, 200, "OK", 0},
					      {FAKE_JSON, status, text, 0}};
	struct fake_runtime *server = fake_runtime_start(answers, 2);
	const struct runtime_list visitor = {add, NULL};
	struct docker_api docker;
	struct http *http;
	int result;

	count = 0;
	assert_int_equal(http_open(fake_runtime_path(server), &http, NULL), 0);
	assert_int_equal(docker_api_init(&docker, http, "socket", UINT64_MAX, NULL), 0);
	result = docker_events_list(&docker, UINT64_MAX, &visitor, err);
	assert_string_equal(fake_runtime_request(server, 1),
			    "GET /v1.41/containers/json?all=1 HTTP/1.1");
	docker_api_finish(&docker);
	http_close(http);
	fake_runtime_stop(server);
	return result;
}

static void end_list(void)
{
	while (count)
		state_container_info_destroy(added[--count]);
}

static void test_list(void **state)
{
	assert_int_equal(list(200,
			      "[{\"Id\": \"c1\", \"Names\": [\"/web\"], \"Image\": \"nginx:1\","
			      " \"ImageID\": \"sha256:1a2b3c\", \"Labels\": {\"app\": \"a\xff\"},"
			      " \"NetworkSettings\": {\"Networks\": {\"x\": {\"IPAddress\": "
			      "\"10.0.0.1\"}}}},"
			      " {\"Names\": [\"/no-id\"]}, 7,"
			      " {\"Id\": \"c2\", \"Names\": null, \"Image\": \"1a2b\","
			      " \"ImageID\": \"sha256:1a2b3c\"}]",
			      NULL),
			 -EBADMSG);
	end_list();
	assert_int_equal(list(200,
			      "[{\"Id\": \"c1\", \"Names\": [\"/web\"], \"Image\": \"nginx:1\","
			      " \"ImageID\": \"sha256:1a2b3c\", \"Labels\": {\"app\": \"a\"},"
			      " \"NetworkSettings\": {\"Networks\": {\"x\": {\"IPAddress\": "
			      "\"10.0.0.1\"}}}},"
			      " {\"Names\": [\"/no-id\"]}, 7,"
			      " {\"Id\": \"c2\", \"Names\": null, \"Image\": \"1a2b\","
			      " \"ImageID\": \"sha256:1a2b3c\"}]",
			      NULL),
			 0);
	assert_int_equal(count, 2);
	assert_string_equal(ids[0], "c1");
	assert_string_equal(added[0]->name, "web");
	assert_string_equal(added[0]->image.name, "nginx:1");
	assert_string_equal(added[0]->image.id, "1a2b3c");
	assert_string_equal(added[0]->ip, "10.0.0.1");
	assert_string_equal(describe_label(&added[0]->labels, "app"), "a");
	assert_int_equal(added[0]->privileged, STATE_UNKNOWN);
	/* The image has lost its name to another one since. */
	assert_string_equal(ids[1], "c2");
	assert_null(added[1]->name);
	assert_null(added[1]->image.name);
	assert_string_equal(added[1]->image.id, "1a2b3c");
	end_list();
}

/* Who made one image cannot hide the containers of others, nor the name of his own. */
static void test_bad_key(void **state)
{
	assert_int_equal(list(200,
			      "[{\"Id\": \"c1\", \"Labels\": {\"a\\u0000b\": \"x\", \"c\": \"y\"},"
			      " \"Names\": [\"/bad\"]},"
			      " {\"Id\": \"c2\", \"Names\": [\"/web\"]}]",
			      NULL),
			 0);
	assert_int_equal(count, 2);
	assert_string_equal(added[0]->name, "bad");
	assert_int_equal(added[0]->labels.count, 1);
	assert_string_equal(describe_label(&added[0]->labels, "c"), "y");
	assert_string_equal(added[1]->name, "web");
	end_list();
}

static void test_bad_lists(void **state)
{
	struct error err = {0};

	assert_int_equal(list(200, "{}", NULL), 0);
	assert_int_equal(count, 0);
	assert_int_equal(list(404, "[]", &err), -EPROTO);
	assert_string_not_equal(err.text, "");
	assert_int_equal(list(500, "[]", NULL), -EPROTO);
}

static void assert_event(const char *text, bool readable, enum runtime_change change,
			 const char *id)
{
	struct runtime_events events = {0};
	struct runtime_event event;

	assert_int_equal(docker_events_begin(&(struct docker_api){.version = "/v1.44"}, &events),
			 0);
	assert_string_equal(
		events.path,
		"/v1.44/"
		"events?filters=%7B%22type%22:%5B%22container%22%5D,%22event%22:%5B%22create%22,"
		"%22start%22,%22rename%22,%22destroy%22,%22remove%22%5D%7D");
	assert_int_equal(events.body.len, 0);
	assert_int_equal(events.decode(text, strlen(text), &event), readable);
	assert_int_equal(event.change, change);
	if (id)
		assert_string_equal(event.id, id);
}

static void test_events(void **state)
{
	assert_event("{\"Action\": \"create\", \"Actor\": {\"ID\": \"c1\"}}", true, RUNTIME_CHANGED,
		     "c1");
	assert_event("{\"Action\": \"rename\", \"Actor\": {\"ID\": \"c1\"}}", true, RUNTIME_CHANGED,
		     "c1");
	assert_event("{\"Action\": \"destroy\", \"Actor\": {\"ID\": \"c1\"}}", true,
		     RUNTIME_REMOVED, "c1");
	assert_event("{\"Action\": \"remove\", \"Actor\": {\"ID\": \"c1\"}}", true, RUNTIME_REMOVED,
		     "c1");
	assert_event("{\"Action\": \"exec_die\", \"Actor\": {\"ID\": \"c1\"}}", true,
		     RUNTIME_NO_CHANGE, NULL);
	assert_event("{\"Action\": \"create\"}", true, RUNTIME_NO_CHANGE, NULL);
	assert_event("{\"Action\": 7}", true, RUNTIME_NO_CHANGE, NULL);
	assert_event("[]", true, RUNTIME_NO_CHANGE, NULL);
	assert_event("\xff\xfe", false, RUNTIME_NO_CHANGE, NULL);
	assert_event("{", false, RUNTIME_NO_CHANGE, NULL);
}

static void test_long_id(void **state)
{
	char id[RUNTIME_ID_BYTES + 1], text[sizeof(id) + 64];

	memset(id, 'a', sizeof(id) - 1);
	id[sizeof(id) - 1] = '\0';
	snprintf(text, sizeof(text), "{\"Action\": \"create\", \"Actor\": {\"ID\": \"%s\"}}", id);
	assert_event(text, true, RUNTIME_NO_CHANGE, NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_list),	  cmocka_unit_test(test_bad_key),
	cmocka_unit_test(test_bad_lists), cmocka_unit_test(test_events),
	cmocka_unit_test(test_long_id),
};

UNIT_GROUP(tests);
