/* SPDX-License-Identifier: MIT */
/*
 * Filters: any text is rejected with a position inside it, or is a filter. A filter and its
 * canonical text match the same events, `not` inverts the match, and no event passes that
 * filter_event_types() excludes. An input of odd length means --exact-types.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "sinsp/filter/tree.h"
#include "sinsp/filter/filter.h"

static const char too_deep[] = "nested too deeply";

/* The same filter in other spellings; NULL if it would exceed the limit of parentheses. */
struct variants {
	struct filter *written, *printed, *negated;
	bool ids[EVENT_ID_MAX];
	bool generic[SYSCALL_CODES_COUNT];
};

static struct filter *create(const char *text, const struct filter_options *options,
			     struct filter_error *err)
{
	struct filter *filter = NULL;
	int r;

	*err = (struct filter_error){0};
	r = filter_create(text, options, &filter, err);
	REQUIRE(r == 0 || r == -EINVAL, "%d", r);
	if (r)
		fuzz_check_error(text, err);
	return filter;
}

/* A filter derived from a valid one: only the limit of parentheses can reject it. */
static struct filter *create_variant(const char *text, const struct filter_options *options)
{
	struct filter_error err;
	struct filter *filter = create(text, options, &err);

	REQUIRE(filter || strstr(err.text, too_deep), "'%s': %s", text, err.text);
	return filter;
}

/* Appends the canonical text; returns false if the text is no filter. */
static bool print(const char *text, struct buf *out)
{
	struct arena arena = {0};
	struct filter_node *root;
	struct filter_error err = {0};
	bool parsed = filter_parse(text, &arena, &root, &err) == 0;

	if (parsed)
		filter_print(root, out);
	else
		REQUIRE(out->len == 0 || strstr(err.text, too_deep), "'%s': %s", text, err.text);
	arena_finish(&arena);
	return parsed;
}

/* The canonical text, whose canonical text is itself. NULL if the text is no filter. */
static char *canonical(const char *text)
{
	struct buf first = {0}, second = {0};
	bool parsed = print(text, &first);

	buf_append_char(&first, '\0');
	if (parsed && print(first.data, &second)) {
		buf_append_char(&second, '\0');
		REQUIRE(strcmp(first.data, second.data) == 0, "'%s' and then '%s'", first.data,
			second.data);
	}
	buf_finish(&second);
	if (!parsed)
		buf_finish(&first);
	return first.data;
}

static void check_event(const struct state_event *event, void *context)
{
	struct variants *variants = context;
	unsigned int id = event->ev.desc->id;
	bool matches = filter_match(variants->written, event);

	REQUIRE(!matches || variants->ids[id], "%s passes", event->ev.desc->name);
	if (matches && id == EVENT_syscall)
		REQUIRE(variants->generic[SC_unknown], "the unknown call passes");
	if (variants->printed)
		REQUIRE(filter_match(variants->printed, event) == matches, "%s: as written %d",
			event->ev.desc->name, matches);
	if (variants->negated)
		REQUIRE(filter_match(variants->negated, event) != matches, "%s: as written %d",
			event->ev.desc->name, matches);
}

static void check_filter(const char *text, const char *printed,
			 const struct filter_options *options, struct filter *filter)
{
	static struct variants variants;
	struct buf negated = {0};

	buf_printf(&negated, "not (%s)", text);
	buf_append_char(&negated, '\0');
	variants.written = filter;
	variants.printed = create_variant(printed, options);
	variants.negated = create_variant(negated.data, options);
	memset(variants.ids, 0, sizeof(variants.ids));
	memset(variants.generic, 0, sizeof(variants.generic));
	filter_event_types(filter, variants.ids, variants.generic);
	fuzz_show_events(check_event, &variants);
	filter_destroy(variants.printed);
	filter_destroy(variants.negated);
	buf_finish(&negated);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct filter_options options = {.exact_types = size % 2};
	char *text = fuzz_text(data, size), *printed = canonical(text);
	struct filter_error err;
	struct filter *filter = create(text, &options, &err);

	REQUIRE(printed || !filter, "'%s' is no filter, and is one", text);
	if (filter)
		check_filter(text, printed, &options, filter);
	filter_destroy(filter);
	free(printed);
	free(text);
	return 0;
}
