/* SPDX-License-Identifier: MIT */
/* The list of the Container Runtime Interface, and what its events mean. */
#include <errno.h>
#include <string.h>

#include "meta/describe.h"
#include "meta/source.h"
#include "meta/runtimes/cri.h"

#include "packed.h"
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

static struct fake_answer pack_sandboxes(void)
{
	Cri__ListPodSandboxResponse answer = CRI__LIST_POD_SANDBOX_RESPONSE__INIT;
	Cri__PodSandboxMetadata metadata = CRI__POD_SANDBOX_METADATA__INIT;
	Cri__PodSandbox sandbox = CRI__POD_SANDBOX__INIT;
	Cri__Text label = CRI__TEXT__INIT;

	metadata.name = "web-5c4f";
	metadata.namespace_ = "shop";
	metadata.uid = "u1";
	label.key = "team";
	label.value = "blue";
	sandbox.id = "s1";
	sandbox.metadata = &metadata;
	sandbox.labels = (Cri__Text *[]){&label};
	sandbox.n_labels = 1;
	answer.items = (Cri__PodSandbox *[]){&sandbox};
	answer.n_items = 1;
	return pack(&answer.base);
}

static struct fake_answer pack_containers(void)
{
	Cri__ListContainersResponse answer = CRI__LIST_CONTAINERS_RESPONSE__INIT;
	Cri__Container containers[2] = {CRI__CONTAINER__INIT, CRI__CONTAINER__INIT};
	Cri__ContainerMetadata metadata = CRI__CONTAINER_METADATA__INIT;
	Cri__ImageSpec images[2] = {CRI__IMAGE_SPEC__INIT, CRI__IMAGE_SPEC__INIT};

	metadata.name = "main";
	images[0].image = "nginx:1";
	images[1].image = "sha256:1a2b";
	containers[0].id = "c1";
	containers[0].pod_sandbox_id = "s1";
	containers[0].metadata = &metadata;
	containers[0].image = &images[0];
	containers[0].image_ref = "nginx@sha256:cd";
	containers[0].image_id = "sha256:1a2b";
	containers[1].id = "c2";
	containers[1].pod_sandbox_id = "gone";
	containers[1].image = &images[1];
	containers[1].image_ref = "sha256:1a2b";
	answer.containers = (Cri__Container *[]){&containers[0], &containers[1]};
	answer.n_containers = 2;
	return pack(&answer.base);
}

/* Lists what two answers say. Returns the result. */
static int list(const struct fake_answer *answers)
{
	struct fake_runtime *server = fake_runtime_start(answers, 2);
	const struct runtime_list visitor = {add, NULL};
	struct http *http;
	struct cri cri;
	int result;

	assert_int_equal(http_open(fake_runtime_path(server), &http, NULL), 0);
	cri = (struct cri){.grpc = {.http = http, .path = "socket"}, .type = STATE_CONTAINER_CRIO};
	result = cri_events_list(&cri, UINT64_MAX, &visitor, NULL);
	http_close(http);
	fake_runtime_stop(server);
	return result;
}

static void test_list(void **state)
{
	struct fake_answer answers[] = {pack_sandboxes(), pack_containers()};

	assert_int_equal(list(answers), 0);
	assert_int_equal(count, 3);
	assert_string_equal(ids[0], "s1");
	assert_true(added[0]->is_sandbox);
	assert_string_equal(added[0]->pod.name, "web-5c4f");
	assert_string_equal(ids[1], "c1");
	assert_false(added[1]->is_sandbox);
	assert_int_equal(added[1]->type, STATE_CONTAINER_CRIO);
	assert_string_equal(added[1]->name, "main");
	assert_string_equal(added[1]->image.name, "nginx:1");
	assert_string_equal(added[1]->image.id, "1a2b");
	assert_string_equal(added[1]->image.digest, "sha256:cd");
	assert_string_equal(added[1]->pod.name, "web-5c4f");
	assert_string_equal(added[1]->pod.ns, "shop");
	assert_string_equal(added[1]->pod.uid, "u1");
	assert_string_equal(added[1]->pod.sandbox_id, "s1");
	assert_string_equal(describe_label(&added[1]->pod.labels, "team"), "blue");
	/* Its sandbox is gone, and its image has no name any more. */
	assert_string_equal(ids[2], "c2");
	assert_null(added[2]->pod.name);
	assert_null(added[2]->image.name);
	assert_string_equal(added[2]->image.id, "1a2b");
	while (count)
		state_container_info_destroy(added[--count]);
	unpack(&answers[0]);
	unpack(&answers[1]);
}

static void test_failed_list(void **state)
{
	struct fake_answer answers[] = {pack_sandboxes(), {FAKE_GRPC, 14, NULL, 0}};

	assert_int_equal(list(answers), -EREMOTEIO);
	assert_int_equal(count, 0);
	unpack(&answers[0]);
}

static void assert_event(int type, const char *id, enum runtime_change change)
{
	Cri__ContainerEvent message = CRI__CONTAINER_EVENT__INIT;
	struct runtime_events events = {0};
	struct runtime_event event;
	struct fake_answer packed;

	message.container_id = (char *)id;
	message.type = (Cri__ContainerEventType)type;
	packed = pack(&message.base);
	assert_int_equal(cri_events_begin(&events), 0);
	assert_string_equal(events.path, "/runtime.v1.RuntimeService/GetContainerEvents");
	assert_int_equal(events.body.len, 5);
	assert_true(events.decode(packed.bytes, packed.len, &event));
	assert_int_equal(event.change, change);
	if (change != RUNTIME_NO_CHANGE)
		assert_string_equal(event.id, id);
	assert_false(events.decode("\xff\xff", 2, &event));
	assert_int_equal(event.change, RUNTIME_NO_CHANGE);
	buf_finish(&events.body);
	unpack(&packed);
}

static void test_events(void **state)
{
	assert_event(0, "c1", RUNTIME_CHANGED);
	assert_event(1, "c1", RUNTIME_CHANGED);
	assert_event(2, "c1", RUNTIME_NO_CHANGE);
	assert_event(3, "c1", RUNTIME_REMOVED);
	assert_event(77, "c1", RUNTIME_NO_CHANGE);
	assert_event(0, "", RUNTIME_NO_CHANGE);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_list),
	cmocka_unit_test(test_failed_list),
	cmocka_unit_test(test_events),
};

UNIT_GROUP(tests);
