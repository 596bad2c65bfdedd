/* SPDX-License-Identifier: MIT */
/* The descriptors of events, system calls and flag sets, expanded from driver/events/. */
#include "event/event.h"

#include <string.h>

#include "util/count.h"

#define FLAG_SET(set) static const struct param_flag flags_##set[] = {
#define FLAG(set, name, value) {#name, value},
#define FLAG_SET_END(set)                                                                          \
	{                                                                                          \
		NULL, 0                                                                            \
	}                                                                                          \
	}                                                                                          \
	;
#include "events/flags.def"

static const struct {
	const struct param_flag *set;
	const char *name;
} flag_sets[] = {
#define FLAG_SET(set) {flags_##set, #set},
#define FLAG(...)
#define FLAG_SET_END(set)
#include "events/flags.def"
};

#define DYN_SET(set) static const struct param_dyn dyn_##set[] = {
#define DYN_KIND(type, format) {PT_##type, PF_##format},
#define DYN_SET_END(set)                                                                           \
	}                                                                                          \
	;
#include "events/dyn.def"

#define SET(set_name) .set = flags_##set_name
#define DYN(set_name) .dyn = dyn_##set_name, .dyn_count = COUNT(dyn_##set_name)
#define BASE(index) .base = (index) + 1
#define REAL(index) .real = (index) + 1
#define BASE_PATH(index) .base_path = (index) + 1
#define QUIET .quiet = true
#define ON_ENTRY .on_entry = true

#define SYSCALL_EVENT(name, ...) static const struct param_desc params_##name[] = {
#define TRACEPOINT_EVENT(name, ...) static const struct param_desc params_##name[] = {
#define USER_EVENT(name, ...) static const struct param_desc params_##name[] = {
#define PARAM(event, name, type, format, source, ...)                                              \
	[event##__##name] = {#name, PT_##type, PF_##format,                                        \
			     .is_result = __builtin_strcmp(#source, "RET") == 0, ##__VA_ARGS__},
#define EXTENSION_PARAM(event, name, type, format, source, ...)                                    \
	PARAM(event, name, type, format, source, .extension = true, ##__VA_ARGS__)
#define EVENT_END(name)                                                                            \
	}                                                                                          \
	;                                                                                          \
	_Static_assert((int)name##__count <= EVENT_PARAMS_MAX,                                     \
		       "more parameters than an event may have");
#include "events/all.def"

#define UNSIGNED(bytes) bytes
#define SIGNED(bytes) bytes
#define STRING 0
#define NUMBERS(bytes) 0
#define BYTES 0

/* Bytes of values of a fixed size, 0 of others. */
enum {
#define TYPE(name, stored, form) SIZE_##name = stored,
#include "event/types.def"
};

#define SYSCALL_EVENT(name, ...) static const uint8_t sizes_##name[] = {
#define TRACEPOINT_EVENT(name, ...) static const uint8_t sizes_##name[] = {
#define USER_EVENT(name, ...) static const uint8_t sizes_##name[] = {
#define PARAM(event, name, type, ...) SIZE_##type,
#define EVENT_END(name)                                                                            \
	}                                                                                          \
	;
#include "events/all.def"

/* The number of parameters that are not extensions. */
#define SYSCALL_EVENT(name, ...) enum { name##__scap = 0
#define TRACEPOINT_EVENT(name, ...) enum { name##__scap = 0
#define USER_EVENT(name, ...) enum { name##__scap = 0
#define PARAM(...) +1
#define EXTENSION_PARAM(...)
#define EVENT_END(name)                                                                            \
	}                                                                                          \
	;
#include "events/all.def"

#define OPENS(event, ...)                                                                          \
	_Static_assert((int)event##__fd == 0, "its first parameter is what " #event " opened");
#include "events/all.def"

/* The flags in the table are written without their prefix. */
enum { EVENT_FLAGS(EVENT_FLAG_PLAIN) };

#define EVENT_DESC(event, text, id_, syscall_, tracepoint_, category_, flags_)                     \
	[id_] = {.name = text,                                                                     \
		 .id = id_,                                                                        \
		 .syscall = syscall_,                                                              \
		 .tracepoint = tracepoint_,                                                        \
		 .category = category_,                                                            \
		 .flags = flags_,                                                                  \
		 .nparams = event##__count,                                                        \
		 .scap_nparams = event##__scap,                                                    \
		 .params = params_##event,                                                         \
		 .sizes = sizes_##event},

const struct event_desc event_descs[EVENT_ID_MAX] = {
#define SYSCALL_EVENT(name, id, syscall, category, flags)                                          \
	EVENT_DESC(name, #name, id, SC_##syscall, NULL, EC_SYSCALL | EC_##category, flags)
#define TRACEPOINT_EVENT(name, id, tracepoint, category, flags)                                    \
	EVENT_DESC(name, #name, id, SC_unknown, #tracepoint, EC_TRACEPOINT | EC_##category, flags)
#define USER_EVENT(name, id, text, source, category, flags)                                        \
	EVENT_DESC(name, #text, id, SC_unknown, NULL, EC_##source | EC_##category, flags)
#define OPENS(event, name, flags, mode, resolve, argument)                                         \
	[EVENT_##event].opens = {event##__##name + 1,                                              \
				 event##__##flags + 1,                                             \
				 event##__##mode + 1,                                              \
				 event##__##resolve + 1,                                           \
				 event##__dev + 1,                                                 \
				 event##__ino + 1,                                                 \
				 argument},
#define PATH(event, name_, abs_)                                                                   \
	[EVENT_##event].paths = {.name = event##__##name_ + 1, .abs = event##__##abs_ + 1},
#define PATHS(event, source_, target_, abs_, abs_dst_)                                             \
	[EVENT_##event].paths = {.source = event##__##source_ + 1,                                 \
				 .target = event##__##target_ + 1,                                 \
				 .abs = event##__##abs_ + 1,                                       \
				 .abs_dst = event##__##abs_dst_ + 1},
#define CONNECTS(event, tuple) [EVENT_##event].connects = event##__##tuple + 1,
#define RUNS(event, args_, env_) [EVENT_##event].runs = {event##__##args_ + 1, event##__##env_ + 1},
#include "events/all.def"
};

static const uint16_t event_of_syscall[SYSCALL_CODES_COUNT] = {
#define SYSCALL_EVENT(name, id, syscall, category, flags) [SC_##syscall] = id,
#include "events/all.def"
};

static const char *const syscall_names[] = {
#define SYSCALL(code, name, ...) [code] = #name,
#include "events/syscalls/all.def"
};

#if defined(__x86_64__)
#define NATIVE_NUMBER(x86_64, arm64) x86_64
#elif defined(__aarch64__)
#define NATIVE_NUMBER(x86_64, arm64) arm64
#endif

static const uint16_t code_of_native[SYSCALL_INDEX_END] = {
#define SYSCALL(code, name, x86_64, arm64, i386, i386_wide)                                        \
	[SYSCALL_AT(NATIVE_NUMBER(x86_64, arm64), code)] = SC_##name,
#include "events/syscalls/all.def"
};

/* No number is in both of these. */
static const uint16_t code_of_compat[SYSCALL_INDEX_END] = {
#if defined(__x86_64__)
#define SYSCALL(code, name, x86_64, arm64, i386, i386_wide) [SYSCALL_AT(i386, code)] = SC_##name,
#include "events/syscalls/all.def"
#endif
};

static const uint16_t code_of_compat_wide[SYSCALL_INDEX_END] = {
#if defined(__x86_64__)
#define SYSCALL(code, name, x86_64, arm64, i386, i386_wide)                                        \
	[SYSCALL_AT(i386_wide, code)] = SC_##name,
#include "events/syscalls/all.def"
#endif
};

/* Of the narrow one where there are two. */
static const uint8_t compat_layouts[SYSCALL_CODES_COUNT] = {
#define MULTIPLEXED(name) [SC_##name] = LAYOUT_MULTIPLEXED,
#define NOT_DECODED(name) [SC_##name] = LAYOUT_OTHER,
#include "events/syscalls/i386_layouts.def"
};

static const uint16_t operation_codes[MULTIPLEXED_CALLS][MULTIPLEXED_OPERATIONS] = {
#define SOCKETCALL(operation, name, ...) [MULTIPLEXED_SOCKETCALL][operation] = SC_##name,
#define IPC(operation, name, ...) [MULTIPLEXED_IPC][operation] = SC_##name,
#include "events/syscalls/i386_layouts.def"
};

const struct event_desc *event_desc_find(const char *name)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (event_descs[id].name && !(event_descs[id].flags & EF_ENTER) &&
		    strcmp(event_descs[id].name, name) == 0)
			return &event_descs[id];
	return NULL;
}

const struct event_desc *event_desc_of_syscall(unsigned int code)
{
	unsigned int id = code < SYSCALL_CODES_COUNT ? event_of_syscall[code] : EVENT_NONE;

	return &event_descs[id ? id : EVENT_syscall];
}

bool event_desc_is_native(const struct event_desc *desc)
{
#ifdef __x86_64__
	return true; /* what is no call of 64-bit programs is one of 32-bit ones */
#else
	/* Only x86 has the tracepoints of page faults. */
	if (desc->syscall == SC_unknown)
		return desc->id != EVENT_page_fault;
	return syscall_native_number(desc->syscall) >= 0;
#endif
}

int event_param_find(const struct event_desc *desc, const char *name)
{
	for (int i = 0; i < desc->nparams; i++)
		if (strcmp(desc->params[i].name, name) == 0)
			return i;
	return -1;
}

const char *param_set_name(const struct param_flag *set)
{
	for (size_t i = 0; i < COUNT(flag_sets); i++)
		if (flag_sets[i].set == set)
			return flag_sets[i].name;
	return NULL;
}

const char *syscall_name(unsigned int code)
{
	return code < SYSCALL_CODES_COUNT ? syscall_names[code] : NULL;
}

int syscall_code_find(const char *name)
{
	for (unsigned int r = 0; r < SYSCALL_CODES_COUNT; r++)
		if (strcmp(syscall_names[r], name) == 0)
			return (int)r;
	return -1;
}

int syscall_native_number(unsigned int code)
{
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++)
		if (code_of_native[number] == code && code != SC_unknown)
			return (int)number;
	return -1;
}

unsigned int syscall_code_of_native(unsigned int number)
{
	return number < SYSCALL_NR_MAX ? code_of_native[number] : SC_unknown;
}

unsigned int syscall_code_of_compat(unsigned int number)
{
	if (number >= SYSCALL_NR_MAX)
		return SC_unknown;
	return code_of_compat[number] | code_of_compat_wide[number];
}

enum syscall_layout syscall_layout_of_compat(unsigned int number)
{
	unsigned int r = syscall_code_of_compat(number);

	if (r == SC_unknown)
		return LAYOUT_OTHER;
	return code_of_compat[number] ? compat_layouts[r] : LAYOUT_ALIKE;
}

unsigned int syscall_code_of_operation(enum multiplexed_call call, unsigned int operation)
{
	return operation < MULTIPLEXED_OPERATIONS ? operation_codes[call][operation] : SC_unknown;
}
