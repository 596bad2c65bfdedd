/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the iterator over the open descriptors of the machine writes (bpf/open_fds.bpf.h), and user
 * space reads (scap/live/iter.h): a record for each descriptor, without gaps, and one at the
 * end.
 */
#ifndef LANNER_OPEN_FD_H
#define LANNER_OPEN_FD_H

#include <linux/types.h>

enum {
	OPEN_FD_PATH_BYTES = 4096, /* as much as a link in /proc may have */
	OPEN_FD_UNIX_BYTES = 108,
};

enum open_fd_kind {
	OPEN_FD_END = 1, /* there are no more: the header alone */
	OPEN_FD_FILE, /* a path follows, or what the kernel shows in its place, with its NUL */
	OPEN_FD_SOCKET, /* struct open_fd_socket follows, and the path of a unix socket */
	OPEN_FD_UNKNOWN, /* it could not be read, and has to be looked up in /proc */
};

struct open_fd {
	__u16 kind; /* enum open_fd_kind */
	__u16 bytes; /* of what follows this header */
	__u32 pid; /* of the process; of the initial namespace */
	__u32 num;
	__u32 flags; /* those of open(2), O_CLOEXEC as it is for this descriptor */
	__u64 ino;
	__u32 dev; /* as the kernel encodes it: 12 bits, 20 bits */
	__u32 magic; /* of the file system, see statfs(2) */
	__u16 mode; /* of the inode */
	__u16 padding[3];
};

struct open_fd_socket {
	__u64 address; /* in kernel memory */
	__u16 family, type, protocol; /* as in socket(2) */
	__u16 state; /* of TCP */
	__u16 local_port, remote_port; /* host order */
	__u16 unix_bytes; /* of the path of a unix socket, which follows; its first byte may be NUL
			   */
	__u16 is_bound; /* an IP socket has a port, or a protocol, of its own */
	__u8 local[16], remote[16]; /* network order; IPv4 takes the first 4 bytes */
};

#endif
