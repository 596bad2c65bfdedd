/* SPDX-License-Identifier: MIT */
/*
 * Nodes in an array, found by parent and name through a hash table with a secret key. Stacks are
 * added from the outermost frame on.
 */
#include "profile/formats/flame.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { ARRAY_MIN = 256, PLACES_MIN = 1024 };

static const uint32_t place_free = UINT32_MAX;

void flame_finish(struct flame *flame)
{
	free(flame->nodes);
	free(flame->places);
	texts_finish(&flame->names);
	*flame = (struct flame){0};
}

/* Tables. */

static uint32_t *make_places(size_t count)
{
	uint32_t *places = malloc(count * sizeof(*places));

	if (places)
		memset(places, 0xff, count * sizeof(*places));
	return places;
}

static bool reserve(void **array, size_t bytes, size_t count, size_t *capacity)
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

static uint32_t *node_place(const struct flame *flame, uint32_t parent, uint32_t text, uint8_t kind)
{
	const uint32_t key[] = {parent, text, kind};
	size_t mask = flame->places_count - 1;
	size_t i = hash_sip(&flame->key, key, sizeof(key)) & mask;

	for (; flame->places[i] != place_free; i = (i + 1) & mask) {
		const struct flame_node *other = &flame->nodes[flame->places[i]];

		if (other->parent == parent && other->text == text && other->kind == kind)
			break;
	}
	return &flame->places[i];
}

static int more_places(struct flame *flame)
{
	size_t count = flame->places_count ? 2 * flame->places_count : PLACES_MIN;
	uint32_t *places = make_places(count);

	if (!places)
		return -ENOMEM;
	free(flame->places);
	flame->places = places;
	flame->places_count = count;
	for (size_t i = 1; i < flame->nodes_count; i++) {
		const struct flame_node *node = &flame->nodes[i];

		*node_place(flame, node->parent, node->text, node->kind) = (uint32_t)i;
	}
	return 0;
}

int flame_init(struct flame *flame)
{
	*flame = (struct flame){0};
	(void)!getrandom(&flame->key, sizeof(flame->key), GRND_NONBLOCK);
	if (!reserve((void **)&flame->nodes, sizeof(*flame->nodes), 0, &flame->nodes_capacity) ||
	    more_places(flame) != 0 || texts_init(&flame->names) != 0) {
		flame_finish(flame);
		return -ENOMEM;
	}
	flame->nodes[0] = (struct flame_node){.kind = FLAME_PROCESS};
	flame->nodes_count = 1;
	return 0;
}

/* Adding. */

struct path {
	struct flame *flame;
	uint32_t node, depth;
	bool is_cut; /* what follows does not go deeper */
	int error; /* 0 or -ENOMEM */
};

/* One step from a node to the one for a frame that is called by it. */
static int step(struct path *path, const char *text, size_t len, uint8_t kind)
{
	struct flame *flame = path->flame;
	uint32_t *place, name;
	int r = texts_add(&flame->names, text, len, &name);

	if (r)
		return r;
	if (2 * flame->nodes_count >= flame->places_count && more_places(flame) != 0)
		return -ENOMEM;
	place = node_place(flame, path->node, name, kind);
	if (*place == place_free) {
		if (flame->nodes_count == FLAME_NODES_MAX)
			return -E2BIG;
		if (!reserve((void **)&flame->nodes, sizeof(*flame->nodes), flame->nodes_count,
			     &flame->nodes_capacity))
			return -ENOMEM;
		flame->nodes[flame->nodes_count] =
			(struct flame_node){.parent = path->node,
					    .next = flame->nodes[path->node].child,
					    .text = name,
					    .kind = kind};
		flame->nodes[path->node].child = (uint32_t)flame->nodes_count;
		*place = (uint32_t)flame->nodes_count++;
	}
	path->node = *place;
	path->depth++;
	return 0;
}

static void go(struct path *path, const char *text, size_t len, uint8_t kind)
{
	int r;

	if (path->error)
		return;
	r = path->is_cut || path->depth == FLAME_DEPTH_MAX ? -E2BIG : step(path, text, len, kind);
	path->flame->cut += r == -E2BIG;
	path->is_cut |= r == -E2BIG;
	if (r == -ENOMEM)
		path->error = r;
}

static void go_text(struct path *path, const char *text, uint8_t kind)
{
	go(path, text, strlen(text), kind);
}

static void go_marked(struct path *path, const char *text, uint8_t kind)
{
	char mark[128];

	go(path, mark, (size_t)snprintf(mark, sizeof(mark), "[%s]", text), kind);
}

static void add_value(struct path *path, enum flame_side side, uint64_t value)
{
	uint64_t *self = &path->flame->nodes[path->node].self[side];

	if (!path->error && __builtin_add_overflow(*self, value, self))
		*self = UINT64_MAX;
}

/* Stacks. */

enum { SHORT_ID = 12 };

struct adding {
	const struct stacks *stacks;
	const struct profile_names *names;
	const struct flame_options *options;
};

static void go_function(struct path *path, const struct adding *adding, uint32_t number,
			bool is_kernel)
{
	static const uint8_t kinds[] = {
		[NAMES_KERNEL] = FLAME_KERNEL,	 [NAMES_NATIVE] = FLAME_NATIVE,
		[NAMES_INLINED] = FLAME_INLINED, [NAMES_JIT] = FLAME_JIT,
		[NAMES_UNKNOWN] = FLAME_UNKNOWN,
	};
	const struct names_function *function = &adding->names->functions[number];

	go_text(path, names_text(adding->names, function->name),
		is_kernel ? FLAME_KERNEL : kinds[function->kind]);
}

/* A frame is that of a function, and of those which are inlined in it: outside of these, or last.
 */
static void go_frame(struct path *path, const struct adding *adding, uint32_t process,
		     const struct stack_frame *frame, bool is_outward)
{
	const struct profile_names *names = adding->names;
	const struct names_location *location = names_find(names, adding->stacks, process, frame);
	const bool is_kernel = adding->stacks->files[frame->file].kind == STACK_KERNEL;
	uint32_t count;

	if (!location || !names->functions_count) {
		go_text(path, "[unknown]", FLAME_UNKNOWN);
		return;
	}
	count = location->inlined_count;
	if (!is_outward)
		go_function(path, adding, location->function, is_kernel);
	for (uint32_t i = 0; i < count; i++)
		go_function(path, adding,
			    names->inlined[location->inlined + (is_outward ? i : count - 1 - i)],
			    is_kernel);
	if (is_outward)
		go_function(path, adding, location->function, is_kernel);
}

/* What ended by frame pointers is not known to be cut. */
static bool is_cut(const struct stack_part *part)
{
	return part->lack != STACK_WHOLE && part->lack != STACK_BY_FRAME_POINTER;
}

static void go_part(struct path *path, const struct adding *adding, uint32_t process,
		    const struct stack_part *part)
{
	if (is_cut(part))
		go_marked(path, stack_lack_text((enum stack_lack)part->lack), FLAME_MARK);
	for (uint32_t i = part->count; i-- > 0;)
		go_frame(path, adding, process, &adding->stacks->frames[part->first + i], false);
}

/* Who woke it, from inside to outside: above the frames that waited. */
static void go_waker(struct path *path, const struct adding *adding,
		     const struct stack_waker *waker)
{
	const struct stack_frame *frames = adding->stacks->frames;

	go_marked(path, "woken by", FLAME_WAIT);
	for (uint32_t i = 0; i < waker->kernel.count; i++)
		go_frame(path, adding, UINT32_MAX, &frames[waker->kernel.first + i], true);
	for (uint32_t i = 0; i < waker->user.count; i++)
		go_frame(path, adding, UINT32_MAX, &frames[waker->user.first + i], true);
	go_text(path, waker->comm, FLAME_PROCESS);
}

/*
 * The container of a process: what it is called, in its pod if it is in one; behind that its id, as
 * others may have the same name, and its image. The id alone where no name is known.
 */
static void go_container(struct path *path, const struct stack_container *container)
{
	const char *owner = strchr(container->id, '@');
	struct buf text = {0};
	ptrdiff_t id_bytes;

	if (!container->name && !container->pod) {
		go_text(path, container->id, FLAME_PROCESS);
		return;
	}
	if (container->pod)
		buf_printf(&text, "%s/%s/", container->ns ? container->ns : "", container->pod);
	if (!owner)
		owner = container->id + strlen(container->id);
	id_bytes = owner - container->id;
	buf_printf(&text, "%s (%.*s%s", container->name ? container->name : "",
		   (int)(id_bytes < SHORT_ID ? id_bytes : SHORT_ID), container->id, owner);
	if (container->image)
		buf_printf(&text, " %s", container->image);
	buf_append_char(&text, ')');
	if (text.failed)
		path->error = -ENOMEM;
	else
		go(path, text.data, text.len, FLAME_PROCESS);
	buf_finish(&text);
}

static void go_row(struct path *path, const struct adding *adding, const struct stack_row *row)
{
	const struct stack_process *process = &adding->stacks->processes[row->process];

	if (adding->options->containers && process->container_id)
		go_container(path, &process->container);
	go_text(path, process->comm, FLAME_PROCESS);
	if (adding->options->threads && strcmp(row->comm, process->comm) != 0)
		go_text(path, row->comm, FLAME_PROCESS);
	go_part(path, adding, row->process, &row->user);
	go_part(path, adding, row->process, &row->kernel);
	if (row->kind == STACK_OFF_CPU)
		go_marked(path, stack_reason_name((enum stack_reason)row->reason), FLAME_WAIT);
	if (adding->options->wakers && row->kind == STACK_OFF_CPU && row->waker.pid)
		go_waker(path, adding, &row->waker);
}

static bool has_time_off_cpu(const struct stacks *stacks)
{
	for (size_t i = 0; i < stacks->rows_count; i++)
		if (stacks->rows[i].kind == STACK_OFF_CPU)
			return true;
	return false;
}

int flame_add_stacks(struct flame *flame, enum flame_side side, const struct stacks *stacks,
		     const struct profile_names *names, const struct flame_options *options)
{
	const struct adding adding = {stacks, names, options};

	flame->has_before |= side == FLAME_BEFORE;
	if (has_time_off_cpu(stacks))
		flame->unit = FLAME_NS;
	for (size_t i = 0; i < stacks->rows_count; i++) {
		const struct stack_row *row = &stacks->rows[i];
		struct path path = {.flame = flame};
		uint64_t value = row->value;

		if (row->kind == STACK_ON_CPU && flame->unit == FLAME_NS &&
		    __builtin_mul_overflow(value, stacks->period_ns, &value))
			value = UINT64_MAX;
		go_row(&path, &adding, row);
		add_value(&path, side, value);
		if (path.error)
			return path.error;
	}
	return 0;
}

/* Folded stacks. */

static bool ends_with(const char *text, size_t *len, const char *end)
{
	size_t n = strlen(end);

	if (*len <= n || memcmp(text + *len - n, end, n) != 0)
		return false;
	*len -= n;
	return true;
}

static bool is_reason(const char *text, size_t len)
{
	for (int reason = STACK_NO_REASON + 1; reason < STACK_REASONS; reason++) {
		const char *name = stack_reason_name((enum stack_reason)reason);

		if (strlen(name) == len && memcmp(name, text, len) == 0)
			return true;
	}
	return false;
}

/* What a name says of its kind: other programs write such ends, too. */
static void go_folded(struct path *path, const char *text, size_t len)
{
	static const struct {
		const char *end;
		uint8_t kind;
	} rows[] = {{"_[k]", FLAME_KERNEL}, {"_[j]", FLAME_JIT}, {"_[i]", FLAME_INLINED}};
	uint8_t kind = path->depth ? FLAME_NATIVE : FLAME_PROCESS;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (ends_with(text, &len, rows[i].end)) {
			kind = rows[i].kind;
			break;
		}
	if (kind == FLAME_NATIVE && len > 1 && text[0] == '[' && text[len - 1] == ']')
		kind = is_reason(text + 1, len - 2) ? FLAME_WAIT : FLAME_UNKNOWN;
	go(path, text, len, kind);
}

/* The number behind the last space; sets the length to what is before it. Returns 0 or -EBADMSG. */
static int read_value(const char *line, size_t *len, uint64_t *value)
{
	const char *space = memrchr(line, ' ', *len);
	uint64_t read = 0;

	if (!space || space == line || space + 1 == line + *len)
		return -EBADMSG;
	for (const char *at = space + 1; at < line + *len; at++)
		if (*at < '0' || *at > '9' || __builtin_mul_overflow(read, 10, &read) ||
		    __builtin_add_overflow(read, (uint64_t)(*at - '0'), &read))
			return -EBADMSG;
	*value = read;
	*len = (size_t)(space - line);
	return 0;
}

static int add_line(struct flame *flame, enum flame_side side, const char *line, size_t len)
{
	struct path path = {.flame = flame};
	uint64_t value;

	if (read_value(line, &len, &value) != 0)
		return -EBADMSG;
	for (size_t at = 0; at < len;) {
		const char *end = memchr(line + at, ';', len - at);
		size_t bytes = end ? (size_t)(end - line) - at : len - at;

		if (bytes)
			go_folded(&path, line + at, bytes);
		at += bytes + 1;
	}
	add_value(&path, side, value);
	return path.error;
}

int flame_add_folded(struct flame *flame, enum flame_side side, const char *text, size_t len,
		     struct error *err)
{
	uint64_t number = 1;
	int r = 0;

	flame->has_before |= side == FLAME_BEFORE;
	if (memchr(text, '\0', len))
		return error_set(err, -EBADMSG, "it is no text: there is a NUL in it");
	for (size_t at = 0; at < len && r == 0; number++) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t bytes = end ? (size_t)(end - text) - at : len - at;

		if (bytes)
			r = add_line(flame, side, text + at, bytes);
		at += bytes + 1;
	}
	if (r == -EBADMSG)
		return error_set(err, r,
				 "line %" PRIu64
				 " is no folded stack: names with ';' between them, a space and a "
				 "number",
				 number - 1);
	return r ? error_set(err, r, "out of memory") : 0;
}

/* Completing. */

struct sibling {
	const struct flame *flame;
	uint32_t node;
};

static int compare_siblings(const void *a, const void *b)
{
	const struct sibling *one = a, *other = b;
	const struct flame_node *nodes = one->flame->nodes;
	int r = strcmp(flame_name(one->flame, one->node), flame_name(one->flame, other->node));

	return r ? r : (int)nodes[one->node].kind - (int)nodes[other->node].kind;
}

/* Puts the children of a node in order; `list` has room for all nodes. */
static void sort_children(struct flame *flame, uint32_t parent, struct sibling *list)
{
	uint32_t *link = &flame->nodes[parent].child;
	size_t count = 0;

	for (uint32_t node = *link; node; node = flame->nodes[node].next)
		list[count++] = (struct sibling){flame, node};
	if (count > 1)
		qsort(list, count, sizeof(*list), compare_siblings);
	for (size_t i = 0; i < count; i++) {
		*link = list[i].node;
		link = &flame->nodes[list[i].node].next;
	}
	*link = 0;
}

static void add_total(struct flame *flame, uint32_t from, uint32_t to)
{
	for (int side = 0; side < FLAME_SIDES; side++) {
		uint64_t *total = &flame->nodes[to].total[side];

		if (__builtin_add_overflow(*total, flame->nodes[from].total[side], total))
			*total = UINT64_MAX;
	}
}

int flame_complete(struct flame *flame)
{
	struct sibling *list = malloc(flame->nodes_count * sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < flame->nodes_count; i++) {
		memcpy(flame->nodes[i].total, flame->nodes[i].self, sizeof(flame->nodes[i].self));
		sort_children(flame, (uint32_t)i, list);
	}
	/* A node is made after its parent. */
	for (size_t i = flame->nodes_count; i-- > 1;)
		add_total(flame, (uint32_t)i, flame->nodes[i].parent);
	free(list);
	return 0;
}

uint32_t flame_next(const struct flame *flame, uint32_t node, uint32_t *depth)
{
	const struct flame_node *nodes = flame->nodes;

	if (nodes[node].child) {
		++*depth;
		return nodes[node].child;
	}
	while (node && !nodes[node].next) {
		node = nodes[node].parent;
		--*depth;
	}
	return node ? nodes[node].next : 0;
}

const char *flame_name(const struct flame *flame, uint32_t node)
{
	return node ? texts_at(&flame->names, flame->nodes[node].text) : "all";
}

void flame_append_value(const struct flame *flame, uint64_t value, struct buf *out)
{
	if (flame->unit == FLAME_SAMPLES) {
		buf_append_u64(out, value);
		buf_append_string(out, value == 1 ? " sample" : " samples");
	} else if (value >= 1000000000) {
		buf_printf(out, "%.2f s", (double)value / 1e9);
	} else {
		buf_printf(out, "%.3f ms", (double)value / 1e6);
	}
}

void flame_append_share(uint64_t value, uint64_t all, struct buf *out)
{
	buf_printf(out, "%.2f %%", all ? 100.0 * (double)value / (double)all : 0.0);
}
