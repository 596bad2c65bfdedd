/* SPDX-License-Identifier: MIT */
/* What this process uses, compared with what it knows of itself. */
#include "agent/process/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"
#include "util/clock.h"

static void test_growth(void **state)
{
	enum { BYTES = 16 << 20 };
	struct process_usage before, after;
	uint64_t now_ns = clock_ns(CLOCK_REALTIME);
	char *memory;
	int fd;

	process_usage_read(&before);
	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	fd = dup(STDERR_FILENO);
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < before.cpu_ns + 1000000)
		;
	process_usage_read(&after);
	assert_true(after.resident_bytes >= before.resident_bytes + BYTES / 2);
	assert_int_equal(after.descriptors, before.descriptors + 1);
	assert_true(after.cpu_ns >= before.cpu_ns + 1000000);
	/* It started seconds ago, and its clock has ticks of 10 ms. */
	assert_true(after.start_ns < now_ns + 20000000);
	assert_true(after.start_ns > now_ns - 60000000000);
	assert_int_equal(before.start_ns / 1000000000, after.start_ns / 1000000000);
	close(fd);
	munmap(memory, BYTES);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_growth)};

UNIT_GROUP(tests);
