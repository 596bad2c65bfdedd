/* SPDX-License-Identifier: MIT */
/* Parameters as JSON values: every type, present and absent. */
#include <errno.h>
#include <stdlib.h>

#include "sinsp/fields/param_value.h"
#include "unit.h"
#include "world.h"

static void expect_flags(struct drive *world, uint32_t flags, const char *json)
{
	world_openat(world, 3, "x", flags);
	world_expect_json(world, "evt.arg.flags", json);
}

static void test_open_flags_as_the_kernel_knows_them(void **state)
{
	struct drive *world = *state;

	expect_flags(world, 0x1, "{\"evt.arg.flags\":[\"O_RDONLY\"]}");
	expect_flags(world, 0x3 | 0x4 | 0x4000,
		     "{\"evt.arg.flags\":[\"O_CREAT\",\"O_RDWR\",\"O_F_CREATED\"]}");
	/* O_DIRECTORY sets O_TMPFILE's bit; only with write access is it that. */
	expect_flags(world, 0x1 | 0x400 | 0x2000,
		     "{\"evt.arg.flags\":[\"O_DIRECTORY\",\"O_RDONLY\"]}");
	expect_flags(world, 0x2 | 0x400 | 0x2000,
		     "{\"evt.arg.flags\":[\"O_WRONLY\",\"O_TMPFILE\"]}");
	expect_flags(world, 0x2 | 0x10 | 0x80, "{\"evt.arg.flags\":[\"O_DSYNC\",\"O_WRONLY\"]}");
	expect_flags(world, 0x2 | 0x80, "{\"evt.arg.flags\":[\"O_SYNC\",\"O_WRONLY\"]}");
	expect_flags(world, 0x40000001, "{\"evt.arg.flags\":[\"O_RDONLY\",\"0x40000000\"]}");
	expect_flags(world, 0x80000000, "{\"evt.arg.flags\":[\"0x80000000\"]}");
	expect_flags(world, 0, "{\"evt.arg.flags\":[]}");
}

static void test_flags_and_enumerations(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_socket, 100);
	frame_put_i64(&world->frame, socket__domain, 1);
	frame_put_i64(&world->frame, socket__type, 0x80801);
	frame_put_i64(&world->frame, socket__flags, 0);
	world_end(world);
	world_expect_json(world, "evt.args",
			  "{\"evt.args\":{\"fd\":null,\"domain\":\"AF_UNIX\",\"type\":526337,"
			  "\"proto\":null,\"flags\":[]}}");
	world_begin(world, EVENT_fcntl, 100);
	frame_put_i64(&world->frame, fcntl__cmd, 200);
	frame_put_i64(&world->frame, fcntl__arg, 0xabc);
	world_end(world);
	world_expect_json(world, "evt.args",
			  "{\"evt.args\":{\"res\":null,\"fd\":null,\"cmd\":\"200\","
			  "\"arg\":\"0xabc\"}}");
	world_begin(world, EVENT_clone, 100);
	frame_put_i64(&world->frame, clone__flags, 25165824);
	world_end(world);
	world_expect_json(world, "evt.arg.flags",
			  "{\"evt.arg.flags\":[\"CLONE_CHILD_CLEARTID\",\"CLONE_CHILD_SETTID\"]}");
}

static void expect_extension_flags(struct drive *world, uint16_t event, unsigned int param,
				   uint32_t flags, const char *field, const char *json)
{
	world_begin(world, event, 100);
	frame_put_i64(&world->frame, param, flags);
	world_end(world);
	world_expect_json(world, field, json);
}

/* What the .scap world calls otherwise. */
static void test_flags_by_the_names_of_the_kernel(void **state)
{
	struct drive *world = *state;

	expect_extension_flags(world, EVENT_userfaultfd, userfaultfd__flags, 02000001,
			       "evt.arg.flags",
			       "{\"evt.arg.flags\":[\"UFFD_USER_MODE_ONLY\",\"O_CLOEXEC\"]}");
	expect_extension_flags(world, EVENT_userfaultfd, userfaultfd__flags, 04010, "evt.arg.flags",
			       "{\"evt.arg.flags\":[\"O_NONBLOCK\",\"0x8\"]}");
	expect_extension_flags(world, EVENT_fchownat, fchownat__flags, 0x1400, "evt.arg.flags",
			       "{\"evt.arg.flags\":[\"AT_SYMLINK_FOLLOW\",\"AT_EMPTY_PATH\"]}");
	expect_extension_flags(world, EVENT_quotactl, quotactl__dqi_flags, 1, "evt.arg.dqi_flags",
			       "{\"evt.arg.dqi_flags\":[\"DQF_ROOT_SQUASH\"]}");
	expect_extension_flags(world, EVENT_mknod, mknod__mode, 0060640, "evt.arg.mode",
			       "{\"evt.arg.mode\":\"060640\"}");
}

static void test_numbers(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_pwrite, 100);
	frame_put_i64(&world->frame, pwrite__res, -EBADF);
	frame_put_i64(&world->frame, pwrite__size, UINT32_MAX);
	frame_put_i64(&world->frame, pwrite__pos, INT64_C(1) << 53);
	world_end(world);
	world_expect_json(world, "evt.args",
			  "{\"evt.args\":{\"res\":-9,\"data\":null,\"fd\":null,\"size\":4294967295,"
			  "\"pos\":9007199254740992}}");
	world_begin(world, EVENT_pwrite, 100);
	frame_put_i64(&world->frame, pwrite__pos, -1);
	world_end(world);
	world_expect_json(world, "evt.arg.pos", "{\"evt.arg.pos\":18446744073709551615.0}");
	world_expect_json(world, "evt.rawarg.pos", "{\"evt.rawarg.pos\":18446744073709551615.0}");
	world_expect_json(world, "evt.arg.data", "{\"evt.arg.data\":null}");
	world_begin(world, EVENT_accept4, 100);
	frame_put_i64(&world->frame, accept4__flags, -1);
	world_end(world);
	world_expect_json(world, "evt.arg.flags", "{\"evt.arg.flags\":\"0xffffffff\"}");
	world_begin(world, EVENT_creat, 100);
	frame_put_i64(&world->frame, creat__mode, 0644);
	world_end(world);
	world_expect_json(world, "evt.arg[2]", "{\"evt.arg[2]\":\"0644\"}");
	world_begin(world, EVENT_mmap, 100);
	frame_put_i64(&world->frame, mmap__res, -EINVAL);
	frame_put_i64(&world->frame, mmap__addr, 4096);
	world_end(world);
	world_expect_json(world, "evt.arg.res", "{\"evt.arg.res\":-22}");
	world_expect_json(world, "evt.arg.addr", "{\"evt.arg.addr\":\"0x1000\"}");
}

static void test_data(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_write, 100);
	frame_put_bytes(&world->frame, write__data, "a\n\0\"caf\xc3\xa9 \xff\xc3", 12);
	world_end(world);
	world_expect_json(
		world, "evt.arg.data",
		"{\"evt.arg.data\":\"a\\n\\u0000\\\"caf\xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd\"}");
}

static void test_names_from_users(void **state)
{
	struct drive *world = *state;

	world_openat(world, -ENOENT, "a\"\\\n\x1b[31m\xff", 0x1);
	world_expect_json(world, "evt.arg.name",
			  "{\"evt.arg.name\":\"a\\\"\\\\\\n\\u001b[31m\xef\xbf\xbd\"}");
	world_openat(world, -ENOENT, "", 0x1);
	world_expect_json(world, "evt.arg.name", "{\"evt.arg.name\":\"\"}");
	world_openat(world, -EFAULT, NULL, 0x1);
	world_expect_json(world, "evt.arg.name", "{\"evt.arg.name\":null}");
}

static void test_exec(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_execve, 100);
	frame_put_i64(&world->frame, execve__res, 0);
	frame_put_bytes(&world->frame, execve__args, "-6\0\0x y\0", 8);
	frame_put_bytes(&world->frame, execve__env, "A=1\0B", 5);
	frame_put_string(&world->frame, execve__comm, "cat");
	frame_put_i64(&world->frame, execve__uid, 1000);
	frame_put_i64(&world->frame, execve__loginuid, -1);
	frame_put_i64(&world->frame, execve__cap_permitted, 0x1fffeffffff);
	frame_put_i64(&world->frame, execve__exe_ino_ctime, (int64_t)WORLD_TIME_NS);
	frame_put_i64(&world->frame, execve__flags, 0x1);
	world_end(world);
	world_expect_json(world, "evt.arg.args", "{\"evt.arg.args\":[\"-6\",\"\",\"x y\"]}");
	world_expect_json(world, "evt.arg.env", "{\"evt.arg.env\":[\"A=1\",\"B\"]}");
	world_expect_json(world, "evt.arg.cgroups", "{\"evt.arg.cgroups\":null}");
	world_expect_json(world, "evt.arg.uid", "{\"evt.arg.uid\":1000}");
	world_expect_json(world, "evt.arg.loginuid", "{\"evt.arg.loginuid\":-1}");
	world_expect_json(world, "evt.arg.cap_permitted",
			  "{\"evt.arg.cap_permitted\":\"0x1fffeffffff\"}");
	world_expect_json(world, "evt.arg.exe_ino_ctime",
			  "{\"evt.arg.exe_ino_ctime\":\"2026-11-21T11:36:01.123456789Z\"}");
	world_expect_json(world, "evt.arg.flags", "{\"evt.arg.flags\":[\"EXE_WRITABLE\"]}");
}

static void test_lists_and_sets(void **state)
{
	struct drive *world = *state;
	const uint32_t groups[] = {0, 27, UINT32_MAX};
	const uint64_t cpus[] = {0xf, 1}, mounts[] = {0x100000025, UINT64_MAX};

	world_begin(world, EVENT_setgroups, 100);
	frame_put_bytes(&world->frame, setgroups__list, groups, sizeof(groups));
	world_end(world);
	world_expect_json(world, "evt.arg.list", "{\"evt.arg.list\":[0,27,4294967295]}");
	world_begin(world, EVENT_sched_setaffinity, 100);
	frame_put_bytes(&world->frame, sched_setaffinity__mask, cpus, sizeof(cpus));
	world_end(world);
	world_expect_json(world, "evt.arg.mask", "{\"evt.arg.mask\":\"0-3,64\"}");
	world_begin(world, EVENT_listmount, 100);
	frame_put_bytes(&world->frame, listmount__mnt_ids, mounts, sizeof(mounts));
	world_end(world);
	world_expect_json(world, "evt.arg.mnt_ids",
			  "{\"evt.arg.mnt_ids\":[4294967333,18446744073709551615.0]}");
	world_begin(world, EVENT_fanotify_mark, 100);
	frame_put_i64(&world->frame, fanotify_mark__mask,
		      fanotify_events__FAN_OPEN | fanotify_events__FAN_ONDIR | INT64_C(1) << 40);
	world_end(world);
	world_expect_json(world, "evt.arg.mask",
			  "{\"evt.arg.mask\":[\"FAN_OPEN\",\"FAN_ONDIR\",\"0x10000000000\"]}");
}

static void test_exit_and_generic(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_procexit, 100);
	frame_put_i64(&world->frame, procexit__status, 9);
	frame_put_i64(&world->frame, procexit__ret, 0);
	frame_put_i64(&world->frame, procexit__sig, 9);
	frame_put_i64(&world->frame, procexit__core, 0);
	frame_put_i64(&world->frame, procexit__reaper_tid, 1);
	world_end(world);
	world_expect_json(world, "evt.args",
			  "{\"evt.args\":{\"status\":9,\"ret\":0,\"sig\":\"SIGKILL\",\"core\":0,"
			  "\"reaper_tid\":1}}");
	world_begin(world, EVENT_procexit, 100);
	frame_put_i64(&world->frame, procexit__sig, 0);
	world_end(world);
	world_expect_json(world, "evt.arg.sig", "{\"evt.arg.sig\":\"0\"}");
	world_begin(world, EVENT_syscall, 100);
	frame_put_i64(&world->frame, syscall__ID, SC_getppid);
	frame_put_i64(&world->frame, syscall__nativeID, 110);
	world_end(world);
	world_expect_json(world, "evt.args",
			  "{\"evt.args\":{\"ID\":\"getppid\",\"nativeID\":110}}");
	world_begin(world, EVENT_syscall, 100);
	frame_put_i64(&world->frame, syscall__ID, 60000);
	world_end(world);
	world_expect_json(world, "evt.args", "{\"evt.args\":{\"ID\":\"60000\",\"nativeID\":null}}");
}

static void test_addresses(void **state)
{
	struct drive *world = *state;
	struct frame_tuple tuple = {"10.0.0.1", "10.0.0.2", 1234, 80};

	world_begin(world, EVENT_connect, 100);
	frame_put_tuple(&world->frame, connect__tuple, &tuple);
	frame_put_ip(&world->frame, connect__addr, "::1", 80);
	world_end(world);
	world_expect_json(world, "evt.args",
			  "{\"evt.args\":{\"res\":null,\"tuple\":\"10.0.0.1:1234->10.0.0.2:80\","
			  "\"fd\":null,\"addr\":\"::1:80\"}}");
	world_begin(world, EVENT_bind, 100);
	frame_put_unix(&world->frame, bind__addr, "/run/\"x\"");
	world_end(world);
	world_expect_json(world, "evt.arg.addr", "{\"evt.arg.addr\":\"/run/\\\"x\\\"\"}");
	world_begin(world, EVENT_bind, 100);
	world_end(world);
	world_expect_json(world, "evt.arg.addr", "{\"evt.arg.addr\":null}");
	world_expect_json(world, "evt.args",
			  "{\"evt.args\":{\"res\":null,\"addr\":null,\"fd\":null}}");
}

static void expect_option(struct drive *world, const void *bytes, size_t len, const char *json)
{
	world_begin(world, EVENT_getsockopt, 100);
	frame_put_bytes(&world->frame, getsockopt__val, bytes, len);
	world_end(world);
	world_expect_json(world, "evt.args", json);
}

/* A value of several kinds is written as one of its kind. */
static void test_socket_options(void **state)
{
	struct drive *world = *state;

#define OPTION(value)                                                                              \
	"{\"evt.args\":{\"res\":null,\"fd\":null,\"level\":null,\"optname\":null,\"val\":" value   \
	",\"optlen\":null}}"
	expect_option(world, "\2\xff\xff\xff\xff", 5, OPTION("4294967295"));
	world_expect_json(world, "evt.rawarg.val", "{\"evt.rawarg.val\":4294967295}");
	world_expect_json(world, "evt.arg.val", "{\"evt.arg.val\":4294967295}");
	expect_option(world, "\1\xfe\xff\xff\xff\xff\xff\xff\xff", 9, OPTION("-2"));
	expect_option(world, "\4\x20\x6b\xa2\x3b\0\0\0\0", 9, OPTION("1000500000"));
	expect_option(world, "\0a\0b", 4, OPTION("\"a\\u0000b\""));
	expect_option(world, "\0", 1, OPTION("\"\""));
	expect_option(world, NULL, 0, OPTION("null"));
#undef OPTION
}

static void test_lists_of_descriptors(void **state)
{
	const struct fdlist_entry entries[] = {{3, 0x401}, {-1, 0}};
	struct drive *world = *state;

	world_begin(world, EVENT_poll, 100);
	frame_put_fdlist(&world->frame, poll__fds, entries, 2);
	world_end(world);
	world_expect_json(world, "evt.args",
			  "{\"evt.args\":{\"res\":null,\"fds\":["
			  "{\"fd\":3,\"events\":[\"POLLIN\",\"POLLWRBAND\"]},"
			  "{\"fd\":-1,\"events\":[]}],\"timeout\":null}}");
	world_expect_json(world, "evt.rawarg.fds",
			  "{\"evt.rawarg.fds\":[{\"fd\":3,\"events\":[\"POLLIN\",\"POLLWRBAND\"]},"
			  "{\"fd\":-1,\"events\":[]}]}");
	world_begin(world, EVENT_poll, 100);
	frame_put_fdlist(&world->frame, poll__fds, entries, 0);
	world_end(world);
	world_expect_json(world, "evt.args",
			  "{\"evt.args\":{\"res\":null,\"fds\":[],\"timeout\":null}}");
}

static void test_events_without_parameters(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_getpeername, 100);
	world_end(world);
	world_expect_json(world, "evt.args", "{\"evt.args\":{}}");
}

/* One parameter of the event, and whether a text was changed. */
static void expect_param(struct drive *world, struct param_values *json, unsigned int index,
			 bool changed, const char *wanted)
{
	struct clock utc = {0};
	struct buf out = {0};

	assert_int_equal(param_value_append(json, &world->event, index, &utc, &out), changed);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, wanted);
	buf_finish(&out);
}

static void expect_all(struct drive *world, struct param_values *json, bool base64,
		       const char *wanted)
{
	struct clock utc = {0};
	struct buf out = {0};

	BUF_LITERAL(&out, "x");
	param_value_append_all(json, &world->event, &utc, base64, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data + 1, wanted);
	buf_finish(&out);
}

static void test_changed_texts(void **state)
{
	struct drive *world = *state;
	struct param_values *json;

	assert_int_equal(param_values_create(&encoder_json_exact, &json), 0);
	world_openat(world, -ENOENT, "/a\xff", 0x1);
	expect_param(world, json, openat__name, true, "\"/a\xef\xbf\xbd\"");
	expect_param(world, json, openat__fd, false, "-2");
	world_openat(world, -ENOENT, "/a", 0x1);
	expect_param(world, json, openat__name, false, "\"/a\"");
	world_openat(world, -ENOENT, NULL, 0x1);
	expect_param(world, json, openat__name, false, "null");
	/* One bad text of a list is enough. */
	world_begin(world, EVENT_execve, 100);
	frame_put_bytes(&world->frame, execve__args, "\xff\0b\0", 4);
	world_end(world);
	expect_param(world, json, execve__args, true, "[\"\xef\xbf\xbd\",\"b\"]");
	param_values_destroy(json);
}

static void test_base64(void **state)
{
	struct drive *world = *state;
	struct param_values *json;

	assert_int_equal(param_values_create(&encoder_json_exact, &json), 0);
	world_begin(world, EVENT_write, 100);
	frame_put_bytes(&world->frame, write__data, "\xff", 1);
	frame_put_i64(&world->frame, write__fd, 5);
	world_end(world);
	expect_all(world, json, false,
		   "{\"res\":null,\"data\":\"\xef\xbf\xbd\",\"fd\":5,\"size\":null}");
	expect_all(world, json, true,
		   "{\"res\":null,\"data\":\"\xef\xbf\xbd\",\"data_b64\":\"/w==\",\"fd\":5,"
		   "\"size\":null}");
	world_begin(world, EVENT_write, 100);
	frame_put_bytes(&world->frame, write__data, "a", 1);
	world_end(world);
	expect_all(world, json, true, "{\"res\":null,\"data\":\"a\",\"fd\":null,\"size\":null}");
	param_values_destroy(json);
}

/* The forms of buffers are those of text; lists and names are none. */
static void test_forms_of_buffers(void **state)
{
	struct drive *world = *state;
	struct param_values *json;
	struct buf out = {0};

	assert_int_equal(param_values_create(&encoder_json_exact, &json), 0);
	world_begin(world, EVENT_write, 100);
	frame_put_bytes(&world->frame, write__data, "a\"\n\xff", 4);
	world_end(world);
	expect_param(world, json, write__data, true, "\"a\\\"\\n\xef\xbf\xbd\"");
	param_values_set_bytes(json, TEXT_BYTES_ASCII);
	expect_param(world, json, write__data, false, "\"\\na\\\"\\n\"");
	param_values_set_bytes(json, TEXT_BYTES_BASE64);
	expect_param(world, json, write__data, false, "\"YSIK/w==\"");
	param_values_append_bytes(json, (const uint8_t *)"abc", 3, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "\"YWJj\"");
	buf_finish(&out);
	world_begin(world, EVENT_execve, 100);
	frame_put_bytes(&world->frame, execve__args, "a\0b\0", 4);
	frame_put_string(&world->frame, execve__exe, "cat");
	world_end(world);
	expect_param(world, json, execve__args, false, "[\"a\",\"b\"]");
	expect_param(world, json, execve__exe, false, "\"cat\"");
	param_values_destroy(json);
}

/* Extensions that are absent are left out, other parameters are null. */
static void test_absent(void **state)
{
	struct drive *world = *state;
	struct param_values *json;
	struct clock utc = {0};

	assert_int_equal(param_values_create(&encoder_json_exact, &json), 0);
	for (uint16_t id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);
		struct buf wanted = {0}, out = {0};
		unsigned int keys = 0;

		if (!desc)
			continue;
		world_begin(world, id, 100);
		world_end(world);
		BUF_LITERAL(&wanted, "{");
		for (unsigned int i = 0; i < desc->nparams; i++)
			if (!desc->params[i].extension)
				buf_printf(&wanted, "%s\"%s\":null", keys++ ? "," : "",
					   desc->params[i].name);
		BUF_LITERAL(&wanted, "}\0");
		param_value_append_all(json, &world->event, &utc, true, &out);
		buf_append_char(&out, '\0');
		assert_string_equal(out.data, wanted.data);
		buf_finish(&out);
		buf_finish(&wanted);
	}
	param_values_destroy(json);
	param_values_destroy(NULL);
}

/* Without memory nothing is written beyond it, and the buffer says so. */
static void test_no_memory(void **state)
{
	struct drive *world = *state;
	struct param_values *json;
	struct clock utc = {0};

	assert_int_equal(param_values_create(&encoder_json_exact, &json), 0);
	world_openat(world, 3, "/etc/hostname\xff", 0x1001);
	for (size_t n = 0; n < 60; n++) {
		char *memory = malloc(n + 1);
		struct buf out = buf_fixed(memory, n);

		memory[n] = '#';
		param_value_append_all(json, &world->event, &utc, true, &out);
		assert_true(out.failed);
		assert_int_equal(memory[n], '#');
		free(memory);
	}
	param_values_destroy(json);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_open_flags_as_the_kernel_knows_them),
	TEST(test_flags_and_enumerations),
	TEST(test_flags_by_the_names_of_the_kernel),
	TEST(test_numbers),
	TEST(test_data),
	TEST(test_names_from_users),
	TEST(test_exec),
	TEST(test_lists_and_sets),
	TEST(test_exit_and_generic),
	TEST(test_addresses),
	TEST(test_socket_options),
	TEST(test_lists_of_descriptors),
	TEST(test_events_without_parameters),
	TEST(test_changed_texts),
	TEST(test_base64),
	TEST(test_forms_of_buffers),
	TEST(test_absent),
	TEST(test_no_memory),
};

UNIT_GROUP(tests);
