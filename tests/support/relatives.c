/* SPDX-License-Identifier: MIT */
#include "relatives.h"

#include <stdlib.h>

static const char cat_args[] = "-n\0/etc/hostname\0";
static const char cat_env[] = "PATH=/bin\0EMPTY=\0PAD=  x y \0";
static const char shell_env[] = "SHELL=/bin/bash\0EMPTY=no\0";

static const struct world_process init = {
	.pid = 1,
	.comm = "systemd",
	.exe = "/sbin/init",
	.exepath = "/usr/lib/systemd",
};
static const struct world_process shell = {
	.pid = 50,
	.ptid = 1,
	.comm = "bash",
	.exe = "-bash",
	.exepath = "/usr/bin/bash",
	.args = "-l",
	.args_len = 3,
	.env = shell_env,
	.env_len = sizeof(shell_env) - 1,
};
static const struct world_process make = {
	.pid = 80,
	.ptid = 50,
	.comm = "make",
	.exe = "make",
	.exepath = "/usr/bin/make",
};
static const struct world_process cat = {
	.pid = 100,
	.ptid = 80,
	.comm = "cat",
	.exe = "cat",
	.exepath = "/usr/bin/cat",
	.args = cat_args,
	.args_len = sizeof(cat_args) - 1,
	.env = cat_env,
	.env_len = sizeof(cat_env) - 1,
	.cwd = "/home/user",
};

int relatives_setup(void **state)
{
	struct relatives *relatives = calloc(1, sizeof(*relatives));
	struct drive *world = &relatives->world;

	if (!relatives)
		return -1;
	drive_create(world, NULL);
	relatives->init = world_process(world, &init);
	relatives->shell = world_process(world, &shell);
	relatives->make = world_process(world, &make);
	relatives->cat = world_process(world, &cat);
	relatives->second = world_thread(world, relatives->cat, 101);
	relatives_event(relatives, 100);
	*state = relatives;
	return 0;
}

int relatives_teardown(void **state)
{
	struct relatives *relatives = *state;

	drive_destroy(&relatives->world);
	free(relatives);
	return 0;
}

void relatives_event(struct relatives *relatives, int64_t tid)
{
	world_begin(&relatives->world, EVENT_close, tid);
	frame_put_i64(&relatives->world.frame, close__res, 0);
	world_end(&relatives->world);
}
