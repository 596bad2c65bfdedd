/* SPDX-License-Identifier: MIT */
/* A handler that counts. System calls are not restarted, so that a blocked write sees it too. */
#include "agent/signals.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* The one thing that a handler can reach. */
static volatile sig_atomic_t received;

static void count_signal(int number)
{
	if (received < SCHAR_MAX)
		received = received + 1;
	if (number != SIGALRM)
		alarm(SIGNALS_PATIENCE_S);
}

int signals_init(struct error *err)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGPIPE, SIGALRM};
	struct sigaction action = {.sa_handler = count_signal};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (sigaction(numbers[i], &action, NULL))
			return error_set(err, -errno, "cannot handle signals: %s",
					 strerror(errno));
	return 0;
}

int signals_count(void)
{
	return received;
}
