/* SPDX-License-Identifier: MIT */
/* Containers by the paths of control groups, in the forms that runtimes make. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "sinsp/tables/cgroup_path.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define POD "pod2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80"

/* NULL as id: a process of the host. */
static const struct {
	const char *path, *type, *id;
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
	{"/docker/" OTHER "/kubelet.slice/kubepods/besteffort/" POD "/" ID, "cri", ID},
	{"/machine.slice/libpod-" ID ".scope", "podman", ID},
	{"/machine.slice/libpod-" ID ".scope/container", "podman", ID},
	{"/libpod_parent/libpod-" ID, "podman", ID},
	{"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope", "podman",
	 ID},
	/* Who watches a container is none. */
	{"/machine.slice/libpod-conmon-" ID ".scope", "host", NULL},
	{"/machine.slice/crio-conmon-" ID ".scope", "host", NULL},
	{"/kubepods.slice/kubepods-" POD ".slice/cri-containerd-" ID ".scope", "containerd", ID},
	{"/kubepods.slice/kubepods-" POD ".slice/crio-" ID ".scope", "cri-o", ID},
	{"/kubepods.slice/kubepods-" POD ".slice/docker-" ID ".scope", "docker", ID},
	{"/kubepods/burstable/" POD "/crio-" ID, "cri-o", ID},
	{"/kubepods/" POD "/" ID, "cri", ID},
	{"/system.slice/containerd.service/kubepods-" POD ".slice:cri-containerd:" ID, "containerd",
	 ID},
	{"/system.slice:docker:" ID, "docker", ID},
	{"/kubepods-" POD ".slice:new:" ID, "cri", ID},
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
	/* Nearly ids. */
	{"/docker/0123456789abcdef", "host", NULL},
	{"/docker/" ID "0", "host", NULL},
	{"/system.slice/docker-" ID "g.scope", "host", NULL},
	{"/docker/0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF", "host", NULL},
};

static void expect(const char *cgroups, size_t len, const char *type, const char *id)
{
	struct sinsp_cgroup_match container = sinsp_cgroup_match(cgroups, len);

	if (strcmp(sinsp_container_type_name(container.type), type) != 0)
		fail_msg("%s is %s", cgroups, sinsp_container_type_name(container.type));
	assert_int_equal(container.id_len, id ? strlen(id) : 0);
	if (id)
		assert_memory_equal(container.id, id, strlen(id));
}

static void test_paths(void **state)
{
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		char cgroups[512];
		int len = snprintf(cgroups, sizeof(cgroups), "cpuset=%s", paths[i].path);

		expect(cgroups, (size_t)len + 1, paths[i].type, paths[i].id);
		/* Cut before its NUL. */
		expect(cgroups, (size_t)len, paths[i].type, paths[i].id);
	}
}

/* Any group may have it: in version 1 not all subsystems are used. */
static void test_several_groups(void **state)
{
	static const char late[] = "cpuset=/\0cpu=/docker/" ID "\0memory=/docker/" OTHER;
	static const char none[] = "cpuset=/\0cpu=/user.slice";

	expect(late, sizeof(late), "docker", ID);
	expect(none, sizeof(none), "host", NULL);
	expect("", 0, "host", NULL);
	expect("cpuset", 7, "host", NULL);
	expect("\0\0/", 3, "host", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_several_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
