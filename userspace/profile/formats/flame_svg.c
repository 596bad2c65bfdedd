/* SPDX-License-Identifier: MIT */
/*
 * Frames are drawn from the lower edge on, in the order of the tree. Each has where it begins and
 * its value as attributes, by which the script places it anew.
 */
#include "profile/formats/flame_svg.h"

#include <string.h>

#include "util/hash.h"
#include "util/utf8.h"

enum {
	MARGIN = 10,
	HEAD = 58, /* pixels above the frames, and below them */
	FOOT = 44,
	ROW = 17, /* the height of a frame, with the gap */
	FONT = 11,
	SHADES = 4,
	/* Values beyond lose bits in a browser. */
	EXACT_BITS = 53,
};

static const double char_width = 6.62;

/* Colours are light: names in them are dark. */
static const struct {
	const char *word, *colours[SHADES];
} kinds[FLAME_KINDS] = {
	[FLAME_PROCESS] = {"process", {"#d8dee4", "#d0d7de", "#cdd3da", "#d4dae0"}},
	[FLAME_NATIVE] = {"program", {"#f9d48f", "#f7c873", "#fbd9a0", "#f5bf66"}},
	[FLAME_INLINED] = {"inlined", {"#fbe9bf", "#f9e3ae", "#fdeecb", "#f7dda0"}},
	[FLAME_KERNEL] = {"kernel", {"#b6ccf5", "#a8c1f0", "#c3d5f8", "#9fb9ec"}},
	[FLAME_JIT] = {"JIT code", {"#b5e2b0", "#a5d99f", "#c2e8be", "#98d192"}},
	[FLAME_UNKNOWN] = {"no symbol", {"#e6ddd0", "#dfd5c6", "#ece4d9", "#d9cebd"}},
	[FLAME_MARK] = {"frames missing", {"#ffffff", "#ffffff", "#ffffff", "#ffffff"}},
	[FLAME_WAIT] = {"waits", {"#f3bfd0", "#f3bfd0", "#f3bfd0", "#f3bfd0"}},
};

struct picture {
	const struct flame *flame;
	struct buf *out;
	uint64_t total; /* of all that is shown */
	uint32_t levels;
	unsigned int shift; /* of values in attributes */
	uint64_t frames, narrow; /* that are drawn; that are not */
	bool has_kind[FLAME_KINDS];
};

/* Text. */

static const char *xml_entity(uint32_t c)
{
	static const struct {
		char c;
		const char *entity;
	} rows[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (c == (uint32_t)rows[i].c)
			return rows[i].entity;
	/* What XML does not have, or what would control how the text is shown. */
	return c < 0x20 || c == 0x7f || c == 0xfffe || c == 0xffff || utf8_is_control(c)
		       ? "\xef\xbf\xbd"
		       : NULL;
}

/* Appends a text up to a number of columns, 0: all of it. Returns whether something was left. */
static bool append_xml(struct buf *out, const char *text, size_t columns)
{
	size_t len = strlen(text), used = 0;

	for (size_t at = 0, bytes; at < len; at += bytes) {
		const char *entity;
		uint32_t c;

		bytes = utf8_decode(text + at, len - at, &c);
		entity = bytes ? xml_entity(c) : "\xef\xbf\xbd";
		used += entity ? 1 : utf8_width(c);
		if (columns && used > columns)
			return true;
		if (entity)
			buf_append_string(out, entity);
		else
			buf_append(out, text + at, bytes);
		bytes = bytes ? bytes : 1;
	}
	return false;
}

static size_t count_columns(const char *text)
{
	size_t len = strlen(text), used = 0;

	for (size_t at = 0, bytes; at < len; at += bytes ? bytes : 1) {
		uint32_t c;

		bytes = utf8_decode(text + at, len - at, &c);
		used += bytes && !xml_entity(c) ? utf8_width(c) : 1;
	}
	return used;
}

/* Frames. */

static double share_of(uint64_t value, uint64_t all)
{
	return all ? (double)value / (double)all : 0;
}

/* How much larger the share of a frame has become: -1 to 1. */
static double growth_of(const struct picture *picture, const struct flame_node *node)
{
	return share_of(node->total[FLAME_NOW], picture->flame->nodes[0].total[FLAME_NOW]) -
	       share_of(node->total[FLAME_BEFORE], picture->flame->nodes[0].total[FLAME_BEFORE]);
}

/* White is what has not changed. Small changes show, and large ones are not much redder. */
static void append_growth_colour(struct buf *out, double growth)
{
	enum { STRONGEST = 130 };
	const double size = growth < 0 ? -growth : growth;
	unsigned int light = 255 - (unsigned int)(size / (size + 0.03) * STRONGEST);

	if (growth >= 0)
		buf_printf(out, "#ff%02x%02x", light, light);
	else
		buf_printf(out, "#%02x%02xff", light, light);
}

static void append_colour(const struct picture *picture, uint32_t i)
{
	const struct flame_node *node = &picture->flame->nodes[i];
	const char *name = flame_name(picture->flame, i);

	if (picture->flame->has_before && i)
		append_growth_colour(picture->out, growth_of(picture, node));
	else
		buf_append_string(
			picture->out,
			kinds[node->kind].colours[hash_bytes(name, strlen(name)) % SHADES]);
}

/* "f (12 samples, 3.40 %)": the script finds the end of the name by the last " (". */
static void append_frame_title(const struct picture *picture, uint32_t i)
{
	const struct flame_node *node = &picture->flame->nodes[i];
	struct buf *out = picture->out;

	BUF_LITERAL(out, "<title>");
	append_xml(out, flame_name(picture->flame, i), 0);
	BUF_LITERAL(out, " (");
	flame_append_value(picture->flame, node->total[FLAME_NOW], out);
	BUF_LITERAL(out, ", ");
	flame_append_share(node->total[FLAME_NOW], picture->total, out);
	if (picture->flame->has_before)
		buf_printf(out, ", before: %.2f %%, change: %+.2f %%",
			   100 * share_of(node->total[FLAME_BEFORE],
					  picture->flame->nodes[0].total[FLAME_BEFORE]),
			   100 * growth_of(picture, node));
	BUF_LITERAL(out, ")</title>");
}

static void append_frame_label(const struct picture *picture, uint32_t i, double width)
{
	const char *name = flame_name(picture->flame, i);
	size_t room = width > 6 ? (size_t)((width - 6) / char_width) : 0;

	if (room < 3)
		return;
	if (count_columns(name) <= room)
		append_xml(picture->out, name, 0);
	else if (append_xml(picture->out, name, room - 2))
		BUF_LITERAL(picture->out, "..");
}

static void append_flame_frame(struct picture *picture, uint32_t i, uint32_t depth, uint64_t begin)
{
	const struct flame_node *node = &picture->flame->nodes[i];
	const double inner = FLAME_SVG_WIDTH - 2 * MARGIN;
	const double x = MARGIN + inner * share_of(begin, picture->total);
	const double width = inner * share_of(node->total[FLAME_NOW], picture->total);
	const uint32_t y = HEAD + (picture->levels - depth) * ROW;
	struct buf *out = picture->out;

	buf_printf(out, "<g class=\"f\" data-b=\"%llu\" data-v=\"%llu\" data-d=\"%u\">",
		   (unsigned long long)(begin >> picture->shift),
		   (unsigned long long)(node->total[FLAME_NOW] >> picture->shift), depth);
	append_frame_title(picture, i);
	buf_printf(out, "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"", x, y,
		   width > 0.6 ? width - 0.5 : 0.1, ROW - 1);
	append_colour(picture, i);
	buf_printf(out, "\"/><text x=\"%.2f\" y=\"%u\">", x + 3, y + 12);
	append_frame_label(picture, i, width);
	BUF_LITERAL(out, "</text></g>\n");
	picture->frames++;
	picture->has_kind[node->kind] = true;
}

/* Frames that are wide enough to be drawn; what a narrow one calls is narrower. */
static bool is_wide(const struct picture *picture, const struct flame_node *node)
{
	const double least = (double)picture->total / FLAME_SVG_PARTS;

	return node->total[FLAME_NOW] && (double)node->total[FLAME_NOW] >= least;
}

/* Walks through what is drawn: with each node its depth, and the sum of all that is left of it. */
typedef void picture_visit(struct picture *picture, uint32_t i, uint32_t depth, uint64_t begin);

static void walk_picture(struct picture *picture, picture_visit *visit)
{
	const struct flame_node *nodes = picture->flame->nodes;
	uint64_t begins[FLAME_DEPTH_MAX + 2] = {0}; /* by depth: where the next one begins */
	uint32_t depth = 0, skipped = UINT32_MAX;

	for (uint32_t i = 0;;) {
		if (depth <= skipped)
			skipped = UINT32_MAX;
		if (skipped == UINT32_MAX && is_wide(picture, &nodes[i]) &&
		    picture->frames < FLAME_SVG_FRAMES_MAX) {
			visit(picture, i, depth, begins[depth]);
		} else {
			picture->narrow += nodes[i].total[FLAME_NOW] != 0;
			if (skipped == UINT32_MAX)
				skipped = depth;
		}
		begins[depth + 1] = begins[depth];
		begins[depth] += nodes[i].total[FLAME_NOW];
		i = flame_next(picture->flame, i, &depth);
		if (!i)
			return;
	}
}

static void find_levels(struct picture *picture, uint32_t i, uint32_t depth, uint64_t begin)
{
	if (depth > picture->levels)
		picture->levels = depth;
}

/* What is around them. */

static void append_style(struct buf *out)
{
	buf_printf(
		out,
		"<style>\n"
		"text { font: %dpx ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; "
		"fill: #1f2328 }\n"
		".back { fill: #ffffff } .title { font-size: 15px; font-weight: bold }\n"
		".faint { fill: #57606a } #controls text { cursor: pointer }\n"
		".f { cursor: pointer } .f rect { rx: 2px; stroke: #8c959f; stroke-width: 0.3 }\n"
		".f text { pointer-events: none } .f.outer { opacity: 0.7 }\n"
		".f:hover rect { stroke: #000000; stroke-width: 1 }\n"
		".f.match rect { fill: #e08cf0 } .f.focus rect { stroke: #cf222e; stroke-width: 2 "
		"}\n"
		"#details, #matched { font-size: 12px }\n"
		"@media (prefers-color-scheme: dark) { .back { fill: #0d1117 }\n"
		".title, .legend, #details, #matched { fill: #e6edf3 }\n"
		".faint, #controls text { fill: #9aa4af } }\n"
		"</style>\n",
		FONT);
}

static void append_head(const struct picture *picture, const struct flame_svg_text *text)
{
	const uint32_t height = HEAD + (picture->levels + 1) * ROW + FOOT;
	const int right = FLAME_SVG_WIDTH - MARGIN;
	struct buf *out = picture->out;

	buf_printf(out,
		   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" width=\"%d\" "
		   "height=\"%u\" data-left=\"%d\" data-width=\"%d\">\n",
		   FLAME_SVG_WIDTH, height, FLAME_SVG_WIDTH, height, MARGIN,
		   FLAME_SVG_WIDTH - 2 * MARGIN);
	append_style(out);
	buf_printf(out,
		   "<rect class=\"back\" width=\"100%%\" height=\"100%%\"/>\n"
		   "<text class=\"title\" x=\"%d\" y=\"24\">",
		   MARGIN);
	append_xml(out, text->title, 100);
	buf_printf(out, "</text>\n<text class=\"faint\" x=\"%d\" y=\"43\">", MARGIN);
	flame_append_value(picture->flame, picture->total, out);
	if (text->facts[0])
		BUF_LITERAL(out, ", ");
	append_xml(out, text->facts, 140);
	buf_printf(
		out,
		"</text>\n<g id=\"controls\" style=\"display: none\">"
		"<text id=\"search\" class=\"faint\" x=\"%d\" y=\"24\" text-anchor=\"end\">search"
		"</text>"
		"<text id=\"reset\" class=\"faint\" x=\"%d\" y=\"43\" text-anchor=\"end\">reset "
		"zoom "
		"(Esc)</text></g>\n",
		right, right);
}

/* What the colours mean, of those that are there. */
static void append_legend(const struct picture *picture, uint32_t y)
{
	struct buf *out = picture->out;
	double x = FLAME_SVG_WIDTH - MARGIN;

	for (int kind = FLAME_KINDS; kind-- > 0 && !picture->flame->has_before;) {
		if (!picture->has_kind[kind])
			continue;
		x -= (double)strlen(kinds[kind].word) * char_width + 24;
		buf_printf(out,
			   "<rect x=\"%.1f\" y=\"%u\" width=\"10\" height=\"10\" fill=\"%s\" "
			   "stroke=\"#8c959f\" stroke-width=\"0.3\"/>"
			   "<text class=\"legend\" x=\"%.1f\" y=\"%u\">%s</text>\n",
			   x, y - 9, kinds[kind].colours[0], x + 14, y, kinds[kind].word);
	}
	if (picture->flame->has_before)
		buf_printf(out,
			   "<text class=\"legend\" x=\"%d\" y=\"%u\" text-anchor=\"end\">red: a "
			   "larger "
			   "share than before, blue: a smaller one</text>\n",
			   FLAME_SVG_WIDTH - MARGIN, y);
}

/* The share of the earlier profile that is in stacks which the later one does not have. */
static double share_gone(const struct flame *flame)
{
	uint64_t gone = 0;

	for (size_t i = 1; i < flame->nodes_count; i++)
		if (!flame->nodes[i].total[FLAME_NOW] &&
		    flame->nodes[flame->nodes[i].parent].total[FLAME_NOW])
			gone += flame->nodes[i].total[FLAME_BEFORE];
	return 100 * share_of(gone, flame->nodes[0].total[FLAME_BEFORE]);
}

static void append_foot(const struct picture *picture)
{
	const uint32_t y = HEAD + (picture->levels + 1) * ROW + 18;
	struct buf *out = picture->out;

	buf_printf(out, "<text id=\"details\" x=\"%d\" y=\"%u\"></text>\n", MARGIN, y);
	buf_printf(out, "<text id=\"matched\" x=\"%d\" y=\"%u\" text-anchor=\"end\"></text>\n",
		   FLAME_SVG_WIDTH - MARGIN, y);
	buf_printf(out, "<text class=\"faint\" x=\"%d\" y=\"%u\">", MARGIN, y + 18);
	if (picture->flame->has_before)
		buf_printf(out, "%.2f %% of the earlier profile is in stacks that are not here",
			   share_gone(picture->flame));
	else if (picture->narrow)
		buf_printf(out, "%llu frames are too narrow to be shown",
			   (unsigned long long)picture->narrow);
	BUF_LITERAL(out, "</text>\n");
	append_legend(picture, y + 18);
}

void flame_svg_write(const struct flame *flame, const struct flame_svg_text *text, struct buf *out)
{
	struct picture picture = {
		.flame = flame, .out = out, .total = flame->nodes[0].total[FLAME_NOW]};

	while (picture.total >> picture.shift >> EXACT_BITS)
		picture.shift++;
	walk_picture(&picture, find_levels);
	picture.narrow = 0;
	append_head(&picture, text);
	BUF_LITERAL(out, "<g id=\"frames\">\n");
	walk_picture(&picture, append_flame_frame);
	BUF_LITERAL(out, "</g>\n");
	append_foot(&picture);
	BUF_LITERAL(out, "<script><![CDATA[\n");
	buf_append_string(out, flame_script);
	BUF_LITERAL(out, "]]></script>\n</svg>\n");
}
