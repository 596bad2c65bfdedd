/* SPDX-License-Identifier: MIT */
/* Memory: moving, advising, sealing it; protection keys; policies of NUMA nodes. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "harness/calls.h"
#include "harness/new_calls.h"

enum { PAGE = 4096, PAGES = 4, LENGTH = PAGES * PAGE, NO_PID = 0x7fffffff };

/* An address that nothing is at. */
#define NOWHERE 0x100000001000

static char *pages(void)
{
	char *memory =
		mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	require(memory != MAP_FAILED);
	memory[0] = 1;
	return memory;
}

LIVE_TEST(mremap)
{
	char *memory = pages();
	long moved = CHECK(mremap, (SYS_mremap, memory, LENGTH, 2 * LENGTH, MREMAP_MAYMOVE, 0),
			   AT(memory), LENGTH, 2 * LENGTH, MREMAP_MAYMOVE, 0);

	require(moved > 0);
	require(CHECK(mremap,
		      (SYS_mremap, moved, LENGTH, LENGTH, MREMAP_MAYMOVE | MREMAP_FIXED, moved + 1),
		      moved, LENGTH, LENGTH, MREMAP_MAYMOVE | MREMAP_FIXED, moved + 1) == -EINVAL);
	require(CHECK(mremap, (SYS_mremap, NOWHERE, PAGE, -1L, 0, 5), NOWHERE, PAGE, -1L, 0, 5) <
		0);
	munmap((void *)moved, 2 * LENGTH);
}

LIVE_TEST(msync)
{
	char *memory = pages();

	require(CHECK(msync, (SYS_msync, memory, LENGTH, MS_SYNC | MS_INVALIDATE), AT(memory),
		      LENGTH, MS_SYNC | MS_INVALIDATE) == 0);
	require(CHECK(msync, (SYS_msync, NOWHERE, PAGE, MS_ASYNC), NOWHERE, PAGE, MS_ASYNC) ==
		-ENOMEM);
	require(CHECK(msync, (SYS_msync, memory, PAGE, 8), AT(memory), PAGE, 8) == -EINVAL);
	munmap(memory, LENGTH);
}

LIVE_TEST(mincore)
{
	char *memory = pages(), resident[PAGES];
	const struct event *ev;

	require(CALL(SYS_mincore, memory, LENGTH - 1, resident) == 0);
	ev = live_next(EVENT_mincore);
	expect_values(ev, 0, AT(memory), LENGTH - 1, OTHER);
	expect_bytes(ev, mincore__vec, resident, PAGES);
	require(resident[0] & 1);
	require(CHECK(mincore, (SYS_mincore, 1, 1, resident), 1, 1, NOTHING) == -EINVAL);
	require(CHECK(mincore, (SYS_mincore, memory, PAGE, UNREADABLE), AT(memory), PAGE,
		      NOTHING) == -EFAULT);
	munmap(memory, LENGTH);
}

LIVE_TEST(madvise)
{
	char *memory = pages();

	require(CHECK(madvise, (SYS_madvise, memory, LENGTH, MADV_DONTNEED), AT(memory), LENGTH,
		      MADV_DONTNEED) == 0);
	require(CHECK(madvise, (SYS_madvise, memory, PAGE, 77), AT(memory), PAGE, 77) == -EINVAL);
	require(CHECK(madvise, (SYS_madvise, NOWHERE, PAGE, MADV_WILLNEED), NOWHERE, PAGE,
		      MADV_WILLNEED) == -ENOMEM);
	munmap(memory, LENGTH);
}

LIVE_TEST(process_madvise)
{
	char *memory = pages();
	int fd = (int)CALL(SYS_pidfd_open, getpid(), 0);
	struct iovec ranges[] = {{memory, PAGE}, {memory + PAGE, PAGE}};

	require(fd > 0);
	CHECK(process_madvise, (SYS_process_madvise, fd, ranges, 2, MADV_COLD, 0), fd, AT(memory),
	      PAGE, 2, MADV_COLD, 0);
	CHECK(process_madvise, (SYS_process_madvise, NO_FD, ranges, 0, MADV_PAGEOUT, 3), NO_FD,
	      NOTHING, NOTHING, 0, MADV_PAGEOUT, 3);
	require(CHECK(process_madvise, (SYS_process_madvise, -1, UNREADABLE, 1, 0, 0), -1, NOTHING,
		      NOTHING, 1, 0, 0) < 0);
	munmap(memory, LENGTH);
	close(fd);
}

LIVE_TEST(process_mrelease)
{
	require(CHECK(process_mrelease, (SYS_process_mrelease, NO_FD, 0), NO_FD, 0) < 0);
	require(CHECK(process_mrelease, (SYS_process_mrelease, -1, 5), -1, 5) < 0);
}

LIVE_TEST(remap_file_pages)
{
	int fd = open("file", O_RDWR | O_CREAT, 0600);
	char *memory;

	require(fd > 0 && ftruncate(fd, LENGTH) == 0);
	memory = mmap(NULL, LENGTH, PROT_READ, MAP_SHARED, fd, 0);
	require(memory != MAP_FAILED);
	CHECK(remap_file_pages, (SYS_remap_file_pages, memory, PAGE, 0, 1, 0), AT(memory), PAGE, 0,
	      1, 0);
	require(CHECK(remap_file_pages,
		      (SYS_remap_file_pages, memory, PAGE, PROT_READ | PROT_WRITE, 0x123456789, 7),
		      AT(memory), PAGE, PROT_READ | PROT_WRITE, 0x123456789, 7) == -EINVAL);
	munmap(memory, LENGTH);
	close(fd);
}

/* Kernels without NUMA know none of these calls. */
enum { BIND = 2, STATIC_NODES = 0x8000, MAXNODE = 65 };

static void expect_nodes(const struct event *ev, unsigned int param, const uint64_t *nodes)
{
	expect_bytes(ev, param, nodes, sizeof(*nodes));
}

LIVE_TEST(mbind)
{
	uint64_t nodes = 1;
	char *memory = pages();
	long ret = CALL(SYS_mbind, memory, LENGTH, BIND | STATIC_NODES, &nodes, MAXNODE, 3);
	const struct event *ev = live_next(EVENT_mbind);

	expect_values(ev, ret, AT(memory), LENGTH, BIND, STATIC_NODES, OTHER, MAXNODE, 3);
	expect_nodes(ev, mbind__nodemask, &nodes);
	require(CHECK(mbind, (SYS_mbind, memory + 1, PAGE, 77, NULL, 0, 0xf0), AT(memory) + 1, PAGE,
		      77, 0, NOTHING, 0, 0xf0) < 0);
	require(CHECK(mbind, (SYS_mbind, memory, PAGE, BIND, UNREADABLE, MAXNODE, 0), AT(memory),
		      PAGE, BIND, 0, NOTHING, MAXNODE, 0) < 0);
	munmap(memory, LENGTH);
}

LIVE_TEST(set_mempolicy)
{
	uint64_t nodes = 1ULL << 63 | 1;
	const struct event *ev;
	long ret;

	CHECK(set_mempolicy, (SYS_set_mempolicy, 0, NULL, 0), 0, 0, NOTHING, 0);
	ret = CALL(SYS_set_mempolicy, 44 | STATIC_NODES, &nodes, MAXNODE);
	ev = live_next(EVENT_set_mempolicy);
	expect_values(ev, ret, 44, STATIC_NODES, OTHER, MAXNODE);
	expect_nodes(ev, set_mempolicy__nodemask, &nodes);
	require(ret < 0);
	require(CHECK(set_mempolicy, (SYS_set_mempolicy, BIND, UNREADABLE, MAXNODE), BIND, 0,
		      NOTHING, MAXNODE) < 0);
}

LIVE_TEST(get_mempolicy)
{
	uint64_t nodes[16] = {0};
	int mode = 0;
	long ret = CALL(SYS_get_mempolicy, &mode, nodes, 1024, 0, 0);
	const struct event *ev = live_next(EVENT_get_mempolicy);

	expect_values(ev, ret, ret < 0 ? NOTHING : mode, OTHER, 1024, 0, 0);
	expect_bytes(ev, get_mempolicy__nodemask, nodes, ret < 0 ? 0 : sizeof(nodes));
	require(CHECK(get_mempolicy, (SYS_get_mempolicy, NULL, nodes, 1024, NOWHERE, 0xf0), NOTHING,
		      NOTHING, 1024, NOWHERE, 0xf0) < 0);
}

LIVE_TEST(set_mempolicy_home_node)
{
	require(CHECK(set_mempolicy_home_node, (SYS_set_mempolicy_home_node, NOWHERE, PAGE, 3, 7),
		      NOWHERE, PAGE, 3, 7) < 0);
	CHECK(set_mempolicy_home_node, (SYS_set_mempolicy_home_node, NOWHERE, 0, 0, 0), NOWHERE, 0,
	      0, 0);
}

LIVE_TEST(migrate_pages)
{
	uint64_t from = 1, to = 2;
	long ret = CALL(SYS_migrate_pages, NO_PID, MAXNODE, &from, &to);
	const struct event *ev = live_next(EVENT_migrate_pages);

	expect_values(ev, ret, NO_PID, MAXNODE, OTHER, OTHER);
	expect_nodes(ev, migrate_pages__old_nodes, &from);
	expect_nodes(ev, migrate_pages__new_nodes, &to);
	require(ret < 0);
	require(CHECK(migrate_pages, (SYS_migrate_pages, -1, MAXNODE, UNREADABLE, NULL), -1,
		      MAXNODE, NOTHING, NOTHING) < 0);
}

LIVE_TEST(move_pages)
{
	char *memory = pages();
	void *addresses[] = {memory, memory + PAGE};
	int nodes[] = {0, 99}, status[2] = {-5, -6};
	const struct event *ev;
	long ret;

	CHECK(move_pages, (SYS_move_pages, 0, 1, addresses, NULL, status, 0), 0, 1, AT(memory),
	      NOTHING, OUT(status[0]), 0);
	ret = CALL(SYS_move_pages, 0, 2, addresses, nodes, status, 0x77);
	ev = live_next(EVENT_move_pages);
	expect_values(ev, ret, 0, 2, AT(memory), OTHER, NOTHING, 0x77);
	expect_bytes(ev, move_pages__nodes, nodes, sizeof(nodes));
	require(ret < 0);
	require(CHECK(move_pages, (SYS_move_pages, -1, 1, UNREADABLE, NULL, NULL, 2), -1, 1,
		      NOTHING, NOTHING, NOTHING, 2) < 0);
	munmap(memory, LENGTH);
}

LIVE_TEST(pkey_mprotect)
{
	char *memory = pages();

	CHECK(pkey_mprotect, (SYS_pkey_mprotect, memory, PAGE, PROT_READ, -1), AT(memory), PAGE,
	      PROT_READ, -1);
	require(CHECK(pkey_mprotect, (SYS_pkey_mprotect, memory + 1, PAGE, 7, 99), AT(memory) + 1,
		      PAGE, 7, 99) < 0);
	munmap(memory, LENGTH);
}

LIVE_TEST(pkey_alloc)
{
	long key = CHECK(pkey_alloc, (SYS_pkey_alloc, 0, 3), 0, 3);

	if (key >= 0)
		require(CALL(SYS_pkey_free, key) == 0);
	require(CHECK(pkey_alloc, (SYS_pkey_alloc, 5, 0xf0), 5, 0xf0) < 0);
}

LIVE_TEST(pkey_free)
{
	require(CHECK(pkey_free, (SYS_pkey_free, 1000), 1000) < 0);
	require(CHECK(pkey_free, (SYS_pkey_free, -1), -1) < 0);
}

LIVE_TEST(mseal)
{
	char *memory = pages();

	CHECK(mseal, (SYS_mseal, memory, PAGE, 0), AT(memory), PAGE, 0);
	require(CHECK(mseal, (SYS_mseal, NOWHERE, PAGE, 0x500000001), NOWHERE, PAGE, 0x500000001) <
		0);
}

LIVE_TEST(map_shadow_stack)
{
	CHECK(map_shadow_stack, (SYS_map_shadow_stack, 0, PAGE, 1), 0, PAGE, 1);
	require(CHECK(map_shadow_stack, (SYS_map_shadow_stack, 7, 5, 0xf3), 7, 5, 0xf3) < 0);
}
