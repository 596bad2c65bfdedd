/* SPDX-License-Identifier: MIT */
/* user.* and group.*: what the files of the machine say. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void test_users(void **state)
{
	struct drive *world = *state;

	world_self(world)->uid = 7;
	world_self(world)->gid = 8;
	world_expect(world, "user.name", "ann");
	world_expect(world, "user.homedir", "/home/ann");
	world_expect(world, "user.shell", "/bin/zsh");
	world_expect(world, "group.name", "staff");
	world_self(world)->uid = 9;
	world_self(world)->gid = 9;
	world_expect(world, "user.homedir", "<NA>");
	world_expect(world, "user.shell", "<NA>");
	world_expect(world, "group.name", "<NA>");
	/* root has a directory even in a file that does not name it. */
	world_self(world)->uid = 0;
	world_expect(world, "user.homedir", "/root");
	world_expect(world, "user.shell", "<NA>");
	world->event.thread = NULL;
	world_expect_none(world, "user.homedir");
	world_expect_none(world, "user.shell");
}

static void remove_files(void)
{
	static const char *const names[] = {"passwd", "group"};
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
		cmocka_unit_test_setup_teardown(test_users, setup, teardown),
	};
	int r;

	if (!mkdtemp(etc))
		return 1;
	write_file("passwd", "ann:x:7:7::/home/ann:/bin/zsh\n");
	write_file("group", "staff:x:8:ann\n");
	r = cmocka_run_group_tests(tests, NULL, NULL);
	remove_files();
	return r;
}
