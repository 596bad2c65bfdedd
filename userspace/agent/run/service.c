/* SPDX-License-Identifier: MIT */
/* From the run to the messages for its manager. */
#include "agent/run/service.h"

#include <stdio.h>

#include "agent/run/report.h"
#include "agent/run/run.h"
#include "output/delivery/outputs.h"
#include "util/buf.h"
#include "util/error.h"

enum { LINE_MAX_BYTES = 512 };

/* Each line makes the manager inform all who watch the unit. */
static const uint64_t status_interval_ns = 10000000000;
static const uint64_t health_interval_ns = 1000000000;

void service_begin(struct run *run)
{
	struct error err = {""};

	if (notify_open(&run->service.notify, &err))
		fprintf(stderr, "agent: %s\n", err.text);
	notify_status(&run->service.notify, "opening the input and loading programs");
}

void service_end(struct run *run)
{
	notify_close(&run->service.notify);
}

void service_notify(struct run *run, enum notify_state state)
{
	struct error err = {""};

	if (notify_state(&run->service.notify, state, &err))
		fprintf(stderr, "agent: %s\n", err.text);
}

static void send_counters(struct run *run)
{
	char line[LINE_MAX_BYTES];
	struct buf text = buf_fixed(line, sizeof(line));

	if (report_append_counters(run, &text))
		return;
	buf_append_char(&text, '\0');
	if (!text.failed)
		notify_status(&run->service.notify, line);
}

/* Once a second: whether a thread of an output hangs, for which only a restart helps. */
static void check_outputs(struct run *run, uint64_t now_ns)
{
	struct service *service = &run->service;
	struct buf lines = {0};
	bool hangs;

	service->health_due_ns = now_ns + health_interval_ns;
	hangs = outputs_health(&run->outputs, now_ns, &lines) == HEALTH_HANGS;
	if (hangs && !service->hangs)
		fprintf(stderr, "agent: the watchdog is not fed any more: %.*s", (int)lines.len,
			lines.data);
	service->hangs = hangs;
	buf_finish(&lines);
}

void service_step(struct run *run, uint64_t now_ns)
{
	struct service *service = &run->service;

	if (!notify_is_on(&service->notify))
		return;
	if (now_ns >= service->health_due_ns)
		check_outputs(run, now_ns);
	if (!service->hangs)
		notify_alive(&service->notify, now_ns);
	if (now_ns < service->status_due_ns)
		return;
	service->status_due_ns = now_ns + status_interval_ns;
	send_counters(run);
}
