/* SPDX-License-Identifier: MIT */
/* Containers by the paths of control groups, in the forms that runtimes make. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/state/containers/cgroup_path.h"
#include "unit.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define UID "2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80"
#define UID_ "2f2b6b2e_9c0a_4d7c_8f7c_2f3f5d6b7a80"
#define STATIC_UID "00112233445566778899aabbccddeeff"
#define POD "pod" UID
#define POD_SLICE "kubepods-burstable-pod" UID_ ".slice"
#define GARDEN "0f1e2d3c-4b5a-6978-8796-a5b4"

/* NULL as id: a process of the host. NULL as pod: in none. */
static const struct form {
	const char *path, *type, *id, *pod;
} paths[] = {
	{"/", "host", NULL},
	{"", "host", NULL},
	{"/init.scope", "host", NULL},
	{"/system.slice/docker.service", "host", NULL},
	{"/user.slice/user-1000.slice/session-2.scope", "host", NULL},
	{"/docker/" ID, "docker", ID},
	{"/docker/" ID "/system.slice/nginx.service", "docker", ID},
	{"/system.slice/docker-" ID ".scope", "docker", ID},
	{"/../../system.slice/docker-" ID ".scope", "docker", ID},
	{"/my-parent/" ID, "docker", ID},
	{"/" ID, "docker", ID},
	/* The innermost of several. */
	{"/docker/" OTHER "/docker/" ID, "docker", ID},
	{"/docker/" OTHER "/kubelet.slice/kubepods/besteffort/" POD "/" ID, "cri", ID, UID},
	{"/machine.slice/libpod-" ID ".scope", "podman", ID},
	{"/machine.slice/libpod-" ID ".scope/container", "podman", ID},
	{"/libpod_parent/libpod-" ID, "podman", ID},
	{"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope", "podman",
	 ID},
	/* Who watches a container is none. */
	{"/machine.slice/libpod-conmon-" ID ".scope", "host", NULL},
	{"/machine.slice/crio-conmon-" ID ".scope", "host", NULL},
	{"/kubepods.slice/kubepods-" POD ".slice/cri-containerd-" ID ".scope", "containerd", ID,
	 UID},
	{"/kubepods.slice/kubepods-" POD ".slice/crio-" ID ".scope", "cri-o", ID, UID},
	{"/kubepods.slice/kubepods-" POD ".slice/docker-" ID ".scope", "docker", ID, UID},
	{"/kubepods/burstable/" POD "/crio-" ID, "cri-o", ID, UID},
	{"/kubepods/" POD "/" ID, "cri", ID, UID},
	{"/system.slice/containerd.service/kubepods-" POD ".slice:cri-containerd:" ID, "containerd",
	 ID, UID},
	{"/system.slice:docker:" ID, "docker", ID},
	{"/kubepods-" POD ".slice:new:" ID, "cri", ID, UID},
	{"/system.slice/nerdctl-" ID ".scope", "containerd", ID},
	{"/default/" ID, "containerd", ID},
	{"/k8s.io/" ID, "containerd", ID},
	{"/ecs/0123456789abcdef0123456789abcdef/" ID, "docker", ID},
	{"/lxc/web-1", "lxc", "web-1"},
	{"/lxc/web-1/system.slice/cron.service", "lxc", "web-1"},
	{"/lxc.payload.web-1/init.scope", "lxc", "web-1"},
	{"/lxc.payload/web-1", "lxc", "web-1"},
	{"/lxc.monitor.web-1", "host", NULL},
	{"/machine.slice/machine-lxc\\x2d1234\\x2dweb.scope", "libvirt-lxc", "web"},
	{"/machine/web.libvirt-lxc", "libvirt-lxc", "web"},
	{"/mesos/0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", "mesos",
	 "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"},
	{"/mesos/agent", "host", NULL},
	{"/actions_job/" ID, "docker", ID},
	{"/user.slice/user-1000.slice/user@1000.service/app.slice/docker-" ID ".scope", "docker",
	 ID},
	{"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope/container",
	 "podman", ID},
	{"/system.slice/web.service/libpod-payload-" ID, "podman", ID},
	{"/user.slice/user-1000.slice/user@1000.service/user.slice/podman-123.scope/" ID, "podman",
	 ID},
	/* systemd in a container. */
	{"/machine.slice/libpod-" ID ".scope/container/system.slice/x.service", "podman", ID},
	/* The kubelet, with either driver. */
	{"/kubepods/burstable/" POD "/" ID, "cri", ID, UID},
	{"/kubepods/besteffort/" POD "/crio-" ID, "cri-o", ID, UID},
	{"/kubepods.slice/kubepods-burstable.slice/" POD_SLICE "/cri-containerd-" ID ".scope",
	 "containerd", ID, UID},
	{"/kubepods.slice/kubepods-burstable.slice/" POD_SLICE "/crio-" ID ".scope", "cri-o", ID,
	 UID},
	{"/kubepods.slice/kubepods-burstable.slice/" POD_SLICE "/docker-" ID ".scope", "docker", ID,
	 UID},
	{"/kubepods.slice/kubepods-pod" UID_ ".slice/cri-containerd-" ID ".scope/init.scope",
	 "containerd", ID, UID},
	{"/../../kubepods/" POD "/" ID, "cri", ID, UID},
	/* Static pods. */
	{"/kubepods/burstable/pod" STATIC_UID "/" ID, "cri", ID, STATIC_UID},
	{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" STATIC_UID
	 ".slice/cri-containerd-" ID ".scope",
	 "containerd", ID, STATIC_UID},
	/* The systemd driver, without the runtime knowing. */
	{"/system.slice/containerd.service/" POD_SLICE ":cri-containerd:" ID, "containerd", ID,
	 UID},
	{"/kubepods-pod" STATIC_UID ".slice:crio:" ID, "cri-o", ID, STATIC_UID},
	/* A node of kind is a container too; a container in a pod is of that pod. */
	{"/docker/" OTHER "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/"
	 "kubelet-kubepods-besteffort-pod" UID_ ".slice/cri-containerd-" ID ".scope",
	 "containerd", ID, UID},
	{"/kubepods/" POD "/" OTHER "/docker/" ID, "docker", ID, UID},
	/* Nearly pods. */
	{"/kubepods/pod2f2b6b2e-9c0a-4d7c_8f7c_2f3f5d6b7a80/" ID, "cri", ID},
	{"/kubepods/xpod" STATIC_UID "/" ID, "docker", ID},
	{"/kubepods/pod" STATIC_UID "0/" ID, "cri", ID},
	{"/kubepods/pod/" ID, "cri", ID},
	/* runc and crun by themselves. */
	{"/system.slice/runc-web_1.scope", "custom", "web_1"},
	{"/user.slice/user-1000.slice/user@1000.service/user.slice/runc-web.scope", "custom",
	 "web"},
	{"/system.slice/crun-web.scope/container", "custom", "web"},
	{"/system.slice/runc-.scope", "host", NULL},
	{"/system.slice/runc-a b.scope", "host", NULL},
	{"/default/web1", "host", NULL},
	{"/lxc.payload.project_web/system.slice/cron.service", "lxc", "project_web"},
	{"/lxc.monitor/web-1", "host", NULL},
	{"/machine.slice/machine-lxc\\x2d1234\\x2dweb\\x2d1.scope/libvirt", "libvirt-lxc", "web-1"},
	{"/machine.slice/machine-lxc\\x2dweb\\x2d1.scope", "libvirt-lxc", "web-1"},
	{"/libvirt/lxc/web", "libvirt-lxc", "web"},
	{"/machine.slice/machine-a\\x2db.scope/payload/system.slice", "custom", "a-b"},
	{"/machine.slice/systemd-nspawn@web.service/payload", "custom", "web"},
	{"/machine.slice/machine-web.scope/supervisor", "host", NULL},
	/* A virtual machine is no container. */
	{"/machine.slice/machine-qemu\\x2d1\\x2dweb.scope/libvirt/emulator", "host", NULL},
	/* Not an escape, or one of a NUL: as it is. */
	{"/machine.slice/machine-lxc\\x2d1\\x2da\\x00\\xzz\\x2.scope", "libvirt-lxc",
	 "a\\x00\\xzz\\x2"},
	{"/garden/" GARDEN, "custom", GARDEN},
	{"/system.slice/garden.service/garden/bad/" GARDEN "/init.scope", "custom", GARDEN},
	{"/bpm-gorouter", "bpm", "gorouter"},
	{"/system.slice/runc-bpm-gorouter.scope", "custom", "bpm-gorouter"},
	{"/system.slice/bpm-gorouter.scope", "bpm", "gorouter"},
	/* Who watches a container is none. */
	{"/kubepods/" POD "/kata_" ID, "host", NULL},
	{"/kata_overhead/" ID, "host", NULL},
	{"/kata/" ID, "host", NULL},
	{"/libpod_parent/" ID, "host", NULL},
	{"/libpod_parent/" ID "/conmon", "host", NULL},
	{"/docker/" OTHER "/kata_overhead/" ID, "docker", OTHER},
	{"/kubepods/" POD "/crio-conmon-" ID, "host", NULL},
	{"/libpod_parent/conmon", "host", NULL},
	{"/kubepods/" POD, "host", NULL},
	{"/system.slice/containerd.service", "host", NULL},
	/* In /proc, of a task that has ended and whose group was removed. */
	{"/docker/" ID " (deleted)", "docker", ID},
	{"/lxc/web-1 (deleted)", "lxc", "web-1"},
	/* Nearly ids. */
	{"/docker/0123456789abcdef", "host", NULL},
	{"/docker/" ID "0", "host", NULL},
	{"/system.slice/docker-" ID "g.scope", "host", NULL},
	{"/docker/0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF", "host", NULL},
};

static void expect(const char *cgroups, size_t len, const struct form *form)
{
	struct state_cgroup_match match = {0};
	bool found = state_cgroup_match(cgroups, len, &match);

	if (found != !!form->id || strcmp(state_container_type_name(match.type), form->type) != 0)
		fail_msg("%s is %s", cgroups, state_container_type_name(match.type));
	if (!found)
		return;
	assert_string_equal(match.id, form->id);
	assert_int_equal(match.id_len, strlen(form->id));
	if (strcmp(match.pod_uid, form->pod ? form->pod : "") != 0)
		fail_msg("%s is in pod '%s'", cgroups, match.pod_uid);
}

static void test_paths(void **state)
{
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		char cgroups[512];
		int len = snprintf(cgroups, sizeof(cgroups), "cpuset=%s", paths[i].path);

		assert_in_range(len, 1, sizeof(cgroups) - 1);
		expect(cgroups, (size_t)len + 1, &paths[i]);
		/* Cut before its NUL. */
		expect(cgroups, (size_t)len, &paths[i]);
	}
}

/* Any group may have it: in version 1 not all subsystems are used. */
static void test_several_groups(void **state)
{
	static const char late[] = "cpuset=/\0cpu=/docker/" ID "\0memory=/docker/" OTHER;
	static const char none[] = "cpuset=/\0cpu=/user.slice";

	static const struct form docker = {.type = "docker", .id = ID}, host = {.type = "host"};

	expect(late, sizeof(late), &docker);
	expect(none, sizeof(none), &host);
	expect("", 0, &host);
	expect("cpuset", 7, &host);
	expect("\0\0/", 3, &host);
}

#define SHORT "0123456789ab"
#define OTHER_SHORT "fedcba987654"

/* The containers around one: those of kind, Docker-in-Docker, and what runtimes make in LXC. */
static void test_outer(void **state)
{
	static const struct {
		const char *path, *outer;
	} cases[] = {
		{"/docker/" ID, ""},
		{"/kubepods/burstable/" POD "/" ID, ""},
		{"/machine.slice/libpod-" ID ".scope/container", ""},
		{"/docker/" ID "/init.scope", ""},
		{"/system.slice/containerd.service/kubepods-" POD ".slice:cri-containerd:" ID, ""},
		{"/docker/" OTHER "/docker/" ID, OTHER_SHORT},
		{"/docker/" OTHER "/docker/" ID "/system.slice/a.service", OTHER_SHORT},
		{"/system.slice/docker-" OTHER
		 ".scope/kubelet.slice/kubelet-kubepods.slice/" POD_SLICE "/cri-containerd-" ID
		 ".scope",
		 OTHER_SHORT},
		{"/kubepods/besteffort/" POD "/" OTHER "/docker/" ID, OTHER_SHORT},
		{"/lxc.payload.web/docker/" ID, "web"},
		{"/lxc.payload.web-with-a-long-name/docker/" OTHER "/docker/" ID,
		 OTHER_SHORT ",web-with-a-long-name"},
		{"/machine.slice/machine-a\\x2db.scope/payload/docker/" ID, "a-b"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct state_cgroup_match match = {0};
		char group[1024];
		int len = snprintf(group, sizeof(group), "cpu=%s", cases[i].path);

		assert_true(state_cgroup_match(group, (size_t)len, &match));
		assert_string_equal(match.id, ID);
		if (strcmp(match.outer_ids, cases[i].outer) != 0)
			fail_msg("%s is in '%s'", cases[i].path, match.outer_ids);
	}
}

/* As many as there is room for: 39 of 12 digits. */
static void test_many_outer(void **state)
{
	static char path[200 * (sizeof("/docker/" ID) - 1) + sizeof("cpu=")] = "cpu=";
	struct state_cgroup_match match = {0};
	size_t len = strlen(path);

	for (int i = 0; i < 200; i++)
		len += (size_t)sprintf(path + len, "/docker/" ID);
	assert_true(state_cgroup_match(path, len, &match));
	assert_int_equal(strlen(match.outer_ids), 39 * sizeof(SHORT) - 1);
	for (size_t at = 0; at < strlen(match.outer_ids); at += sizeof(SHORT))
		assert_memory_equal(match.outer_ids + at, SHORT, sizeof(SHORT) - 1);
}

/* In memory of its exact size, so that a sanitizer sees a read behind it. */
static void expect_exact(const char *cgroups, size_t len, const struct form *form)
{
	char *exact = malloc(len);

	assert_non_null(exact);
	memcpy(exact, cgroups, len);
	expect(exact, len, form);
	free(exact);
}

enum { HOSTILE_BYTES = 1 << 16 };

static void test_hostile(void **state)
{
	static const struct form host = {.type = "host"}, docker = {.type = "docker", .id = ID},
				 web = {.type = "lxc", .id = "web"};
	static const char odd[] = "cpu=/\377\376/docker-:/:::/pod/-pod.slice/.scope/libpod-";
	char *text = malloc(HOSTILE_BYTES), *longest;
	size_t len;

	assert_non_null(text);
	memset(text, '/', HOSTILE_BYTES);
	expect_exact(text, HOSTILE_BYTES, &host);
	/* A name as long as names can be, and one byte more. */
	len = (size_t)sprintf(text, "cpu=/lxc/");
	memset(text + len, 'a', 256);
	longest = memset(text + 1024, 'a', 255);
	longest[255] = '\0';
	expect_exact(text, len + 255, &(struct form){.type = "lxc", .id = longest});
	expect_exact(text, len + 256, &host);
	/* 10,000 components below the container, and without one. */
	len = (size_t)sprintf(text, "cpu=/docker/" ID);
	for (int i = 0; i < 10000; i++)
		len += (size_t)sprintf(text + len, "/a%d", i % 10);
	expect_exact(text, len, &docker);
	expect_exact(text + strlen("cpu=/docker/" ID), len - strlen("cpu=/docker/" ID), &host);
	/* Slashes are no components. */
	expect_exact("cpu=///lxc///web//", 18, &host);
	expect_exact("cpu=//lxc/web//", 15, &web);
	expect_exact(odd, sizeof(odd), &host);
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_paths),	cmocka_unit_test(test_several_groups),
	cmocka_unit_test(test_outer),	cmocka_unit_test(test_many_outer),
	cmocka_unit_test(test_hostile),
};

UNIT_GROUP(tests);
