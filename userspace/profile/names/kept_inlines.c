/* SPDX-License-Identifier: MIT */
/*
 * An array of files. A file that takes more time than there was waits until there is twice as much.
 */
#include "profile/names/kept_inlines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#include "util/clock.h"

#define NS_PER_S UINT64_C(1000000000)

/* What reading is taken to cost before it was done: of files with little but such information. */
enum { NS_EACH_BYTE = 10 };

static void inlined_clear(struct kept_inlines *all, struct kept_inlined *kept)
{
	symbol_inlines_finish(&kept->inlines);
	free(kept->places);
	all->bytes -= kept->bytes;
	all->owners[kept->owner].bytes -= kept->bytes;
	kept->inlines = (struct symbol_inlines){0};
	kept->places = NULL;
	kept->count = kept->bytes = 0;
	kept->is_cut = true;
}

/* Its place is that of the last one then. */
static void inlined_remove(struct kept_inlines *all, struct kept_inlined *kept)
{
	inlined_clear(all, kept);
	all->owners[kept->owner].files--;
	*kept = all->kept[--all->count];
}

void kept_inlines_finish(struct kept_inlines *all)
{
	while (all->count)
		inlined_remove(all, &all->kept[all->count - 1]);
	free(all->kept);
	free(all->owners);
	free(all->bare);
	*all = (struct kept_inlines){0};
}

int kept_inlines_begin(struct kept_inlines *all, uint64_t ns_each_s, uint64_t seconds)
{
	*all = (struct kept_inlines){
		.kept = calloc(KEPT_INLINES_FILES_MAX, sizeof(*all->kept)),
		.owners = calloc(KEPT_INLINES_OWNERS_MAX, sizeof(*all->owners)),
		.bare = calloc(KEPT_INLINES_BARE, sizeof(*all->bare)),
		.ns_each_s = ns_each_s,
		.seconds = seconds,
		.stays_ns = (2 * seconds + 1) * NS_PER_S,
		.none = {.is_cut = true, .lacks = true},
		.without = {.error = -ENOENT},
	};
	if (getrandom(&all->key, sizeof(all->key), GRND_NONBLOCK) < 0)
		all->key = (struct hash_key){{(uint64_t)(uintptr_t)all->kept, 1}};
	if (!all->kept || !all->owners || !all->bare) {
		kept_inlines_finish(all);
		return -ENOMEM;
	}
	kept_inlines_own(all, "");
	return 0;
}

/* Owners. */

/* What it has goes with it. */
static void owner_remove(struct kept_inlines *all, size_t owner)
{
	for (size_t i = all->count; i--;)
		if (all->kept[i].owner == owner)
			inlined_remove(all, &all->kept[i]);
	all->owners[owner] = (struct kept_owner){0};
}

/* Removes those that are not there any more. Returns how many there are. */
static size_t owners_count(struct kept_inlines *all, uint64_t now)
{
	size_t count = 0;

	for (size_t i = 0; i < KEPT_INLINES_OWNERS_MAX; i++) {
		struct kept_owner *owner = &all->owners[i];

		if (owner->id && now - owner->used_ns > all->stays_ns)
			owner_remove(all, i);
		count += owner->id != 0;
	}
	return count;
}

void kept_inlines_own(struct kept_inlines *all, const char *name)
{
	uint64_t id = hash_sip(&all->key, name, strlen(name)) | 1, now = clock_ns(CLOCK_MONOTONIC);
	size_t count = owners_count(all, now), i = 0, at = KEPT_INLINES_OWNERS_MAX;
	struct kept_owner *owner;
	int64_t share;

	for (; i < KEPT_INLINES_OWNERS_MAX && all->owners[i].id != id; i++)
		if (!all->owners[i].id && at == KEPT_INLINES_OWNERS_MAX)
			at = i;
	all->owner = i < KEPT_INLINES_OWNERS_MAX ? i : at;
	if (all->owner == KEPT_INLINES_OWNERS_MAX)
		return;
	owner = &all->owners[all->owner];
	share = (int64_t)(all->ns_each_s / (owner->id ? count : count + 1));
	if (!owner->id)
		*owner = (struct kept_owner){
			.id = id, .credit_ns = share * (int64_t)all->seconds, .credited_ns = now};
	owner->credit_ns += share / 1000 * (int64_t)((now - owner->credited_ns) / 1000000);
	owner->credited_ns += (now - owner->credited_ns) / 1000000 * 1000000;
	if (owner->credit_ns > KEPT_INLINES_CREDIT_NS)
		owner->credit_ns = KEPT_INLINES_CREDIT_NS;
	owner->used_ns = now;
}

/* Files. */

static uint64_t file_hash(const struct kept_inlines *all, const struct stack_file *file)
{
	const uint64_t words[] = {file->ino, file->ctime_ns,
				  (uint64_t)file->dev_major << 32 | file->dev_minor};

	return hash_sip(&all->key, words, sizeof(words)) | 1;
}

static struct kept_inlined *inlined_find(struct kept_inlines *all, const struct stack_file *file)
{
	for (size_t i = 0; i < all->count; i++) {
		struct kept_inlined *kept = &all->kept[i];

		if (kept->ino == file->ino && kept->ctime_ns == file->ctime_ns &&
		    kept->major == file->dev_major && kept->minor == file->dev_minor)
			return kept;
	}
	return NULL;
}

/*
 * Of the owner who has the most bytes what was not used for the longest time, but not `stays`. With
 * more bytes than there may be, what is known of it is forgotten.
 */
static void forget_bytes(struct kept_inlines *all, const struct kept_inlined *stays)
{
	struct kept_inlined *found = NULL;

	for (size_t i = 0; i < all->count; i++) {
		struct kept_inlined *kept = &all->kept[i];
		size_t bytes = all->owners[kept->owner].bytes;
		size_t most = found ? all->owners[found->owner].bytes : 0;

		if (kept != stays && kept->bytes &&
		    (!found || bytes > most || (bytes == most && kept->used_ns < found->used_ns)))
			found = kept;
	}
	if (found)
		inlined_clear(all, found);
}

/*
 * A place: one that was not used in the last sets, or one of an owner who has more than the one who
 * asks. All of a set are asked for in turn: who takes places of its own would have none in the end.
 */
static bool make_place(struct kept_inlines *all)
{
	struct kept_inlined *oldest = NULL, *of_most = NULL;
	size_t mine = all->owners[all->owner].files, most = mine + 1;

	if (all->count < KEPT_INLINES_FILES_MAX)
		return true;
	for (size_t i = 0; i < KEPT_INLINES_OWNERS_MAX; i++)
		if (all->owners[i].files > most)
			most = all->owners[i].files;
	for (size_t i = 0; i < all->count; i++) {
		struct kept_inlined *kept = &all->kept[i];

		if (!oldest || kept->used_ns < oldest->used_ns)
			oldest = kept;
		if (most > mine + 1 && all->owners[kept->owner].files == most &&
		    (!of_most || kept->used_ns < of_most->used_ns))
			of_most = kept;
	}
	if (clock_ns(CLOCK_MONOTONIC) - oldest->used_ns > all->stays_ns)
		of_most = oldest;
	if (of_most)
		inlined_remove(all, of_most);
	return of_most != NULL;
}

/* NULL: there is no place for it. */
static struct kept_inlined *inlined_add(struct kept_inlines *all, const struct stack_file *file)
{
	struct kept_inlined *made;
	int64_t wants_ns = 0;
	struct stat st;

	if (!make_place(all))
		return NULL;
	/* So that a large file does not keep others from the time that they need. */
	if (file->fd >= 0 && fstat(file->fd, &st) == 0)
		wants_ns = st.st_size < KEPT_INLINES_CREDIT_NS / NS_EACH_BYTE
				   ? st.st_size * NS_EACH_BYTE
				   : KEPT_INLINES_CREDIT_NS;
	made = &all->kept[all->count++];
	*made = (struct kept_inlined){
		.wants_ns = (uint64_t)wants_ns,
		.major = file->dev_major,
		.minor = file->dev_minor,
		.ino = file->ino,
		.ctime_ns = file->ctime_ns,
		.is_cut = true, /* as it was not read */
		.owner = (uint16_t)all->owner,
	};
	all->owners[all->owner].files++;
	return made;
}

/* Places. */

static bool has_all(const struct kept_inlined *kept, const uint64_t *places, size_t count)
{
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		while (at < kept->count && kept->places[at] < places[i])
			at++;
		if (at == kept->count || kept->places[at] != places[i])
			return false;
	}
	return true;
}

/* Those of both, in their order; NULL: out of memory. */
static uint64_t *merge_places(const struct kept_inlined *kept, const uint64_t *places, size_t count,
			      size_t *merged)
{
	size_t old = kept->count + count > KEPT_INLINES_PLACES_MAX ? 0 : kept->count;
	uint64_t *made = malloc((old + count + 1) * sizeof(*made));
	size_t at = 0, i = 0, n = 0;

	if (!made)
		return NULL;
	while (at < old || i < count) {
		bool is_old = i == count || (at < old && kept->places[at] <= places[i]);
		uint64_t next = is_old ? kept->places[at] : places[i];

		at += at < old && kept->places[at] == next;
		i += i < count && places[i] == next;
		made[n++] = next;
	}
	*merged = n;
	return made;
}

static size_t inlines_bytes(const struct symbol_inlines *inlines, size_t count)
{
	size_t bytes = 0;

	if (!inlines->first)
		return 0;
	for (size_t i = 0; i < inlines->functions_count; i++) {
		size_t end =
			inlines->functions[i] + strlen(inlines->texts + inlines->functions[i]) + 1;

		bytes = end > bytes ? end : bytes;
	}
	return bytes +
	       (count + 1 + inlines->first[count] + inlines->functions_count) * sizeof(uint32_t);
}

/* Reading. */

struct reading {
	const struct symbol_inlines_limit *limit; /* the caller's */
	uint64_t begun_ns, until_ns; /* CPU time of the thread */
	bool is_cut;
};

static bool reading_is_over(void *context)
{
	struct reading *reading = context;

	if (clock_ns(CLOCK_THREAD_CPUTIME_ID) > reading->until_ns ||
	    (reading->limit->is_over && reading->limit->is_over(reading->limit->context)))
		reading->is_cut = true;
	return reading->is_cut;
}

/* What was known stays if the time is over before. Returns 0 or -ENOMEM. */
static int inlined_read(struct kept_inlines *all, struct kept_inlined *kept, int fd, int debug,
			const uint64_t *places, size_t count,
			const struct symbol_inlines_limit *limit)
{
	uint64_t begun_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID), took_ns;
	struct kept_owner *owner = &all->owners[all->owner];
	struct reading reading = {limit, begun_ns, begun_ns + (uint64_t)owner->credit_ns, false};
	const struct symbol_inlines_limit mine = {reading_is_over, &reading};
	struct symbol_inlines found;
	size_t merged;
	uint64_t *sought = merge_places(kept, places, count, &merged);
	int r;

	if (!sought)
		return -ENOMEM;
	r = symbol_inlines_read(fd, debug, sought, merged, &mine, &found);
	took_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun_ns;
	/* Sections are decompressed as a whole: that may take more than there was. */
	owner->credit_ns -= (int64_t)took_ns;
	kept->wants_ns = reading.is_cut ? 2 * took_ns : took_ns;
	if (r == -ENOMEM || (reading.is_cut && kept->count)) {
		symbol_inlines_finish(&found);
		free(sought);
		return r == -ENOMEM ? r : 0;
	}
	inlined_clear(all, kept);
	kept->places = sought;
	kept->count = merged;
	kept->inlines = found;
	kept->error = r;
	kept->is_cut = reading.is_cut;
	kept->bytes = merged * sizeof(*sought) + inlines_bytes(&found, merged);
	all->bytes += kept->bytes;
	all->owners[kept->owner].bytes += kept->bytes;
	return 0;
}

/* Whether it is to be read, and may be: a file is read with the time of who asks for it. */
static bool may_be_read(const struct kept_inlines *all, const struct kept_inlined *kept,
			const struct stack_file *file)
{
	int64_t credit_ns = all->owners[all->owner].credit_ns;

	return kept->lacks && file->fd >= 0 && credit_ns > 0 &&
	       credit_ns >= (int64_t)kept->wants_ns;
}

const struct kept_inlined *kept_inlines_get(struct kept_inlines *all, const struct stack_file *file,
					    int debug, const uint64_t *places, size_t count,
					    const struct symbol_inlines_limit *limit)
{
	uint64_t hash = file_hash(all, file), *bare = &all->bare[hash % KEPT_INLINES_BARE];
	struct kept_inlined *kept = inlined_find(all, file);

	if (*bare == hash)
		return &all->without;
	if (all->owner == KEPT_INLINES_OWNERS_MAX)
		return &all->none;
	if (!kept)
		kept = inlined_add(all, file);
	if (!kept)
		return &all->none;
	kept->used_ns = clock_ns(CLOCK_MONOTONIC);
	kept->lacks = kept->is_cut || !has_all(kept, places, count);
	if (may_be_read(all, kept, file) &&
	    inlined_read(all, kept, file->fd, debug, places, count, limit) != 0)
		return NULL;
	/* It has none later, either. */
	if (kept->error == -ENOENT) {
		*bare = hash;
		inlined_remove(all, kept);
		return &all->without;
	}
	kept->lacks = kept->is_cut || !has_all(kept, places, count);
	while (all->bytes > KEPT_INLINES_BYTES_MAX && all->bytes > kept->bytes)
		forget_bytes(all, kept);
	return kept;
}
