/* SPDX-License-Identifier: MIT */
/* Opens each event for each task or CPU, in groups, and sums up what they count. */
#include "perf/count/count.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "perf/open.h"
#include "util/count.h"

/* Counters that are being opened. */
struct opening {
	struct perf_counters *counters;
	const struct perf_event_list *list;
	const struct perf_target *target;
	const struct perf_machine *machine;
	struct error *err;
};

/* Where an event is opened: for a task anywhere, or for all on a CPU. */
struct place {
	int pid, cpu;
};

static bool pmu_has(const struct perf_event *event, unsigned int cpu)
{
	return !event->cpus || perf_cpus_have(event->cpus, cpu);
}

/*
 * Whether an event is opened on the i-th CPU of a target of CPUs: one that its PMU has, too; and
 * what counts the whole package on each CPU is opened on the first one there.
 */
static bool counts_on(const struct perf_event *event, const struct perf_target *target, size_t i)
{
	const unsigned int *numbers = target->cpus.numbers;

	if (!pmu_has(event, numbers[i]))
		return false;
	for (size_t k = 0; event->per_package && k < i; k++)
		if (target->packages[k] == target->packages[i] && pmu_has(event, numbers[k]))
			return false;
	return true;
}

static size_t places_count(const struct perf_event *event, const struct perf_target *target)
{
	size_t n = 0;

	if (target->tids)
		return target->tids_count;
	for (size_t i = 0; i < target->cpus.count; i++)
		n += counts_on(event, target, i);
	return n;
}

static struct place places_get(const struct perf_event *event, const struct perf_target *target,
			       size_t k)
{
	size_t i = 0;

	if (target->tids)
		return (struct place){target->tids[k], -1};
	for (;; i++)
		if (counts_on(event, target, i) && k-- == 0)
			break;
	return (struct place){target->cgroup, (int)target->cpus.numbers[i]};
}

static void complete_attr(struct perf_counter *counter, const struct perf_target *target,
			  bool is_leader)
{
	struct perf_event_attr *attr = &counter->attr;

	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr->inherit = !target->no_inherit && target->tids && !counter->event->is_probe;
	attr->disabled = is_leader;
	attr->enable_on_exec = is_leader && target->on_exec;
}

/* Whether both are opened at the same places: only then can they be in one group. */
static bool count_together(const struct perf_event *a, const struct perf_event *b,
			   const struct perf_target *target)
{
	for (size_t i = 0; !target->tids && i < target->cpus.count; i++)
		if (counts_on(a, target, i) != counts_on(b, target, i))
			return false;
	return true;
}

/* The descriptor of the leader at the same place; -1: the event leads itself. */
static int group_fd(const struct opening *opening, const struct perf_counter *counter, size_t i,
		    size_t k)
{
	const struct perf_counter *leader = &opening->counters->counters[counter->leader];

	return counter->leader == i ? -1 : leader->fds[k];
}

static int open_at(const struct opening *opening, struct perf_counter *counter, size_t i, size_t k)
{
	struct place place = places_get(counter->event, opening->target, k);

	return perf_open(counter->event, &counter->attr, place.pid, place.cpu,
			 group_fd(opening, counter, i, k),
			 opening->target->cgroup >= 0 ? PERF_FLAG_PID_CGROUP : 0);
}

/* Whether user space alone may be counted: its name says so then. Returns 1, 0 or -ENOMEM. */
static int fall_back_to_user(struct opening *opening, struct perf_counter *counter, int error)
{
	struct perf_event_attr *attr = &counter->attr;
	const char *suffix = strchr(counter->name, ':') ? "u" : ":u";
	size_t size = strlen(counter->name) + strlen(suffix) + 1;
	char *name;

	if ((error != -EACCES && error != -EPERM) || attr->exclude_kernel || attr->exclude_user ||
	    perf_open_paranoid() < 2)
		return 0;
	name = arena_alloc(&opening->counters->arena, size);
	if (!name)
		return -ENOMEM;
	snprintf(name, size, "%s%s", counter->name, suffix);
	counter->name = name;
	attr->exclude_kernel = attr->exclude_hv = 1;
	return 1;
}

static void close_fds(struct perf_counter *counter)
{
	for (size_t k = 0; k < counter->fds_count; k++)
		if (counter->fds[k] >= 0)
			close(counter->fds[k]);
	free(counter->fds);
	free(counter->before);
	counter->fds = NULL;
	counter->before = NULL;
	counter->fds_count = 0;
}

static int open_everywhere(struct opening *opening, struct perf_counter *counter, size_t i)
{
	for (size_t k = 0; k < counter->fds_count; k++) {
		int fd = open_at(opening, counter, i, k), r;

		if (fd == -ESRCH && opening->target->tids_count > 1)
			continue;
		r = fd < 0 ? fall_back_to_user(opening, counter, fd) : 0;
		if (r < 0)
			return r;
		if (r > 0)
			fd = open_at(opening, counter, i, k);
		if (fd < 0)
			return fd;
		counter->fds[k] = fd;
	}
	return 0;
}

static int open_counter(struct opening *opening, size_t i)
{
	struct perf_counter *counter = &opening->counters->counters[i];
	size_t n = places_count(counter->event, opening->target);
	int r;

	/* What counts for no task is not to be had for one. */
	if (counter->event->is_uncore && opening->target->tids)
		return -EINVAL;
	if (n == 0)
		return -ENODEV;
	counter->attr = counter->event->attr;
	counter->name = counter->event->name;
	complete_attr(counter, opening->target, counter->leader == i);
	counter->fds = malloc(n * sizeof(*counter->fds));
	counter->before = calloc(n, sizeof(*counter->before));
	if (!counter->fds || !counter->before)
		return -ENOMEM;
	counter->fds_count = n;
	for (size_t k = 0; k < n; k++)
		counter->fds[k] = -1;
	r = open_everywhere(opening, counter, i);
	if (r)
		close_fds(counter);
	return r;
}

/* What says that there is no such event here; the rest is about rights and resources. */
static bool is_unsupported(int error)
{
	static const int errors[] = {ENOENT, EOPNOTSUPP, EINVAL, ENODEV, ENXIO,
				     ENOSYS, ENOSPC,	 EBUSY,	 EFAULT};

	for (size_t i = 0; i < COUNT(errors); i++)
		if (error == -errors[i])
			return true;
	return false;
}

static int fail_opening(struct opening *opening, size_t i, int error)
{
	const struct perf_event *event = opening->counters->counters[i].event;
	char memory[256];
	struct buf reason = buf_fixed(memory, sizeof(memory) - 1);

	perf_open_append_reason(opening->machine, event, error, &reason);
	memory[reason.len] = '\0';
	return error_set(opening->err, error, "%s: %s", event->name, memory);
}

/* The events of a group that does not fit are opened alone. */
static int open_ungrouped(struct opening *opening, size_t leader, size_t last)
{
	int r = 0;

	for (size_t i = leader; i < opening->counters->count; i++) {
		struct perf_counter *counter = &opening->counters->counters[i];

		if (counter->leader != leader)
			continue;
		counter->leader = i;
		if (i > last)
			continue;
		close_fds(counter);
		r = open_counter(opening, i);
		counter->error = r;
		if (r && !is_unsupported(r))
			return r;
	}
	return 0;
}

static int open_one(struct opening *opening, size_t i)
{
	struct perf_counter *counter = &opening->counters->counters[i];
	const struct perf_counter *leader = &opening->counters->counters[counter->leader];
	int r;

	if (!count_together(counter->event, leader->event, opening->target)) {
		counter->leader = i;
		counter->left_group = true;
		leader = counter;
	}
	r = leader->error ? leader->error : open_counter(opening, i);
	if (r && counter->leader != i && leader->event->is_weak)
		return open_ungrouped(opening, counter->leader, i);
	counter->error = r;
	return r && !is_unsupported(r) ? r : 0;
}

int perf_counters_open(struct perf_counters *counters, const struct perf_event_list *list,
		       const struct perf_target *target, const struct perf_machine *machine,
		       struct error *err)
{
	struct opening opening = {counters, list, target, machine, err};

	*counters = (struct perf_counters){
		.counters = calloc(list->count, sizeof(*counters->counters)),
		.count = list->count,
	};
	if (!counters->counters)
		return error_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < list->count; i++) {
		counters->counters[i].event = &list->events[i];
		counters->counters[i].name = list->events[i].name;
		counters->counters[i].leader = list->events[i].leader;
	}
	for (size_t i = 0; i < list->count; i++) {
		int r = open_one(&opening, i);

		if (r == 0)
			continue;
		fail_opening(&opening, i, r);
		perf_counters_close(counters);
		return r;
	}
	return 0;
}

void perf_counters_close(struct perf_counters *counters)
{
	for (size_t i = 0; i < counters->count; i++)
		close_fds(&counters->counters[i]);
	free(counters->counters);
	arena_finish(&counters->arena);
	*counters = (struct perf_counters){0};
}

static void control_leaders(const struct perf_counters *counters, unsigned long request)
{
	for (size_t i = 0; i < counters->count; i++) {
		const struct perf_counter *counter = &counters->counters[i];

		for (size_t k = 0; counter->leader == i && k < counter->fds_count; k++)
			if (counter->fds[k] >= 0)
				ioctl(counter->fds[k], request, PERF_IOC_FLAG_GROUP);
	}
}

void perf_counters_enable(const struct perf_counters *counters)
{
	control_leaders(counters, PERF_EVENT_IOC_ENABLE);
}

void perf_counters_disable(const struct perf_counters *counters)
{
	control_leaders(counters, PERF_EVENT_IOC_DISABLE);
}

/* A pinned event that does not fit is in error, and reads nothing. */
static bool read_fd(int fd, struct perf_reading *reading)
{
	return fd >= 0 && read(fd, reading, sizeof(*reading)) == sizeof(*reading);
}

/* What was counted while the event was on its PMU stands for the time in which it was wanted. */
static double estimate(const struct perf_reading *delta)
{
	if (delta->running_ns == 0)
		return 0;
	if (delta->running_ns >= delta->enabled_ns)
		return (double)delta->value;
	return (double)delta->value * (double)delta->enabled_ns / (double)delta->running_ns;
}

void perf_counter_read(struct perf_counter *counter, struct perf_count *count)
{
	*count = (struct perf_count){0};
	for (size_t k = 0; k < counter->fds_count; k++) {
		struct perf_reading now, delta, *before = &counter->before[k];

		if (!read_fd(counter->fds[k], &now))
			continue;
		delta = (struct perf_reading){now.value - before->value,
					      now.enabled_ns - before->enabled_ns,
					      now.running_ns - before->running_ns};
		if (counter->event->is_gauge)
			delta.value = now.value;
		/* What shows a value at the moment is not more of it if it was on the PMU for less.
		 */
		if (counter->event->is_gauge)
			count->value += (double)delta.value;
		else
			count->value += estimate(&delta);
		count->enabled_ns += delta.enabled_ns;
		count->running_ns += delta.running_ns;
		*before = now;
	}
}
