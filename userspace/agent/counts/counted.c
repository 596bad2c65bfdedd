/* SPDX-License-Identifier: MIT */
/* Containers in a list, and what was counted of each, also by counters that are closed. */
#include "agent/counts/counted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf/attr.h"

#define ONLINE "/sys/devices/system/cpu/online"

static char *read_online(void)
{
	char text[4096];
	int fd = open(ONLINE, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return strdup(text);
}

int counted_init(struct counted *counted, const struct perf_event_list *events,
		 const struct perf_machine *machine, const char *cpus, size_t max)
{
	*counted = (struct counted){
		.events = events,
		.machine = machine,
		.cpus = cpus,
		.online = read_online(),
		.list = calloc(max, sizeof(*counted->list)),
		.max = max,
		.warm = -1,
	};
	return counted->online && counted->list ? 0 : -ENOMEM;
}

void counted_prepare(struct counted *counted, const char *root)
{
	const struct perf_event_attr dummy = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .disabled = 1};
	int cpu = (int)strtol(counted->cpus ? counted->cpus : counted->online, NULL, 10);
	int folder = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (folder < 0)
		return;
	counted->warm = perf_attr_open(&dummy, 0, folder, cpu, -1,
				       PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC);
	close(folder);
}

static void container_close(struct counted_container *container)
{
	perf_counters_close(&container->counters);
	perf_target_finish(&container->target);
}

static void counted_remove(struct counted *counted, size_t i)
{
	struct counted_container *container = &counted->list[i];

	container_close(container);
	free(container->sums);
	memmove(container, container + 1, (counted->count - i - 1) * sizeof(*container));
	counted->count--;
	counted->changes++;
}

void counted_finish(struct counted *counted)
{
	while (counted->count)
		counted_remove(counted, counted->count - 1);
	/* Of one that was not initialized it is 0. */
	if (counted->list && counted->warm >= 0)
		close(counted->warm);
	free(counted->list);
	free(counted->online);
	*counted = (struct counted){.warm = -1};
}

static void container_read(struct counted_container *container)
{
	for (size_t i = 0; i < container->counters.count; i++) {
		struct perf_counter *counter = &container->counters.counters[i];
		struct counted_sum *sum = &container->sums[i];
		struct perf_count count;

		perf_counter_read(counter, &count);
		if (counter->event->is_gauge)
			sum->value = 0;
		sum->value += count.value;
		sum->enabled_ns += count.enabled_ns;
		sum->running_ns += count.running_ns;
		sum->supported |= counter->error == 0;
	}
}

/* Opens the events for the group of a container; they count from here on. */
static int container_open(struct counted *counted, struct counted_container *container, int folder,
			  struct error *err)
{
	struct perf_target *target = &container->target;
	int r;

	perf_target_init(target);
	target->cgroup = fcntl(folder, F_DUPFD_CLOEXEC, 0);
	if (target->cgroup < 0)
		return error_set(err, -errno, "%s", strerror(errno));
	r = perf_target_set_cpus(target, counted->cpus ? counted->cpus : counted->online, err);
	if (r == 0)
		r = perf_counters_open(&container->counters, counted->events, target,
				       counted->machine, err);
	if (r == 0)
		perf_counters_enable(&container->counters);
	else
		perf_target_finish(target);
	return r;
}

/* The place of the one that ended first; or that there is none. */
static size_t find_ended(const struct counted *counted)
{
	size_t found = counted->count;

	for (size_t i = 0; i < counted->count; i++)
		if (counted->list[i].ended_ns &&
		    (found == counted->count ||
		     counted->list[i].ended_ns < counted->list[found].ended_ns))
			found = i;
	return found;
}

static void set_who(struct counted_who *who, const struct container_group *group)
{
	const struct state_cgroup_match *match = group->match;

	*who = (struct counted_who){
		.owner = group->owner, .is_named = match->is_name, .ino = group->ino};
	snprintf(who->id, sizeof(who->id), "%s", match->id);
	snprintf(who->pod_uid, sizeof(who->pod_uid), "%s", match->pod_uid);
}

/* Returns false. */
static bool counted_leave_out(struct counted *counted, enum counted_cause cause, bool is_again,
			      const struct error *err)
{
	counted->left_out[cause] += !is_again;
	if (err && !counted->failure.text[0])
		counted->failure = *err;
	return false;
}

/* The place of the same container, whose earlier group was removed; or that there is none. */
static size_t find_former(const struct counted *counted, const struct counted_who *who)
{
	size_t i = 0;

	while (i < counted->count &&
	       (!counted->list[i].ended_ns || counted->list[i].who.owner != who->owner ||
		strcmp(counted->list[i].who.id, who->id) != 0))
		i++;
	return i;
}

bool counted_add(struct counted *counted, int folder, const struct container_group *group)
{
	struct counted_container made = {.ended_ns = 0};
	struct error err = {""};
	size_t former;

	set_who(&made.who, group);
	former = find_former(counted, &made.who);
	if (former == counted->count && counted->count == counted->max) {
		size_t ended = find_ended(counted);

		if (ended == counted->count)
			return counted_leave_out(counted, COUNTED_NO_ROOM, group->is_again, NULL);
		counted_remove(counted, ended);
		counted->dropped++;
		former = counted->count;
	}
	made.sums = former < counted->count ? counted->list[former].sums
					    : calloc(counted->events->count, sizeof(*made.sums));
	if (!made.sums)
		return counted_leave_out(counted, COUNTED_FAILED, group->is_again, NULL);
	if (container_open(counted, &made, folder, &err) != 0) {
		if (former == counted->count)
			free(made.sums);
		return counted_leave_out(counted, COUNTED_FAILED, group->is_again, &err);
	}
	counted->list[former] = made;
	counted->count += former == counted->count;
	counted->changes++;
	return true;
}

void counted_end(struct counted *counted, uint64_t ino, uint64_t now_ns)
{
	for (size_t i = 0; i < counted->count; i++) {
		struct counted_container *container = &counted->list[i];

		if (container->who.ino != ino || container->ended_ns)
			continue;
		container_read(container);
		container_close(container);
		container->ended_ns = now_ns;
		counted->changes++;
	}
}

void counted_read(struct counted *counted)
{
	for (size_t i = 0; i < counted->count; i++)
		container_read(&counted->list[i]);
}

void counted_forget(struct counted *counted, uint64_t before_ns)
{
	for (size_t i = counted->count; i-- > 0;)
		if (counted->list[i].ended_ns && counted->list[i].ended_ns < before_ns)
			counted_remove(counted, i);
}

/* The folder of its group stays open meanwhile. */
static void container_open_again(struct counted *counted, struct counted_container *container)
{
	int folder = fcntl(container->target.cgroup, F_DUPFD_CLOEXEC, 0);
	struct error err = {""};

	container_read(container);
	container_close(container);
	if (folder < 0 || container_open(counted, container, folder, &err) != 0)
		counted_leave_out(counted, COUNTED_FAILED, false, &err);
	if (folder >= 0)
		close(folder);
}

bool counted_follow_cpus(struct counted *counted)
{
	char *online = counted->cpus ? NULL : read_online();

	if (!online || strcmp(online, counted->online) == 0) {
		free(online);
		return false;
	}
	free(counted->online);
	counted->online = online;
	for (size_t i = 0; i < counted->count; i++)
		if (!counted->list[i].ended_ns)
			container_open_again(counted, &counted->list[i]);
	return true;
}
