/* SPDX-License-Identifier: MIT */
/* Parameters as text: values of several kinds, lists of descriptors, types that are rare. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sinsp/fields/param_text.h"
#include "sinsp/state/path.h"
#include "unit.h"
#include "world.h"

/* Types that no event of the table has yet: a descriptor made here. */
static void expect_made(struct drive *world, struct param_desc param, const void *bytes,
			uint32_t len, const char *text)
{
	struct event_desc desc = {.name = "made", .nparams = 1, .params = &param, .id = 2};
	struct state_event *event = &world->event;
	struct buf out = {0};

	param.name = "p";
	event->ev.desc = &desc;
	event->ev.params[0] = (struct event_param){bytes, len};
	param_text_all(event, &(const struct text_style){0}, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, text);
	buf_finish(&out);
}

static void test_other_types(void **state)
{
	struct drive *world = *state;
	static const struct param_flag modes[] = {{"EXEC", 1}, {"READ", 4}, {"BOTH", 5}, {NULL, 0}};
	const uint64_t ns = 1500000000, none = UINT64_MAX;
	const uint32_t signals = 1 << 8 | 1 << 16, both = 5, mode = 0x10005;
	const uint64_t high = UINT64_C(1) << 40 | 4;

	world_begin(world, EVENT_close, 100);
	world_end(world);
	expect_made(world, (struct param_desc){.type = PT_RELTIME}, &ns, 8, "p=1500000000(1.5s)");
	expect_made(world, (struct param_desc){.type = PT_RELTIME}, &none, 8, "p=none");
	expect_made(world, (struct param_desc){.type = PT_SIGSET}, &signals, 4,
		    "p=SIGKILL SIGCHLD");
	expect_made(world, (struct param_desc){.type = PT_MODE, .format = PF_OCT, .set = modes},
		    &both, 4, "p=05(EXEC|READ)");
	expect_made(world, (struct param_desc){.type = PT_MODE, .format = PF_OCT, .set = modes},
		    &mode, 4, "p=0200005(EXEC|READ)");
	expect_made(world, (struct param_desc){.type = PT_FLAGS64, .set = modes}, &high, 8,
		    "p=1099511627780(READ)");
	expect_made(world, (struct param_desc){.type = PT_CHARBUFARRAY}, "a\0b\0", 4, "p=a.b.");
	expect_made(world, (struct param_desc){.type = PT_FDLIST}, NULL, 0, "p=NULL");
}

/* A row for each type: bytes as events have them, and both texts. */
static void test_every_type(void **state)
{
	static const struct param_flag flags[] = {{"NONE", 0}, {"A", 1}, {"AB", 3}, {"B", 2},
						  {"C", 4},    {"D", 4}, {NULL, 0}};
	static const struct {
		enum param_type type;
		enum param_format format;
		const char *bytes;
		uint32_t len;
		const char *text;
	} rows[] = {
		{PT_INT8, PF_DEC, "\x80", 1, "p=-128"},
		{PT_UINT8, PF_DEC, "\xff", 1, "p=-1"},
		{PT_UINT8, PF_HEX, "\xfa", 1, "p=FA"},
		{PT_UINT8, PF_OCT, "\x08", 1, "p=010"},
		{PT_UINT8, PF_OCT, "\0", 1, "p=0"},
		{PT_INT16, PF_DEC, "\xfe\xff", 2, "p=-2"},
		{PT_UINT16, PF_DEC, "\xff\x7f", 2, "p=32767"},
		{PT_INT32, PF_HEX, "\xff\xff\xff\xff", 4, "p=FFFFFFFF"},
		{PT_UINT32, PF_DEC, "\xff\xff\xff\xff", 4, "p=-1"},
		{PT_UINT32, PF_ID, "\x10\0\0\0", 4, "p=16"},
		{PT_INT64, PF_DEC, "\0\0\0\0\0\0\0\x80", 8, "p=-9223372036854775808"},
		{PT_UINT64, PF_DEC, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, "p=-1"},
		{PT_UINT64, PF_HEX, "\0\x0d\xeb\xff\xff\xff\0\0", 8, "p=FFFFFFEB0D00"},
		{PT_FD, PF_DEC, "\3\0\0\0\0\0\0\0", 8, "p=3(<4t>a->b)"},
		{PT_FD, PF_DEC, "\4\0\0\0\0\0\0\0", 8, "p=4"},
		{PT_FD, PF_DEC, "\x9c\xff\xff\xff\xff\xff\xff\xff", 8, "p=-100(AT_FDCWD)"},
		{PT_FD, PF_DEC, "\xfe\xff\xff\xff\xff\xff\xff\xff", 8, "p=-2(ENOENT)"},
		{PT_PID, PF_DEC, "\x64\0\0\0\0\0\0\0", 8, "p=100(cat)"},
		{PT_PID, PF_DEC, "\0\0\0\0\0\0\0\0", 8, "p=0"},
		{PT_PID, PF_DEC, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, "p=-1"},
		{PT_ERRNO, PF_HEX, "\xfe\xff\xff\xff\xff\xff\xff\xff", 8, "p=-2(ENOENT)"},
		{PT_ERRNO, PF_HEX, "\x10\0\0\0\0\0\0\0", 8, "p=16"},
		{PT_ERRNO, PF_DEC, "\0\xf0\xff\xff\xff\xff\xff\xff", 8, "p=-4096"},
		{PT_UID, PF_DEC, "\0\0\0\0", 4, "p=0(root)"},
		{PT_UID, PF_DEC, "\xff\xff\xff\xff", 4, "p=-1(<NONE>)"},
		{PT_GID, PF_DEC, "\xfe\xff\xff\xef", 4, "p=-268435458(<NA>)"},
		{PT_SYSCALLID, PF_DEC, "\x05\0", 2, "p=5(open)"},
		{PT_SIGTYPE, PF_DEC, "\x11", 1, "p=17(SIGCHLD)"},
		{PT_SIGTYPE, PF_DEC, "\x20", 1, "p=32"},
		{PT_SIGSET, PF_DEC, "\1\0\0\x40", 4, "p=SIGHUP SIGSYS"},
		{PT_SIGSET, PF_DEC, "\0\0\0\0", 4, "p="},
		{PT_RELTIME, PF_DEC, "\0\0\0\0\0\0\0\0", 8, "p=0(0s)"},
		{PT_ABSTIME, PF_DEC, "\5\0\0\0\0\0\0\0", 8, "p=1970-01-01 00:00:00.000000005"},
		{PT_FLAGS8, PF_HEX, "\x07", 1, "p=7(A|B|C)"},
		{PT_FLAGS16, PF_DEC, "\0\0", 2, "p=0(NONE)"},
		{PT_FLAGS16, PF_DEC, "\0\x80", 2, "p=32768"},
		{PT_FLAGS32, PF_DEC, "\x05\0\0\x80", 4, "p=2147483653(A|C)"},
		{PT_ENUMFLAGS8, PF_DEC, "\x04", 1, "p=4(C|D)"},
		{PT_ENUMFLAGS16, PF_HEX, "\x03\0", 2, "p=3(AB)"},
		{PT_ENUMFLAGS32, PF_DEC, "\x07\0\0\0", 4, "p=7"},
		{PT_ENUMFLAGS32, PF_DEC, "\0\0\0\0", 4, "p=0(NONE)"},
		{PT_MODE, PF_OCT, "\0\0\0\0", 4, "p=0(NONE)"},
		{PT_MODE, PF_OCT, "\x06\0\0\0", 4, "p=06(B|C)"},
		{PT_CHARBUF, PF_NA, "a/b\0", 4, "p=a/b"},
		{PT_CHARBUF, PF_NA, "(NULL)\0", 7, "p=<NA>"},
		{PT_CHARBUF, PF_NA, "\0", 1, "p="},
		{PT_FSPATH, PF_NA, "a/../b\0", 7, "p=a/../b(/home/user/b)"},
		{PT_FSPATH, PF_NA, "/a/../b\0", 8, "p=/a/../b"},
		{PT_BYTEBUF, PF_NA, "a\0\n~\x7f", 5, "p=a..~."},
		{PT_SOCKADDR, PF_NA, "\x01/run/x\0", 8, "p=/run/x"},
		{PT_SOCKTUPLE, PF_NA, "\x10", 1, "p=family 16"},
	};
	struct drive *world = *state;
	struct state_fd *fd;

	setenv("TZ", "UTC", 1);
	tzset();
	world_begin(world, EVENT_close, 100);
	world_end(world);
	fd = world_fd(world->event.thread, 3, SCAP_FD_IPV4, "a->b");
	fd->l4 = SCAP_L4_TCP;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_made(world,
			    (struct param_desc){
				    .type = rows[i].type, .format = rows[i].format, .set = flags},
			    rows[i].bytes, rows[i].len, rows[i].text);
}

static void test_every_type_absent(void **state)
{
	static const enum param_type null_types[] = {PT_BYTEBUF,      PT_SOCKTUPLE, PT_FDLIST,
						     PT_CHARBUFARRAY, PT_DYN,	    PT_UINT32LIST,
						     PT_UINT64LIST,   PT_BITSET};
	struct drive *world = *state;

	world_begin(world, EVENT_close, 100);
	world_end(world);
	for (enum param_type type = PT_INT8; type < PT_IPADDR; type++) {
		const char *text = "p=<NA>";

		for (size_t i = 0; i < sizeof(null_types) / sizeof(null_types[0]); i++)
			if (null_types[i] == type)
				text = "p=NULL";
		expect_made(world, (struct param_desc){.type = type}, NULL, 0, text);
	}
}

/* What a thread that is not known has cannot be named, and a path not be joined. */
static void test_unknown_thread(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_close, 555);
	world_end(world);
	assert_null(world->event.thread);
	expect_made(world, (struct param_desc){.type = PT_FSPATH}, "a/b", 4, "p=a/b");
	expect_made(world, (struct param_desc){.type = PT_FD}, "\3\0\0\0\0\0\0\0", 8, "p=3");
	expect_made(world, (struct param_desc){.type = PT_PID}, "\x64\0\0\0\0\0\0\0", 8,
		    "p=100(cat)");
}

/* What is too long when it is joined has no end of its own. */
static void test_long_paths(void **state)
{
	static const char end[] = "(/DIR_TOO_LONG/FILENAME_TOO_LONG)";
	struct drive *world = *state;
	static char path[STATE_PATH_MAX], text[STATE_PATH_MAX + 100] = "p=";

	world_begin(world, EVENT_close, 100);
	world_end(world);
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	strcat(text, path);
	strcat(text, end);
	expect_made(world, (struct param_desc){.type = PT_FSPATH}, path, sizeof(path), text);
}

static void test_system_calls(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_syscall, 100);
	frame_put_i64(&world->frame, syscall__ID, SC_read);
	world_end(world);
	world_expect(world, "evt.arg.ID", "read");
	world_begin(world, EVENT_syscall, 100);
	frame_put_i64(&world->frame, syscall__ID, 60000);
	world_end(world);
	world_expect(world, "evt.arg.ID", "<unknown syscall>");
}

static void test_lists_and_sets(void **state)
{
	struct drive *world = *state;
	const uint32_t ids[] = {0, UINT32_MAX, 27};
	const uint64_t cpus[] = {UINT64_C(3) << 62 | 0xd, UINT64_C(1) << 63 | 3}, no_cpus[] = {0};
	const struct param_desc list = {.type = PT_UINT32LIST}, set = {.type = PT_BITSET};
	const uint64_t large[] = {UINT64_C(1) << 32, UINT64_MAX};
	const struct param_desc large_list = {.type = PT_UINT64LIST};

	world_begin(world, EVENT_close, 100);
	world_end(world);
	expect_made(world, list, ids, sizeof(ids), "p=0 4294967295 27");
	expect_made(world, list, NULL, 0, "p=NULL");
	expect_made(world, large_list, large, sizeof(large), "p=4294967296 18446744073709551615");
	expect_made(world, large_list, NULL, 0, "p=NULL");
	expect_made(world, set, cpus, sizeof(cpus), "p=0,2-3,62-65,127");
	expect_made(world, set, "\x81", 1, "p=0,7");
	expect_made(world, set, no_cpus, sizeof(no_cpus), "p=");
	expect_made(world, set, NULL, 0, "p=NULL");
}

/* Inner types as ptrace and keyctl have them; the format is that of the parameter. */
static void test_values_of_several_kinds(void **state)
{
	static const struct param_dyn kinds[] = {
		{PT_UINT64, PF_HEX},
		{PT_SIGTYPE, PF_DEC},
		{PT_CHARBUF, PF_NA},
		{PT_BYTEBUF, PF_HEX},
	};
	const struct param_desc hex = {
		.type = PT_DYN, .format = PF_HEX, .dyn = kinds, .dyn_count = 4};
	const struct param_desc decimal = {
		.type = PT_DYN, .format = PF_DEC, .dyn = kinds, .dyn_count = 4};
	struct drive *world = *state;

	world_begin(world, EVENT_close, 100);
	world_end(world);
	expect_made(world, hex, "\0\x55\x44\x33\x22\x11\0\0\0", 9, "p=1122334455");
	expect_made(world, decimal, "\0\xff\xff\xff\xff\xff\xff\xff\xff", 9, "p=-1");
	expect_made(world, hex, "\1\x11", 2, "p=17(SIGCHLD)");
	expect_made(world, hex, "\1\0", 2, "p=0");
	expect_made(world, decimal, "\2.name\0", 7, "p=.name");
	expect_made(world, decimal, "\2\0", 2, "p=");
	expect_made(world, decimal, "\2", 1, "p=(null)");
	expect_made(world, decimal, "\3a\0b", 4, "p=a.b");
	expect_made(world, decimal, "\3", 1, "p=");
	expect_made(world, decimal, NULL, 0, "p=NULL");
}

static void expect_option(struct drive *world, int option, const void *bytes, size_t len,
			  const char *text)
{
	struct frame *frame = &world->frame;

	world_begin(world, EVENT_setsockopt, 100);
	frame_put_i64(frame, setsockopt__level, sockopt_levels__SOL_SOCKET);
	frame_put_i64(frame, setsockopt__optname, option);
	frame_put_bytes(frame, setsockopt__val, bytes, len);
	world_end(world);
	world_expect(world, "evt.args", text);
}

static void test_socket_options(void **state)
{
	struct drive *world = *state;

	expect_option(world, sockopt_options__SO_REUSEADDR, "\2\1\0\0\0", 5,
		      "res=<NA> fd=<NA> level=1(SOL_SOCKET) optname=2(SO_REUSEADDR) val=1 "
		      "optlen=<NA>");
	expect_option(world, sockopt_options__SO_LINGER, "\0\1\0\0\0abcd", 9,
		      "res=<NA> fd=<NA> level=1(SOL_SOCKET) optname=13(SO_LINGER) val=....abcd "
		      "optlen=<NA>");
	expect_option(world, sockopt_options__SO_ERROR, "\1\x91\xff\xff\xff\xff\xff\xff\xff", 9,
		      "res=<NA> fd=<NA> level=1(SOL_SOCKET) optname=4(SO_ERROR) "
		      "val=-111(ECONNREFUSED) optlen=<NA>");
	world_expect(world, "evt.arg.val", "ECONNREFUSED");
	world_expect(world, "evt.rawarg.val", "-111");
	expect_option(world, sockopt_options__SO_RCVTIMEO, "\4\x20\x6b\xa2\x3b\0\0\0\0", 9,
		      "res=<NA> fd=<NA> level=1(SOL_SOCKET) optname=20(SO_RCVTIMEO) "
		      "val=1000500000(1.0005s) optlen=<NA>");
	expect_option(world, 0, NULL, 0,
		      "res=<NA> fd=<NA> level=1(SOL_SOCKET) optname=0(UNKNOWN) val=NULL "
		      "optlen=<NA>");
}

static void expect_list(struct drive *world, uint16_t count, const struct fdlist_entry *entries,
			const char *text)
{
	world_begin(world, EVENT_poll, 100);
	frame_put_fdlist(&world->frame, poll__fds, entries, count);
	world_end(world);
	world_expect(world, "evt.arg.fds", text);
	world_expect(world, "evt.rawarg.fds", text);
}

static void test_lists_of_descriptors(void **state)
{
	const struct fdlist_entry entries[] = {
		{0, 1}, {3, 0x64}, {300, 0x40}, {-1, 0}, {3, -32768}};
	struct drive *world = *state;
	const struct state_thread *thread = state_thread_find(world->state, 100);

	world_fd(thread, 0, SCAP_FD_PIPE, "pipe:[1]");
	world_fd(thread, 3, SCAP_FD_IPV6, "");
	expect_list(world, 5, entries, "0:p1 3:664 300:?40 -1:?0 3:6ffff8000");
	expect_list(world, 1, entries + 1, "3:664");
	expect_list(world, 0, entries, "");
}

/* Nothing is in a memfd, but a call may name it as a directory, and its name may be short. */
static void test_path_from_no_directory(void **state)
{
	struct drive *world = *state;

	world_fd(state_thread_find(world->state, 100), 4, SCAP_FD_MEMFD, "m");
	world_begin(world, EVENT_unlinkat, 100);
	frame_put_i64(&world->frame, unlinkat__dirfd, 4);
	frame_put_string(&world->frame, unlinkat__name, "b");
	world_end(world);
	world_expect(world, "evt.arg.name", "mb");
	world_begin(world, EVENT_unlinkat, 100);
	frame_put_i64(&world->frame, unlinkat__dirfd, 5);
	frame_put_string(&world->frame, unlinkat__name, "b/./c");
	world_end(world);
	world_expect(world, "evt.arg.name", "b/c");
}

static void test_events_without_parameters(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_getsockname, 100);
	world_end(world);
	world_expect(world, "evt.args", "");
	world_expect(world, "evt.type", "getsockname");
	world_expect_none(world, "evt.res");
	world_expect_none(world, "evt.arg[0]");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_every_type),
	TEST(test_every_type_absent),
	TEST(test_unknown_thread),
	TEST(test_long_paths),
	TEST(test_other_types),
	TEST(test_system_calls),
	TEST(test_lists_and_sets),
	TEST(test_values_of_several_kinds),
	TEST(test_socket_options),
	TEST(test_lists_of_descriptors),
	TEST(test_path_from_no_directory),
	TEST(test_events_without_parameters),
};

UNIT_GROUP(tests);
