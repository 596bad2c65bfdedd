/* SPDX-License-Identifier: MIT */
/*
 * Descriptor tables: chunks of numbers, shared between forks until they change; the kinds of
 * descriptors.
 */
#include "sinsp/state/fds.h"

#include <string.h>

#include "sinsp/state/fd.h"

/* The letters and names of descriptor kinds, as in the .scap world. */

static const struct {
	char letter;
	const char *name;
} types[SCAP_FD_TYPES_COUNT] = {
	[SCAP_FD_UNKNOWN] = {'o', "<NA>"},
	[SCAP_FD_FILE] = {'f', "file"},
	[SCAP_FD_DIRECTORY] = {'d', "directory"},
	[SCAP_FD_IPV4] = {'4', "ipv4"},
	[SCAP_FD_IPV6] = {'6', "ipv6"},
	[SCAP_FD_UNIX] = {'u', "unix"},
	[SCAP_FD_PIPE] = {'p', "pipe"},
	[SCAP_FD_EVENT] = {'e', "event"},
	[SCAP_FD_SIGNAL] = {'s', "signalfd"},
	[SCAP_FD_EPOLL] = {'l', "eventpoll"},
	[SCAP_FD_INOTIFY] = {'i', "inotify"},
	[SCAP_FD_TIMER] = {'t', "timerfd"},
	[SCAP_FD_NETLINK] = {'n', "netlink"},
	[SCAP_FD_BPF] = {'b', "bpf"},
	[SCAP_FD_USERFAULT] = {'u', "userfaultfd"},
	[SCAP_FD_IO_URING] = {'r', "io_uring"},
	[SCAP_FD_MEMFD] = {'m', "memfd"},
	[SCAP_FD_PIDFD] = {'P', "pidfd"},
	[SCAP_FD_UNSUPPORTED] = {'X', "<NA>"},
};

char state_fd_type_char(enum scap_fd_type type)
{
	return types[type].letter;
}

const char *state_fd_type_name(enum scap_fd_type type)
{
	return types[type].name;
}

enum { CHUNK_NUMBERS = 32, CHUNKS_MIN = 4, ASKED_COUNT = 32 };

struct chunk {
	uint32_t refs; /* tables that share it */
	uint32_t index; /* holds the numbers from index * CHUNK_NUMBERS */
	uint32_t open; /* descriptors */
	uint32_t cloexec; /* a bit for each number */
	uint32_t units; /* CHUNK_UNITS, and the sum of these: */
	uint8_t charged[CHUNK_NUMBERS]; /* units that a table holds because of a number */
	struct state_fd *fds[CHUNK_NUMBERS];
};

struct state_fds {
	struct holder holder; /* first: a pointer to it is one to its table */
	struct holder_group *group;
	struct state_fd_store *store;
	uint32_t refs;
	uint32_t count;
	uint32_t nchunks, chunks_max;
	struct chunk **chunks; /* sorted by index; in a dense table chunk i is at place i */
	uint32_t hand; /* index at which the search for a victim continues */
	uint64_t read_ns; /* see state_fds_set_read() */
	uint64_t gap_ns; /* see state_fds_set_gap(); 0: none */
	int64_t gap_tid; /* likewise */
	/* Numbers of failed lookups, plus one, each at its remainder; 0: none. */
	uint32_t asked[ASKED_COUNT];
};

/* Numbers far from each other cost a chunk each. */
enum { CHUNK_UNITS = sizeof(struct chunk) / HOLDER_UNIT_BYTES };

_Static_assert(sizeof(struct state_fd) == 32, "as small as state_fd says");
_Static_assert(SCAP_FD_TYPES_COUNT <= 1 << 5, "the bits of a type suffice");

const union state_ends state_no_ends;
static char no_name[1]; /* of descriptors without names; nobody writes it */

/* Bytes of the names of a descriptor, which share one block, each with its NUL. */
static size_t names_bytes(size_t name_len, size_t given_len)
{
	return name_len + 1 + (given_len ? given_len + 1 : 0);
}

static void free_names(struct state_fd_store *store, struct state_fd *fd)
{
	if (fd->name != no_name)
		pool_free(store->pool, fd->name, names_bytes(fd->name_len, fd->given_len));
}

static void free_ends(struct state_fd_store *store, struct state_fd *fd)
{
	if (fd->has_ends)
		pool_free(store->pool, fd->socket, sizeof(*fd->socket));
}

static void fd_unref(struct state_fd_store *store, struct state_fd *fd)
{
	if (--fd->refs)
		return;
	free_names(store, fd);
	free_ends(store, fd);
	pool_free(store->pool, fd, sizeof(*fd));
}

struct state_fd *state_fds_hold(struct state_fds *fds, int64_t num)
{
	struct state_fd *fd = state_fds_find(fds, num);

	if (fd)
		fd->refs++;
	return fd;
}

void state_fd_release(struct state_fd_store *store, struct state_fd *fd)
{
	fd_unref(store, fd);
}

/* What a number is charged for. */
static uint8_t units_of(const struct state_fd *fd)
{
	size_t units = 1;

	if (fd->name != no_name)
		units += names_bytes(fd->name_len, fd->given_len) / HOLDER_UNIT_BYTES;
	if (fd->has_ends)
		units += sizeof(*fd->socket) / HOLDER_UNIT_BYTES;
	return units < UINT8_MAX ? (uint8_t)units : UINT8_MAX;
}

/* The table holds more, or less. */
static void charge(struct state_fds *fds, int64_t units)
{
	fds->store->units += (uint64_t)units;
	holder_add(&fds->group->members, &fds->holder, units);
	holder_add(&fds->store->groups, &fds->group->holder, units);
}

static void charge_number(struct state_fds *fds, struct chunk *chunk, unsigned int at,
			  uint8_t units)
{
	int64_t more = (int64_t)units - chunk->charged[at];

	chunk->charged[at] = units;
	chunk->units += (uint32_t)more;
	charge(fds, more);
}

static void chunk_unref(struct state_fd_store *store, struct chunk *chunk)
{
	if (--chunk->refs)
		return;
	for (unsigned int i = 0; i < CHUNK_NUMBERS; i++)
		if (chunk->fds[i])
			fd_unref(store, chunk->fds[i]);
	pool_free(store->pool, chunk, sizeof(*chunk));
}

static uint32_t search_place(const struct state_fds *fds, uint32_t index)
{
	uint32_t low = 0, high = fds->nchunks;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (fds->chunks[middle]->index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The place of the first chunk whose index is not less than `index`. */
static inline uint32_t fds_place_of(const struct state_fds *fds, uint32_t index)
{
	if (index < fds->nchunks && fds->chunks[index]->index == index)
		return index;
	return search_place(fds, index);
}

static bool fds_is_number(int64_t num)
{
	return num >= 0 && num <= INT32_MAX;
}

/* The index of a number in its chunk, and its bit. */
static unsigned int entry_index(int64_t num)
{
	return (uint32_t)num % CHUNK_NUMBERS;
}

static uint32_t bit_of(int64_t num)
{
	return 1u << entry_index(num);
}

static struct chunk *find_chunk(const struct state_fds *fds, int64_t num)
{
	uint32_t index, place;

	if (!fds_is_number(num))
		return NULL;
	index = (uint32_t)num / CHUNK_NUMBERS;
	place = fds_place_of(fds, index);
	if (place == fds->nchunks || fds->chunks[place]->index != index)
		return NULL;
	return fds->chunks[place];
}

static bool grow_chunks(struct state_fds *fds)
{
	uint32_t max = fds->chunks_max ? 2 * fds->chunks_max : CHUNKS_MIN;
	struct chunk **chunks = pool_alloc(fds->store->pool, max * sizeof(*chunks));

	if (!chunks)
		return false;
	if (fds->nchunks)
		memcpy(chunks, fds->chunks, fds->nchunks * sizeof(*chunks));
	pool_free(fds->store->pool, fds->chunks, fds->chunks_max * sizeof(*chunks));
	fds->chunks = chunks;
	fds->chunks_max = max;
	return true;
}

static struct chunk *add_chunk(struct state_fds *fds, uint32_t place, uint32_t index)
{
	struct chunk *chunk;

	if (fds->nchunks == fds->chunks_max && !grow_chunks(fds))
		return NULL;
	chunk = pool_alloc(fds->store->pool, sizeof(*chunk));
	if (!chunk)
		return NULL;
	*chunk = (struct chunk){.refs = 1, .index = index, .units = CHUNK_UNITS};
	charge(fds, CHUNK_UNITS);
	memmove(&fds->chunks[place + 1], &fds->chunks[place],
		(fds->nchunks - place) * sizeof(*fds->chunks));
	fds->chunks[place] = chunk;
	fds->nchunks++;
	return chunk;
}

/* Gives this table its own copy of a chunk that others share. */
static struct chunk *own_chunk(struct state_fds *fds, uint32_t place)
{
	struct chunk *shared = fds->chunks[place], *own;

	if (shared->refs == 1)
		return shared;
	own = pool_alloc(fds->store->pool, sizeof(*own));
	if (!own)
		return NULL;
	*own = *shared;
	own->refs = 1;
	for (unsigned int i = 0; i < CHUNK_NUMBERS; i++)
		if (own->fds[i])
			own->fds[i]->refs++;
	shared->refs--;
	fds->chunks[place] = own;
	return own;
}

/* The chunk of a number for writing, created if necessary; NULL if out of memory. */
static struct chunk *writable_chunk(struct state_fds *fds, int64_t num)
{
	uint32_t index = (uint32_t)num / CHUNK_NUMBERS;
	uint32_t place = fds_place_of(fds, index);

	if (place < fds->nchunks && fds->chunks[place]->index == index)
		return own_chunk(fds, place);
	return add_chunk(fds, place, index);
}

struct state_fds *state_fds_create(struct state_fd_store *store)
{
	struct state_fds *fds = pool_alloc(store->pool, sizeof(*fds));

	if (fds)
		*fds = (struct state_fds){.store = store, .refs = 1, .group = &store->host};
	return fds;
}

static void leave_group(struct state_fds *fds)
{
	if (fds->group != &fds->store->host)
		holder_group_unref(fds->group);
}

/* For a table that is charged for nothing. */
static void enter_group(struct state_fds *fds, struct holder_group *group)
{
	if (group != &fds->store->host)
		group->refs++;
	leave_group(fds);
	fds->group = group;
}

void state_fds_set_group(struct state_fds *fds, struct holder_group *group)
{
	int64_t units;

	if (!fds)
		return;
	if (!group)
		group = &fds->store->host;
	if (group == fds->group)
		return;
	units = (int64_t)fds->holder.units;
	charge(fds, -units);
	enter_group(fds, group);
	charge(fds, units);
}

struct state_fds *state_fds_copy(struct state_fds *from)
{
	struct state_fd_store *store = from->store;
	struct state_fds *fds = state_fds_create(store);

	if (!fds)
		return NULL;
	enter_group(fds, from->group);
	if (from->nchunks == 0)
		return fds;
	if (store->count + from->count > store->max) {
		store->rejected += from->count;
		return fds;
	}
	fds->chunks = pool_alloc(store->pool, from->chunks_max * sizeof(*fds->chunks));
	if (!fds->chunks) {
		store->rejected += from->count;
		return fds;
	}
	fds->chunks_max = from->chunks_max;
	fds->nchunks = from->nchunks;
	memcpy(fds->chunks, from->chunks, fds->nchunks * sizeof(*fds->chunks));
	for (uint32_t i = 0; i < fds->nchunks; i++)
		fds->chunks[i]->refs++;
	fds->count = from->count;
	store->count += fds->count;
	charge(fds, (int64_t)from->holder.units);
	return fds;
}

void state_fds_set_read(struct state_fds *fds, uint64_t ns)
{
	fds->read_ns = ns;
}

bool state_fds_is_ahead(const struct state_fds *fds, uint64_t ts_ns)
{
	return ts_ns < fds->read_ns;
}

struct state_fds *state_fds_ref(struct state_fds *fds)
{
	fds->refs++;
	return fds;
}

void state_fds_unref(struct state_fds *fds)
{
	struct state_fd_store *store;

	if (!fds || --fds->refs)
		return;
	store = fds->store;
	for (uint32_t i = 0; i < fds->nchunks; i++)
		chunk_unref(store, fds->chunks[i]);
	pool_free(store->pool, fds->chunks, fds->chunks_max * sizeof(*fds->chunks));
	store->count -= fds->count;
	charge(fds, -(int64_t)fds->holder.units);
	leave_group(fds);
	pool_free(store->pool, fds, sizeof(*fds));
}

bool state_fds_shared(const struct state_fds *fds)
{
	return fds->refs > 1;
}

uint32_t state_fds_users(const struct state_fds *fds)
{
	return fds->refs;
}

struct state_fd *state_fds_find(const struct state_fds *fds, int64_t num)
{
	struct chunk *chunk = find_chunk(fds, num);

	return chunk ? chunk->fds[entry_index(num)] : NULL;
}

struct state_fd *state_fds_next(const struct state_fds *fds, int64_t *num)
{
	if (!fds_is_number(*num))
		return NULL;
	for (uint32_t i = fds_place_of(fds, (uint32_t)*num / CHUNK_NUMBERS); i < fds->nchunks;
	     i++) {
		const struct chunk *chunk = fds->chunks[i];
		int64_t first = (int64_t)chunk->index * CHUNK_NUMBERS;

		for (int64_t at = *num > first ? *num - first : 0; at < CHUNK_NUMBERS; at++) {
			if (!chunk->fds[at])
				continue;
			*num = first + at;
			return chunk->fds[at];
		}
	}
	return NULL;
}

bool state_fds_has_other(const struct state_fds *fds, int64_t num)
{
	const struct chunk *chunk = find_chunk(fds, num);
	const struct state_fd *fd = chunk ? chunk->fds[entry_index(num)] : NULL;

	return fd && (fd->refs > 1 || chunk->refs > 1);
}

uint32_t state_fds_count(const struct state_fds *fds)
{
	return fds->count;
}

static void forget_asked(struct state_fds *fds, int64_t num)
{
	if (fds_is_number(num) && state_fds_asked(fds, num))
		fds->asked[num % ASKED_COUNT] = 0;
}

/* Stores a descriptor under a number and takes over its reference. */
static bool put_fd(struct state_fds *fds, int64_t num, struct state_fd *fd)
{
	struct state_fd_store *store = fds->store;
	struct chunk *chunk = NULL;
	struct state_fd **stored;

	if (fds_is_number(num) && (store->count < store->max || state_fds_find(fds, num)))
		chunk = writable_chunk(fds, num);
	if (!chunk)
		goto reject;
	stored = &chunk->fds[entry_index(num)];
	if (*stored) {
		fd_unref(store, *stored);
	} else {
		chunk->open++;
		fds->count++;
		store->count++;
	}
	*stored = fd;
	charge_number(fds, chunk, entry_index(num), units_of(fd));
	chunk->cloexec &= ~bit_of(num);
	forget_asked(fds, num);
	return true;
reject:
	store->rejected++;
	fd_unref(store, fd);
	return false;
}

struct state_fd *state_fds_open(struct state_fds *fds, int64_t num, const char *name,
				size_t name_len)
{
	return state_fds_open_given(fds, num, name, name_len, NULL, 0);
}

struct state_fd *state_fds_open_given(struct state_fds *fds, int64_t num, const char *name,
				      size_t name_len, const char *given, size_t given_len)
{
	struct pool *pool = fds->store->pool;
	struct state_fd *fd = pool_alloc(pool, sizeof(*fd));

	if (!fd)
		return NULL;
	*fd = (struct state_fd){.name = no_name, .refs = 1};
	if (!state_fd_set_names(fds->store, fd, name, name_len, given, given_len)) {
		pool_free(pool, fd, sizeof(*fd));
		return NULL;
	}
	return put_fd(fds, num, fd) ? fd : NULL;
}

struct state_fd *state_fds_dup(struct state_fds *fds, int64_t from, int64_t to)
{
	struct state_fd *fd = state_fds_find(fds, from);

	return fd ? state_fds_share(fds, to, fd) : NULL;
}

struct state_fd *state_fds_share(struct state_fds *fds, int64_t num, struct state_fd *fd)
{
	fd->refs++;
	return put_fd(fds, num, fd) ? fd : NULL;
}

static void clear_entry(struct state_fds *fds, struct chunk *chunk, unsigned int at)
{
	fd_unref(fds->store, chunk->fds[at]);
	chunk->fds[at] = NULL;
	charge_number(fds, chunk, at, 0);
	chunk->cloexec &= ~(1u << at);
	chunk->open--;
	fds->count--;
	fds->store->count--;
}

/* Drops an empty chunk. The first one stays: nearly every table needs it again. */
static void drop_empty_chunk(struct state_fds *fds, struct chunk *chunk)
{
	uint32_t place;

	if (chunk->open || chunk->index == 0)
		return;
	place = fds_place_of(fds, chunk->index);
	charge(fds, -(int64_t)chunk->units);
	pool_free(fds->store->pool, chunk, sizeof(*chunk));
	fds->nchunks--;
	memmove(&fds->chunks[place], &fds->chunks[place + 1],
		(fds->nchunks - place) * sizeof(*fds->chunks));
}

bool state_fds_evict_from(struct state_fds *fds)
{
	struct state_fd_store *store = fds->store;
	uint32_t place = fds_place_of(fds, fds->hand);
	struct chunk *chunk;

	if (fds->nchunks == 0)
		return false;
	if (place == fds->nchunks)
		place = 0;
	chunk = fds->chunks[place];
	fds->hand = chunk->index + 1;
	fds->count -= chunk->open;
	store->count -= chunk->open;
	store->evicted += chunk->open;
	charge(fds, -(int64_t)chunk->units);
	fds->nchunks--;
	memmove(&fds->chunks[place], &fds->chunks[place + 1],
		(fds->nchunks - place) * sizeof(*fds->chunks));
	chunk_unref(store, chunk);
	return true;
}

bool state_fds_evict(struct state_fd_store *store)
{
	struct holder *group = holders_largest(&store->groups);
	struct holder *table =
		group ? holders_largest(&((struct holder_group *)group)->members) : NULL;

	return table && state_fds_evict_from((struct state_fds *)table);
}

void state_fds_close(struct state_fds *fds, int64_t num)
{
	struct chunk *chunk;

	forget_asked(fds, num);
	if (!state_fds_find(fds, num))
		return;
	chunk = writable_chunk(fds, num);
	if (!chunk)
		return;
	clear_entry(fds, chunk, entry_index(num));
	drop_empty_chunk(fds, chunk);
}

void state_fds_set_cloexec(struct state_fds *fds, int64_t num, bool cloexec)
{
	struct chunk *chunk = find_chunk(fds, num);
	uint32_t bit = bit_of(num);

	if (!chunk || !chunk->fds[entry_index(num)] || !(chunk->cloexec & bit) == !cloexec)
		return;
	chunk = writable_chunk(fds, num);
	if (chunk)
		chunk->cloexec ^= bit;
}

bool state_fds_cloexec(const struct state_fds *fds, int64_t num)
{
	struct chunk *chunk = find_chunk(fds, num);

	return chunk && (chunk->cloexec & bit_of(num));
}

/* Closes the numbers of a chunk that have their bit set in `open`, all of which are open. */
static void clear_entries(struct state_fds *fds, uint32_t place, uint32_t open)
{
	struct chunk *chunk = open ? own_chunk(fds, place) : NULL;

	if (!chunk)
		return;
	for (; open; open &= open - 1)
		clear_entry(fds, chunk, (unsigned int)__builtin_ctz(open));
	drop_empty_chunk(fds, chunk);
}

/* A bit for each open number of a chunk from `first` to `last`. */
static uint32_t open_between(const struct chunk *chunk, uint32_t first, uint32_t last)
{
	uint32_t open = 0;

	for (uint32_t i = 0; i < CHUNK_NUMBERS; i++) {
		uint32_t num = chunk->index * CHUNK_NUMBERS + i;

		if (chunk->fds[i] && num >= first && num <= last)
			open |= 1u << i;
	}
	return open;
}

enum { COPIED_MAX = 16 };

/* Sockets under several numbers, of which some were seen. */
struct copied {
	const struct state_fd *fds[COPIED_MAX];
	uint32_t seen[COPIED_MAX];
	uint32_t count;
};

/* Whether this is the last number of a socket, those counted that were seen before. */
static bool is_last_number(struct copied *copied, const struct state_fd *fd)
{
	uint32_t i = 0;

	if (fd->refs == 1)
		return true;
	while (i < copied->count && copied->fds[i] != fd)
		i++;
	if (i == COPIED_MAX)
		return false;
	if (i == copied->count) {
		copied->fds[copied->count++] = fd;
		copied->seen[i] = 0;
	}
	return ++copied->seen[i] == fd->refs;
}

/* A bit for each number of a chunk that goes. */
static uint32_t going_in(const struct chunk *chunk, const struct state_fds_going *going)
{
	uint32_t numbers = open_between(chunk, going->first, going->last);

	return going->cloexec ? numbers & chunk->cloexec : numbers;
}

uint32_t state_fds_hold_last(struct state_fds *fds, const struct state_fds_going *going,
			     struct state_gone *gone, uint32_t max)
{
	struct copied copied = {.count = 0};
	uint32_t count = 0, walked = 0;

	for (uint32_t i = 0; i < fds->nchunks && walked < STATE_GONE_WALKED; i++) {
		const struct chunk *chunk = fds->chunks[i];
		uint32_t numbers = chunk->refs > 1 ? 0 : going_in(chunk, going);

		walked += chunk->refs > 1 ? 1 : CHUNK_NUMBERS;
		for (; numbers && count < max; numbers &= numbers - 1) {
			unsigned int at = (unsigned int)__builtin_ctz(numbers);
			struct state_fd *fd = chunk->fds[at];

			if (fd->was_read || !state_fd_is_socket(fd) || !is_last_number(&copied, fd))
				continue;
			gone[count++] =
				(struct state_gone){(int64_t)chunk->index * CHUNK_NUMBERS + at, fd};
		}
	}
	for (uint32_t i = 0; i < count; i++)
		gone[i].fd->refs++;
	return count;
}

/* These loops run backwards, because chunks that become empty are removed. */

void state_fds_exec(struct state_fds *fds)
{
	memset(fds->asked, 0, sizeof(fds->asked));
	for (uint32_t place = fds->nchunks; place-- > 0;)
		clear_entries(fds, place, fds->chunks[place]->cloexec);
}

void state_fds_close_range(struct state_fds *fds, uint32_t first, uint32_t last)
{
	memset(fds->asked, 0, sizeof(fds->asked));
	for (uint32_t place = fds->nchunks; place-- > 0;)
		clear_entries(fds, place, open_between(fds->chunks[place], first, last));
}

void state_fds_set_gap(struct state_fds *fds, uint64_t ns, int64_t tid)
{
	state_fds_close_range(fds, 0, UINT32_MAX);
	fds->gap_ns = ns;
	fds->gap_tid = tid;
}

bool state_fds_in_gap(struct state_fds *fds, uint64_t ns, int64_t tid)
{
	if (fds->gap_ns && (ns > fds->gap_ns || tid == fds->gap_tid))
		fds->gap_ns = 0;
	return fds->gap_ns;
}

bool state_fds_gap_is_open(const struct state_fds *fds)
{
	return fds->gap_ns == UINT64_MAX;
}

void state_fds_cloexec_range(struct state_fds *fds, uint32_t first, uint32_t last)
{
	for (uint32_t place = fds->nchunks; place-- > 0;) {
		uint32_t open = open_between(fds->chunks[place], first, last);
		struct chunk *chunk = open ? own_chunk(fds, place) : NULL;

		if (chunk)
			chunk->cloexec |= open;
	}
}

union state_ends *state_fd_make_ends(struct state_fd_store *store, struct state_fd *fd)
{
	struct state_socket *made;

	if (fd->has_ends)
		return &fd->socket->ends;
	made = pool_alloc(store->pool, sizeof(*made));
	if (!made)
		return NULL;
	*made = (struct state_socket){.ends = state_no_ends, .ino = fd->ino};
	fd->socket = made;
	fd->has_ends = true;
	return &made->ends;
}

/* A block for both names, or what stands for no name. NULL if out of memory. */
static char *make_names(struct state_fd_store *store, size_t name_len, size_t given_len)
{
	if (name_len > UINT16_MAX || given_len > UINT16_MAX)
		return NULL;
	if (name_len == 0 && given_len == 0)
		return no_name;
	return pool_alloc(store->pool, names_bytes(name_len, given_len));
}

bool state_fd_set_names(struct state_fd_store *store, struct state_fd *fd, const char *name,
			size_t name_len, const char *given, size_t given_len)
{
	char *names = make_names(store, name_len, given_len);

	if (!names)
		return false;
	if (names != no_name) {
		memcpy(names, name, name_len);
		names[name_len] = '\0';
	}
	if (given_len) {
		memcpy(names + name_len + 1, given, given_len);
		names[name_len + 1 + given_len] = '\0';
	}
	free_names(store, fd);
	fd->name = names;
	fd->name_len = (uint16_t)name_len;
	fd->given_len = (uint16_t)given_len;
	return true;
}

bool state_fd_rename(struct state_fd_store *store, struct state_fd *fd, const char *name,
		     size_t name_len)
{
	return state_fd_set_names(store, fd, name, name_len, NULL, 0);
}

void state_fds_recharge(struct state_fds *fds, int64_t num)
{
	struct chunk *chunk = find_chunk(fds, num);
	unsigned int at = entry_index(num);

	if (!chunk || !chunk->fds[at] || chunk->charged[at] == units_of(chunk->fds[at]))
		return;
	chunk = own_chunk(fds, fds_place_of(fds, chunk->index));
	if (chunk)
		charge_number(fds, chunk, at, units_of(chunk->fds[at]));
}

bool state_fds_asked(const struct state_fds *fds, int64_t num)
{
	return !fds_is_number(num) || fds->asked[num % ASKED_COUNT] == (uint32_t)num + 1;
}

void state_fds_note_asked(struct state_fds *fds, int64_t num)
{
	if (fds_is_number(num))
		fds->asked[num % ASKED_COUNT] = (uint32_t)num + 1;
}
