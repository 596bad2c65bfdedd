/* SPDX-License-Identifier: MIT */
/* What live tests make their calls with: files, paths, memory, addresses, children. */
#include "harness/fixture.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "harness/live.h"

/* Of x86_64 alone, as are the calls that need it. */
#ifndef MAP_32BIT
#define MAP_32BIT 0
#endif

enum { PATTERN_BYTES = 1 << 16, PAGE_BYTES = 4096 };

void *fixture_edge(const void *data, size_t len)
{
	size_t room = (len + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	uint8_t *memory = mmap(NULL, room + PAGE_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	require(memory != MAP_FAILED);
	require(mprotect(memory + room, PAGE_BYTES, PROT_NONE) == 0);
	return memcpy(memory + room - len, data, len);
}

void *fixture_low(const void *data, size_t len)
{
	void *memory = mmap(NULL, len, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	require(memory != MAP_FAILED);
	return memcpy(memory, data, len);
}

void *fixture_shared(size_t len)
{
	void *memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	require(memory != MAP_FAILED);
	return memory;
}

/* "x/x/x…": `len` characters that no file is named. */
static void fill_path(char *path, size_t len)
{
	for (size_t i = 0; i < len; i++)
		path[i] = i % 2 ? '/' : 'x';
	path[len] = '\0';
}

const struct path_case *fixture_paths(void)
{
	static char longest[4096], too_long[5001], cut[4096];
	static struct path_case cases[PATH_CASES];

	fill_path(longest, sizeof(longest) - 1);
	fill_path(too_long, sizeof(too_long) - 1);
	fill_path(cut, sizeof(cut) - 1);
	cases[0] = (struct path_case){NULL, -EFAULT, NULL};
	cases[1] = (struct path_case){UNREADABLE, -EFAULT, NULL};
	cases[2] = (struct path_case){"", -ENOENT, ""};
	cases[3] = (struct path_case){longest, -ENOENT, longest};
	cases[4] = (struct path_case){too_long, -ENAMETOOLONG, cut};
	cases[5] = (struct path_case){fixture_edge("x/edge", 7), -ENOENT, "x/edge"};
	cases[6] = (struct path_case){fixture_edge("unterminated", 12), -EFAULT, NULL};
	return cases;
}

void fixture_expect_path(int line, const struct event *ev, unsigned int param,
			 const struct path_case *path_case)
{
	live_expect_string(__FILE__, line, ev, param, path_case->shown);
}

const char *fixture_pattern(size_t len)
{
	static char pattern[PATTERN_BYTES];

	require(len <= sizeof(pattern));
	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = "0123456789abcdefghijklmnopqrstuvwxyz\n"[i % 37];
	return pattern;
}

void fixture_file(const char *path, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	require(fd >= 0);
	require(write(fd, fixture_pattern(len), len) == (ssize_t)len);
	close(fd);
}

void fixture_overlay(void)
{
	require(unshare(CLONE_NEWNS) == 0);
	require(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	require(mkdir("over", 0755) == 0 && mount("none", "over", "tmpfs", 0, NULL) == 0);
	require(mkdir("over/lower", 0755) == 0 && mkdir("over/upper", 0755) == 0);
	require(mkdir("over/work", 0755) == 0 && mkdir("over/all", 0755) == 0);
	fixture_file("over/lower/below", 10);
	fixture_file("over/upper/above", 10);
	require(mount("none", "over/all", "overlay", 0,
		      "lowerdir=over/lower,upperdir=over/upper,workdir=over/work") == 0);
}

uint32_t fixture_device(const struct stat *status)
{
	uint32_t high = major(status->st_dev), low = minor(status->st_dev);

	return (low & 0xff) | high << 8 | (low & ~0xffU) << 12;
}

struct address fixture_ip(const char *ip, uint16_t port)
{
	struct address address = {0};

	if (strchr(ip, ':')) {
		address.len = sizeof(address.v6);
		address.v6.sin6_family = AF_INET6;
		address.v6.sin6_port = htons(port);
		require(inet_pton(AF_INET6, ip, &address.v6.sin6_addr) == 1);
	} else {
		address.len = sizeof(address.v4);
		address.v4.sin_family = AF_INET;
		address.v4.sin_port = htons(port);
		require(inet_pton(AF_INET, ip, &address.v4.sin_addr) == 1);
	}
	return address;
}

struct address fixture_unix(const char *name, size_t len)
{
	struct address address = {
		.len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len),
		.un.sun_family = AF_UNIX,
	};

	require(len <= sizeof(address.un.sun_path));
	/* Left-over bytes after the name, which must not become part of it. */
	memset(address.un.sun_path, '#', sizeof(address.un.sun_path));
	memcpy(address.un.sun_path, name, len);
	return address;
}

struct address fixture_own(int fd)
{
	struct address address = {.len = sizeof(struct sockaddr_un)};

	require(getsockname(fd, &address.any, &address.len) == 0);
	return address;
}

uint16_t fixture_port(int fd)
{
	struct address address = fixture_own(fd);

	/* The port stands at the same place in both families. */
	return ntohs(address.v4.sin_port);
}

int fixture_socket(int type, const struct address *address, int backlog)
{
	int fd = socket(address->any.sa_family, type, 0);

	require(fd >= 0);
	require(bind(fd, &address->any, address->len) == 0);
	require(backlog == 0 || listen(fd, backlog) == 0);
	return fd;
}

struct connection fixture_connect(const char *ip, int type)
{
	struct address any_port = fixture_ip(ip, 0);
	struct connection connection = {.server = fixture_socket(type, &any_port, 0)};
	struct address server;

	require(type != SOCK_STREAM || listen(connection.server, 5) == 0);
	connection.server_port = fixture_port(connection.server);
	server = fixture_ip(ip, connection.server_port);
	connection.client = fixture_socket(type, &any_port, 0);
	connection.client_port = fixture_port(connection.client);
	require(connect(connection.client, &server.any, server.len) == 0);
	if (type == SOCK_STREAM) {
		int listener = connection.server;

		connection.server = accept(listener, NULL, NULL);
		require(connection.server > 0 && close(listener) == 0);
	}
	return connection;
}

void fixture_disconnect(const struct connection *connection)
{
	close(connection->client);
	close(connection->server);
}

pid_t fixture_child(int (*body)(void *arg), void *arg)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(body(arg));
	require(pid > 0);
	return pid;
}

int fixture_wait(pid_t pid)
{
	int status;

	require(waitpid(pid, &status, __WALL) == pid);
	return status;
}

struct opened fixture_opened(int fd)
{
	static const char deleted[] = " (deleted)";
	struct opened opened = {0};
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, opened.path, sizeof(opened.path) - 1);
	require(n > 0 && fstat(fd, &opened.status) == 0);
	n -= (ssize_t)strlen(deleted);
	if (n > 0 && strcmp(opened.path + n, deleted) == 0)
		opened.path[n] = '\0';
	return opened;
}

void fixture_expect_real_path(const struct event *ev, unsigned int param,
			      const struct opened *opened)
{
	if (opened)
		expect_string(ev, param, opened->path);
	else
		expect_absent(ev, param);
}

void fixture_expect_base(const struct event *ev, unsigned int param, const char *name)
{
	if (name && *name && *name != '/')
		fixture_expect_directory(ev, param, 0);
	else
		expect_absent(ev, param);
}

void fixture_expect_directory(const struct event *ev, unsigned int param, long ret)
{
	char path[4096];

	if (ret < 0) {
		expect_absent(ev, param);
		return;
	}
	require(getcwd(path, sizeof(path)) != NULL);
	expect_string(ev, param, path);
}
