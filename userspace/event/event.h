/* SPDX-License-Identifier: MIT */
/*
 * Events: what each id means (descriptors made from driver/events/), and checked access to the
 * parameters of a frame. No I/O and no state.
 */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi.h"
#include "event/param.h"
#include "event/syscall.h"
#include "event_flags.h"

/* Low byte: the subject of an event; the bits above: its origin. */
enum event_category {
	EC_UNKNOWN = 0,
	EC_OTHER = 1,
	EC_FILE = 2,
	EC_NET = 3,
	EC_IPC = 4,
	EC_MEMORY = 5,
	EC_PROCESS = 6,
	EC_SLEEP = 7,
	EC_SYSTEM = 8,
	EC_SIGNAL = 9,
	EC_USER = 10,
	EC_TIME = 11,
	EC_IO_READ = 0x20,
	EC_IO_WRITE = 0x21,
	EC_IO_OTHER = 0x22,
	EC_WAIT = 0x40,
	EC_SCHEDULER = 0x80,
	EC_INTERNAL = 0x100,
	EC_SYSCALL = 0x200,
	EC_TRACEPOINT = 0x400,
	EC_PLUGIN = 0x800,
	EC_METAEVENT = 0x1000,
	EC_ITERATOR = 0x2000,
};

/* Event ids (EVENT_openat) and parameter indexes (openat__name; openat__none is that of none). */
enum event_id {
	EVENT_NONE = 0,
#define SYSCALL_EVENT(name, id, syscall, category, flags) EVENT_##name = id,
#define TRACEPOINT_EVENT(name, id, tracepoint, category, flags) EVENT_##name = id,
#define USER_EVENT(name, id, ...) EVENT_##name = id,
#include "events/all.def"
};

#define SYSCALL_EVENT(name, ...)                                                                   \
	enum event_##name##_params                                                                 \
	{
#define TRACEPOINT_EVENT(name, ...)                                                                \
	enum event_##name##_params                                                                 \
	{
#define USER_EVENT(name, ...)                                                                      \
	enum event_##name##_params                                                                 \
	{
#define PARAM(event, name, ...) event##__##name,
#define EVENT_END(name)                                                                            \
	name##__count, name##__none = -1                                                           \
	}                                                                                          \
	;
#include "events/all.def"

/*
 * Parameters by what they are to the event, from the rows of roles in driver/events/all.def:
 * indexes plus 1, 0 for none.
 */
struct event_opens {
	uint8_t name; /* 0: the event opens no file */
	uint8_t flags; /* 0: those of creat(2) */
	uint8_t mode, resolve, dev, ino;
	uint8_t flags_argument; /* the number of that argument of the call; 0: it has none */
};

struct event_paths {
	uint8_t name; /* the path; a descriptor stands for its name */
	uint8_t source, target; /* of calls with two paths */
	uint8_t abs, abs_dst; /* those that can start from a descriptor */
};

struct event_runs {
	uint8_t args, env; /* lists of texts that end with a NUL each */
};

/* One cache line each: event_descs[] has many. */
struct event_desc {
	const char *name;
	const struct param_desc *params;
	const uint8_t *sizes; /* of parameters: bytes of those of a fixed size, 0 of others */
	uint16_t id;
	uint16_t syscall; /* enum syscall_code; SC_unknown for tracepoints and the generic event */
	uint16_t category; /* enum event_category bits */
	uint16_t nparams;
	uint32_t flags; /* enum event_flags bits */
	uint16_t scap_nparams; /* those of the .scap world, which precede the extensions */
	uint8_t connects; /* parameter with the ends of the connection that it makes, plus 1 */
	struct event_runs runs;
	struct event_opens opens;
	struct event_paths paths;
	const char *tracepoint; /* NULL for those that have none */
} __attribute__((aligned(64)));

/* By id; `name` is NULL for ids without event. */
extern const struct event_desc event_descs[EVENT_ID_MAX];

/* The descriptor of an id, or NULL. Lives as long as the program. */
static inline const struct event_desc *event_desc_get(unsigned int id)
{
	const struct event_desc *desc;

	if (id >= EVENT_ID_MAX)
		return NULL;
	desc = event_descs + id;
	return desc->name ? desc : NULL;
}

/*
 * The event of a name, or NULL; of a call with events on entry and on exit, the one on exit. A
 * linear search: for start-up, not per event.
 */
const struct event_desc *event_desc_find(const char *name);

/* The subjects of events. */
#define EVENT_FAMILIES(ROW)                                                                        \
	ROW(file)                                                                                  \
	ROW(mount)                                                                                 \
	ROW(io)                                                                                    \
	ROW(poll)                                                                                  \
	ROW(net)                                                                                   \
	ROW(process)                                                                               \
	ROW(user)                                                                                  \
	ROW(memory)                                                                                \
	ROW(module)                                                                                \
	ROW(security)                                                                              \
	ROW(object)                                                                                \
	ROW(signal)                                                                                \
	ROW(ipc)                                                                                   \
	ROW(time)                                                                                  \
	ROW(sched)                                                                                 \
	ROW(system)                                                                                \
	ROW(kernel)                                                                                \
	ROW(other)

#define EVENT_FAMILY_ID(name) FAMILY_##name,

enum event_family { FAMILY_none, EVENT_FAMILIES(EVENT_FAMILY_ID) EVENT_FAMILIES_COUNT };

/* That of an event, and its name: NULL for FAMILY_none, which ids without event have. */
enum event_family event_family_of(unsigned int id);
const char *event_family(unsigned int id);

/* The event of a system call: of its type or the generic one. */
const struct event_desc *event_desc_of_syscall(unsigned int code);

/*
 * Whether this machine has the system call or tracepoint of an event: newer architectures lack
 * open, fork, select and the tracepoints of page faults. For start-up.
 */
bool event_desc_is_native(const struct event_desc *desc);

/* The index of a parameter by name, or -1. For start-up, not for each event. */
int event_param_find(const struct event_desc *desc, const char *name);

/* The low `size` bytes of a number, without sign extension. */
static inline uint64_t event_value_bits(uint64_t value, size_t size)
{
	return size < sizeof(value) ? value & ((UINT64_C(1) << 8 * size) - 1) : value;
}

struct event_param {
	const uint8_t *data; /* unaligned, points into the frame */
	uint32_t len; /* 0: absent */
};

#define LATENCY_UNKNOWN UINT64_MAX

/* A decoded frame; everything in it points into the frame, which the caller keeps. */
struct event {
	const struct event_desc *desc;
	uint64_t ts_ns; /* since the epoch */
	uint64_t latency_ns; /* from entry to exit of the system call, or LATENCY_UNKNOWN */
	struct frame_file file; /* which one the descriptor of the call is; ino 0: not known */
	struct frame_marks marks; /* what cannot be stated as fact; a faked call has no result */
	struct frame_stream stream; /* where the bytes of the call are in that of a socket */
	struct frame_uring uring; /* by which operation it came; ring 0: by a system call */
	struct frame_times times; /* what its thread did so far; since_ns 0: not known */
	int64_t tid;
	uint16_t cpu;
	struct event_param params[EVENT_PARAMS_MAX];
};

/* The bytes behind the values of a frame whose header has this `nparams`. */
static inline uint32_t event_extra_bytes(uint32_t nparams)
{
	return (nparams & FRAME_TIMED ? (uint32_t)sizeof(uint64_t) : 0) +
	       (nparams & FRAME_MARKED ? (uint32_t)sizeof(struct frame_marks) : 0) +
	       (nparams & FRAME_FILE ? (uint32_t)sizeof(struct frame_file) : 0) +
	       (nparams & FRAME_STREAM ? (uint32_t)sizeof(struct frame_stream) : 0) +
	       (nparams & FRAME_URING ? (uint32_t)sizeof(struct frame_uring) : 0) +
	       (nparams & FRAME_TIMES ? (uint32_t)sizeof(struct frame_times) : 0);
}

/*
 * Decodes a frame of `len` bytes. Checks the header, every length, the sizes of fixed-size types,
 * the NUL of strings, and lists and values of type DYN throughout. Parameters that the frame does
 * not have are absent; unknown ones are ignored. Returns 0, -EBADMSG for
 * a corrupt frame, or -ENOENT for an id that is not in the table; `ev` is undefined
 * then.
 */
int event_decode(const void *frame, size_t len, uint16_t cpu, struct event *ev);

/*
 * Marks texts that are as long as what is captured of one, which may have had more: for capture
 * files, most of which have no marks.
 */
void event_mark_by_length(struct event *ev);

/* The n-th number of a list of numbers. */
uint64_t event_param_number(const struct event_param *param, enum param_type type, size_t n);

/* For event_value_i64(): of other lengths than eight bytes. */
int64_t event_short_value_i64(enum param_type type, const struct event_param *param);

/* A value of a fixed-size type, extended by its type; 0 if it is absent. */
static inline int64_t event_value_i64(enum param_type type, const struct event_param *param)
{
	int64_t value;

	if (param->len != sizeof(value))
		return event_short_value_i64(type, param);
	memcpy(&value, param->data, sizeof(value));
	return value;
}

/* The value of a parameter of an event, as event_value_i64() gives it. */
static inline int64_t event_param_i64(const struct event *ev, unsigned int index)
{
	return event_value_i64(ev->desc->params[index].type, &ev->params[index]);
}

/* The content of a DYN that is present: its kind and the bytes after it. */
struct event_dyn {
	const struct param_dyn *kind;
	struct event_param param; /* len 0: empty, which only strings and buffers may be */
};

struct event_dyn event_dyn_value(const struct param_desc *desc, const struct event_param *param);

/* The number of entries of a FDLIST that is present, and one of them. */
static inline unsigned int event_fdlist_count(const struct event_param *list)
{
	return (list->len - sizeof(uint16_t)) / sizeof(struct fdlist_entry);
}

struct fdlist_entry event_fdlist_entry(const struct event_param *list, unsigned int index);

static inline uint64_t event_param_u64(const struct event *ev, unsigned int index)
{
	return (uint64_t)event_param_i64(ev, index);
}

static inline bool event_param_present(const struct event *ev, unsigned int index)
{
	return ev->params[index].len != 0;
}

/* A string parameter, or NULL if it is absent. */
static inline const char *event_param_string(const struct event *ev, unsigned int index)
{
	return ev->params[index].len ? (const char *)ev->params[index].data : NULL;
}

/*
 * The code of the system call of a generic event, from whichever of its two numbers is known;
 * SC_unknown if neither is. Numbers without code are returned unchanged.
 */
unsigned int event_syscall_code(const struct event *ev);

/*
 * The result of a system call or an operation of io_uring: the first parameter as a signed number.
 * Returns false for events that have none (the generic one, exits, enters, tracepoints).
 */
bool event_result(const struct event *ev, int64_t *result);

#endif
