/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Objects of the kernel behind descriptors: the map, program or link that a bpf() call is about;
 * rings for input and output, and the files that are registered with them.
 */
#ifndef LANNER_OBJECT_BPF_H
#define LANNER_OBJECT_BPF_H

#include "bpf/core/uring.bpf.h"
#include "bpf/readers/file.bpf.h"

#include <linux/bpf.h>

enum {
	BATCH_MAP_FD_AT = 36, /* in the attributes of commands for many elements */
	COMMANDS_NUMBERED = 64,
	/* Commands of io_uring_register, as in linux/io_uring.h. */
	REGISTER_FILES = 2,
	REGISTER_FILES_UPDATE = 6,
	REGISTER_FILES2 = 13,
	REGISTER_FILES_UPDATE2 = 14,
};

/* Beside a command: the ring is named by its place in a table of the thread, and by no descriptor. */
#define REGISTERED_RING (1U << 31)

/* Commands whose attributes begin with a descriptor. */
#define COMMANDS_BY_FD                                                                             \
	(1ULL << BPF_MAP_LOOKUP_ELEM | 1ULL << BPF_MAP_UPDATE_ELEM | 1ULL << BPF_MAP_DELETE_ELEM | \
	 1ULL << BPF_MAP_GET_NEXT_KEY | 1ULL << BPF_PROG_TEST_RUN |                                \
	 1ULL << BPF_OBJ_GET_INFO_BY_FD | 1ULL << BPF_MAP_LOOKUP_AND_DELETE_ELEM |                 \
	 1ULL << BPF_MAP_FREEZE | 1ULL << BPF_LINK_UPDATE | 1ULL << BPF_LINK_DETACH |              \
	 1ULL << BPF_PROG_BIND_MAP)
#define COMMANDS_OF_BATCHES                                                                        \
	(1ULL << BPF_MAP_LOOKUP_BATCH | 1ULL << BPF_MAP_LOOKUP_AND_DELETE_BATCH |                  \
	 1ULL << BPF_MAP_UPDATE_BATCH | 1ULL << BPF_MAP_DELETE_BATCH)

struct bpf_object {
	__u32 kind; /* enum bpf_object_kind; 0: not known */
	__u32 id;
};

static __always_inline bool is_command_of(__u64 commands, __u32 command)
{
	return command < COMMANDS_NUMBERED && (commands >> command & 1);
}

/* The first eight bytes of a text, as a number. */
#define WORD_OF(a, b, c, d, e, f, g, h)                                                            \
	((__u64)(a) | (__u64)(b) << 8 | (__u64)(c) << 16 | (__u64)(d) << 24 | (__u64)(e) << 32 |   \
	 (__u64)(f) << 40 | (__u64)(g) << 48 | (__u64)(h) << 56)

/* By the name that the kernel gives to the file. */
static __always_inline struct bpf_object object_of_file(struct file *file)
{
	void *data = READ(file, private_data);
	__u64 name = 0;

	bpf_probe_read_kernel(&name, sizeof(name), READ(file, f_path.dentry, d_name.name));
	switch (name) {
	case WORD_OF('b', 'p', 'f', '-', 'm', 'a', 'p', 0):
		return (struct bpf_object){BPF_OBJECT_MAP, READ((struct bpf_map *)data, id)};
	case WORD_OF('b', 'p', 'f', '-', 'p', 'r', 'o', 'g'):
		return (struct bpf_object){BPF_OBJECT_PROGRAM,
					   READ((struct bpf_prog *)data, aux, id)};
	case WORD_OF('b', 'p', 'f', '_', 'l', 'i', 'n', 'k'):
		return (struct bpf_object){BPF_OBJECT_LINK, READ((struct bpf_link *)data, id)};
	default:
		return (struct bpf_object){};
	}
}

static __always_inline __u32 kind_by_id(__u32 command)
{
	switch (command) {
	case BPF_MAP_GET_FD_BY_ID:
		return BPF_OBJECT_MAP;
	case BPF_PROG_GET_FD_BY_ID:
		return BPF_OBJECT_PROGRAM;
	case BPF_LINK_GET_FD_BY_ID:
		return BPF_OBJECT_LINK;
	default:
		return 0;
	}
}

static __always_inline struct bpf_object bpf_object(struct filler *f, __u32 command, __u64 address)
{
	bool batch = is_command_of(COMMANDS_OF_BATCHES, command);
	struct bpf_object object = {.kind = kind_by_id(command)};
	struct file *file;
	__u32 word;

	if (!object.kind && !batch && !is_command_of(COMMANDS_BY_FD, command))
		return object;
	if (!read_user(f, &word, sizeof(word), address + (batch ? BATCH_MAP_FD_AT : 0)))
		return (struct bpf_object){};
	object.id = word;
	if (object.kind)
		return object;
	file = fd_file(word);
	return file ? object_of_file(file) : object;
}

/* A member of it, absent if it is not known. */
static __always_inline __u32 if_object(struct filler *f, struct bpf_object object, __u32 value)
{
	f->absent = !object.kind;
	return value;
}

/* The beginning of struct io_uring_params, the same for every caller. */
struct user_ring {
	__u32 sq_entries, cq_entries, flags, sq_thread_cpu, sq_thread_idle, features;
};

/*
 * The params of io_uring_setup, which the caller passes and the kernel fills; zeros if unreadable.
 */
static __always_inline struct user_ring ring_params(struct filler *f, __u64 address)
{
	struct user_ring ring = {};

	if (bpf_probe_read_user(&ring, sizeof(ring), (void *)address))
		count_unreadable(f);
	return ring;
}

/*
 * The number of a ring, as its operations have it: of a descriptor; absent if the call failed or
 * named the ring otherwise, and where no operations are looked at.
 */
static __always_inline __u64 ring_number(struct filler *f, __s32 fd, __u32 command)
{
	struct file *file = NULL;

	if (uring_kernel && !(command & REGISTERED_RING) && !call_failed(f))
		file = fd_file(fd);
	f->absent = !file;
	return file ? uring_number((__u64)READ(file, private_data)) : 0;
}

/* Files that a call registers with a ring: where their descriptors are, for which slots. */
struct files_registered {
	__u64 address; /* 0: it registers none, or that cannot be read */
	__u32 count, first;
};

/* The structs of the four commands in one: each begins with one of these numbers. */
struct user_files {
	__u32 word, flags;
	__u64 address, more, tags;
};

_Static_assert(sizeof(struct user_files) == 32, "as struct io_uring_rsrc_register");

static __always_inline struct files_registered files_registered(struct filler *f, __u32 command,
								__u64 address, __u32 count)
{
	struct user_files files = {};
	__u32 bytes = command == REGISTER_FILES_UPDATE ? 16 : sizeof(files);

	if (call_failed(f))
		return (struct files_registered){};
	if (command == REGISTER_FILES)
		return (struct files_registered){address, count, 0};
	if (command != REGISTER_FILES_UPDATE && command != REGISTER_FILES2 &&
	    command != REGISTER_FILES_UPDATE2)
		return (struct files_registered){};
	if (bpf_probe_read_user(&files, bytes, (void *)address)) {
		count_unreadable(f);
		return (struct files_registered){};
	}
	/* Before the address of FILES2 stands a number that is reserved. */
	return command == REGISTER_FILES2
		       ? (struct files_registered){files.more, files.word, 0}
		       : (struct files_registered){files.address, f->ret, files.word};
}

/* The first of its slots. */
static __always_inline __u32 first_registered(struct filler *f, struct files_registered files)
{
	f->absent = !files.address;
	return files.first;
}

#endif
