/* SPDX-License-Identifier: MIT */
/* Collects symbols, sorts them, and keeps the best of those with the same place. */
#include "scap/symbols/symbol_table.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scap/symbols/symbol_collect.h"
#include "util/buf.h"
#include "util/radix.h"

/* Behind the last symbol without a size, or where nobody has one, is no function. */
enum { SIZELESS_BYTES = 1 << 16 };

enum { ENTRIES_MIN = 256, LINE_BYTES = 512, NAME_BYTES_MAX = 4095, KERNEL_CHUNK_BYTES = 1 << 16 };

void symbol_table_finish(struct symbol_table *table)
{
	free(table->entries);
	free(table->texts);
	*table = (struct symbol_table){0};
}

size_t symbol_table_bytes(const struct symbol_table *table)
{
	return table->count * sizeof(*table->entries) + table->texts_bytes;
}

/* Names without the underscores that variants of a function begin with. */
static uint32_t rank_of_name(const char *name)
{
	size_t underscores = strspn(name, "_");

	return underscores < 3 ? 3 - (uint32_t)underscores : 0;
}

void symbol_collect(struct symbol_collected *all, uint64_t begin, uint64_t bytes, const char *name,
		    uint32_t rank)
{
	size_t len = strnlen(name, NAME_BYTES_MAX);

	if (!len || all->count == SYMBOLS_MAX || all->error)
		return;
	/* Many symbols can have the same long name. */
	if (all->texts.len + all->count * sizeof(struct symbol_entry) > SYMBOL_TABLE_BYTES_MAX) {
		all->error = -EFBIG;
		return;
	}
	if (all->count == all->capacity) {
		size_t more = all->capacity ? 2 * all->capacity : ENTRIES_MIN;
		void *grown = reallocarray(all->list, more, sizeof(*all->list));

		if (!grown) {
			all->error = -ENOMEM;
			return;
		}
		all->list = grown;
		all->capacity = more;
	}
	all->list[all->count].entry = (struct symbol_entry){
		.begin = begin,
		.bytes = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes,
		.name = (uint32_t)all->texts.len,
	};
	all->list[all->count++].rank = 4 * rank + rank_of_name(name);
	buf_append(&all->texts, name, len);
	buf_append_char(&all->texts, '\0');
	if (all->texts.failed)
		all->error = -ENOMEM;
}

/* By place, the one that is shown last. */
static int compare_collected(const void *a, const void *b)
{
	const struct symbol_candidate *one = a, *other = b;

	if (one->entry.begin != other->entry.begin)
		return one->entry.begin < other->entry.begin ? -1 : 1;
	if (one->rank != other->rank)
		return one->rank < other->rank ? -1 : 1;
	return one->entry.name < other->entry.name ? 1 : -1;
}

/* Most have a place of their own: only those that share one need to be compared. */
static void sort_collected(struct symbol_collected *all)
{
	size_t end;

	if (!radix_sort(all->list, all->count, sizeof(*all->list),
			offsetof(struct symbol_candidate, entry.begin))) {
		qsort(all->list, all->count, sizeof(*all->list), compare_collected);
		return;
	}
	for (size_t i = 0; i < all->count; i = end) {
		for (end = i + 1; end < all->count; end++)
			if (all->list[end].entry.begin != all->list[i].entry.begin)
				break;
		if (end - i > 1)
			qsort(all->list + i, end - i, sizeof(*all->list), compare_collected);
	}
}

void symbol_collected_finish(struct symbol_collected *all)
{
	free(all->list);
	buf_finish(&all->texts);
	all->list = NULL;
}

int symbol_collected_complete(struct symbol_collected *all, struct symbol_table *table)
{
	size_t count = 0;

	*table = (struct symbol_table){0};
	if (!all->error && all->count) {
		sort_collected(all);
		table->entries = calloc(all->count, sizeof(*table->entries));
	}
	if (table->entries) {
		for (size_t i = 0; i < all->count; i++)
			if (i + 1 == all->count ||
			    all->list[i].entry.begin != all->list[i + 1].entry.begin)
				table->entries[count++] = all->list[i].entry;
		table->count = count;
		table->texts = all->texts.data;
		table->texts_bytes = all->texts.len;
		all->texts = (struct buf){0};
	}
	symbol_collected_finish(all);
	if (table->entries)
		return 0;
	if (all->error)
		return all->error;
	return all->count ? -ENOMEM : -ENOENT;
}

const char *symbol_table_find(const struct symbol_table *table, uint64_t place)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->entries[middle].begin <= place)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	low--;
	if (place - table->entries[low].begin >=
	    (table->entries[low].bytes ? table->entries[low].bytes : SIZELESS_BYTES))
		return NULL;
	return table->texts + table->entries[low].name;
}

/* The kernel. */

/* "ffffffff81000000 T _text", for modules with "\t[name]" behind it. */
struct kernel_lines {
	struct symbol_collected all;
	bool are_shown; /* their addresses */
	uint64_t own_begin, own_last;
};

static void collect_line(char *line, struct kernel_lines *lines)
{
	char *end, *name;
	uint64_t address = strtoull(line, &end, 16);
	char type = end[0] == ' ' ? end[1] : '\0';

	if (!type || end[2] != ' ' || !strchr("tTwW", type))
		return;
	lines->are_shown |= address != 0;
	name = end + 3;
	if (!strchr(name, '\t') && address) {
		lines->own_begin = !lines->own_begin || address < lines->own_begin
					   ? address
					   : lines->own_begin;
		lines->own_last = address > lines->own_last ? address : lines->own_last;
	}
	name[strcspn(name, "\t\n ")] = '\0';
	symbol_collect(&lines->all, address, 0, name, type == 'T' ? 3 : type == 't' ? 1 : 2);
}

int symbol_table_read_kernel(int fd, struct symbol_table *table)
{
	struct kernel_lines lines = {0};
	char line[LINE_BYTES];
	FILE *file;
	int copy = dup(fd), r;

	file = copy < 0 ? NULL : fdopen(copy, "r");
	if (!file) {
		if (copy >= 0)
			close(copy);
		return -errno;
	}
	/* The kernel suggests 1 KiB. */
	setvbuf(file, NULL, _IOFBF, KERNEL_CHUNK_BYTES);
	while (fgets(line, sizeof(line), file))
		collect_line(line, &lines);
	fclose(file);
	if (lines.are_shown) {
		r = symbol_collected_complete(&lines.all, table);
		table->own_begin = lines.own_begin;
		table->own_last = lines.own_last;
		return r;
	}
	symbol_collected_finish(&lines.all);
	return lines.all.count ? -EPERM : -ENOENT;
}

bool symbol_table_has_own(const struct symbol_table *table, uint64_t address)
{
	return address >= table->own_begin && address <= table->own_last;
}
