/* SPDX-License-Identifier: MIT */
/* What processes execute: the program, and a library whose file is gone. */
#include "scap/tls/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scap/tls/probe.h"
#include "unit.h"

enum { FILE_BYTES = 4096, MANY = 1 << 14 /* lines of maps that are looked at */ };

struct wanted {
	ino_t ino;
	unsigned int seen, others;
};

static void note(void *context, int fd, int32_t pid)
{
	struct wanted *wanted = context;
	struct stat file;

	assert_int_equal(fstat(fd, &file), 0);
	if (pid == getpid() && file.st_ino == wanted->ino)
		wanted->seen++;
	else
		wanted->others++;
}

static void test_program(void **state)
{
	struct wanted wanted = {0};
	struct stat file;

	assert_int_equal(stat("/proc/self/exe", &file), 0);
	wanted.ino = file.st_ino;
	assert_int_equal(tls_mapped_program("/proc", getpid(), note, &wanted), 0);
	assert_int_equal(wanted.seen, 1);
	assert_int_equal(tls_mapped_program("/proc", 0x7fffffff, note, &wanted), -ENOENT);
	assert_int_equal(wanted.seen + wanted.others, 1);
}

/* Its path has another file by now. */
static void test_deleted_library(void **state)
{
	char folder[] = "/tmp/mapped-XXXXXX", path[64];
	struct wanted wanted = {0};
	const struct tls_look look = {.see = note, .context = &wanted};
	struct stat file;
	void *mapped;
	int fd;

	if (geteuid() != 0)
		skip();
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/libssl.so.3", folder);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(ftruncate(fd, FILE_BYTES), 0);
	assert_int_equal(fstat(fd, &file), 0);
	wanted.ino = file.st_ino;
	mapped = mmap(NULL, FILE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	close(fd);
	unlink(path);
	close(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
	assert_int_equal(tls_mapped_libraries("/proc", getpid(), note, &wanted), 0);
	assert_int_equal(wanted.seen, 1);
	assert_int_equal(wanted.others, 0);
	assert_int_equal(tls_mapped_all("/proc", &look), 0);
	assert_int_equal(wanted.seen, 2);
	munmap(mapped, FILE_BYTES);
	assert_int_equal(tls_mapped_libraries("/proc", getpid(), note, &wanted), 0);
	assert_int_equal(wanted.seen, 2);
	unlink(path);
	rmdir(folder);
}

static int take_result(void *context, int32_t pid, int r)
{
	if (pid == getpid())
		*(int *)context = r;
	return 0;
}

static void ignore(void *context, int fd, int32_t pid)
{
}

/* Of who has more mappings than are looked at that is known. */
static void test_many_mappings(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = MANY * page;
	int result = 1;
	const struct tls_look look = {.see = ignore, .looked = take_result, .context = &result};
	char *mapped = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(mapped, MAP_FAILED);
	assert_int_equal(tls_mapped_all("/proc", &look), 0);
	assert_int_equal(result, 0);
	for (size_t i = 0; i < MANY; i += 2)
		assert_int_equal(mprotect(mapped + i * page, page, PROT_READ), 0);
	assert_int_equal(tls_mapped_all("/proc", &look), 0);
	assert_int_equal(result, -E2BIG);
	munmap(mapped, bytes);
}

/* What could not be looked at is not taken for nothing. */
static void test_no_descriptors(void **state)
{
	static const struct tls_chosen chosen = {.names = {"nobody"}};
	int result = 1;
	const struct tls_look look = {.see = ignore, .looked = take_result, .context = &result};
	struct rlimit before, none;

	assert_int_equal(tls_mapped_all("/nothing", &look), -ENOENT);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(tls_mapped_all("/proc", &look), -EMFILE);
	assert_int_equal(tls_mapped_libraries("/proc", getpid(), ignore, NULL), -EMFILE);
	assert_int_equal(tls_mapped_is_chosen("/proc", getpid(), &chosen), -EMFILE);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_int_equal(tls_mapped_is_chosen("/proc", getpid(), &chosen), 0);
	assert_int_equal(result, 1);
}

/* Without a program nothing is set. */
static void test_probe(void **state)
{
	int type = tls_probe_type();

	if (type < 0)
		skip();
	assert_true(tls_probe_open(type, "/nothing", 0, false, -1) < 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_program),	      cmocka_unit_test(test_deleted_library),
	cmocka_unit_test(test_many_mappings), cmocka_unit_test(test_no_descriptors),
	cmocka_unit_test(test_probe),
};

UNIT_GROUP(tests);
