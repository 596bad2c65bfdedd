/* SPDX-License-Identifier: MIT */
/* Containers in a list, and what was counted of each, also by counters that are closed. */
#include "agent/counts/counted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "perf/attr.h"

/* What could not be opened is tried again after that time. */
#define AGAIN_NS UINT64_C(1000000000)

enum {
	SHARE_DIVISOR = 4, /* of an owner other than root */
	OTHER_FILES = 512, /* that the rest of the agent may have open */
};

/* NULL: out of memory, or it cannot be read. */
static char *read_online(void)
{
	char text[PERF_CPUS_TEXT_BYTES];

	return perf_cpus_online(text) == 0 ? strdup(text) : NULL;
}

static const char *cpus_of(const struct counted *counted)
{
	return counted->cpus ? counted->cpus : counted->online;
}

/* So many containers leave enough of the limit of open files. */
static size_t max_by_files(const struct counted *counted)
{
	struct perf_target target;
	struct rlimit limit;
	size_t each = counted->events->count;

	perf_target_init(&target);
	if (perf_target_set_cpus(&target, cpus_of(counted), NULL) == 0)
		each *= target.cpus.count;
	each++; /* the folder */
	perf_target_finish(&target);
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < OTHER_FILES + each)
		return 1;
	return (limit.rlim_cur - OTHER_FILES) / each;
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
	if (!counted->online || !counted->list)
		return -ENOMEM;
	if (max_by_files(counted) < max)
		counted->max = max_by_files(counted);
	counted->share = (counted->max + SHARE_DIVISOR - 1) / SHARE_DIVISOR;
	return 0;
}

void counted_prepare(struct counted *counted, const char *root)
{
	const struct perf_event_attr dummy = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .disabled = 1};
	int cpu = (int)strtol(cpus_of(counted), NULL, 10);
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
	if (container->folder >= 0)
		close(container->folder);
	container->folder = -1;
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

/* What has counted counts nothing now, as when a CPU went while it was opened. */
static int check_opened(const struct counted_container *container, struct error *err)
{
	for (size_t i = 0; i < container->counters.count; i++) {
		const struct perf_counter *counter = &container->counters.counters[i];

		if (counter->error && container->sums[i].supported)
			return error_set(err, counter->error, "%s: %s", counter->name,
					 strerror(-counter->error));
	}
	return 0;
}

/* Opens the events for the group of a container; they count from here on. */
static int container_open(const struct counted *counted, struct counted_container *container,
			  struct error *err)
{
	struct perf_target target;
	int r;

	perf_target_init(&target);
	target.cgroup = container->folder;
	r = perf_target_set_cpus(&target, cpus_of(counted), err);
	if (r == 0)
		r = perf_counters_open(&container->counters, counted->events, &target,
				       counted->machine, err);
	if (r == 0)
		r = check_opened(container, err);
	if (r == 0)
		perf_counters_enable(&container->counters);
	else
		perf_counters_close(&container->counters);
	target.cgroup = -1;
	perf_target_finish(&target);
	return r;
}

/*
 * Whether one makes room for a container of `owner`, when it has ended: root's for root's alone,
 * and for those of a user whose share is taken only its own.
 */
static bool makes_room(const struct counted_container *container, uint32_t owner, bool share_taken)
{
	uint32_t of = container->who.owner;

	if (!container->ended_ns)
		return false;
	return owner == STATE_OWNER_ROOT || (share_taken ? of == owner : of != STATE_OWNER_ROOT);
}

/* The place of the one that ended first; or that there is none. */
static size_t find_ended(const struct counted *counted, uint32_t owner, bool share_taken)
{
	size_t found = counted->count;

	for (size_t i = 0; i < counted->count; i++)
		if (makes_room(&counted->list[i], owner, share_taken) &&
		    (found == counted->count ||
		     counted->list[i].ended_ns < counted->list[found].ended_ns))
			found = i;
	return found;
}

/* The place of the last container of users; or that there is none. */
static size_t find_of_users(const struct counted *counted)
{
	size_t i = counted->count;

	while (i > 0)
		if (counted->list[--i].who.owner != STATE_OWNER_ROOT)
			return i;
	return counted->count;
}

static bool is_share_taken(const struct counted *counted, uint32_t owner)
{
	size_t n = 0;

	for (size_t i = 0; i < counted->count; i++)
		n += counted->list[i].who.owner == owner;
	return owner != STATE_OWNER_ROOT && n >= counted->share;
}

/* Returns whether there is room for a container of `owner` now. */
static bool counted_make_room(struct counted *counted, uint32_t owner)
{
	bool share_taken = is_share_taken(counted, owner);
	size_t i;

	if (counted->count < counted->max && !share_taken)
		return true;
	i = find_ended(counted, owner, share_taken);
	if (i < counted->count) {
		counted->dropped++;
	} else {
		if (owner == STATE_OWNER_ROOT)
			i = find_of_users(counted);
		if (i == counted->count)
			return false;
		counted->left_out[COUNTED_NO_ROOM]++;
	}
	counted_remove(counted, i);
	return true;
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
	struct counted_container made = {.folder = -1};
	struct error err = {""};
	size_t former;

	set_who(&made.who, group);
	former = find_former(counted, &made.who);
	if (former == counted->count) {
		if (!counted_make_room(counted, made.who.owner))
			return counted_leave_out(counted, COUNTED_NO_ROOM, group->is_again, NULL);
		former = counted->count;
	}
	made.sums = former < counted->count ? counted->list[former].sums
					    : calloc(counted->events->count, sizeof(*made.sums));
	if (!made.sums)
		return counted_leave_out(counted, COUNTED_FAILED, group->is_again, NULL);
	made.folder = fcntl(folder, F_DUPFD_CLOEXEC, 0);
	if (made.folder < 0)
		error_set(&err, -errno, "%s", strerror(errno));
	if (made.folder < 0 || container_open(counted, &made, &err) != 0) {
		container_close(&made);
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

static void container_open_again(struct counted *counted, struct counted_container *container)
{
	bool counted_before = counted_counts(container);
	struct error err = {""};

	container_read(container);
	perf_counters_close(&container->counters);
	if (container_open(counted, container, &err) != 0)
		counted_leave_out(counted, COUNTED_FAILED, !counted_before, &err);
	counted->changes += counted_before != counted_counts(container);
}

/* Returns whether other CPUs are online than before. */
static bool read_cpus_again(struct counted *counted)
{
	char *online = counted->cpus ? NULL : read_online();

	if (!online || strcmp(online, counted->online) == 0) {
		free(online);
		return false;
	}
	free(counted->online);
	counted->online = online;
	return true;
}

bool counted_follow_cpus(struct counted *counted, uint64_t now_ns)
{
	bool others = read_cpus_again(counted);

	if (!others && now_ns < counted->again_ns)
		return false;
	counted->again_ns = now_ns + AGAIN_NS;
	for (size_t i = 0; i < counted->count; i++) {
		struct counted_container *container = &counted->list[i];

		if (!container->ended_ns && (others || !counted_counts(container)))
			container_open_again(counted, container);
	}
	return others;
}

bool counted_counts(const struct counted_container *container)
{
	return container->counters.count > 0;
}
