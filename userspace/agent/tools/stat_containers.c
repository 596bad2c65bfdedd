/* SPDX-License-Identifier: MIT */
/*
 * The counts are those of agent/counts. Names are what a state knows that is filled from /proc when
 * containers have come: there are no events that would keep it up to date.
 */
#include "agent/tools/stat_containers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/counts/counted_name.h"
#include "agent/run/containers.h"
#include "agent/input/host.h"
#include "util/clock.h"

/* At a time; the first that ended makes room. */
enum { STAT_CONTAINERS_MAX = 1024 };

/* A process enters the group of its container some time after that was made: so often, and for so
 * long after a container has come, names are looked for. */
#define SEED_AGAIN_NS UINT64_C(250000000)
#define SEED_NS UINT64_C(5000000000)

struct stat_row {
	struct counted_who who;
	struct counted_name name;
	struct counted_sum *shown; /* owned: what was visited */
	bool is_named, is_there;
};

struct stat_containers {
	struct stat_containers_config config;
	struct container_groups *groups;
	struct counted counted;
	struct host host;
	struct state *state;
	struct input input; /* none */
	struct containers *descriptions;
	struct stat_row *rows; /* owned */
	size_t count, capacity;
	uint64_t seed_ns, seed_until_ns; /* monotonic: when names are looked for; 0: not */
};

static bool stat_came(void *context, int folder, const struct container_group *group)
{
	struct stat_containers *containers = context;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	containers->seed_until_ns = now + SEED_NS;
	if (!containers->seed_ns)
		containers->seed_ns = now + SEED_AGAIN_NS;
	return counted_add(&containers->counted, folder, group);
}

static void stat_went(void *context, uint64_t ino)
{
	struct stat_containers *containers = context;

	counted_end(&containers->counted, ino, clock_ns(CLOCK_MONOTONIC));
}

/* Descriptions of containers: of threads nothing but their groups and ancestors is needed. */
static int open_names(struct stat_containers *containers, struct error *err)
{
	const struct options *options = containers->config.options;
	struct state_config config = {.lacks = STATE_DESCRIPTORS | STATE_FILES | STATE_CONNECTIONS |
					       STATE_DIRECTORIES};
	int r = host_open(&containers->host, options->host_root, err);

	if (r)
		return r;
	config.proc = containers->host.proc;
	config.etc = containers->host.etc;
	config.hostname = containers->host.hostname;
	config.node = host_node_name();
	r = state_create(&config, &containers->state, err);
	if (r == 0)
		r = state_seed(containers->state, NULL, err);
	if (r == 0)
		r = containers_create(options, containers->state, &containers->input,
				      &containers->descriptions, err);
	if (r == 0)
		r = containers_follow_pods(containers->descriptions, err);
	return r ? r : containers_describe(containers->descriptions, err);
}

int stat_containers_open(const struct stat_containers_config *config,
			 struct stat_containers **containers, struct error *err)
{
	struct stat_containers *made = calloc(1, sizeof(*made));
	const struct container_groups_listener listener = {made, stat_came, stat_went};
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->config = *config;
	r = counted_init(&made->counted, config->events, config->machine, config->cpus,
			 STAT_CONTAINERS_MAX);
	if (r)
		error_set(err, r, "out of memory");
	else
		r = open_names(made, err);
	if (r == 0)
		r = container_groups_open(config->options->host_root, &listener, &made->groups,
					  err);
	if (r) {
		stat_containers_close(made);
		return r;
	}
	counted_prepare(&made->counted, container_groups_root(made->groups));
	container_groups_step(made->groups, clock_ns(CLOCK_MONOTONIC));
	*containers = made;
	return 0;
}

void stat_containers_close(struct stat_containers *containers)
{
	if (!containers)
		return;
	container_groups_close(containers->groups);
	counted_finish(&containers->counted);
	containers_destroy(containers->descriptions);
	state_destroy(containers->state);
	host_close(&containers->host);
	for (size_t i = 0; i < containers->count; i++)
		free(containers->rows[i].shown);
	free(containers->rows);
	free(containers);
}

int stat_containers_fd(const struct stat_containers *containers)
{
	return container_groups_fd(containers->groups);
}

static struct stat_row *rows_find(const struct stat_containers *containers,
				  const struct counted_who *who)
{
	for (size_t i = 0; i < containers->count; i++)
		if (containers->rows[i].who.owner == who->owner &&
		    strcmp(containers->rows[i].who.id, who->id) == 0)
			return &containers->rows[i];
	return NULL;
}

static struct stat_row *rows_get(struct stat_containers *containers, const struct counted_who *who)
{
	struct stat_row *row = rows_find(containers, who);
	struct counted_sum *shown;

	if (row)
		return row;
	if (containers->count == containers->capacity) {
		size_t capacity = containers->capacity ? 2 * containers->capacity : 16;
		struct stat_row *rows = reallocarray(containers->rows, capacity, sizeof(*rows));

		if (!rows)
			return NULL;
		containers->rows = rows;
		containers->capacity = capacity;
	}
	shown = calloc(containers->config.events->count, sizeof(*shown));
	if (!shown)
		return NULL;
	row = &containers->rows[containers->count++];
	*row = (struct stat_row){.who = *who, .shown = shown};
	counted_name_init(who, &row->name);
	return row;
}

/* Forgets the rows of containers that are forgotten. */
static void rows_sweep(struct stat_containers *containers)
{
	size_t kept = 0;

	for (size_t i = 0; i < containers->count; i++)
		containers->rows[i].is_there = false;
	for (size_t i = 0; i < containers->counted.count; i++) {
		struct stat_row *row = rows_find(containers, &containers->counted.list[i].who);

		if (row)
			row->is_there = true;
	}
	for (size_t i = 0; i < containers->count; i++) {
		if (containers->rows[i].is_there)
			containers->rows[kept++] = containers->rows[i];
		else
			free(containers->rows[i].shown);
	}
	containers->count = kept;
}

/* Returns whether all that can be known is. */
static bool learn_names(struct stat_containers *containers)
{
	bool all = true;

	containers_apply(containers->descriptions);
	for (size_t i = 0; i < containers->counted.count; i++) {
		const struct counted_container *counted = &containers->counted.list[i];
		struct stat_row *row = rows_get(containers, &counted->who);

		if (row && !row->is_named)
			row->is_named =
				counted_name_learn(containers->state, &row->who, &row->name);
		all &= counted->ended_ns || (row && row->is_named);
	}
	return all;
}

/* Where nobody knows a name, one look more does no harm. */
static void seed_names(struct stat_containers *containers, uint64_t now)
{
	if (!containers->seed_ns || now < containers->seed_ns)
		return;
	containers->seed_ns = now < containers->seed_until_ns ? now + SEED_AGAIN_NS : 0;
	if (learn_names(containers)) {
		containers->seed_ns = 0;
		return;
	}
	if (state_reseed(containers->state, NULL, NULL) == 0)
		containers_follow(containers->descriptions);
	learn_names(containers);
}

void stat_containers_step(struct stat_containers *containers)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	container_groups_step(containers->groups, now);
	counted_follow_cpus(&containers->counted, now);
	seed_names(containers, now);
}

static void sums_subtract(struct counted_sum *sum, const struct counted_sum *shown)
{
	sum->value -= shown->value;
	sum->enabled_ns -= shown->enabled_ns;
	sum->running_ns -= shown->running_ns;
}

/* What was not visited of a container. */
static void take_since(struct stat_row *row, const struct counted_container *from, size_t events,
		       struct counted_sum *sums)
{
	memcpy(sums, from->sums, events * sizeof(*sums));
	for (size_t i = 0; i < events; i++)
		sums_subtract(&sums[i], &row->shown[i]);
	memcpy(row->shown, from->sums, events * sizeof(*sums));
}

static struct stat_owner owner_of(const struct stat_row *row, bool per_pod)
{
	return (struct stat_owner){
		.container = per_pod ? "" : row->name.container,
		.id = per_pod ? "" : row->name.id,
		.pod = row->name.pod[0] ? row->name.pod : row->who.pod_uid,
		.ns = row->name.ns,
	};
}

/* Users can make groups with the uid of any pod in their paths: these are no part of it. */
static bool are_of_one_pod(const struct counted_who *a, const struct counted_who *b)
{
	return a->owner == b->owner && strcmp(a->pod_uid, b->pod_uid) == 0;
}

/* Adds those of the other containers of the pod, which are done then. */
static void take_pod(struct stat_containers *containers, size_t first, bool *done,
		     struct counted_sum *sums, struct counted_sum *more)
{
	const struct counted *counted = &containers->counted;
	size_t events = containers->config.events->count;

	for (size_t i = first + 1; i < counted->count; i++) {
		const struct counted_container *other = &counted->list[i];
		struct stat_row *row = rows_get(containers, &other->who);

		if (!row || done[i] || !are_of_one_pod(&other->who, &counted->list[first].who))
			continue;
		done[i] = true;
		take_since(row, other, events, more);
		for (size_t k = 0; k < events; k++) {
			sums[k].value += more[k].value;
			sums[k].enabled_ns += more[k].enabled_ns;
			sums[k].running_ns += more[k].running_ns;
			sums[k].supported |= more[k].supported;
		}
	}
}

int stat_containers_each(struct stat_containers *containers,
			 int (*visit)(void *context, const struct stat_owner *owner,
				      const struct counted_sum *sums),
			 void *context)
{
	size_t events = containers->config.events->count, count = containers->counted.count;
	struct counted_sum *sums = calloc(2 * events, sizeof(*sums));
	bool *done = calloc(count + 1, sizeof(*done)), per_pod = containers->config.per_pod;
	int r = sums && done ? 0 : -ENOMEM;

	counted_read(&containers->counted);
	learn_names(containers);
	for (size_t i = 0; i < count && r == 0; i++) {
		const struct counted_container *from = &containers->counted.list[i];
		struct stat_row *row = rows_get(containers, &from->who);
		struct stat_owner owner;

		if (!row || done[i] || (per_pod && !from->who.pod_uid[0]))
			continue;
		take_since(row, from, events, sums);
		if (per_pod)
			take_pod(containers, i, done, sums, sums + events);
		/* Others may have been added: the row may be elsewhere. */
		row = rows_get(containers, &from->who);
		owner = owner_of(row, per_pod);
		r = visit(context, &owner, sums);
	}
	free(sums);
	free(done);
	counted_forget(&containers->counted, UINT64_MAX);
	rows_sweep(containers);
	return r;
}

void stat_containers_append_lacks(const struct stat_containers *containers, struct buf *out)
{
	const struct counted *counted = &containers->counted;

	if (counted->left_out[COUNTED_FAILED])
		buf_printf(out, "agent: %llu containers were not counted: %s\n",
			   (unsigned long long)counted->left_out[COUNTED_FAILED],
			   counted->failure.text);
	if (counted->left_out[COUNTED_NO_ROOM])
		buf_printf(
			out,
			"agent: %llu containers were not counted: there is room for %zu, of each "
			"user but root for %zu\n",
			(unsigned long long)counted->left_out[COUNTED_NO_ROOM], counted->max,
			counted->share);
	if (counted->dropped)
		buf_printf(out,
			   "agent: %llu containers that had ended are not shown: they had to make "
			   "room\n",
			   (unsigned long long)counted->dropped);
	if (container_groups_unwatched(containers->groups))
		buf_printf(
			out,
			"agent: containers in %llu control groups are found up to 5 s late: raise "
			"fs.inotify.max_user_watches\n",
			(unsigned long long)container_groups_unwatched(containers->groups));
}
