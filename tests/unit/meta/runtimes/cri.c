/* SPDX-License-Identifier: MIT */
/* Containers and sandboxes as the Container Runtime Interface describes them. */
#include <errno.h>
#include <stdlib.h>

#include "meta/runtimes/cri.h"
#include "meta/runtimes/cri.pb-c.h"
#include "meta/describe.h"
#include "fake_runtime.h"
#include "packed.h"
#include "unit.h"

struct server {
	struct fake_runtime *runtime;
	struct http *http;
	struct cri cri;
	struct state_container_info *info;
};

/* "containerd" as runtime_name */
static const struct fake_answer version = {FAKE_GRPC, 0,
					   "\x12\x0a"
					   "containerd",
					   12};
static const struct fake_answer not_found = {FAKE_GRPC, 5, NULL, 0};

static struct fake_answer pack_container(void)
{
	Cri__ContainerStatusResponse answer = CRI__CONTAINER_STATUS_RESPONSE__INIT;
	Cri__ContainerStatus status = CRI__CONTAINER_STATUS__INIT;
	Cri__ContainerMetadata metadata = CRI__CONTAINER_METADATA__INIT;
	Cri__ImageSpec image = CRI__IMAGE_SPEC__INIT;
	Cri__Text label = CRI__TEXT__INIT, info = CRI__TEXT__INIT;
	Cri__Mount mounts[2] = {CRI__MOUNT__INIT, CRI__MOUNT__INIT};

	metadata.name = "web";
	image.image = "docker.io/library/nginx:1";
	label.key = "app";
	label.value = "a\xff"
		      "b";
	mounts[0].host_path = "/a";
	mounts[0].container_path = "/b";
	mounts[0].readonly = true;
	mounts[1].propagation = CRI__MOUNT_PROPAGATION__BIDIRECTIONAL;
	info.key = "info";
	info.value = "{\"sandboxID\": \"s1\", \"config\": {}}";
	status.id = "c1";
	status.metadata = &metadata;
	status.created_at = 77;
	status.image = &image;
	status.image_ref = "docker.io/library/nginx@sha256:cd";
	status.image_id = "sha256:1a2b";
	status.labels = (Cri__Text *[]){&label};
	status.n_labels = 1;
	status.mounts = (Cri__Mount *[]){&mounts[0], &mounts[1]};
	status.n_mounts = 2;
	answer.status = &status;
	answer.info = (Cri__Text *[]){&info};
	answer.n_info = 1;
	return pack(&answer.base);
}

static struct fake_answer pack_sandbox(void)
{
	Cri__PodSandboxStatusResponse answer = CRI__POD_SANDBOX_STATUS_RESPONSE__INIT;
	Cri__PodSandboxStatus status = CRI__POD_SANDBOX_STATUS__INIT;
	Cri__PodSandboxMetadata metadata = CRI__POD_SANDBOX_METADATA__INIT;
	Cri__PodNetwork network = CRI__POD_NETWORK__INIT;
	Cri__LinuxSandbox part = CRI__LINUX_SANDBOX__INIT;
	Cri__Namespaces namespaces = CRI__NAMESPACES__INIT;
	Cri__NamespaceOptions options = CRI__NAMESPACE_OPTIONS__INIT;
	Cri__Text annotation = CRI__TEXT__INIT;

	metadata.name = "web-5c4f";
	metadata.namespace_ = "shop";
	metadata.uid = "u-1";
	network.ip = "10.0.0.7";
	options.network = CRI__NAMESPACE_MODE__NODE;
	options.pid = CRI__NAMESPACE_MODE__CONTAINER;
	namespaces.options = &options;
	part.namespaces = &namespaces;
	annotation.key = "team";
	annotation.value = "blue";
	status.id = "s1";
	status.metadata = &metadata;
	status.created_at = 66;
	status.network = &network;
	status.linux_part = &part;
	status.annotations = (Cri__Text *[]){&annotation};
	status.n_annotations = 1;
	answer.status = &status;
	return pack(&answer.base);
}

static int start(struct server *server, const struct fake_answer *answers, size_t count)
{
	server->runtime = fake_runtime_start(answers, count);
	server->info = state_container_info_create();
	assert_non_null(server->info);
	assert_int_equal(http_open(fake_runtime_path(server->runtime), &server->http, NULL), 0);
	return cri_init(&server->cri, server->http, fake_runtime_path(server->runtime), UINT64_MAX,
			NULL);
}

static int describe(struct server *server, const char *id, struct error *err)
{
	return cri_describe(&server->cri, id, UINT64_MAX, server->info, err);
}

static void stop(struct server *server)
{
	state_container_info_destroy(server->info);
	http_close(server->http);
	fake_runtime_stop(server->runtime);
}

static void assert_is_pod(const struct state_container_info *info)
{
	assert_string_equal(info->pod.sandbox_id, "s1");
	assert_string_equal(info->pod.name, "web-5c4f");
	assert_string_equal(info->pod.ns, "shop");
	assert_string_equal(info->pod.uid, "u-1");
	assert_string_equal(info->pod.ip, "10.0.0.7");
	assert_string_equal(info->ip, "10.0.0.7");
	assert_string_equal(describe_label(&info->pod.annotations, "team"), "blue");
	assert_int_equal(info->host_network, STATE_YES);
	assert_int_equal(info->host_pid, STATE_NO);
	assert_int_equal(info->type, STATE_CONTAINER_CONTAINERD);
}

static void test_container(void **state)
{
	struct fake_answer answers[] = {version, pack_container(), pack_sandbox()};
	const struct state_container_info *info;
	struct server server;

	assert_int_equal(start(&server, answers, 3), 0);
	assert_int_equal(describe(&server, "c1", NULL), 0);
	info = server.info;
	assert_string_equal(info->name, "web");
	assert_string_equal(info->image.name, "docker.io/library/nginx:1");
	assert_string_equal(info->image.repository, "docker.io/library/nginx");
	assert_string_equal(info->image.tag, "1");
	assert_string_equal(info->image.digest, "sha256:cd");
	assert_string_equal(info->image.id, "1a2b");
	assert_string_equal(describe_label(&info->labels, "app"), "a\xef\xbf\xbd"
								  "b");
	assert_int_equal(info->mounts.count, 2);
	assert_string_equal(info->mounts.items[0].source, "/a");
	assert_string_equal(info->mounts.items[0].dest, "/b");
	assert_string_equal(info->mounts.items[0].propagation, "private");
	assert_false(info->mounts.items[0].writable);
	assert_string_equal(info->mounts.items[1].propagation, "rshared");
	assert_int_equal(info->privileged, STATE_NO);
	assert_int_equal(info->created_ns, 77);
	assert_false(info->is_sandbox);
	assert_is_pod(info);
	stop(&server);
	unpack(&answers[1]);
	unpack(&answers[2]);
}

static void test_sandbox(void **state)
{
	struct fake_answer answers[] = {version, not_found, pack_sandbox()};
	struct server server;

	assert_int_equal(start(&server, answers, 3), 0);
	assert_int_equal(describe(&server, "s1", NULL), 0);
	assert_true(server.info->is_sandbox);
	assert_int_equal(server.info->created_ns, 66);
	assert_is_pod(server.info);
	stop(&server);
	unpack(&answers[2]);
}

/* A container is described without its pod when that cannot be asked for. */
static void test_pod_is_gone(void **state)
{
	struct fake_answer answers[] = {version, pack_container(), not_found};
	struct server server;

	assert_int_equal(start(&server, answers, 3), 0);
	assert_int_equal(describe(&server, "c1", NULL), 0);
	assert_string_equal(server.info->name, "web");
	assert_string_equal(server.info->pod.sandbox_id, "s1");
	assert_null(server.info->pod.name);
	stop(&server);
	unpack(&answers[1]);
}

/* Runtimes take the beginning of an id for it. */
static void test_others_are_not_taken(void **state)
{
	struct fake_answer answers[] = {version, pack_container(), pack_sandbox()};
	struct server server;

	assert_int_equal(start(&server, answers, 3), 0);
	assert_int_equal(describe(&server, "c", NULL), -ENOENT);
	assert_null(server.info->name);
	assert_null(server.info->pod.name);
	stop(&server);
	unpack(&answers[1]);
	unpack(&answers[2]);
}

static void test_failures(void **state)
{
	const struct fake_answer answers[] = {
		{FAKE_GRPC, 0,
		 "\x12\x05"
		 "cri-o",
		 7},
		not_found,
		not_found,
		{FAKE_GRPC, 2, NULL, 0},
	};
	static const struct fake_answer unknown = {FAKE_GRPC, 12, NULL, 0};
	struct server server;
	struct error err;

	assert_int_equal(start(&server, answers, 4), 0);
	assert_int_equal(server.cri.type, STATE_CONTAINER_CRIO);
	assert_int_equal(describe(&server, "c1", NULL), -ENOENT);
	assert_int_equal(describe(&server, "c1", &err), -EREMOTEIO);
	assert_non_null(strstr(err.text, "ContainerStatus: status 2"));
	stop(&server);
	assert_int_equal(start(&server, &unknown, 1), -EOPNOTSUPP);
	stop(&server);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_container),   cmocka_unit_test(test_sandbox),
	cmocka_unit_test(test_pod_is_gone), cmocka_unit_test(test_others_are_not_taken),
	cmocka_unit_test(test_failures),
};

UNIT_GROUP(tests);
