/* SPDX-License-Identifier: MIT */
/* page_fault: reading, writing and executing unmapped pages, by the program and by the kernel. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/fixture.h"
#include "harness/live.h"

#ifdef __x86_64__
/* Stores a byte. Returns the first bytes of the instruction that does. */
static int64_t store(char *at)
{
	const void *ip;
	int64_t bytes;

	asm volatile("lea 1f(%%rip), %0\n\t"
		     "1: movb $1, (%1)"
		     : "=&r"(ip)
		     : "r"(at)
		     : "memory");
	memcpy(&bytes, ip, sizeof(bytes));
	return bytes;
}

static int64_t load(const char *at)
{
	const void *ip;
	int64_t bytes;

	asm volatile("lea 1f(%%rip), %0\n\t"
		     "1: movb (%1), %%cl"
		     : "=&r"(ip)
		     : "r"(at)
		     : "memory", "rcx");
	memcpy(&bytes, ip, sizeof(bytes));
	return bytes;
}

static const struct event *expect_fault(const void *addr, uint32_t error)
{
	const struct event *ev = live_next_with(EVENT_page_fault, getpid(), page_fault__addr,
						(int64_t)addr);

	expect_i64(ev, page_fault__addr, (int64_t)addr);
	expect_i64(ev, page_fault__error, error);
	return ev;
}

/* A page whose code returns at once. */
static void *map_code(void)
{
	static const unsigned char ret = 0xc3;
	int fd = open("code", O_RDWR | O_CREAT, 0700);
	void *code;

	require(fd >= 0 && write(fd, &ret, 1) == 1);
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	require(code != MAP_FAILED);
	close(fd);
	return code;
}

LIVE_TEST(page_fault)
{
	enum { PRESENT = pf_flags__PROTECTION_VIOLATION, MISSING = pf_flags__PAGE_NOT_PRESENT };
	char *written = fixture_shared(4096), *given = fixture_shared(4096);
	char *copied = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *code = map_code();
	int64_t stored, loaded, stored_again;
	const struct event *ev;

	require(copied != MAP_FAILED);
	live_skip();
	stored = store(written);
	loaded = load(copied);
	stored_again = store(copied + 5);
	((void (*)(void))code)();
	require(CALL(SYS_getrlimit, 0, given) == 0);

	ev = expect_fault(written, MISSING | pf_flags__WRITE_ACCESS | pf_flags__USER_FAULT);
	expect_i64(ev, page_fault__ip, stored);
	ev = expect_fault(copied, MISSING | pf_flags__READ_ACCESS | pf_flags__USER_FAULT);
	expect_i64(ev, page_fault__ip, loaded);
	ev = expect_fault(copied + 5, PRESENT | pf_flags__WRITE_ACCESS | pf_flags__USER_FAULT);
	expect_i64(ev, page_fault__ip, stored_again);
	/* The instruction is what is missing. */
	ev = expect_fault(code, MISSING | pf_flags__READ_ACCESS | pf_flags__USER_FAULT |
					pf_flags__INSTRUCTION_FETCH);
	expect_i64(ev, page_fault__ip, 0);
	ev = expect_fault(given, MISSING | pf_flags__WRITE_ACCESS | pf_flags__SUPERVISOR_FAULT);
	expect_true(event_param_i64(ev, page_fault__ip) != 0);
	expect_i64(ev, page_fault__ip, event_param_i64(ev, page_fault__ip));
}
#else
/* Other machines have no such tracepoints. */
LIVE_TEST(page_fault)
{
	expect_no_event(EVENT_page_fault, getpid());
}
#endif
