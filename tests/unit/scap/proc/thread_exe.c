/* SPDX-License-Identifier: MIT */
/* What /proc says of the executables of processes: when they changed, and who may write them. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event/event.h"
#include "scap/proc/proc.h"
#include "unit.h"

enum { NOBODY = 65534 };

static int setup(void **state)
{
	return scap_proc_open("/proc", (struct scap_proc **)state, NULL);
}

static int teardown(void **state)
{
	scap_proc_close(*state);
	return 0;
}

/* Starts what an open file holds, as a user, and gives what /proc says once it runs. */
static struct scap_thread look_at(struct scap_proc *proc, int file, uid_t uid)
{
	char *argv[] = {"cat", NULL}, *envp[] = {NULL};
	struct scap_thread thread;
	int in[2], out[2];
	pid_t child;
	char byte;

	assert_int_equal(pipe2(in, O_CLOEXEC) | pipe2(out, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		if (setgid(uid) == 0 && setuid(uid) == 0)
			fexecve(file, argv, envp);
		_exit(1);
	}
	close(in[0]);
	close(out[1]);
	/* It answers when it is the program. */
	assert_int_equal(write(in[1], "x", 1), 1);
	assert_int_equal(read(out[0], &byte, 1), 1);
	assert_int_equal(scap_proc_thread(proc, child, &thread), 0);
	close(in[1]);
	close(out[0]);
	waitpid(child, NULL, 0);
	return thread;
}

static uint64_t ns_of(struct timespec time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void reports_times(void **state)
{
	struct scap_thread self;
	struct stat st;

	assert_int_equal(stat("/proc/self/exe", &st), 0);
	assert_int_equal(scap_proc_thread(*state, getpid(), &self), 0);
	assert_int_equal(self.exe_ino, st.st_ino);
	assert_int_equal(self.exe_ctime_ns, ns_of(st.st_ctim));
	assert_int_equal(self.exe_mtime_ns, ns_of(st.st_mtim));
}

static void reports_who_may_write(void **state)
{
	int cat = open("/bin/cat", O_RDONLY | O_CLOEXEC);

	if (getuid() != 0)
		skip();
	assert_int_equal(look_at(*state, cat, 0).exe_flags, execve_flags__EXE_WRITABLE);
	assert_int_equal(look_at(*state, cat, NOBODY).exe_flags, 0);
	close(cat);
}

static void knows_files_of_memory(void **state)
{
	int cat = open("/bin/cat", O_RDONLY | O_CLOEXEC), file = memfd_create("x", MFD_CLOEXEC);
	struct stat st;

	assert_int_equal(fstat(cat, &st), 0);
	assert_int_equal(sendfile(file, cat, NULL, (size_t)st.st_size), st.st_size);
	assert_int_equal(look_at(*state, file, getuid()).exe_flags,
			 execve_flags__EXE_FROM_MEMFD | execve_flags__EXE_WRITABLE);
	close(cat);
	close(file);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(reports_times),
	TEST(reports_who_may_write),
	TEST(knows_files_of_memory),
};

UNIT_GROUP(tests);
