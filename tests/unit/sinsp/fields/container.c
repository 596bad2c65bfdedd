/* SPDX-License-Identifier: MIT */
/* The container.* fields, and those of descriptors that have the container's id in them. */
#include <string.h>

#include "contained.h"
#include "unit.h"

static int setup(void **state)
{
	world_setup(state);
	world_read(*state, 0);
	return 0;
}

static void open_file(struct drive *world)
{
	world_set_fd(world, 3, world_fd(world->event.thread, 3, SCAP_FD_FILE, "/etc/hostname"));
}

static void test_host(void **state)
{
	struct drive *world = *state;

	world_expect(world, "container.id", "host");
	contained_set_group(world, "/system.slice/cron.service");
	world_expect(world, "container.id", "host");
	world_expect(world, "container.full_id", "host");
	world_expect(world, "container.type", "host");
	world_expect(world, "container.name", "host");
	open_file(world);
	world_expect(world, "fd.containername", ":/etc/hostname");
	world_expect(world, "fd.containerdirectory", ":/etc");
}

static void test_docker(void **state)
{
	struct drive *world = *state;

	contained_set_group(world, "/docker/" CONTAINER_ID);
	world_expect(world, "container.id", "0123456789ab");
	world_expect(world, "container.full_id", CONTAINER_ID);
	world_expect(world, "container.type", "docker");
	world_expect_none(world, "container.name");
	/* As fd.name and fd.directory are of a descriptor that is not known. */
	world_expect(world, "fd.containername", "0123456789ab:");
	world_expect(world, "fd.containerdirectory", "0123456789ab:/");
	open_file(world);
	world_expect(world, "fd.containername", "0123456789ab:/etc/hostname");
	world_expect(world, "fd.containerdirectory", "0123456789ab:/etc");
	/* It leaves its container. */
	contained_set_group(world, "/");
	world_expect(world, "container.id", "host");
}

/* A container in another one has the id of the inner one. */
static void test_nested(void **state)
{
	struct drive *world = *state;

	contained_set_group(world, "/docker/" CONTAINER_ID);
	world_expect_none(world, "container.outer_id");
	contained_set_group(world, "/docker/" CONTAINER_ID "/docker/" SANDBOX_ID);
	world_expect(world, "container.id", "fedcba987654");
	world_expect(world, "container.outer_id", "0123456789ab");
	contained_set_group(world, "/");
	world_expect_none(world, "container.outer_id");
}

static void test_lxc(void **state)
{
	struct drive *world = *state;

	contained_set_group(world, "/lxc.payload.a-longer-name/init.scope");
	world_expect(world, "container.id", "a-longer-name");
	world_expect(world, "container.full_id", "a-longer-name");
	world_expect(world, "container.type", "lxc");
	world_expect(world, "container.name", "a-longer-name");
	/* Nobody hides from "container.id != host" by a name. */
	contained_set_group(world, "/system.slice/runc-host.scope");
	world_expect(world, "container.id", "container:host");
	world_expect(world, "container.full_id", "container:host");
	world_expect(world, "container.name", "container:host");
	world_expect(world, "container.type", "custom");
}

static void test_unknown_thread(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_read, 555);
	world_end(world);
	world_expect_none(world, "container.id");
	world_expect_none(world, "container.full_id");
	world_expect_none(world, "container.type");
	world_expect_none(world, "container.name");
	world_expect_none(world, "fd.containername");
}

/* Of a capture that does not have the thread, only events of it. */
static void test_stranger(void **state)
{
	struct drive *world = *state;

	world_self(world)->pid = -1;
	open_file(world);
	world_expect_none(world, "container.id");
	world_expect_none(world, "container.full_id");
	world_expect_none(world, "container.type");
	world_expect_none(world, "container.name");
	world_expect_none(world, "fd.containername");
	contained_set_group(world, "/docker/" CONTAINER_ID);
	world_expect(world, "container.id", "0123456789ab");
	world_expect(world, "container.type", "docker");
	world_expect(world, "fd.containername", "0123456789ab:/etc/hostname");
}

static void test_nothing_known(void **state)
{
	struct drive *world = *state;
	static const char *const fields[] = {
		"container.image",	  "container.image.id",	    "container.image.repository",
		"container.image.tag",	  "container.image.digest", "container.privileged",
		"container.host_pid",	  "container.host_network", "container.host_ipc",
		"container.label[a.b/c]", "container.labels",	    "container.ip",
		"container.cni.json",	  "container.start_ts",	    "container.duration",
	};

	for (int in_container = 0; in_container < 2; in_container++) {
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
			world_expect_none(world, fields[i]);
		contained_set_group(world, "/docker/" CONTAINER_ID);
	}
	world_expect(world, "meta.state", "missing");
}

static void test_described(void **state)
{
	struct drive *world = *state;

	world_expect(world, "container.id", "0123456789ab");
	world_expect(world, "container.name", "web");
	world_expect(world, "container.image", "docker.io/library/nginx:1.25");
	world_expect(world, "container.image.id", "1a2b");
	world_expect(world, "container.image.repository", "docker.io/library/nginx");
	world_expect(world, "container.image.tag", "1.25");
	world_expect(world, "container.image.digest", "sha256:3f2a");
	world_expect(world, "container.privileged", "true");
	world_expect(world, "container.host_pid", "false");
	world_expect_none(world, "container.host_ipc");
	world_expect(world, "container.ip", "10.0.0.7");
	world_expect(world, "container.cni.json", "{}");
	world_expect(world, "meta.state", "ok");
	/* What the runtime says of itself is more exact than the path. */
	world_expect(world, "container.type", "docker");
}

static void test_times(void **state)
{
	struct drive *world = *state;

	world_self(world)->pidns_start_ns = WORLD_TIME_NS - 1000;
	world_expect(world, "container.duration", "1000");
	world_self(world)->pidns_start_ns = WORLD_TIME_NS + 1;
	world_expect_none(world, "container.duration");
	/* The host's begins with the machine. */
	contained_set_group(world, "/");
	world_expect_none(world, "container.start_ts");
}

static void test_deprecated(void **state)
{
	static const char *const fields[] = {
		"container.healthcheck",
		"container.liveness_probe",
		"container.readiness_probe",
		"proc.is_container_healthcheck",
		"proc.is_container_liveness_probe",
		"proc.is_container_readiness_probe",
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		world_expect_none(*state, fields[i]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_host, setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_docker, setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_nested, setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_lxc, setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_unknown_thread, setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_stranger, setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_nothing_known, setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_described, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_times, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_deprecated, contained_setup, world_teardown),
};

UNIT_GROUP(tests);
