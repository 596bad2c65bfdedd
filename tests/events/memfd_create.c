/* SPDX-License-Identifier: MIT */
/* memfd_create: names, flags. */
#include <sys/mman.h>

#include "harness/fixture.h"
#include "harness/live.h"

/* Kernels may lack huge pages: whatever the call returns has to be shown. */
static void check(const char *name, long flags, int64_t shown)
{
	long fd = CALL(SYS_memfd_create, name, flags);

	if (fd >= 0)
		close((int)fd);
	expect_params(live_next(EVENT_memfd_create), NUMBER(fd), TEXT(name), NUMBER(shown));
}

LIVE_TEST(memfd_create)
{
	const struct path_case *names = fixture_paths();

	for (int i = 0; i < PATH_CASES; i++)
		expect_call(memfd_create, -EINVAL, CALL(SYS_memfd_create, names[i].path, -1L),
			    TEXT(names[i].shown), NUMBER(7));
	expect_call(memfd_create, -EFAULT, CALL(SYS_memfd_create, UNREADABLE, 0L), ABSENT,
		    NUMBER(0));
	check("memory", 0, 0);
	check("", MFD_CLOEXEC, memfd_create_flags__MFD_CLOEXEC);
	check("memory", MFD_ALLOW_SEALING, memfd_create_flags__MFD_ALLOW_SEALING);
	check("memory", MFD_HUGETLB, memfd_create_flags__MFD_HUGETLB);
	check("memory", 0x8 /* MFD_NOEXEC_SEAL */, 0);
	check("memory", 0x100000000 | MFD_CLOEXEC, memfd_create_flags__MFD_CLOEXEC);
}
