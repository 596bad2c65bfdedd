/* SPDX-License-Identifier: MIT */
/* Opens a perf ring and maps it. ring.c has the cursor over its contents. */
#include "scap/rings/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	PERF_RECORD_BYTES_MAX = 1 << 16, /* its size has 16 bits */
	WATERMARK_DIVISOR = 4,
};

static int check_size(uint32_t bytes, struct error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return bytes >= page && !(bytes & (bytes - 1))
		       ? 0
		       : error_set(err, -EINVAL,
				   "a ring of %u bytes: the size must be a power of two and at "
				   "least %zu",
				   bytes, page);
}

int scap_ring_open_event(unsigned int cpu, uint32_t bytes, struct error *err)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_type = PERF_SAMPLE_RAW,
		.sample_period = 1,
		.watermark = 1,
		.wakeup_watermark = bytes / WATERMARK_DIVISOR,
	};
	int r = check_size(bytes, err);
	long fd;

	if (r)
		return r;
	fd = syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		return (int)fd;
	return error_set(err, -errno,
			 "opening the perf event of CPU %u: %s; run as root or with CAP_PERFMON",
			 cpu, strerror(errno));
}

/*
 * [meta][data][data]: the second mapping is created first, and the main one over its meta page.
 * Kernels since 6.17 reject that, because it splits the second mapping.
 */
static int map_twice(struct scap_ring *ring, size_t page)
{
	size_t one = page + ring->bytes, all = one + ring->bytes;
	uint8_t *base = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (base == MAP_FAILED)
		return -errno;
	if (mmap(base + ring->bytes, one, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, ring->fd,
		 0) == MAP_FAILED ||
	    mmap(base, one, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, ring->fd, 0) ==
		    MAP_FAILED) {
		int error = -errno;

		munmap(base, all);
		return error;
	}
	ring->map = base;
	ring->map_bytes = all;
	return 0;
}

static int map_once(struct scap_ring *ring, size_t page)
{
	size_t all = page + ring->bytes;
	void *base = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);

	if (base == MAP_FAILED)
		return -errno;
	ring->map = base;
	ring->map_bytes = all;
	ring->bounce =
		malloc(ring->bytes < PERF_RECORD_BYTES_MAX ? ring->bytes : PERF_RECORD_BYTES_MAX);
	return ring->bounce ? 0 : -ENOMEM;
}

static int map_failed(int error, uint32_t bytes, unsigned int cpu, struct error *err)
{
	if (error == -EPERM)
		return error_set(err, error,
				 "mapping a ring of %u KiB for CPU %u: more locked memory than "
				 "allowed; use a smaller --buffer-size, or raise "
				 "kernel.perf_event_mlock_kb or the limit \"memlock\"",
				 bytes / 1024, cpu);
	return error_set(err, error,
			 "mapping a ring of %u KiB for CPU %u: %s; use a smaller --buffer-size",
			 bytes / 1024, cpu, strerror(-error));
}

int scap_ring_map(int fd, unsigned int cpu, uint32_t bytes, struct scap_ring *ring,
		  struct error *err)
{
	struct scap_ring made = {.bytes = bytes, .cpu = (uint16_t)cpu, .fd = fd};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int r = map_twice(&made, page);

	if (r < 0)
		r = map_once(&made, page);
	if (r < 0) {
		scap_ring_close(&made);
		return map_failed(r, bytes, cpu, err);
	}
	made.meta = made.map;
	made.data = (const uint8_t *)made.map + page;
	*ring = made;
	return 0;
}

int scap_ring_open(unsigned int cpu, uint32_t bytes, struct scap_ring *ring, struct error *err)
{
	int fd = scap_ring_open_event(cpu, bytes, err);

	return fd < 0 ? fd : scap_ring_map(fd, cpu, bytes, ring, err);
}

void scap_ring_detach(struct scap_ring *ring)
{
	if (ring->fd >= 0)
		close(ring->fd);
	ring->fd = -1;
}

void scap_ring_close(struct scap_ring *ring)
{
	if (ring->map) {
		munmap(ring->map, ring->map_bytes);
		free(ring->bounce);
	}
	scap_ring_detach(ring);
	free(ring->stragglers);
	buf_finish(&ring->aside);
	scap_ring_init_empty(ring->cpu, ring);
}
