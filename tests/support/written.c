/* SPDX-License-Identifier: MIT */
/* Parsing what was written, and bytes out of texts. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "written.h"

void written_begin(struct written *test, struct scap_writer_config config)
{
	*test = (struct written){.fd = memfd_create("capture", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
	assert_return_code(test->fd, errno);
	assert_int_equal(scap_writer_create(test->fd, "x.scap", &config, &test->writer, NULL), 0);
	test->to = scap_writer_snapshot(test->writer);
}

void written_put(struct written *test, struct scap_event event)
{
	assert_int_equal(scap_writer_event(test->writer, &event, NULL), 0);
}

void written_look(struct written *test)
{
	struct stat stat;

	assert_int_equal(scap_writer_finish(test->writer, NULL), 0);
	assert_return_code(fstat(test->fd, &stat), errno);
	assert_true(buf_reserve(&test->file, (size_t)stat.st_size));
	test->file.len = (size_t)stat.st_size;
	assert_int_equal(pread(test->fd, test->file.data, test->file.len, 0), stat.st_size);
	test->at = SECTION_BYTES;
}

void written_end(struct written *test)
{
	assert_int_equal(test->at, test->file.len);
	buf_finish(&test->file);
	close(test->fd);
}

static uint32_t u32_at(const struct written *test, size_t at)
{
	uint32_t value;

	assert_true(at + sizeof(value) <= test->file.len);
	memcpy(&value, test->file.data + at, sizeof(value));
	return value;
}

struct block written_block(struct written *test)
{
	uint32_t length = u32_at(test, test->at + 4);
	struct block block = {
		.type = u32_at(test, test->at),
		.body = (const uint8_t *)test->file.data + test->at + 8,
		.len = length - 12,
	};

	assert_int_equal(length % 4, 0);
	assert_int_equal(u32_at(test, test->at + length - 4), length);
	test->at += length;
	return block;
}

struct buf written_bytes(const char *text)
{
	char *copy = strdup(text), *word, *rest = copy;
	struct buf bytes = {0};

	while ((word = strsep(&rest, " \n\t"))) {
		if (*word == '_') {
			for (long n = atol(word + 1); n > 0; n--)
				buf_append_char(&bytes, '\0');
		} else if (*word == '\'' || *word == 's') {
			const char *from = strchr(word, '\'') + 1;
			uint16_t len = (uint16_t)strlen(from);

			if (*word == 's')
				buf_append(&bytes, &len, sizeof(len));
			for (; *from; from++)
				buf_append_char(&bytes, (char)(*from == '~' ? '\0' : *from));
		} else if (*word) {
			int64_t value = (int64_t)strtoull(strchr(word, ':') + 1, NULL, 0);

			buf_append(&bytes, &value, (size_t)atol(word));
		}
	}
	free(copy);
	return bytes;
}

void written_expect(struct written *test, uint32_t type, const char *text)
{
	struct block block = written_block(test);
	struct buf wanted = written_bytes(text);

	assert_int_equal(block.type, type);
	while (wanted.len % 4)
		buf_append_char(&wanted, '\0');
	assert_int_equal(block.len, wanted.len);
	for (size_t i = 0; i < wanted.len; i++)
		if (block.body[i] != (uint8_t)wanted.data[i])
			fail_msg("block 0x%x: byte %zu is 0x%x, not 0x%x", type, i, block.body[i],
				 (uint8_t)wanted.data[i]);
	buf_finish(&wanted);
}
