/* SPDX-License-Identifier: MIT */
/* Blocks about the machine, its interfaces, its users and open descriptors. */
#include "scap/file/reader_impl.h"

int reader_take_machine(struct scap_reader *reader, const uint8_t *head)
{
	char hostname[sizeof(((struct scap_machine_body *)0)->hostname) + 1] = "";
	struct scap_machine_body body;
	struct scap_machine machine;

	memcpy(&body, head, sizeof(body));
	/* Other readers truncate it at this length. */
	memcpy(hostname, body.hostname, sizeof(body.hostname) - 1);
	machine = (struct scap_machine){
		.cpus = body.cpus,
		.memory_bytes = body.memory_bytes,
		.max_pid = body.max_pid,
		.boot_ns = body.boot_ns,
		.hostname = hostname,
	};
	return reader->to->ops->machine(reader->to, &machine);
}

static void take_address(struct cursor *cursor, bool ipv6, uint8_t address[16])
{
	size_t n = ipv6 ? 16 : 4;
	const uint8_t *at = cursor_take(cursor, n);

	if (at)
		memcpy(address, at, n);
}

int reader_take_interface(struct scap_snapshot *to, const struct block_kind *kind,
			  struct cursor *cursor)
{
	unsigned int type = (unsigned int)cursor_number(cursor, sizeof(uint16_t));
	size_t name_len = cursor_number(cursor, sizeof(uint16_t));
	struct scap_interface interface = {0};

	if (cursor->missing)
		return 0;
	if (type < SCAP_INTERFACE_IPV4 || type > SCAP_INTERFACE_IPV6_NO_SPEED) {
		cursor->corrupt = true;
		return 0;
	}
	interface.ipv6 = type == SCAP_INTERFACE_IPV6 || type == SCAP_INTERFACE_IPV6_NO_SPEED;
	take_address(cursor, interface.ipv6, interface.address);
	take_address(cursor, interface.ipv6, interface.netmask);
	take_address(cursor, interface.ipv6, interface.broadcast);
	if (type == SCAP_INTERFACE_IPV4 || type == SCAP_INTERFACE_IPV6)
		interface.link_speed = cursor_number(cursor, sizeof(uint64_t));
	interface.name = cursor_text(cursor, name_len);
	return cursor->missing ? 0 : to->ops->interface(to, &interface);
}

static int take_group(struct scap_snapshot *to, struct cursor *cursor)
{
	struct scap_group group = {.gid = (uint32_t)cursor_number(cursor, sizeof(uint32_t))};

	group.name = cursor_string(cursor, NULL);
	return cursor->missing ? 0 : to->ops->group(to, &group);
}

int reader_take_user(struct scap_snapshot *to, const struct block_kind *kind, struct cursor *cursor)
{
	struct scap_user user;

	if (cursor_number(cursor, sizeof(uint8_t)) != SCAP_ENTRY_USER)
		return take_group(to, cursor);
	user.uid = (uint32_t)cursor_number(cursor, sizeof(uint32_t));
	user.gid = (uint32_t)cursor_number(cursor, sizeof(uint32_t));
	user.name = cursor_string(cursor, NULL);
	user.home = cursor_string(cursor, NULL);
	user.shell = cursor_string(cursor, NULL);
	return cursor->missing ? 0 : to->ops->user(to, &user);
}

int reader_take_fds(struct scap_reader *reader, const uint8_t *head)
{
	int64_t tid;

	memcpy(&tid, head, sizeof(tid));
	return reader->to->ops->fds(reader->to, tid);
}

static void take_name(const struct block_kind *kind, struct cursor *cursor, struct scap_fd *fd)
{
	fd->name = cursor_string(cursor, NULL);
}

static void take_nothing(const struct block_kind *kind, struct cursor *cursor, struct scap_fd *fd)
{
}

static void take_file(const struct block_kind *kind, struct cursor *cursor, struct scap_fd *fd)
{
	fd->flags = (uint32_t)cursor_number(cursor, sizeof(fd->flags));
	fd->name = cursor_string(cursor, NULL);
	/* It was added to this type later. */
	if (kind->prefix == PREFIX_WHOLE && cursor->left >= sizeof(fd->dev))
		fd->dev = (uint32_t)cursor_number(cursor, sizeof(fd->dev));
}

static void take_protocol(struct cursor *cursor, struct scap_fd *fd)
{
	static const enum scap_l4 protocols[] = {
		[SCAP_ENTRY_L4_TCP] = SCAP_L4_TCP,
		[SCAP_ENTRY_L4_UDP] = SCAP_L4_UDP,
		[SCAP_ENTRY_L4_ICMP] = SCAP_L4_ICMP,
		[SCAP_ENTRY_L4_RAW] = SCAP_L4_RAW,
	};
	uint64_t protocol = cursor_number(cursor, sizeof(uint8_t));

	if (protocol < sizeof(protocols) / sizeof(*protocols))
		fd->l4 = protocols[protocol];
}

static void take_socket(const struct block_kind *kind, struct cursor *cursor, struct scap_fd *fd)
{
	bool ipv6 = fd->type == SCAP_FD_IPV6;

	take_address(cursor, ipv6, fd->local.address);
	take_address(cursor, ipv6, fd->remote.address);
	fd->local.port = (uint16_t)cursor_number(cursor, sizeof(fd->local.port));
	fd->remote.port = (uint16_t)cursor_number(cursor, sizeof(fd->remote.port));
	take_protocol(cursor, fd);
}

static void take_server(const struct block_kind *kind, struct cursor *cursor, struct scap_fd *fd)
{
	take_address(cursor, fd->type == SCAP_FD_IPV6, fd->local.address);
	fd->local.port = (uint16_t)cursor_number(cursor, sizeof(fd->local.port));
	take_protocol(cursor, fd);
}

static void take_unix(const struct block_kind *kind, struct cursor *cursor, struct scap_fd *fd)
{
	fd->unix_socket = cursor_number(cursor, sizeof(fd->unix_socket));
	fd->unix_peer = cursor_number(cursor, sizeof(fd->unix_peer));
	fd->name = cursor_string(cursor, NULL);
}

/* The types of descriptors in files: the type here, and the data after the type. */
static const struct fd_layout {
	enum scap_fd_type type;
	void (*take)(const struct block_kind *kind, struct cursor *cursor, struct scap_fd *fd);
} fd_layouts[SCAP_ENTRY_FD_COUNT] = {
	[SCAP_ENTRY_FD_UNKNOWN] = {SCAP_FD_UNKNOWN, take_nothing},
	[SCAP_ENTRY_FD_FILE_V1] = {SCAP_FD_FILE, take_name},
	[SCAP_ENTRY_FD_DIRECTORY] = {SCAP_FD_DIRECTORY, take_name},
	[SCAP_ENTRY_FD_IPV4] = {SCAP_FD_IPV4, take_socket},
	[SCAP_ENTRY_FD_IPV6] = {SCAP_FD_IPV6, take_socket},
	[SCAP_ENTRY_FD_IPV4_SERVER] = {SCAP_FD_IPV4, take_server},
	[SCAP_ENTRY_FD_IPV6_SERVER] = {SCAP_FD_IPV6, take_server},
	[SCAP_ENTRY_FD_PIPE] = {SCAP_FD_PIPE, take_name},
	[SCAP_ENTRY_FD_UNIX] = {SCAP_FD_UNIX, take_unix},
	[SCAP_ENTRY_FD_EVENT] = {SCAP_FD_EVENT, take_name},
	[SCAP_ENTRY_FD_UNSUPPORTED] = {SCAP_FD_UNSUPPORTED, take_name},
	[SCAP_ENTRY_FD_SIGNAL] = {SCAP_FD_SIGNAL, take_name},
	[SCAP_ENTRY_FD_EPOLL] = {SCAP_FD_EPOLL, take_name},
	[SCAP_ENTRY_FD_INOTIFY] = {SCAP_FD_INOTIFY, take_name},
	[SCAP_ENTRY_FD_TIMER] = {SCAP_FD_TIMER, take_name},
	[SCAP_ENTRY_FD_NETLINK] = {SCAP_FD_NETLINK, take_name},
	[SCAP_ENTRY_FD_FILE] = {SCAP_FD_FILE, take_file},
	[SCAP_ENTRY_FD_BPF] = {SCAP_FD_BPF, take_name},
	[SCAP_ENTRY_FD_USERFAULT] = {SCAP_FD_USERFAULT, take_name},
	[SCAP_ENTRY_FD_IO_URING] = {SCAP_FD_IO_URING, take_name},
	[SCAP_ENTRY_FD_MEMFD] = {SCAP_FD_MEMFD, take_name},
	[SCAP_ENTRY_FD_PIDFD] = {SCAP_FD_PIDFD, take_name},
};

/* A type of a later version: the descriptor exists, nothing else is known. */
static void name_unknown_type(struct cursor *cursor, unsigned int type, struct scap_fd *fd)
{
	fd->type = SCAP_FD_UNSUPPORTED;
	fd->name = cursor->texts->data + cursor->texts->len;
	buf_printf(cursor->texts, "unknown-type:[%u]", type);
	buf_append_char(cursor->texts, '\0');
}

int reader_take_fd(struct scap_snapshot *to, const struct block_kind *kind, struct cursor *cursor)
{
	struct scap_fd fd = {.num = (int64_t)cursor_number(cursor, sizeof(fd.num)), .name = ""};
	unsigned int type;

	fd.ino = cursor_number(cursor, sizeof(fd.ino));
	type = (unsigned int)cursor_number(cursor, sizeof(uint8_t));
	if (type < SCAP_ENTRY_FD_COUNT) {
		fd.type = fd_layouts[type].type;
		fd_layouts[type].take(kind, cursor, &fd);
	} else if (kind->prefix == PREFIX_NONE) {
		cursor->corrupt = true; /* the start of the next one is unknown */
	} else {
		name_unknown_type(cursor, type, &fd);
	}
	/* A descriptor without a type is only known to be open, like unlisted ones. */
	if (cursor->missing || cursor->corrupt || fd.type == SCAP_FD_UNKNOWN)
		return 0;
	return to->ops->fd(to, &fd);
}
