/* SPDX-License-Identifier: MIT */
/* Memory as /proc counts it. */
#include "harness/memory.h"

#include <unistd.h>

#include "harness/live.h"
#include "harness/process.h"

struct memory memory_now(void)
{
	static struct process process;

	process_read(getpid(), getpid(), &process);
	return (struct memory){process.vm_size_kib, process.vm_rss_kib, process.vm_swap_kib};
}

void memory_expect(const struct event *ev, unsigned int param, const struct memory *memory)
{
	expect_i64(ev, param, (int64_t)memory->size_kib);
	expect_range(ev, param + 1, (int64_t)memory->rss_kib - RSS_TOLERANCE_KIB,
		     (int64_t)memory->rss_kib + RSS_TOLERANCE_KIB);
	expect_i64(ev, param + 2, (int64_t)memory->swap_kib);
}
