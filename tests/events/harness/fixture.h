/* SPDX-License-Identifier: MIT */
/* What live tests make their calls with: files, paths, memory, addresses, children. */
#ifndef TESTS_FIXTURE_H
#define TESTS_FIXTURE_H

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "event/event.h"
#include "harness/legacy_calls.h"

/* What events of this machine hold when all bits of a protection are set. */
#ifdef __x86_64__
#define ALL_PROT_FLAGS 0x7f
#else
#define ALL_PROT_FLAGS 0x3f
#endif

/*
 * A system call as it is, without what the C library makes of it; its result or -errno. Where the
 * kernel ignores bits of a register, above the number and above small arguments, there is garbage.
 */
#define CALL(...) fixture_result(garbage_call(__VA_ARGS__))

#define GARBAGE_ABOVE_NUMBER 0x7777000100000000
#define GARBAGE_ABOVE_ARGUMENT 0x5555aaab99990000

long garbage_call(long number, ...);

/* Reads the types of all arguments from tracefs, which it mounts; false if there are none. */
bool garbage_learn_types(void);

static inline long fixture_result(long ret)
{
	return ret == -1 ? -errno : ret;
}

/* Paths that no call can do anything with, and what calls and events make of them. */
struct path_case {
	const char *path;
	long error; /* what a call that wants an existing file returns */
	const char *shown; /* NULL: absent */
};

enum { PATH_CASES = 7 };

const struct path_case *fixture_paths(void);

/* Compares a path parameter with what such a path has to give. */
#define expect_path(ev, param, path_case) fixture_expect_path(__LINE__, ev, param, path_case)

void fixture_expect_path(int line, const struct event *ev, unsigned int param,
			 const struct path_case *path_case);

/* A copy of `len` bytes that ends where readable memory ends. */
void *fixture_edge(const void *data, size_t len);

/* A copy of `len` bytes where the pointers of 32-bit programs reach. */
void *fixture_low(const void *data, size_t len);

/* Zeroed memory that children share with the test. */
void *fixture_shared(size_t len);

/* `len` different bytes, the same at every call; up to 64 KiB. */
const char *fixture_pattern(size_t len);

/* Makes a file of `len` bytes of the pattern. */
void fixture_file(const char *path, size_t len);

/*
 * Mounts an overlay at "over/all", seen by the calling child alone, with the files "below" in its
 * lower layer and "above" in its upper one.
 */
void fixture_overlay(void);

/* The device of a file in the encoding of the event format. */
uint32_t fixture_device(const struct stat *status);

/* What is known of an open file, and what events must report of it. */
struct opened {
	struct stat status;
	char path[4096];
};

struct opened fixture_opened(int fd);

/* Compares the parameters of an open that say which file it was; NULL: none, it failed. */
#define expect_file(ev, event, what)                                                               \
	do {                                                                                       \
		const struct opened *file = what;                                                  \
                                                                                                   \
		expect_i64(ev, event##__dev, file ? fixture_device(&file->status) : 0);            \
		expect_i64(ev, event##__ino, file ? (int64_t)file->status.st_ino : 0);             \
		fixture_expect_real_path(ev, event##__path, file);                                 \
		expect_absent(ev, event##__name_at_enter);                                         \
	} while (0)

void fixture_expect_real_path(const struct event *ev, unsigned int param,
			      const struct opened *opened);

/* Compares what a failed call with such a name starts from: the current directory, or nothing. */
void fixture_expect_base(const struct event *ev, unsigned int param, const char *name);

/* The same for the directory that the calling process is in; it is absent when the call failed. */
void fixture_expect_directory(const struct event *ev, unsigned int param, long ret);

/* A socket address and its length, as calls want them. */
struct address {
	socklen_t len;
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
		struct sockaddr_un un;
	};
};

struct address fixture_ip(const char *ip, uint16_t port);

/* The name of a unix socket: `len` bytes as they are. */
struct address fixture_unix(const char *name, size_t len);

/* The own address of a socket, and its port if it is one of IP. */
struct address fixture_own(int fd);
uint16_t fixture_port(int fd);

/* A new socket, bound; listening with that backlog if it is above 0. */
int fixture_socket(int type, const struct address *address, int backlog);

/* A TCP connection over loopback, or a datagram socket of UDP that another one is connected to. */
struct connection {
	int client, server;
	uint16_t client_port, server_port;
};

struct connection fixture_connect(const char *ip, int type);
void fixture_disconnect(const struct connection *connection);

/* Runs `body(arg)` in a child and ends it with what that returns; its pid. */
pid_t fixture_child(int (*body)(void *arg), void *arg);

/* Waits for the end of a child; its status as wait gives it. */
int fixture_wait(pid_t pid);

#endif
