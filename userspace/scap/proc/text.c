/* SPDX-License-Identifier: MIT */
/* Reading files and links of /proc, and parsing their text. */
#include "scap/proc/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/regular.h"

enum { READ_BYTES = 4096 };

int proc_read_fd(int fd, size_t max, struct buf *buf)
{
	buf_clear(buf);
	while (buf->len < max) {
		size_t want = max - buf->len;
		ssize_t n;

		if (!buf_reserve(buf, READ_BYTES + 1))
			return -ENOMEM;
		if (want > buf->capacity - buf->len - 1)
			want = buf->capacity - buf->len - 1;
		n = read(fd, buf->data + buf->len, want);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		buf->len += (size_t)n;
	}
	buf->data[buf->len] = '\0';
	return 0;
}

int proc_read_regular(int path_fd, size_t max, struct buf *buf)
{
	struct statx file;
	int fd = regular_reopen(path_fd), r;

	if (fd < 0)
		return fd;
	/* What the kernel knows, without asking a server. */
	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_SIZE, &file))
		r = -errno;
	else
		r = file.stx_size > max ? -EFBIG : proc_read_fd(fd, max + 1, buf);
	close(fd);
	return r == 0 && buf->len > max ? -EFBIG : r;
}

int proc_read_file(int dir, const char *name, size_t max, struct buf *buf)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC), r;

	if (fd < 0)
		return -errno;
	r = proc_read_fd(fd, max, buf);
	close(fd);
	return r;
}

int proc_read_link(int dir, const char *name, char *target, size_t size)
{
	ssize_t n = readlinkat(dir, name, target, size);

	if (n < 0)
		return -errno;
	if ((size_t)n >= size)
		return -ENAMETOOLONG;
	target[n] = '\0';
	return (int)n;
}

void proc_cut_deleted(char *path, size_t len)
{
	static const char suffix[] = " (deleted)";
	size_t n = sizeof(suffix) - 1;

	if (len > n && memcmp(path + len - n, suffix, n) == 0)
		path[len - n] = '\0';
}

bool proc_text_line(struct proc_text *text, struct proc_text *line)
{
	const char *newline;

	if (text->at == text->end)
		return false;
	newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
	line->at = text->at;
	line->end = newline ? newline : text->end;
	text->at = newline ? newline + 1 : text->end;
	return true;
}

static bool text_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool proc_text_word(struct proc_text *text, struct proc_text *word)
{
	while (text->at != text->end && text_is_blank(*text->at))
		text->at++;
	word->at = text->at;
	while (text->at != text->end && !text_is_blank(*text->at))
		text->at++;
	word->end = text->at;
	return word->at != word->end;
}

bool proc_text_skip(struct proc_text *text, unsigned int n)
{
	struct proc_text word;

	while (n--)
		if (!proc_text_word(text, &word))
			return false;
	return true;
}

bool proc_text_prefix(struct proc_text *text, const char *prefix)
{
	size_t n = strlen(prefix);

	if ((size_t)(text->end - text->at) < n || memcmp(text->at, prefix, n) != 0)
		return false;
	text->at += n;
	return true;
}

static unsigned int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned int)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned int)(c - 'A') + 10;
	return 16;
}

bool proc_text_u64(struct proc_text *text, unsigned int base, uint64_t *value)
{
	const char *at = text->at;
	uint64_t sum = 0;

	for (; at != text->end && digit_of(*at) < base; at++)
		if (__builtin_mul_overflow(sum, base, &sum) ||
		    __builtin_add_overflow(sum, digit_of(*at), &sum))
			return false;
	if (at == text->at)
		return false;
	text->at = at;
	*value = sum;
	return true;
}

bool proc_word_i64(struct proc_text word, int64_t *value)
{
	bool negative = proc_text_prefix(&word, "-");
	uint64_t magnitude;

	if (!proc_text_u64(&word, 10, &magnitude) || word.at != word.end || magnitude > INT64_MAX)
		return false;
	*value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
	return true;
}

bool proc_name_number(const char *name, int64_t *number)
{
	struct proc_text word = {name, name + strlen(name)};

	return word.at != word.end && *word.at != '-' && proc_word_i64(word, number);
}
