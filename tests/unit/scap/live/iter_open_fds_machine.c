/* SPDX-License-Identifier: MIT */
/*
 * The iterator of the running kernel against /proc: processes with descriptors of every kind, in
 * namespaces and roots of their own, are the same for both. Skipped where BPF programs may not be
 * loaded, or the kernel has no such iterator.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_alg.h>
#include <linux/io_uring.h>
#include <linux/netlink.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event/event.h"
#include "scap/live/iter.h"
#include "scap/live/live.h"
#include "scap/proc/proc.h"
#include "unit.h"

enum { CHILDREN = 6, FDS_MAX = 400, FDS_MIN = 30, HIGH = 777, PROTOCOL_MPTCP = 262 };

struct crowd {
	char dir[64];
	struct scap_proc *proc;
	struct scap_live *live;
	pid_t pids[CHILDREN];
	int stop; /* closed: the children end */
};

/* Of one process. */
struct fds {
	struct scap_fd list[FDS_MAX];
	char names[FDS_MAX][256];
	size_t count;
};

static void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
}

/* What cannot be opened here stays away from both sides. */
static void open_files(void)
{
	static const int flags[] = {O_RDONLY,	     O_WRONLY | O_APPEND, O_RDWR | O_CLOEXEC,
				    O_PATH,	     O_RDWR | O_NONBLOCK, O_RDONLY | O_DSYNC,
				    O_RDWR | O_SYNC, O_RDONLY | O_DIRECT, O_RDONLY | O_NOATIME};
	static const char *const others[] = {
		"/dev/null",	     "/dev/ptmx", "/proc/self/status", "/sys/kernel",
		"/proc/self/ns/net", "/",	  "/proc/self/fd",     "/etc/passwd"};

	make_file("file");
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		open("file", flags[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		open(others[i], O_RDONLY);
	symlink("file", "link");
	open("link", O_PATH | O_NOFOLLOW);
	mkfifo("fifo", 0600);
	open("fifo", O_RDWR);
	open(".", O_RDONLY | O_TMPFILE, 0600);
	open(".", O_RDWR | O_TMPFILE, 0600);
	make_file("deleted (deleted)");
	open("deleted (deleted)", O_RDONLY);
	make_file("gone");
	open("gone", O_RDONLY);
	unlink("gone");
	mkdir("lost", 0700);
	open("lost", O_RDONLY);
	rmdir("lost");
	mkdir("deep", 0700);
	make_file("deep/x\ny");
	open("deep/x\ny", O_RDONLY);
	dup2(open("file", O_RDONLY), HIGH);
}

static void open_objects(void)
{
	struct io_uring_params params = {0};
	int pair[2];
	sigset_t set;

	sigemptyset(&set);
	pipe(pair);
	pipe2(pair, O_CLOEXEC | O_NONBLOCK);
	open("/proc/self/fd/0", O_RDONLY);
	memfd_create("memory", MFD_CLOEXEC);
	eventfd(0, EFD_CLOEXEC);
	epoll_create1(0);
	timerfd_create(CLOCK_MONOTONIC, 0);
	signalfd(-1, &set, SFD_NONBLOCK);
	inotify_init1(0);
	syscall(SYS_pidfd_open, getpid(), 0);
	syscall(SYS_userfaultfd, O_CLOEXEC);
	syscall(SYS_io_uring_setup, 4, &params);
	syscall(SYS_fanotify_init, 0, 0);
	mq_open("/open_fds", O_RDWR | O_CREAT, 0600, NULL);
	mq_unlink("/open_fds");
}

static int bound(int family, int type, int protocol)
{
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = socket(family, type, protocol);

	if (family == AF_INET)
		bind(fd, (struct sockaddr *)&v4, sizeof(v4));
	else
		bind(fd, (struct sockaddr *)&v6, sizeof(v6));
	return fd;
}

/* Both ends, and the one that is accepted. */
static void open_connection(int family, int type, int protocol, bool mapped)
{
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);
	int server = bound(family, type, protocol), client;

	listen(server, 2);
	getsockname(server, (struct sockaddr *)&address, &len);
	client = socket(mapped ? AF_INET6 : family, type, protocol);
	if (mapped) {
		inet_pton(AF_INET6, "::ffff:127.0.0.1", &v6.sin6_addr);
		v6.sin6_port = ((struct sockaddr_in *)&address)->sin_port;
		connect(client, (struct sockaddr *)&v6, sizeof(v6));
	} else {
		connect(client, (struct sockaddr *)&address, len);
	}
	if (type == SOCK_STREAM)
		fcntl(server, F_SETFL, O_NONBLOCK), accept(server, NULL, NULL);
}

static void open_ip_sockets(int family)
{
	open_connection(family, SOCK_STREAM, 0, false);
	open_connection(family, SOCK_DGRAM, 0, false);
	open_connection(family, SOCK_DGRAM, IPPROTO_UDPLITE, false);
	open_connection(family, SOCK_STREAM, PROTOCOL_MPTCP, false);
	bound(family, SOCK_STREAM, 0);
	bound(family, SOCK_DGRAM, family == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6);
	bound(family, SOCK_RAW, family == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6);
	socket(family, SOCK_RAW, IPPROTO_RAW);
	socket(family, SOCK_STREAM, 0);
	socket(family, SOCK_DGRAM, 0);
	socket(family, SOCK_STREAM, IPPROTO_SCTP);
	shutdown(bound(family, SOCK_STREAM, 0), SHUT_RDWR);
}

static void open_unix_sockets(void)
{
	static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int pair[2];

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		socketpair(AF_UNIX, types[i], 0, pair);
		socket(AF_UNIX, types[i], 0);
		snprintf(address.sun_path, sizeof(address.sun_path), "socket %zu", i);
		bind(socket(AF_UNIX, types[i], 0), (struct sockaddr *)&address, sizeof(address));
		snprintf(address.sun_path, sizeof(address.sun_path), "%cabstract %d %zu%c.", 0,
			 getpid(), i, 0);
		bind(socket(AF_UNIX, types[i], 0), (struct sockaddr *)&address, 40);
	}
	memset(address.sun_path, 'x', sizeof(address.sun_path));
	bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof(address));
	address.sun_path[0] = '\0';
	bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof(address));
	/* A name that the kernel chooses. */
	bind(socket(AF_UNIX, SOCK_DGRAM, 0), (struct sockaddr *)&address, 2);
}

static void open_other_sockets(void)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK};

	socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	bind(socket(AF_NETLINK, SOCK_DGRAM, NETLINK_KOBJECT_UEVENT), (struct sockaddr *)&address,
	     sizeof(address));
	socket(AF_PACKET, SOCK_RAW, 0);
	socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socket(AF_VSOCK, SOCK_STREAM, 0);
	socket(AF_ALG, SOCK_SEQPACKET, 0);
	open("socket 0", O_PATH);
	/* A socket by its link, which is no socket for calls. */
	open("/proc/self/fd/3", O_PATH);
}

static void open_all(void)
{
	open_ip_sockets(AF_INET);
	open_ip_sockets(AF_INET6);
	open_connection(AF_INET, SOCK_STREAM, 0, true);
	open_connection(AF_INET, SOCK_DGRAM, 0, true);
	open_unix_sockets();
	open_other_sockets();
	open_files();
	open_objects();
}

static void enter(const char *name)
{
	mkdir(name, 0777);
	if (chdir(name))
		_exit(1);
}

static void as_other_user(void)
{
	enter("user");
	open_all();
	if (setresuid(65534, 65534, 65534))
		_exit(1);
}

static void in_network(void)
{
	enter("network");
	if (unshare(CLONE_NEWNET | CLONE_NEWIPC) == 0)
		system("ip link set lo up 2>/dev/null || ifconfig lo up");
	open_all();
}

/* Mounts that this process alone has: one of them hidden, one detached, one of an overlay. */
static void in_mounts(void)
{
	enter("mounts");
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		_exit(1);
	mkdir("tmp", 0700);
	mount("none", "tmp", "tmpfs", 0, NULL);
	make_file("tmp/own");
	open("tmp/own", O_RDONLY);
	open("tmp", O_RDONLY);
	mkdir("tmp/low", 0700);
	make_file("tmp/low/lower");
	mkdir("tmp/up", 0700);
	mkdir("tmp/work", 0700);
	mkdir("over", 0700);
	mount("none", "over", "overlay", 0, "lowerdir=tmp/low,upperdir=tmp/up,workdir=tmp/work");
	make_file("over/upper");
	open("over/upper", O_RDONLY);
	open("over/lower", O_RDONLY);
	open("over", O_RDONLY);
	mkdir("away", 0700);
	mount("none", "away", "tmpfs", 0, NULL);
	mkdir("away/below", 0700);
	make_file("away/below/file");
	open("away/below/file", O_RDONLY);
	umount2("away", MNT_DETACH);
	open_all();
	mount("none", ".", "tmpfs", 0, NULL);
}

static void in_root(void)
{
	enter("root");
	if (chroot("."))
		_exit(1);
	open_all();
}

static void in_container(void)
{
	enter("container");
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWPID) ==
		    0 &&
	    mount(".", ".", NULL, MS_BIND | MS_REC, NULL) == 0)
		syscall(SYS_pivot_root, ".", ".");
	open_all();
}

static void as_it_is(void)
{
	enter("plain");
	open_all();
}

static void (*const kinds[CHILDREN])(void) = {
	as_it_is, as_other_user, in_network, in_mounts, in_root, in_container,
};

static void run_child(void (*fill)(void), int ready, int stop)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fill();
	if (write(ready, "x", 1) != 1)
		_exit(1);
	while (read(stop, &byte, 1) > 0)
		;
	_exit(0);
}

static void begin_children(struct crowd *machine)
{
	int ready[2], stop[2];
	char byte;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	assert_int_equal(pipe2(stop, O_CLOEXEC), 0);
	for (size_t i = 0; i < CHILDREN; i++) {
		machine->pids[i] = fork();
		if (machine->pids[i] == 0) {
			close(stop[1]);
			run_child(kinds[i], ready[1], stop[0]);
		}
		assert_int_equal(read(ready[0], &byte, 1), 1);
	}
	close(ready[0]);
	close(ready[1]);
	close(stop[0]);
	machine->stop = stop[1];
}

static int setup(void **state)
{
	struct scap_live_config config = {.ring_bytes = 1 << 16,
					  .events = {[EVENT_mkdirat] = true},
					  .iterators = {[SCAP_LIVE_OPEN_FDS] = true}};
	struct crowd *machine = calloc(1, sizeof(*machine));
	struct error err = {""};
	char here[64];

	*state = machine;
	strcpy(machine->dir, "/tmp/open_fds.XXXXXX");
	if (!machine || scap_proc_open("/proc", &machine->proc, &err) || !mkdtemp(machine->dir) ||
	    chmod(machine->dir, 0777) || chdir(machine->dir))
		return -1;
	if (scap_live_load(&config, &machine->live, &err))
		return 0; /* the tests are skipped */
	snprintf(here, sizeof(here), "%s", machine->dir);
	begin_children(machine);
	return 0;
}

static int teardown(void **state)
{
	struct crowd *machine = *state;
	char command[96];
	int code;

	close(machine->stop);
	for (size_t i = 0; i < CHILDREN && machine->pids[i] > 0; i++)
		waitpid(machine->pids[i], NULL, 0);
	if (machine->live)
		scap_source_destroy(scap_live_source(machine->live));
	scap_proc_close(machine->proc);
	snprintf(command, sizeof(command), "rm -rf %s", machine->dir);
	code = chdir("/") || system(command);
	free(machine);
	return code;
}

static void add(struct fds *fds, const struct scap_fd *fd)
{
	struct scap_fd *kept = &fds->list[fds->count];

	assert_true(fds->count < FDS_MAX);
	*kept = *fd;
	snprintf(fds->names[fds->count], sizeof(fds->names[0]), "%s", fd->name);
	kept->name = fds->names[fds->count++];
}

static void read_proc(struct scap_proc *proc, pid_t pid, struct fds *fds)
{
	struct scap_fd found;

	fds->count = 0;
	assert_int_equal(scap_proc_fds(proc, pid), 0);
	while (scap_proc_next_fd(proc, &found) == 1)
		add(fds, &found);
}

static size_t child_of(const struct crowd *machine, int64_t pid)
{
	size_t i = 0;

	while (i < CHILDREN && machine->pids[i] != pid)
		i++;
	return i;
}

static void read_iterator(struct crowd *machine, struct fds children[CHILDREN])
{
	struct scap_open_fds *open_fds;
	int fd = scap_live_open_iterator(machine->live, SCAP_LIVE_OPEN_FDS), r;
	struct scap_fd found;
	int64_t pid, last = 0;

	assert_true(fd >= 0);
	assert_int_equal(scap_open_fds_create(fd, machine->proc, &open_fds), 0);
	while ((r = scap_open_fds_next(open_fds, &pid, &found)) == 1) {
		size_t i = child_of(machine, pid);

		assert_true(pid >= last);
		last = pid;
		if (i < CHILDREN)
			add(&children[i], &found);
	}
	assert_int_equal(r, 0);
	scap_open_fds_destroy(open_fds);
}

/* The kernel hides addresses from /proc: only whether there is one can be compared. */
static bool is_same(const struct scap_fd *a, const struct scap_fd *b)
{
	return a->num == b->num && a->type == b->type && a->flags == b->flags && a->dev == b->dev &&
	       a->ino == b->ino && strcmp(a->name, b->name) == 0 && a->l4 == b->l4 &&
	       memcmp(&a->local, &b->local, sizeof(a->local)) == 0 &&
	       memcmp(&a->remote, &b->remote, sizeof(a->remote)) == 0 &&
	       !a->unix_socket == !b->unix_socket && a->unix_peer == b->unix_peer;
}

static void print_fd(const char *side, const struct scap_fd *fd)
{
	print_message("%s %ld: type %d flags %x dev %x ino %lu l4 %d %u.%u.%u.%u:%u %u.%u.%u.%u:%u "
		      "unix %lx \"%s\"\n",
		      side, (long)fd->num, fd->type, fd->flags, fd->dev, (unsigned long)fd->ino,
		      fd->l4, fd->local.address[0], fd->local.address[1], fd->local.address[2],
		      fd->local.address[3], fd->local.port, fd->remote.address[0],
		      fd->remote.address[1], fd->remote.address[2], fd->remote.address[3],
		      fd->remote.port, (unsigned long)fd->unix_socket, fd->name);
}

static size_t count_differences(const struct fds *iterated, const struct fds *read)
{
	size_t differences = 0;

	assert_true(read->count >= FDS_MIN);
	if (iterated->count != read->count)
		print_message("%zu descriptors, /proc has %zu\n", iterated->count, read->count);
	for (size_t i = 0; i < read->count && i < iterated->count; i++) {
		if (is_same(&iterated->list[i], &read->list[i]))
			continue;
		differences++;
		print_fd("iterator", &iterated->list[i]);
		print_fd("/proc   ", &read->list[i]);
	}
	return differences + (iterated->count != read->count);
}

static void test_same(void **state)
{
	struct fds *iterated = calloc(CHILDREN + 1, sizeof(*iterated)), *read = iterated + CHILDREN;
	struct crowd *machine = *state;
	size_t differences = 0;

	assert_non_null(iterated);
	if (!machine->live || !scap_open_fds_sees_all())
		skip();
	read_iterator(machine, iterated);
	for (size_t i = 0; i < CHILDREN; i++) {
		read_proc(machine->proc, machine->pids[i], read);
		differences += count_differences(&iterated[i], read);
	}
	free(iterated);
	assert_int_equal(differences, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_same, setup, teardown),
};

UNIT_GROUP(tests);
