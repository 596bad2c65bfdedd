/* SPDX-License-Identifier: MIT */
/* Files compressed by either method, read back by the library. */
#include "output/targets/compress.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

/* More than the buffers have room for; parts of it cannot be compressed. */
enum { BYTES = 3000000, NOISE_BYTES = 500000 };

static struct output_stop stop;
static char *text;

static int setup(void **state)
{
	uint32_t noise = 1;

	text = malloc(BYTES);
	for (size_t i = 0; i < BYTES; i++) {
		noise = noise * 1664525 + 1013904223;
		text[i] = i / NOISE_BYTES % 2 ? (char)(noise >> 24) : 'a';
	}
	return output_stop_init(&stop);
}

static int teardown(void **state)
{
	output_stop_finish(&stop);
	free(text);
	return 0;
}

static int file_of(const char *bytes, size_t len)
{
	int fd = memfd_create("plain", MFD_CLOEXEC);

	assert_int_equal(write(fd, bytes, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static size_t gunzip(int fd, char *out)
{
	gzFile file = gzdopen(dup(fd), "rb");
	int n = gzread(file, out, BYTES + 1);

	assert_int_equal(gzclose(file), Z_OK);
	return (size_t)n;
}

static size_t unzstd(int fd, char *out)
{
	size_t len = (size_t)lseek(fd, 0, SEEK_END), n;
	void *in = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);

	n = ZSTD_decompress(out, BYTES + 1, in, len);
	assert_false(ZSTD_isError(n));
	munmap(in, len);
	return n;
}

static void round_trip(enum compress_method method, size_t len, size_t expand(int, char *))
{
	int from = file_of(text, len), to = memfd_create("compressed", MFD_CLOEXEC);
	char *out = malloc(BYTES + 1);
	uint64_t bytes = 99;

	assert_int_equal(compress_file(method, from, to, &stop, &bytes), 0);
	assert_int_equal(bytes, len);
	assert_true(lseek(to, 0, SEEK_END) < (off_t)(len * 2 / 3 + 100));
	assert_int_equal(lseek(to, 0, SEEK_SET), 0);
	assert_int_equal(expand(to, out), len);
	assert_memory_equal(out, text, len);
	free(out);
	close(from);
	close(to);
}

static void test_methods(void **state)
{
	static const size_t sizes[] = {0, 1, 256 * 1024, BYTES};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		round_trip(COMPRESS_GZIP, sizes[i], gunzip);
		round_trip(COMPRESS_ZSTD, sizes[i], unzstd);
	}
}

static void test_names(void **state)
{
	assert_string_equal(COMPRESS_WORDS[COMPRESS_GZIP], "gzip");
	assert_string_equal(COMPRESS_WORDS[COMPRESS_ZSTD], "zstd");
	assert_string_equal(compress_end(COMPRESS_NONE), "");
	assert_string_equal(compress_end(COMPRESS_GZIP), ".gz");
	assert_string_equal(compress_end(COMPRESS_ZSTD), ".zst");
}

static void test_failures(void **state)
{
	int from = file_of(text, BYTES), full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	uint64_t bytes = 99;

	assert_int_equal(compress_file(COMPRESS_GZIP, from, full, &stop, &bytes), -ENOSPC);
	assert_int_equal(lseek(from, 0, SEEK_SET), 0);
	assert_int_equal(compress_file(COMPRESS_ZSTD, from, full, &stop, &bytes), -ENOSPC);
	assert_int_equal(compress_file(COMPRESS_ZSTD, -1, full, &stop, &bytes), -EBADF);
	close(full);
	close(from);
	assert_int_equal(bytes, 99);
}

static void test_stop(void **state)
{
	int from = file_of(text, BYTES), to = memfd_create("compressed", MFD_CLOEXEC);
	uint64_t bytes = 99;

	output_stop_now(&stop);
	assert_int_equal(compress_file(COMPRESS_GZIP, from, to, &stop, &bytes), -ECANCELED);
	assert_true(lseek(from, 0, SEEK_CUR) < BYTES);
	close(from);
	close(to);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_methods, setup, teardown),
	cmocka_unit_test(test_names),
	cmocka_unit_test_setup_teardown(test_failures, setup, teardown),
	cmocka_unit_test_setup_teardown(test_stop, setup, teardown),
};

UNIT_GROUP(tests);
