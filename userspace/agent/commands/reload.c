/* SPDX-License-Identifier: MIT */
/* Asks a running agent, which is found by its file, and reports what came of it. */
#include "agent/commands/commands.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "agent/process/pid_file.h"
#include "agent/process/signals.h"
#include "util/clock.h"

enum { PAUSE_NS = 20000000 };

/* How long to wait for the answer: programs may be loaded anew. */
static const uint64_t patience_ns = UINT64_C(60000000000);

struct question {
	int signal, value;
	const char *without; /* what the agent may lack that does not answer */
};

/* Waits for the answer with that number, or a later one. */
static int reload_wait_for(const char *path, unsigned int number, const struct question *question,
			   struct pid_status *status, struct error *err)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + patience_ns;
	int r = 0;

	/* The difference also works after the numbers began again. */
	while (r == 0 && (int)(status->ended - number) < 0) {
		if (clock_ns(CLOCK_MONOTONIC) > until_ns)
			return error_set(err, -ETIME,
					 "no answer within 60 seconds; does it run with %s?",
					 question->without);
		nanosleep(&pause, NULL);
		buf_finish(&status->said);
		r = pid_file_read(path, status, err);
	}
	return r;
}

static int reload_ask(const char *path, const struct question *question, struct pid_status *status,
		      struct error *err)
{
	const union sigval value = {.sival_int = question->value};
	unsigned int number;
	int r = pid_file_read(path, status, err);

	if (r)
		return r;
	/* One that has begun may have read the files already. */
	number = status->begun + 1;
	if (sigqueue(status->pid, question->signal, value))
		return error_set(err, -errno, "cannot signal process %d: %s", (int)status->pid,
				 strerror(errno));
	return reload_wait_for(path, number, question, status, err);
}

static int ask(const struct options *options, const struct question *question)
{
	const char *path = options->pid_file ? options->pid_file : PID_FILE_DEFAULT;
	struct pid_status status;
	struct error err = {""};
	int r = reload_ask(path, question, &status, &err);

	if (r) {
		buf_finish(&status.said);
		return command_fail(EXIT_FAILURE, &err);
	}
	if (status.said.len)
		fwrite(status.said.data, 1, status.said.len, stderr);
	buf_finish(&status.said);
	return status.succeeded ? EXIT_SUCCESS : EXIT_FAILURE;
}

int reload_run(const struct options *options)
{
	const struct question question = {SIGHUP, options->force ? SIGNALS_FORCED : 0,
					  "--config or --rules"};

	return ask(options, &question);
}

int reload_dump_run(const struct options *options)
{
	const struct question question = {SIGUSR2, 0, "--flight-recorder"};

	return ask(options, &question);
}
