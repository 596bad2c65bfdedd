/* SPDX-License-Identifier: MIT */
/* Calls made by both kinds of programs, and the comparison of their events. */
#include <stdbool.h>
#include <string.h>

#include "harness/alike.h"
#include "harness/fixture.h"
#include "harness/int80.h"
#include "harness/live.h"

#ifdef __x86_64__

long low_copy(const void *data, size_t len)
{
	return (long)fixture_low(data, len);
}

long low_text(const char *text)
{
	return low_copy(text, strlen(text) + 1);
}

static void compare(const char *file, int line, const struct event *native,
		    const struct event *compat, uint64_t except)
{
	for (unsigned int i = 0; i < native->desc->nparams; i++) {
		const struct event_param *expected = &native->params[i];

		live_expect_bytes(file, line, native, i, expected->data, expected->len);
		if (except & UINT64_C(1) << i)
			expected = &compat->params[i];
		live_expect_bytes(file, line, compat, i, expected->data, expected->len);
	}
}

static long closed(long fd)
{
	if (fd >= 0)
		close((int)fd);
	return fd;
}

/* Some calls give their result as 32 bits. */
static bool is_same(int64_t a, int64_t b)
{
	return (int32_t)a == (int32_t)b;
}

/* The next event of that result: others are of what the capture itself does. */
static const struct event *next_with(const char *file, int line, unsigned int id, long result)
{
	const struct event *ev = live_next(id);

	while (ev->desc->nparams && ev->params[0].len == sizeof(int64_t) &&
	       !is_same(event_param_i64(ev, 0), result)) {
		compare(file, line, ev, ev, 0);
		ev = live_next(id);
	}
	return ev;
}

void alike_check_at(const char *file, int line, const struct alike *alike)
{
	unsigned int code = syscall_code_of_native((unsigned int)alike->native.number);
	const struct event_desc *desc = event_desc_of_syscall(code);
	const long *a = alike->native.args, *b = alike->compat.args;
	const struct event *native;
	long expected, ret;

	if (syscall_layout_of_compat((unsigned int)alike->compat.number) != LAYOUT_MULTIPLEXED &&
	    syscall_code_of_compat((unsigned int)alike->compat.number) != code)
		live_fail(file, line, "%ld is not known as %s", alike->compat.number,
			  syscall_name(code));
	live_skip();
	expected = CALL(alike->native.number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (alike->makes_fd)
		closed(expected);
	ret = int80_call(alike->compat.number, b[0], b[1], b[2], b[3], b[4], b[5]);
	if (alike->makes_fd)
		closed(ret);
	if (!is_same(ret, expected) && !(alike->except & 1))
		live_fail(file, line, "%s returned %ld, and %ld to the 32-bit call",
			  syscall_name(code), expected, ret);
	if (desc->id == EVENT_syscall)
		return;
	native = next_with(file, line, desc->id, expected);
	compare(file, line, native, next_with(file, line, desc->id, ret), alike->except);
}

#endif
