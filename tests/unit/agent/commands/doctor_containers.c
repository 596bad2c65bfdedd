/* SPDX-License-Identifier: MIT */
/* Control groups by their files; sockets of runtimes; the files of a pod. */
#include <stdio.h>
#include <stdlib.h>

#include "doctored.h"
#include "unit.h"

static void test_cgroups(void **state)
{
	static const char path[] = "proc/self/cgroup";

	doctored_expect(*state, "doctor", doctor_cgroups, DOCTOR_LIMITED, "No such file");
	tree_write(*state, path, "");
	doctored_expect(*state, "doctor", doctor_cgroups, DOCTOR_LIMITED, "in none");
	tree_write(*state, path, "0::/a\n");
	doctored_expect(*state, "doctor", doctor_cgroups, DOCTOR_OK, "version 2");
	tree_write(*state, path, "2:cpu:/\n1:name=systemd:/\n");
	doctored_expect(*state, "doctor", doctor_cgroups, DOCTOR_OK, "version 1");
	tree_write(*state, path, "1:name=systemd:/\n0::/a\n");
	doctored_expect(*state, "doctor", doctor_cgroups, DOCTOR_OK, "hybrid");
}

/* A command line with the root of the tree. */
static const char *with_root(const struct tree *tree, const char *option, const char *name)
{
	static char line[256];

	snprintf(line, sizeof(line), "doctor --host-root %s %s %s", tree->path, option, name);
	return line;
}

static void test_namespaces(void **state)
{
	doctored_expect(NULL, with_root(*state, "", ""), doctor_namespaces, DOCTOR_LIMITED,
			"/proc/2/ns: No such file");
	tree_write(*state, "proc/2/ns/pid", "");
	doctored_expect(NULL, with_root(*state, "", ""), doctor_namespaces, DOCTOR_LIMITED,
			"/proc is of another pid namespace");
}

#ifdef WITH_RUNTIME_SOCKETS
static void test_runtimes(void **state)
{
	doctored_expect(NULL, with_root(*state, "", ""), doctor_runtimes, DOCTOR_OK,
			"no socket is there");
	tree_write(*state, "run/docker.sock", "");
	doctored_expect(NULL, with_root(*state, "", ""), doctor_runtimes, DOCTOR_OK,
			"/run/docker.sock (Docker) does not run");
	tree_write(*state, "run/other.sock", "");
	doctored_expect(NULL, with_root(*state, "--runtime-socket", "/run/other.sock"),
			doctor_runtimes, DOCTOR_OK,
			"/run/other.sock (Docker or Podman or CRI): nobody listens");
}
#endif

#ifdef WITH_KUBERNETES
static void test_kubernetes(void **state)
{
	char line[TREE_PATH_BYTES + 128], token[TREE_PATH_BYTES];

	unsetenv("KUBERNETES_SERVICE_HOST");
	unsetenv("NODE_NAME");
	doctored_expect(NULL, "doctor", doctor_kubernetes, DOCTOR_OK, "not a pod");
	tree_path(*state, "token", token);
	snprintf(line, sizeof(line),
		 "doctor --k8s-api https://10.0.0.1:6443 --k8s-node n1 --k8s-token %s", token);
	doctored_expect(NULL, line, doctor_kubernetes, DOCTOR_LIMITED, "token: No such file");
	tree_write(*state, "token", "secret");
	doctored_expect(NULL, line, doctor_kubernetes, DOCTOR_OK,
			"https://10.0.0.1:6443 is asked for the pods of n1");
}
#endif

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_cgroups, doctored_setup, doctored_teardown),
	cmocka_unit_test_setup_teardown(test_namespaces, doctored_setup, doctored_teardown),
#ifdef WITH_RUNTIME_SOCKETS
	cmocka_unit_test_setup_teardown(test_runtimes, doctored_setup, doctored_teardown),
#endif
#ifdef WITH_KUBERNETES
	cmocka_unit_test_setup_teardown(test_kubernetes, doctored_setup, doctored_teardown),
#endif
};

UNIT_GROUP(tests);
