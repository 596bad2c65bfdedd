/* SPDX-License-Identifier: MIT */
/* From the run to the messages for its manager; the privileges that are kept. */
#include "agent/run/service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/delivery/outputs.h"
#include "output/reach.h"
#include "privileges/privileges.h"
#include "util/buf.h"
#include "util/error.h"
#include "util/terminal.h"

enum { PATHS_OF_OPTIONS = 3 };

/* Adds those of an output, if `writes` is not NULL. Returns how many there are. */
static size_t list_output(const struct output_config *config, const char **writes)
{
	const char *path;
	size_t count = 0;

	for (; (path = output_path_written(config, count)); count++)
		if (writes)
			writes[count] = path;
	return count;
}

static size_t count_outputs(const struct outputs *outputs)
{
	size_t count = 0;

	for (size_t i = 0; i < outputs->count; i++)
		count += list_output(outputs->list[i]->config, NULL);
	return count;
}

static size_t count_captures(const struct captures *captures)
{
	size_t count = 0;

	for (size_t i = 0; i < captures->count; i++)
		count += list_output(captures->list[i]->config, NULL);
	return count;
}

/* The recording, whose next files are in the same folder; and sockets: to connect is to write. */
static void list_writes(const struct options *options, const struct outputs *outputs,
			const struct captures *captures, const char **writes)
{
	size_t count = 0;

	for (size_t i = 0; i < outputs->count; i++)
		count += list_output(outputs->list[i]->config, &writes[count]);
	for (size_t i = 0; i < captures->count; i++)
		count += list_output(captures->list[i]->config, &writes[count]);
	if (options->write && strcmp(options->write, "-") != 0)
		writes[count++] = options->write;
	if (options->pid_file)
		writes[count++] = options->pid_file;
	if (options->continuous.folder)
		writes[count++] = options->continuous.folder;
	for (size_t i = 0; i < options->runtime_sockets_count; i++)
		writes[count++] = options->runtime_sockets[i];
	writes[count] = NULL;
}

int run_set_privileges(const struct options *options, const struct outputs *outputs,
		       const struct captures *captures, bool reloads, struct error *err)
{
	size_t most = PATHS_OF_OPTIONS + options->runtime_sockets_count + count_outputs(outputs) +
		      count_captures(captures);
	const char **writes = calloc(most + 1, sizeof(*writes));
	struct privileges_needs needs = {
		.reloads = reloads,
		.has_command = options->command || options->lossless,
		.writes = writes,
	};

	if (!writes)
		return error_set(err, -ENOMEM, "out of memory");
	list_writes(options, outputs, captures, writes);
	if (!options->read)
		privileges_set(options->privileges, &needs);
	free(writes);
	return 0;
}

int run_start_loader(const struct options *options, bool reloads, struct loader *loader,
		     struct error *err)
{
	return options->read || !reloads || options->privileges == PRIVILEGES_KEEP
		       ? 0
		       : loader_start(loader, err);
}

/* Landlock cannot only log: so this says what would be rejected, all else. */
static void append_reach(const struct outputs *outputs, struct buf *text)
{
	for (size_t i = 0; i < outputs->count; i++) {
		const struct output_config *config = outputs->list[i]->config;
		struct output_reach reach = {0};

		output_reach_target(config, &reach);
		output_reach_spool(config, &reach);
		buf_printf(text, "agent: privileges: files of output %zu (%s) are not limited to: ",
			   i + 1, config->name);
		output_reach_append(&reach, text);
		buf_append_char(text, '\n');
		output_reach_finish(&reach);
	}
}

int run_drop_privileges(const struct options *options, const struct outputs *outputs,
			struct error *err)
{
	struct buf text = {0};

	if (options->read)
		return 0;
	if (options->verbose)
		privileges_append(&text);
	if (options->verbose && options->privileges == PRIVILEGES_LOG)
		append_reach(outputs, &text);
	terminal_print(stderr, &text);
	buf_finish(&text);
	return privileges_enter(ROLE_EVENTS, NULL, err);
}

/* From the run to the messages for its manager. */

/* Each line makes the manager inform all who watch the unit. */
static const uint64_t status_interval_ns = 10000000000;
static const uint64_t health_interval_ns = 1000000000;

void service_begin(struct service *service)
{
	struct error err = {""};

	if (notify_open(&service->notify, &err))
		fprintf(stderr, "agent: %s\n", err.text);
	notify_status(&service->notify, "opening the input and loading programs");
}

void service_end(struct service *service)
{
	notify_close(&service->notify);
}

void service_notify(struct service *service, enum notify_state state)
{
	struct error err = {""};

	if (notify_state(&service->notify, state, &err))
		fprintf(stderr, "agent: %s\n", err.text);
}

/* Once a second: whether a thread of an output hangs, for which only a restart helps. */
static void service_check_outputs(struct service *service, struct outputs *outputs, uint64_t now_ns)
{
	struct buf lines = {0};
	bool hangs;

	service->health_due_ns = now_ns + health_interval_ns;
	hangs = outputs_health(outputs, now_ns, &lines) == HEALTH_HANGS;
	if (hangs && !service->hangs)
		fprintf(stderr, "agent: the watchdog is not fed any more: %.*s", (int)lines.len,
			lines.data);
	service->hangs = hangs;
	buf_finish(&lines);
}

bool service_step(struct service *service, struct outputs *outputs, uint64_t now_ns)
{
	if (!notify_is_on(&service->notify))
		return false;
	if (now_ns >= service->health_due_ns)
		service_check_outputs(service, outputs, now_ns);
	if (!service->hangs)
		notify_alive(&service->notify, now_ns);
	if (now_ns < service->status_due_ns)
		return false;
	service->status_due_ns = now_ns + status_interval_ns;
	return true;
}

uint64_t service_due_ns(const struct service *service)
{
	const struct notify *notify = &service->notify;

	return notify->watchdog_ns && !service->hangs ? notify->watchdog_due_ns : UINT64_MAX;
}

void service_status(struct service *service, const char *line)
{
	notify_status(&service->notify, line);
}
