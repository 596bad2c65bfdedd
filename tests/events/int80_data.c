/* SPDX-License-Identifier: MIT */
/* 32-bit programs: numbers of 64 bits in two registers, arguments in memory, vectors, offsets. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "harness/alike.h"
#include "harness/fixture.h"
#include "harness/live.h"

#ifdef __x86_64__

enum { BYTES = 200, MEMORY_COUNTERS = 0xe, HIGH = 0x12, LOW = 0x89abcdef };

#define WIDE(low) ((long)HIGH << 32 | (low))

/* The same vector in both forms: 10 bytes from the start of memory, and 100 from behind 20 more. */
struct both_vectors {
	long wide, narrow;
};

static struct both_vectors vectors(long memory)
{
	const struct iovec wide[] = {{(void *)memory, 10}, {(void *)(memory + 30), 100}};

	return (struct both_vectors){
		low_copy(wide, sizeof(wide)),
		LOW_WORDS((uint32_t)memory, 10, (uint32_t)memory + 30, 100),
	};
}

static void check_vectors(int fd, long memory)
{
	const struct both_vectors good = vectors(memory), torn = vectors(0x1000);
	const long bad = (long)UNREADABLE;

	alike_check({SYS_pwritev, {fd, good.wide, 2, 5, 0}}, {334, {fd, good.narrow, 2, 5, 0}});
	alike_check({SYS_preadv, {fd, good.wide, 2, 5, 0}}, {333, {fd, good.narrow, 2, 5, 0}});
	lseek(fd, 0, SEEK_SET);
	alike_check({SYS_writev, {fd, good.wide, 2}}, {146, {fd, good.narrow, 2}});
	lseek(fd, 0, SEEK_SET);
	pwrite(fd, fixture_pattern(4 * BYTES), 4 * BYTES, 0);
	/* The second one reads what is after the first: 110 bytes on, the pattern is another. */
	alike_check({SYS_readv, {fd, good.wide, 1}}, {145, {fd, good.narrow, 1}}, .except = 1 << 2);
	alike_check({SYS_writev, {fd, torn.wide, 2}}, {146, {fd, torn.narrow, 2}});
	alike_check({SYS_writev, {fd, bad, 2}}, {146, {fd, bad, 2}});
	alike_check({SYS_readv, {NO_FD, good.wide, 2}}, {145, {NO_FD, good.narrow, 2}});
	alike_check({SYS_pwritev, {NO_FD, good.wide, 2, WIDE(LOW), 0}},
		    {334, {NO_FD, good.narrow, 2, LOW, HIGH}});
	alike_check({SYS_preadv, {NO_FD, good.wide, 2, WIDE(LOW), 0}},
		    {333, {NO_FD, good.narrow, 2, LOW, HIGH}});
	alike_check({SYS_pwritev2, {NO_FD, good.wide, 2, WIDE(LOW), 0, 5}},
		    {379, {NO_FD, good.narrow, 2, LOW, HIGH, 5}});
	alike_check({SYS_preadv2, {NO_FD, good.wide, 2, WIDE(LOW), 0, 5}},
		    {378, {NO_FD, good.narrow, 2, LOW, HIGH, 5}});
	alike_check({SYS_vmsplice, {NO_FD, good.wide, 2, 5}}, {316, {NO_FD, good.narrow, 2, 5}});
	alike_check({440, {NO_FD, good.wide, 2, 4, 5}}, {440, {NO_FD, good.narrow, 2, 4, 5}});
}

static void check_process_vm(long memory)
{
	const struct both_vectors local = vectors(memory), remote = vectors(memory + BYTES);

	alike_check({SYS_process_vm_readv, {getpid(), local.wide, 2, remote.wide, 2, 0}},
		    {347, {getpid(), local.narrow, 2, remote.narrow, 2, 0}});
	alike_check({SYS_process_vm_writev, {getpid(), local.wide, 2, remote.wide, 2, 0}},
		    {348, {getpid(), local.narrow, 2, remote.narrow, 2, 0}});
	alike_check({SYS_process_vm_writev, {-1, local.wide, 2, remote.wide, 2, 0}},
		    {348, {-1, local.narrow, 2, remote.narrow, 2, 0}});
}

static void check_offsets(int fd, long memory)
{
	const long there = low_text("file"), missing = low_text("no/such");

	expect_alike(SYS_lseek, 19, fd, 12, SEEK_SET);
	expect_alike(SYS_lseek, 19, fd, -5, SEEK_SET);
	alike_check({SYS_pread64, {fd, memory, 10, 5}}, {180, {fd, memory, 10, 5, 0}});
	alike_check({SYS_pwrite64, {fd, memory, 10, 5}}, {181, {fd, memory, 10, 5, 0}});
	alike_check({SYS_pread64, {NO_FD, memory, 10, WIDE(LOW)}},
		    {180, {NO_FD, memory, 10, LOW, HIGH}});
	alike_check({SYS_pwrite64, {NO_FD, memory, 10, WIDE(LOW)}},
		    {181, {NO_FD, memory, 10, LOW, HIGH}});
	expect_alike(SYS_truncate, 92, there, 100);
	expect_alike(SYS_truncate, 92, missing, -7);
	expect_alike(SYS_ftruncate, 93, fd, 100);
	expect_alike(SYS_ftruncate, 93, NO_FD, -7);
	alike_check({SYS_truncate, {missing, WIDE(LOW)}}, {193, {missing, LOW, HIGH}});
	alike_check({SYS_ftruncate, {NO_FD, WIDE(LOW)}}, {194, {NO_FD, LOW, HIGH}});
	alike_check({SYS_fallocate, {NO_FD, 3, WIDE(LOW), WIDE(77)}},
		    {324, {NO_FD, 3, LOW, HIGH, 77, HIGH}});
	alike_check({SYS_fadvise64, {NO_FD, WIDE(LOW), 0xfffffff0, 4}},
		    {250, {NO_FD, LOW, HIGH, 0xfffffff0, 4}});
	alike_check({SYS_fadvise64, {NO_FD, WIDE(LOW), WIDE(77), 4}},
		    {272, {NO_FD, LOW, HIGH, 77, HIGH, 4}});
	alike_check({SYS_readahead, {NO_FD, WIDE(LOW), 77}}, {225, {NO_FD, LOW, HIGH, 77}});
	alike_check({SYS_sync_file_range, {NO_FD, WIDE(LOW), WIDE(77), 2}},
		    {314, {NO_FD, LOW, HIGH, 77, HIGH, 2}});
	alike_check({SYS_fanotify_mark, {NO_FD, 5, WIDE(LOW), 12, missing}},
		    {339, {NO_FD, 5, LOW, HIGH, 12, missing}});
	alike_check({SYS_lookup_dcookie, {WIDE(LOW), memory, 77}}, {253, {LOW, HIGH, memory, 77}});
}

static void check_sendfile(int fd)
{
	const int64_t offset = 3, end = -5;
	int out = open("/dev/null", O_WRONLY);

	require(out >= 0);
	/* Of 32 bits, with something after them; the first call moves it on by what was sent. */
	alike_check({SYS_sendfile, {out, fd, low_copy(&offset, 8), 10}},
		    {187, {out, fd, LOW_WORDS(3, 99), 10}});
	alike_check({SYS_sendfile, {out, fd, low_copy(&end, 8), 10}},
		    {187, {out, fd, LOW_WORDS((uint32_t)-5, 99), 10}});
	alike_check({SYS_sendfile, {out, fd, low_copy(&offset, 8), 10}},
		    {239, {out, fd, low_copy(&offset, 8), 10}});
	close(out);
}

/* The older mmap has its arguments in memory. */
static void check_mmap(int fd)
{
	const long flags = MAP_PRIVATE | MAP_32BIT;
	long at;

	alike_check({SYS_mmap, {0x10000, 0x3000, PROT_READ, flags, NO_FD, 0x2000}},
		    {90, {LOW_WORDS(0x10000, 0x3000, PROT_READ, (uint32_t)flags, NO_FD, 0x2000)}},
		    .except = MEMORY_COUNTERS);
	at = CALL(SYS_mmap, 0x20000000, 4096, PROT_READ, flags, fd, 0);
	require(at > 0 && munmap((void *)at, 4096) == 0);
	alike_check({SYS_mmap, {at, 4096, PROT_READ, flags | MAP_FIXED, fd, 0}},
		    {90,
		     {LOW_WORDS((uint32_t)at, 4096, PROT_READ, (uint32_t)flags | MAP_FIXED,
				(uint32_t)fd, 0)}},
		    .except = MEMORY_COUNTERS);
	munmap((void *)at, 4096);
}

/* What a failed exec was given: vectors of pointers. */
static void check_exec(void)
{
	const long path = low_text("no/such"), first = low_text("first"), last = low_text("last");
	const long strings[] = {first, last, 0}, empty[] = {0};
	const long wide = low_copy(strings, sizeof(strings)), none = low_copy(empty, sizeof(empty));
	const long narrow = LOW_WORDS((uint32_t)first, (uint32_t)last, 0);
	const uint64_t counters = 1 << execve__pgft_maj | 1 << execve__pgft_min |
				  1 << execve__vm_size | 1 << execve__vm_rss | 1 << execve__vm_swap;

	alike_check({SYS_execve, {path, wide, wide}}, {11, {path, narrow, narrow}},
		    .except = counters);
	alike_check({SYS_execve, {path, none, 0}}, {11, {path, LOW_WORDS(0), 0}},
		    .except = counters);
	alike_check({SYS_execve, {path, (long)UNREADABLE, wide}},
		    {11, {path, (long)UNREADABLE, narrow}}, .except = counters);
	alike_check({SYS_execveat, {NO_FD, path, wide, wide, 0x1000}},
		    {358, {NO_FD, path, narrow, narrow, 0x1000}}, .except = counters);
}

LIVE_TEST(int80_data)
{
	long memory = low_copy(fixture_pattern(4 * BYTES), 4 * BYTES);
	int fd;

	fixture_file("file", 4 * BYTES);
	fd = open("file", O_RDWR);
	require(fd > 0);
	check_vectors(fd, memory);
	check_process_vm(memory);
	check_offsets(fd, memory);
	check_sendfile(fd);
	check_mmap(fd);
	check_exec();
	close(fd);
}

#endif
