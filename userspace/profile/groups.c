/* SPDX-License-Identifier: MIT */
/* Finds the groups in two passes over the processes, and copies the rows of one. */
#include "profile/groups.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t group_none = UINT32_MAX, not_copied = UINT32_MAX;

static uint32_t find_group(const struct profile_groups *groups, const char *id)
{
	for (size_t i = STACKS_GROUP_FIRST; i < groups->count; i++)
		if (strcmp(groups->ids[i], id) == 0)
			return (uint32_t)i;
	return group_none;
}

/* Of the containers that root made, or of the others. */
static void add_groups(const struct stacks *stacks, size_t most, bool of_root,
		       struct profile_groups *groups)
{
	for (size_t i = 0; i < stacks->processes_count; i++) {
		const char *id = stacks->processes[i].container_id;

		if (!id || !strchr(id, '@') != of_root)
			continue;
		groups->of[i] = find_group(groups, id);
		if (groups->of[i] != group_none)
			continue;
		groups->of[i] = STACKS_GROUP_OTHER;
		if (groups->count == most + STACKS_GROUP_FIRST)
			continue;
		groups->of[i] = (uint32_t)groups->count;
		groups->ids[groups->count++] = id;
	}
}

static int compare_ids(const void *a, const void *b)
{
	const char *const *first = a, *const *second = b;

	return strcmp(*first, *second);
}

/* A container has several processes, in any order: it is counted once. */
static int count_left_out(const struct stacks *stacks, struct profile_groups *groups)
{
	const char **ids = malloc((stacks->processes_count + 1) * sizeof(*ids));
	size_t count = 0;

	if (!ids)
		return -ENOMEM;
	for (size_t i = 0; i < stacks->processes_count; i++)
		if (groups->of[i] == STACKS_GROUP_OTHER)
			ids[count++] = stacks->processes[i].container_id;
	if (count)
		qsort(ids, count, sizeof(*ids), compare_ids);
	for (size_t i = 0; i < count; i++)
		groups->left_out += i == 0 || strcmp(ids[i - 1], ids[i]) != 0;
	free(ids);
	return 0;
}

int profile_groups_make(const struct stacks *stacks, size_t most, struct profile_groups *groups)
{
	*groups = (struct profile_groups){.count = STACKS_GROUP_FIRST};
	groups->of = calloc(stacks->processes_count + 1, sizeof(*groups->of));
	groups->ids = calloc(most + STACKS_GROUP_FIRST, sizeof(*groups->ids));
	if (!groups->of || !groups->ids)
		return -ENOMEM;
	add_groups(stacks, most, true, groups);
	add_groups(stacks, most, false, groups);
	return count_left_out(stacks, groups);
}

void profile_groups_finish(struct profile_groups *groups)
{
	free(groups->of);
	free(groups->ids);
	*groups = (struct profile_groups){0};
}

/* Copies. */

struct taker {
	const struct stacks *from;
	struct stacks *to;
	uint32_t *files, *processes; /* their indexes in `to`; not_copied */
};

static int take_file(struct taker *taker, uint32_t file, uint32_t *index)
{
	uint32_t *copied = &taker->files[file];
	int r = 0;

	if (*copied == not_copied)
		r = stacks_add_file(taker->to, &taker->from->files[file], copied);
	*index = *copied;
	return r;
}

static int take_process(struct taker *taker, uint32_t process, uint32_t *index)
{
	uint32_t *copied = &taker->processes[process];
	int r = 0;

	if (*copied == not_copied)
		r = stacks_add_process(taker->to, &taker->from->processes[process], copied);
	*index = *copied;
	return r;
}

static int take_part(struct taker *taker, const struct stack_part *part, struct stack_part *copy)
{
	struct stack_frame frames[STACK_FRAMES_MAX];
	int r = 0;

	for (uint32_t i = 0; i < part->count && r == 0; i++) {
		frames[i] = taker->from->frames[part->first + i];
		r = take_file(taker, frames[i].file, &frames[i].file);
	}
	return r ? r
		 : stacks_add_part(taker->to, frames, part->count, (enum stack_lack)part->lack,
				   copy);
}

static int groups_take_row(struct taker *taker, const struct stack_row *row)
{
	struct stack_row copy = *row;
	int r = take_process(taker, row->process, &copy.process);

	if (r == 0)
		r = take_part(taker, &row->kernel, &copy.kernel);
	if (r == 0)
		r = take_part(taker, &row->user, &copy.user);
	if (r == 0)
		r = take_part(taker, &row->waker.kernel, &copy.waker.kernel);
	if (r == 0)
		r = take_part(taker, &row->waker.user, &copy.waker.user);
	return r ? r : stacks_add_row(taker->to, &copy);
}

static int take_rows(struct taker *taker, const struct profile_groups *groups, size_t group)
{
	const struct stacks *from = taker->from;
	int r = 0;

	taker->files = malloc(from->files_count * sizeof(*taker->files));
	taker->processes = malloc((from->processes_count + 1) * sizeof(*taker->processes));
	if (!taker->files || !taker->processes)
		return -ENOMEM;
	memset(taker->files, 0xff, from->files_count * sizeof(*taker->files));
	memset(taker->processes, 0xff, from->processes_count * sizeof(*taker->processes));
	taker->files[0] = 0; /* the kernel is there */
	for (size_t i = 0; i < from->rows_count && r == 0; i++)
		if (groups->of[from->rows[i].process] == group)
			r = groups_take_row(taker, &from->rows[i]);
	return r;
}

int profile_groups_take(const struct stacks *from, const struct profile_groups *groups,
			size_t group, struct stacks *to)
{
	struct taker taker = {.from = from, .to = to};
	int r = stacks_init(to);

	if (r)
		return r;
	to->borrows = true;
	to->begin_ns = from->begin_ns;
	to->duration_ns = from->duration_ns;
	to->period_ns = from->period_ns;
	to->frequency_hz = from->frequency_hz;
	to->event = from->event;
	memcpy(to->lost, from->lost, sizeof(to->lost));
	r = take_rows(&taker, groups, group);
	free(taker.files);
	free(taker.processes);
	if (r)
		stacks_finish(to);
	return r;
}
