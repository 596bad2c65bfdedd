/* SPDX-License-Identifier: MIT */
/* An array of files. A file that takes more time than there was waits until there is twice as much.
 */
#include "profile/names/kept_inlines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "util/clock.h"

/* What reading is taken to cost before it was done: of files with little but such information. */
enum { NS_EACH_BYTE = 10 };

static void inlined_clear(struct kept_inlines *all, struct kept_inlined *kept)
{
	symbol_inlines_finish(&kept->inlines);
	free(kept->places);
	all->bytes -= kept->bytes;
	kept->inlines = (struct symbol_inlines){0};
	kept->places = NULL;
	kept->count = kept->bytes = 0;
}

void kept_inlines_finish(struct kept_inlines *all)
{
	for (size_t i = 0; i < all->count; i++)
		inlined_clear(all, &all->kept[i]);
	free(all->kept);
	*all = (struct kept_inlines){0};
}

void kept_inlines_begin(struct kept_inlines *all, uint64_t ns_each_s, uint64_t seconds)
{
	all->ns_each_s = ns_each_s;
	all->credit_ns = (int64_t)(ns_each_s * seconds);
	all->credited_ns = clock_ns(CLOCK_MONOTONIC);
}

static void take_credit(struct kept_inlines *all)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), ms = (now - all->credited_ns) / 1000000;

	all->credit_ns += (int64_t)(all->ns_each_s / 1000 * ms);
	all->credited_ns += ms * 1000000;
	if (all->credit_ns > KEPT_INLINES_CREDIT_NS)
		all->credit_ns = KEPT_INLINES_CREDIT_NS;
}

/* Files. */

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

/* What is known of the one that was not used for the longest time, but not of `stays`. */
static void forget_oldest(struct kept_inlines *all, const struct kept_inlined *stays)
{
	struct kept_inlined *oldest = NULL;

	for (size_t i = 0; i < all->count; i++)
		if (&all->kept[i] != stays && all->kept[i].bytes &&
		    (!oldest || all->kept[i].used < oldest->used))
			oldest = &all->kept[i];
	if (!oldest)
		return;
	inlined_clear(all, oldest);
	oldest->is_cut = true;
}

static struct kept_inlined *inlined_add(struct kept_inlines *all, const struct stack_file *file)
{
	struct kept_inlined *made;
	uint64_t wants_ns = 0;
	struct stat st;

	if (!all->kept)
		all->kept = calloc(KEPT_INLINES_FILES_MAX, sizeof(*all->kept));
	if (!all->kept)
		return NULL;
	if (all->count < KEPT_INLINES_FILES_MAX) {
		made = &all->kept[all->count++];
	} else {
		made = all->kept;
		for (size_t i = 1; i < all->count; i++)
			if (all->kept[i].used < made->used)
				made = &all->kept[i];
		inlined_clear(all, made);
	}
	/* So that a large file does not keep others from the time that they need. */
	if (file->fd >= 0 && fstat(file->fd, &st) == 0)
		wants_ns = (uint64_t)st.st_size * NS_EACH_BYTE;
	*made = (struct kept_inlined){
		.wants_ns = wants_ns,
		.major = file->dev_major,
		.minor = file->dev_minor,
		.ino = file->ino,
		.ctime_ns = file->ctime_ns,
		.is_cut = true, /* as it was not read */
	};
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
	struct reading reading = {limit, begun_ns, begun_ns + (uint64_t)all->credit_ns, false};
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
	all->credit_ns -= (int64_t)took_ns;
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
	return 0;
}

const struct kept_inlined *kept_inlines_get(struct kept_inlines *all, const struct stack_file *file,
					    int debug, const uint64_t *places, size_t count,
					    const struct symbol_inlines_limit *limit)
{
	struct kept_inlined *kept = inlined_find(all, file);

	if (!kept)
		kept = inlined_add(all, file);
	if (!kept)
		return NULL;
	kept->used = ++all->uses;
	take_credit(all);
	/* One without debugging information has none later. */
	if (kept->error != -ENOENT && file->fd >= 0 && all->credit_ns > 0 &&
	    all->credit_ns >= (int64_t)kept->wants_ns &&
	    (kept->is_cut || !has_all(kept, places, count)) &&
	    inlined_read(all, kept, file->fd, debug, places, count, limit) != 0)
		return NULL;
	kept->lacks = kept->error != -ENOENT && (kept->is_cut || !has_all(kept, places, count));
	while (all->bytes > KEPT_INLINES_BYTES_MAX && all->bytes > kept->bytes)
		forget_oldest(all, kept);
	return kept;
}
