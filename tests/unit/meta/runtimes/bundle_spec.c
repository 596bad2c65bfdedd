/* SPDX-License-Identifier: MIT */
/* Mounts, namespaces, rights and the environment in a specification, also in one that is not as it
 * should be. */
#include <sys/stat.h>

#include "meta/runtimes/bundle.h"
#include "unit.h"

static struct state_container_info *describe(const char *text)
{
	struct state_container_info *info = state_container_info_create();
	struct bundle bundle = {.spec = json_loads(text, 0, NULL)};

	assert_non_null(info);
	assert_non_null(bundle.spec);
	bundle_describe(&bundle, NULL, info);
	bundle_finish(&bundle);
	return info;
}

static void test_mounts(void **state)
{
	struct state_container_info *info = describe(
		"{\"mounts\": ["
		"{\"destination\": \"/proc\", \"type\": \"proc\", \"source\": \"proc\"},"
		"{\"destination\": \"/a\", \"type\": \"bind\", \"source\": \"/s\"},"
		"{\"destination\": \"/b\", \"source\": \"/t\", \"options\": [\"rbind\", \"ro\","
		" \"rshared\"]}, 7, {}]}");

	assert_int_equal(info->mounts.count, 2);
	assert_string_equal(info->mounts.items[0].dest, "/a");
	assert_string_equal(info->mounts.items[0].mode, "");
	assert_string_equal(info->mounts.items[0].propagation, "");
	assert_true(info->mounts.items[0].writable);
	assert_string_equal(info->mounts.items[1].source, "/t");
	assert_string_equal(info->mounts.items[1].propagation, "rshared");
	assert_false(info->mounts.items[1].writable);
	state_container_info_destroy(info);
}

static void test_environment(void **state)
{
	struct state_container_info *info = state_container_info_create();
	struct bundle bundle = {.spec = json_loads("{\"process\": {\"env\": [\"A=b\"]}}", 0, NULL)};

	assert_non_null(info);
	assert_non_null(bundle.spec);
	bundle_describe(&bundle, NULL, info);
	assert_int_equal(info->env.count, 0);
	info->wants_env = true;
	bundle_describe(&bundle, NULL, info);
	assert_int_equal(info->env.count, 1);
	assert_string_equal(info->env.items[0].name, "A");
	assert_string_equal(info->env.items[0].value, "b");
	bundle_finish(&bundle);
	state_container_info_destroy(info);
}

static enum state_answer is_host_network(const char *path, const struct bundle_namespaces *hosts)
{
	struct state_container_info *info = state_container_info_create();
	struct bundle bundle = {0};
	enum state_answer answer;

	assert_non_null(info);
	bundle.spec = json_pack("{s:{s:[{s:s, s:s}]}}", "linux", "namespaces", "type", "network",
				"path", path);
	assert_non_null(bundle.spec);
	bundle_describe(&bundle, hosts, info);
	answer = info->host_network;
	bundle_finish(&bundle);
	state_container_info_destroy(info);
	return answer;
}

/* What is joined is compared. */
static void test_joined_namespaces(void **state)
{
	struct bundle_namespaces hosts = {.host_root = ""};
	struct stat own;

	assert_int_equal(stat("/proc/self/ns/net", &own), 0);
	assert_int_equal(is_host_network("/proc/self/ns/net", &hosts), STATE_UNKNOWN);
	hosts.dev = own.st_dev;
	hosts.inos[HOST_NAMESPACE_NETWORK] = own.st_ino;
	assert_int_equal(is_host_network("/proc/self/ns/net", &hosts), STATE_YES);
	assert_int_equal(is_host_network("/proc/self/ns/net", NULL), STATE_UNKNOWN);
	assert_int_equal(is_host_network("/proc/self/ns/ipc", &hosts), STATE_NO);
}

static void test_namespaces(void **state)
{
	struct state_container_info *info =
		describe("{\"linux\": {\"namespaces\": [{\"type\": \"ipc\"}, 7,"
			 " {\"type\": \"network\", \"path\": \"/proc/1/ns/net\"}]}}");

	assert_int_equal(info->host_pid, STATE_YES);
	assert_int_equal(info->host_ipc, STATE_NO);
	assert_int_equal(info->host_network, STATE_UNKNOWN);
	state_container_info_destroy(info);
	info = describe("{}");
	assert_int_equal(info->host_pid, STATE_UNKNOWN);
	state_container_info_destroy(info);
}

#define ADMIN "\"process\": {\"capabilities\": {\"bounding\": [\"CAP_KILL\", \"CAP_SYS_ADMIN\"]}}"
#define ALL "{\"allow\": true, \"access\": \"rwm\"}"
#define NOTHING "{\"allow\": false, \"access\": \"rwm\"}"
#define DEVICES(rules) "\"linux\": {\"resources\": {\"devices\": [" rules "]}}"

static void test_privileged(void **state)
{
	static const struct {
		const char *spec;
		enum state_answer privileged;
	} cases[] = {
		{"{}", STATE_UNKNOWN},
		{"{\"process\": {\"capabilities\": {\"bounding\": []}}}", STATE_NO},
		{"{" ADMIN "}", STATE_UNKNOWN},
		{"{" ADMIN ", " DEVICES(NOTHING ", " ALL) "}", STATE_YES},
		{"{" ADMIN ", " DEVICES(ALL ", " NOTHING) "}", STATE_UNKNOWN},
		{"{" ADMIN
		 ", " DEVICES("{\"allow\": true, \"access\": \"rwm\", \"type\": \"c\"}") "}",
		 STATE_UNKNOWN},
		{"{" ADMIN ", \"linux\": {\"maskedPaths\": [\"/proc/kcore\"], \"resources\":"
		 " {\"devices\": [" ALL "]}}}",
		 STATE_UNKNOWN},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct state_container_info *info = describe(cases[i].spec);

		assert_int_equal(info->privileged, cases[i].privileged);
		state_container_info_destroy(info);
	}
}

static void test_wrong_types(void **state)
{
	struct state_container_info *info =
		describe("{\"mounts\": {}, \"linux\": [], \"process\": 7}");

	assert_int_equal(info->mounts.count, 0);
	assert_int_equal(info->host_pid, STATE_UNKNOWN);
	assert_int_equal(info->privileged, STATE_UNKNOWN);
	state_container_info_destroy(info);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_mounts),
	cmocka_unit_test(test_environment),
	cmocka_unit_test(test_joined_namespaces),
	cmocka_unit_test(test_namespaces),
	cmocka_unit_test(test_privileged),
	cmocka_unit_test(test_wrong_types),
};

UNIT_GROUP(tests);
