/* SPDX-License-Identifier: MIT */
/*
 * The index of a list: random expressions in a group answer what each answers alone, where there is
 * no index; and an expression is skipped only if nothing can be missed.
 */
#include <stdio.h>
#include <string.h>

#include "fake_fields.h"
#include "sinsp/filter/tree.h"
#include "sinsp/filter/filter.h"
#include "sinsp/filter/index.h"
#include "unit.h"
#include "util/buf.h"

enum { GROUPS = UNIT_ROUNDS(40), ITEMS = 70, EVENTS = 30, TEXT_MAX = 48 };

static const struct state_event event;

struct world {
	struct arena arena;
	struct filter_group_item items[ITEMS];
	struct filter *singles[ITEMS];
	struct filter *group;
	uint64_t seed;
	unsigned int matched, skipped;
};

static unsigned int pick(struct world *world, unsigned int n)
{
	world->seed = world->seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(world->seed >> 33) % n;
}

/* Of few letters, so that texts have parts of others; sometimes longer than any part of a key. */
static void put_text(struct world *world, struct buf *out)
{
	unsigned int len = pick(world, 8) ? 1 + pick(world, 9) : 30 + pick(world, 6);

	for (unsigned int i = 0; i < len; i++)
		buf_append_char(out, "aab"[pick(world, 3)]);
}

static void put_constant(struct world *world, char kind, struct buf *out)
{
	if (kind == 't')
		put_text(world, out);
	else if (kind == 'i')
		buf_printf(out, pick(world, 2) ? "10.0.0.%u" : "fe80::%u", pick(world, 30));
	else if (kind == 'w')
		buf_printf(out, "10.0.0.%u/30", pick(world, 30));
	else if (kind == 'b')
		buf_append_string(out, pick(world, 2) ? "true" : "false");
	else
		buf_printf(out, "%u", pick(world, 30));
}

static void put_check(struct world *world, struct buf *out)
{
	static const struct {
		const char *left;
		char kind; /* of constants */
	} sides[] = {
		{"text.a", 't'},	  {"text.a", 't'},  {"text.b", 't'}, {"path.a", 't'},
		{"bytes.a", 't'},	  {"num.u64", 'n'}, {"num.i8", 'n'}, {"num.double", 'n'},
		{"ends.ip", 'i'},	  {"net.a", 'w'},   {"bool.a", 'b'}, {"kin.text", 't'},
		{"list.num", 'n'},	  {"near.ns", 'n'}, {"ip.a", 'i'},   {"past.num", 'n'},
		{"tolower(text.b)", 't'},
	};
	static const char *const of_text[] = {"startswith", "endswith", "contains", "startswith"};
	unsigned int side = pick(world, sizeof(sides) / sizeof(sides[0]));
	unsigned int shape = pick(world, 8), n;
	char kind = sides[side].kind;

	buf_printf(out, "%s ", sides[side].left);
	if (sides[side].left[0] == 'l' || (shape < 2 && sides[side].left[2] != 'a')) {
		buf_append_string(out, "in (");
		for (n = pick(world, 12); n > 0; n--) {
			put_constant(world, kind, out);
			buf_append_string(out, ", ");
		}
		put_constant(world, kind, out);
		buf_append_char(out, ')');
		return;
	}
	if (kind == 't' && shape < 6)
		buf_printf(out, "%s ", of_text[pick(world, 4)]);
	else
		buf_append_string(out, shape == 7 && sides[side].left[2] != 'a' ? "!= " : "= ");
	put_constant(world, kind, out);
}

static void put_expression(struct world *world, unsigned int depth, struct buf *out)
{
	const char *join = pick(world, 3) ? " and " : " or ";

	if (pick(world, 6) == 0)
		buf_append_string(out, "not ");
	if (depth == 0 || pick(world, 4) == 0) {
		put_check(world, out);
		return;
	}
	buf_append_char(out, '(');
	for (unsigned int n = 1 + pick(world, 3); n > 0; n--) {
		put_expression(world, depth - 1, out);
		buf_append_string(out, join);
	}
	put_expression(world, depth - 1, out);
	buf_append_char(out, ')');
}

static void world_make(struct world *world)
{
	struct filter_error err;
	struct buf text = {0};
	size_t failed;

	for (size_t i = 0; i < ITEMS; i++) {
		struct filter_node *root;

		buf_clear(&text);
		put_expression(world, 2, &text);
		buf_append_char(&text, '\0');
		assert_false(text.failed);
		world->items[i].text = arena_text(&world->arena, text.data, text.len);
		if (filter_parse(world->items[i].text, &world->arena, &root, &err) ||
		    filter_create(world->items[i].text, NULL, &world->singles[i], &err))
			fail_msg("'%s': %s", text.data, err.text);
		world->items[i].root = root;
	}
	assert_int_equal(
		filter_group_create(world->items, ITEMS, NULL, &world->group, &failed, &err), 0);
	buf_finish(&text);
}

static void world_finish(struct world *world)
{
	for (size_t i = 0; i < ITEMS; i++)
		filter_destroy(world->singles[i]);
	filter_destroy(world->group);
	arena_finish(&world->arena);
	world->arena = (struct arena){0};
}

/* As put_text(); a value of a field refers to its bytes, so they remain until the world ends. */
static const char *make_text(struct world *world)
{
	struct buf text = {0};
	const char *kept;

	put_text(world, &text);
	kept = arena_text(&world->arena, text.data, text.len);
	buf_finish(&text);
	return kept;
}

/* Each value is there most of the time. */
static void set_values(struct world *world)
{
	static const char *const texts[] = {"text.a", "text.b", "path.a", "kin.text"};
	static const char *const numbers[] = {"num.u64", "list.num", "list.num", "near.ns",
					      "past.num"};
	static const char *const addresses[] = {"ends.ip", "ends.ip", "ip.a", "net.a"};
	struct buf text = {0};
	const char *bytes;

	fake_clear();
	for (size_t i = 0; i < 4; i++) {
		bytes = make_text(world);
		if (pick(world, 8))
			fake_add_text(texts[i], bytes);
		buf_clear(&text);
		put_constant(world, 'i', &text);
		buf_append_char(&text, '\0');
		if (pick(world, 8))
			fake_add_ip(addresses[i], text.data);
	}
	bytes = make_text(world);
	fake_add_bytes("bytes.a", bytes, strlen(bytes));
	for (size_t i = 0; i < 5; i++)
		if (pick(world, 8))
			fake_add_u64(numbers[i], pick(world, 30));
	fake_add_i64("num.i8", pick(world, 30));
	fake_add_f64("num.double", pick(world, 30));
	fake_add_u64("bool.a", pick(world, 2));
	buf_finish(&text);
}

static size_t count_candidates(const struct filter *filter)
{
	size_t count = 0;

	for (size_t i = 0; i < filter_index_words(ITEMS); i++)
		count += (size_t)__builtin_popcountll(filter->candidates[i]);
	return count;
}

static void check_event(struct world *world)
{
	size_t found = filter_group_next(world->group, &event, 0);

	world->skipped += ITEMS - count_candidates(world->group);
	for (size_t i = 0; i < ITEMS; i++) {
		bool expected = filter_match(world->singles[i], &event);

		if ((found == i) != expected)
			fail_msg("'%s' is not %d", world->items[i].text, expected);
		if (!expected)
			continue;
		world->matched++;
		found = filter_group_next(world->group, &event, i + 1);
	}
	assert_int_equal(found, FILTER_NONE);
}

static void test_random(void **state)
{
	static struct world world;

	for (unsigned int seed = 1; seed <= GROUPS; seed++) {
		world.seed = seed;
		world_make(&world);
		assert_int_equal(world.group->nlists, 1);
		assert_non_null(world.group->lists[0].index);
		for (int i = 0; i < EVENTS; i++) {
			set_values(&world);
			check_event(&world);
		}
		world_finish(&world);
	}
	assert_in_range(world.matched, GROUPS * EVENTS * ITEMS / 20, GROUPS * EVENTS * ITEMS / 2);
	assert_true(world.skipped > GROUPS * EVENTS * ITEMS / 10);
}

/* A group of `n` expressions like `pattern`, which has a %u for the number of each, and `last`. */
static struct filter *make_group(struct arena *arena, const char *pattern, unsigned int n,
				 const char *last)
{
	struct filter_group_item items[ITEMS];
	struct filter_error err;
	struct filter *filter;
	char text[TEXT_MAX];
	size_t failed;

	for (unsigned int i = 0; i <= n; i++) {
		struct filter_node *root;
		size_t len = (size_t)snprintf(text, sizeof(text), i < n ? pattern : last, i);

		items[i].text = arena_text(arena, text, len);
		assert_int_equal(filter_parse(items[i].text, arena, &root, &err), 0);
		items[i].root = root;
	}
	assert_int_equal(filter_group_create(items, n + 1, NULL, &filter, &failed, &err), 0);
	return filter;
}

/* One value decides about all that ask for it. */
static void test_one_look_up(void **state)
{
	struct arena arena = {0};
	struct filter *filter =
		make_group(&arena, "num.u64 < 9 and text.a = name-%u", 20, "text.b exists");

	fake_clear();
	fake_add_text("text.a", "name-7");
	fake_add_u64("num.u64", 9);
	assert_int_equal(filter_group_next(filter, &event, 0), FILTER_NONE);
	assert_int_equal(fake_reads(), 3);
	fake_clear();
	fake_add_text("text.a", "name");
	assert_int_equal(filter_group_next(filter, &event, 0), FILTER_NONE);
	assert_int_equal(fake_reads(), 2);
	filter_destroy(filter);
	arena_finish(&arena);
}

/* A field that counts its events is asked for each, as without an index. */
static void test_past(void **state)
{
	struct arena arena = {0};
	struct filter *filter =
		make_group(&arena, "text.a = name-%u", 20, "past.num > 5 and text.a = name-%u");

	assert_non_null(filter->lists[0].index);
	fake_clear();
	fake_add_text("text.a", "none");
	fake_add_u64("past.num", 1);
	assert_int_equal(filter_group_next(filter, &event, 0), FILTER_NONE);
	assert_int_equal(fake_reads(), 2);
	filter_destroy(filter);
	arena_finish(&arena);
}

/* Few expressions, and those that have all in common, are not worth an index. */
static void test_none(void **state)
{
	struct arena arena = {0};
	struct filter *few = make_group(&arena, "text.a = name-%u", 3, "text.b = x");
	struct filter *same = make_group(&arena, "text.a = x and num.u64 > %u", 20, "text.a = x");

	assert_null(few->lists[0].index);
	assert_null(same->lists[0].index);
	filter_destroy(few);
	filter_destroy(same);
	arena_finish(&arena);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_random),
	cmocka_unit_test(test_one_look_up),
	cmocka_unit_test(test_past),
	cmocka_unit_test(test_none),
};

UNIT_GROUP(tests);
