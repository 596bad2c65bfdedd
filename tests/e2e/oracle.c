/* SPDX-License-Identifier: MIT */
/*
 * Makes system calls in all the ways in which their order, their thread or their result could be
 * reported wrongly: from many threads, in processes that begin and end in every manner, interrupted
 * by signals, failing. test_oracle runs it under strace and the agent at once. It checks nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 25 };

static const char file_name[] = "oracle-file";
extern char **environ;

/* Results are for strace and the agent to see, not for the program. */
static void done(long result)
{
	(void)result;
}

static void sleep_ms(long ms)
{
	struct timespec time = {.tv_nsec = ms * 1000000};

	nanosleep(&time, NULL);
}

static int wait_for(pid_t child)
{
	int status = 0;

	waitpid(child, &status, 0);
	return status;
}

static void *use_files(void *number)
{
	char name[32], data[64] = "data";
	struct iovec pieces[] = {{data, 10}, {data + 10, 20}};

	snprintf(name, sizeof(name), "thread-%ld", (long)number);
	for (int i = 0; i < ROUNDS; i++) {
		int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

		done(write(fd, data, 40));
		done(pwrite(fd, data, 7, i));
		done(pread(fd, data, 5 + i, 1));
		done(writev(fd, pieces, 2));
		done(pwritev(fd, pieces, 2, 3));
		done(preadv(fd, pieces, 2, 3));
		done(lseek(fd, 0, SEEK_SET));
		done(readv(fd, pieces, 2));
		done(read(fd, data, sizeof(data)));
		close(fd);
		close(fd);
		sched_yield();
	}
	unlink(name);
	return NULL;
}

static void threads(void)
{
	pthread_t started[THREADS];

	for (long i = 0; i < THREADS; i++)
		pthread_create(&started[i], NULL, use_files, (void *)i);
	for (long i = 0; i < THREADS; i++)
		pthread_join(started[i], NULL);
}

static void files(void)
{
	struct open_how how = {.flags = O_RDONLY}, bad_how = {.resolve = ~0ULL};
	int fds[2] = {-1, -1}, fd = creat(file_name, 0640);

	close(fd);
	fd = (int)syscall(SYS_open, file_name, O_RDWR | O_APPEND, 0);
	close((int)syscall(SYS_openat2, AT_FDCWD, file_name, &how, sizeof(how)));
	done(syscall(SYS_openat2, AT_FDCWD, file_name, &bad_how, sizeof(bad_how)));
	done(open("/nosuch/file", O_RDONLY));
	done(open(file_name, O_CREAT | O_EXCL | O_RDWR, 0600));
	done(open(file_name, O_RDONLY | O_DIRECTORY));
	done(syscall(SYS_openat, 999, "relative", O_RDONLY));
	done(syscall(SYS_openat, AT_FDCWD, (char *)8, O_RDONLY));
	done(dup2(fd, 700));
	done(dup3(fd, 701, O_CLOEXEC));
	done(dup3(fd, fd, 0));
	done(dup(999));
	done(fcntl(fd, F_DUPFD, 800));
	done(fcntl(fd, F_GETFL));
	done(fcntl(999, F_GETFD));
	for (int i = 700; i <= 800; i++)
		close(i);
	done(syscall(SYS_pipe, fds));
	close(fds[0]);
	done(syscall(SYS_write, 999, "x", 1));
	done(syscall(SYS_read, fds[1], &fds, sizeof(fds)));
	close(fds[1]);
	done(syscall(SYS_pipe2, 8, 0));
	done(pipe2(fds, ~0));
	done(mkdir("oracle-dir", 0700));
	done(mkdirat(AT_FDCWD, "oracle-dir", 0700));
	done(rename(file_name, "oracle-dir/moved"));
	done(renameat2(AT_FDCWD, "oracle-dir/moved", AT_FDCWD, file_name, 1));
	done(syscall(SYS_renameat, AT_FDCWD, "nosuch", AT_FDCWD, "other"));
	done(chdir("oracle-dir"));
	done(fchdir(fd));
	done(chdir(".."));
	done(rmdir("oracle-dir"));
	done(unlinkat(AT_FDCWD, file_name, 0));
	done(unlink(file_name));
	close(fd);
}

/* Of system calls that do not exist those count, too, whose numbers no kernel has used so far. */
static void numbers(void)
{
	done(syscall(400));
	done(syscall(511));
	done(syscall(512));
	done(syscall(100000));
	done(syscall(-1));
}

static void *serve(void *listener)
{
	struct sockaddr_in peer;
	socklen_t len = sizeof(peer);
	char data[64];
	int fd = accept(*(int *)listener, (struct sockaddr *)&peer, &len);

	done(recv(fd, data, sizeof(data), 0));
	done(send(fd, data, 9, MSG_NOSIGNAL));
	shutdown(fd, SHUT_WR);
	done(recv(fd, data, sizeof(data), 0));
	close(fd);
	fd = accept4(*(int *)listener, NULL, NULL, SOCK_CLOEXEC);
	done(send(fd, data, 1, MSG_NOSIGNAL));
	close(fd);
	return NULL;
}

static void talk(const struct sockaddr_in *address)
{
	char data[64] = "question";
	struct iovec piece = {data, 8};
	struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	done(connect(fd, (const struct sockaddr *)address, sizeof(*address)));
	done(sendmsg(fd, &message, 0));
	done(recvmsg(fd, &message, MSG_WAITALL));
	shutdown(fd, SHUT_RDWR);
	shutdown(fd, 77);
	close(fd);
}

static void tcp(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct epoll_event event = {.events = EPOLLOUT};
	socklen_t len = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), epoll = epoll_create1(0), fd;
	pthread_t server;

	done(connect(listener, (struct sockaddr *)&address, sizeof(address)));
	done(bind(listener, (struct sockaddr *)&address, sizeof(address)));
	listen(listener, 5);
	done(bind(listener, (struct sockaddr *)&address, sizeof(address)));
	getsockname(listener, (struct sockaddr *)&address, &len);
	pthread_create(&server, NULL, serve, &listener);
	talk(&address);

	fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
	done(connect(fd, (struct sockaddr *)&address, sizeof(address)));
	epoll_wait(epoll, &event, 1, 1000);
	pthread_join(server, NULL);
	done(recv(fd, &event, sizeof(event), 0));
	close(fd);
	fcntl(listener, F_SETFL, O_NONBLOCK);
	done(accept(listener, NULL, NULL));
	done(accept(epoll, NULL, NULL));
	epoll_wait(epoll, &event, 1, 10);
	close(epoll);
	close(listener);
}

static void unix_sockets(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "oracle-socket"};
	char data[16] = "";
	int pair[2], fd;

	done(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	done(write(pair[0], "pair", 4));
	done(read(pair[1], data, sizeof(data)));
	close(pair[0]);
	done(read(pair[1], data, sizeof(data)));
	done(send(pair[1], data, 1, MSG_NOSIGNAL));
	close(pair[1]);
	done(socketpair(AF_INET, SOCK_STREAM, 0, pair));

	fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	done(connect(fd, (struct sockaddr *)&address, sizeof(address)));
	done(bind(fd, (struct sockaddr *)&address, sizeof(address)));
	done(sendto(fd, "self", 4, 0, (struct sockaddr *)&address, sizeof(address)));
	done(recvfrom(fd, data, sizeof(data), 0, NULL, NULL));
	done(recvfrom(fd, data, sizeof(data), MSG_DONTWAIT, NULL, NULL));
	done(sendto(fd, "x", 1, 0, (struct sockaddr *)&address, 1));
	close(fd);
	unlink(address.sun_path);
	done(socket(77, SOCK_STREAM, 0));
}

static void on_signal(int number)
{
	(void)number;
	done(getppid());
}

/* Every 20 ms: a single signal could come before the call that it is to interrupt. */
static void set_alarms(long interval_us, int flags)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
	struct itimerval timer = {{.tv_usec = interval_us}, {.tv_usec = interval_us}};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Blocking calls that a signal interrupts, and such that go on after it. */
static void interrupted(void)
{
	struct timespec time = {.tv_nsec = 100000000};
	int fds[2], listener = socket(AF_INET, SOCK_STREAM, 0);
	struct pollfd none = {.fd = -1};
	char byte;
	pid_t child;

	listen(listener, 1);
	done(pipe(fds));
	set_alarms(20000, 0);
	nanosleep(&time, NULL);
	done(read(fds[0], &byte, 1));
	done(accept(listener, NULL, NULL));
	poll(&none, 1, 100);
	pause();
	set_alarms(0, 0);
	child = fork();
	if (child == 0) {
		sleep_ms(60);
		done(write(fds[1], "x", 1));
		_exit(0);
	}
	set_alarms(20000, SA_RESTART);
	done(read(fds[0], &byte, 1));
	set_alarms(0, SA_RESTART);
	wait_for(child);
	close(fds[0]);
	close(fds[1]);
	close(listener);
}

/* A stop in the middle of a sleep: the kernel goes on with restart_syscall. */
static void stopped(void)
{
	pid_t child = fork();

	if (child == 0) {
		sleep_ms(150);
		_exit(0);
	}
	sleep_ms(30);
	kill(child, SIGSTOP);
	sleep_ms(30);
	kill(child, SIGCONT);
	wait_for(child);
}

static void *wait_long(void *unused)
{
	pause();
	return unused;
}

static void *run_true(void *unused)
{
	execl("/nosuch/true", "true", NULL);
	execl("/bin/true", "true", NULL);
	return unused;
}

static void end_by_return(void)
{
	_exit(3);
}

static void end_by_signal(void)
{
	raise(SIGTERM);
}

static void end_by_kill(void)
{
	pause();
}

static void end_by_fault(void)
{
	void *nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*(volatile int *)nothing = 1;
}

/* A thread is ended by another one in the middle of a call. */
static void end_with_threads(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_long, NULL);
	sleep_ms(20);
	exit(5);
}

static void end_main_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, use_files, (void *)77);
	pthread_exit(NULL);
}

/* The thread gets the number of the main one, which ends in the middle of a call. */
static void exec_in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run_true, NULL);
	pause();
}

static void exec_by_descriptor(void)
{
	char *argv[] = {"true", NULL};
	int fd = open("/bin/true", O_PATH);

	syscall(SYS_execveat, -1, "", argv, environ, 0);
	syscall(SYS_execveat, fd, "", argv, environ, AT_EMPTY_PATH);
}

static void exec_missing(void)
{
	execl("/etc/passwd", "passwd", NULL);
	execl("/nosuch", "nosuch", NULL);
}

/* The grandchild outlives its parent. */
static void orphan(void)
{
	if (fork() == 0)
		sleep_ms(50);
}

static void processes(void)
{
	static void (*const ways[])(void) = {
		end_by_return,	  end_by_signal,   end_by_kill,	   end_by_fault,
		end_with_threads, end_main_thread, exec_in_thread, exec_by_descriptor,
		exec_missing,	  orphan,
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		pid_t child = fork();

		if (child == 0) {
			ways[i]();
			_exit(0);
		}
		if (ways[i] == end_by_kill) {
			sleep_ms(20);
			kill(child, SIGKILL);
		}
		wait_for(child);
	}
}

static int run_and_end(void *unused)
{
	(void)unused;
	done(getppid());
	syscall(SYS_exit, 4);
	return 0;
}

/* Every call that makes a process. */
static void creations(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	char *argv[] = {"echo", "spawned", NULL};
	unsigned long long clone3_args[11] = {[4] = SIGCHLD};
	pid_t child;

	if (posix_spawn(&child, "/bin/echo", NULL, NULL, argv, environ) == 0)
		wait_for(child);
	done(posix_spawn(&child, "/nosuch", NULL, NULL, argv, environ));
	child = vfork();
	if (child == 0)
		_exit(6);
	wait_for(child);
	child = (pid_t)syscall(SYS_fork);
	if (child == 0)
		_exit(7);
	wait_for(child);
	child = (pid_t)syscall(SYS_clone3, clone3_args, sizeof(clone3_args));
	if (child == 0)
		_exit(8);
	wait_for(child);
	done(syscall(SYS_clone3, clone3_args, 1));
	child = clone(run_and_end, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
	wait_for(child);
	done(syscall(SYS_clone, CLONE_THREAD, 0, 0, 0, 0));
}

static void *end_thread(void *unused)
{
	pthread_exit(unused);
}

/* The C library opens a file for the first pthread_exit(): not while threads close each other's. */
static void load_what_ends_threads(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, end_thread, NULL);
	pthread_join(thread, NULL);
}

int main(void)
{
	load_what_ends_threads();
	threads();
	files();
	numbers();
	tcp();
	unix_sockets();
	interrupted();
	stopped();
	processes();
	creations();
	return 0;
}
