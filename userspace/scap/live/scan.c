/* SPDX-License-Identifier: MIT */
/* Passes of iterators, read to their end. */
#include "scap/live/scan.h"

#include <errno.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/* Returns how many bytes the program wrote in a pass, or -errno. */
static int scan_once(int link)
{
	char bytes[4096];
	int iterator = bpf_iter_create(link), scanned = 0;
	ssize_t n;

	if (iterator < 0)
		return iterator;
	while ((n = read(iterator, bytes, sizeof(bytes))) > 0)
		scanned += (int)n;
	if (n < 0)
		scanned = -errno;
	close(iterator);
	return scanned;
}

int live_scan(const struct bpf_program *program, unsigned int passes)
{
	int fd = bpf_program__fd(program), link, r = 1;

	if (fd < 0)
		return -EOPNOTSUPP;
	link = bpf_link_create(fd, 0, BPF_TRACE_ITER, NULL);
	if (link < 0)
		return link;
	for (unsigned int pass = 0; pass < passes && r > 0; pass++)
		r = scan_once(link);
	close(link);
	return r > 0 ? -E2BIG : r;
}
