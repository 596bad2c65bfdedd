/* SPDX-License-Identifier: MIT */
/* The real path of a directory, on the true /proc. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scap/proc/proc.h"
#include "unit.h"

static char base[] = "/tmp/lanner-path-XXXXXX";

static void resolves(void **state)
{
	struct scap_proc *proc;
	char made[64], link[64], real_base[256];
	const char *real;

	assert_non_null(realpath(base, real_base));
	snprintf(made, sizeof(made), "%s/made", base);
	snprintf(link, sizeof(link), "%s/link", base);
	assert_int_equal(mkdir(made, 0700), 0);
	assert_int_equal(symlink("made", link), 0);
	/* The first walk through a link has to write its atime, for which it would have to wait. */
	usleep(20000);
	assert_int_equal(access(link, F_OK), 0);
	assert_int_equal(scap_proc_open("/proc", &proc, NULL), 0);

	assert_int_equal(scap_proc_real_directory(proc, getpid(), link, &real), 0);
	assert_memory_equal(real, real_base, strlen(real_base));
	assert_string_equal(real + strlen(real_base), "/made");
	assert_int_equal(scap_proc_real_directory(proc, getpid(), "/", &real), 0);
	assert_string_equal(real, "/");
	snprintf(made, sizeof(made), "%s/none", base);
	assert_true(scap_proc_real_directory(proc, getpid(), made, &real) < 0);
	assert_true(scap_proc_real_directory(proc, getpid(), "/etc/passwd", &real) < 0);
	assert_int_equal(scap_proc_real_directory(proc, INT32_MAX, "/", &real), -ESRCH);
	/* It is the reader's own directory there. */
	assert_int_equal(scap_proc_real_directory(proc, getpid(), "/proc/self", &real), -EXDEV);
	assert_int_equal(scap_proc_real_directory(proc, getpid(), "/proc/self/fd", &real), -EXDEV);

	unlink(link);
	snprintf(made, sizeof(made), "%s/made", base);
	rmdir(made);
	scap_proc_close(proc);
}

/* A child in another root; returns its id. It ends when `go` is closed. */
static pid_t start_in_root(const char *root, int go[2])
{
	int ready[2];
	char byte = 0;
	pid_t child;

	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		close(go[1]);
		if (chroot(root) == 0 && write(ready[1], &byte, 1) == 1)
			_exit(read(go[0], &byte, 1) != 0);
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(go[0]);
	return child;
}

static void is_seen_from_the_root(void **state)
{
	struct scap_proc *proc;
	const char *real;
	char inner[64], like[64];
	pid_t child;
	int go[2];

	if (geteuid() != 0)
		skip();
	snprintf(inner, sizeof(inner), "%s/inner", base);
	snprintf(like, sizeof(like), "%s-like", base);
	assert_int_equal(mkdir(inner, 0700), 0);
	assert_int_equal(mkdir(like, 0700), 0);
	child = start_in_root(base, go);
	assert_int_equal(scap_proc_open("/proc", &proc, NULL), 0);

	assert_int_equal(scap_proc_real_directory(proc, child, "/inner", &real), 0);
	assert_string_equal(real, "/inner");
	assert_int_equal(scap_proc_real_directory(proc, child, "/inner/../..", &real), 0);
	assert_string_equal(real, "/");
	assert_int_equal(scap_proc_real_directory(proc, getpid(), like, &real), 0);
	assert_string_equal(real, like);

	close(go[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	scap_proc_close(proc);
	rmdir(like);
	rmdir(inner);
}

/* The first walk through a link has to write its time of access, which cannot be done at once. */
static void does_not_wait_for_a_link(void **state)
{
	struct scap_proc *proc;
	const char *real;
	char link[64];
	int r;

	snprintf(link, sizeof(link), "%s/fresh", base);
	assert_int_equal(symlink("/", link), 0);
	assert_int_equal(scap_proc_open("/proc", &proc, NULL), 0);
	r = scap_proc_real_directory(proc, getpid(), link, &real);
	assert_true(r == -ELOOP || r == 0); /* 0: mounted with noatime */
	scap_proc_close(proc);
	unlink(link);
}

static bool can_resolve(void)
{
	struct scap_proc *proc;
	const char *real;
	int r = scap_proc_open("/proc", &proc, NULL);

	if (r == 0) {
		r = scap_proc_real_directory(proc, getpid(), "/", &real);
		scap_proc_close(proc);
	}
	return r != -EAGAIN && r != -ENOSYS;
}

static const char *missing(void)
{
	return can_resolve() ? NULL : "before Linux 5.12 paths cannot be had from the cache alone";
}

static int make_base(void **state)
{
	return !mkdtemp(base);
}

static int remove_base(void **state)
{
	return rmdir(base);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(resolves),
	cmocka_unit_test(is_seen_from_the_root),
	cmocka_unit_test(does_not_wait_for_a_link),
};

UNIT_GROUP(tests, .setup = make_base, .teardown = remove_base, .missing = missing);
