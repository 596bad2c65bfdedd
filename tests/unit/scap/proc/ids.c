/* SPDX-License-Identifier: MIT */
/* Ids in the namespace of a /proc: of the test's own processes, and of files that it makes. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc_tree.h"
#include "scap/proc/ids.h"
#include "unit.h"

#define TOP "../../../" /* of the tree */

enum { NOBODY = 65534 };

static struct scap_proc *open_real(void)
{
	struct scap_proc *proc;

	assert_int_equal(scap_proc_open("/proc", &proc, NULL), 0);
	return proc;
}

static void test_self(void **state)
{
	struct proc_tree *tree = *state;
	struct scap_proc *real = open_real();
	pid_t self = 0;

	assert_int_equal(scap_proc_self(real, &self), 0);
	assert_int_equal(self, getpid());
	scap_proc_close(real);
	assert_int_equal(scap_proc_self(tree->proc, &self), -ENOENT);
	proc_tree_put_link(tree, TOP "self", "70");
	assert_int_equal(scap_proc_self(tree->proc, &self), 0);
	assert_int_equal(self, 70);
	proc_tree_put_link(tree, TOP "self", "70x");
	assert_int_equal(scap_proc_self(tree->proc, &self), -EBADMSG);
	proc_tree_put_link(tree, TOP "self", "99999999999");
	assert_int_equal(scap_proc_self(tree->proc, &self), -EBADMSG);
}

static pid_t make_dead_process(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

static void test_translation_of_the_same(void **state)
{
	struct scap_proc *proc = open_real();
	pid_t found = 0;

	assert_int_equal(scap_proc_translate(proc, getpid(), &found), 0);
	assert_int_equal(found, getpid());
	assert_int_equal(scap_proc_translate(proc, make_dead_process(), &found), -ESRCH);
	assert_int_equal(scap_proc_translate(((struct proc_tree *)*state)->proc, getpid(), &found),
			 -ENOENT);
	scap_proc_close(proc);
}

/* Writes what the first process of a new namespace finds by the /proc of the outer one. */
static void report_ids(int to)
{
	struct scap_proc *proc = open_real();
	pid_t ids[3] = {getpid()};

	if (scap_proc_self(proc, &ids[1]) || scap_proc_translate(proc, getpid(), &ids[2]) ||
	    write(to, ids, sizeof(ids)) != sizeof(ids))
		_exit(1);
	_exit(0);
}

/* A process in a namespace of its own has another id outside. */
static void test_translation_in_a_namespace(void **state)
{
	pid_t ids[3] = {0}, outer, inner;
	int ends[2], status;

	if (geteuid() != 0)
		skip();
	assert_int_equal(pipe(ends), 0);
	outer = fork();
	if (outer == 0) {
		if (unshare(CLONE_NEWPID) < 0)
			_exit(1);
		inner = fork();
		if (inner == 0)
			report_ids(ends[1]);
		waitpid(inner, &status, 0);
		_exit(status != 0 || write(ends[1], &inner, sizeof(inner)) != sizeof(inner));
	}
	close(ends[1]);
	assert_int_equal(waitpid(outer, &status, 0), outer);
	assert_int_equal(status, 0);
	assert_int_equal(read(ends[0], ids, sizeof(ids)), sizeof(ids));
	assert_int_equal(read(ends[0], &inner, sizeof(inner)), sizeof(inner));
	close(ends[0]);
	assert_int_equal(ids[0], 1);
	assert_int_equal(ids[1], inner);
	assert_int_equal(ids[2], inner);
}

/* Known by the thread of the kernel that only the initial namespace has. */
static void test_initial(void **state)
{
	static const struct {
		const char *stat;
		int code;
	} cases[] = {
		{"2 (kthreadd) S 0 0 0 0 -1 2129984 0 0\n", 0},
		{"2 (a) 2129984) S 0 0 0 0 -1 2129984 0 0\n", 0},
		{"2 (kthreadd) S 1 0 0 0 -1 4194560 0 0\n", -EXDEV},
		{"2 (2129984) S 1 0 0 0 -1\n", -EXDEV},
		{"2129984\n", -EXDEV},
		{"", -EXDEV},
	};
	struct proc_tree *tree = *state;

	assert_int_equal(scap_proc_check_initial(tree->proc), -ENOENT);
	proc_tree_put_link(tree, TOP "self", "70/task/70");
	assert_int_equal(scap_proc_check_initial(tree->proc), -EBADMSG);
	proc_tree_put_link(tree, TOP "self", "70");
	/* Without the file there are no such namespaces. */
	assert_int_equal(scap_proc_check_initial(tree->proc), 0);
	proc_tree_put_directory(tree, TOP "70/ns");
	proc_tree_put(tree, TOP "70/ns/pid", "");
	assert_int_equal(scap_proc_check_initial(tree->proc), -EXDEV);
	proc_tree_put_directory(tree, TOP "2");
	assert_int_equal(scap_proc_check_initial(tree->proc), -EXDEV);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		proc_tree_put(tree, TOP "2/stat", cases[i].stat);
		assert_int_equal(scap_proc_check_initial(tree->proc), cases[i].code);
	}
}

/* Whose a process is that takes ids and may not be dumped; `shown`: whose its folder is. */
static uint32_t owner_of(uid_t real, uid_t effective, uid_t *shown)
{
	int ready[2], folder;
	char byte, path[32];
	struct stat file;
	uint32_t owner;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		if (setresuid(real, effective, effective) || prctl(PR_SET_DUMPABLE, 0) ||
		    write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	snprintf(path, sizeof(path), "/proc/%d", pid);
	folder = open(path, O_PATH | O_DIRECTORY);
	assert_true(folder >= 0 && fstat(folder, &file) == 0);
	*shown = file.st_uid;
	owner = proc_owner(folder);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(proc_owner(folder), 0);
	close(folder);
	close(ready[0]);
	return owner;
}

/* Also of a setuid program, whose folder is root's, and of one that may not be dumped. */
static void test_owner(void **state)
{
	uid_t shown;

	if (geteuid() != 0)
		skip();
	assert_int_equal(owner_of(NOBODY, NOBODY, &shown), NOBODY);
	assert_int_equal(shown, NOBODY);
	assert_int_equal(owner_of(NOBODY, 0, &shown), NOBODY);
	assert_int_equal(shown, 0);
	assert_int_equal(owner_of(0, 0, &shown), 0);
}

static void test_owner_in_text(void **state)
{
	static const struct {
		const char *text;
		uint32_t owner;
	} rows[] = {
		{"Name:\tUid:\nUid:\t7\t8\t9\t10\n", 7}, {"Uid:\t99999999999\n", 0},
		{"Uid:\n", 0}, {"Gid:\t7\n", 0}, {"", 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf text = {0};

		buf_append_string(&text, rows[i].text);
		assert_int_equal(proc_owner_in(&text), rows[i].owner);
		buf_finish(&text);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, proc_tree_setup, proc_tree_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_self),
	TEST(test_translation_of_the_same),
	TEST(test_translation_in_a_namespace),
	TEST(test_initial),
	cmocka_unit_test(test_owner),
	cmocka_unit_test(test_owner_in_text),
};

UNIT_GROUP(tests);
