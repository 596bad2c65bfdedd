/* SPDX-License-Identifier: MIT */
/*
 * Reading /proc: whole files, links, and the words and numbers in them. Everything is checked
 * against the end of the text; nothing relies on the kernel's format.
 */
#ifndef SCAP_PROC_TEXT_H
#define SCAP_PROC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"

/* The unread rest of a text. */
struct proc_text {
	const char *at;
	const char *end;
};

static inline struct proc_text proc_text_of(const struct buf *buf)
{
	return (struct proc_text){buf->data, buf->len ? buf->data + buf->len : buf->data};
}

/*
 * Reads a file below `dir` up to `max` bytes; followed by a NUL that `buf->len` does not
 * count. Returns 0 or -errno.
 */
int proc_read_file(int dir, const char *name, size_t max, struct buf *buf);

/* Reads an open file up to `max` bytes. Returns as proc_read_file(). */
int proc_read_fd(int fd, size_t max, struct buf *buf);

/*
 * Reads a file that was opened with O_PATH: opening it for reading would have effects on
 * some devices, and block on a FIFO. Returns -EINVAL if it is not a regular file, -EFBIG if it has
 * more than `max` bytes.
 */
int proc_read_regular(int path_fd, size_t max, struct buf *buf);

/* Reads the target of a link, NUL-terminated. Returns its length or -errno. */
int proc_read_link(int dir, const char *name, char *target, size_t size);

/* Cuts " (deleted)" off the end of a path of `len` bytes. */
void proc_cut_deleted(char *path, size_t len);

/* Splits off the next line, without its newline. Returns false at the end. */
bool proc_text_line(struct proc_text *text, struct proc_text *line);

/* Splits off the next word, by blanks. Returns false at the end. */
bool proc_text_word(struct proc_text *text, struct proc_text *word);

/* Skips `n` words. Returns false if there are fewer. */
bool proc_text_skip(struct proc_text *text, unsigned int n);

/* Whether the text has the prefix, which is skipped then. */
bool proc_text_prefix(struct proc_text *text, const char *prefix);

/*
 * Splits off a number, which need not end the text. Returns false, and consumes nothing, if
 * there is no digit or the value does not fit.
 */
bool proc_text_u64(struct proc_text *text, unsigned int base, uint64_t *value);

/* A whole word as a number with an optional sign, base 10. */
bool proc_word_i64(struct proc_text word, int64_t *value);

/* A whole NUL-terminated name as a number, such as the name of a process's directory. */
bool proc_name_number(const char *name, int64_t *number);

#endif
