/* SPDX-License-Identifier: MIT */
/*
 * Adds up by name. A function that calls itself is counted once: only the outermost of its frames
 * has a total.
 */
#include "profile/formats/top.h"

#include <errno.h>
#include <stdlib.h>

#include "util/terminal.h"

struct top_row {
	uint64_t self[FLAME_SIDES], total;
	double change; /* of the share by itself: -1 to 1 */
	uint32_t node; /* one with this name */
	uint32_t open; /* frames of it on the way to the node that is looked at */
};

static int compare_rows(const void *a, const void *b)
{
	const struct top_row *one = a, *other = b;

	const double changes = (one->change < 0 ? -one->change : one->change) -
			       (other->change < 0 ? -other->change : other->change);

	if (changes != 0)
		return changes > 0 ? -1 : 1;
	if (one->self[FLAME_NOW] != other->self[FLAME_NOW])
		return one->self[FLAME_NOW] > other->self[FLAME_NOW] ? -1 : 1;
	if (one->total != other->total)
		return one->total > other->total ? -1 : 1;
	return one->node < other->node ? -1 : one->node > other->node;
}

enum { ROWS_OF_NAME = 2 }; /* in the kernel, and outside of it */

static size_t rows_count(const struct flame *flame)
{
	return flame->names.count * ROWS_OF_NAME;
}

/* Processes and marks are no functions, though functions may have their names. */
static bool is_function(const struct flame *flame, uint32_t node)
{
	uint8_t kind = flame->nodes[node].kind;

	return node && kind != FLAME_PROCESS && kind != FLAME_MARK && kind != FLAME_WAIT;
}

/* The row of a function; names are the same ones in the kernel and outside of it. */
static struct top_row *row_of(const struct flame *flame, struct top_row *rows, uint32_t node)
{
	const struct flame_node *it = &flame->nodes[node];

	return &rows[(size_t)it->text * ROWS_OF_NAME + (it->kind == FLAME_KERNEL)];
}

static void add_node(const struct flame *flame, struct top_row *rows, uint32_t i)
{
	struct top_row *row = row_of(flame, rows, i);

	if (!is_function(flame, i))
		return;
	row->node = i;
	if (!row->open++)
		row->total += flame->nodes[i].total[FLAME_NOW];
	for (int side = 0; side < FLAME_SIDES; side++)
		row->self[side] += flame->nodes[i].self[side];
}

static void leave_node(const struct flame *flame, struct top_row *rows, uint32_t i)
{
	if (is_function(flame, i))
		row_of(flame, rows, i)->open--;
}

/* What a thread waited is the time of the function that waited. */
static void add_wait(const struct flame *flame, struct top_row *rows, uint32_t i)
{
	uint32_t parent = flame->nodes[i].parent;

	if (!is_function(flame, parent))
		return;
	for (int side = 0; side < FLAME_SIDES; side++)
		row_of(flame, rows, parent)->self[side] += flame->nodes[i].total[side];
}

static void add_up(const struct flame *flame, struct top_row *rows)
{
	uint32_t path[FLAME_DEPTH_MAX + 1], depth = 0, before = 0, waits = UINT32_MAX;

	for (uint32_t i = flame_next(flame, 0, &depth); i; i = flame_next(flame, i, &depth)) {
		if (depth > waits)
			continue;
		waits = UINT32_MAX;
		for (; before >= depth; before--)
			leave_node(flame, rows, path[before]);
		if (flame->nodes[i].kind == FLAME_WAIT) {
			waits = depth;
			add_wait(flame, rows, i);
			continue;
		}
		before = depth;
		path[depth] = i;
		add_node(flame, rows, i);
	}
}

static void append_number(const struct flame *flame, uint64_t value, uint64_t all, struct buf *out)
{
	if (flame->unit == FLAME_NS)
		buf_printf(out, "%12.3f ", (double)value / 1e6);
	else
		buf_printf(out, "%12llu ", (unsigned long long)value);
	buf_printf(out, "%6.2f %%  ", all ? 100.0 * (double)value / (double)all : 0.0);
}

static void append_name(const struct flame *flame, uint32_t node, struct buf *out)
{
	size_t start = out->len;

	buf_append_string(out, flame_name(flame, node));
	if (!out->failed)
		terminal_mask(out->data + start, out->len - start);
	if (flame->nodes[node].kind == FLAME_KERNEL)
		buf_append_string(out, "_[k]");
	buf_append_char(out, '\n');
}

static void compare_sides(const struct flame *flame, struct top_row *rows)
{
	const uint64_t *all = flame->nodes[0].total;

	for (size_t i = 0; i < rows_count(flame); i++) {
		double now = all[FLAME_NOW]
				     ? (double)rows[i].self[FLAME_NOW] / (double)all[FLAME_NOW]
				     : 0;
		double before = all[FLAME_BEFORE] ? (double)rows[i].self[FLAME_BEFORE] /
							    (double)all[FLAME_BEFORE]
						  : 0;

		rows[i].change = now - before;
	}
}

static void append_row(const struct flame *flame, const struct top_row *row, struct buf *out)
{
	const uint64_t all = flame->nodes[0].total[FLAME_NOW];

	append_number(flame, row->self[FLAME_NOW], all, out);
	append_number(flame, row->total, all, out);
	if (flame->has_before)
		buf_printf(out, "%+7.2f %%  ", 100 * row->change);
	append_name(flame, row->node, out);
}

int top_write(const struct flame *flame, size_t rows, unsigned int width, struct buf *out)
{
	struct top_row *all = calloc(rows_count(flame) + 1, sizeof(*all));

	if (!all)
		return -ENOMEM;
	add_up(flame, all);
	if (flame->has_before)
		compare_sides(flame, all);
	qsort(all, rows_count(flame), sizeof(*all), compare_rows);
	buf_printf(out, "%12s %8s  %12s %8s  %s%s\n", flame->unit == FLAME_NS ? "SELF ms" : "SELF",
		   "", flame->unit == FLAME_NS ? "TOTAL ms" : "TOTAL", "",
		   flame->has_before ? "   CHANGE  " : "", "FUNCTION");
	for (size_t i = 0; i < rows_count(flame) && rows && !out->failed; i++) {
		size_t start = out->len;

		if (!all[i].node)
			continue;
		append_row(flame, &all[i], out);
		if (width && !out->failed)
			terminal_cut(out, start, width);
		rows--;
	}
	free(all);
	return out->failed ? -ENOMEM : 0;
}
