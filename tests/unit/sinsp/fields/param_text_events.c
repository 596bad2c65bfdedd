/* SPDX-License-Identifier: MIT */
/* Parameters of events as text: every type, present and absent. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "sinsp/fields/param_text.h"
#include "unit.h"
#include "world.h"

static int setup(void **state)
{
	setenv("TZ", "UTC", 1);
	tzset();
	return world_setup(state);
}

static void test_numbers(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_pwrite, 100);
	frame_put_i64(&world->frame, pwrite__size, UINT32_MAX);
	frame_put_i64(&world->frame, pwrite__pos, -1);
	frame_put_i64(&world->frame, pwrite__res, -5000);
	world_end(world);
	world_expect(world, "evt.args", "res=-5000 data=NULL fd=<NA> size=-1 pos=-1");
	world_begin(world, EVENT_mkdir, 100);
	frame_put_i64(&world->frame, mkdir__mode, 0x1ed);
	frame_put_string(&world->frame, mkdir__path, "(NULL)");
	world_end(world);
	world_expect(world, "evt.args", "res=<NA> path=<NA>(/home/user/(NULL)) mode=1ED");
	world_begin(world, EVENT_accept4, 100);
	frame_put_i64(&world->frame, accept4__flags, -1);
	frame_put_i64(&world->frame, accept4__queuepct, 255);
	world_end(world);
	world_expect(world, "evt.args",
		     "fd=<NA> tuple=NULL queuepct=-1 queuelen=<NA> queuemax=<NA> flags=FFFFFFFF");
	world_begin(world, EVENT_open, 100);
	frame_put_i64(&world->frame, open__mode, 0);
	world_end(world);
	world_expect(world, "evt.arg.mode", "0");
}

static void test_descriptors(void **state)
{
	struct drive *world = *state;
	struct state_fd *fd;

	world_begin(world, EVENT_dup3, 100);
	world_end(world);
	fd = world_fd(world->event.thread, 4, SCAP_FD_IPV4, "a->b");
	fd->l4 = SCAP_L4_UDP;
	world_fd(world->event.thread, 5, SCAP_FD_EVENT, "");
	world_begin(world, EVENT_dup3, 100);
	frame_put_i64(&world->frame, dup3__res, -EINVAL);
	frame_put_i64(&world->frame, dup3__oldfd, 4);
	frame_put_i64(&world->frame, dup3__newfd, 5);
	frame_put_i64(&world->frame, dup3__flags, 0);
	world_end(world);
	world_expect(world, "evt.args",
		     "res=-22(EINVAL) oldfd=4(<4u>a->b) newfd=5(<e>) flags=0(O_NONE)");
	world_begin(world, EVENT_dup3, 100);
	frame_put_i64(&world->frame, dup3__res, -1);
	frame_put_i64(&world->frame, dup3__oldfd, -1);
	frame_put_i64(&world->frame, dup3__newfd, -9);
	world_end(world);
	world_expect(world, "evt.args", "res=-1(EPERM) oldfd=-1 newfd=-9(EBADF) flags=<NA>");
	/* The descriptor of a close is out of the table, but the event still has it. */
	world_begin(world, EVENT_close, 100);
	frame_put_i64(&world->frame, close__res, 0);
	frame_put_i64(&world->frame, close__fd, 6);
	world_end(world);
	world_set_fd(world, 6, fd);
	world_expect(world, "evt.arg.fd", "<4u>a->b");
	world_expect(world, "evt.args", "res=0 fd=6(<4u>a->b)");
}

static void test_paths(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_unlinkat, 100);
	frame_put_i64(&world->frame, unlinkat__dirfd, 9);
	frame_put_string(&world->frame, unlinkat__name, "a/./b");
	frame_put_i64(&world->frame, unlinkat__flags, 0x200);
	world_end(world);
	world_expect(world, "evt.args", "res=<NA> dirfd=9 name=a/./b(a/b) flags=512(AT_REMOVEDIR)");
	world_fd(world->event.thread, 9, SCAP_FD_DIRECTORY, "/srv");
	world_expect(world, "evt.args",
		     "res=<NA> dirfd=9(<d>/srv) name=a/./b(/srv/a/b) "
		     "flags=512(AT_REMOVEDIR)");
	world_begin(world, EVENT_unlinkat, 100);
	frame_put_string(&world->frame, unlinkat__name, "/a/../b");
	world_end(world);
	world_expect(world, "evt.arg.name", "/a/../b");
	world_begin(world, EVENT_rmdir, 555);
	frame_put_string(&world->frame, rmdir__path, "x");
	world_end(world);
	world_expect(world, "evt.arg.path", "x");
	world_begin(world, EVENT_rmdir, 100);
	frame_put_string(&world->frame, rmdir__path, "");
	world_end(world);
	world_expect(world, "evt.args", "res=<NA> path=");
	world_expect(world, "evt.arg.path", "");
}

static void test_flags_and_enumerations(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_openat, 100);
	frame_put_i64(&world->frame, openat__flags, 0x40001003);
	world_end(world);
	world_expect(world, "evt.arg.flags", "O_RDWR|O_CLOEXEC");
	world_begin(world, EVENT_openat, 100);
	frame_put_i64(&world->frame, openat__flags, (int64_t)0x80000000);
	world_end(world);
	world_expect(world, "evt.arg.flags", "2147483648");
	world_begin(world, EVENT_socket, 100);
	frame_put_i64(&world->frame, socket__domain, 1);
	world_end(world);
	world_expect(world, "evt.args",
		     "fd=<NA> domain=1(AF_LOCAL|AF_UNIX) type=<NA> proto=<NA> "
		     "flags=<NA>");
	world_begin(world, EVENT_fcntl, 100);
	frame_put_i64(&world->frame, fcntl__cmd, 200);
	frame_put_i64(&world->frame, fcntl__arg, 0xabc);
	world_end(world);
	world_expect(world, "evt.args", "res=<NA> fd=<NA> cmd=200 arg=ABC");
	world_begin(world, EVENT_clone, 100);
	frame_put_i64(&world->frame, clone__flags, 25165824);
	world_end(world);
	world_expect(world, "evt.arg.flags", "CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID");
}

static void test_threads_and_signals(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_procexit, 100);
	frame_put_i64(&world->frame, procexit__status, -2);
	frame_put_i64(&world->frame, procexit__ret, 1);
	frame_put_i64(&world->frame, procexit__sig, 17);
	frame_put_i64(&world->frame, procexit__core, 0);
	frame_put_i64(&world->frame, procexit__reaper_tid, 100);
	world_end(world);
	world_expect(world, "evt.args",
		     "status=-2(ENOENT) ret=1 sig=17(SIGCHLD) core=0 reaper_tid=100(cat)");
	world_begin(world, EVENT_procexit, 100);
	frame_put_i64(&world->frame, procexit__sig, 0);
	frame_put_i64(&world->frame, procexit__reaper_tid, 555);
	world_end(world);
	world_expect(world, "evt.args", "status=<NA> ret=<NA> sig=0 core=<NA> reaper_tid=555");
	world_begin(world, EVENT_procexit, 100);
	frame_put_i64(&world->frame, procexit__sig, 64);
	world_end(world);
	world_expect(world, "evt.arg.sig", "64");
}

/* An address as a result is shown like any result. */
static void test_memory(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_mmap, 100);
	frame_put_i64(&world->frame, mmap__res, 0x20000800000);
	frame_put_i64(&world->frame, mmap__vm_size, 3000);
	frame_put_i64(&world->frame, mmap__vm_rss, 200);
	frame_put_i64(&world->frame, mmap__vm_swap, 0);
	frame_put_i64(&world->frame, mmap__addr, 0x20000800000);
	frame_put_i64(&world->frame, mmap__length, 20480);
	frame_put_i64(&world->frame, mmap__prot, 3);
	frame_put_i64(&world->frame, mmap__flags, 14);
	frame_put_i64(&world->frame, mmap__fd, -1);
	frame_put_i64(&world->frame, mmap__offset, 4096);
	world_end(world);
	world_expect(world, "evt.args",
		     "res=2199031644160 vm_size=3000 vm_rss=200 vm_swap=0 addr=20000800000 "
		     "length=20480 prot=3(PROT_READ|PROT_WRITE) "
		     "flags=14(MAP_PRIVATE|MAP_FIXED|MAP_ANONYMOUS) fd=-1 offset=4096");
	world_begin(world, EVENT_mmap, 100);
	frame_put_i64(&world->frame, mmap__res, -EINVAL);
	frame_put_i64(&world->frame, mmap__prot, 0);
	world_end(world);
	world_expect(world, "evt.arg.res", "EINVAL");
	world_expect(world, "evt.rawres", "-22");
	world_expect(world, "evt.arg.prot", "PROT_NONE");
}

static void test_limits_and_times(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_getrlimit, 100);
	frame_put_i64(&world->frame, getrlimit__res, -EINVAL);
	frame_put_i64(&world->frame, getrlimit__cur, -1);
	frame_put_i64(&world->frame, getrlimit__max, -1);
	frame_put_i64(&world->frame, getrlimit__resource, 255);
	world_end(world);
	world_expect(world, "evt.args",
		     "res=-22(EINVAL) cur=-1 max=-1 resource=255(RLIMIT_UNKNOWN)");
	world_begin(world, EVENT_nanosleep, 100);
	frame_put_i64(&world->frame, nanosleep__res, 0);
	frame_put_i64(&world->frame, nanosleep__interval, 1000);
	world_end(world);
	world_expect(world, "evt.args", "res=0 interval=1000(1e-06s)");
	world_begin(world, EVENT_futex, 100);
	frame_put_i64(&world->frame, futex__res, -ENOSYS);
	frame_put_i64(&world->frame, futex__addr, 0x20000000080);
	frame_put_i64(&world->frame, futex__op, 0);
	frame_put_i64(&world->frame, futex__val, -1);
	world_end(world);
	world_expect(world, "evt.args", "res=-38(ENOSYS) addr=20000000080 op=0(FUTEX_WAIT) val=-1");
	world_begin(world, EVENT_semget, 100);
	frame_put_i64(&world->frame, semget__res, 7);
	frame_put_i64(&world->frame, semget__key, 0x18000c);
	frame_put_i64(&world->frame, semget__nsems, -1);
	frame_put_i64(&world->frame, semget__semflg, 24576);
	world_end(world);
	world_expect(world, "evt.args",
		     "res=7 key=18000C nsems=-1 semflg=24576(IPC_EXCL|IPC_CREAT)");
	world_begin(world, EVENT_getuid, 100);
	frame_put_i64(&world->frame, getuid__uid, UINT32_MAX);
	world_end(world);
	world_expect(world, "evt.args", "uid=-1(<NONE>)");
}

static void test_exec(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_execve, 100);
	frame_put_bytes(&world->frame, execve__args, "-6\0x y\0", 7);
	frame_put_i64(&world->frame, execve__loginuid, -1);
	frame_put_i64(&world->frame, execve__uid, 0);
	frame_put_i64(&world->frame, execve__gid, 4000000000);
	frame_put_i64(&world->frame, execve__cap_permitted, 0x1fffeffffff);
	frame_put_i64(&world->frame, execve__exe_ino_ctime, (int64_t)WORLD_TIME_NS);
	world_end(world);
	world_expect(world, "evt.arg.args", "-6.x y.");
	world_expect(world, "evt.arg.env", "NULL");
	world_expect(world, "evt.arg.loginuid", "<NONE>");
	world_expect(world, "evt.arg.uid", "root");
	world_expect(world, "evt.arg.gid", "<NA>");
	world_expect(world, "evt.rawarg.cap_permitted", "1FFFEFFFFFF");
	world_expect(world, "evt.arg.cap_permitted", "1FFFEFFFFFF");
	world_expect(world, "evt.arg.exe_ino_ctime", "2026-11-21 11:36:01.123456789");
	world_expect(world, "evt.arg.cwd", "<NA>");
}

static void expect_tuple(struct drive *world, const void *bytes, size_t len, const char *text)
{
	world_begin(world, EVENT_connect, 100);
	frame_put_bytes(&world->frame, connect__tuple, bytes, len);
	world_end(world);
	world_expect(world, "evt.arg.tuple", text);
}

static void test_tuples(void **state)
{
	struct drive *world = *state;
	struct frame_tuple tuple = {"10.0.0.1", "192.168.100.20", 1234, 80};

	world_begin(world, EVENT_connect, 100);
	frame_put_tuple(&world->frame, connect__tuple, &tuple);
	world_end(world);
	world_expect(world, "evt.arg.tuple", "10.0.0.1:1234->192.168.100.20:80");
	tuple = (struct frame_tuple){"::1", "fe80::2", 1, 65535};
	world_begin(world, EVENT_connect, 100);
	frame_put_tuple(&world->frame, connect__tuple, &tuple);
	world_end(world);
	world_expect(world, "evt.arg.tuple", "::1:1->fe80::2:65535");
	tuple = (struct frame_tuple){"::ffff:1.2.3.4", "::ffff:5.6.7.8", 1, 2};
	world_begin(world, EVENT_connect, 100);
	frame_put_tuple(&world->frame, connect__tuple, &tuple);
	world_end(world);
	world_expect(world, "evt.arg.tuple", "1.2.3.4:1->5.6.7.8:2");
	world_begin(world, EVENT_connect, 100);
	frame_put_unix_tuple(&world->frame, connect__tuple, 0, 0xffff88003c420800, "/run/s");
	world_end(world);
	world_expect(world, "evt.args",
		     "res=<NA> tuple=0->ffff88003c420800 /run/s fd=<NA> addr=<NA>");
	expect_tuple(world, "\x10", 1, "family 16");
	expect_tuple(world, "\x02zz", 3, "INVALID IPv4");
	expect_tuple(world, "\x0azz", 3, "INVALID IPv6");
	expect_tuple(world, "\x01zz", 3, "INVALID PATH");
	expect_tuple(world,
		     "\x01"
		     "12345678abcdefghxyz",
		     20,
		     "3837363534333231->6867666564636261 "
		     "INVALID PATH");
}

static void expect_address(struct drive *world, const void *bytes, size_t len, const char *text)
{
	world_begin(world, EVENT_bind, 100);
	frame_put_bytes(&world->frame, bind__addr, bytes, len);
	world_end(world);
	world_expect(world, "evt.arg.addr", text);
}

static void test_addresses(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_bind, 100);
	frame_put_ip(&world->frame, bind__addr, "127.0.0.1", 8080);
	world_end(world);
	world_expect(world, "evt.args", "res=<NA> addr=127.0.0.1:8080 fd=<NA>");
	world_begin(world, EVENT_bind, 100);
	frame_put_ip(&world->frame, bind__addr, "::", 1);
	world_end(world);
	world_expect(world, "evt.arg.addr", ":::1");
	world_begin(world, EVENT_bind, 100);
	frame_put_unix(&world->frame, bind__addr, "/run/x");
	world_end(world);
	world_expect(world, "evt.arg.addr", "/run/x");
	expect_address(world, "\x02", 1, "INVALID IPv4");
	expect_address(world, "\x0a", 1, "INVALID IPv6");
	expect_address(world, "\x01", 1, "INVALID PATH");
	expect_address(world, "\x01x", 2, "INVALID PATH");
	expect_address(world, "\x11zz", 3, "family 17");
}

/*
 * Parameters of our own: none in the line for what its descriptor shows, a mark where there is one.
 */
static void test_extensions(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_fchdir, 100);
	frame_put_i64(&world->frame, fchdir__res, 0);
	frame_put_i64(&world->frame, fchdir__fd, -1);
	frame_put_string(&world->frame, fchdir__cwd, "/srv");
	world_end(world);
	world_expect(world, "evt.args", "res=0 fd=-1");
	world_expect(world, "evt.arg.cwd", "/srv");
	world_expect_json(world, "evt.args",
			  "{\"evt.args\":{\"res\":0,\"fd\":-1,\"cwd\":\"/srv\"}}");
	world_begin(world, EVENT_fchdir, 100);
	frame_put_i64(&world->frame, fchdir__res, -EBADF);
	frame_put_i64(&world->frame, fchdir__fd, -1);
	world_end(world);
	world_expect_json(world, "evt.args", "{\"evt.args\":{\"res\":-9,\"fd\":-1}}");
	world_begin(world, EVENT_open, 100);
	frame_put_i64(&world->frame, open__fd, -ENOENT);
	frame_put_string(&world->frame, open__name, "/b");
	frame_put_string(&world->frame, open__name_at_enter, "/a");
	world_end(world);
	world_expect(
		world, "evt.args",
		"fd=-2(ENOENT) name=/b flags=<NA> mode=<NA> dev=<NA> ino=<NA> name_at_enter=/a");
}

static void expect_mode(struct drive *world, uint32_t mode, const char *text)
{
	world_begin(world, EVENT_mknod, 100);
	frame_put_i64(&world->frame, mknod__mode, mode);
	world_end(world);
	world_expect(world, "evt.arg.mode", text);
}

/* The types of files have bits in common. */
static void test_modes(void **state)
{
	struct drive *world = *state;

	expect_mode(world, 0060600, "S_IWUSR|S_IRUSR|S_IFBLK");
	expect_mode(world, 0020004, "S_IROTH|S_IFCHR");
	expect_mode(world, 0140001, "S_IXOTH|S_IFSOCK");
	expect_mode(world, 0100000, "S_IFREG");
	expect_mode(world, 0017000, "S_ISVTX|S_ISGID|S_ISUID|S_IFIFO");
	expect_mode(world, 0030010, "S_IXGRP");
	world_begin(world, EVENT_chmod, 100);
	frame_put_i64(&world->frame, chmod__mode, 0755);
	world_end(world);
	world_expect(world, "evt.args",
		     "res=<NA> filename=<NA> "
		     "mode=0755(S_IXOTH|S_IROTH|S_IXGRP|S_IRGRP|S_IXUSR|S_IWUSR|S_IRUSR)");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, world_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_numbers),
	TEST(test_descriptors),
	TEST(test_paths),
	TEST(test_flags_and_enumerations),
	TEST(test_threads_and_signals),
	TEST(test_memory),
	TEST(test_limits_and_times),
	TEST(test_exec),
	TEST(test_tuples),
	TEST(test_addresses),
	TEST(test_extensions),
	TEST(test_modes),
};

UNIT_GROUP(tests);
