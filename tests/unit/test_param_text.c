/* SPDX-License-Identifier: MIT */
/* Parameters as text: values of several kinds, lists of descriptors, types that are rare. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>

#include "sinsp/param_text.h"
#include "world.h"

static int setup(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	struct world_process process = {.pid = 100, .ptid = 1, .comm = "cat", .cwd = "/home/user"};

	world_create(world);
	world_process(world, &process);
	*state = world;
	return 0;
}

static int teardown(void **state)
{
	world_destroy(*state);
	free(*state);
	return 0;
}

/* Types that no event of the table has yet: a descriptor made here. */
static void expect_made(struct world *world, struct param_desc param, const void *bytes,
			uint32_t len, const char *text)
{
	struct event_desc desc = {.name = "made", .nparams = 1, .params = &param, .id = 2};
	struct sinsp_event *event = &world->event;
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
	struct world *world = *state;
	static const struct flag_name modes[] = {{"EXEC", 1}, {"READ", 4}, {"BOTH", 5}, {NULL, 0}};
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

static void test_lists_and_sets(void **state)
{
	struct world *world = *state;
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
	static const struct dyn_kind kinds[] = {
		{PT_UINT64, PF_HEX},
		{PT_SIGTYPE, PF_DEC},
		{PT_CHARBUF, PF_NA},
		{PT_BYTEBUF, PF_HEX},
	};
	const struct param_desc hex = {
		.type = PT_DYN, .format = PF_HEX, .dyn = kinds, .dyn_count = 4};
	const struct param_desc decimal = {
		.type = PT_DYN, .format = PF_DEC, .dyn = kinds, .dyn_count = 4};
	struct world *world = *state;

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

static void expect_option(struct world *world, int option, const void *bytes, size_t len,
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
	struct world *world = *state;

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

static void expect_list(struct world *world, uint16_t count, const struct fdlist_entry *entries,
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
	struct world *world = *state;
	struct sinsp_thread *thread = sinsp_thread_find(world->sinsp, 100);

	world_fd(thread, 0, SCAP_FD_PIPE, "pipe:[1]");
	world_fd(thread, 3, SCAP_FD_IPV6, "");
	expect_list(world, 5, entries,
		    "0:p1 3:664 300:?40 18446744073709551615:?0 3:6ffff8000");
	expect_list(world, 1, entries + 1, "3:664");
	expect_list(world, 0, entries, "");
}

/* Nothing is in a memfd, but a call may name it as a directory, and its name may be short. */
static void test_path_from_no_directory(void **state)
{
	struct world *world = *state;

	world_fd(sinsp_thread_find(world->sinsp, 100), 4, SCAP_FD_MEMFD, "m");
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
	struct world *world = *state;

	world_begin(world, EVENT_getsockname, 100);
	world_end(world);
	world_expect(world, "evt.args", "");
	world_expect(world, "evt.type", "getsockname");
	world_expect_none(world, "evt.res");
	world_expect_none(world, "evt.arg[0]");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_other_types),
		TEST(test_lists_and_sets),
		TEST(test_values_of_several_kinds),
		TEST(test_socket_options),
		TEST(test_lists_of_descriptors),
		TEST(test_path_from_no_directory),
		TEST(test_events_without_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
