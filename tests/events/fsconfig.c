/* SPDX-License-Identifier: MIT */
/* fsconfig: every command, the key, and the value by its kind. ramfs accepts any option. */
#include <fcntl.h>
#include <linux/mount.h>
#include <string.h>

#include "harness/fixture.h"
#include "harness/live.h"

static int new_context(void)
{
	long fd = CALL(SYS_fsopen, "ramfs", 0L);

	require(fd > 0);
	return (int)fd;
}

static void check_no_value(long fd, long command, const char *key, const void *value, long aux,
			   long ret)
{
	expect_call(fsconfig, ret, CALL(SYS_fsconfig, fd, command, key, value, aux),
		    NUMBER((int)fd), NUMBER((uint32_t)command), TEXT(key), ABSENT, ABSENT,
		    NUMBER((int)aux));
}

static void check_string(long fd, long command, const char *value, long aux)
{
	expect_call(fsconfig, 0, CALL(SYS_fsconfig, fd, command, "key", value, aux), NUMBER(fd),
		    NUMBER(command), TEXT("key"), ABSENT, TEXT(value), NUMBER(aux));
}

static void check_bytes(long fd, size_t size)
{
	const char *bytes = fixture_edge(fixture_pattern(size), size);

	expect_call(fsconfig, 0,
		    CALL(SYS_fsconfig, fd, (long)FSCONFIG_SET_BINARY, "blob", bytes, size),
		    NUMBER(fd), NUMBER(fsconfig_cmds__FSCONFIG_SET_BINARY), TEXT("blob"),
		    BYTES(bytes, size), ABSENT, NUMBER((int)size));
}

/* Keys are shorter than paths, and longer ones are rejected. */
static void check_keys(long fd)
{
	const struct path_case *keys = fixture_paths();

	for (int i = 0; i < PATH_CASES; i++) {
		long ret = CALL(SYS_fsconfig, fd, (long)FSCONFIG_SET_FLAG, keys[i].path, NULL, 1L);

		require(ret == -EINVAL);
		expect_params(live_next(EVENT_fsconfig), NUMBER(ret), NUMBER(fd),
			      NUMBER(fsconfig_cmds__FSCONFIG_SET_FLAG), TEXT(keys[i].shown), ABSENT,
			      ABSENT, NUMBER(1));
	}
}

LIVE_TEST(fsconfig)
{
	int fd = new_context(), null = open("/dev/null", O_RDONLY);

	check_keys(fd);
	check_no_value(fd, FSCONFIG_SET_FLAG, "ro", NULL, 0, 0);
	check_string(fd, FSCONFIG_SET_STRING, "value", 0);
	check_string(fd, FSCONFIG_SET_STRING, "", 0);
	check_bytes(fd, 4);
	check_bytes(fd, 4000);
	check_string(fd, FSCONFIG_SET_PATH, "some/path", AT_FDCWD);
	check_string(fd, FSCONFIG_SET_PATH_EMPTY, "", null);
	check_no_value(fd, FSCONFIG_SET_FD, "fd", NULL, null, 0);
	check_no_value(fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0, 0);
	check_no_value(fd, FSCONFIG_CMD_RECONFIGURE, NULL, NULL, 0, -EBUSY);
	check_no_value(fd, FSCONFIG_SET_STRING, "late", "value", 0, -EBUSY);
	check_no_value(fd, FSCONFIG_SET_BINARY, "blob", UNREADABLE, 10, -EFAULT);
	check_no_value(fd, FSCONFIG_SET_STRING, "key", NULL, 0, -EINVAL);
	check_no_value(null, FSCONFIG_SET_FLAG, "ro", NULL, 0, -EINVAL);
	check_no_value(0x100000000L + NO_FD, FSCONFIG_SET_FLAG, "ro", NULL, 0, -EBADF);
	check_no_value(fd, 0x123456789, "key", "value", -7, -EOPNOTSUPP);
	close(null);
	close(fd);
}
