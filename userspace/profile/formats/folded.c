/* SPDX-License-Identifier: MIT */
/* Walks through the tree with the names so far in a line, which is cut back where the tree is. */
#include "profile/formats/folded.h"

#include "util/terminal.h"

/* Names are the choice of other users: a semicolon would end a frame, a newline a stack. */
static void append_frame(const struct flame *flame, uint32_t node, struct buf *line)
{
	static const char *const ends[FLAME_KINDS] = {
		[FLAME_INLINED] = "_[i]", [FLAME_KERNEL] = "_[k]", [FLAME_JIT] = "_[j]"};
	size_t start = line->len;

	buf_append_string(line, flame_name(flame, node));
	if (line->failed)
		return;
	terminal_mask(line->data + start, line->len - start);
	for (size_t i = start; i < line->len; i++)
		if (line->data[i] == ';')
			line->data[i] = ':';
	if (ends[flame->nodes[node].kind])
		buf_append_string(line, ends[flame->nodes[node].kind]);
}

static void append_line(const struct flame *flame, const struct flame_node *node,
			const struct buf *line, struct buf *out)
{
	buf_append(out, line->data, line->len);
	if (flame->has_before) {
		buf_append_char(out, ' ');
		buf_append_u64(out, node->self[FLAME_BEFORE]);
	}
	buf_append_char(out, ' ');
	buf_append_u64(out, node->self[FLAME_NOW]);
	buf_append_char(out, '\n');
}

void folded_write(const struct flame *flame, struct buf *out)
{
	size_t ends[FLAME_DEPTH_MAX + 1] = {0}; /* of the line, by depth */
	struct buf line = {0};
	uint32_t depth = 0;

	for (uint32_t i = flame_next(flame, 0, &depth); i; i = flame_next(flame, i, &depth)) {
		const struct flame_node *node = &flame->nodes[i];

		line.len = ends[depth - 1];
		if (depth > 1)
			buf_append_char(&line, ';');
		append_frame(flame, i, &line);
		ends[depth] = line.len;
		if (node->self[FLAME_NOW] || node->self[FLAME_BEFORE])
			append_line(flame, node, &line, out);
	}
	if (line.failed)
		buf_fail(out);
	buf_finish(&line);
}
