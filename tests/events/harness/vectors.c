/* SPDX-License-Identifier: MIT */
/* Vectors of buffers, and what calls and events make of them. */
#include "harness/vectors.h"

#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/fixture.h"
#include "harness/live.h"

enum { MANY = 40, WALKED_OLDER = 32 };

/* Whether programs of this kernel look at all buffers: since 6.4 loops cost the verifier nothing.
 */
static bool walks_all(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool walks = btf__find_by_name_kind(btf, "bpf_iter_num", BTF_KIND_STRUCT) > 0;

	btf__free(btf);
	return walks;
}

/* `count` buffers of `len` bytes, one after the other from `memory` on. */
static const struct iovec *slices(struct iovec *vector, const char *memory, size_t count,
				  size_t len)
{
	for (size_t i = 0; i < count; i++)
		vector[i] = (struct iovec){(void *)(memory + i * len), len};
	return vector;
}

/*
 * What a file makes of a vector that can be read in part: the first bytes, or nothing before
 * a6294593e8a1 ("iov_iter: Turn iov_iter_fault_in_readable into fault_in_iov_iter_readable"), 5.16.
 */
static long torn_result(const struct iovec *vector, size_t entries, long taken)
{
	int fd = open("torn", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	long ret = CALL(SYS_writev, fd, vector, entries);

	require(ret == taken || ret == -EFAULT);
	close(fd);
	unlink("torn");
	live_skip();
	return ret;
}

const struct vector_case *vectors_written(void)
{
	static struct iovec three[3], gap[3], hole[3], bad[2], pairs[MANY], fives[IOV_MAX + 1];
	static struct vector_case cases[VECTORS_WRITTEN];
	const char *p = fixture_pattern(400);
	const struct iovec *edge;
	size_t n = 0, walked = walks_all() ? MANY : WALKED_OLDER;

	three[0] = (struct iovec){(void *)p, 10};
	three[1] = (struct iovec){(void *)(p + 10), 20};
	three[2] = (struct iovec){(void *)(p + 30), 5};
	gap[0] = three[0];
	gap[1] = (struct iovec){NULL, 0};
	gap[2] = (struct iovec){(void *)(p + 10), 200};
	hole[0] = three[0];
	hole[1] = (struct iovec){UNREADABLE, 9};
	hole[2] = (struct iovec){(void *)(p + 10), 25};
	bad[0] = hole[1];
	bad[1] = three[0];
	slices(pairs, p, MANY, 2);
	/* Those behind have nothing, in memory that is there. */
	slices(fives, p, IOV_MAX + 1, 0);
	slices(fives, p, MANY, 5);
	edge = fixture_edge(three, 2 * sizeof(three[0]));

	cases[n++] = (struct vector_case){three, 3, 35, p, 35, 35};
	cases[n++] = (struct vector_case){three, 1, 10, p, 10, 10};
	cases[n++] = (struct vector_case){three, 0, 0, NULL, 0, 0};
	cases[n++] = (struct vector_case){gap, 3, 210, p, LIVE_SNAPLEN, 210};
	cases[n++] = (struct vector_case){pairs, WALKED_OLDER, 64, p, 64, 64};
	cases[n++] = (struct vector_case){pairs, MANY, 2 * MANY, p, 2 * walked, 2 * walked};
	cases[n++] = (struct vector_case){fives, MANY, 5 * MANY, p, LIVE_SNAPLEN, 5 * walked};
	cases[n++] = (struct vector_case){
		hole, 3, torn_result(hole, 3, 10), p, 10, 44, .torn = true,
	};
	cases[n++] = (struct vector_case){bad, 2, -EFAULT, NULL, 0, 19};
	cases[n++] = (struct vector_case){UNREADABLE, 3, -EFAULT, NULL, 0, 0};
	cases[n++] = (struct vector_case){NULL, 3, -EFAULT, NULL, 0, 0};
	cases[n++] = (struct vector_case){edge, 3, -EFAULT, NULL, 0, 0};
	require(n == VECTORS_WRITTEN);
	return cases;
}

const struct vector_case *vectors_read(void)
{
	static struct iovec three[3], hole[3], pairs[MANY], all[2];
	static struct vector_case cases[VECTORS_READ];
	static char memory[512];
	const char *p = fixture_pattern(200);
	size_t n = 0, walked = walks_all() ? MANY : WALKED_OLDER;

	three[0] = (struct iovec){memory, 10};
	three[1] = (struct iovec){memory + 10, 20};
	three[2] = (struct iovec){memory + 30, 5};
	hole[0] = three[0];
	hole[1] = (struct iovec){UNREADABLE, 9};
	hole[2] = three[1];
	all[0] = (struct iovec){NULL, 0};
	all[1] = (struct iovec){memory, sizeof(memory)};
	slices(pairs, memory, MANY, 2);

	cases[n++] = (struct vector_case){three, 3, 35, p, 35, 35};
	cases[n++] = (struct vector_case){three, 0, 0, NULL, 0, 0};
	cases[n++] = (struct vector_case){all, 2, 200, p, LIVE_SNAPLEN, 512};
	cases[n++] = (struct vector_case){pairs, WALKED_OLDER, 64, p, 64, 64};
	cases[n++] = (struct vector_case){pairs, MANY, 2 * MANY, p, 2 * walked, 2 * walked};
	cases[n++] = (struct vector_case){hole, 3, 10, p, 10, 39, .torn = true};
	cases[n++] = (struct vector_case){UNREADABLE, 3, -EFAULT, NULL, 0, 0};
	cases[n++] = (struct vector_case){NULL, 1, -EFAULT, NULL, 0, 0};
	require(n == VECTORS_READ);
	return cases;
}
