/* SPDX-License-Identifier: MIT */
/* fd.*.name: names of addresses. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sinsp/filter/filter.h"
#include "world.h"

static char etc[] = "/tmp/lanner-etc-XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", etc, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int setup(void **state)
{
	struct sinsp_config config = {.hostname = "box", .etc = etc, .boot_id = "1"};
	struct drive *world = calloc(1, sizeof(*world));
	struct world_process process = {.pid = 100, .ptid = 1, .comm = "logger", .cwd = "/"};

	if (sinsp_create(&config, &world->sinsp, NULL))
		return -1;
	world_process(world, &process);
	world_begin(world, EVENT_getuid, 100);
	world_end(world);
	*state = world;
	return 0;
}

static int teardown(void **state)
{
	drive_destroy(*state);
	free(*state);
	return 0;
}

static struct sinsp_fd *connected(struct drive *world, const char *source, const char *dest)
{
	struct sinsp_fd *fd = world_fd(world->event.thread, 3, SCAP_FD_IPV4, "a->b");

	fd->l4 = SCAP_L4_TCP;
	fd->role = SINSP_ROLE_CLIENT;
	inet_pton(AF_INET, source, fd->source.address);
	inet_pton(AF_INET, dest, fd->dest.address);
	fd->source.port = 40000;
	fd->dest.port = 443;
	world_set_fd(world, 3, fd);
	return fd;
}

static bool matches(struct drive *world, const char *expression)
{
	struct filter_options options = {0};
	struct filter_error err;
	struct filter *filter;
	bool match;

	if (filter_create(expression, &options, &filter, &err))
		fail_msg("%s: %s", expression, err.text);
	match = filter_match(filter, &world->event);
	filter_destroy(filter);
	return match;
}

static void test_names_of_addresses(void **state)
{
	struct drive *world = *state;
	struct sinsp_fd *fd;

	/* Filters look at descriptors only where events can have one. */
	world_begin(world, EVENT_shutdown, 100);
	world_end(world);
	fd = connected(world, "10.0.0.1", "10.0.0.5");
	world_expect(world, "fd.sip.name", "db.example");
	world_expect(world, "fd.rip.name", "db.example");
	world_expect_none(world, "fd.cip.name");
	world_expect_none(world, "fd.lip.name");
	assert_true(matches(world, "fd.sip.name=db.example"));
	assert_true(matches(world, "fd.sip.name in (web, db.example)"));
	assert_false(matches(world, "fd.sip.name!=db.example"));
	/* There is no name, so nothing can be said of it. */
	assert_false(matches(world, "fd.cip.name!=db.example"));
	assert_false(matches(world, "fd.cip.name exists"));
	fd->role = SINSP_ROLE_SERVER;
	world_expect(world, "fd.lip.name", "db.example");
	world_expect_none(world, "fd.rip.name");
	fd->role = SINSP_ROLE_NONE;
	world_expect_none(world, "fd.sip.name");
}

static void remove_files(void)
{
	static const char *const names[] = {"hosts"};
	char path[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", etc, names[i]);
		unlink(path);
	}
	rmdir(etc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_names_of_addresses, setup, teardown),
	};
	int r;

	if (!mkdtemp(etc))
		return 1;
	write_file("hosts", "10.0.0.5 db.example db\n");
	r = cmocka_run_group_tests(tests, NULL, NULL);
	remove_files();
	return r;
}
