/* SPDX-License-Identifier: MIT */
/* Functions of TLS in files: the program of the test has some itself. */
#include "scap/tls/library.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "scap/tls/missed.h"
#include "unit.h"

int SSL_read(void *object, void *data, int bytes);
int SSL_write(void *object, const void *data, int bytes);

__attribute__((noinline)) int SSL_read(void *object, void *data, int bytes)
{
	return object ? 1 : bytes;
}

__attribute__((noinline)) int SSL_write(void *object, const void *data, int bytes)
{
	return object ? 2 : bytes + 1;
}

static const struct tls_place *place_of(const struct tls_library *library, const char *name)
{
	for (size_t i = 0; i < library->count; i++)
		if (strcmp(tls_functions[library->places[i].function].name, name) == 0)
			return &library->places[i];
	return NULL;
}

/* Where a function is in the file are its instructions. */
static void expect_function(const struct tls_library *library, const char *name,
			    const void *function)
{
	const struct tls_place *place = place_of(library, name);
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	char code[8];

	assert_non_null(place);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, code, sizeof(code), (off_t)place->offset), sizeof(code));
	assert_memory_equal(code, function, sizeof(code));
	close(fd);
}

static void test_functions(void **state)
{
	char reason[PERF_REASON_BYTES];
	struct tls_library library;

	assert_int_equal(SSL_read(NULL, NULL, 3) + SSL_write(NULL, NULL, 3), 7);
	assert_int_equal(tls_library_read("/proc/self/exe", &library, reason), 0);
	assert_int_equal(library.count, 2);
	expect_function(&library, "SSL_read", SSL_read);
	expect_function(&library, "SSL_write", SSL_write);
	assert_int_equal(tls_missed_look("/proc/self/exe"), TLS_MISSED_NONE);
}

static void test_others(void **state)
{
	char reason[PERF_REASON_BYTES];
	struct tls_library library;

	assert_int_equal(tls_library_read("/bin/true", &library, reason), -ENOENT);
	assert_int_equal(tls_library_read("/etc/passwd", &library, reason), -EBADMSG);
	assert_int_equal(tls_library_read("/dev/null", &library, reason), -EINVAL);
	assert_int_equal(tls_library_read("/nothing", &library, reason), -ENOENT);
	assert_int_equal(tls_missed_look("/bin/true"), TLS_MISSED_NONE);
	assert_int_equal(tls_missed_look("/nothing"), TLS_MISSED_NONE);
	assert_non_null(tls_missed_name(TLS_MISSED_GO));
}

static void test_names(void **state)
{
	assert_true(tls_library_is_name("/usr/lib/libssl.so.3"));
	assert_true(tls_library_is_name("/a/libssl-3e69114b.so.1.1.1k (deleted)"));
	assert_true(tls_library_is_name("libgnutls.so.30"));
	assert_false(tls_library_is_name("/libssl/libc.so.6"));
	assert_false(tls_library_is_name("[vdso]"));
	assert_false(tls_library_is_name(""));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_functions),
	cmocka_unit_test(test_others),
	cmocka_unit_test(test_names),
};

UNIT_GROUP(tests);
