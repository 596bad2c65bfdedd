/* SPDX-License-Identifier: MIT */
/* Reads files, finds characters and lines in them; lists folders. */
#include "yaml/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/buf.h"
#include "util/clock.h"
#include "util/utf8.h"

/* Reads files, and finds characters and lines in them. */

enum { READ_BYTES = 1 << 16 };

/* Timeout for pipes: a start or a reload must not block for ever. */
static const uint64_t patience_ns = UINT64_C(5000000000);

/* A search for a character begins at the nearest multiple of this. */
enum { STEP_CHARACTERS = 256 };

static const char byte_order_mark[] = "\xef\xbb\xbf";

static bool file_continues_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static int index_characters(struct yaml_file *file)
{
	size_t characters = 0;

	file->steps = malloc((file->len / STEP_CHARACTERS + 1) * sizeof(*file->steps));
	if (!file->steps)
		return -ENOMEM;
	file->steps[0] = 0;
	file->nsteps = 1;
	for (size_t i = 0; i < file->len; i++) {
		if (file_continues_character(file->data[i]))
			continue;
		if (characters && characters % STEP_CHARACTERS == 0)
			file->steps[file->nsteps++] = (uint32_t)i;
		characters++;
	}
	return 0;
}

/* Takes ownership of `data`, which ends with a NUL that is not counted. */
static int file_take(struct yaml_file *file, const char *path, char *data, size_t len,
		     struct error *err)
{
	size_t mark = sizeof(byte_order_mark) - 1;

	*file = (struct yaml_file){.path = strdup(path), .data = data, .len = len};
	if (len >= mark && memcmp(data, byte_order_mark, mark) == 0) {
		memmove(data, data + mark, len - mark + 1);
		file->len -= mark;
	}
	if (!file->path || index_characters(file))
		return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

/* Waits for more data of a pipe. Returns 0 or -errno. */
static int file_wait_for_more(int fd, uint64_t until_ns)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now >= until_ns)
		return -ETIME;
	return poll(&poll_fd, 1, (int)((until_ns - now) / 1000000) + 1) < 0 ? -errno : 0;
}

static int file_read_all(int fd, struct buf *text)
{
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + patience_ns;
	ssize_t n = 1;
	int r = 0;

	while (n && r == 0) {
		if (!buf_reserve(text, READ_BYTES))
			return -ENOMEM;
		n = read(fd, text->data + text->len, READ_BYTES);
		if (n > 0)
			text->len += (size_t)n;
		else if (n < 0)
			r = errno == EAGAIN ? file_wait_for_more(fd, until_ns) : -errno;
		if (text->len > YAML_FILE_BYTES_MAX)
			return -EFBIG;
	}
	if (r)
		return r;
	buf_append_char(text, '\0');
	return text->failed ? -ENOMEM : 0;
}

int yaml_file_read(const char *path, struct yaml_file *file, struct error *err)
{
	struct buf text = {0};
	int fd, r;

	*file = (struct yaml_file){0};
	/* Without O_NONBLOCK, opening a pipe waits for a writer. */
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return error_set(err, -errno, "%s", strerror(errno));
	r = file_read_all(fd, &text);
	close(fd);
	if (r == 0)
		return file_take(file, path, text.data, text.len - 1, err);
	buf_finish(&text);
	if (r == -EFBIG)
		return error_set(err, r, "larger than %d MiB", YAML_FILE_BYTES_MAX >> 20);
	if (r == -ETIME)
		return error_set(err, r, "its end did not come within 5 seconds");
	return error_set(err, r, "%s", strerror(-r));
}

int yaml_file_copy(const char *path, const char *text, size_t len, struct yaml_file *file,
		   struct error *err)
{
	char *data;

	*file = (struct yaml_file){0};
	if (len > YAML_FILE_BYTES_MAX)
		return error_set(err, -EFBIG, "larger than %d MiB", YAML_FILE_BYTES_MAX >> 20);
	data = malloc(len + 1);
	if (!data)
		return error_set(err, -ENOMEM, "out of memory");
	memcpy(data, text, len);
	data[len] = '\0';
	return file_take(file, path, data, len, err);
}

void yaml_file_finish(struct yaml_file *file)
{
	free(file->path);
	free(file->data);
	free(file->steps);
	*file = (struct yaml_file){0};
}

size_t yaml_file_valid_len(const struct yaml_file *file)
{
	uint32_t code_point;
	size_t at = 0, n;

	while (at < file->len && (n = utf8_decode(file->data + at, file->len - at, &code_point)))
		at += n;
	return at;
}

size_t yaml_file_offset(const struct yaml_file *file, size_t character)
{
	size_t step = character / STEP_CHARACTERS, left, at;

	if (step >= file->nsteps)
		return file->len;
	at = file->steps[step];
	for (left = character % STEP_CHARACTERS; left && at < file->len; left--) {
		at++;
		while (at < file->len && file_continues_character(file->data[at]))
			at++;
	}
	return at;
}

void yaml_file_position(const struct yaml_file *file, size_t offset, unsigned int *line,
			unsigned int *column)
{
	*line = *column = 1;
	for (size_t i = 0; i < offset && i < file->len; i++) {
		char c = file->data[i];

		if (c == '\n' || (c == '\r' && file->data[i + 1] != '\n')) {
			++*line;
			*column = 1;
		} else if (c != '\r' && !file_continues_character(file->data[i + 1])) {
			++*column;
		}
	}
}

/* Lists folders. */

static int is_yaml(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && dot &&
	       (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* Joins the paths of all entries, as far as there is memory. Returns 0 or -ENOMEM. */
static int join_paths(const char *path, struct dirent **entries, size_t count,
		      struct yaml_folder *folder)
{
	folder->paths = calloc(count ? count : 1, sizeof(folder->paths[0]));
	if (!folder->paths)
		return -ENOMEM;
	for (; folder->count < count; folder->count++)
		if (asprintf(&folder->paths[folder->count], "%s/%s", path,
			     entries[folder->count]->d_name) < 0)
			return -ENOMEM;
	return 0;
}

int yaml_folder_read(const char *path, struct yaml_folder *folder)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_yaml, alphasort), r;

	*folder = (struct yaml_folder){0};
	if (n < 0)
		return -errno;
	r = join_paths(path, entries, (size_t)n, folder);
	for (int i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
	return r;
}

void yaml_folder_finish(struct yaml_folder *folder)
{
	for (size_t i = 0; i < folder->count; i++)
		free(folder->paths[i]);
	free(folder->paths);
	*folder = (struct yaml_folder){0};
}
