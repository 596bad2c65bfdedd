/* SPDX-License-Identifier: MIT */
/* The workload of a pod, by its controller. */
#include <string.h>

#include "meta/pod_json.h"
#include "unit.h"

#define OWNER(kind, name)                                                                          \
	"{\"kind\":\"" kind "\",\"name\":\"" name "\",\"uid\":\"u\",\"controller\":true}"
#define POD(labels, owners)                                                                        \
	"{\"metadata\":{\"name\":\"web-x\",\"labels\":{" labels "},\"ownerReferences\":[" owners   \
	"]}}"
#define HASH "\"pod-template-hash\":\"6d4cf56db6\""

static const struct {
	const char *pod, *kind, *name;
	bool derived;
} rows[] = {
	{POD(HASH, OWNER("ReplicaSet", "web-6d4cf56db6")), "Deployment", "web", true},
	{POD(HASH, OWNER("ReplicaSet", "a-b-6d4cf56db6")), "Deployment", "a-b", true},
	{POD(HASH, OWNER("ReplicaSet", "web")), "ReplicaSet", "web", false},
	{POD(HASH, OWNER("ReplicaSet", "web6d4cf56db6")), "ReplicaSet", "web6d4cf56db6", false},
	{POD(HASH, OWNER("ReplicaSet", "-6d4cf56db6")), "ReplicaSet", "-6d4cf56db6", false},
	{POD("", OWNER("ReplicaSet", "web-6d4cf56db6")), "ReplicaSet", "web-6d4cf56db6", false},
	{POD("\"pod-template-hash\":\"\"", OWNER("ReplicaSet", "web-")), "ReplicaSet", "web-",
	 false},
	{POD("", OWNER("StatefulSet", "db")), "StatefulSet", "db", false},
	{POD("", OWNER("DaemonSet", "agent")), "DaemonSet", "agent", false},
	{POD("", OWNER("Rollout", "web")), "Rollout", "web", false},
	/* Minutes, and seconds of older versions. */
	{POD("", OWNER("Job", "backup-29123456")), "CronJob", "backup", true},
	{POD("", OWNER("Job", "back-up-1600000000")), "CronJob", "back-up", true},
	{POD("", OWNER("Job", "backup-2912345")), "Job", "backup-2912345", false},
	{POD("", OWNER("Job", "backup-16000000000")), "Job", "backup-16000000000", false},
	{POD("", OWNER("Job", "backup-2912345x")), "Job", "backup-2912345x", false},
	{POD("", OWNER("Job", "29123456")), "Job", "29123456", false},
	{POD("", OWNER("Job", "-29123456")), "Job", "-29123456", false},
	{POD("\"deploymentconfig\":\"shop\"", OWNER("ReplicationController", "shop-3")),
	 "DeploymentConfig", "shop", true},
	{POD("", OWNER("ReplicationController", "shop-3")), "ReplicationController", "shop-3",
	 false},
	/* Static pods, as the API shows them, and as kubelet does. */
	{POD("", OWNER("Node", "n1")), "Node", "n1", false},
	{"{\"metadata\":{\"name\":\"web-n1\",\"annotations\":{"
	 "\"kubernetes.io/config.source\":\"file\"}},\"spec\":{\"nodeName\":\"n1\"}}",
	 "Node", "n1", false},
	{"{\"metadata\":{\"name\":\"web\",\"annotations\":{"
	 "\"kubernetes.io/config.source\":\"api\"}},\"spec\":{\"nodeName\":\"n1\"}}",
	 "Pod", "web", false},
	{"{}", NULL, NULL, false},
	{POD("", ""), "Pod", "web-x", false},
	{POD("",
	     "{\"kind\":\"Foo\",\"name\":\"no\",\"controller\":false}," OWNER("DaemonSet", "yes")),
	 "DaemonSet", "yes", false},
	{POD("", "{\"kind\":\"Foo\",\"name\":\"no\"}"), "Pod", "web-x", false},
	{POD("", "{\"kind\":7,\"name\":\"no\",\"controller\":true}"), NULL, NULL, false},
	{POD("", "{\"kind\":\"Job\",\"controller\":true}"), NULL, NULL, false},
};

static void test_rows(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *pod = json_loads(rows[i].pod, 0, NULL);
		struct pod_workload workload = pod_workload_of(pod);

		assert_non_null(pod);
		if (rows[i].kind) {
			assert_string_equal(workload.kind, rows[i].kind);
			assert_int_equal(workload.name_len, strlen(rows[i].name));
			assert_memory_equal(workload.name, rows[i].name, workload.name_len);
			assert_int_equal(workload.derived, rows[i].derived);
			if (workload.derived)
				assert_non_null(workload.owner_name);
		} else {
			assert_null(workload.kind);
		}
		json_decref(pod);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rows),
};

UNIT_GROUP(tests);
