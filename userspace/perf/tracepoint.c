/* SPDX-License-Identifier: MIT */
/*
 * Lines of a format are declarations in C: "\tfield:unsigned char
 * comm[16];\toffset:8;\tsize:16;\tsigned:0;". Values are checked against the data: what a program
 * writes into it is its own choice.
 */
#include "perf/tracepoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DECLARATION_BYTES = 256, NUMBERS_SHOWN_MAX = 64 };

#define DYNAMIC "__data_loc "
#define RELATIVE "__rel_loc "

/* The number behind a word of a line; UINT32_MAX: there is none. */
static uint32_t number_behind(const char *line, const char *end, const char *word)
{
	const char *found = strstr(line, word);

	return found && found < end ? (uint32_t)strtoul(found + strlen(word), NULL, 10)
				    : UINT32_MAX;
}

static bool begins(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0;
}

/* Whether elements of that type are characters. */
static bool is_character(const char *declaration)
{
	return strstr(declaration, "char") && !strstr(declaration, "*");
}

/* Bytes of an element of an array, by its type; 0: not known. */
static uint8_t element_bytes(const char *declaration)
{
	static const struct {
		const char *word;
		uint8_t bytes;
	} words[] = {
		{"64", 8},    {"32", 4},	{"16", 2},
		{"8", 1},     {"char", 1},	{"bool", 1},
		{"short", 2}, {"long long", 8}, {"long", sizeof(long)},
		{"int", 4},   {"unsigned", 4},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(declaration, words[i].word))
			return words[i].bytes;
	return 0;
}

static bool is_number_size(uint32_t bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/*
 * Divides a declaration into its type, which is left of it, and its name. Returns the name, or
 * NULL; *is_array: whether brackets stand behind it, or behind the type of one that is dynamic.
 */
static char *split_declaration(char *declaration, bool *is_array)
{
	char *bracket = strchr(declaration, '['), *name;
	size_t len;

	*is_array = bracket;
	if (bracket && bracket[strcspn(bracket, " ")] == ' ')
		bracket = NULL; /* of the type */
	if (bracket)
		*bracket = '\0';
	len = strlen(declaration);
	while (len && declaration[len - 1] == ' ')
		declaration[--len] = '\0';
	name = strrchr(declaration, ' ');
	if (!name)
		return NULL;
	*name++ = '\0';
	return name;
}

static void set_kind(struct perf_tracepoint_field *field, const char *type, bool is_array)
{
	field->element = is_array ? element_bytes(type) : (uint8_t)field->bytes;
	if (is_array)
		field->kind = is_character(type) ? PERF_FIELD_TEXT : PERF_FIELD_NUMBERS;
	else
		field->kind = strchr(type, '*') ? PERF_FIELD_ADDRESS : PERF_FIELD_NUMBER;
}

/* Returns 1, 0: the line declares nothing that can be shown; or -ENOMEM. */
static int parse_line(const char *line, const char *end, struct arena *arena,
		      struct perf_tracepoint_field *field)
{
	const char *begin = strstr(line, "field:"), *semicolon;
	char declaration[DECLARATION_BYTES], *type = declaration, *name;
	bool is_array;

	if (!begin || begin >= end)
		return 0;
	begin += strlen("field:");
	semicolon = memchr(begin, ';', (size_t)(end - begin));
	if (!semicolon || (size_t)(semicolon - begin) >= sizeof(declaration))
		return 0;
	memcpy(declaration, begin, (size_t)(semicolon - begin));
	declaration[semicolon - begin] = '\0';
	*field = (struct perf_tracepoint_field){
		.offset = number_behind(semicolon, end, "offset:"),
		.bytes = number_behind(semicolon, end, "size:"),
		.is_signed = number_behind(semicolon, end, "signed:") == 1,
		.is_dynamic = begins(type, DYNAMIC) || begins(type, RELATIVE),
		.is_relative = begins(type, RELATIVE),
	};
	if (field->is_dynamic)
		type += strcspn(type, " ") + 1;
	name = split_declaration(type, &is_array);
	if (!name || !name[0] || begins(name, "common_"))
		return 0;
	set_kind(field, type, is_array || field->is_dynamic);
	if (field->offset > UINT16_MAX || field->bytes > UINT16_MAX ||
	    (!is_array && !field->is_dynamic && !is_number_size(field->bytes)) ||
	    !is_number_size(field->element))
		return 0;
	field->name = arena_text(arena, name, strlen(name));
	return field->name ? 1 : -ENOMEM;
}

int perf_tracepoint_parse(const char *text, struct arena *arena, struct perf_tracepoint *tracepoint)
{
	struct perf_tracepoint_field *fields =
		arena_alloc(arena, PERF_TRACEPOINT_FIELDS_MAX * sizeof(*fields));
	const char *line = strstr(text, "format:");
	size_t count = 0;
	int r = 0;

	if (!fields)
		return -ENOMEM;
	if (!line)
		return -EBADMSG;
	while (r >= 0 && *line && count < PERF_TRACEPOINT_FIELDS_MAX) {
		const char *end = line + strcspn(line, "\n");

		if (begins(line, "print fmt"))
			break;
		r = parse_line(line, end, arena, &fields[count]);
		count += r == 1;
		line = end + (*end == '\n');
	}
	if (r < 0)
		return r;
	*tracepoint = (struct perf_tracepoint){fields, count};
	return 0;
}

/* One read of tracefs gives a page or so at most. */
static int read_format(int fd, char text[PERF_TRACEPOINT_FORMAT_BYTES_MAX])
{
	size_t len = 0;
	ssize_t n;

	do {
		n = read(fd, text + len, PERF_TRACEPOINT_FORMAT_BYTES_MAX - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	text[len] = '\0';
	return n < 0 ? -errno : 0;
}

int perf_tracepoint_read(const struct perf_machine *machine, const char *name, struct arena *arena,
			 struct perf_tracepoint *tracepoint)
{
	const char *colon = strchr(name, ':');
	size_t len = colon ? strcspn(colon + 1, ":") : 0;
	char path[512], *text;
	int fd, r;

	if (machine->tracefs < 0 || !colon)
		return machine->tracefs < 0 ? machine->tracefs : -EINVAL;
	if (snprintf(path, sizeof(path), "events/%.*s/%.*s/format", (int)(colon - name), name,
		     (int)len, colon + 1) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = openat(machine->tracefs, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	text = malloc(PERF_TRACEPOINT_FORMAT_BYTES_MAX);
	r = text ? read_format(fd, text) : -ENOMEM;
	if (r == 0)
		r = perf_tracepoint_parse(text, arena, tracepoint);
	free(text);
	close(fd);
	return r;
}

/* Where a value is. Returns false: not in the data. */
static bool locate(const struct perf_tracepoint_field *field, const uint8_t *raw, size_t raw_bytes,
		   const uint8_t **value, size_t *bytes)
{
	size_t offset = field->offset, len = field->bytes;
	uint32_t place;

	if (offset > raw_bytes || len > raw_bytes - offset)
		return false;
	if (field->is_dynamic) {
		if (len != sizeof(place))
			return false;
		memcpy(&place, raw + offset, sizeof(place));
		offset = (place & UINT16_MAX) +
			 (field->is_relative ? field->offset + sizeof(place) : 0);
		len = place >> 16;
		if (offset > raw_bytes || len > raw_bytes - offset)
			return false;
	}
	*value = raw + offset;
	*bytes = len;
	return true;
}

static void append_number(const struct perf_tracepoint_field *field, const uint8_t *bytes,
			  struct buf *out)
{
	uint64_t number = 0;
	unsigned int unused = 64 - 8 * field->element;

	memcpy(&number, bytes,
	       field->element); /* little-endian, as the machines that this runs on */
	if (field->kind == PERF_FIELD_ADDRESS)
		BUF_LITERAL(out, "0x");
	if (field->kind == PERF_FIELD_ADDRESS)
		buf_append_hex_lower(out, number);
	else if (field->is_signed)
		buf_append_i64(out, (int64_t)(number << unused) >> unused);
	else
		buf_append_u64(out, number);
}

bool perf_tracepoint_append(const struct perf_tracepoint_field *field, const uint8_t *raw,
			    size_t raw_bytes, struct buf *out)
{
	const uint8_t *value;
	size_t bytes;

	if (!locate(field, raw, raw_bytes, &value, &bytes))
		return false;
	switch (field->kind) {
	case PERF_FIELD_TEXT:
		buf_append(out, (const char *)value, strnlen((const char *)value, bytes));
		return true;
	case PERF_FIELD_NUMBERS:
		for (size_t i = 0; i < bytes / field->element && i < NUMBERS_SHOWN_MAX; i++) {
			if (i)
				buf_append_char(out, ',');
			append_number(field, value + i * field->element, out);
		}
		return true;
	default:
		if (bytes < field->element)
			return false;
		append_number(field, value, out);
		return true;
	}
}
