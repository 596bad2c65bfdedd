/* SPDX-License-Identifier: MIT */
/*
 * Descriptors and their tables. Threads that share a table in the kernel (CLONE_FILES) share it
 * here; tables are reference-counted.
 */
#ifndef SINSP_STATE_FD_H
#define SINSP_STATE_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scap/proc/fd.h"

enum state_fd_role {
	STATE_ROLE_NONE,
	STATE_ROLE_CLIENT,
	STATE_ROLE_SERVER,
};

/* The ends of a socket. */
union state_ends {
	/* IP sockets: the end that called connect(), and its peer. */
	struct {
		struct scap_endpoint source, dest;
	};
	/* Unix sockets: see scap_fd. */
	struct {
		uint64_t unix_socket, unix_peer;
	};
};

/* What a descriptor has only if its ends are known. */
struct state_socket {
	union state_ends ends;
	uint64_t ino;
};

/*
 * An open file, under one or several numbers, in one or several tables. There may be a million of
 * them: 32 bytes.
 */
struct state_fd {
	char *name; /* NUL-terminated; owned by the table */
	/* By `has_ends`; see the functions below. */
	union {
		uint64_t ino;
		struct state_socket *socket; /* owned by the table */
	};
	uint32_t dev;
	uint32_t flags : 20; /* file_flags values at the time it was opened */
	enum scap_fd_type type : 5;
	enum scap_l4 l4 : 3;
	enum state_fd_role role : 2;
	bool listening : 1; /* a server socket: `source` is unused, `dest` is its bound address */
	bool connected : 1;
	uint16_t name_len;
	uint16_t given_len; /* see state_fd_given_name(); 0: the same as the name */
	uint32_t refs : 29; /* the numbers; kept by the table */
	bool was_read : 1; /* from /proc or the kernel's list, and not opened by an event */
	bool has_ends : 1; /* see state_fd_make_ends() */
	bool is_unsure : 1; /* its name is by an operation of which it is not known how it ended */
};

/* Of a descriptor without ends. */
extern const union state_ends state_no_ends;

/* The ends of a socket; zeros if they are not known. */
static inline const union state_ends *state_fd_ends(const struct state_fd *fd)
{
	return fd->has_ends ? &fd->socket->ends : &state_no_ends;
}

/* Whether it is a socket: no call that opens a file makes one. */
static inline bool state_fd_is_socket(const struct state_fd *fd)
{
	return fd->type == SCAP_FD_IPV4 || fd->type == SCAP_FD_IPV6 || fd->type == SCAP_FD_UNIX ||
	       fd->type == SCAP_FD_NETLINK;
}

static inline uint64_t state_fd_ino(const struct state_fd *fd)
{
	return fd->has_ends ? fd->socket->ino : fd->ino;
}

static inline void state_fd_set_ino(struct state_fd *fd, uint64_t ino)
{
	if (fd->has_ends)
		fd->socket->ino = ino;
	else
		fd->ino = ino;
}

/*
 * The name that was passed when the descriptor was opened, NUL-terminated, with its length: a path
 * may be relative, and contain links. Without such a path, the name.
 */
static inline const char *state_fd_given_name(const struct state_fd *fd, size_t *len)
{
	*len = fd->given_len ? fd->given_len : fd->name_len;
	return fd->given_len ? fd->name + fd->name_len + 1 : fd->name;
}

/* A socket that nobody has any more, and the last number that it had. */
struct state_gone {
	int64_t num;
	struct state_fd *fd;
};

struct state_fds;

/* The entry of a number, or NULL. Valid until the table changes. */
struct state_fd *state_fds_find(const struct state_fds *fds, int64_t num);

/*
 * The entry with the lowest number from *num on, its number left in *num; NULL after the last. To
 * walk over a table, start at 0 and continue from *num + 1.
 */
struct state_fd *state_fds_next(const struct state_fds *fds, int64_t *num);

/* Whether an open file has another number, or one in another table: a close does not end it. */
bool state_fds_has_other(const struct state_fds *fds, int64_t num);

/* How many descriptors are open. */
uint32_t state_fds_count(const struct state_fds *fds);

/* The letter and the name of a kind: 'f' and "file". Never NULL; "<NA>" for unsupported ones. */
char state_fd_type_char(enum scap_fd_type type);
const char *state_fd_type_name(enum scap_fd_type type);

#endif
