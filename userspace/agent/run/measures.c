/* SPDX-License-Identifier: MIT */
/* The interval is the one that all exporters of OpenTelemetry know. */
#include "agent/run/run.h"

#include <stdlib.h>
#include <time.h>

#include "output/delivery/outputs.h"
#include "util/clock.h"
#include "util/value.h"

enum { NS_PER_MS = 1000000, INTERVAL_MS = 60000, INTERVAL_MS_MAX = 86400000 };

static uint64_t measures_interval_ns(void)
{
	const char *text = getenv("OTEL_METRIC_EXPORT_INTERVAL");
	uint64_t ms = INTERVAL_MS;

	if (text)
		value_read_count(text, INTERVAL_MS_MAX, &ms);
	return ms * NS_PER_MS;
}

struct measures_taken {
	struct run *run;
	uint64_t now_ns; /* since the epoch */
};

static void take(void *context, const struct buf *record)
{
	const struct measures_taken *taken = context;

	outputs_measure(&taken->run->outputs, taken->now_ns, record);
}

void measures_step(struct run *run, uint64_t now_ns, bool last)
{
	struct measures *measures = &run->measures;
	struct measures_taken taken = {run, 0};

	if (!run->request_metrics || !outputs_take_metrics(&run->outputs))
		return;
	if (!measures->interval_ns) {
		measures->interval_ns = measures_interval_ns();
		measures->due_ns = now_ns + measures->interval_ns;
	}
	if (now_ns < measures->due_ns && !last)
		return;
	measures->due_ns = now_ns + measures->interval_ns;
	taken.now_ns = clock_ns(CLOCK_REALTIME);
	request_metrics_records(run->request_metrics, taken.now_ns, take, &taken);
}
