/* SPDX-License-Identifier: MIT */
/* One descriptor out of links and files made up by the test: kinds, flags, and none. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/event.h"
#include "proc_tree.h"
#include "unit.h"

static struct scap_fd read_fd(struct proc_tree *tree, int64_t num)
{
	struct scap_fd fd;

	assert_int_equal(scap_proc_fd(tree->proc, 70, num, &fd), 0);
	return fd;
}

static void test_fd_types(void **state)
{
	static const struct {
		const char *target;
		enum scap_fd_type type;
	} cases[] = {
		{"/no/such/file", SCAP_FD_FILE},
		{"/memfd:a (deleted)", SCAP_FD_MEMFD},
		{"pipe:[5]", SCAP_FD_PIPE},
		{"pidfd:[5]", SCAP_FD_PIDFD},
		{"anon_inode:[pidfd]", SCAP_FD_PIDFD},
		{"anon_inode:[eventfd]", SCAP_FD_EVENT},
		{"anon_inode:[eventpoll]", SCAP_FD_EPOLL},
		{"anon_inode:[signalfd]", SCAP_FD_SIGNAL},
		{"anon_inode:[timerfd]", SCAP_FD_TIMER},
		{"anon_inode:inotify", SCAP_FD_INOTIFY},
		{"anon_inode:bpf-map", SCAP_FD_BPF},
		{"anon_inode:bpf-prog", SCAP_FD_BPF},
		{"anon_inode:bpf_link", SCAP_FD_BPF},
		{"anon_inode:[io_uring]", SCAP_FD_IO_URING},
		{"anon_inode:[userfaultfd]", SCAP_FD_USERFAULT},
		{"anon_inode:[perf_event]", SCAP_FD_UNSUPPORTED},
		{"socket:[77]", SCAP_FD_UNSUPPORTED},
		{"socket:[", SCAP_FD_FILE},
		{"mnt:[4026531840]", SCAP_FD_FILE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct scap_fd fd;

		proc_tree_put_link(*state, "fd/3", cases[i].target);
		fd = read_fd(*state, 3);
		assert_int_equal(fd.type, cases[i].type);
		assert_string_equal(fd.name, cases[i].target);
	}
}

/* Open flags whose values differ between architectures. */
#ifdef __aarch64__
#define LARGEFILE_RDWR "0400002"
#define DIRECTORY "040000"
#define TMPFILE "020040000"
#else
#define LARGEFILE_RDWR "0100002"
#define DIRECTORY "0200000"
#define TMPFILE "020200000"
#endif

static void test_fd_flags(void **state)
{
	static const struct {
		const char *fdinfo;
		uint32_t flags;
	} cases[] = {
		{"pos:\t0\nflags:\t" LARGEFILE_RDWR "\nmnt_id:\t1\n", 0x803},
		{"flags:\t02\n", 0x3},
		{"flags:\t00\n", 0x1},
		{"flags:\t03\n", 0x1},
		{"flags:\t02000001\n", 0x1002},
		{"flags:\t010000\n", 0x1 | 0x10 | 0x80},
		{"flags:\t04010000\n", 0x1 | 0x10 | 0x80},
		{"flags:\t" DIRECTORY "\n", 0x1 | 0x400 | 0x2000},
		{"flags:\t" TMPFILE "\n", 0x1 | 0x400 | 0x2000},
		{"flags:\t01\n", 0x2},
		{"flags:\t0777777777777777777777777777\n", 0},
		{"flags:\t", 0},
		{"flags", 0},
		{"", 0},
	};

	proc_tree_put_link(*state, "fd/3", "/x");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		proc_tree_put(*state, "fdinfo/3", cases[i].fdinfo);
		assert_int_equal(read_fd(*state, 3).flags, cases[i].flags);
	}
}

/* Descriptors that are not open. */
static void test_not_open(void **state)
{
	struct proc_tree *tree = *state;
	struct scap_fd fd;

	assert_int_equal(scap_proc_fd(tree->proc, 70, 3, &fd), -EBADF);
	proc_tree_put_link(tree, "fd/3", "/x");
	assert_int_equal(scap_proc_fd(tree->proc, 70, 3, &fd), 0);
	assert_int_equal(scap_proc_fd(tree->proc, 70, 4, &fd), -EBADF);
	assert_int_equal(scap_proc_fd(tree->proc, 70, -1, &fd), -EBADF);
}

/* What is read of a number is about one file, by the kernel's own inode and mount. */
static void test_held(void **state)
{
	struct scap_proc *proc;
	struct error err;
	struct stat null;
	struct scap_fd fd;
	int ends[2];

	assert_int_equal(scap_proc_open("/proc", &proc, &err), 0);
	assert_int_equal(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
	assert_int_equal(dup3(open("/dev/null", O_RDONLY), 100, O_CLOEXEC), 100);
	assert_int_equal(fstat(100, &null), 0);
	assert_int_equal(scap_proc_fd(proc, getpid(), 100, &fd), 0);
	assert_string_equal(fd.name, "/dev/null");
	assert_int_equal(fd.ino, null.st_ino);
	assert_true(fd.mount > 0);
	assert_int_equal(fd.flags & file_flags__O_CLOEXEC, file_flags__O_CLOEXEC);
	assert_int_equal(scap_proc_fd(proc, getpid(), ends[0], &fd), 0);
	assert_int_equal(fd.type, SCAP_FD_PIPE);
	assert_int_equal(fd.flags,
			 file_flags__O_RDONLY | file_flags__O_NONBLOCK | file_flags__O_CLOEXEC);
	assert_int_equal(fstat(ends[0], &null), 0);
	assert_int_equal(fd.ino, null.st_ino);
	close(ends[0]);
	close(ends[1]);
	close(100);
	scap_proc_close(proc);
}

static void test_same_end(void **state)
{
	const struct scap_endpoint one = {{10, 0, 0, 1}, 80}, port = {{10, 0, 0, 1}, 81},
				   address = {{10, 0, 0, 1, [15] = 1}, 80};

	assert_true(scap_endpoint_is_same(&one, &(struct scap_endpoint){{10, 0, 0, 1}, 80}));
	assert_false(scap_endpoint_is_same(&one, &port));
	assert_false(scap_endpoint_is_same(&one, &address));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, proc_tree_setup, proc_tree_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_fd_types),
	TEST(test_fd_flags),
	TEST(test_not_open),
	cmocka_unit_test(test_held),
	cmocka_unit_test(test_same_end),
};

UNIT_GROUP(tests);
