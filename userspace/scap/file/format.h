/* SPDX-License-Identifier: MIT */
/*
 * Numbers and layouts of capture files, for readers and writers: blocks that begin and end with
 * their length. All is packed and little-endian.
 */
#ifndef SCAP_FILE_FORMAT_H
#define SCAP_FILE_FORMAT_H

#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "capture files are read and written as they are in memory"
#endif

/* Most types have several versions; writers use the last one. */
enum scap_block_type {
	SCAP_BLOCK_SECTION = 0x0a0d0d0a,
	SCAP_BLOCK_MACHINE = 0x201,
	SCAP_BLOCK_PROCESSES_V1 = 0x202,
	SCAP_BLOCK_FDS_V1 = 0x203,
	SCAP_BLOCK_EVENT_V1 = 0x204,
	SCAP_BLOCK_INTERFACES_V1 = 0x205,
	SCAP_BLOCK_USERS_V1 = 0x206,
	SCAP_BLOCK_PROCESSES_V2 = 0x207,
	SCAP_BLOCK_EVENT_V1_FLAGS = 0x208,
	SCAP_BLOCK_PROCESSES_V3 = 0x209,
	SCAP_BLOCK_PROCESSES_V4 = 0x210,
	SCAP_BLOCK_PROCESSES_V5 = 0x211,
	SCAP_BLOCK_PROCESSES_V6 = 0x212,
	SCAP_BLOCK_PROCESSES_V7 = 0x213,
	SCAP_BLOCK_PROCESSES_V8 = 0x214,
	SCAP_BLOCK_PROCESSES_V9 = 0x215,
	SCAP_BLOCK_EVENT_V2 = 0x216,
	SCAP_BLOCK_EVENT_V2_FLAGS = 0x217,
	SCAP_BLOCK_FDS_V2 = 0x218,
	SCAP_BLOCK_INTERFACES_V2 = 0x219,
	SCAP_BLOCK_USERS_V2 = 0x220,
	SCAP_BLOCK_EVENT_V2_LARGE = 0x221,
	SCAP_BLOCK_EVENT_V2_LARGE_FLAGS = 0x222,
};

/* Numbers used by the first captures. */
#define SCAP_BLOCK_LEGACY_PROCESSES_V1 0x8000abcdU
#define SCAP_BLOCK_LEGACY_FDS_V1 0x8001abcdU
#define SCAP_BLOCK_LEGACY_MACHINE 0x8002abcdU
#define SCAP_BLOCK_LEGACY_EVENT_V1 0x8010abcdU
#define SCAP_BLOCK_LEGACY_INTERFACES_V1 0x8011abcdU
#define SCAP_BLOCK_LEGACY_USERS_V1 0x8012abcdU
#define SCAP_BLOCK_LEGACY_PROCESSES_V2 0x8013abcdU
#define SCAP_BLOCK_LEGACY_PROCESSES_V3 0x8014abcdU

/*
 * Extension block, from the numbers for local use: this section may have extension events and
 * extension parameters. The body is their version, 32 bits.
 */
#define SCAP_BLOCK_NATIVE 0x80004c4eU

enum {
	SCAP_BLOCK_ALIGN = 4,
	SCAP_TRAILER_BYTES = 4, /* the length of the block again */
	SCAP_FORMAT_MAJOR = 1,
	SCAP_FORMAT_MINOR = 2,
	SCAP_NATIVE_VERSION = 1,
	SCAP_EVENT_V1_HEADER_BYTES = 22, /* the current one without the number of parameters */
	/* The length of these events of the first version is this many bytes too large. */
	SCAP_V1_NOTIFICATION = 280,
	SCAP_V1_INFRA = 286,
	SCAP_V1_SURPLUS_BYTES = 3,
	SCAP_EVENT_FLAG_HIDDEN = 1, /* updates the state, is not printed */
};

/* The longest strings and blocks that all readers accept. */
enum {
	SCAP_PATH_BYTES_MAX = 1023,
	SCAP_STRINGS_BYTES_MAX = 4096, /* arguments, environment, control groups */
	SCAP_ACCOUNT_BYTES_MAX = 255, /* names, homes and shells of users */
	SCAP_BLOCK_EVENT_BYTES_MAX = 65536 + 8, /* of blocks other than those for large events */
};

#define SCAP_BYTE_ORDER_MAGIC 0x1a2b3c4dU
#define SCAP_SECTION_LENGTH_UNKNOWN UINT64_MAX

struct scap_block_header {
	uint32_t type;
	uint32_t len; /* of the whole block: header, body, padding and trailer */
} __attribute__((packed));

struct scap_section_body {
	uint32_t byte_order_magic;
	uint16_t major, minor;
	uint64_t section_len;
} __attribute__((packed));

struct scap_machine_body {
	uint32_t cpus;
	uint64_t memory_bytes;
	uint64_t max_pid;
	char hostname[128];
	uint64_t boot_ns; /* since the epoch */
	uint64_t flags;
	uint64_t reserved[2];
} __attribute__((packed));

_Static_assert(sizeof(struct scap_block_header) == 8, "part of the .scap format");
_Static_assert(sizeof(struct scap_section_body) == 16, "part of the .scap format");
_Static_assert(sizeof(struct scap_machine_body) == 180, "part of the .scap format");

enum scap_interface_entry {
	SCAP_INTERFACE_IPV4 = 1,
	SCAP_INTERFACE_IPV6 = 2,
	SCAP_INTERFACE_IPV4_NO_SPEED = 3, /* without the link speed */
	SCAP_INTERFACE_IPV6_NO_SPEED = 4,
};

enum scap_user_entry { SCAP_ENTRY_USER = 0, SCAP_ENTRY_GROUP = 1 };

enum scap_fd_entry {
	SCAP_ENTRY_FD_UNKNOWN = 0,
	SCAP_ENTRY_FD_FILE_V1 = 1,
	SCAP_ENTRY_FD_DIRECTORY = 2,
	SCAP_ENTRY_FD_IPV4 = 3,
	SCAP_ENTRY_FD_IPV6 = 4,
	SCAP_ENTRY_FD_IPV4_SERVER = 5,
	SCAP_ENTRY_FD_IPV6_SERVER = 6,
	SCAP_ENTRY_FD_PIPE = 7,
	SCAP_ENTRY_FD_UNIX = 8,
	SCAP_ENTRY_FD_EVENT = 9,
	SCAP_ENTRY_FD_UNSUPPORTED = 10,
	SCAP_ENTRY_FD_SIGNAL = 11,
	SCAP_ENTRY_FD_EPOLL = 12,
	SCAP_ENTRY_FD_INOTIFY = 13,
	SCAP_ENTRY_FD_TIMER = 14,
	SCAP_ENTRY_FD_NETLINK = 15,
	SCAP_ENTRY_FD_FILE = 16,
	SCAP_ENTRY_FD_BPF = 17, /* readers of 2022 reject this and the following ones */
	SCAP_ENTRY_FD_USERFAULT = 18,
	SCAP_ENTRY_FD_IO_URING = 19,
	SCAP_ENTRY_FD_MEMFD = 20,
	SCAP_ENTRY_FD_PIDFD = 21,
	SCAP_ENTRY_FD_COUNT,
};

/* Protocols in lists of descriptors. */
enum scap_l4_entry {
	SCAP_ENTRY_L4_UNKNOWN = 0,
	SCAP_ENTRY_L4_NONE = 1,
	SCAP_ENTRY_L4_TCP = 2,
	SCAP_ENTRY_L4_UDP = 3,
	SCAP_ENTRY_L4_ICMP = 4,
	SCAP_ENTRY_L4_RAW = 5,
};

#endif
