/* SPDX-License-Identifier: MIT */
/* A datagram socket below /tmp, or in the abstract name space. */
#include "fake_manager.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void clear_environment(void)
{
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

void fake_manager_open(struct fake_manager *manager, bool abstract)
{
	*manager = (struct fake_manager){.abstract = abstract};
	snprintf(manager->name, sizeof(manager->name),
		 "%c"
		 "tmp/lanner-manager-%d",
		 abstract ? '@' : '/', getpid());
	clear_environment();
	setenv("NOTIFY_SOCKET", manager->name, 1);
	fake_manager_return(manager);
}

void fake_manager_close(struct fake_manager *manager)
{
	fake_manager_leave(manager);
	clear_environment();
}

void fake_manager_leave(struct fake_manager *manager)
{
	close(manager->fd);
	if (!manager->abstract)
		unlink(manager->name);
}

void fake_manager_return(struct fake_manager *manager)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(manager->name);

	memcpy(address.sun_path, manager->name, length);
	if (manager->abstract)
		address.sun_path[0] = '\0';
	length += offsetof(struct sockaddr_un, sun_path);
	manager->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(manager->fd, (struct sockaddr *)&address, (socklen_t)length), 0);
}

bool fake_manager_take(struct fake_manager *manager, char *text, size_t size)
{
	ssize_t length = recv(manager->fd, text, size - 1, 0);

	if (length < 0) {
		assert_int_equal(errno, EAGAIN);
		return false;
	}
	text[length] = '\0';
	return true;
}

void fake_manager_expect(struct fake_manager *manager, const char *text)
{
	char taken[1024] = "";
	bool any = fake_manager_take(manager, taken, sizeof(taken));

	if (text)
		assert_string_equal(taken, text);
	else if (any)
		fail_msg("nothing was expected, but %s arrived", taken);
}
