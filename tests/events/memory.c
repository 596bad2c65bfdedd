/* SPDX-License-Identifier: MIT */
/* brk, mmap, mmap2, munmap: mapping and unmapping memory. */
#include <linux/mman.h>
#include <sys/mman.h>

#include "harness/fixture.h"
#include "harness/int80.h"
#include "harness/live.h"
#include "harness/memory.h"

enum { MIB = 1 << 20, BIG = 64 * MIB };

static void expect_brk(uint64_t res, uint64_t addr, const struct memory *memory)
{
	const struct event *ev = live_next(EVENT_brk);

	expect_i64(ev, brk__res, (int64_t)res);
	memory_expect(ev, brk__vm_size, memory);
	expect_i64(ev, brk__addr, (int64_t)addr);
}

LIVE_TEST(brk)
{
	struct memory before = memory_now(), grown, after;
	uint64_t end = (uint64_t)CALL(SYS_brk, 0);
	uint64_t further = end + MIB;

	require((uint64_t)CALL(SYS_brk, further) == further);
	grown = memory_now();
	/* What cannot be done changes nothing. */
	require((uint64_t)CALL(SYS_brk, 1) == further);
	require((uint64_t)CALL(SYS_brk, -1L) == further);
	require((uint64_t)CALL(SYS_brk, end) == end);
	after = memory_now();

	require(grown.size_kib == before.size_kib + MIB / 1024);
	expect_brk(end, 0, &before);
	expect_brk(further, further, &grown);
	expect_brk(further, 1, &grown);
	expect_brk(further, UINT64_MAX, &grown);
	expect_brk(end, end, &after);
}

struct mapping {
	long addr, length, prot, flags, fd, offset;
	int64_t res; /* 0: some address */
	uint32_t stored_prot, stored_flags;
};

static void expect_mapping(const struct event *ev, const struct mapping *mapping, int64_t res,
			   const struct memory *memory)
{
	expect_i64(ev, mmap__res, res);
	memory_expect(ev, mmap__vm_size, memory);
	expect_i64(ev, mmap__addr, mapping->addr);
	expect_i64(ev, mmap__length, mapping->length);
	expect_i64(ev, mmap__prot, mapping->stored_prot);
	expect_i64(ev, mmap__flags, mapping->stored_flags);
	expect_i64(ev, mmap__fd, (int32_t)mapping->fd);
	expect_i64(ev, mmap__offset, mapping->offset);
}

#define RW (prot_flags__PROT_READ | prot_flags__PROT_WRITE)
#define ANYWHERE (mmap_flags__MAP_PRIVATE | mmap_flags__MAP_ANONYMOUS)

static const struct mapping mappings[] = {
	{0, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0, 0, RW,
	 ANYWHERE | mmap_flags__MAP_POPULATE},
	{0, MIB, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0, 0, 0,
	 mmap_flags__MAP_SHARED | mmap_flags__MAP_ANONYMOUS},
	{0x20000000, 4096, 0xf, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_LOCKED, -1, 0,
	 0x20000000, 0xf, ANYWHERE | mmap_flags__MAP_FIXED | mmap_flags__MAP_LOCKED},
	/* Every flag, and then some; no such address. */
	{4097, 1, 0x0300001f, ~0L & ~MAP_SHARED_VALIDATE, -1, 0, -EINVAL, ALL_PROT_FLAGS,
	 0x5fdc},
	{0, 4096, PROT_READ, MAP_SHARED_VALIDATE, NO_FD, 4096, -EBADF, prot_flags__PROT_READ,
	 mmap_flags__MAP_SHARED | mmap_flags__MAP_PRIVATE},
	{0, 0, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0, -EINVAL, prot_flags__PROT_EXEC,
	 ANYWHERE},
	{-1, -4096, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0x100000003, -4096, -ENOMEM,
	 prot_flags__PROT_WRITE, ANYWHERE},
	{0, 4096, PROT_READ, MAP_PRIVATE, -1, 1, -EINVAL, prot_flags__PROT_READ,
	 mmap_flags__MAP_PRIVATE},
};

enum { MAPPINGS = sizeof(mappings) / sizeof(mappings[0]) };

static long map(const struct mapping *mapping)
{
	return CALL(SYS_mmap, mapping->addr, mapping->length, mapping->prot, mapping->flags,
		    mapping->fd, mapping->offset);
}

LIVE_TEST(mmap)
{
	struct memory before = memory_now(), memory[MAPPINGS];
	long res[MAPPINGS];

	for (int i = 0; i < MAPPINGS; i++) {
		res[i] = map(&mappings[i]);
		memory[i] = memory_now();
		require(mappings[i].res ? res[i] == mappings[i].res : res[i] > 0);
	}
	require(memory[0].size_kib == before.size_kib + BIG / 1024);
	require(memory[0].rss_kib >= before.rss_kib + BIG / 2048);
	for (int i = 0; i < MAPPINGS; i++) {
		expect_mapping(live_next(EVENT_mmap), &mappings[i], res[i], &memory[i]);
		if (res[i] > 0)
			munmap((void *)res[i], (size_t)mappings[i].length);
	}
}

#ifdef __x86_64__
enum { NR_MMAP2 = 192 };

static const struct mapping pages[] = {
	{0, MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0, 0, prot_flags__PROT_READ, ANYWHERE},
	{0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0xfffff, 0, RW,
	 ANYWHERE},
	{0, 4096, PROT_READ, MAP_SHARED, NO_FD, 3, -EBADF, prot_flags__PROT_READ,
	 mmap_flags__MAP_SHARED},
	{0, 0, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0, -EINVAL, 0,
	 mmap_flags__MAP_SHARED | mmap_flags__MAP_ANONYMOUS},
};

LIVE_TEST(mmap2)
{
	enum { PAGES = sizeof(pages) / sizeof(pages[0]) };
	struct memory memory[PAGES];
	long res[PAGES];

	for (int i = 0; i < PAGES; i++) {
		const struct mapping *p = &pages[i];

		res[i] = int80_call(NR_MMAP2, p->addr, p->length, p->prot, p->flags, p->fd,
				    p->offset);
		memory[i] = memory_now();
		require(p->res ? res[i] == p->res : res[i] > 0);
	}
	for (int i = 0; i < PAGES; i++) {
		expect_mapping(live_next(EVENT_mmap2), &pages[i], res[i], &memory[i]);
		if (res[i] > 0)
			munmap((void *)res[i], (size_t)pages[i].length);
	}
}

_Static_assert((int)mmap__offset == mmap2__pgoffset, "the two have their parameters in common");
#else
/* 64-bit programs have no such call. */
LIVE_TEST(mmap2)
{
	expect_no_event(EVENT_mmap2, getpid());
}
#endif

static void expect_munmap(int64_t res, uint64_t addr, uint64_t length, const struct memory *memory)
{
	const struct event *ev = live_next(EVENT_munmap);

	expect_i64(ev, munmap__res, res);
	memory_expect(ev, munmap__vm_size, memory);
	expect_i64(ev, munmap__addr, (int64_t)addr);
	expect_i64(ev, munmap__length, (int64_t)length);
}

LIVE_TEST(munmap)
{
	long at = map(&mappings[0]);
	struct memory before = memory_now(), half, after;

	require(at > 0);
	require(CALL(SYS_munmap, at, BIG / 2) == 0);
	half = memory_now();
	require(half.size_kib == before.size_kib - BIG / 2048);
	require(CALL(SYS_munmap, at, BIG) == 0);
	after = memory_now();
	require(CALL(SYS_munmap, at + 1, 4096L) == -EINVAL);
	require(CALL(SYS_munmap, at, 0L) == -EINVAL);
	require(CALL(SYS_munmap, 0L, -1L) == -EINVAL);

	expect_munmap(0, (uint64_t)at, BIG / 2, &half);
	expect_munmap(0, (uint64_t)at, BIG, &after);
	expect_munmap(-EINVAL, (uint64_t)at + 1, 4096, &after);
	expect_munmap(-EINVAL, (uint64_t)at, 0, &after);
	expect_munmap(-EINVAL, 0, UINT64_MAX, &after);
}
