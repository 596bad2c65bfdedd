/* SPDX-License-Identifier: MIT */
/*
 * Ways of naming, executing and copying that lead naive observers astray: evasions NAME, in a
 * folder of its own with the file `secret`. Ends with 77 where the machine cannot.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/uring.h"

enum { SKIPPED = 77, BYTES = 6, NOBODY = 65534, TRIES = 100 };

#define HIERARCHY "name=lanner_evasions"

static void need(bool done)
{
	if (done)
		return;
	perror("evasions");
	switch (errno) {
	case EPERM:
	case ENOSYS:
	case ENODEV:
	case EOPNOTSUPP:
	case EAFNOSUPPORT:
		exit(SKIPPED);
	default:
		exit(1);
	}
}

static void read_file(int fd)
{
	char bytes[BYTES];

	need(fd >= 0 && read(fd, bytes, sizeof(bytes)) >= 0);
	close(fd);
}

static void by_links(void)
{
	char path[4096];

	need(getcwd(path, sizeof(path) - 64));
	memmove(path + strlen("/proc/self/root"), path, strlen(path) + 1);
	memcpy(path, "/proc/self/root", strlen("/proc/self/root"));
	strcat(path, "/secret");
	read_file(open(path, O_RDONLY));
	read_file(open("/etc/../proc/self/cwd/./secret", O_RDONLY));
	need(symlink("secret", "link") == 0);
	read_file(open("link", O_RDONLY));
}

static void by_hard_link(void)
{
	need(link("secret", "other") == 0);
	read_file(open("other", O_RDONLY));
}

/* Opened again through the link of a descriptor that reads nothing. */
static void by_path_descriptor(void)
{
	char path[64];
	int fd = open("secret", O_PATH);

	need(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_file(open(path, O_RDONLY));
}

static void by_handle(void)
{
	struct {
		struct file_handle handle;
		char bytes[MAX_HANDLE_SZ];
	} named = {.handle.handle_bytes = MAX_HANDLE_SZ};
	int mount, folder = open(".", O_RDONLY | O_DIRECTORY);

	need(name_to_handle_at(AT_FDCWD, "secret", &named.handle, &mount, 0) == 0);
	read_file(open_by_handle_at(folder, &named.handle, O_RDONLY));
}

/* The kernel shows files that are gone with such an end; these have it as a name. */
static void deleted_name(void)
{
	int fd = open("kept (deleted)", O_CREAT | O_RDWR, 0600), gone;

	need(fd >= 0);
	gone = open("gone", O_CREAT | O_RDWR, 0600);
	need(gone >= 0 && unlink("gone") == 0);
	read_file(fd);
	read_file(gone);
}

static void under_mount(void)
{
	need(unshare(CLONE_NEWNS) == 0);
	need(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	need(mkdir("elsewhere", 0700) == 0 && mount(".", "elsewhere", NULL, MS_BIND, NULL) == 0);
	read_file(open("elsewhere/secret", O_RDONLY));
}

static void abstract_socket(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char name[] = "\0evasion\0hidden";
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	memcpy(address.sun_path, name, sizeof(name) - 1);
	need(fd >= 0 &&
	     bind(fd, (struct sockaddr *)&address,
		  (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof(name) - 1)) == 0);
}

static void wait_for(pid_t child)
{
	need(child > 0 && waitpid(child, NULL, 0) == child);
}

static void run(const char *path, char *const *argv)
{
	pid_t child = fork();

	if (child == 0) {
		execv(path, argv);
		_exit(1);
	}
	wait_for(child);
}

static void other_name(void)
{
	prctl(PR_SET_NAME, "kworker/0:1");
	read_file(open("secret", O_RDONLY));
}

static void no_arguments(void)
{
	char *const none[] = {NULL};
	char *const false_name[] = {(char *)"/usr/sbin/sshd", NULL};

	run("/bin/true", none);
	run("/bin/true", false_name);
}

static void from_memory(void)
{
	int from = open("/bin/true", O_RDONLY), to = memfd_create("harmless", 0);
	char *const argv[] = {(char *)"harmless", NULL}, *const env[] = {NULL};
	struct stat size;
	pid_t child;

	need(from >= 0 && to >= 0 && fstat(from, &size) == 0);
	need(sendfile(to, from, NULL, (size_t)size.st_size) == size.st_size);
	child = fork();
	if (child == 0) {
		syscall(SYS_execveat, to, "", argv, env, AT_EMPTY_PATH);
		_exit(1);
	}
	wait_for(child);
}

/* A script whose interpreter is a script. */
static void scripts(void)
{
	static const char inner[] = "#!/bin/sh\nexit 0\n";
	char outer[4200] = "#!", *const argv[] = {(char *)"outer", NULL};
	int fd = open("inner", O_CREAT | O_WRONLY, 0700);

	need(fd >= 0 && write(fd, inner, strlen(inner)) > 0 && close(fd) == 0);
	need(getcwd(outer + 2, 4096));
	strcat(outer, "/inner\n");
	fd = open("outer", O_CREAT | O_WRONLY, 0700);
	need(fd >= 0 && write(fd, outer, strlen(outer)) > 0 && close(fd) == 0);
	run("./outer", argv);
}

/* By the loader, which is what the kernel executes. */
static void by_loader(void)
{
	static const char loader[] = "/lib64/ld-linux-x86-64.so.2";
	char *const argv[] = {(char *)loader, (char *)"/bin/true", NULL};

	if (access(loader, X_OK))
		exit(SKIPPED); /* another architecture */
	run(loader, argv);
}

static void double_fork(void)
{
	pid_t child = fork(), parent = getpid();

	if (child == 0) {
		if (fork() == 0) {
			while (getppid() != 1 && getppid() == parent)
				usleep(1000);
			usleep(10000); /* until the one between has gone */
			read_file(open("secret", O_RDONLY));
		}
		_exit(0);
	}
	wait_for(child);
	usleep(100000);
}

/* Root in a namespace of his own. */
static void false_root(void)
{
	char map[64];
	int fd, uid = (int)getuid();

	need(unshare(CLONE_NEWUSER) == 0);
	fd = open("/proc/self/uid_map", O_WRONLY);
	need(fd >= 0 && write(fd, map, (size_t)snprintf(map, sizeof(map), "0 %d 1", uid)) > 0);
	close(fd);
	read_file(open("secret", O_RDONLY));
}

/* Opens, reads and removes a file without a system call for any of it. */
static void ring(void)
{
	struct uring ring;
	char bytes[8];
	int fd;

	need(uring_open(&ring, 8, 0) == 0);
	fd = uring_do(&ring, &(struct io_uring_sqe){.opcode = IORING_OP_OPENAT,
						    .fd = AT_FDCWD,
						    .addr = (uintptr_t) "secret"});
	need(fd >= 0);
	need(uring_do(&ring, &(struct io_uring_sqe){.opcode = IORING_OP_READ,
						    .fd = fd,
						    .addr = (uintptr_t)bytes,
						    .len = sizeof(bytes)}) > 0);
	need(uring_do(&ring, &(struct io_uring_sqe){.opcode = IORING_OP_UNLINKAT,
						    .fd = AT_FDCWD,
						    .addr = (uintptr_t) "secret"}) == 0);
}

static void wrong_numbers(void)
{
	syscall(-1, 1, 2, 3);
	syscall(100000, 1, 2, 3);
	syscall(0x40000000 + SYS_openat, AT_FDCWD, "secret", O_RDONLY); /* x32 */
	read_file(open("secret", O_RDONLY));
}

static void by_mapping(void)
{
	int fd = open("secret", O_RDWR);
	char *bytes;

	need(fd >= 0 && ftruncate(fd, 4096) == 0);
	bytes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	need(bytes != MAP_FAILED);
	bytes[0] = 'X';
	munmap(bytes, 4096);
}

static void in_kernel(void)
{
	int from = open("secret", O_RDONLY), to = open("copy", O_CREAT | O_WRONLY, 0600), ends[2];

	need(from >= 0 && to >= 0 && pipe(ends) == 0);
	need(sendfile(to, from, &(off_t){0}, BYTES) == BYTES);
	need(copy_file_range(from, &(off_t){0}, to, NULL, BYTES, 0) == BYTES);
	need(splice(from, &(off_t){0}, ends[1], NULL, BYTES, 0) == BYTES);
}

static void packets(void)
{
	need(socket(AF_PACKET, SOCK_RAW, 0) >= 0);
}

static void new_mounts(void)
{
	int fs = (int)syscall(SYS_fsopen, "tmpfs", 0), made;

	need(unshare(CLONE_NEWNS) == 0 && fs >= 0);
	need(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	need(syscall(SYS_fsconfig, fs, 6 /* FSCONFIG_CMD_CREATE */, NULL, NULL, 0) == 0);
	made = (int)syscall(SYS_fsmount, fs, 0, 0);
	need(made >= 0 && mkdir("here", 0700) == 0);
	need(syscall(SYS_move_mount, made, "", AT_FDCWD, "here", 4 /* MOVE_MOUNT_F_EMPTY_PATH */) ==
	     0);
}

static void asynchronous(void)
{
	static char bytes[BYTES];
	int fd = open("secret", O_RDONLY);
	struct iocb one = {.aio_lio_opcode = IOCB_CMD_PREAD,
			   .aio_fildes = (uint32_t)fd,
			   .aio_buf = (uintptr_t)bytes,
			   .aio_nbytes = sizeof(bytes)};
	struct iocb two = one, *both[] = {&one, &two};
	aio_context_t context = 0;

	need(fd >= 0 && syscall(SYS_io_setup, 2, &context) == 0);
	need(syscall(SYS_io_submit, context, 2L, both) == 2);
}

static void copy_file(const char *from, const char *to, mode_t mode)
{
	int in = open(from, O_RDONLY), out = open(to, O_CREAT | O_WRONLY, 0600);
	struct stat size;

	need(in >= 0 && out >= 0 && fstat(in, &size) == 0);
	need(sendfile(out, in, NULL, (size_t)size.st_size) == size.st_size);
	need(fchmod(out, mode) == 0 && close(out) == 0 && close(in) == 0);
}

/* Another user executes a program that makes him root. */
static void setuid_program(void)
{
	char *const argv[] = {(char *)"tool", NULL}, *const env[] = {NULL};
	pid_t child;
	int fd;

	copy_file("/bin/true", "tool", 04755);
	fd = open("tool", O_PATH);
	child = fork();
	if (child == 0) {
		need(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
		open("secret", O_RDONLY);
		syscall(SYS_execveat, fd, "", argv, env, AT_EMPTY_PATH);
		_exit(1);
	}
	wait_for(child);
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0600);

	need(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0);
}

static void own_mounts(void)
{
	need(unshare(CLONE_NEWNS) == 0);
	need(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
}

static bool is_hierarchy_there(void)
{
	char text[4096];
	int fd = open("/proc/self/cgroup", O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	need(fd >= 0 && n >= 0 && close(fd) == 0);
	text[n] = '\0';
	return strstr(text, HIERARCHY ":");
}

static int mount_hierarchy(void)
{
	return mount("none", "groups", "cgroup", 0, "none," HIERARCHY);
}

/* A hierarchy stays, for all processes, if at its unmount the kernel has a group of it still. */
static void remove_hierarchy(void)
{
	for (int i = 0; i < TRIES; i++) {
		need(umount("groups") == 0);
		usleep(100000); /* until it has gone, or will not */
		if (!is_hierarchy_there())
			return;
		need(mount_hierarchy() == 0);
	}
	exit(1);
}

/*
 * By a handle of a file that nobody looked up: what the kernel has of it is in no folder, and has
 * no name. Handles of control groups are known without a look-up: they are the numbers of inodes.
 */
static void by_loose_handle(void)
{
	struct {
		struct file_handle handle;
		uint64_t ino;
	} named = {.handle = {.handle_bytes = sizeof(uint64_t), .handle_type = 0xfe}};
	const struct dirent *entry;
	DIR *folder;

	own_mounts();
	need(mkdir("groups", 0700) == 0 && mount_hierarchy() == 0);
	need(mkdir("groups/group", 0700) == 0);
	folder = opendir("groups/group");
	need(folder);
	while ((entry = readdir(folder)) && strcmp(entry->d_name, "tasks") != 0)
		;
	need(entry);
	named.ino = entry->d_ino;
	read_file(open_by_handle_at(dirfd(folder), &named.handle, O_RDONLY));
	closedir(folder);
	need(rmdir("groups/group") == 0);
	remove_hierarchy();
}

/* The kernel itself starts a program, when a control group becomes empty: this one, by a name that
 * is one outside its own mounts, too. */
static void by_kernel(void)
{
	char exe[3072] = "", program[4096];
	pid_t child;

	need(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	snprintf(program, sizeof(program), "/proc/%d/root%s", getpid(), exe);
	own_mounts();
	need(mkdir("groups", 0700) == 0);
	need(mount_hierarchy() == 0);
	need(mkdir("groups/group", 0700) == 0);
	write_text("groups/release_agent", program);
	write_text("groups/group/notify_on_release", "1");
	child = fork();
	if (child == 0) {
		write_text("groups/group/cgroup.procs", "0");
		_exit(0);
	}
	wait_for(child);
	usleep(500000); /* until it ran */
	need(rmdir("groups/group") == 0);
	remove_hierarchy();
}

/* Both ends are this process; the second of the descriptors that are received is looked up in
 * /proc. */
static int send_to_itself(int fd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control = {.header = {.cmsg_len = CMSG_LEN(2 * sizeof(int)),
				.cmsg_level = SOL_SOCKET,
				.cmsg_type = SCM_RIGHTS}};
	char byte = 'x';
	struct iovec data = {&byte, 1};
	struct msghdr message = {.msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	int ends[2], both[2] = {fd, fd};

	memcpy(CMSG_DATA(&control.header), both, sizeof(both));
	need(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	need(sendmsg(ends[0], &message, 0) == 1 && recvmsg(ends[1], &message, 0) == 1);
	memcpy(both, CMSG_DATA(&control.header), sizeof(both));
	return both[1];
}

/* The layers are of two file systems, so that inodes are not those of the files below. */
static void in_overlay(void)
{
	char bytes[BYTES];
	int below, above;

	own_mounts();
	need(mkdir("lower", 0700) == 0 && mkdir("upper", 0700) == 0 && mkdir("work", 0700) == 0 &&
	     mkdir("merged", 0700) == 0);
	need(mount("none", "lower", "tmpfs", 0, NULL) == 0);
	write_text("lower/file", "below");
	need(mount("none", "merged", "overlay", 0, "lowerdir=lower,upperdir=upper,workdir=work") ==
	     0);
	below = open("merged/file", O_RDONLY);
	need(below >= 0 && read(below, bytes, 1) == 1);
	need(read(send_to_itself(below), bytes, 1) == 1);
	above = open("merged/file", O_RDWR);
	need(above >= 0 && write(above, "above", 5) == 5 && pread(below, bytes, 1, 0) == 1);
	need(read(send_to_itself(above), bytes, 1) == 0);
	usleep(500000); /* until they were looked up */
}

static atomic_bool ended;
enum { RACED = 9, RACES = 2000 };

/* Makes a number one file and the other in turn. */
static void *change_number(void *files)
{
	while (!atomic_load(&ended))
		for (int i = 0; i < 2; i++)
			dup2(((int *)files)[i], RACED);
	return NULL;
}

/* How many bytes a read returns says which of the files it was. */
static void raced_number(void)
{
	int files[2] = {open("secret", O_RDONLY), open("short", O_CREAT | O_RDWR, 0600)};
	char bytes[BYTES];
	pthread_t thread;

	need(files[0] >= 0 && files[1] >= 0 && write(files[1], "abc", 3) == 3);
	need(dup2(files[0], RACED) == RACED);
	need(pthread_create(&thread, NULL, change_number, files) == 0);
	for (int i = 0; i < RACES; i++)
		need(pread(RACED, bytes, sizeof(bytes), 0) > 0);
	atomic_store(&ended, true);
	pthread_join(thread, NULL);
}

static volatile char selector; /* whether calls are dispatched to the program: 1 */

static void take_call(int signal, siginfo_t *info, void *context)
{
	selector = 0;
}

/* The kernel runs no call of it: the program gets a signal in its place, and does what it likes. */
static void by_dispatch(void)
{
	const struct sigaction action = {.sa_sigaction = take_call, .sa_flags = SA_SIGINFO};

	need(sigaction(SIGSYS, &action, NULL) == 0);
	need(prctl(59 /* PR_SET_SYSCALL_USER_DISPATCH */, 1, 0, 0, &selector) == 0);
	selector = 1;
	syscall(SYS_openat, AT_FDCWD, "secret", O_RDONLY);
	need(selector == 0);
}

static int connect_to_nobody(int fd)
{
	const struct sockaddr_in nobody = {.sin_family = AF_INET,
					   .sin_port = htons(9),
					   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	return connect(fd, (const struct sockaddr *)&nobody, sizeof(nobody));
}

/* Sockets whose ends and messages have forms of their own. */
static void odd_sockets(void)
{
	static const int kinds[][3] = {
		{AF_ALG, SOCK_SEQPACKET, 0},
		{40 /* AF_VSOCK */, SOCK_STREAM, 0},
		{AF_INET, SOCK_STREAM, 132},
		{44 /* AF_XDP */, SOCK_RAW, 0},
		{AF_INET, SOCK_STREAM, 262 /* MPTCP */},
	};
	int fd = -1;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		fd = socket(kinds[i][0], kinds[i][1], kinds[i][2]);
	if (fd >= 0)
		connect_to_nobody(fd);
}

/* Calls from an address that no device of the machine has. */
static void foreign_address(void)
{
	const struct sockaddr_in foreign = {.sin_family = AF_INET,
					    .sin_port = htons(4000),
					    .sin_addr.s_addr = htonl(0xc0000201)};
	int fd = socket(AF_INET, SOCK_DGRAM, 0), yes = 1;

	need(fd >= 0 && setsockopt(fd, SOL_IP, IP_TRANSPARENT, &yes, sizeof(yes)) == 0);
	need(bind(fd, (const struct sockaddr *)&foreign, sizeof(foreign)) == 0);
	need(connect_to_nobody(fd) == 0);
}

/* Goes by a device, whatever the routes say. */
static void bound_device(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	need(fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", sizeof("lo")) == 0);
	need(connect_to_nobody(fd) == 0);
}

/* Names where there is no memory, or none for the program. */
static void bad_pointers(void)
{
	void *hidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uintptr_t pointers[] = {0xffffffffff600000, 0xffff888000000000, 0x8000000000000000, 8,
				      (uintptr_t)hidden};

	for (size_t i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++)
		need(syscall(SYS_openat, AT_FDCWD, pointers[i], O_RDONLY) < 0 && errno == EFAULT);
}

/* Another root folder, in which the file has another path. */
static void other_root(void)
{
	need(mkdir("jail", 0755) == 0 && link("secret", "jail/secret") == 0);
	need(chroot("jail") == 0 && chdir("/") == 0);
	read_file(open("/secret", O_RDONLY));
}

/* Changes its own memory as a file, which asks for no right to write it. */
static void memory_file(void)
{
	static const char text[] = "before";
	int fd = open("/proc/self/mem", O_WRONLY);

	need(fd >= 0 && pwrite(fd, "behind", sizeof(text) - 1, (off_t)(uintptr_t)text) > 0);
	close(fd);
}

/* Its own file is gone when it runs. */
static void removed_program(void)
{
	char *argv[] = {"removed", NULL}, *none[] = {NULL};
	int from = open("/bin/true", O_RDONLY), to = open("removed", O_CREAT | O_WRONLY, 0755);
	pid_t child;

	need(from >= 0 && to >= 0);
	while (sendfile(to, from, NULL, 1 << 20) > 0)
		;
	close(to);
	to = open("removed", O_RDONLY | O_CLOEXEC);
	need(to >= 0 && unlink("removed") == 0);
	child = fork();
	if (child == 0) {
		fexecve(to, argv, none);
		_exit(1);
	}
	wait_for(child);
}

static void by_clone_of_file(void)
{
	int from = open("secret", O_RDONLY), to = open("copy", O_CREAT | O_WRONLY, 0600);

	need(from >= 0 && to >= 0);
	ioctl(to, FICLONE, from);
}

/*
 * A process that is another one all the time: it opens a file, its child reads it and goes on. Ends
 * when the file `stop` is there, or the folder has gone.
 */
static void walker(void)
{
	int fd = open("secret", O_RDONLY), next;
	char bytes[BYTES];

	while (access("stop", F_OK) && fd >= 0) {
		pid_t child = fork();

		need(child >= 0);
		if (child)
			_exit(0);
		need(pread(fd, bytes, sizeof(bytes), 0) == sizeof(bytes));
		next = open("secret", O_RDONLY);
		close(fd);
		fd = next;
		usleep(1000);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} evasions[] = {
	{"by_links", by_links},
	{"by_hard_link", by_hard_link},
	{"by_path_descriptor", by_path_descriptor},
	{"by_handle", by_handle},
	{"deleted_name", deleted_name},
	{"under_mount", under_mount},
	{"abstract_socket", abstract_socket},
	{"other_name", other_name},
	{"no_arguments", no_arguments},
	{"from_memory", from_memory},
	{"scripts", scripts},
	{"by_loader", by_loader},
	{"double_fork", double_fork},
	{"false_root", false_root},
	{"ring", ring},
	{"wrong_numbers", wrong_numbers},
	{"by_mapping", by_mapping},
	{"in_kernel", in_kernel},
	{"packets", packets},
	{"new_mounts", new_mounts},
	{"asynchronous", asynchronous},
	{"setuid_program", setuid_program},
	{"by_loose_handle", by_loose_handle},
	{"by_kernel", by_kernel},
	{"in_overlay", in_overlay},
	{"raced_number", raced_number},
	{"by_dispatch", by_dispatch},
	{"odd_sockets", odd_sockets},
	{"foreign_address", foreign_address},
	{"bound_device", bound_device},
	{"bad_pointers", bad_pointers},
	{"removed_program", removed_program},
	{"other_root", other_root},
	{"memory_file", memory_file},
	{"by_clone_of_file", by_clone_of_file},
	{"walker", walker},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(evasions) / sizeof(evasions[0]); i++) {
		if (strcmp(argv[1], evasions[i].name) != 0)
			continue;
		evasions[i].run();
		return 0;
	}
	fputs("usage: evasions NAME\n", stderr);
	return 2;
}
