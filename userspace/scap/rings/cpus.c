/* SPDX-License-Identifier: MIT */
/* Reading the kernel's list of CPUs. */
#include "scap/rings/cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "scap/proc/text.h"

enum { LIST_BYTES_MAX = 1 << 16 };

static bool cpus_read_list(struct proc_text text, uint32_t cpus, bool *online)
{
	uint64_t first, last;

	do {
		if (!proc_text_u64(&text, 10, &first))
			return false;
		last = first;
		if (proc_text_prefix(&text, "-") && !proc_text_u64(&text, 10, &last))
			return false;
		for (uint64_t cpu = first; cpu <= last && cpu < cpus; cpu++)
			online[cpu] = true;
	} while (proc_text_prefix(&text, ","));
	return proc_text_prefix(&text, "\n") && text.at == text.end;
}

int scap_cpus_read(const char *path, uint32_t cpus, bool *online)
{
	struct buf list = {0};
	int r = proc_read_file(AT_FDCWD, path, LIST_BYTES_MAX, &list);

	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		online[cpu] = false;
	if (r == 0 && !cpus_read_list(proc_text_of(&list), cpus, online))
		r = -EBADMSG;
	buf_finish(&list);
	return r;
}
