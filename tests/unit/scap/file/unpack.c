/* SPDX-License-Identifier: MIT */
/* The thread that unpacks, with a codec of the test: what it gives out, how it ends and is ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "scap/file/unpack.h"
#include "unit.h"

enum {
	FILE_BYTES = 3 << 20, /* more than all chunks hold */
	END = 'Z', /* the file may end after it */
	CORRUPT = 'X',
};

static void *copy_create(void)
{
	return calloc(1, sizeof(bool));
}

static void *create_nothing(void)
{
	return NULL;
}

/* Bytes as they are, up to one that is corrupt. */
static const char *copy_run(void *state, struct unpack_span *in, struct unpack_span *out)
{
	bool *whole = state;

	for (; in->left && out->left; in->left--, out->left--) {
		if (*in->at == CORRUPT)
			return "an X";
		*whole = *in->at == END;
		*out->at++ = *in->at++;
	}
	return NULL;
}

static bool copy_is_whole(const void *state)
{
	return *(const bool *)state;
}

static const struct unpack_codec copy = {"copy", NULL, copy_create, copy_run, copy_is_whole, free};
static const struct unpack_codec no_memory = {"none",	NULL,	       create_nothing,
					      copy_run, copy_is_whole, free};

/* Each byte so many times, of which most are still to come when it was taken. */
enum { REPEATS = 600 << 10 };

struct repeat {
	size_t left;
	uint8_t byte;
};

static void *repeat_create(void)
{
	return calloc(1, sizeof(struct repeat));
}

static const char *repeat_run(void *state, struct unpack_span *in, struct unpack_span *out)
{
	struct repeat *repeat = state;

	for (; out->left && (repeat->left || in->left); out->left--, repeat->left--) {
		if (repeat->left == 0) {
			*repeat = (struct repeat){REPEATS, *in->at++};
			in->left--;
		}
		*out->at++ = repeat->byte;
	}
	return NULL;
}

static bool repeat_is_whole(const void *state)
{
	return ((const struct repeat *)state)->left == 0;
}

static const struct unpack_codec repeat = {"repeat",	    NULL, repeat_create, repeat_run,
					   repeat_is_whole, free};

/* Takes all there is. Returns how many bytes; `*code` is how it ended. */
static size_t take_all(struct scap_unpack *unpack, uint8_t *to, size_t size, int *code)
{
	size_t len = 0;
	ptrdiff_t n;

	while ((n = scap_unpack_take(unpack, to + len, size - len, -1)) > 0)
		len += (size_t)n;
	*code = (int)n;
	return len;
}

/* Few bytes, of which some were read before: how they end, and what is said of it. */
static void test_ends(void **state)
{
	static const struct {
		const char *head, *rest;
		size_t len;
		int code;
		const char *problem;
	} cases[] = {
		{"abc", "defZ", 7, -ENODATA, ""},
		{"", "Z", 1, -ENODATA, ""},
		{"abcZ", "", 4, -ENODATA, ""},
		{"abc", "def", 6, -EPIPE, "the copy data end too early"},
		{"abc", "deXf", 5, -EBADMSG, "an X (before byte 5 of the file)"},
		{"aXbc", "", 1, -EBADMSG, "an X (before byte 1 of the file)"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct scap_unpack *unpack;
		uint8_t bytes[16];
		char all[16];
		int fds[2], code;

		assert_int_equal(pipe(fds), 0);
		assert_int_equal(write(fds[1], cases[i].rest, strlen(cases[i].rest)),
				 strlen(cases[i].rest));
		close(fds[1]);
		assert_int_equal(scap_unpack_start(&copy, fds[0], true, cases[i].head,
						   strlen(cases[i].head), &unpack),
				 0);
		assert_int_equal(take_all(unpack, bytes, sizeof(bytes), &code), cases[i].len);
		assert_int_equal(code, cases[i].code);
		strcat(strcpy(all, cases[i].head), cases[i].rest);
		assert_memory_equal(bytes, all, cases[i].len);
		assert_string_equal(scap_unpack_problem(unpack), cases[i].problem);
		/* It ends so each time that it is asked. */
		assert_int_equal(scap_unpack_take(unpack, bytes, 1, 0), cases[i].code);
		scap_unpack_stop(unpack);
		close(fds[0]);
	}
}

/* A file of more bytes than there are chunks for, taken in pieces of any size. */
static void test_long_file(void **state)
{
	static const size_t steps[] = {1000, 65537, FILE_BYTES};
	uint8_t *file = malloc(FILE_BYTES), *bytes = malloc(FILE_BYTES);
	int fd = memfd_create("unpack", MFD_CLOEXEC);

	assert_non_null(file);
	assert_non_null(bytes);
	for (size_t i = 0; i < FILE_BYTES; i++)
		file[i] = (uint8_t)('a' + i % 23);
	file[FILE_BYTES - 1] = END;
	assert_int_equal(write(fd, file, FILE_BYTES), FILE_BYTES);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct scap_unpack *unpack;
		size_t len = 0;
		ptrdiff_t n;

		assert_int_equal(lseek(fd, 100, SEEK_SET), 100);
		assert_int_equal(scap_unpack_start(&copy, fd, false, file, 100, &unpack), 0);
		while (len < FILE_BYTES) {
			size_t room = FILE_BYTES - len < steps[i] ? FILE_BYTES - len : steps[i];

			n = scap_unpack_take(unpack, bytes + len, room, -1);
			assert_in_range(n, 1, room);
			len += (size_t)n;
		}
		assert_int_equal(scap_unpack_take(unpack, bytes, 1, -1), -ENODATA);
		assert_memory_equal(bytes, file, FILE_BYTES);
		assert_int_equal(scap_unpack_bytes_read(unpack), FILE_BYTES);
		scap_unpack_stop(unpack);
	}
	close(fd);
	free(file);
	free(bytes);
}

/* What is there is given out though the rest has not come, and stopping does not wait for it. */
static void test_waits_for_a_pipe(void **state)
{
	struct scap_unpack *unpack;
	uint8_t bytes[8];
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(scap_unpack_start(&copy, fds[0], true, "ab", 2, &unpack), 0);
	assert_int_equal(scap_unpack_take(unpack, bytes, sizeof(bytes), -1), 2);
	assert_int_equal(scap_unpack_take(unpack, bytes, sizeof(bytes), 10), 0);
	assert_int_equal(write(fds[1], "c", 1), 1);
	assert_int_equal(scap_unpack_take(unpack, bytes, sizeof(bytes), -1), 1);
	assert_int_equal(bytes[0], 'c');
	assert_int_equal(scap_unpack_take(unpack, bytes, sizeof(bytes), 0), 0);
	assert_int_equal(scap_unpack_bytes_read(unpack), 3);
	scap_unpack_stop(unpack);
	close(fds[0]);
	close(fds[1]);
}

/* Many bytes out of one are all given out, though the next one has not come. */
static void test_chunks_are_filled_without_input(void **state)
{
	uint8_t *bytes = malloc(REPEATS);
	struct scap_unpack *unpack;
	size_t len = 0;
	int fds[2];

	assert_non_null(bytes);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(scap_unpack_start(&repeat, fds[0], true, "r", 1, &unpack), 0);
	while (len < REPEATS) {
		ptrdiff_t n = scap_unpack_take(unpack, bytes + len, REPEATS - len, 10000);

		assert_in_range(n, 1, REPEATS - len);
		len += (size_t)n;
	}
	for (size_t i = 0; i < REPEATS; i++)
		if (bytes[i] != 'r')
			fail_msg("byte %zu is %d", i, bytes[i]);
	close(fds[1]);
	assert_int_equal(scap_unpack_take(unpack, bytes, 1, -1), -ENODATA);
	scap_unpack_stop(unpack);
	close(fds[0]);
	free(bytes);
}

/* Stopped with all chunks full, of which nothing is wanted any more. */
static void test_stop_ahead_of_the_end(void **state)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	struct scap_unpack *unpack;
	uint8_t byte = 1;

	assert_int_equal(scap_unpack_start(&copy, fd, false, "", 0, &unpack), 0);
	assert_int_equal(scap_unpack_take(unpack, &byte, 1, -1), 1);
	assert_int_equal(byte, 0);
	scap_unpack_stop(unpack);
	close(fd);
	scap_unpack_stop(NULL);
}

static void test_errors(void **state)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), code;
	struct scap_unpack *unpack;
	uint8_t bytes[8];

	assert_int_equal(scap_unpack_start(&no_memory, fd, false, "ab", 2, &unpack), -ENOMEM);
	assert_int_equal(scap_unpack_start(&copy, fd, false, "ab", 2, &unpack), 0);
	assert_int_equal(take_all(unpack, bytes, sizeof(bytes), &code), 2);
	assert_int_equal(code, -EISDIR);
	assert_non_null(strstr(scap_unpack_problem(unpack), "Is a directory"));
	scap_unpack_stop(unpack);
	close(fd);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ends),
	cmocka_unit_test(test_long_file),
	cmocka_unit_test(test_waits_for_a_pipe),
	cmocka_unit_test(test_chunks_are_filled_without_input),
	cmocka_unit_test(test_stop_ahead_of_the_end),
	cmocka_unit_test(test_errors),
};

UNIT_GROUP(tests);
