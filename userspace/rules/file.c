/* SPDX-License-Identifier: MIT */
/* Reading rules files, and finding characters and lines in them. */
#include "rules/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/buf.h"
#include "util/utf8.h"

/* So that a character is found in a few steps, and not from the beginning. */
enum { STEP_CHARACTERS = 256 };

static const char byte_order_mark[] = "\xef\xbb\xbf";

static bool continues_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static int index_characters(struct rules_file *file)
{
	size_t characters = 0;

	file->steps = malloc((file->len / STEP_CHARACTERS + 1) * sizeof(*file->steps));
	if (!file->steps)
		return -ENOMEM;
	file->steps[0] = 0;
	file->nsteps = 1;
	for (size_t i = 0; i < file->len; i++) {
		if (continues_character(file->data[i]))
			continue;
		if (characters && characters % STEP_CHARACTERS == 0)
			file->steps[file->nsteps++] = (uint32_t)i;
		characters++;
	}
	return 0;
}

/* Takes the text over; it ends with a NUL that is not counted. */
static int take(struct rules_file *file, const char *path, char *data, size_t len,
		struct error *err)
{
	size_t mark = sizeof(byte_order_mark) - 1;

	*file = (struct rules_file){.path = strdup(path), .data = data, .len = len};
	if (len >= mark && memcmp(data, byte_order_mark, mark) == 0) {
		memmove(data, data + mark, len - mark + 1);
		file->len -= mark;
	}
	if (!file->path || index_characters(file))
		return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

static int read_all(FILE *stream, struct buf *text)
{
	do {
		if (!buf_reserve(text, BUFSIZ))
			return -ENOMEM;
		text->len += fread(text->data + text->len, 1, text->capacity - text->len, stream);
		if (text->len > RULES_FILE_BYTES_MAX)
			return -EFBIG;
	} while (!feof(stream) && !ferror(stream));
	if (ferror(stream))
		return errno ? -errno : -EIO;
	buf_append_char(text, '\0');
	return text->failed ? -ENOMEM : 0;
}

int rules_file_read(const char *path, struct rules_file *file, struct error *err)
{
	struct buf text = {0};
	struct stat status;
	FILE *stream;
	int code;

	*file = (struct rules_file){0};
	stream = fopen(path, "re");
	if (!stream)
		return error_set(err, -errno, "%s", strerror(errno));
	/* A pipe that nobody writes to would keep the agent from starting. */
	code = fstat(fileno(stream), &status) ? -errno : S_ISDIR(status.st_mode) ? -EISDIR : 0;
	if (code == 0)
		code = read_all(stream, &text);
	fclose(stream);
	if (code == 0)
		return take(file, path, text.data, text.len - 1, err);
	buf_finish(&text);
	if (code == -EFBIG)
		return error_set(err, code, "larger than %d MiB", RULES_FILE_BYTES_MAX >> 20);
	return error_set(err, code, "%s", strerror(-code));
}

int rules_file_copy(const char *path, const char *text, size_t len, struct rules_file *file,
		    struct error *err)
{
	char *data;

	*file = (struct rules_file){0};
	if (len > RULES_FILE_BYTES_MAX)
		return error_set(err, -EFBIG, "larger than %d MiB", RULES_FILE_BYTES_MAX >> 20);
	data = malloc(len + 1);
	if (!data)
		return error_set(err, -ENOMEM, "out of memory");
	memcpy(data, text, len);
	data[len] = '\0';
	return take(file, path, data, len, err);
}

void rules_file_finish(struct rules_file *file)
{
	free(file->path);
	free(file->data);
	free(file->steps);
	*file = (struct rules_file){0};
}

size_t rules_file_valid_len(const struct rules_file *file)
{
	uint32_t code_point;
	size_t at = 0, n;

	while (at < file->len && (n = utf8_decode(file->data + at, file->len - at, &code_point)))
		at += n;
	return at;
}

size_t rules_file_offset(const struct rules_file *file, size_t character)
{
	size_t step = character / STEP_CHARACTERS, left, at;

	if (step >= file->nsteps)
		return file->len;
	at = file->steps[step];
	for (left = character % STEP_CHARACTERS; left && at < file->len; left--) {
		at++;
		while (at < file->len && continues_character(file->data[at]))
			at++;
	}
	return at;
}

void rules_file_position(const struct rules_file *file, size_t offset, unsigned int *line,
			 unsigned int *column)
{
	*line = *column = 1;
	for (size_t i = 0; i < offset && i < file->len; i++) {
		char c = file->data[i];

		if (c == '\n' || (c == '\r' && file->data[i + 1] != '\n')) {
			++*line;
			*column = 1;
		} else if (c != '\r' && !continues_character(file->data[i + 1])) {
			++*column;
		}
	}
}
