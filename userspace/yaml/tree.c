/* SPDX-License-Identifier: MIT */
/*
 * Builds nodes from libyaml's events, with an explicit stack; maps a byte of a scalar's value to
 * the file.
 */
#include "yaml/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "util/count.h"

/*
 * Maps a byte of a scalar's value to the file. White space may be folded, trimmed or indented, but
 * all other ("solid") bytes of the value have the same order in the file: the n-th of one is the
 * n-th of the other.
 */

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
static size_t tree_measure(const struct yaml_node *node, const char *raw, size_t len, size_t *solid)
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
		n = tree_measure(node, node->file->data + i, end - i, &solid);
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

/* Builds nodes from libyaml's events. Open collections are on an explicit stack: no recursion. */

/* An open collection. */
struct yaml_level {
	struct yaml_node *node;
	struct yaml_link **end;
	struct yaml_node *key; /* MAPPING: it waits for its value */
	size_t nodes_before;
};

struct yaml_anchor {
	struct yaml_anchor *next;
	const char *name;
	struct yaml_node *node; /* its size is 0 while open */
};

struct yaml_reader {
	const struct yaml_file *file;
	struct arena *arena;
	struct yaml_report *report;
	yaml_parser_t parser;
	struct yaml_link **roots_end;
	struct yaml_level levels[YAML_DEPTH_MAX];
	unsigned int depth;
	struct yaml_anchor *anchors; /* the newest first */
	unsigned int anchors_count;
	size_t nodes; /* including the targets of aliases */
};

static size_t offset_of(const struct yaml_reader *reader, const yaml_mark_t *mark)
{
	return yaml_file_offset(reader->file, mark->index);
}

static int tree_reject(struct yaml_reader *reader, size_t offset, const char *what)
{
	yaml_report_add(reader->report, YAML_ERROR, reader->file, offset, "%s", what);
	return -EINVAL;
}

static int reject_event(struct yaml_reader *reader, const yaml_event_t *event, const char *what)
{
	return tree_reject(reader, offset_of(reader, &event->start_mark), what);
}

/* Reports an error of libyaml with its position. */
static int reject_syntax(struct yaml_reader *reader)
{
	const yaml_parser_t *parser = &reader->parser;
	const struct yaml_file *file = reader->file;
	size_t offset = offset_of(reader, &parser->problem_mark);

	switch (parser->error) {
	case YAML_MEMORY_ERROR:
		return -ENOMEM;
	case YAML_READER_ERROR:
		yaml_report_add(reader->report, YAML_ERROR, file, parser->problem_offset,
				"a character that cannot stand in YAML: U+%04X",
				(unsigned int)parser->problem_value);
		return -EINVAL;
	default:
		break;
	}
	if (strcmp(parser->problem, "found character that cannot start any token") == 0 &&
	    file->data[offset] == '\t')
		return tree_reject(reader, offset, "not YAML: indented with a tab; use blanks");
	if (parser->context)
		yaml_report_add(reader->report, YAML_ERROR, file, offset,
				"not YAML: %s %s (which began in line %zu)", parser->problem,
				parser->context, parser->context_mark.line + 1);
	else
		yaml_report_add(reader->report, YAML_ERROR, file, offset, "not YAML: %s",
				parser->problem);
	return -EINVAL;
}

static int tree_add_link(struct yaml_reader *reader, struct yaml_link ***end, struct yaml_node *key,
			 struct yaml_node *value)
{
	struct yaml_link *link = arena_alloc(reader->arena, sizeof(*link));

	if (!link)
		return -ENOMEM;
	link->key = key;
	link->value = value;
	**end = link;
	*end = &link->next;
	return 0;
}

/* Adds a node at the current place in the tree. */
static int place(struct yaml_reader *reader, struct yaml_node *node)
{
	struct yaml_level *level;
	struct yaml_node *key;

	if (reader->depth == 0)
		return tree_add_link(reader, &reader->roots_end, NULL, node);
	level = &reader->levels[reader->depth - 1];
	if (level->node->kind == YAML_MAPPING && !level->key) {
		if (node->kind != YAML_SCALAR)
			return tree_reject(reader, node->start, "a key must be a word");
		level->key = node;
		return 0;
	}
	key = level->key;
	level->key = NULL;
	return tree_add_link(reader, &level->end, key, node);
}

static int count_nodes(struct yaml_reader *reader, const yaml_event_t *event, size_t n)
{
	if (n > YAML_NODES_MAX - reader->nodes)
		return reject_event(reader, event,
				    "too many values up to here (with what aliases "
				    "stand for): the limit is 1048576");
	reader->nodes += n;
	return 0;
}

static int add_anchor(struct yaml_reader *reader, const yaml_event_t *event,
		      const yaml_char_t *name, struct yaml_node *node)
{
	struct yaml_anchor *anchor;

	if (!name)
		return 0;
	if (reader->anchors_count++ == YAML_ANCHORS_MAX)
		return reject_event(reader, event, "too many anchors: the limit is 1000");
	anchor = arena_alloc(reader->arena, sizeof(*anchor));
	if (!anchor)
		return -ENOMEM;
	anchor->name = arena_text(reader->arena, (const char *)name, strlen((const char *)name));
	anchor->node = node;
	anchor->next = reader->anchors;
	reader->anchors = anchor;
	return anchor->name ? 0 : -ENOMEM;
}

static int tree_make_node(struct yaml_reader *reader, const yaml_event_t *event,
			  enum yaml_kind kind, const yaml_char_t *anchor, struct yaml_node **made)
{
	struct yaml_node *node = arena_alloc(reader->arena, sizeof(*node));
	int r;

	if (!node)
		return -ENOMEM;
	node->kind = kind;
	node->text = "";
	node->file = reader->file;
	node->start = (uint32_t)offset_of(reader, &event->start_mark);
	node->end = (uint32_t)offset_of(reader, &event->end_mark);
	*made = node;
	r = count_nodes(reader, event, 1);
	if (r == 0)
		r = add_anchor(reader, event, anchor, node);
	return r ? r : place(reader, node);
}

static int tree_read_scalar(struct yaml_reader *reader, const yaml_event_t *event)
{
	static const enum yaml_style styles[] = {
		[YAML_PLAIN_SCALAR_STYLE] = YAML_PLAIN,
		[YAML_SINGLE_QUOTED_SCALAR_STYLE] = YAML_SINGLE_QUOTED,
		[YAML_DOUBLE_QUOTED_SCALAR_STYLE] = YAML_DOUBLE_QUOTED,
		[YAML_LITERAL_SCALAR_STYLE] = YAML_BLOCK,
		[YAML_FOLDED_SCALAR_STYLE] = YAML_BLOCK,
	};
	const char *value = (const char *)event->data.scalar.value;
	struct yaml_node *node;
	int r;

	if (memchr(value, '\0', event->data.scalar.length))
		return reject_event(reader, event, "a NUL byte cannot stand here");
	r = tree_make_node(reader, event, YAML_SCALAR, event->data.scalar.anchor, &node);
	if (r)
		return r;
	node->size = 1;
	node->style = styles[event->data.scalar.style];
	node->len = event->data.scalar.length;
	node->text = arena_text(reader->arena, value, node->len);
	return node->text ? 0 : -ENOMEM;
}

static int open_collection(struct yaml_reader *reader, const yaml_event_t *event,
			   enum yaml_kind kind, const yaml_char_t *anchor)
{
	size_t before = reader->nodes;
	struct yaml_node *node;
	int r;

	if (reader->depth == YAML_DEPTH_MAX)
		return reject_event(reader, event, "nested too deeply");
	r = tree_make_node(reader, event, kind, anchor, &node);
	if (r)
		return r;
	reader->levels[reader->depth++] =
		(struct yaml_level){.node = node, .end = &node->first, .nodes_before = before};
	return 0;
}

static void close_collection(struct yaml_reader *reader, const yaml_event_t *event)
{
	struct yaml_level *level = &reader->levels[--reader->depth];

	level->node->end = (uint32_t)offset_of(reader, &event->end_mark);
	level->node->size = reader->nodes - level->nodes_before;
}

static int read_alias(struct yaml_reader *reader, const yaml_event_t *event)
{
	const char *name = (const char *)event->data.alias.anchor;
	struct yaml_anchor *anchor = reader->anchors;
	int r;

	while (anchor && strcmp(anchor->name, name) != 0)
		anchor = anchor->next;
	if (!anchor)
		return reject_event(reader, event, "an alias without an anchor before it");
	if (anchor->node->size == 0)
		return reject_event(reader, event, "an alias to what it stands in");
	r = count_nodes(reader, event, anchor->node->size);
	return r ? r : place(reader, anchor->node);
}

static int read_event(struct yaml_reader *reader, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		reader->anchors = NULL; /* they belong to one document */
		return 0;
	case YAML_SCALAR_EVENT:
		return tree_read_scalar(reader, event);
	case YAML_ALIAS_EVENT:
		return read_alias(reader, event);
	case YAML_SEQUENCE_START_EVENT:
		return open_collection(reader, event, YAML_SEQUENCE,
				       event->data.sequence_start.anchor);
	case YAML_MAPPING_START_EVENT:
		return open_collection(reader, event, YAML_MAPPING,
				       event->data.mapping_start.anchor);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		close_collection(reader, event);
		return 0;
	default:
		return 0;
	}
}

static int tree_read_stream(struct yaml_reader *reader)
{
	bool ended = false;
	int r = 0;

	while (!ended && r == 0) {
		yaml_event_t event;

		if (!yaml_parser_parse(&reader->parser, &event))
			return reject_syntax(reader);
		ended = event.type == YAML_STREAM_END_EVENT;
		r = read_event(reader, &event);
		yaml_event_delete(&event);
	}
	return r;
}

int yaml_tree_read(const struct yaml_file *file, struct arena *arena, struct yaml_report *report,
		   struct yaml_link **roots)
{
	struct yaml_reader reader = {
		.file = file, .arena = arena, .report = report, .roots_end = roots};
	size_t valid = yaml_file_valid_len(file);
	int r;

	*roots = NULL;
	if (valid < file->len)
		return tree_reject(&reader, valid, "not UTF-8");
	if (!yaml_parser_initialize(&reader.parser))
		return -ENOMEM;
	yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&reader.parser, (const unsigned char *)file->data, file->len);
	r = tree_read_stream(&reader);
	yaml_parser_delete(&reader.parser);
	return r;
}

bool yaml_is_null(const struct yaml_node *node)
{
	return node->kind == YAML_SCALAR && node->style == YAML_PLAIN &&
	       (node->len == 0 || strcmp(node->text, "~") == 0 ||
		strcasecmp(node->text, "null") == 0);
}

bool yaml_bool_read(const char *text, bool *value)
{
	static const struct {
		const char *word;
		bool value;
	} words[] = {
		{"true", true},	  {"yes", true}, {"on", true},	 {"y", true},
		{"false", false}, {"no", false}, {"off", false}, {"n", false},
	};

	for (size_t i = 0; i < COUNT(words); i++) {
		if (strcasecmp(text, words[i].word) == 0) {
			*value = words[i].value;
			return true;
		}
	}
	return false;
}
