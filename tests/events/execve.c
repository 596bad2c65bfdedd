/* SPDX-License-Identifier: MIT */
/* execve: new programs in every condition that the event reports. */
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>

#include "harness/execing.h"
#include "harness/fixture.h"
#include "harness/live.h"

enum { OWNER = 1234, OTHER = 4321 };

static char *const argv[] = {"zero", "one", "", "three three", NULL};
static char *const envp[] = {"A=1", "B=two words", NULL};

static struct execing program(uint32_t exe_flags)
{
	return (struct execing){
		.path = "./program",
		.argv = argv,
		.envp = envp,
		.exe_flags = exe_flags,
	};
}

/* Whether the caller may write the program: its owner, its mode, and the caller. */
static const struct writable_case {
	uid_t owner;
	gid_t group;
	mode_t mode;
	uid_t uid;
	gid_t gid;
	gid_t other_group; /* one more group that the caller is in */
	uint32_t expected;
} writable_cases[] = {
	{0, 0, 0755, 0, 0, 0, execve_flags__EXE_WRITABLE},
	{0, 0, 0555, 0, 0, 0, execve_flags__EXE_WRITABLE},
	{OWNER, OWNER, 0555, OWNER, OTHER, OTHER, execve_flags__EXE_WRITABLE},
	{OWNER, OWNER, 0775, OTHER, OTHER, OTHER, 0},
	{OWNER, OWNER, 0775, OTHER, OWNER, OTHER, execve_flags__EXE_WRITABLE},
	{OWNER, OWNER, 0775, OTHER, OTHER, OWNER, execve_flags__EXE_WRITABLE},
	{OWNER, OWNER, 0757, OTHER, OTHER, OTHER, execve_flags__EXE_WRITABLE},
	{OWNER, OWNER, 0757, OTHER, OWNER, OTHER, 0},
	{OWNER, OWNER, 0755, 0, 0, 0, execve_flags__EXE_WRITABLE},
};

static void become(void *arg)
{
	const struct writable_case *as = arg;

	require(setgroups(1, &as->other_group) == 0);
	require(setresgid(as->gid, as->gid, as->gid) == 0);
	require(setresuid(as->uid, as->uid, as->uid) == 0);
}

static void check_writable(void)
{
	for (size_t i = 0; i < sizeof(writable_cases) / sizeof(writable_cases[0]); i++) {
		struct writable_case as = writable_cases[i];
		struct execing execing = program(as.expected);

		execing.prepare = become;
		execing.arg = &as;
		require(chown("program", as.owner, as.group) == 0);
		require(chmod("program", as.mode) == 0);
		execing_check(&execing);
	}
}

/* All capabilities, but in a user namespace that does not know the owner. */
static void enter_user_namespace(void *arg)
{
	int fd;

	require(unshare(CLONE_NEWUSER) == 0);
	fd = open("/proc/self/uid_map", O_WRONLY);
	require(fd >= 0 && write(fd, "0 0 1", 5) == 5 && close(fd) == 0);
}

static void check_user_namespace(void)
{
	struct execing execing = program(0);

	execing.prepare = enter_user_namespace;
	require(chown("program", OWNER, OWNER) == 0 && chmod("program", 0755) == 0);
	execing_check(&execing);
	require(chown("program", 0, 0) == 0);
}

/* False where the file system knows no such thing, as tmpfs before 6.0. */
static bool set_immutable(bool on)
{
	int fd = open("program", O_RDONLY), flags = 0;
	bool is_known = ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0;

	require(fd >= 0 && (is_known || errno == ENOTTY));
	flags = on ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
	require(!is_known || ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0);
	close(fd);
	return is_known;
}

static void check_immutable(void)
{
	struct execing execing = program(0);

	if (!set_immutable(true)) {
		puts("# execve of an immutable file: not tested, /tmp has none");
		return;
	}
	execing_check(&execing);
	set_immutable(false);
}

static void mount_read_only(void *arg)
{
	require(unshare(CLONE_NEWNS) == 0);
	require(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	require(mkdir("fixed", 0755) == 0 && mount("none", "fixed", "tmpfs", 0, NULL) == 0);
	execing_copy("fixed/program", 0755);
	require(mount("none", "fixed", "tmpfs", MS_REMOUNT | MS_RDONLY, NULL) == 0);
}

static void mount_overlay(void *arg)
{
	fixture_overlay();
	execing_copy("over/lower/lower", 0755);
	execing_copy("over/all/upper", 0755);
}

/* The path is that from the root of the child's own mounts. */
static void check_mount(void (*prepare)(void *arg), const char *path, uint32_t flags)
{
	char directory[128], exe_path[256];
	struct execing execing = {
		.prepare = prepare,
		.path = path,
		.argv = argv,
		.envp = envp,
		.exe_flags = flags,
		.exe_path = exe_path,
	};

	require(getcwd(directory, sizeof(directory)));
	snprintf(exe_path, sizeof(exe_path), "%s/%s", directory, path);
	execing_check(&execing);
	rmdir("over");
	rmdir("fixed");
}

static void check_mounts(void)
{
	check_mount(mount_read_only, "fixed/program", 0);
	check_mount(mount_overlay, "over/all/lower",
		    execve_flags__EXE_LOWER_LAYER | execve_flags__EXE_WRITABLE);
	check_mount(mount_overlay, "over/all/upper",
		    execve_flags__EXE_UPPER_LAYER | execve_flags__EXE_WRITABLE);
}

/* A script: the program is its interpreter, the filename its own. */
static void check_script(void)
{
	struct execing execing = program(execve_flags__EXE_WRITABLE);
	char directory[128], first_line[256];
	struct process process;
	int fd = open("script", O_WRONLY | O_CREAT | O_CLOEXEC, 0755);

	require(getcwd(directory, sizeof(directory)));
	snprintf(first_line, sizeof(first_line), "#!%s/program option\n", directory);
	require(fd >= 0 && write(fd, first_line, strlen(first_line)) > 0 && close(fd) == 0);
	execing.path = "script";
	execing_check_process(&execing, &process);
	expect_true(strcmp(process.comm, "script") == 0);
}

static void repeat(char *text, size_t len, char c)
{
	memset(text, c, len);
	text[len] = '\0';
}

/* Arguments and environments longer than an event holds. */
static void check_long(void)
{
	static char zero[6001], one[6001], variable[6001];
	char *const long_argv[] = {zero, one, "last", NULL}, *const none[] = {NULL};
	char *const long_envp[] = {variable, variable, NULL};
	struct execing execing = program(execve_flags__EXE_WRITABLE);

	repeat(zero, 100, 'z');
	repeat(one, 4096 - 101 - 1, 'o');
	repeat(variable, 2047, 'v');
	execing.argv = long_argv;
	execing.envp = long_envp;
	execing_check(&execing);
	repeat(one, 6000, 'o');
	repeat(variable, 6000, 'v');
	execing_check(&execing);
	repeat(zero, 4094, 'z');
	execing_check(&execing);
	repeat(zero, 4095, 'z');
	execing_check(&execing);
	repeat(zero, 6000, 'z');
	execing_check(&execing);
	execing.argv = none;
	execing.envp = none;
	execing_check(&execing);
	execing.argv = NULL;
	execing.envp = NULL;
	execing_check(&execing);
}

/* A process with everything set to something of its own. */
static void set_everything(void *arg)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[2] = {0};
	struct rlimit limit = {.rlim_cur = 777, .rlim_max = 1000};
	int fd = open("/proc/self/loginuid", O_WRONLY);

	if (fd >= 0)
		require(write(fd, "4321", 4) == 4 && close(fd) == 0);
	require(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	require(setsid() == getpid());
	require(ioctl(*(int *)arg, TIOCSCTTY, 0) == 0);
	require(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0);
	require(setgroups(0, NULL) == 0 && setresgid(OTHER, OTHER, OTHER) == 0);
	require(setresuid(OWNER, OWNER, OWNER) == 0);
	caps[0].permitted = caps[0].effective = 1U << CAP_NET_RAW | 1U << CAP_SYS_NICE;
	caps[0].inheritable = 1U << CAP_NET_RAW;
	caps[1].permitted = caps[1].effective = caps[1].inheritable =
		1U << (CAP_CHECKPOINT_RESTORE - 32);
	require(syscall(SYS_capset, &header, caps) == 0);
	require(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_CHECKPOINT_RESTORE, 0, 0) == 0);
}

static void check_everything(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	struct execing execing = program(0);
	struct process process;
	struct stat status;

	require(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	require(slave >= 0 && fstat(slave, &status) == 0);
	execing.prepare = set_everything;
	execing.arg = &slave;
	execing_check_process(&execing, &process);
	expect_true(process.tty == (136 << 8 | minor(status.st_rdev)));
	expect_true(process.fd_limit == 777 && process.pgid == process.pid);
	expect_true(process.cap_effective == 1ULL << CAP_CHECKPOINT_RESTORE);
	expect_true(process.cap_inheritable ==
		    (1ULL << CAP_NET_RAW | 1ULL << CAP_CHECKPOINT_RESTORE));
	close(slave);
	close(master);
}

static void lead_group(void *arg)
{
	require(setpgid(0, 0) == 0);
}

static void check_namespace(void)
{
	struct execing execing = program(execve_flags__EXE_WRITABLE);
	struct process process;

	execing.clone_flags = CLONE_NEWPID;
	execing.prepare = lead_group;
	execing_check_process(&execing, &process);
	expect_true(process.vpgid == 1 && process.pgid == process.pid);
}

static void *exec_in_thread(void *arg)
{
	const struct execing *execing = arg;

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
		CALL(SYS_execve, execing->path, execing->argv, execing->envp);
	_exit(1);
}

/* A thread that is not the main one; the new program has the id of the process. */
static void call_in_thread(const struct execing *execing)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exec_in_thread, (void *)execing) == 0)
		pause();
}

static void check_thread(void)
{
	struct execing execing = program(execve_flags__EXE_WRITABLE);

	execing.call = call_in_thread;
	execing_check(&execing);
}

static void check_failed_path(const struct path_case *path)
{
	struct failed_exec failed = {
		"zero", "one\0\0three three", "A=1\0B=two words", 17, 16, path->error,
	};
	struct process before;
	const struct event *ev;

	process_read(getpid(), getpid(), &before);
	require(CALL(SYS_execve, path->path, argv, envp) == path->error);
	ev = live_next(EVENT_execve);
	execing_expect_failed(ev, &failed, &before);
	expect_path(ev, execve__filename, path);
	expect_absent(ev, execve__filename_at_enter);
}

static void check_failed(char *const *arguments, char *const *environment,
			 const struct failed_exec *failed)
{
	struct process before;
	const struct event *ev;

	process_read(getpid(), getpid(), &before);
	require(CALL(SYS_execve, "no/such", arguments, environment) == failed->ret);
	ev = live_next(EVENT_execve);
	execing_expect_failed(ev, failed, &before);
	expect_string(ev, execve__filename, "no/such");
	expect_absent(ev, execve__filename_at_enter);
}

LIVE_TEST(execve)
{
	const struct path_case *paths = fixture_paths();

	for (int i = 0; i < PATH_CASES; i++)
		check_failed_path(&paths[i]);
	execing_check_failed(check_failed);
	execing_copy("program", 0755);
	check_script();
	check_long();
	check_everything();
	check_namespace();
	check_thread();
	check_mounts();
	check_immutable();
	check_writable();
	check_user_namespace();
}
