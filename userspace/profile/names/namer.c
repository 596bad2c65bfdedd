/* SPDX-License-Identifier: MIT */
/* Goes through the places by file, so that each file is read once, and names what its symbols have.
 */
#include "profile/names/namer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/names/jit_tables.h"
#include "profile/names/kept_inlines.h"
#include "profile/names/kept_tables.h"
#include "scap/symbols/symbol_demangle.h"
#include "scap/symbols/symbol_inlines.h"
#include "util/clock.h"
#include "util/count.h"

struct namer {
	struct namer_sources sources; /* owned */
	struct kept_tables tables;
	bool finds_inlined, keeps_inlined;
	struct kept_inlines inlines;
	int (*read_kernel)(const uint64_t *addresses, size_t count, struct symbol_table *table);
	bool (*is_over)(void *context); /* NULL: it never is */
	void *context;
};

/* Between two questions whether it is over. */
enum { NAMES_EACH = 256 };

int namer_create(const struct namer_sources *sources, struct namer **namer)
{
	struct namer *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->sources = *sources;
	*namer = made;
	return 0;
}

int namer_create_here(int proc, struct namer **namer)
{
	const struct namer_sources sources = {
		.proc = fcntl(proc, F_DUPFD_CLOEXEC, 0),
		.kernel = openat(proc, "kallsyms", O_RDONLY | O_CLOEXEC),
		.debug = open("/usr/lib/debug/.build-id", O_PATH | O_DIRECTORY | O_CLOEXEC),
	};
	const int fds[] = {sources.proc, sources.kernel, sources.debug};
	int r = namer_create(&sources, namer);

	for (size_t i = 0; r && i < COUNT(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return r;
}

void namer_destroy(struct namer *namer)
{
	const int *fds;

	if (!namer)
		return;
	fds = (const int[]){namer->sources.proc, namer->sources.kernel, namer->sources.debug};
	for (size_t i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	kept_tables_finish(&namer->tables);
	kept_inlines_finish(&namer->inlines);
	free(namer);
}

void namer_limit(struct namer *namer, bool (*is_over)(void *context), void *context)
{
	namer->is_over = is_over;
	namer->context = context;
}

void namer_ask_kernel(struct namer *namer, int (*read)(const uint64_t *addresses, size_t count,
						       struct symbol_table *table))
{
	namer->read_kernel = read;
}

void namer_find_inlined(struct namer *namer)
{
	namer->finds_inlined = true;
}

int namer_keep_inlined(struct namer *namer, uint64_t ns_each_s, uint64_t seconds)
{
	int r = kept_inlines_begin(&namer->inlines, ns_each_s, seconds);

	namer->finds_inlined = namer->keeps_inlined = r == 0;
	return r;
}

void namer_own_inlined(struct namer *namer, const char *owner)
{
	if (namer->keeps_inlined)
		kept_inlines_own(&namer->inlines, owner);
}

/* One set. */

struct naming {
	struct namer *namer;
	const struct stacks *stacks;
	struct profile_names *names;
	struct symbol_demangler demangler;
	/* The symbol that was found last: many places have the same one, in a row. */
	const char *symbol;
	uint32_t function;
	size_t bytes; /* of the names of this file, or process */
	bool is_over;
	uint64_t inlined_until_ns; /* monotonic clock */
};

static bool naming_is_over(struct naming *naming)
{
	const struct namer *namer = naming->namer;

	if (!naming->is_over && namer->is_over)
		naming->is_over = namer->is_over(namer->context);
	return naming->is_over;
}

/* Of locations: by file and process, and then by place. */
static int compare_locations(const void *a, const void *b, void *data)
{
	const struct names_location *all = data;
	const struct names_location *one = &all[*(const uint32_t *)a];
	const struct names_location *other = &all[*(const uint32_t *)b];

	if (one->file != other->file)
		return one->file < other->file ? -1 : 1;
	if (one->process != other->process)
		return one->process < other->process ? -1 : 1;
	return one->at < other->at ? -1 : one->at > other->at;
}

static enum names_lack lack_of(int r)
{
	static const struct {
		int r;
		enum names_lack lack;
	} rows[] = {
		{0, NAMES_FOUND},	   {-ENOENT, NAMES_NO_SYMBOLS}, {-EFBIG, NAMES_TOO_LARGE},
		{-ENOMEM, NAMES_TOO_MANY}, {-EBADF, NAMES_NOT_OPEN},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].r == r)
			return rows[i].lack;
	return NAMES_DAMAGED;
}

/* Without the version that a library's symbol has: "f@@LIB_1.0"; one begins with no '@'. */
static const char *without_version(const char *symbol, char *text, size_t bytes)
{
	size_t len = strcspn(symbol, "@");

	if (!symbol[len] || !len || len >= bytes)
		return symbol;
	memcpy(text, symbol, len);
	text[len] = '\0';
	return text;
}

/* Adds the function of a symbol. Returns 0; -ENOSPC: there is no room for its name; or as
 * names_add_function(). */
static int add_function(struct naming *naming, const char *symbol, enum names_kind kind)
{
	const size_t most = kind == NAMES_JIT ? NAMER_PROCESS_BYTES_MAX : NAMER_FILE_BYTES_MAX;
	char text[SYMBOL_DEMANGLED_BYTES], plain[SYMBOL_DEMANGLED_BYTES];
	const char *name = symbol;
	size_t bytes;
	int r;

	if (kind == NAMES_NATIVE)
		name = without_version(symbol, plain, sizeof(plain));
	if (symbol_demangle(&naming->demangler, name, text))
		name = text;
	bytes = strlen(name) + (strcmp(name, symbol) == 0 ? 0 : strlen(symbol));
	if (bytes > most - naming->bytes)
		return -ENOSPC;
	r = names_add_function(naming->names, kind, name, symbol, &naming->function);
	naming->bytes += r ? 0 : bytes;
	return r;
}

/* Sets the function of a symbol. Returns 0 or -ENOMEM. */
static int name_symbol(struct naming *naming, struct names_location *location, const char *symbol,
		       enum names_kind kind)
{
	int r = 0;

	if (symbol != naming->symbol) {
		r = add_function(naming, symbol, kind);
		naming->symbol = r ? NULL : symbol;
	}
	location->function = r ? 0 : naming->function;
	location->lack = r == -ENOSPC ? NAMES_NO_ROOM : r ? NAMES_TOO_MANY : NAMES_FOUND;
	return r == -ENOMEM ? r : 0;
}

/* Of places without a symbol: that of the file. */
static void name_of_file(const struct stack_file *file, char *text, size_t bytes)
{
	const char *slash = strrchr(file->path, '/');
	const char *name = slash ? slash + 1 : file->path;

	if (file->kind == STACK_KERNEL)
		name = "kernel";
	else if (file->kind == STACK_ANONYMOUS || !*name)
		name = "unknown";
	snprintf(text, bytes, name[0] == '[' ? "%s" : "[%s]", name);
}

struct place_group {
	uint32_t *order; /* locations of one file, or of one process in it */
	size_t count;
	const struct stack_file *file;
	enum names_kind kind;
	enum names_lack lack; /* of what has no symbol */
	const struct symbol_table *tables[JIT_TABLES]; /* NULL: none */
};

static const char *find_symbol(const struct place_group *group, uint64_t at)
{
	const char *symbol = NULL;

	for (size_t i = 0; i < JIT_TABLES && !symbol; i++)
		if (group->tables[i])
			symbol = symbol_table_find(group->tables[i], at);
	return symbol;
}

static int name_group(struct naming *naming, const struct place_group *group)
{
	uint32_t nameless = UINT32_MAX;
	char text[256];
	int r = 0;

	name_of_file(group->file, text, sizeof(text));
	naming->symbol = NULL;
	naming->bytes = 0;
	for (size_t i = 0; i < group->count && r == 0; i++) {
		struct names_location *location = &naming->names->locations[group->order[i]];
		bool is_over =
			i % NAMES_EACH == NAMES_EACH - 1 ? naming_is_over(naming) : naming->is_over;
		const char *symbol = is_over ? NULL : find_symbol(group, location->at);

		if (symbol) {
			r = name_symbol(naming, location, symbol, group->kind);
			continue;
		}
		location->lack = is_over ? NAMES_GIVEN_UP : group->lack;
		if (nameless == UINT32_MAX)
			r = names_add_function(naming->names, NAMES_UNKNOWN, text, text, &nameless);
		location->function = r ? 0 : nameless;
		r = r == -E2BIG ? 0 : r;
	}
	return r;
}

/* A table of the addresses of a group. Returns 0 or -errno. */
static int ask_kernel(struct naming *naming, const struct place_group *group,
		      struct symbol_table *table)
{
	uint64_t *addresses;
	int r;

	if (!naming->namer->read_kernel || naming->namer->tables.kernel.count)
		return -ENOTSUP;
	addresses = malloc((group->count + 1) * sizeof(*addresses));
	if (!addresses)
		return -ENOMEM;
	for (size_t i = 0; i < group->count; i++)
		addresses[i] = naming->names->locations[group->order[i]].at;
	r = naming->namer->read_kernel(addresses, group->count, table);
	free(addresses);
	return r;
}

static int name_kernel(struct naming *naming, struct place_group *group)
{
	struct namer *namer = naming->namer;
	const struct names_location *locations = naming->names->locations;
	const struct kept_addresses addresses = {locations[group->order[0]].at,
						 locations[group->order[group->count - 1]].at};
	struct symbol_table asked;
	int r = ask_kernel(naming, group, &asked);

	group->kind = NAMES_KERNEL;
	group->lack = NAMES_NO_SYMBOL;
	if (r == 0) {
		group->tables[0] = &asked;
		r = name_group(naming, group);
		symbol_table_finish(&asked);
		return r;
	}
	r = kept_tables_get_kernel(&namer->tables, namer->sources.kernel, &addresses,
				   &group->tables[0]);
	if (r)
		group->lack = NAMES_KERNEL_HIDDEN;
	return name_group(naming, group);
}

static int name_file(struct naming *naming, struct place_group *group)
{
	struct namer *namer = naming->namer;
	int r = kept_tables_get_file(&namer->tables, group->file, namer->sources.debug,
				     &group->tables[0]);

	group->kind = NAMES_NATIVE;
	group->lack = r ? lack_of(r) : NAMES_NO_SYMBOL;
	return name_group(naming, group);
}

static int name_vdso(struct naming *naming, struct place_group *group)
{
	int r = kept_tables_get_vdso(&naming->namer->tables, &group->tables[0]);

	group->kind = NAMES_NATIVE;
	group->lack = r ? lack_of(r) : NAMES_NO_SYMBOL;
	return name_group(naming, group);
}

static int name_anonymous(struct naming *naming, struct place_group *group)
{
	uint32_t process = naming->names->locations[group->order[0]].process;
	struct symbol_table tables[JIT_TABLES] = {0};
	int r;

	jit_tables_read(&naming->stacks->processes[process], naming->namer->sources.proc, tables);
	for (size_t i = 0; i < JIT_TABLES; i++)
		group->tables[i] = tables[i].count ? &tables[i] : NULL;
	group->kind = NAMES_JIT;
	group->lack = NAMES_NO_MAP;
	r = name_group(naming, group);
	for (size_t i = 0; i < JIT_TABLES; i++)
		symbol_table_finish(&tables[i]);
	return r;
}

/* The places of one file, or of a process' own memory, from `begin` on: where they end. */
static size_t group_end(const struct names_location *locations, const uint32_t *order, size_t begin,
			size_t count)
{
	const struct names_location *first = &locations[order[begin]];
	size_t end = begin + 1;

	while (end < count && locations[order[end]].file == first->file &&
	       locations[order[end]].process == first->process)
		end++;
	return end;
}

/* Of files, or of processes' own memory. */
static int name_places(struct naming *naming, uint32_t *order, size_t count, bool of_processes)
{
	static int (*const by_kind[])(struct naming * naming, struct place_group * group) = {
		[STACK_FILE] = name_file,
		[STACK_KERNEL] = name_kernel,
		[STACK_VDSO] = name_vdso,
		[STACK_ANONYMOUS] = name_anonymous,
	};
	const struct names_location *locations = naming->names->locations;
	int r = 0;

	for (size_t i = 0, end; i < count && r == 0; i = end) {
		const struct names_location *first = &locations[order[i]];
		struct place_group group = {.order = order + i,
					    .file = &naming->stacks->files[first->file]};

		end = group_end(locations, order, i, count);
		group.count = end - i;
		if ((group.file->kind == STACK_ANONYMOUS) != of_processes)
			continue;
		r = naming_is_over(naming) ? name_group(naming, &group)
					   : by_kind[group.file->kind](naming, &group);
	}
	return r;
}

/* What is inlined: sought when all have names, so that no file costs others theirs. */

static bool inlined_are_over(void *context)
{
	struct naming *naming = context;

	return naming_is_over(naming) || clock_ns(CLOCK_MONOTONIC) > naming->inlined_until_ns;
}

/* The number of a function in the set, by that in the file; `functions` has those so far. */
static int inlined_function(struct naming *naming, const struct symbol_inlines *found,
			    uint32_t number, uint32_t *functions)
{
	int r = 0;

	if (functions[number] == UINT32_MAX) {
		r = add_function(naming, found->texts + found->functions[number], NAMES_INLINED);
		if (r == 0)
			functions[number] = naming->function;
	}
	return r;
}

/* What was found at places of a file, in their order. */
struct found_inlined {
	const uint64_t *places;
	size_t count;
	const struct symbol_inlines *inlines;
};

/* The number of a place; `count`: it was not sought. */
static size_t place_number(const struct found_inlined *at, uint64_t place)
{
	size_t low = 0, high = at->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (at->places[middle] < place)
			low = middle + 1;
		else
			high = middle;
	}
	return low < at->count && at->places[low] == place ? low : at->count;
}

static int add_inlined_at(struct naming *naming, struct names_location *location,
			  const struct symbol_inlines *found, size_t place, uint32_t *functions)
{
	int r = 0;

	for (uint32_t k = found->first[place]; k < found->first[place + 1] && r == 0; k++) {
		uint32_t number = found->of_places[k];

		r = inlined_function(naming, found, number, functions);
		if (r == 0)
			r = names_add_inlined(naming->names, location, functions[number]);
	}
	return r;
}

/* A place has all of them, or none where there is no room. */
static int add_inlined(struct naming *naming, const struct place_group *group,
		       const struct found_inlined *at)
{
	const struct symbol_inlines *found = at->inlines;
	uint32_t *functions = malloc((found->functions_count + 1) * sizeof(*functions));
	int r = functions ? 0 : -ENOMEM;

	if (functions)
		memset(functions, 0xff, (found->functions_count + 1) * sizeof(*functions));
	naming->bytes = 0;
	for (size_t i = 0; i < group->count && r == 0; i++) {
		struct names_location *location = &naming->names->locations[group->order[i]];
		size_t place = place_number(at, location->at);

		if (location->lack != NAMES_FOUND || place == at->count)
			continue;
		r = add_inlined_at(naming, location, found, place, functions);
		if (r)
			location->inlined_count = 0;
	}
	free(functions);
	return r;
}

static int read_inlined(struct naming *naming, const struct place_group *group,
			const uint64_t *places)
{
	const struct symbol_inlines_limit limit = {inlined_are_over, naming};
	struct symbol_inlines found;
	int error = 0, r = symbol_inlines_read(group->file->fd, naming->namer->sources.debug,
					       places, group->count, &limit, &found);

	if (r != -ENOMEM && found.first)
		error = add_inlined(naming, group,
				    &(const struct found_inlined){places, group->count, &found});
	symbol_inlines_finish(&found);
	return error ? error : r;
}

static int get_kept_inlined(struct naming *naming, const struct place_group *group,
			    const uint64_t *places)
{
	const struct symbol_inlines_limit limit = {inlined_are_over, naming};
	const struct kept_inlined *kept =
		kept_inlines_get(&naming->namer->inlines, group->file, naming->namer->sources.debug,
				 places, group->count, &limit);
	int error = 0;

	if (!kept)
		return -ENOMEM;
	if (kept->inlines.first)
		error = add_inlined(
			naming, group,
			&(const struct found_inlined){kept->places, kept->count, &kept->inlines});
	if (error || kept->error)
		return error ? error : kept->error;
	return kept->lacks ? -E2BIG : 0;
}

static int find_inlined_in(struct naming *naming, const struct place_group *group)
{
	uint64_t *places = malloc((group->count + 1) * sizeof(*places));
	int r;

	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < group->count; i++)
		places[i] = naming->names->locations[group->order[i]].at;
	r = naming->namer->keeps_inlined ? get_kept_inlined(naming, group, places)
					 : read_inlined(naming, group, places);
	free(places);
	naming->names->inlined_lacks += r && r != -ENOENT;
	return r == -ENOMEM ? r : 0;
}

static int find_inlined(struct naming *naming, uint32_t *order, size_t count)
{
	const struct names_location *locations = naming->names->locations;
	int r = 0;

	naming->inlined_until_ns = clock_ns(CLOCK_MONOTONIC) + NAMER_INLINED_NS;
	for (size_t i = 0, end; i < count && r == 0; i = end) {
		const struct stack_file *file = &naming->stacks->files[locations[order[i]].file];
		const struct place_group group = {
			.order = order + i,
			.count = group_end(locations, order, i, count) - i,
			.file = file,
		};

		end = i + group.count;
		if (file->kind != STACK_FILE || (file->fd < 0 && !naming->namer->keeps_inlined))
			continue;
		if (inlined_are_over(naming))
			naming->names->inlined_lacks++;
		else
			r = find_inlined_in(naming, &group);
	}
	return r;
}

int namer_run(struct namer *namer, const struct stacks *stacks, struct profile_names *names)
{
	struct naming naming = {.namer = namer, .stacks = stacks, .names = names};
	int r = names_add_places(names, stacks);
	size_t count = names->locations_count;
	uint32_t *order;

	/* What cannot be added is this one. */
	if (r == 0)
		r = names_add_function(names, NAMES_UNKNOWN, "[unknown]", "[unknown]",
				       &naming.function);
	if (r)
		return r;
	order = malloc((count + 1) * sizeof(*order));
	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, count, sizeof(*order), compare_locations, names->locations);
	kept_tables_begin(&namer->tables);
	/* Maps are read anew each time, and a user can have many of them: files come first. */
	r = name_places(&naming, order, count, false);
	if (r == 0)
		r = name_places(&naming, order, count, true);
	if (r == 0 && namer->finds_inlined)
		r = find_inlined(&naming, order, count);
	free(order);
	for (size_t i = 0; i < count; i++)
		names->lacks[names->locations[i].lack]++;
	return r;
}
