/* SPDX-License-Identifier: MIT */
/* Files below a hostile root: what is read, and what is not, without ever waiting. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "foreign_root.h"
#include "scap/proc/root.h"
#include "unit.h"

enum { MAX_BYTES = 100, PATIENCE_S = 60 };

static void expect(const struct foreign_root *foreign, const char *path, int code,
		   const char *wanted)
{
	struct buf text = {0};
	struct proc_root root;
	int r;

	assert_int_equal(proc_root_open(&root, foreign->proc, foreign->process), 0);
	r = proc_root_read(&root, path, MAX_BYTES, &text);
	if (r != code)
		fail_msg("%s: %d instead of %d", path, r, code);
	if (code == 0) {
		assert_string_equal(text.data, wanted);
		assert_int_equal(text.len, strlen(wanted));
	}
	buf_finish(&text);
	proc_root_close(&root);
}

static void test_files(void **state)
{
	const struct foreign_root *foreign = *state;
	char path[FOREIGN_PATH_BYTES], most[MAX_BYTES + 2];

	foreign_root_write(foreign, "root/etc/passwd", "ours");
	expect(foreign, "etc/passwd", 0, "ours");
	foreign_root_write(foreign, "root/etc/empty", "");
	expect(foreign, "etc/empty", 0, "");
	expect(foreign, "etc/none", -ENOENT, NULL);
	expect(foreign, "none/passwd", -ENOENT, NULL);
	expect(foreign, "etc/passwd/passwd", -ENOTDIR, NULL);
	expect(foreign, "etc", -EINVAL, NULL);
	foreign_root_path(foreign, "root/etc/pipe", path);
	assert_int_equal(mkfifo(path, 0600), 0);
	expect(foreign, "etc/pipe", -EINVAL, NULL);
	memset(most, 'x', sizeof(most));
	most[MAX_BYTES + 1] = '\0';
	foreign_root_write(foreign, "root/etc/large", most);
	expect(foreign, "etc/large", -EFBIG, NULL);
	most[MAX_BYTES] = '\0';
	foreign_root_write(foreign, "root/etc/large", most);
	expect(foreign, "etc/large", 0, most);
}

/* Links stay below the root, whatever they name. */
static void test_links(void **state)
{
	const struct foreign_root *foreign = *state;
	char outside[FOREIGN_PATH_BYTES];

	foreign_root_write(foreign, "secret", "outside");
	foreign_root_write(foreign, "root/etc/passwd", "ours");
	foreign_root_link(foreign, "root/etc/absolute", "/etc/passwd");
	expect(foreign, "etc/absolute", 0, "ours");
	foreign_root_link(foreign, "root/etc/above", "../../../etc/passwd");
	expect(foreign, "etc/above", 0, "ours");
	foreign_root_link(foreign, "root/etc/sibling", "../../secret");
	expect(foreign, "etc/sibling", -ENOENT, NULL);
	foreign_root_path(foreign, "secret", outside);
	foreign_root_link(foreign, "root/etc/outside", outside);
	expect(foreign, "etc/outside", -ENOENT, NULL);
	foreign_root_link(foreign, "root/etc/loop", "loop");
	expect(foreign, "etc/loop", -ELOOP, NULL);
}

static void test_roots(void **state)
{
	const struct foreign_root *foreign = *state;
	struct proc_root root;

	foreign_root_link(foreign, "proc/70/root", "/");
	assert_int_equal(proc_root_open(&root, foreign->proc, foreign->process), -EAGAIN);
	proc_root_close(&root);
	foreign_root_link(foreign, "proc/70/root", "/proc");
	assert_int_equal(proc_root_open(&root, foreign->proc, foreign->process), -EOPNOTSUPP);
	proc_root_close(&root);
	foreign_root_link(foreign, "proc/70/root", "/nonexistent");
	assert_int_equal(proc_root_open(&root, foreign->proc, foreign->process), -ESRCH);
	proc_root_close(&root);
	/* A mount that is not listed. */
	foreign_root_link(foreign, "proc/70/root", foreign->path);
	foreign_root_write(foreign, "proc/70/mountinfo", "x\n1\n\n999999 1 0:1 / / rw - ext4\n");
	assert_int_equal(proc_root_open(&root, foreign->proc, foreign->process), -EOPNOTSUPP);
	proc_root_close(&root);
	assert_int_equal(proc_root_open(&root, foreign->proc, foreign->proc), -ESRCH);
	proc_root_close(&root);
}

/* A security module may keep the root of the first process from all: what is mounted there is
 * known. */
static void test_unreadable_root_of_machine(void **state)
{
	const struct foreign_root *foreign = *state;
	struct proc_root root;
	char path[FOREIGN_PATH_BYTES];

	foreign_root_path(foreign, "proc/1/root", path);
	assert_int_equal(unlink(path), 0);
	foreign_root_copy_mounts_to(foreign, "proc/1/mountinfo");
	assert_int_equal(proc_root_open(&root, foreign->proc, foreign->process), 0);
	proc_root_close(&root);
	foreign_root_link(foreign, "proc/70/root", "/");
	assert_int_equal(proc_root_open(&root, foreign->proc, foreign->process), -EAGAIN);
	proc_root_close(&root);
	/* The first process has another root, or what is known of it is cut. */
	foreign_root_write(foreign, "proc/1/mountinfo", "1 0 0:0 /elsewhere / rw - ext4 a rw\n");
	assert_int_not_equal(proc_root_open(&root, foreign->proc, foreign->process), -EAGAIN);
	proc_root_close(&root);
	foreign_root_write(foreign, "proc/1/mountinfo", "1 0 0:0\n\n");
	assert_int_not_equal(proc_root_open(&root, foreign->proc, foreign->process), -EAGAIN);
	proc_root_close(&root);
}

static void mount_on(const struct foreign_root *foreign, const char *what, const char *name)
{
	char path[FOREIGN_PATH_BYTES];

	foreign_root_path(foreign, name, path);
	assert_int_equal(mount(what, path, NULL, MS_BIND, NULL), 0);
}

/* Mounts a file system whose program never answers. */
static int mount_dead(const struct foreign_root *foreign, const char *name, const char *kind)
{
	char path[FOREIGN_PATH_BYTES], options[96];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return fd;
	foreign_root_path(foreign, name, path);
	snprintf(options, sizeof(options), "fd=%d,rootmode=%s,user_id=0,group_id=0", fd, kind);
	assert_int_equal(mount("dead", path, "fuse", 0, options), 0);
	return fd;
}

/* Without a check, which would leave the mounts behind. */
static int code_of(const struct foreign_root *foreign, const char *path)
{
	struct buf text = {0};
	struct proc_root root;
	int r = proc_root_open(&root, foreign->proc, foreign->process);

	if (r == 0)
		r = proc_root_read(&root, path, MAX_BYTES, &text);
	buf_finish(&text);
	proc_root_close(&root);
	return r;
}

static void unmount(const struct foreign_root *foreign, const char *name)
{
	char path[FOREIGN_PATH_BYTES];

	foreign_root_path(foreign, name, path);
	umount2(path, MNT_DETACH);
}

static void test_mounts(void **state)
{
	static const struct {
		const char *path;
		int code;
		bool fuse;
	} cases[] = {
		{"etc/passwd", 0, false},	  {"etc/proc", -EOPNOTSUPP, false},
		{"etc/dead", -EOPNOTSUPP, true},  {"dead/passwd", -EXDEV, true},
		{"etc/into_dead", -EINVAL, true},
	};
	enum { CASES = sizeof(cases) / sizeof(cases[0]) };
	const struct foreign_root *foreign = *state;
	char path[FOREIGN_PATH_BYTES];
	int codes[CASES], file, folder;

	if (geteuid() != 0 || unshare(CLONE_NEWNS))
		skip();
	assert_int_equal(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	foreign_root_write(foreign, "secret", "mounted");
	foreign_root_write(foreign, "root/etc/passwd", "");
	foreign_root_write(foreign, "root/etc/proc", "");
	foreign_root_write(foreign, "root/etc/dead", "");
	foreign_root_path(foreign, "root/dead", path);
	assert_int_equal(mkdir(path, 0755), 0);
	foreign_root_link(foreign, "root/etc/into_dead", "/dead/passwd");
	foreign_root_path(foreign, "secret", path);
	alarm(PATIENCE_S);
	mount_on(foreign, path, "root/etc/passwd");
	mount_on(foreign, "/proc/version", "root/etc/proc");
	file = mount_dead(foreign, "root/etc/dead", "100000");
	folder = mount_dead(foreign, "root/dead", "40000");
	foreign_root_copy_mounts(foreign);
	for (size_t i = 0; i < CASES; i++)
		codes[i] = code_of(foreign, cases[i].path);
	/* Ends what waits for an answer. */
	close(file);
	close(folder);
	unmount(foreign, "root/etc/passwd");
	unmount(foreign, "root/etc/proc");
	unmount(foreign, "root/etc/dead");
	unmount(foreign, "root/dead");
	alarm(0);
	for (size_t i = 0; i < CASES; i++)
		if (codes[i] != cases[i].code && (folder >= 0 || !cases[i].fuse))
			fail_msg("%s: %d", cases[i].path, codes[i]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, foreign_root_setup, foreign_root_teardown)

/* Of those that root mounted, as those here, none is. */
static void test_mounts_of_users(void **state)
{
	int fd = open("/proc", O_PATH | O_CLOEXEC);

	assert_false(proc_mount_is_of_user(fd));
	close(fd);
	assert_true(proc_mount_is_of_user(-1));
}

/* The mount of a folder, as a file that says it is another file system: who mounted it does not
 * matter. */
static void test_mounts_that_are_served(void **state)
{
	static const struct {
		const char *type;
		bool is_served;
	} rows[] = {{"ext4 /dev/sda rw", false},
		    {"fuse.sshfs sshfs rw,user_id=0", true},
		    {"fuse.x y rw,user_id=7", true},
		    {"fuseblk /dev/sda rw,user_id=0", true},
		    {"overlay overlay rw", false}};
	char top[] = "/tmp/lanner-mounts-XXXXXX", name[64], text[512];
	struct statx st;
	int dir, fd;

	assert_non_null(mkdtemp(top));
	fd = open(top, O_PATH | O_CLOEXEC);
	dir = fd;
	assert_int_equal(statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		FILE *file;

		snprintf(name, sizeof(name), "%s/mountinfo", top);
		snprintf(text, sizeof(text), "%llu 1 8:1 / / rw - %s\n",
			 (unsigned long long)st.stx_mnt_id, rows[i].type);
		file = fopen(name, "we");
		assert_non_null(file);
		fputs(text, file);
		fclose(file);
		if (proc_mount_is_served_as(fd, dir, "mountinfo") != rows[i].is_served)
			fail_msg("%s", rows[i].type);
	}
	unlink(name);
	/* Of what is not known nobody is asked. */
	assert_true(proc_mount_is_served_as(fd, dir, "mountinfo"));
	close(fd);
	rmdir(top);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_mounts_of_users),
	cmocka_unit_test(test_mounts_that_are_served),
	TEST(test_files),
	TEST(test_links),
	TEST(test_roots),
	TEST(test_unreadable_root_of_machine),
	TEST(test_mounts),
};

UNIT_GROUP(tests);
