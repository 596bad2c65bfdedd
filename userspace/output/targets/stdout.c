/* SPDX-License-Identifier: MIT */
/* The kind stdout: standard output of the agent. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/stop.h"
#include "output/target.h"
#include "output/targets/kinds.h"

struct stdout_target {
	struct output_stop *stop;
	int fd;
	bool owned; /* of the descriptor */
	/* A record of which the first bytes were written before an error: they are not repeated. */
	uint64_t cut_number; /* 0: none */
	size_t cut_bytes;
};

/*
 * Pipes and terminals are opened anew, to be able to stop a write that waits for a reader:
 * O_NONBLOCK on the given descriptor would also be seen by other programs that have it.
 */
static void open_fd(struct stdout_target *target)
{
	struct stat stat;
	int fd = -1;

	if (fstat(STDOUT_FILENO, &stat) == 0 && (S_ISFIFO(stat.st_mode) || S_ISCHR(stat.st_mode)))
		fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	target->owned = fd >= 0;
	target->fd = target->owned ? fd : STDOUT_FILENO;
}

static int stdout_check(const struct output_config *config, struct error *err)
{
	if (config->target[0])
		return error_set(err, -EINVAL, "stdout: takes no target, not '%s'", config->target);
	return 0;
}

static int stdout_open(const struct output_config *config, struct output_stop *stop, void **target,
		       struct error *err)
{
	struct stdout_target *made = calloc(1, sizeof(*made));

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->stop = stop;
	open_fd(made);
	*target = made;
	return 0;
}

static int no_reader(struct error *err)
{
	return error_set(err, -ESHUTDOWN, "standard output has no reader any more");
}

/* A reader that left is seen without a record to write, too. */
static int stdout_tick(void *context, struct error *err)
{
	const struct stdout_target *target = context;
	struct pollfd poll_fd = {.fd = target->fd};

	if (poll(&poll_fd, 1, 0) == 1 && (poll_fd.revents & (POLLERR | POLLHUP)))
		return no_reader(err);
	return 0;
}

/* Remembers how much of the first record that is not whole was written. */
static void remember_cut(struct stdout_target *target, const struct output_batch *batch,
			 size_t done)
{
	size_t i = 0;

	while (i < batch->count && batch->records[i].len <= done)
		done -= batch->records[i++].len;
	target->cut_bytes = done;
	target->cut_number = i < batch->count && done ? batch->records[i].number : 0;
}

static int stdout_send(void *context, struct output_batch *batch, struct error *err)
{
	struct stdout_target *target = context;
	bool goes_on = batch->records[0].number == target->cut_number &&
		       !(batch->records[0].flags & RECORD_IS_DROP);
	size_t done = goes_on ? target->cut_bytes : 0;
	int r = output_stop_write(target->fd, target->stop, batch, batch->bytes, &done);

	output_batch_set_bytes(batch, done);
	remember_cut(target, batch, done);
	if (r == 0 || r == -ECANCELED)
		return r;
	if (r == -EPIPE)
		return no_reader(err);
	return error_set(err, r, "cannot write to standard output: %s", strerror(-r));
}

static void stdout_close(void *context)
{
	struct stdout_target *target = context;

	if (target && target->owned)
		close(target->fd);
	free(target);
}

static const char *const names[] = {"stdout", NULL};

const struct output_kind output_kind_stdout = {
	.names = names,
	.target = "",
	.help = "standard output",
	.is_alone = true,
	.uses = OUTPUT_USES_STDOUT,
	.check = stdout_check,
	.open = stdout_open,
	.send = stdout_send,
	.tick = stdout_tick,
	.close = stdout_close,
};
