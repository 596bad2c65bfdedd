/* SPDX-License-Identifier: MIT */
/*
 * The program that the golden test recorded: files, sockets, processes and signals, each used once
 * or twice, in calls that succeed and calls that fail. Linked statically, so that there is no
 * loader.
 *
 *   scenario FOLDER        works in that folder, which must be empty
 *   scenario child A B     what it runs as another program
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
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
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Calls are made for their events, which show whether they succeed. */
static void ignore(long result)
{
	(void)result;
}

static void files(void)
{
	struct iovec parts[] = {{"one ", 4}, {"two\n", 4}};
	char buffer[64];
	int fd = open("notes.txt", O_RDWR | O_CREAT | O_CLOEXEC, 0640);

	ignore(write(fd, "hello, world\n", 13));
	ignore(writev(fd, parts, 2));
	ignore(lseek(fd, 0, SEEK_SET));
	ignore(read(fd, buffer, sizeof(buffer)));
	ignore(pread(fd, buffer, 5, 7));
	ignore(fchmod(fd, 0600));
	ignore(close(fd));
	ignore(open("missing", O_RDONLY));
	ignore(open("/etc/hostname", O_WRONLY | O_DIRECTORY));
	ignore(mkdir("sub", 0755));
	ignore(rename("notes.txt", "sub/renamed.txt"));
	ignore(link("sub/renamed.txt", "hard"));
	ignore(symlink("sub/renamed.txt", "soft"));
	ignore(chmod("hard", 0755));
	ignore(chown("hard", 1000, 1000));
	ignore(chdir("sub"));
	fd = open("../soft", O_RDONLY);
	ignore(close(fd));
	fd = open(".", O_RDONLY | O_DIRECTORY);
	ignore(renameat(fd, "renamed.txt", fd, "again.txt"));
	ignore(openat(fd, "again.txt/none", O_RDONLY));
	ignore(unlinkat(fd, "again.txt", 0));
	ignore(close(fd));
	ignore(chdir(".."));
	ignore(unlink("hard"));
	ignore(unlink("soft"));
	ignore(rmdir("sub"));
	ignore(rmdir("sub"));
	ignore(mount("none", "/nonexistent/place", "tmpfs", MS_RDONLY, NULL));
	ignore(close(99));
}

static void objects(void)
{
	struct pollfd watched[3] = {{.events = POLLIN}, {.events = POLLOUT}, {.events = POLLIN}};
	struct epoll_event event = {.events = EPOLLIN};
	int pipes[2], other, epoll;
	sigset_t set;

	ignore(pipe2(pipes, O_CLOEXEC));
	other = dup2(pipes[1], 20);
	ignore(write(other, "x", 1));
	watched[0].fd = pipes[0];
	watched[1].fd = pipes[1];
	watched[2].fd = 77;
	ignore(poll(watched, 3, 0));
	epoll = epoll_create1(EPOLL_CLOEXEC);
	ignore(epoll_ctl(epoll, EPOLL_CTL_ADD, pipes[0], &event));
	ignore(epoll_wait(epoll, &event, 1, 0));
	ignore(close(epoll));
	ignore(close(other));
	ignore(close(pipes[0]));
	ignore(close(pipes[1]));
	ignore(close(eventfd(3, EFD_CLOEXEC)));
	ignore(close(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)));
	ignore(close(inotify_init1(IN_CLOEXEC)));
	ignore(close(memfd_create("scratch", MFD_CLOEXEC)));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	ignore(close(signalfd(-1, &set, SFD_CLOEXEC)));
}

/* A server and its client on this machine, then a port without listener. */
static void tcp(int family, struct sockaddr *address, socklen_t len)
{
	int server = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), client, accepted;
	struct pollfd watched[2] = {{.events = POLLIN}, {.events = POLLIN}};
	char buffer[32];

	ignore(bind(server, address, len));
	ignore(listen(server, 1));
	ignore(getsockname(server, address, &len));
	client = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ignore(connect(client, address, len));
	accepted = accept4(server, NULL, NULL, SOCK_CLOEXEC);
	ignore(send(client, "ping", 4, 0));
	ignore(recv(accepted, buffer, sizeof(buffer), 0));
	ignore(write(accepted, "pong", 4));
	ignore(read(client, buffer, sizeof(buffer)));
	watched[0].fd = server;
	watched[1].fd = client;
	ignore(poll(watched, 2, 0));
	ignore(shutdown(client, SHUT_RDWR));
	ignore(close(client));
	ignore(close(accepted));
	ignore(close(server));
	client = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ignore(connect(client, address, len));
	ignore(close(client));
}

static void udp(struct sockaddr_in address)
{
	int server = socket(AF_INET, SOCK_DGRAM, 0), client = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t len = sizeof(address);
	char buffer[32];

	ignore(bind(server, (struct sockaddr *)&address, len));
	ignore(getsockname(server, (struct sockaddr *)&address, &len));
	ignore(sendto(client, "datagram", 8, 0, (struct sockaddr *)&address, len));
	ignore(recvfrom(server, buffer, sizeof(buffer), 0, NULL, NULL));
	ignore(close(client));
	ignore(close(server));
}

/* Like the log of the system: what counts is the name of its socket. */
static void local_sockets(const char *folder)
{
	static const char message[] = "<86>scenario: a session begins\n";
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int log = socket(AF_UNIX, SOCK_DGRAM, 0), client = socket(AF_UNIX, SOCK_DGRAM, 0), pair[2];
	char buffer[64];

	ignore(mkdir("dev", 0755));
	snprintf(address.sun_path, sizeof(address.sun_path), "%.80s/dev/log", folder);
	ignore(bind(log, (struct sockaddr *)&address, sizeof(address)));
	ignore(connect(client, (struct sockaddr *)&address, sizeof(address)));
	ignore(send(client, message, sizeof(message) - 1, 0));
	ignore(write(client, "<11>with write", 14));
	ignore(recv(log, buffer, sizeof(buffer), 0));
	ignore(close(client));
	ignore(close(log));
	ignore(unlink("dev/log"));
	ignore(rmdir("dev"));
	ignore(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	ignore(write(pair[0], "x", 1));
	ignore(close(pair[0]));
	ignore(close(pair[1]));
}

static void memory(void)
{
	void *area =
		mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(area, 1, 1 << 16);
	ignore(mprotect(area, 1 << 16, PROT_READ));
	ignore(munmap(area, 1 << 16));
}

static void *run_thread(void *arg)
{
	struct timespec time = {.tv_nsec = 2000000};

	ignore(prctl(PR_SET_NAME, "helper"));
	ignore(clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL));
	return NULL;
}

static void processes(char *self)
{
	char *const args[] = {self, "child", "two words", NULL};
	char *const env[] = {"COLOR=blue", "HOME=/home/scenario", NULL};
	pthread_t thread;
	int status;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		ignore(setsid());
		ignore(execve("/nonexistent/program", args, env));
		ignore(setresgid(1001, 1001, 1001));
		ignore(setresuid(1000, 1000, 1000));
		ignore(execve(self, args, env));
		_exit(9);
	}
	ignore(waitpid(pid, &status, 0));
	pid = fork();
	if (pid == 0) {
		ignore(setpgid(0, 0));
		ignore(kill(getpid(), SIGKILL));
	}
	ignore(waitpid(pid, &status, 0));
	if (pthread_create(&thread, NULL, run_thread, NULL) == 0)
		pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	struct sockaddr_in ipv4 = {.sin_family = AF_INET};
	struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};

	if (argc > 2) {
		ignore(getppid());
		return 3;
	}
	if (argc < 2 || chdir(argv[1]))
		return 1;
	ipv4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	files();
	objects();
	tcp(AF_INET, (struct sockaddr *)&ipv4, sizeof(ipv4));
	ipv4.sin_port = 0;
	udp(ipv4);
	tcp(AF_INET6, (struct sockaddr *)&ipv6, sizeof(ipv6));
	local_sockets(argv[1]);
	memory();
	processes(argv[0]);
	return 0;
}
