/* SPDX-License-Identifier: MIT */
/*
 * A descriptor as /proc or a capture describes it: what it is, its name, its ends; and how events
 * encode its flags and its device.
 */
#ifndef SCAP_PROC_FD_H
#define SCAP_PROC_FD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Types of descriptors, as in the .scap world. */
enum scap_fd_type {
	SCAP_FD_UNKNOWN,
	SCAP_FD_FILE,
	SCAP_FD_DIRECTORY,
	SCAP_FD_IPV4,
	SCAP_FD_IPV6,
	SCAP_FD_UNIX,
	SCAP_FD_PIPE,
	SCAP_FD_EVENT,
	SCAP_FD_SIGNAL,
	SCAP_FD_EPOLL,
	SCAP_FD_INOTIFY,
	SCAP_FD_TIMER,
	SCAP_FD_NETLINK,
	SCAP_FD_BPF,
	SCAP_FD_USERFAULT,
	SCAP_FD_IO_URING,
	SCAP_FD_MEMFD,
	SCAP_FD_PIDFD,
	SCAP_FD_UNSUPPORTED,
	SCAP_FD_TYPES_COUNT,
};

enum scap_l4 { SCAP_L4_UNKNOWN, SCAP_L4_TCP, SCAP_L4_UDP, SCAP_L4_ICMP, SCAP_L4_RAW };

/* One end of an IP socket. IPv4 addresses take the first 4 bytes. */
struct scap_endpoint {
	uint8_t address[16]; /* network order */
	uint16_t port; /* host order */
};

static inline bool scap_endpoint_is_same(const struct scap_endpoint *one,
					 const struct scap_endpoint *other)
{
	return one->port == other->port &&
	       memcmp(one->address, other->address, sizeof(one->address)) == 0;
}

/* Pointers lead to memory of the reader, valid until its next call. */
struct scap_fd {
	int64_t num;
	enum scap_fd_type type;
	uint32_t flags; /* file_flags values of the event table, for files */
	uint32_t dev; /* encoded as in the open events, for files */
	uint64_t ino;
	uint32_t mount; /* its id; 0: not known */
	const char *name; /* path, "pipe:[1]", unix socket path; "" for IP sockets */
	enum scap_l4 l4; /* IP sockets */
	struct scap_endpoint local, remote; /* IP sockets; all zero: not bound, not connected */
	uint64_t unix_socket; /* unix sockets: its kernel address, or that of the end that called */
	uint64_t unix_peer; /* that of the end that was called; 0, both: not known */
};

/* The type by the target of a link in /proc/PID/fd: a file, unless it has another form. */
enum scap_fd_type proc_fd_type(const char *target);

/* Makes a file a directory or a pipe where the mode of its inode says so. */
void proc_fd_set_mode(struct scap_fd *fd, uint16_t mode);

/* The values that events have for the flags of open(2) as the kernel keeps them, and for a device.
 */
uint32_t proc_fd_flags(uint64_t native);
uint32_t proc_fd_dev(uint32_t major, uint32_t minor);

#endif
