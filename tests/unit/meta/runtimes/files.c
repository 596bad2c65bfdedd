/* SPDX-License-Identifier: MIT */
/*
 * The source over the files of each runtime, as tests/runtimes has them: what each container is
 * called, its image, its pod, and who made it.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "meta/runtimes/files.h"

#include "tree.h"
#include "unit.h"

#define DOCKER_ID "569e0c9e4b9ff8b9ce728a7e977fa4f006d57fbf973e9f06ef79e3c08df88095"
#define PODMAN_ID "90116603c4113f23bf4677b278383eded2252e29f4674b405e44d0cdb9c8211e"
#define CRI_ID "c011111111111111111111111111111111111111111111111111111111111111"
#define CRI_SANDBOX_ID "5a22222222222222222222222222222222222222222222222222222222222222"
#define CRI_PRIVILEGED_ID "c133333333333333333333333333333333333333333333333333333333333333"
#define CRIO_ID "4944444444444444444444444444444444444444444444444444444444444444"
#define CRIO_SANDBOX_ID "1f55555555555555555555555555555555555555555555555555555555555555"
#define RUNC_ID "aa66666666666666666666666666666666666666666666666666666666666666"
#define OTHER_ID "0000000000000000000000000000000000000000000000000000000000000000"

static struct state_container_info *info;
static struct error err;

static int teardown(void **state)
{
	state_container_info_destroy(info);
	info = NULL;
	return 0;
}

static int describe_below(const char *root, const struct meta_request *request)
{
	struct meta_source *files = meta_files_create(root);
	int code;

	assert_non_null(files);
	teardown(NULL);
	info = state_container_info_create();
	err = (struct error){""};
	code = files->ops->describe(files, request, info, &err);
	meta_source_destroy(files);
	return code;
}

/* Describes a container with the files of one runtime. */
static int describe(const char *runtime, enum state_container_type type, const char *id)
{
	char root[PATH_MAX];

	snprintf(root, sizeof(root), "%s/%s", RUNTIMES, runtime);
	return describe_below(root, &(struct meta_request){.id = id, .type = type});
}

static void expect_mount(size_t i, const char *source, const char *dest, const char *mode,
			 const char *propagation)
{
	const struct state_mount *mount = &info->mounts.items[i];

	assert_true(i < info->mounts.count);
	assert_string_equal(mount->source, source);
	assert_string_equal(mount->dest, dest);
	assert_string_equal(mount->mode, mode);
	assert_string_equal(mount->propagation, propagation);
	assert_int_equal(mount->writable, strcmp(mode, "ro") != 0);
}

static void test_docker(void **state)
{
	assert_int_equal(describe("docker", STATE_CONTAINER_DOCKER, DOCKER_ID), 0);
	assert_string_equal(err.text, "");
	assert_int_equal(info->type, STATE_CONTAINER_DOCKER);
	assert_string_equal(info->name, "web2");
	assert_string_equal(info->image.name, "localhost/bb:1");
	assert_string_equal(info->image.repository, "localhost/bb");
	assert_string_equal(info->image.tag, "1");
	assert_string_equal(info->image.id,
			    "77931705656f187dabc1e5a1e38d9c95f08fc3f6a7e064ce24be0c14126a0b9e");
	assert_null(info->ip);
	assert_int_equal(info->created_ns, 1795354440180641804);
	assert_int_equal(info->labels.count, 1);
	assert_string_equal(info->labels.items[0].name, "a");
	assert_string_equal(info->labels.items[0].value, "b");
	assert_int_equal(info->mounts.count, 1);
	expect_mount(0, "/srv/data", "/mnt", "ro", "rprivate");
	assert_int_equal(info->privileged, STATE_NO);
	assert_int_equal(info->host_pid, STATE_NO);
	assert_int_equal(info->host_network, STATE_NO);
	assert_int_equal(info->host_ipc, STATE_NO);
	assert_null(info->pod.name);
}

static void test_podman(void **state)
{
	assert_int_equal(describe("podman", STATE_CONTAINER_PODMAN, PODMAN_ID), META_SOURCE_PART);
	assert_string_equal(err.text, "");
	assert_int_equal(info->type, STATE_CONTAINER_PODMAN);
	assert_string_equal(info->name, "pweb");
	assert_string_equal(info->image.name, "localhost/bb:1");
	assert_string_equal(info->image.repository, "localhost/bb");
	assert_string_equal(info->image.tag, "1");
	assert_string_equal(info->image.id,
			    "fcdc21704a368e96c4960c01be6e5c7f159bdcf9db024816946ace68833ac39e");
	assert_int_equal(info->created_ns, 1795354476031026389);
	assert_int_equal(info->labels.count, 0);
	assert_int_equal(info->privileged, STATE_NO);
	assert_int_equal(info->host_pid, STATE_NO);
	assert_int_equal(info->host_network, STATE_NO);
	assert_int_equal(info->host_ipc, STATE_NO);
	expect_mount(0, "/srv/data", "/mnt", "ro", "rprivate");
	assert_null(info->pod.name);
}

static void expect_pod(const char *name, const char *ns, const char *uid, const char *sandbox_id)
{
	assert_string_equal(info->pod.name, name);
	assert_string_equal(info->pod.ns, ns);
	assert_string_equal(info->pod.uid, uid);
	assert_string_equal(info->pod.sandbox_id, sandbox_id);
}

static void test_containerd_cri(void **state)
{
	assert_int_equal(describe("cri", STATE_CONTAINER_CRI, CRI_ID), META_SOURCE_PART);
	assert_int_equal(info->type, STATE_CONTAINER_CONTAINERD);
	assert_string_equal(info->name, "web");
	assert_string_equal(info->image.name, "docker.io/library/nginx:1.25");
	assert_string_equal(info->image.repository, "docker.io/library/nginx");
	expect_pod("web-5c4f", "shop", "2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80", CRI_SANDBOX_ID);
	assert_false(info->is_sandbox);
	assert_int_equal(info->labels.count, 0);
	assert_int_equal(info->privileged, STATE_NO);
	assert_int_equal(info->host_pid, STATE_NO);
	/* Joined: it may be that of the host, if the pod's is. */
	assert_int_equal(info->host_network, STATE_UNKNOWN);
	expect_mount(1, "/srv/data", "/data", "ro", "rslave");
}

static void test_containerd_sandbox(void **state)
{
	assert_int_equal(describe("cri", STATE_CONTAINER_CONTAINERD, CRI_SANDBOX_ID),
			 META_SOURCE_PART);
	assert_true(info->is_sandbox);
	assert_string_equal(info->name, "web-5c4f");
	assert_null(info->image.name);
	expect_pod("web-5c4f", "shop", "2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80", CRI_SANDBOX_ID);
	assert_int_equal(info->host_ipc, STATE_NO);
}

static void test_containerd_privileged(void **state)
{
	assert_int_equal(describe("cri", STATE_CONTAINER_CONTAINERD, CRI_PRIVILEGED_ID),
			 META_SOURCE_PART);
	assert_string_equal(info->name, "node-agent");
	assert_string_equal(info->image.repository, "registry.example:5000/tools/agent");
	assert_null(info->image.tag);
	assert_int_equal(info->privileged, STATE_YES);
	assert_int_equal(info->host_pid, STATE_YES);
	assert_int_equal(info->host_network, STATE_YES);
	assert_int_equal(info->host_ipc, STATE_YES);
}

static void test_crio(void **state)
{
	assert_int_equal(describe("crio", STATE_CONTAINER_CRIO, CRIO_ID), META_SOURCE_PART);
	assert_int_equal(info->type, STATE_CONTAINER_CRIO);
	assert_string_equal(info->name, "coredns");
	assert_string_equal(info->image.name, "quay.io/coreos/coredns:v1.8.6");
	assert_string_equal(info->pod.ip, "10.88.0.2");
	expect_pod("coredns-6d4b", "kube-system", "5b5e07db-f1b9-4530-81ef-b7d04d66b83e",
		   CRIO_SANDBOX_ID);
	assert_int_equal(info->labels.count, 2);
	assert_string_equal(info->labels.items[1].value, "backend");
	assert_int_equal(info->created_ns, 1702354225992573978);
	assert_false(info->is_sandbox);
}

static void test_crio_sandbox(void **state)
{
	assert_int_equal(describe("crio", STATE_CONTAINER_CRIO, CRIO_SANDBOX_ID), META_SOURCE_PART);
	assert_true(info->is_sandbox);
	assert_string_equal(info->name, "coredns-6d4b");
	assert_null(info->image.name);
	expect_pod("coredns-6d4b", "kube-system", "5b5e07db-f1b9-4530-81ef-b7d04d66b83e",
		   CRIO_SANDBOX_ID);
	assert_int_equal(info->pod.labels.count, 5);
	assert_int_equal(info->pod.annotations.count, 1);
	assert_int_equal(info->labels.count, 0);
	assert_int_equal(info->host_network, STATE_YES);
}

/* Nothing names it, but what it may do is known. */
static void test_runc(void **state)
{
	assert_int_equal(describe("runc", STATE_CONTAINER_DOCKER, RUNC_ID), META_SOURCE_PART);
	assert_int_equal(info->type, STATE_CONTAINER_NONE);
	assert_null(info->name);
	assert_null(info->image.name);
	assert_int_equal(info->privileged, STATE_NO);
	assert_int_equal(info->host_pid, STATE_NO);
	assert_int_equal(info->host_network, STATE_YES);
}

static void test_unknown(void **state)
{
	static const char *const roots[] = {"docker", "podman", "cri", "crio", "runc", "none"};

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		assert_int_equal(describe(roots[i], STATE_CONTAINER_DOCKER, OTHER_ID), -ENOENT);
		assert_int_equal(describe(roots[i], STATE_CONTAINER_PODMAN, OTHER_ID), -ENOENT);
		assert_int_equal(describe(roots[i], STATE_CONTAINER_CRI, "../" OTHER_ID), -ENOENT);
		assert_string_equal(err.text, "");
	}
}

/* A part that cannot be read is reported, and does not hide the others. */
static void test_partly(void **state)
{
	static const char folder[] = "var/lib/docker/containers/" DOCKER_ID;
	struct tree tree;
	char name[TREE_PATH_BYTES];
	const struct meta_request request = {.id = DOCKER_ID, .type = STATE_CONTAINER_DOCKER};

	tree_create(&tree);
	snprintf(name, sizeof(name), "%s/config.v2.json", folder);
	tree_write(&tree, name, "{\"ID\": \"" DOCKER_ID "\", \"Name\": \"/web\"}");
	snprintf(name, sizeof(name), "%s/hostconfig.json", folder);
	tree_write(&tree, name, "{\"Privileged\": tru");
	assert_int_equal(describe_below(tree.path, &request), 0);
	assert_string_equal(info->name, "web");
	assert_int_equal(info->privileged, STATE_UNKNOWN);
	assert_non_null(strstr(err.text, "hostconfig.json"));
	snprintf(name, sizeof(name), "%s/config.v2.json", folder);
	tree_write(&tree, name, "{\"ID\": ");
	assert_int_equal(describe_below(tree.path, &request), -EBADMSG);
	assert_non_null(strstr(err.text, "config.v2.json"));
	tree_destroy(&tree);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(test_docker, teardown),
	cmocka_unit_test_teardown(test_podman, teardown),
	cmocka_unit_test_teardown(test_containerd_cri, teardown),
	cmocka_unit_test_teardown(test_containerd_sandbox, teardown),
	cmocka_unit_test_teardown(test_containerd_privileged, teardown),
	cmocka_unit_test_teardown(test_crio, teardown),
	cmocka_unit_test_teardown(test_crio_sandbox, teardown),
	cmocka_unit_test_teardown(test_runc, teardown),
	cmocka_unit_test_teardown(test_unknown, teardown),
	cmocka_unit_test_teardown(test_partly, teardown),
};

UNIT_GROUP(tests);
