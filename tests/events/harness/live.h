/* SPDX-License-Identifier: MIT */
/*
 * What a live test of an event works with. A test makes its calls and then takes their events one
 * by one; every parameter of an event that was taken has to be compared, or the test fails.
 * One LIVE_TEST(<event>) for each event of the table, in tests/events/<event>.c or with its family;
 * more of them are in harness/more.def.
 */
#ifndef TESTS_LIVE_H
#define TESTS_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "harness/legacy_calls.h"

/* The tests, named after the events. */
#define SYSCALL_EVENT(name, ...) void live_test_##name(void);
#define TRACEPOINT_EVENT(name, ...) void live_test_##name(void);
#define PARAM(...)
#define EVENT_END(name)
#include "events/all.def"

#define MORE_TEST(name) void live_test_##name(void);
#include "harness/more.def"

#define LIVE_TEST(name) void live_test_##name(void)

/* An address that no process can read. */
#define UNREADABLE ((void *)16)

enum {
	LIVE_SNAPLEN = SNAPLEN_DEFAULT,
	NO_FD = 7777, /* a descriptor that is never open */
	NO_OWNER =
		-1, /* in place of a thread: an event of a socket of which the owner is not known */
};

/*
 * The next event of that id that the calling thread made, or another one; it ends the test when
 * there is none. Its header has been checked: the thread, the time against the wall clock
 * around the calls, and that it is known how long a call of the test itself took. Valid until the
 * test ends.
 */
const struct event *live_next(unsigned int id);
const struct event *live_next_of(unsigned int id, int64_t tid);

/* The same for a test of something else than parameters: none of these has to be compared. */
const struct event *live_next_whole(unsigned int id, int64_t tid);

/* Has an event tcp_sample written of each connection of the machine. */
void live_sample(void);

/* Calls so far without latency, as another's enter time took the place of theirs. */
uint64_t live_untimed(void);

/* Skips the events of all calls made up to now, those of the test's own preparations. */
void live_skip(void);

/* The next such event with that value, passing over those before it; or passing over it as well. */
const struct event *live_next_with(unsigned int id, int64_t tid, unsigned int param, int64_t value);
void live_skip_to(unsigned int id, int64_t tid, unsigned int param, int64_t value);

/* Fails when there is such an event that was not taken. */
#define expect_no_event(id, tid) live_expect_no_event(__FILE__, __LINE__, id, tid)

/* Comparisons of one parameter, given by its index (openat__flags). NULL as text: it is absent. */
#define expect_i64(ev, param, value) live_expect_i64(__FILE__, __LINE__, ev, param, value)
#define expect_range(ev, param, low, high)                                                         \
	live_expect_range(__FILE__, __LINE__, ev, param, low, high)
#define expect_string(ev, param, text) live_expect_string(__FILE__, __LINE__, ev, param, text)
#define expect_bytes(ev, param, data, len)                                                         \
	live_expect_bytes(__FILE__, __LINE__, ev, param, data, len)
#define expect_absent(ev, param) live_expect_bytes(__FILE__, __LINE__, ev, param, NULL, 0)

/* What one parameter has to be. A text of NULL stands for an absent one. */
struct expected {
	bool is_number;
	int64_t number;
	const void *data;
	size_t len;
};

#define NUMBER(value) ((struct expected){.is_number = true, .number = (value)})
#define TEXT(text) live_text(text)
#define BYTES(bytes, count) ((struct expected){.data = (bytes), .len = (count)})
#define ABSENT BYTES(NULL, 0)

/* Compares all parameters, given in their order. */
#define expect_params(ev, ...)                                                                     \
	live_expect_params(__FILE__, __LINE__, ev, (struct expected[]){__VA_ARGS__},               \
			   sizeof((struct expected[]){__VA_ARGS__}) / sizeof(struct expected))

/* Makes a call that has to return `result`, the first parameter of its event; the others follow. */
#define expect_call(event, result, call, ...)                                                      \
	do {                                                                                       \
		long expected_result = (result);                                                   \
                                                                                                   \
		require((call) == expected_result);                                                \
		expect_params(live_next(EVENT_##event), NUMBER(expected_result), __VA_ARGS__);     \
	} while (0)

/* Socket addresses: an IP address as text, with a port; the name of a unix socket. */
#define expect_address_ip(ev, param, ip, port)                                                     \
	live_expect_address_ip(__FILE__, __LINE__, ev, param, ip, port)
#define expect_address_unix(ev, param, name)                                                       \
	live_expect_address_unix(__FILE__, __LINE__, ev, param, name)
#define expect_tuple_ip(ev, param, source_ip, source_port, dest_ip, dest_port)                     \
	live_expect_tuple_ip(__FILE__, __LINE__, ev, param, source_ip, source_port, dest_ip,       \
			     dest_port)
#define expect_tuple_unix(ev, param, source, dest, name)                                           \
	live_expect_tuple_unix(__FILE__, __LINE__, ev, param, source, dest, name)

/* Anything else that has to hold; a failure is noted and the test goes on. */
#define expect_true(condition)                                                                     \
	((condition) ? (void)0 : live_fail(__FILE__, __LINE__, "%s does not hold", #condition))

/* What the test itself needs to work; the test ends when it does not, or the child it is in. */
#define require(condition)                                                                         \
	((condition) ? (void)0 : live_require_failed(__FILE__, __LINE__, #condition))

/* The two ends of a unix tuple, addresses in the kernel. */
struct unix_ends {
	uint64_t source, dest;
};

/* Takes them out of a tuple, so that they can be compared with those of other events. */
struct unix_ends live_unix_ends(const struct event *ev, unsigned int param);

bool live_is_kernel_address(uint64_t address);

/* For `expect_tuple_unix`: some address in the kernel, whichever. */
#define SOME_SOCKET UINT64_MAX

__attribute__((format(printf, 3, 4))) void live_fail(const char *file, int line, const char *format,
						     ...);
_Noreturn void live_require_failed(const char *file, int line, const char *condition);

void live_expect_no_event(const char *file, int line, unsigned int id, int64_t tid);
void live_expect_i64(const char *file, int line, const struct event *ev, unsigned int param,
		     int64_t value);
void live_expect_range(const char *file, int line, const struct event *ev, unsigned int param,
		       int64_t low, int64_t high);
void live_expect_string(const char *file, int line, const struct event *ev, unsigned int param,
			const char *text);
void live_expect_bytes(const char *file, int line, const struct event *ev, unsigned int param,
		       const void *data, size_t len);
void live_expect_params(const char *file, int line, const struct event *ev,
			const struct expected *expected, size_t count);
struct expected live_text(const char *text);
void live_expect_address_ip(const char *file, int line, const struct event *ev, unsigned int param,
			    const char *ip, uint16_t port);
void live_expect_address_unix(const char *file, int line, const struct event *ev,
			      unsigned int param, const char *name);
void live_expect_tuple_ip(const char *file, int line, const struct event *ev, unsigned int param,
			  const char *source_ip, uint16_t source_port, const char *dest_ip,
			  uint16_t dest_port);
void live_expect_tuple_unix(const char *file, int line, const struct event *ev, unsigned int param,
			    uint64_t source, uint64_t dest, const char *name);

#endif
