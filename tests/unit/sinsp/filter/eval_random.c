/* SPDX-License-Identifier: MIT */
/*
 * Random expressions over the values of every real field of a kind, with macros in macros: a filter
 * of many answers what its checks, each a filter alone, answer when they are put together here.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "drive.h"
#include "sinsp/filter/tree.h"
#include "sinsp/filter/filter.h"
#include "unit.h"

enum { GROUPS = UNIT_ROUNDS(150), ITEMS = 24, MACROS = 12, CHILDREN_MAX = 4, DEPTH_MAX = 4 };

static const char *const leaves[] = {
	"evt.type = open",
	"evt.type = openat",
	"evt.type in (read, close, bdflush, execve)",
	"evt.type != close",
	"evt.type in (clone, procexit, chdir)",
	"syscall.type = bdflush",
	"evt.type startswith open",
	"evt.type.is.read = 1",
	"evt.dir = <",
	"evt.dir = >",
	"evt.arg.name contains passwd",
	"evt.arg.fd exists",
	"evt.rawarg.dirfd < 0",
	"evt.rawres < 0",
	"evt.failed = true",
	"evt.num > 9",
	"proc.name = cat",
	"proc.name in (cat, sh, bash)",
	"proc.name startswith c",
	"proc.name != sh",
	"proc.aname = sh",
	"proc.aname[1] = sh",
	"proc.cmdline contains ' b'",
	"proc.args = 'a b'",
	"proc.pname exists",
	"fd.name = /etc/passwd",
	"fd.name startswith /etc",
	"fd.name endswith log",
	"fd.num in (3, 4)",
	"fd.directory = /etc",
	"tolower(proc.name) = cat",
	"toupper(fd.name) contains ETC",
	"basename(fd.name) = passwd",
	"thread.tid = val(proc.pid)",
	"evt.is_open_read = true",
	"fs.path.name glob '/etc/*'",
};

enum { LEAVES = sizeof(leaves) / sizeof(leaves[0]) };

struct world {
	struct arena arena;
	struct filter_node *nodes[LEAVES];
	struct filter *filters[LEAVES]; /* each leaf alone */
	bool truth[LEAVES]; /* for the event of the moment */
	struct filter_node *macros[MACROS];
	struct filter_group_item items[ITEMS];
	uint64_t seed;
};

static unsigned int pick(struct world *world, unsigned int n)
{
	world->seed = world->seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(world->seed >> 33) % n;
}

static struct filter_node *make(struct world *world, enum filter_node_kind kind)
{
	struct filter_node *node = arena_alloc(&world->arena, sizeof(*node));

	assert_non_null(node);
	node->kind = kind;
	return node;
}

/* Below a macro only those before it. */
static struct filter_node *grow(struct world *world, unsigned int depth, unsigned int macros)
{
	unsigned int choice = pick(world, depth < DEPTH_MAX ? 10 : 4);
	struct filter_node *node;

	if (choice == 0 && macros) {
		node = make(world, FILTER_NODE_SHARED);
		node->first = world->macros[pick(world, macros)];
		node->text = "";
		node->name = (struct filter_text){"@", 1}; /* which no leaf has in it */
		return node;
	}
	if (choice < 4) {
		node = make(world, FILTER_NODE_CHECK);
		*node = *world->nodes[pick(world, LEAVES)];
		return node;
	}
	if (choice == 4) {
		node = make(world, FILTER_NODE_NOT);
		node->first = grow(world, depth + 1, macros);
		return node;
	}
	node = make(world, choice < 8 ? FILTER_NODE_AND : FILTER_NODE_OR);
	for (unsigned int n = 2 + pick(world, CHILDREN_MAX - 1); n > 0; n--) {
		struct filter_node *child = grow(world, depth + 1, macros);

		child->next = node->first;
		node->first = child;
	}
	return node;
}

static bool leaf_truth(const struct world *world, const struct filter_node *node)
{
	for (int i = 0; i < LEAVES; i++)
		if (world->nodes[i]->left == node->left)
			return world->truth[i];
	fail();
	return false;
}

static bool truth_of(const struct world *world, const struct filter_node *node)
{
	bool is_or = node->kind == FILTER_NODE_OR;

	switch (node->kind) {
	case FILTER_NODE_CHECK:
		return leaf_truth(world, node);
	case FILTER_NODE_NOT:
		return !truth_of(world, node->first);
	case FILTER_NODE_SHARED:
		return truth_of(world, node->first);
	default:
		for (const struct filter_node *child = node->first; child; child = child->next)
			if (truth_of(world, child) == is_or)
				return is_or;
		return !is_or;
	}
}

/* What a test looks at while events come. */
struct run {
	struct world *world;
	unsigned int seed;
	struct filter *group;
	struct filter *singles[ITEMS];
	bool ids[ITEMS][EVENT_ID_MAX], generic[ITEMS][SYSCALL_CODES_COUNT];
	unsigned int matched, rejected;
};

/* Nothing passes that was excluded in advance. */
static void check_type(const struct run *run, size_t item, const struct state_event *event)
{
	if (event->ev.desc->id == EVENT_syscall)
		assert_true(run->generic[item][event_syscall_code(&event->ev)]);
	else
		assert_true(run->ids[item][event->ev.desc->id]);
}

static void check_event(struct run *run, const struct state_event *event)
{
	struct world *world = run->world;
	size_t found = filter_group_next(run->group, event, 0);

	for (int i = 0; i < LEAVES; i++)
		world->truth[i] = filter_match(world->filters[i], event);
	for (size_t i = 0; i < ITEMS; i++) {
		bool expected = truth_of(world, world->items[i].root);

		if ((found == i) != expected)
			fail_msg("item %zu of seed %u is not %d for %s", i, run->seed, expected,
				 event->ev.desc->name);
		if (run->singles[i])
			assert_int_equal(filter_match(run->singles[i], event), expected);
		if (expected) {
			check_type(run, i, event);
			found = filter_group_next(run->group, event, i + 1);
			run->matched++;
		} else {
			run->rejected++;
		}
	}
	assert_int_equal(found, FILTER_NONE);
}

static const struct state_event *generic(struct drive *drive, int64_t tid, uint16_t code)
{
	frame_put_i64(drive_begin(drive, EVENT_syscall, tid), syscall__ID, code);
	return drive_end(drive);
}

static void play(struct run *run)
{
	struct drive drive;

	drive_create(&drive, NULL);
	check_event(run, drive_exec(&drive, 10, "sh"));
	drive_fork(&drive, 10, 20);
	check_event(run, &drive.event);
	check_event(run, drive_exec(&drive, 20, "cat"));
	check_event(run, drive_open(&drive, 20, 3, "/etc/passwd", 1));
	check_event(run, drive_open(&drive, 20, -2, "/etc/passwd", 1));
	check_event(run, drive_openat(&drive, 20, 4, -100, "/var/x.log"));
	check_event(run, drive_openat(&drive, 10, 3, -100, "/etc/passwd"));
	check_event(run, drive_read(&drive, 20, 5, 3));
	check_event(run, drive_read(&drive, 20, -1, 4));
	check_event(run, drive_read(&drive, 10, 5, 3));
	check_event(run, generic(&drive, 20, SC_bdflush));
	check_event(run, generic(&drive, 999, SC_unknown));
	check_event(run, drive_chdir(&drive, 20, 0, "/etc"));
	check_event(run, drive_openat(&drive, 20, 5, -100, "hosts"));
	check_event(run, drive_close(&drive, 20, 0, 3));
	check_event(run, drive_close(&drive, 20, -9, 77));
	check_event(run, drive_exit(&drive, 20, 10));
	drive_destroy(&drive);
}

/* One without macros reads back from its text; the others make a group of one. */
static struct filter *make_single(struct world *world, size_t item)
{
	struct filter *filter = NULL;
	struct filter_error err;
	struct buf text = {0};
	size_t failed;

	filter_print(world->items[item].root, &text);
	buf_append_char(&text, '\0');
	if (text.len > 1 && memmem(text.data, text.len, "@", 1))
		assert_int_equal(
			filter_group_create(&world->items[item], 1, NULL, &filter, &failed, &err),
			0);
	else
		assert_int_equal(filter_create(text.data, NULL, &filter, &err), 0);
	buf_finish(&text);
	return filter;
}

static void world_create(struct world *world)
{
	struct filter_error err;

	for (int i = 0; i < LEAVES; i++) {
		if (filter_parse(leaves[i], &world->arena, &world->nodes[i], &err) ||
		    filter_create(leaves[i], NULL, &world->filters[i], &err))
			fail_msg("'%s': %s", leaves[i], err.text);
	}
}

static void world_destroy(struct world *world)
{
	for (int i = 0; i < LEAVES; i++)
		filter_destroy(world->filters[i]);
	arena_finish(&world->arena);
}

static void grow_items(struct world *world, unsigned int seed)
{
	world->seed = seed;
	for (unsigned int i = 0; i < MACROS; i++)
		world->macros[i] = grow(world, 1, i);
	for (size_t i = 0; i < ITEMS; i++)
		world->items[i] = (struct filter_group_item){grow(world, 0, MACROS), ""};
}

static void test_random(void **state)
{
	static struct run run;
	static struct world world;
	struct filter_error err;
	size_t failed;

	world_create(&world);
	run.world = &world;
	for (unsigned int seed = 1; seed <= GROUPS; seed++) {
		run.seed = seed;
		grow_items(&world, seed);
		if (filter_group_create(world.items, ITEMS, NULL, &run.group, &failed, &err))
			fail_msg("group %u, item %zu: %s", seed, failed, err.text);
		for (size_t i = 0; i < ITEMS; i++) {
			run.singles[i] = i % 4 ? NULL : make_single(&world, i);
			filter_group_event_types(run.group, i, run.ids[i], run.generic[i]);
		}
		play(&run);
		for (size_t i = 0; i < ITEMS; i++)
			filter_destroy(run.singles[i]);
		filter_destroy(run.group);
	}
	/* They are neither all true nor all false. */
	assert_true(run.matched > run.rejected / 10 && run.rejected > run.matched / 10);
	world_destroy(&world);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_random),
};

UNIT_GROUP(tests);
