/* SPDX-License-Identifier: MIT */
/* setsockopt and getsockopt: every option's name and kind of value, values of each kind. */
#include "harness/fixture.h"
#include "harness/live.h"

#include <netinet/tcp.h>
#include <string.h>
#include <sys/time.h>

enum {
	KIND_BYTES,
	KIND_ERRNO,
	KIND_UINT32,
	KIND_UINT64,
	KIND_TIME,
	OPTIONS = 70,
	LEN_16_BITS = 0x10000, /* the lengths of setsockopt are cut to 16 bits */
	LONGEST = 65535,
	LONGEST_SHOWN = FRAME_BYTES_MAX - 64,
	COOKIE = 57,
	RCVTIMEO_NEW = 66,
};

/* The kind of each option's value, by number; a row for every ten. */
static const char kinds[OPTIONS + 1] = "0222122222"
				       "2220222022"
				       "4422200202"
				       "2222222222"
				       "2222222222"
				       "0000000300"
				       "0000004400";

struct option_case {
	long fd, level, option;
	const void *value;
	long len, ret;
};

struct shown {
	int level, option;
	int kind;
	const void *value; /* NULL: no parameter at all */
	size_t value_len;
	uint32_t len;
};

static void expect_value(const struct event *ev, unsigned int param, const struct shown *shown)
{
	static char value[1 + LONGEST];

	value[0] = (char)shown->kind;
	if (shown->value)
		memcpy(value + 1, shown->value, shown->value_len);
	expect_bytes(ev, param, value, shown->value ? 1 + shown->value_len : 0);
}

static void check_set(const struct option_case *set, const struct shown *shown)
{
	const struct event *ev;

	require(CALL(SYS_setsockopt, set->fd, set->level, set->option, set->value, set->len) ==
		set->ret);
	ev = live_next(EVENT_setsockopt);
	expect_i64(ev, setsockopt__res, set->ret);
	expect_i64(ev, setsockopt__fd, (int)set->fd);
	expect_i64(ev, setsockopt__level, shown->level);
	expect_i64(ev, setsockopt__optname, shown->option);
	expect_value(ev, setsockopt__val, shown);
	expect_i64(ev, setsockopt__optlen, shown->len);
}

/* As it is stored: unchanged up to the one for BPF filters, then only those that have a name. */
static int stored_option(int native)
{
	static const int others[OPTIONS] = {
		[55] = sockopt_options__SO_MEMINFO,	 [57] = sockopt_options__SO_COOKIE,
		[59] = sockopt_options__SO_PEERGROUPS, [66] = sockopt_options__SO_RCVTIMEO,
		[67] = sockopt_options__SO_SNDTIMEO,
	};

	return native <= sockopt_options__SO_ATTACH_BPF ? native : others[native];
}

/* Every option, and some beyond, with the same bytes: seconds and microseconds, or a number. */
static void check_options(void)
{
	const struct timeval value = {0x100000002, 500};
	const uint32_t low = 2;
	const uint64_t whole = 0x100000002, ns = 0x100000002 * 1000000000 + 500000;
	const int64_t error = -2;

	for (int option = 0; option < OPTIONS; option++) {
		struct shown shown = {sockopt_levels__SOL_SOCKET, stored_option(option),
				      kinds[option] - '0', &value, sizeof(value), sizeof(value)};
		const void *values[] = {&value, &error, &low, &whole, &ns};
		const size_t sizes[] = {sizeof(value), 8, 4, 8, 8};

		shown.value = values[shown.kind];
		shown.value_len = sizes[shown.kind];
		check_set(&(struct option_case){NO_FD, SOL_SOCKET, option, &value, sizeof(value),
						-EBADF},
			  &shown);
	}
}

/* Options of other levels, numbers of more than 32 bits, and bytes of all lengths. */
static void check_levels(void)
{
	const char *bytes = fixture_pattern(LONGEST);
	const struct shown tcp = {sockopt_levels__SOL_TCP, 0, KIND_BYTES, bytes, 4, 4};
	const struct shown none = {0, 0, KIND_BYTES, bytes, 4, 4};

	check_set(&(struct option_case){NO_FD, IPPROTO_TCP, TCP_NODELAY, bytes, 4, -EBADF}, &tcp);
	check_set(&(struct option_case){NO_FD, IPPROTO_IP, SO_TYPE, bytes, 4, -EBADF}, &none);
	check_set(&(struct option_case){NO_FD, 0x100000000 + IPPROTO_TCP, 1, bytes,
					LEN_16_BITS + 4, -EBADF},
		  &tcp);
	check_set(&(struct option_case){NO_FD, -1, -1, bytes, 4, -EBADF}, &none);
	check_set(&(struct option_case){NO_FD, SOL_SOCKET, -1, bytes, 4, -EBADF},
		  &(struct shown){sockopt_levels__SOL_SOCKET, 0, KIND_BYTES, bytes, 4, 4});
	check_set(&(struct option_case){NO_FD, IPPROTO_TCP, 1, bytes, 0, -EBADF},
		  &(struct shown){sockopt_levels__SOL_TCP, 0, KIND_BYTES, bytes, 0, 0});
	check_set(&(struct option_case){NO_FD, IPPROTO_TCP, 1, bytes, LONGEST, -EBADF},
		  &(struct shown){sockopt_levels__SOL_TCP, 0, KIND_BYTES, bytes, LONGEST_SHOWN,
				  LONGEST});
	check_set(&(struct option_case){NO_FD, IPPROTO_TCP, 1, UNREADABLE, 4, -EBADF},
		  &(struct shown){sockopt_levels__SOL_TCP, 0, KIND_BYTES, bytes, 0, 4});
}

/* Numbers that cannot be read are 0. */
static void check_unreadable(void)
{
	static const int options[] = {SO_ERROR, SO_REUSEADDR, COOKIE, SO_RCVTIMEO};
	static const size_t sizes[] = {8, 4, 8, 8};
	const uint64_t zero = 0;

	for (int i = 0; i < 4; i++) {
		struct shown shown = {sockopt_levels__SOL_SOCKET, stored_option(options[i]),
				      kinds[options[i]] - '0', &zero, sizes[i], 4};

		check_set(&(struct option_case){NO_FD, SOL_SOCKET, options[i], NULL, 4, -EBADF},
			  &shown);
		check_set(&(struct option_case){NO_FD, SOL_SOCKET, options[i], UNREADABLE, 4,
						-EBADF},
			  &shown);
	}
}

LIVE_TEST(setsockopt)
{
	const struct timeval time = {1, 500};
	const uint32_t on = 1;
	const uint64_t ns = 1000500000;
	int fd = socket(AF_INET, SOCK_STREAM, 0), level = sockopt_levels__SOL_SOCKET;

	check_set(&(struct option_case){fd, SOL_SOCKET, SO_REUSEADDR, &on, 4, 0},
		  &(struct shown){level, SO_REUSEADDR, KIND_UINT32, &on, 4, 4});
	check_set(&(struct option_case){fd, SOL_SOCKET, SO_RCVTIMEO, &time, 16, 0},
		  &(struct shown){level, SO_RCVTIMEO, KIND_TIME, &ns, 8, 16});
	close(fd);
	check_options();
	check_levels();
	check_unreadable();
}

/* Makes the call with room for `len` bytes; the event shows what the call left of it. */
static void check_got(const struct option_case *got, struct shown *shown, void *value)
{
	socklen_t len = (socklen_t)got->len;
	const struct event *ev;

	require(CALL(SYS_getsockopt, got->fd, got->level, got->option, value, &len) == got->ret);
	ev = live_next(EVENT_getsockopt);
	if (got->ret >= 0 && shown->kind == KIND_BYTES)
		shown->value_len = len;
	expect_i64(ev, getsockopt__res, got->ret);
	expect_i64(ev, getsockopt__fd, (int)got->fd);
	expect_i64(ev, getsockopt__level, shown->level);
	expect_i64(ev, getsockopt__optname, shown->option);
	expect_value(ev, getsockopt__val, shown);
	expect_i64(ev, getsockopt__optlen, len);
}

static void check_got_failed(const struct option_case *got, int stored)
{
	int value = 536;

	check_got(got, &(struct shown){sockopt_levels__SOL_SOCKET, stored, 0, NULL, 0, 0}, &value);
}

/* The error of a message that nobody was there for. */
static void check_error(void)
{
	struct connection link = fixture_connect("127.0.0.1", SOCK_DGRAM);
	struct shown shown = {sockopt_levels__SOL_SOCKET, SO_ERROR, KIND_ERRNO, NULL, 8, 0};
	const int64_t refused = -ECONNREFUSED, none = 0;
	int value;

	close(link.server);
	require(send(link.client, "x", 1, 0) == 1);
	shown.value = &refused;
	check_got(&(struct option_case){link.client, SOL_SOCKET, SO_ERROR, NULL, 4, 0}, &shown,
		  &value);
	shown.value = &none;
	check_got(&(struct option_case){link.client, SOL_SOCKET, SO_ERROR, NULL, 4, 0}, &shown,
		  &value);
	close(link.client);
}

LIVE_TEST(getsockopt)
{
	const uint32_t stream = SOCK_STREAM;
	const uint64_t ns = 2000000000;
	struct timeval time = {2, 0};
	int fd = socket(AF_INET, SOCK_STREAM, 0), level = sockopt_levels__SOL_SOCKET;
	struct shown type = {level, SO_TYPE, KIND_UINT32, &stream, 4, 0};
	struct shown timeout = {level, SO_RCVTIMEO, KIND_TIME, &ns, 8, 0};
	uint64_t cookie;
	char bytes[64];
	struct shown number = {level, sockopt_options__SO_COOKIE, KIND_UINT64, &cookie, 8, 0};
	struct shown linger = {level, SO_LINGER, KIND_BYTES, bytes, 0, 0};
	struct shown info = {sockopt_levels__SOL_TCP, 0, KIND_BYTES, bytes, 0, 0};

	require(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)) == 0);
	check_got(&(struct option_case){fd, SOL_SOCKET, SO_TYPE, NULL, 4, 0}, &type, bytes);
	check_got(&(struct option_case){fd, SOL_SOCKET, SO_RCVTIMEO, NULL, 16, 0}, &timeout, bytes);
	check_got(&(struct option_case){fd, SOL_SOCKET, RCVTIMEO_NEW, NULL, 16, 0}, &timeout,
		  bytes);
	check_got(&(struct option_case){fd, SOL_SOCKET, COOKIE, NULL, 8, 0}, &number, &cookie);
	check_got(&(struct option_case){fd, SOL_SOCKET, SO_LINGER, NULL, 64, 0}, &linger, bytes);
	check_got(&(struct option_case){fd, IPPROTO_TCP, TCP_INFO, NULL, 64, 0}, &info, bytes);
	check_error();

	check_got_failed(&(struct option_case){NO_FD, SOL_SOCKET, SO_TYPE, NULL, 4, -EBADF},
			 SO_TYPE);
	check_got_failed(&(struct option_case){fd, SOL_SOCKET, 9999, NULL, 4, -ENOPROTOOPT}, 0);
	check_got_failed(&(struct option_case){fd, SOL_SOCKET, SO_TYPE, NULL, -1, -EINVAL},
			 SO_TYPE);
	close(fd);
}
