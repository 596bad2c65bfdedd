/* SPDX-License-Identifier: MIT */
/* Containers in the namespaces of containerd, and its events. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "meta/describe.h"
#include "meta/runtimes/containerd.h"
#include "meta/runtimes/containerd.pb-c.h"
#include "meta/source.h"

#include "packed.h"
#include "unit.h"

static const struct fake_answer not_found = {FAKE_GRPC, 5, NULL, 0};

static struct fake_answer pack_namespaces(const char *first, const char *second)
{
	Containerd__ListNamespacesResponse answer = CONTAINERD__LIST_NAMESPACES_RESPONSE__INIT;
	Containerd__Namespace namespaces[2] = {CONTAINERD__NAMESPACE__INIT,
					       CONTAINERD__NAMESPACE__INIT};

	namespaces[0].name = (char *)first;
	namespaces[1].name = (char *)second;
	answer.namespaces = (Containerd__Namespace *[]){&namespaces[0], &namespaces[1]};
	answer.n_namespaces = second ? 2 : 1;
	return pack(&answer.base);
}

/* One container, as the answer to a request for it, or of a list. */
static struct fake_answer pack_labelled(const char *id, const char *image, bool in_list,
					const char *kind)
{
	static char spec[] = "{\"process\": {\"capabilities\": {\"bounding\": []}},"
			     " \"linux\": {\"namespaces\": [{\"type\": \"pid\"}]}}";
	Containerd__GetContainerResponse answer = CONTAINERD__GET_CONTAINER_RESPONSE__INIT;
	Containerd__ListContainersResponse list = CONTAINERD__LIST_CONTAINERS_RESPONSE__INIT;
	Containerd__Container container = CONTAINERD__CONTAINER__INIT;
	Containerd__Timestamp created = CONTAINERD__TIMESTAMP__INIT;
	Containerd__Label label = CONTAINERD__LABEL__INIT, of_plugin = label;
	Containerd__Any any = CONTAINERD__ANY__INIT;

	label.key = "nerdctl/name";
	label.value = "web";
	of_plugin.key = "io.cri-containerd.kind";
	of_plugin.value = (char *)kind;
	any.value.data = (uint8_t *)spec;
	any.value.len = sizeof(spec) - 1;
	created.seconds = 7;
	created.nanos = 8;
	container.id = (char *)id;
	container.image = (char *)image;
	container.labels = (Containerd__Label *[]){&label, &of_plugin};
	container.n_labels = kind ? 2 : 1;
	container.spec = &any;
	container.created_at = &created;
	answer.container = &container;
	list.containers = (Containerd__Container *[]){&container};
	list.n_containers = 1;
	return in_list ? pack(&list.base) : pack(&answer.base);
}

static struct fake_answer pack_container(const char *id, const char *image, bool in_list)
{
	return pack_labelled(id, image, in_list, NULL);
}

/* The answers of a server; frees those that were packed. */
static struct state_container_info *info;

static int describe(struct fake_answer *answers, size_t count)
{
	struct fake_runtime *server = fake_runtime_start(answers, count);
	struct containerd containerd;
	struct http *http;
	int result;

	assert_int_equal(http_open(fake_runtime_path(server), &http, NULL), 0);
	containerd = (struct containerd){.grpc = {.http = http, .path = "socket"}};
	info = state_container_info_create();
	result = containerd_describe(&containerd, "c1", UINT64_MAX, info, NULL);
	assert_int_equal(fake_runtime_requests(server), count);
	http_close(http);
	fake_runtime_stop(server);
	for (size_t i = 0; i < count; i++)
		unpack(&answers[i]);
	return result;
}

static void test_describe(void **state)
{
	struct fake_answer answers[] = {pack_namespaces("default", "moby"),
					pack_container("c1", "docker.io/library/nginx:1", false)};

	assert_int_equal(describe(answers, 2), 0);
	assert_string_equal(info->name, "web");
	assert_string_equal(info->image.name, "docker.io/library/nginx:1");
	assert_string_equal(info->image.tag, "1");
	assert_int_equal(info->privileged, STATE_NO);
	assert_int_equal(info->host_pid, STATE_NO);
	assert_int_equal(info->host_network, STATE_YES);
	assert_int_equal(info->created_ns, 7000000008);
	assert_int_equal(info->type, STATE_CONTAINER_CONTAINERD);
	state_container_info_destroy(info);
}

static void test_other_namespaces(void **state)
{
	struct fake_answer of_kubernetes[] = {pack_namespaces("default", "k8s.io"), not_found,
					      pack_container("c1", "nginx:1", false)};
	struct fake_answer of_both[] = {pack_namespaces("a", "b"),
					pack_container("c1", "nginx:1", false),
					pack_container("c1", "redis:7", false)};
	struct fake_answer of_none[] = {pack_namespaces("a", "b"), not_found, not_found};

	assert_int_equal(describe(of_kubernetes, 3), META_SOURCE_SOME);
	assert_string_equal(info->image.name, "nginx:1");
	state_container_info_destroy(info);
	/* Nobody can say which of the two it is. */
	assert_int_equal(describe(of_both, 3), -ENOENT);
	assert_null(info->image.name);
	state_container_info_destroy(info);
	assert_int_equal(describe(of_none, 3), -ENOENT);
	state_container_info_destroy(info);
}

/* The labels of its plugin are no one else's; a sandbox has no image, and its labels are the pod's.
 */
static void test_of_kubernetes(void **state)
{
	static const struct {
		const char *kind;
		bool is_sandbox;
	} cases[] = {{"container", false}, {"sandbox", true}};

	for (size_t i = 0; i < 2; i++) {
		struct fake_answer answers[] = {
			pack_namespaces("k8s.io", NULL),
			pack_labelled("c1", "nginx:1", false, cases[i].kind)};
		const struct state_labels *labels;

		assert_int_equal(describe(answers, 2), META_SOURCE_SOME);
		labels = cases[i].is_sandbox ? &info->pod.labels : &info->labels;
		assert_int_equal(info->is_sandbox, cases[i].is_sandbox);
		assert_int_equal(!info->image.name, cases[i].is_sandbox);
		assert_int_equal(info->labels.count + info->pod.labels.count, 1);
		assert_int_equal(labels->count, 1);
		assert_string_equal(labels->items[0].name, "nerdctl/name");
		state_container_info_destroy(info);
	}
}

static void test_not_containerd(void **state)
{
	static const struct fake_answer answers[] = {{FAKE_GRPC, 12, NULL, 0}};
	struct fake_runtime *server = fake_runtime_start(answers, 1);
	struct containerd containerd;
	struct http *http;

	assert_int_equal(http_open(fake_runtime_path(server), &http, NULL), 0);
	assert_int_equal(containerd_init(&containerd, http, "socket", UINT64_MAX, NULL),
			 -EOPNOTSUPP);
	http_close(http);
	fake_runtime_stop(server);
}

static char listed[64];

static void add(void *data, const char *id, struct state_container_info *found, int known)
{
	size_t len = strlen(listed);

	snprintf(listed + len, sizeof(listed) - len, "%s %s %d|", id, found->image.name, known);
	state_container_info_destroy(found);
}

/* An id in two namespaces is left out. */
static void assert_list(const char *first, const char *second, const char *expected)
{
	struct fake_answer answers[] = {pack_namespaces("default", "build"),
					pack_container(first, "nginx:1", true),
					pack_container(second, "redis:7", true)};
	struct fake_runtime *server = fake_runtime_start(answers, 3);
	const struct runtime_list visitor = {add, NULL};
	struct containerd containerd;
	struct http *http;

	listed[0] = '\0';
	assert_int_equal(http_open(fake_runtime_path(server), &http, NULL), 0);
	containerd = (struct containerd){.grpc = {.http = http, .path = "socket"}};
	assert_int_equal(containerd_list(&containerd, UINT64_MAX, &visitor, NULL), 0);
	assert_string_equal(listed, expected);
	http_close(http);
	fake_runtime_stop(server);
	for (size_t i = 0; i < 3; i++)
		unpack(&answers[i]);
}

static void test_list(void **state)
{
	assert_list("c1", "c2", "c1 nginx:1 0|c2 redis:7 0|");
	assert_list("c1", "c1", "");
}

/* Those of others, which say more of them, are not asked for: there is one request. */
static void test_not_listed(void **state)
{
	struct fake_answer answers[] = {pack_namespaces("k8s.io", "moby")};
	struct fake_runtime *server = fake_runtime_start(answers, 1);
	const struct runtime_list visitor = {add, NULL};
	struct containerd containerd;
	struct http *http;

	listed[0] = '\0';
	assert_int_equal(http_open(fake_runtime_path(server), &http, NULL), 0);
	containerd = (struct containerd){.grpc = {.http = http, .path = "socket"}};
	assert_int_equal(containerd_list(&containerd, UINT64_MAX, &visitor, NULL), 0);
	assert_string_equal(listed, "");
	assert_int_equal(fake_runtime_requests(server), 1);
	http_close(http);
	fake_runtime_stop(server);
	unpack(&answers[0]);
}

static void assert_event(const char *ns, const char *topic, const char *id,
			 enum runtime_change change)
{
	Containerd__ContainerEvent inner = CONTAINERD__CONTAINER_EVENT__INIT;
	Containerd__Envelope message = CONTAINERD__ENVELOPE__INIT;
	struct runtime_events events = {0};
	struct fake_answer packed_inner, packed;
	Containerd__Any any = CONTAINERD__ANY__INIT;
	struct runtime_event event;

	inner.id = (char *)id;
	packed_inner = pack(&inner.base);
	any.value.data = (uint8_t *)packed_inner.bytes;
	any.value.len = packed_inner.len;
	message.ns = (char *)ns;
	message.topic = (char *)topic;
	message.event = &any;
	packed = pack(&message.base);
	assert_int_equal(containerd_begin_events(&events), 0);
	assert_string_equal(events.path, "/containerd.services.events.v1.Events/Subscribe");
	assert_true(events.decode(packed.bytes, packed.len, &event));
	assert_int_equal(event.change, change);
	if (change != RUNTIME_NO_CHANGE)
		assert_string_equal(event.id, id);
	assert_false(events.decode("\xff\xff", 2, &event));
	buf_finish(&events.body);
	unpack(&packed_inner);
	unpack(&packed);
}

static void test_events(void **state)
{
	assert_event("default", "/containers/create", "c1", RUNTIME_CHANGED);
	assert_event("default", "/containers/update", "c1", RUNTIME_CHANGED);
	assert_event("default", "/containers/delete", "c1", RUNTIME_REMOVED);
	assert_event("default", "/tasks/start", "c1", RUNTIME_NO_CHANGE);
	assert_event("moby", "/containers/create", "c1", RUNTIME_NO_CHANGE);
	assert_event("k8s.io", "/containers/create", "c1", RUNTIME_NO_CHANGE);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_describe),       cmocka_unit_test(test_other_namespaces),
	cmocka_unit_test(test_not_containerd), cmocka_unit_test(test_list),
	cmocka_unit_test(test_of_kubernetes),  cmocka_unit_test(test_not_listed),
	cmocka_unit_test(test_events),
};

UNIT_GROUP(tests);
