/* SPDX-License-Identifier: MIT */
/*
 * Maps a byte of a scalar's value to the file. White space may be folded, trimmed or indented, but
 * all other ("solid") bytes of the value have the same order in the file: the n-th of one is the
 * n-th of the other.
 */
#include <stdlib.h>
#include <string.h>

#include "yaml/tree.h"

static bool is_white(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Solid bytes of the value that a code point is encoded in. */
static size_t solid_bytes_of(unsigned long code_point)
{
	if (code_point < 0x80)
		return !is_white((char)code_point);
	return code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
}

/* The digits of an escape that gives a character by its number. */
static size_t digits_of(char escape)
{
	switch (escape) {
	case 'x':
		return 2;
	case 'u':
		return 4;
	case 'U':
		return 8;
	default:
		return 0;
	}
}

/* An escape in double quotes: returns its length in the file; sets its solid bytes. */
static size_t measure_escape(const char *raw, size_t len, size_t *solid)
{
	char digits[9] = "";
	size_t n;

	*solid = 1;
	if (len < 2)
		return len;
	n = digits_of(raw[1]);
	if (n && len >= n + 2) {
		memcpy(digits, raw + 2, n);
		*solid = solid_bytes_of(strtoul(digits, NULL, 16));
		return n + 2;
	}
	if (is_white(raw[1]) || strchr("tnr", raw[1]))
		*solid = 0;
	else if (strchr("N_", raw[1]))
		*solid = 2; /* U+0085, U+00A0 */
	else if (strchr("LP", raw[1]))
		*solid = 3; /* U+2028, U+2029 */
	return 2;
}

/* The next unit of the file: returns its length; sets its solid bytes. */
static size_t measure(const struct yaml_node *node, const char *raw, size_t len, size_t *solid)
{
	if (node->style == YAML_DOUBLE_QUOTED && raw[0] == '\\')
		return measure_escape(raw, len, solid);
	*solid = !is_white(raw[0]);
	return node->style == YAML_SINGLE_QUOTED && len > 1 && raw[0] == '\'' && raw[1] == '\'' ? 2
												: 1;
}

/* The start of the value itself: after an anchor, a tag, a quote, the first line of a block. */
static size_t content_start(const struct yaml_node *node)
{
	const char *data = node->file->data;
	size_t at = node->start;

	while (at < node->end && (data[at] == '&' || data[at] == '!')) {
		while (at < node->end && !is_white(data[at]))
			at++;
		while (at < node->end && is_white(data[at]))
			at++;
	}
	if (node->style == YAML_SINGLE_QUOTED || node->style == YAML_DOUBLE_QUOTED)
		return at + 1;
	while (node->style == YAML_BLOCK && at < node->end && data[at] != '\n' && data[at] != '\r')
		at++;
	return at;
}

size_t yaml_tree_offset(const struct yaml_node *node, size_t at)
{
	bool quoted = node->style == YAML_SINGLE_QUOTED || node->style == YAML_DOUBLE_QUOTED;
	size_t wanted = 0, seen = 0, solid, n, behind;
	size_t i, end = node->end - (quoted && node->end > node->start);

	if (node->kind != YAML_SCALAR)
		return node->start;
	for (i = 0; i < at && i < node->len; i++)
		wanted += !is_white(node->text[i]);
	behind = i = content_start(node);
	for (; i < end; i += n) {
		n = measure(node, node->file->data + i, end - i, &solid);
		/* White space is located by the solid byte before it. */
		if (seen == wanted && at && is_white(node->text[at]))
			return behind;
		if (seen + solid > wanted)
			return i;
		seen += solid;
		if (solid)
			behind = i + n;
	}
	return behind;
}
