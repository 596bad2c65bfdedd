/* SPDX-License-Identifier: MIT */
/* Joins what the thread of counters publishes with names, which are kept when a container ends. */
#include "agent/run/container_counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/counts/counters.h"
#include "agent/counts/counted_name.h"
#include "requests/metrics/request_metrics.h"
#include "util/count.h"

#define NS_PER_S 1e9

/* What was read of a container, with its names. */
struct named {
	struct counted_who who;
	struct counted_name name;
	struct counted_sum *sums; /* of the rows */
	bool is_there; /* the rest is set */
	bool is_named; /* all that is known of it is here */
};

/* From one look at the names of containers that have none yet to the next; and how long they are
 * looked for after one has come. */
#define LEARN_NS UINT64_C(500000000)
#define LEARN_UNTIL_NS UINT64_C(10000000000)

struct container_counters {
	struct counters *counters; /* owned */
	struct named *list; /* owned; `count` of `max` */
	struct counted_sum *sums; /* owned: those of all rows */
	struct counters_stats stats;
	size_t count, max;
	uint64_t changes, learn_ns, learn_until_ns; /* monotonic: when names are looked for */
	bool lacks_names;
};

int container_counters_start(const struct options *options, struct container_counters **counters,
			     struct error *err)
{
	const struct counters_config config = {
		.events = options->counters,
		.events_count = options->counters_count,
		.host_root = options->host_root,
		.series =
			options->metrics_series ? options->metrics_series : REQUEST_METRICS_SERIES,
	};
	struct container_counters *made;
	int r;

	*counters = NULL;
	if (!options->counters_count)
		return 0;
	made = calloc(1, sizeof(*made));
	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	r = counters_start(&config, &made->counters, err);
	if (r) {
		free(made);
		return r;
	}
	made->max = counters_max(made->counters);
	made->list = calloc(made->max, sizeof(*made->list));
	made->sums =
		calloc(made->max * counters_events(made->counters)->count, sizeof(*made->sums));
	if (!made->list || !made->sums) {
		container_counters_stop(made);
		return error_set(err, -ENOMEM, "out of memory");
	}
	*counters = made;
	return 0;
}

void container_counters_stop(struct container_counters *counters)
{
	if (!counters)
		return;
	counters_stop(counters->counters);
	free(counters->list);
	free(counters->sums);
	free(counters);
}

void container_counters_ask(struct container_counters *counters)
{
	counters_ask(counters->counters);
}

static bool is_same(const struct named *named, const struct counted_who *who)
{
	return named->is_there && named->who.owner == who->owner &&
	       strcmp(named->who.id, who->id) == 0;
}

/*
 * Takes a row. Others before it may have been removed since the last time: its names are in its
 * place or behind it.
 */
static void take_row(void *context, size_t i, const struct counted_who *who,
		     const struct counted_sum *sums)
{
	struct container_counters *counters = context;
	size_t events = counters_events(counters->counters)->count, k = i;
	struct named *to = &counters->list[i];

	while (k < counters->max && !is_same(&counters->list[k], who))
		k++;
	if (k < counters->max) {
		struct named other = *to;

		*to = counters->list[k];
		counters->list[k] = other;
	} else {
		counted_name_init(who, &to->name);
		to->is_named = false;
	}
	to->is_there = true;
	to->who = *who;
	to->sums = &counters->sums[i * events];
	memcpy(to->sums, sums, events * sizeof(*sums));
	counters->count = i + 1;
}

/* Nanoseconds are shown as seconds. */
static bool counts_time(const struct perf_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
		event->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

enum shown { SHOWN_EVENTS, SHOWN_SECONDS, SHOWN_RATIO };

static void append_sample(struct exposition *exposition, enum shown shown,
			  const struct exposition_label *labels, const struct perf_event *event,
			  const struct counted_sum *sum)
{
	if (shown == SHOWN_RATIO)
		exposition_sample_real(
			exposition, labels,
			sum->enabled_ns ? (double)sum->running_ns / (double)sum->enabled_ns : 1);
	else if (shown == SHOWN_SECONDS)
		exposition_sample_real(exposition, labels, sum->value / NS_PER_S);
	else
		exposition_sample_real(exposition, labels, sum->value * event->scale);
}

enum { LABELS_MAX = 8 };

/* Labels are called as those of requests; those without a value are left out. */
static void set_labels(const struct counted_name *name, const char *event,
		       struct exposition_label labels[LABELS_MAX])
{
	const struct exposition_label all[LABELS_MAX - 1] = {
		{label_name(LABEL_NAMESPACE), name->ns},
		{label_name(LABEL_WORKLOAD_KIND), name->workload_kind},
		{label_name(LABEL_WORKLOAD), name->workload},
		{label_name(LABEL_POD), name->pod},
		{label_name(LABEL_CONTAINER), name->container},
		{label_name(LABEL_KD_CONTAINER_ID), name->id},
		{"event", event},
	};
	size_t n = 0;

	for (size_t i = 0; i < COUNT(all); i++)
		if (*all[i].value)
			labels[n++] = all[i];
	labels[n] = (struct exposition_label){0};
}

/* Of the events of several PMUs that were made of one name. Returns false for one that is not the
 * first of them, or was not opened. */
static bool sum_of_name(const struct perf_event_list *events, const struct counted_sum *sums,
			size_t i, struct counted_sum *all)
{
	*all = (struct counted_sum){0};
	if (events->events[i].origin != i &&
	    strcmp(events->events[events->events[i].origin].name, events->events[i].name) == 0)
		return false;
	for (size_t k = i; k < events->count; k++) {
		if (k != i && (events->events[k].origin != i ||
			       strcmp(events->events[k].name, events->events[i].name) != 0))
			continue;
		all->value += sums[k].value;
		all->enabled_ns += sums[k].enabled_ns;
		all->running_ns += sums[k].running_ns;
		all->supported |= sums[k].supported;
	}
	return all->supported;
}

static void append_container(const struct container_counters *counters, const struct named *named,
			     enum shown shown, struct exposition *exposition)
{
	const struct perf_event_list *events = counters_events(counters->counters);
	struct exposition_label labels[LABELS_MAX];
	struct counted_sum sum;

	for (size_t i = 0; i < events->count; i++) {
		const struct perf_event *event = &events->events[i];

		if ((shown != SHOWN_RATIO && counts_time(event) != (shown == SHOWN_SECONDS)) ||
		    !sum_of_name(events, named->sums, i, &sum))
			continue;
		set_labels(&named->name, event->name, labels);
		append_sample(exposition, shown, labels, event, &sum);
	}
}

static void append_left_out(const struct container_counters *counters,
			    struct exposition *exposition)
{
	static const struct exposition_family family = {
		"lanner_perf_containers_left_out", METRIC_COUNTER, NULL,
		"Containers whose perf events are not counted, by cause."};
	static const char *const causes[COUNTED_CAUSES] = {
		[COUNTED_NO_ROOM] = "no_room", [COUNTED_FAILED] = "failed"};

	exposition_begin(exposition, &family);
	for (int i = 0; i < COUNTED_CAUSES; i++) {
		const struct exposition_label labels[] = {{"cause", causes[i]}, {0}};

		exposition_sample(exposition, labels, counters->stats.left_out[i]);
	}
}

/* A name can change, and what is known of a pod grows: each is looked for again. */
static void learn_names(struct container_counters *counters, const struct state *state)
{
	counters->count = 0;
	counters->lacks_names = false;
	counters_show(counters->counters, &counters->stats, take_row, counters);
	for (size_t i = 0; i < counters->count; i++) {
		struct named *named = &counters->list[i];

		named->is_named |= counted_name_learn(state, &named->who, &named->name);
		counters->lacks_names |= !named->is_named;
	}
	counters->changes = counters->stats.changes;
}

void container_counters_step(struct container_counters *counters, const struct state *state,
			     uint64_t now_ns)
{
	if (now_ns < counters->learn_ns)
		return;
	if (counters_changes(counters->counters) != counters->changes)
		counters->learn_until_ns = now_ns + LEARN_UNTIL_NS;
	else if (!counters->lacks_names || now_ns > counters->learn_until_ns)
		return;
	counters->learn_ns = now_ns + LEARN_NS;
	learn_names(counters, state);
}

void container_counters_append(struct container_counters *counters, const struct state *state,
			       struct exposition *exposition)
{
	static const struct exposition_family families[] = {
		[SHOWN_EVENTS] = {"lanner_container_perf_events", METRIC_COUNTER, NULL,
				  "Perf events of the tasks of a container."},
		[SHOWN_SECONDS] = {"lanner_container_perf_seconds", METRIC_COUNTER, "seconds",
				   "Time that perf events of the tasks of a container counted."},
		[SHOWN_RATIO] = {"lanner_container_perf_running_ratio", METRIC_GAUGE, "ratio",
				 "Share of the time in which an event was on its PMU; what was "
				 "counted is scaled to all of it."},
	};
	static const struct exposition_family containers = {
		"lanner_perf_containers", METRIC_GAUGE, NULL,
		"Containers whose perf events are counted now."};
	static const struct exposition_family unwatched = {
		"lanner_perf_groups_unwatched", METRIC_GAUGE, NULL,
		"Control groups below which containers are found late."};
	static const struct exposition_family late = {
		"lanner_perf_late", METRIC_GAUGE, NULL,
		"1 if the counters of containers could not be read for this page, else 0."};

	learn_names(counters, state);
	for (size_t shown = 0; shown < COUNT(families); shown++) {
		exposition_begin(exposition, &families[shown]);
		for (size_t i = 0; i < counters->count; i++)
			append_container(counters, &counters->list[i], (enum shown)shown,
					 exposition);
	}
	exposition_add(exposition, &containers, counters->stats.containers);
	exposition_add(exposition, &unwatched, counters->stats.unwatched);
	exposition_add(exposition, &late, counters->stats.is_late);
	append_left_out(counters, exposition);
}
