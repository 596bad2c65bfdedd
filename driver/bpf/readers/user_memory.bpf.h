/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Numbers and structs of the caller's memory. A NULL pointer and memory that cannot be read both
 * leave the values absent; only the latter is counted.
 */
#ifndef LANNER_USER_MEMORY_BPF_H
#define LANNER_USER_MEMORY_BPF_H

#include "bpf/core/call.bpf.h"
#include "bpf/layouts/user_32.bpf.h"

enum {
	LIST_NUMBERS_MAX = 1024,
	RESULT_NUMBERS_MAX = 512,
	SET_BYTES_MAX = 1024,
};

/* For what the kernel writes: its address if the call succeeded, else 0. */
#define ON_SUCCESS(address) (f->ret >= 0 ? (__u64)(address) : 0)

/* For lists: the address of the first entry if the call wrote any, else 0. */
#define IF_ANY(address) (f->ret > 0 ? (__u64)(address) : 0)

/*
 * `to` must not be part of the filler. Absent values before this one take no room, so that its
 * place varies: hidden by forget(), or the verifier would walk on from here for each such place.
 */
static __always_inline bool read_user(struct filler *f, void *to, __u32 size, __u64 address)
{
	if (!__builtin_constant_p(f->pos))
		f->pos = forget(f->slot, f->pos);
	if (!address)
		return false;
	if (!read_caller(f, to, size, address))
		return true;
	count_unreadable(f);
	return false;
}

#define DEFINE_USER_NUMBER(type)                                                                   \
	static __always_inline type user##type(struct filler *f, __u64 address)                    \
	{                                                                                          \
		type value = 0;                                                                    \
                                                                                                   \
		f->absent = !read_user(f, &value, sizeof(value), address);                         \
		return value;                                                                      \
	}

/* user__u32(f, address) and so on: the number that the caller's pointer points to. */
DEFINE_USER_NUMBER(__s32)
DEFINE_USER_NUMBER(__u32)
DEFINE_USER_NUMBER(__s64)
DEFINE_USER_NUMBER(__u64)

/* A pointer, or a number of type unsigned long, without and with a sign. */
static __always_inline __u64 user_word(struct filler *f, __u64 address)
{
	__u64 value = 0;

	f->absent = !read_user(f, &value, word_bytes(f->slot, f->caller), address);
	return value;
}

static __always_inline __s64 user_signed_word(struct filler *f, __u64 address)
{
	return signed_word(f, user_word(f, address));
}

/* The id of a user or group. */
static __always_inline __u32 user_id(struct filler *f, __u64 address)
{
	const __u64 narrow = narrow_before(f, NR32_LCHOWN32);
	union {
		__u32 wide;
		__u16 narrow;
	} id = {};

	read_user(f, &id, FORM_BYTES(f->slot, id, narrow), address);
	return id.wide;
}

/*
 * read_<name>(f, address): a struct of the caller's memory, for the LOCAL of a row. Parameters get
 * its members with MEMBER(), which are absent with the struct. The helper writes to another copy,
 * which has to be on the stack as a whole.
 */
#define DEFINE_COPY(name)                                                                          \
	struct name##_copy {                                                                       \
		struct user_##name value;                                                          \
		bool is_read;                                                                      \
	};

#define DEFINE_USER_STRUCT(name)                                                                   \
	DEFINE_COPY(name)                                                                          \
                                                                                                   \
	static __always_inline struct name##_copy read_##name(struct filler *f, __u64 address)     \
	{                                                                                          \
		struct user_##name value = {};                                                     \
		bool is_read = read_user(f, &value, sizeof(value), address);                       \
                                                                                                   \
		return (struct name##_copy){value, is_read};                                       \
	}

/*
 * The same for a struct that grows from kernel to kernel: as many bytes as the caller's size, and
 * zeros after them.
 */
#define DEFINE_SIZED_STRUCT(name)                                                                  \
	DEFINE_COPY(name)                                                                          \
                                                                                                   \
	static __always_inline struct name##_copy read_##name(struct filler *f, __u64 address,     \
							      __u64 size)                          \
	{                                                                                          \
		struct user_##name value = {};                                                     \
		bool is_read;                                                                      \
                                                                                                   \
		CHECKED(size);                                                                     \
		if (size > sizeof(value))                                                          \
			size = sizeof(value);                                                      \
		is_read = size && read_user(f, &value, size, address);                             \
		return (struct name##_copy){value, is_read};                                       \
	}

/*
 * The same for one that has a second form. `narrow_of(f)`: all bits if it is that one, else none.
 */
#define DEFINE_USER_STRUCT_OF_TWO_FORMS(name, narrow_of)                                           \
	DEFINE_COPY(name)                                                                          \
                                                                                                   \
	static __always_inline struct name##_copy read_##name(struct filler *f, __u64 address)     \
	{                                                                                          \
		const __u64 narrow = narrow_of(f);                                                 \
		union user_any_##name any = {};                                                    \
		bool is_read = read_user(f, &any, FORM_BYTES(f->slot, any, narrow), address);      \
                                                                                                   \
		return (struct name##_copy){widen_##name(&any, narrow), is_read};                  \
	}

#define MEMBER(copy, ...) (f->absent = !(copy).is_read, (copy).value.__VA_ARGS__)

/* A number that is valid only on a condition. */
static __always_inline __u64 value_if(struct filler *f, bool condition, __u64 value)
{
	f->absent = !condition;
	return value;
}

/* The result where it is a value; absent when the call failed. */
static __always_inline __u64 result_value(struct filler *f)
{
	f->absent = f->ret < 0;
	return f->ret;
}

/* Numbers of 32 bits, as many of `count` as are shown. */
static __always_inline void put_numbers(struct filler *f, __u64 address, __u64 count)
{
	put_bytes(f, address,
		  sizeof(__u32) * (count < LIST_NUMBERS_MAX ? count : LIST_NUMBERS_MAX));
}

/* Numbers of 64 bits that the call wrote, as many as it returned. */
static __always_inline void put_result_numbers(struct filler *f, __u64 address)
{
	put_bytes(f, address, f->ret > 0 ? min_u64(f->ret, RESULT_NUMBERS_MAX) * sizeof(__u64) : 0);
}

/* The size in bytes of a set of `bits` bits, in whole words of the caller. */
static __always_inline __u64 set_bytes(struct filler *f, __u64 bits)
{
	const __u64 word = word_bytes(f->slot, f->caller);

	return (bits / 8 + !!(bits % 8) + word - 1) & -word;
}

/* A set of small numbers: of CPUs, of nodes. */
static __always_inline void put_bits(struct filler *f, __u64 address, __u64 bytes)
{
	put_bytes(f, address, !address ? 0 : bytes < SET_BYTES_MAX ? bytes : SET_BYTES_MAX);
}

#endif
