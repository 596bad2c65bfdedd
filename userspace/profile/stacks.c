/* SPDX-License-Identifier: MIT */
/*
 * Arrays that double, and two hash tables of indexes: rows by all but their values, parts by their
 * frames. Hashes have a secret key, as processes choose the addresses that they run at.
 */
#include "profile/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "util/count.h"

enum { PLACES_MIN = 256, ARRAY_MIN = 16 };

static const uint32_t place_free = UINT32_MAX;

/* Room for `more` behind `count` elements. Returns 0; -ENOMEM; -E2BIG: they would be over `most`.
 */
static int array_reserve(void **array, size_t bytes, size_t count, size_t *capacity, size_t more,
			 size_t most)
{
	size_t wanted = *capacity ? *capacity : ARRAY_MIN;
	void *made;

	if (count + more > most)
		return -E2BIG;
	if (count + more <= *capacity)
		return 0;
	while (wanted < count + more)
		wanted *= 2;
	made = reallocarray(*array, wanted, bytes);
	if (!made)
		return -ENOMEM;
	*array = made;
	*capacity = wanted;
	return 0;
}

#define RESERVE(stacks, name, more, most)                                                          \
	array_reserve((void **)&(stacks)->name, sizeof(*(stacks)->name), (stacks)->name##_count,   \
		      &(stacks)->name##_capacity, more, most)

static int count_loss(struct stacks *stacks, enum stacks_loss loss, int r)
{
	if (r == -E2BIG)
		stacks->lost[loss]++;
	return r;
}

/* Tables of indexes. */

typedef uint64_t place_hash(const struct stacks *stacks, uint32_t index);
typedef bool place_equal(const struct stacks *stacks, uint32_t index, const void *sought);

/* The place of an element: where it is, or where it has to go. */
static uint32_t *place_find(const struct stacks *stacks, const struct stacks_places *places,
			    uint64_t hash, place_equal *equal, const void *sought)
{
	size_t i = hash & (places->count - 1);

	while (places->list[i] != place_free && !equal(stacks, places->list[i], sought))
		i = (i + 1) & (places->count - 1);
	return &places->list[i];
}

/* At most half of the places are used when `used` elements and one more are there. */
static int places_reserve(const struct stacks *stacks, struct stacks_places *places, size_t used,
			  place_hash *hash)
{
	size_t count = places->count ? 2 * places->count : PLACES_MIN;
	uint32_t *list;

	if (2 * (used + 1) <= places->count)
		return 0;
	list = malloc(count * sizeof(*list));
	if (!list)
		return -ENOMEM;
	memset(list, 0xff, count * sizeof(*list));
	for (uint32_t index = 0; index < used; index++) {
		size_t i = hash(stacks, index) & (count - 1);

		while (list[i] != place_free)
			i = (i + 1) & (count - 1);
		list[i] = index;
	}
	free(places->list);
	*places = (struct stacks_places){list, count};
	return 0;
}

/* The set. */

int stacks_init(struct stacks *stacks)
{
	const struct stack_file kernel = {.kind = STACK_KERNEL, .path = "[kernel]", .fd = -1};
	uint32_t index;
	int r;

	*stacks = (struct stacks){.event = ""};
	/* Without random numbers they have the address, which is random too. */
	stacks->key.parts[0] = (uintptr_t)stacks;
	(void)!getrandom(&stacks->key, sizeof(stacks->key), GRND_NONBLOCK);
	/* Parts without frames point at where there will be some. */
	r = RESERVE(stacks, frames, 1, STACKS_FRAMES_MAX);
	if (r == 0)
		r = stacks_add_file(stacks, &kernel, &index);
	if (r)
		stacks_finish(stacks);
	return r;
}

static void close_one(const struct stacks *stacks, int fd)
{
	if (fd >= 0 && !stacks->borrows)
		close(fd);
}

void stacks_finish(struct stacks *stacks)
{
	for (size_t i = 0; i < stacks->files_count; i++)
		close_one(stacks, stacks->files[i].fd);
	for (size_t i = 0; i < stacks->processes_count; i++)
		close_one(stacks, stacks->processes[i].root_fd);
	free(stacks->rows);
	free(stacks->processes);
	free(stacks->files);
	free(stacks->frames);
	free(stacks->parts);
	free(stacks->row_places.list);
	free(stacks->part_places.list);
	arena_finish(&stacks->texts);
	*stacks = (struct stacks){0};
}

/* Files and processes. */

/* Replaces a text by a copy. Returns false if out of memory. */
static bool own_text(struct stacks *stacks, const char **text)
{
	if (!*text)
		return true;
	*text = arena_text(&stacks->texts, *text, strlen(*text));
	return *text;
}

int stacks_add_file(struct stacks *stacks, const struct stack_file *file, uint32_t *index)
{
	struct stack_file own = *file;
	int r = RESERVE(stacks, files, 1, STACKS_FILES_MAX);

	if (!own.path)
		own.path = "";
	if (r == 0 && !own_text(stacks, &own.path))
		r = -ENOMEM;
	if (r) {
		close_one(stacks, file->fd);
		return count_loss(stacks, STACKS_LOST_FILES, r);
	}
	*index = (uint32_t)stacks->files_count;
	stacks->files[stacks->files_count++] = own;
	return 0;
}

static bool own_container(struct stacks *stacks, struct stack_container *container)
{
	return own_text(stacks, &container->id) && own_text(stacks, &container->name) &&
	       own_text(stacks, &container->image) && own_text(stacks, &container->pod) &&
	       own_text(stacks, &container->ns);
}

int stacks_add_process(struct stacks *stacks, const struct stack_process *process, uint32_t *index)
{
	struct stack_process own = *process;
	int r = RESERVE(stacks, processes, 1, STACKS_PROCESSES_MAX);

	if (r == 0 && !own_container(stacks, &own.container))
		r = -ENOMEM;
	if (r) {
		close_one(stacks, process->root_fd);
		return count_loss(stacks, STACKS_LOST_PROCESSES, r);
	}
	*index = (uint32_t)stacks->processes_count;
	stacks->processes[stacks->processes_count++] = own;
	return 0;
}

int stacks_name_container(struct stacks *stacks, uint32_t process,
			  const struct stack_container *container)
{
	struct stack_container own = *container;

	if (!own_container(stacks, &own))
		return -ENOMEM;
	stacks->processes[process].container = own;
	return 0;
}

void stacks_keep_rows(struct stacks *stacks,
		      bool (*is_wanted)(void *context, const struct stacks *stacks,
					const struct stack_row *row),
		      void *context)
{
	size_t kept = 0;

	for (size_t i = 0; i < stacks->rows_count; i++)
		if (is_wanted(context, stacks, &stacks->rows[i]))
			stacks->rows[kept++] = stacks->rows[i];
	stacks->rows_count = kept;
}

/* Parts. */

static uint64_t part_hash(const struct stacks *stacks, uint32_t index)
{
	const struct stack_part *part = &stacks->parts[index];

	return hash_sip(&stacks->key, &stacks->frames[part->first],
			part->count * sizeof(*stacks->frames)) +
	       part->lack;
}

static bool part_equal(const struct stacks *stacks, uint32_t index, const void *sought)
{
	const struct stack_part *part = &stacks->parts[index], *other = sought;

	return part->count == other->count && part->lack == other->lack &&
	       memcmp(&stacks->frames[part->first], &stacks->frames[other->first],
		      part->count * sizeof(*stacks->frames)) == 0;
}

static int copy_frames(struct stacks *stacks, const struct stack_frame *frames, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct stack_frame *to = &stacks->frames[stacks->frames_count + i];

		if (frames[i].file >= stacks->files_count)
			return -EINVAL;
		*to = (struct stack_frame){frames[i].at, frames[i].file, 0};
	}
	return 0;
}

/* The frames are written behind the others, where they stay if they are new. */
int stacks_add_part(struct stacks *stacks, const struct stack_frame *frames, size_t count,
		    enum stack_lack lack, struct stack_part *part)
{
	uint32_t *place;
	int r = count > STACK_FRAMES_MAX ? -EINVAL
					 : RESERVE(stacks, frames, count, STACKS_FRAMES_MAX);

	if (r == 0)
		r = RESERVE(stacks, parts, 1, STACKS_FRAMES_MAX);
	if (r == 0)
		r = places_reserve(stacks, &stacks->part_places, stacks->parts_count, part_hash);
	if (r == 0)
		r = copy_frames(stacks, frames, count);
	if (r)
		return count_loss(stacks, STACKS_LOST_FRAMES, r);
	stacks->parts[stacks->parts_count] =
		(struct stack_part){(uint32_t)stacks->frames_count, (uint32_t)count, (uint8_t)lack};
	place = place_find(stacks, &stacks->part_places,
			   part_hash(stacks, (uint32_t)stacks->parts_count), part_equal,
			   &stacks->parts[stacks->parts_count]);
	if (*place == place_free) {
		*place = (uint32_t)stacks->parts_count++;
		stacks->frames_count += count;
	}
	*part = stacks->parts[*place];
	return 0;
}

/* Rows. */

/* What rows are distinguished by. Parts are made once: where they begin says which. */
struct row_identity {
	uint32_t process, tid, waker_pid, waker_tid;
	uint32_t begins[4], counts[4];
	uint8_t lacks[4];
	uint8_t kind, reason, zero[2];
};

static struct row_identity row_identity(const struct stack_row *row)
{
	const struct stack_part *parts[] = {&row->kernel, &row->user, &row->waker.kernel,
					    &row->waker.user};
	struct row_identity identity = {.process = row->process,
					.tid = (uint32_t)row->tid,
					.waker_pid = (uint32_t)row->waker.pid,
					.waker_tid = (uint32_t)row->waker.tid,
					.kind = row->kind,
					.reason = row->reason};

	for (size_t i = 0; i < COUNT(parts); i++) {
		identity.begins[i] = parts[i]->count ? parts[i]->first : 0;
		identity.counts[i] = parts[i]->count;
		identity.lacks[i] = parts[i]->lack;
	}
	return identity;
}

static uint64_t row_hash(const struct stacks *stacks, uint32_t index)
{
	const struct row_identity identity = row_identity(&stacks->rows[index]);

	return hash_sip(&stacks->key, &identity, sizeof(identity));
}

static bool row_equal(const struct stacks *stacks, uint32_t index, const void *sought)
{
	const struct row_identity identity = row_identity(&stacks->rows[index]);

	return memcmp(&identity, sought, sizeof(identity)) == 0;
}

static bool part_is_there(const struct stacks *stacks, const struct stack_part *part)
{
	return part->count <= stacks->frames_count &&
	       part->first <= stacks->frames_count - part->count && part->lack < STACK_LACKS;
}

static bool row_is_valid(const struct stacks *stacks, const struct stack_row *row)
{
	return row->process < stacks->processes_count && row->kind < STACK_KINDS &&
	       row->reason < STACK_REASONS && part_is_there(stacks, &row->kernel) &&
	       part_is_there(stacks, &row->user) && part_is_there(stacks, &row->waker.kernel) &&
	       part_is_there(stacks, &row->waker.user);
}

int stacks_add_row(struct stacks *stacks, const struct stack_row *row)
{
	const struct row_identity identity = row_identity(row);
	uint32_t *place;
	int r = places_reserve(stacks, &stacks->row_places, stacks->rows_count, row_hash);

	if (!row_is_valid(stacks, row))
		return -EINVAL;
	if (r)
		return r;
	place = place_find(stacks, &stacks->row_places,
			   hash_sip(&stacks->key, &identity, sizeof(identity)), row_equal,
			   &identity);
	if (*place != place_free) {
		stacks->rows[*place].value += row->value;
		stacks->rows[*place].times += row->times;
		return 0;
	}
	r = RESERVE(stacks, rows, 1, STACKS_ROWS_MAX);
	if (r == -E2BIG)
		stacks->lost[STACKS_LOST_ROWS] += row->times ? row->times : 1;
	if (r)
		return r;
	*place = (uint32_t)stacks->rows_count;
	stacks->rows[stacks->rows_count++] = *row;
	return 0;
}

/* Words. */

const char *stack_reason_name(enum stack_reason reason)
{
	static const char *const names[STACK_REASONS] = {
		[STACK_NO_REASON] = "on-cpu", [STACK_DISK] = "disk",
		[STACK_NETWORK] = "network",  [STACK_LOCK] = "lock",
		[STACK_SLEEP] = "sleep",      [STACK_RUN_QUEUE] = "run queue",
		[STACK_OTHER] = "other"};

	return names[reason];
}

const char *stack_lack_text(enum stack_lack lack)
{
	static const char *const texts[STACK_LACKS] = {
		[STACK_WHOLE] = "the stack is whole",
		[STACK_TOO_DEEP] = "the stack is deeper than what is read of it",
		[STACK_UNMAPPED] = "nothing is mapped at an address",
		[STACK_NO_TABLE] = "code has no unwind table and no frame pointers",
		[STACK_NO_RULE] = "the unwind table has no rule that is supported",
		[STACK_TABLE_LATE] = "the unwind table was not loaded yet",
		[STACK_TABLE_FULL] = "there was no room for the unwind table",
		[STACK_UNREADABLE] = "memory of the stack is not present",
		[STACK_NOT_64_BIT] = "the program has 32 bits",
		[STACK_NO_ROOM] = "there was no room for the stack",
		[STACK_BY_FRAME_POINTER] = "frame pointers ended, which proves nothing"};

	return texts[lack];
}

const char *stacks_loss_text(enum stacks_loss loss)
{
	static const char *const texts[STACKS_LOSSES] = {
		[STACKS_LOST_ROWS] = "samples lost, as there were too many different stacks",
		[STACKS_LOST_NO_CPU] = "samples lost, as the memory of the CPU was in use",
		[STACKS_LOST_STARTS] = "waits lost, as there were too many threads",
		[STACKS_LOST_ENDS] = "waits lost, as the kernel did not show when they ended",
		[STACKS_LOST_STARTS_OF_SHARE] =
			"waits lost, as one user had too many threads that waited",
		[STACKS_LOST_FRAMES] = "samples without frames, as there were too many stacks",
		[STACKS_LOST_FILES] = "files left out, as there were too many",
		[STACKS_LOST_PROCESSES] = "processes left out, as there were too many",
		[STACKS_UNREAD_PROCESSES] = "processes that ended before they were looked at",
		[STACKS_UNOPENED_FILES] =
			"files were not opened, as there were no more descriptors (ulimit -n)",
		[STACKS_VANISHED_FILES] =
			"times a process had ended before one of its files was opened",
		[STACKS_FULL_PAGES] = "pages of unwind tables left out, as there was no room"};

	return texts[loss];
}
