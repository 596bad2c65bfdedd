/* SPDX-License-Identifier: MIT */
/* Arrays that double, and a hash table of places with a secret key: processes choose addresses. */
#include "profile/names/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { ARRAY_MIN = 256, PLACES_MIN = 1024 };

static const uint32_t place_free = UINT32_MAX;

void names_finish(struct profile_names *names)
{
	free(names->locations);
	free(names->functions);
	free(names->inlined);
	free(names->places);
	buf_finish(&names->texts);
	*names = (struct profile_names){0};
}

static bool grow_array(void **array, size_t bytes, size_t count, size_t *capacity)
{
	size_t more = *capacity ? 2 * *capacity : ARRAY_MIN;
	void *made;

	if (count < *capacity)
		return true;
	made = reallocarray(*array, more, bytes);
	if (!made)
		return false;
	*array = made;
	*capacity = more;
	return true;
}

/* What a place is found by; without padding. */
struct place_key {
	uint64_t at;
	uint32_t file, process;
};

/* Addresses are those of a process; offsets in a file are the same in all. */
static struct place_key place_key_of(const struct stacks *stacks, uint32_t process,
				     const struct stack_frame *frame)
{
	bool is_own = stacks->files[frame->file].kind == STACK_ANONYMOUS;

	return (struct place_key){frame->at, frame->file, is_own ? process : UINT32_MAX};
}

/* Where the location is in the table, or where it has to go. */
static uint32_t *find_place(const struct profile_names *names, const struct place_key *key)
{
	size_t mask = names->places_count - 1, i = hash_sip(&names->key, key, sizeof(*key)) & mask;

	for (; names->places[i] != place_free; i = (i + 1) & mask) {
		const struct names_location *other = &names->locations[names->places[i]];

		if (other->at == key->at && other->file == key->file &&
		    other->process == key->process)
			break;
	}
	return &names->places[i];
}

static bool make_places(struct profile_names *names, size_t count)
{
	uint32_t *places = malloc(count * sizeof(*places));

	if (!places)
		return false;
	memset(places, 0xff, count * sizeof(*places));
	free(names->places);
	names->places = places;
	names->places_count = count;
	for (size_t i = 0; i < names->locations_count; i++) {
		const struct names_location *location = &names->locations[i];
		const struct place_key key = {location->at, location->file, location->process};

		*find_place(names, &key) = (uint32_t)i;
	}
	return true;
}

/* Returns 0 or -ENOMEM. */
static int add_place(struct profile_names *names, const struct place_key *key)
{
	uint32_t *place;

	if (2 * names->locations_count >= names->places_count &&
	    !make_places(names, 2 * names->places_count))
		return -ENOMEM;
	place = find_place(names, key);
	if (*place != place_free)
		return 0;
	if (names->locations_count == NAMES_LOCATIONS_MAX) {
		names->lacks[NAMES_TOO_MANY]++;
		return 0;
	}
	if (!grow_array((void **)&names->locations, sizeof(*names->locations),
			names->locations_count, &names->locations_capacity))
		return -ENOMEM;
	*place = (uint32_t)names->locations_count;
	names->locations[names->locations_count++] =
		(struct names_location){.at = key->at, .file = key->file, .process = key->process};
	return 0;
}

/* Frames of memory that is a process' own, which differ between rows with the same part. */
static int add_own_places(struct profile_names *names, const struct stacks *stacks,
			  const struct stack_row *row)
{
	for (uint32_t i = 0; i < row->user.count; i++) {
		const struct stack_frame *frame = &stacks->frames[row->user.first + i];
		struct place_key key;
		int r;

		if (stacks->files[frame->file].kind != STACK_ANONYMOUS)
			continue;
		key = place_key_of(stacks, row->process, frame);
		r = add_place(names, &key);
		if (r)
			return r;
	}
	return 0;
}

int names_add_places(struct profile_names *names, const struct stacks *stacks)
{
	int r = 0;

	if (!names->places) {
		(void)!getrandom(&names->key, sizeof(names->key), GRND_NONBLOCK);
		if (!make_places(names, PLACES_MIN))
			return -ENOMEM;
	}
	for (size_t i = 0; i < stacks->frames_count && r == 0; i++) {
		struct place_key key = place_key_of(stacks, UINT32_MAX, &stacks->frames[i]);

		if (stacks->files[key.file].kind != STACK_ANONYMOUS)
			r = add_place(names, &key);
	}
	for (size_t i = 0; i < stacks->rows_count && r == 0; i++)
		r = add_own_places(names, stacks, &stacks->rows[i]);
	return r;
}

const struct names_location *names_find(const struct profile_names *names,
					const struct stacks *stacks, uint32_t process,
					const struct stack_frame *frame)
{
	const struct place_key key = place_key_of(stacks, process, frame);
	const uint32_t *place = names->places ? find_place(names, &key) : &place_free;

	return *place == place_free ? NULL : &names->locations[*place];
}

static uint32_t add_text(struct profile_names *names, const char *text)
{
	uint32_t at = (uint32_t)names->texts.len;

	buf_append(&names->texts, text, strlen(text) + 1);
	return at;
}

int names_add_function(struct profile_names *names, enum names_kind kind, const char *name,
		       const char *raw, uint32_t *function)
{
	struct names_function made = {.kind = kind};

	if (names->texts.len + strlen(name) + strlen(raw) > NAMES_TEXTS_BYTES_MAX)
		return -E2BIG;
	if (!grow_array((void **)&names->functions, sizeof(*names->functions),
			names->functions_count, &names->functions_capacity))
		return -ENOMEM;
	made.name = add_text(names, name);
	made.raw = strcmp(name, raw) == 0 ? made.name : add_text(names, raw);
	if (names->texts.failed)
		return -ENOMEM;
	*function = (uint32_t)names->functions_count;
	names->functions[names->functions_count++] = made;
	return 0;
}

int names_add_inlined(struct profile_names *names, struct names_location *location,
		      uint32_t function)
{
	if (names->inlined_count == NAMES_INLINED_MAX)
		return -E2BIG;
	if (!grow_array((void **)&names->inlined, sizeof(*names->inlined), names->inlined_count,
			&names->inlined_capacity))
		return -ENOMEM;
	if (!location->inlined_count)
		location->inlined = (uint32_t)names->inlined_count;
	names->inlined[names->inlined_count++] = function;
	location->inlined_count++;
	return 0;
}

void names_forget(struct profile_names *names, enum names_kind kind)
{
	if (!names->functions_count)
		return;
	for (size_t i = 0; i < names->locations_count; i++) {
		struct names_location *location = &names->locations[i];

		if (kind == NAMES_UNKNOWN)
			location->inlined_count = 0;
		if (location->lack != NAMES_FOUND ||
		    (kind != NAMES_UNKNOWN && names->functions[location->function].kind != kind))
			continue;
		location->function = 0;
		location->lack = NAMES_NO_ROOM;
		names->lacks[NAMES_FOUND]--;
		names->lacks[NAMES_NO_ROOM]++;
	}
	/* Their texts would still be written. */
	for (size_t i = 1; i < names->functions_count; i++) {
		struct names_function *function = &names->functions[i];

		if (kind == NAMES_UNKNOWN || function->kind == kind)
			*function = names->functions[0];
	}
}

const char *names_text(const struct profile_names *names, uint32_t text)
{
	return names->texts.data + text;
}

const char *names_lack_text(enum names_lack lack)
{
	static const char *const texts[] = {
		[NAMES_FOUND] = "they have a name",
		[NAMES_KERNEL_HIDDEN] = "the kernel hides its addresses (kernel.kptr_restrict)",
		[NAMES_NOT_OPEN] = "the file could not be opened",
		[NAMES_NO_SYMBOLS] = "the file has no symbols, and no separate file has them",
		[NAMES_NO_SYMBOL] = "the file has no symbol there",
		[NAMES_DAMAGED] = "the file is damaged",
		[NAMES_TOO_LARGE] = "the file has too many symbols",
		[NAMES_NO_MAP] = "no file is there, and no map of a JIT compiler has it",
		[NAMES_TOO_MANY] = "there are too many places",
		[NAMES_NO_ROOM] = "the names of the process, the file or all are too long",
		[NAMES_GIVEN_UP] = "finding names took too long, or was ended by a signal",
	};

	return texts[lack];
}
