/* SPDX-License-Identifier: MIT */
/*
 * evt.*: data of the event itself, its origin, and what of it cannot be stated as fact. Times and
 * I/O have files of their own.
 */
#include <strings.h>

#include "event/names.h"
#include "sinsp/fields/cut.h"
#include "sinsp/fields/table.h"
#include "sinsp/fields/type_names.h"
#include "sinsp/fields/param_text.h"
#include "sinsp/fields/param_value.h"
#include "sinsp/fields/text_value.h"
#include "util/count.h"
#include "util/error.h"

/* evt.*: the origin of an event, and the data of events that are not system calls. */

/* Events made in user space are the asynchronous ones; the kernel's are not. */
static bool is_async(const struct state_event *event)
{
	return event->ev.desc->category & EC_METAEVENT;
}

static int get_is_async(const struct state_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	return field_give_u64(values, is_async(event));
}

static int get_asynctype(const struct state_event *event, const struct field_ref *ref,
			 struct field_scratch *scratch, struct field_value *values)
{
	return is_async(event) ? field_give_string(values, event->ev.desc->name) : NO_VALUE;
}

static int get_hostname(const struct state_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	return field_give_string(values, state_hostname(event->state));
}

static int get_is_uring(const struct state_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	return field_give_u64(values, state_event_is_uring(event));
}

static const char via_uring[] = "io_uring";

static int get_via(const struct state_event *event, const struct field_ref *ref,
		   struct field_scratch *scratch, struct field_value *values)
{
	return state_event_is_uring(event) ? field_give_string(values, via_uring) : NO_VALUE;
}

static bool is_procinfo(const struct state_event *event)
{
	return event->ev.desc->id == EVENT_procinfo;
}

static int get_count_threadinfo(const struct state_event *event, const struct field_ref *ref,
				struct field_scratch *scratch, struct field_value *values)
{
	return field_give_u64(values, is_procinfo(event));
}

static int get_count_procinfo(const struct state_event *event, const struct field_ref *ref,
			      struct field_scratch *scratch, struct field_value *values)
{
	return field_give_u64(values, is_procinfo(event) && event->thread &&
					      state_thread_is_main(event->thread));
}

/* The value of a word of "Event:start; ID:...; name:...", without the blanks around it. */
static int give_word(const struct state_event *event, const char *word,
		     struct field_scratch *scratch, struct field_value *values)
{
	size_t word_len = strlen(word);
	const char *at = event->ev.desc->id == EVENT_infra
				 ? event_param_string(&event->ev, infra__description)
				 : NULL;

	while (at && *at) {
		size_t len;

		at += strspn(at, " ;");
		len = strcspn(at, ";");
		if (len > word_len && at[word_len] == ':' && strncasecmp(at, word, word_len) == 0) {
			struct buf text = field_text_begin(scratch);

			at += word_len + 1;
			len -= word_len + 1;
			for (; len && *at == ' '; at++)
				len--;
			while (len && at[len - 1] == ' ')
				len--;
			buf_append(&text, at, len);
			return field_give_text(values, scratch, &text);
		}
		at += len;
	}
	return NO_VALUE;
}

#define WORD_GETTER(name, word)                                                                    \
	static int name(const struct state_event *event, const struct field_ref *ref,              \
			struct field_scratch *scratch, struct field_value *values)                 \
	{                                                                                          \
		return give_word(event, word, scratch, values);                                    \
	}

WORD_GETTER(get_docker_event, "Event")
WORD_GETTER(get_docker_id, "ID")
WORD_GETTER(get_docker_name, "name")
WORD_GETTER(get_docker_image, "Image")

#define TEXT(name, flags, getter, help...)                                                         \
	{                                                                                          \
		name, PT_CHARBUF, PF_NA, flags, FIELD_ARG_NONE, 0, getter, help                    \
	}
#define NUMBER(name, needs, getter, help...)                                                       \
	{                                                                                          \
		name, PT_UINT32, PF_DEC, 0, FIELD_ARG_NONE, needs, getter, help                    \
	}

static void each_async_type(void (*see)(void *context, const char *word), void *context)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (event_desc_get(id) && (event_desc_get(id)->category & EC_METAEVENT))
			see(context, event_desc_get(id)->name);
}

static void each_way(void (*see)(void *context, const char *word), void *context)
{
	see(context, via_uring);
}

static const struct field_words ways = {each_way};

static const struct field_words async_types = {each_async_type, .lenient = true};

const struct field_desc fields_evt_meta[] = {
	{"evt.is_async", PT_BOOL, PF_NA, FIELD_OF_TYPE, FIELD_ARG_NONE, 0, get_is_async,
	 "true for events that were made outside the kernel"},
	TEXT("evt.asynctype", FIELD_OF_TYPE, get_asynctype,
	     "name of an event that was made outside the kernel", .example = "=container",
	     .words = &async_types),
	TEXT("evt.pluginname", FIELD_OF_TYPE, field_get_nothing,
	     "name of the plugin that made the event; none: there are no plugins",
	     .example = "=json"),
	TEXT("evt.plugininfo", FIELD_OF_TYPE, field_get_nothing,
	     "what a plugin says of its event; none: there are no plugins", .example = " exists"),
	{"evt.is_uring", PT_BOOL, PF_NA, 0, FIELD_ARG_NONE, NEEDS_URING, get_is_uring,
	 "true for operations of io_uring, which are events of the calls that they stand for"},
	{"evt.via", PT_CHARBUF, PF_NA, FIELD_SELDOM, FIELD_ARG_NONE, NEEDS_URING, get_via,
	 "io_uring for its operations; none: the program made the call", .example = "=io_uring",
	 .words = &ways},
	TEXT("evt.hostname", 0, get_hostname, "name of the machine that the event comes from",
	     .example = "=web-1"),
	NUMBER("evt.count.threadinfo", 0, get_count_threadinfo,
	       "1 for procinfo events, otherwise 0", .example = "=0"),
	NUMBER("evt.count.procinfo", NEEDS_THREADS, get_count_procinfo,
	       "1 for procinfo events of main threads, otherwise 0", .example = "=0"),
	TEXT("evt.infra.docker.name", 0, get_docker_event,
	     "what happened to a container, in captures that recorded it", .example = "=start"),
	TEXT("evt.infra.docker.container.id", 0, get_docker_id,
	     "id of the container of evt.infra.docker.name", .example = " exists"),
	TEXT("evt.infra.docker.container.name", 0, get_docker_name,
	     "name of the container of evt.infra.docker.name", .example = "=nginx"),
	TEXT("evt.infra.docker.container.image", 0, get_docker_image,
	     "image of the container of evt.infra.docker.name", .example = "=nginx"),
	{0},
};

/* evt.*: what of an event cannot be stated as fact. */

static int get_is_faked(const struct state_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	return field_give_u64(values, event->ev.marks.is_faked != 0);
}

static int get_is_contested(const struct state_event *event, const struct field_ref *ref,
			    struct field_scratch *scratch, struct field_value *values)
{
	return field_give_u64(values, event->ev.marks.contested != 0);
}

static int get_is_truncated(const struct state_event *event, const struct field_ref *ref,
			    struct field_scratch *scratch, struct field_value *values)
{
	return field_give_u64(values, event->ev.marks.truncated != 0);
}

static bool give_mark(const char *mark, const char *param, struct field_scratch *scratch,
		      struct field_value *value)
{
	struct buf text = field_text_begin(scratch);

	buf_printf(&text, "%s %s", mark, param);
	return field_give_text(value, scratch, &text) == 1;
}

/* A value for each parameter that has a mark. */
static int give_params(const struct event_desc *desc, const char *mark, uint64_t params,
		       struct field_scratch *scratch, struct field_value *values, int count)
{
	for (unsigned int i = 0; params >> i && i < desc->nparams && count < FIELD_VALUES_MAX; i++)
		if (params >> i & 1)
			count += give_mark(mark, desc->params[i].name, scratch, &values[count]);
	return count;
}

static int get_marks(const struct state_event *event, const struct field_ref *ref,
		     struct field_scratch *scratch, struct field_value *values)
{
	const struct frame_marks *marks = &event->ev.marks;
	const struct event_desc *desc = event->ev.desc;
	int count = 0;

	if (!state_event_is_marked(event))
		return NO_VALUE;
	if (marks->is_faked)
		count = field_give_string(values, "faked");
	count = give_params(desc, "contested", marks->contested, scratch, values, count);
	count = give_params(desc, "truncated", marks->truncated, scratch, values, count);
	if (event->filter_unknown && count < FIELD_VALUES_MAX)
		count += field_give_string(&values[count], "filter_unknown");
	return count ? count : NO_VALUE;
}

#define MARK(name, needs, getter, help)                                                            \
	{                                                                                          \
		name, PT_BOOL, PF_NA, 0, FIELD_ARG_NONE, needs, getter, help                       \
	}

const struct field_desc fields_evt_marks[] = {
	{"evt.marks", PT_CHARBUF, PF_NA, FIELD_LIST | FIELD_NO_RHS | FIELD_SELDOM, FIELD_ARG_NONE,
	 NEEDS_EVENT_ENVIRONMENT, get_marks,
	 "what is doubtful: faked, contested or truncated PARAMETER, filter_unknown",
	 .example = " in (faked)"},
	MARK("evt.is_faked", NEEDS_NOTHING, get_is_faked,
	     "true if the kernel never ran the call, although the caller got a success"),
	MARK("evt.is_contested", NEEDS_CHANGED, get_is_contested,
	     "true if a parameter is only the caller's word and may be forged"),
	MARK("evt.is_truncated", NEEDS_EVENT_ENVIRONMENT, get_is_truncated,
	     "true if only a part of a parameter was captured"),
	{0},
};

/* evt.*: data of the event itself. Fields of times and of I/O have files of their own. */

/* Above all error numbers, those internal to the kernel included. */
enum { ERRNO_MAX = 520 };

enum {
	ARG_NEEDS = NEEDS_THREADS | NEEDS_EVENT_FDS | NEEDS_EVENT_PATHS | NEEDS_ARGUMENTS,
	ARGS_NEEDS = ARG_NEEDS | NEEDS_EVENT_ENVIRONMENT,
};

static int evt_get_num(const struct state_event *event, const struct field_ref *ref,
		       struct field_scratch *scratch, struct field_value *values)
{
	return field_give_u64(values, event->num);
}

static int get_family(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	const char *family = event_family(event->ev.desc->id);

	/* Types that are in no family differ from all of them. */
	return field_give_string(values, family ? family : "");
}

/* A generic event has the name of its system call. */
static const char *type_name(const struct state_event *event)
{
	const struct event *ev = &event->ev;

	return ev->desc->id == EVENT_syscall ? syscall_name(event_syscall_code(ev))
					     : ev->desc->name;
}

static int evt_get_type(const struct state_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	return field_give_string(values, type_name(event));
}

static int get_type_is(const struct state_event *event, const struct field_ref *ref,
		       struct field_scratch *scratch, struct field_value *values)
{
	return field_give_u64(values, event->ev.desc->id == ref->index);
}

static int get_syscall_type(const struct state_event *event, const struct field_ref *ref,
			    struct field_scratch *scratch, struct field_value *values)
{
	if (!(event->ev.desc->category & EC_SYSCALL))
		return NO_VALUE;
	return field_give_string(values, type_name(event));
}

/* The category of reads and writes depends on the descriptor. */
static const char *const io_category_names[SCAP_FD_TYPES_COUNT] = {
	[SCAP_FD_FILE] = "file", [SCAP_FD_DIRECTORY] = "file", [SCAP_FD_IPV4] = "net",
	[SCAP_FD_IPV6] = "net",	 [SCAP_FD_UNIX] = "ipc",       [SCAP_FD_PIPE] = "ipc",
	[SCAP_FD_EVENT] = "ipc",
};

static int get_category(const struct state_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	const char *name = event_category_name(event->ev.desc->category);

	if (!name && event->fd)
		name = io_category_names[event->fd->type];
	return field_give_string(values, name ? name : "unknown");
}

static int get_cpu(const struct state_event *event, const struct field_ref *ref,
		   struct field_scratch *scratch, struct field_value *values)
{
	return field_give_i64(values, event->ev.cpu);
}

/* Exit events of the .scap world have odd ids; extensions are all exit events. */
static bool is_exit(const struct event_desc *desc)
{
	return desc->id % 2 || desc->id >= EVENT_EXTENSION_FIRST;
}

static int get_dir(const struct state_event *event, const struct field_ref *ref,
		   struct field_scratch *scratch, struct field_value *values)
{
	return field_give_string(values, is_exit(event->ev.desc) ? "<" : ">");
}

static int get_source(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	return field_give_string(values, "syscall");
}

static int evt_get_args(const struct state_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	struct buf text = field_text_begin(scratch);

	if (event->ev.marks.truncated)
		scratch->cut |= CUT_PLACES;
	param_text_all(event, &scratch->style, &text);
	return field_give_text(values, scratch, &text);
}

static int get_arg(const struct state_event *event, const struct field_ref *ref,
		   struct field_scratch *scratch, struct field_value *values)
{
	struct buf text = field_text_begin(scratch);
	int index = field_param_index(ref, event);

	if (index < 0)
		return NO_VALUE;
	scratch->cut |= cut_of_param(&event->ev, (unsigned int)index);
	param_text_append(event, (unsigned int)index, &scratch->style, &text);
	return field_give_text(values, scratch, &text);
}

static bool is_string(enum param_type type)
{
	return type == PT_CHARBUF || type == PT_FSPATH || type == PT_FSRELPATH;
}

/*
 * Parameters of one name can differ in type between events. Numbers are extended to 64 bits by
 * their own type; a text where the filter expects a number (or the reverse) is no value.
 */
static int get_rawarg(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	const struct event *ev = &event->ev;
	int index = field_param_index(ref, event);
	enum param_type type;

	if (index < 0 || !event_param_present(ev, (unsigned int)index))
		return NO_VALUE;
	type = ev->desc->params[index].type;
	if ((param_type_size(type) == 0) != (param_type_size(ref->type) == 0))
		return NO_VALUE;
	if (param_type_size(type))
		return field_give_i64(values, event_param_i64(ev, (unsigned int)index));
	scratch->cut |= cut_of_param(ev, (unsigned int)index);
	return field_give_bytes(values, (const char *)ev->params[index].data,
				ev->params[index].len - is_string(type));
}

/*
 * Fields of parameters are written directly to the output: a buffer in hexadecimal may exceed the
 * scratch memory.
 */
static bool write_args(const struct state_event *event, const struct field_ref *ref,
		       struct field_scratch *scratch, struct buf *out)
{
	param_text_all(event, &scratch->style, out);
	return true;
}

static bool write_arg(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct buf *out)
{
	int index = field_param_index(ref, event);

	if (index < 0)
		return false;
	param_text_append(event, (unsigned int)index, &scratch->style, out);
	return true;
}

/* A raw parameter is written by its type and format in this event. */
static bool write_rawarg(const struct state_event *event, const struct field_ref *ref,
			 struct field_scratch *scratch, struct buf *out)
{
	int index = field_param_index(ref, event);
	const struct param_desc *desc;

	if (index < 0)
		return false;
	desc = &event->ev.desc->params[index];
	if (param_type_size(desc->type) && event_param_present(&event->ev, (unsigned int)index))
		text_append_number(out, desc->type, desc->format,
				   (uint64_t)event_param_i64(&event->ev, (unsigned int)index));
	else
		param_text_raw(event, (unsigned int)index, &scratch->style, out);
	return true;
}

static bool write_json_args(const struct state_event *event, const struct field_ref *ref,
			    struct field_scratch *scratch, struct buf *out)
{
	param_value_append_all(scratch->params, event, &scratch->utc, scratch->base64, out);
	return true;
}

/* An empty parameter of the event is null in JSON; text has words for it. */
static bool write_json_arg(const struct state_event *event, const struct field_ref *ref,
			   struct field_scratch *scratch, struct buf *out)
{
	int index = field_param_index(ref, event);

	if (index < 0)
		return false;
	scratch->replaced =
		param_value_append(scratch->params, event, (unsigned int)index, &scratch->utc, out);
	return true;
}

static bool write_json_arg_base64(const struct state_event *event, const struct field_ref *ref,
				  struct field_scratch *scratch, struct buf *out)
{
	unsigned int index = (unsigned int)field_param_index(ref, event);

	param_value_append_base64(scratch->params, event, index, out);
	return true;
}

static const struct field_json json_args = {"arguments", write_json_args};
static const struct field_json json_arg = {"argument", write_json_arg, write_json_arg_base64};

static int get_buffer(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	int index = ref->param_of_event[event->ev.desc->id];

	if (index < 0)
		return NO_VALUE;
	return field_give_bytes(values, (const char *)event->ev.params[index].data,
				event->ev.params[index].len);
}

static int get_res(const struct state_event *event, const struct field_ref *ref,
		   struct field_scratch *scratch, struct field_value *values)
{
	const char *name;
	struct buf text;
	int64_t result;

	if (!event_result(&event->ev, &result))
		return NO_VALUE;
	name = result >= 0 ? "SUCCESS" : error_errno_name(result);
	if (name)
		return field_give_string(values, name);
	text = field_text_begin(scratch);
	buf_append_i64(&text, result);
	return field_give_text(values, scratch, &text);
}

static int get_rawres(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	return event_result(&event->ev, &values->i64) ? 1 : NO_VALUE;
}

static int get_failed(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	int64_t result;

	if (event_result(&event->ev, &result))
		return field_give_u64(values, result < 0);
	/* An operation of which nobody is told how it ended may have succeeded. */
	return state_event_is_uring(event) ? field_give_u64(values, false) : NO_VALUE;
}

static int get_one(const struct state_event *event, const struct field_ref *ref,
		   struct field_scratch *scratch, struct field_value *values)
{
	return field_give_u64(values, 1);
}

static int get_count_exit(const struct state_event *event, const struct field_ref *ref,
			  struct field_scratch *scratch, struct field_value *values)
{
	return is_exit(event->ev.desc) ? field_give_u64(values, 1) : NO_VALUE;
}

static int get_around(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	uint64_t ts = state_wall_ns(event, event->ev.ts_ns);

	return field_give_u64(values, ts > ref->number ? ts - ref->number : ref->number - ts);
}

static int get_evaluations(const struct state_event *event, const struct field_ref *ref,
			   struct field_scratch *scratch, struct field_value *values)
{
	return field_give_u64(values, ++scratch->evaluations);
}

typedef void word_visitor(void *context, const char *word);

static void each_direction(word_visitor *see, void *context)
{
	see(context, "<");
	see(context, ">");
}

static void each_source(word_visitor *see, void *context)
{
	see(context, "syscall");
}

static void each_category(word_visitor *see, void *context)
{
	/* Those of reads and writes, and of obsolete events of the .scap world. */
	static const char *const others[] = {"ipc",	   "processing", "internal", "syscall",
					     "tracepoint", "plugin",	 "meta"};

	for (unsigned int category = 0; category < EC_INTERNAL; category++)
		if (event_category_name(category))
			see(context, event_category_name(category));
	for (size_t i = 0; i < COUNT(others); i++)
		see(context, others[i]);
}

static void evt_each_family(word_visitor *see, void *context)
{
	see(context, "");
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (event_family(id))
			see(context, event_family(id));
}

static void each_result(word_visitor *see, void *context)
{
	see(context, "SUCCESS");
	for (int64_t number = 1; number < ERRNO_MAX; number++)
		if (error_errno_name(-number))
			see(context, error_errno_name(-number));
}

/* No event has the empty name, but filters of the .scap world may ask for it. */
static void evt_each_type(word_visitor *see, void *context)
{
	see(context, "");
	type_names_each(see, context);
}

static const struct field_words directions = {each_direction, .lenient = true};
static const struct field_words sources = {each_source, .lenient = true};
static const struct field_words categories = {each_category};
static const struct field_words families = {evt_each_family};
static const struct field_words results = {each_result, .numbers = true, .lenient = true};
static const struct field_words types = {evt_each_type};
static const struct field_words syscall_types = {evt_each_type, .lenient = true};

const struct field_desc fields_evt[] = {
	{"evt.num", PT_UINT64, PF_ID, FIELD_OF_PAST, FIELD_ARG_NONE, 0, evt_get_num,
	 "number of the event, from 1", .example = ">1000", .colour = FIELD_COLOUR_ID},
	{"evt.source", PT_CHARBUF, PF_NA, 0, FIELD_ARG_NONE, 0, get_source,
	 "kind of source that the event comes from: syscall", .example = "=syscall",
	 .words = &sources},
	{"evt.dir", PT_CHARBUF, PF_DIR, FIELD_DEPRECATED | FIELD_OF_TYPE, FIELD_ARG_NONE, 0,
	 get_dir, "'<' for the end of a system call, '>' for others", .example = "=<",
	 .words = &directions},
	{"evt.type", PT_CHARBUF, PF_NA, FIELD_OF_TYPE | FIELD_NAMES_TYPES, FIELD_ARG_NONE, 0,
	 evt_get_type, "name of the event: openat, execve", .example = " in (open, connect)",
	 .colour = FIELD_COLOUR_TYPE, .words = &types},
	{"evt.type.is", PT_UINT32, PF_NA, FIELD_ARG_REQUIRED | FIELD_OF_TYPE, FIELD_ARG_EVENT, 0,
	 get_type_is, "evt.type.is.NAME: 1 if the event is that one, otherwise 0",
	 .example = ".openat=1", .colour = FIELD_COLOUR_TYPE},
	{"syscall.type", PT_CHARBUF, PF_NA, FIELD_OF_TYPE | FIELD_NAMES_TYPES, FIELD_ARG_NONE, 0,
	 get_syscall_type, "name of the system call; none for other events", .example = "=getppid",
	 .colour = FIELD_COLOUR_TYPE, .words = &syscall_types},
	{"evt.category", PT_CHARBUF, PF_NA, 0, FIELD_ARG_NONE, NEEDS_THREADS | NEEDS_EVENT_FD,
	 get_category,
	 "what the event is about: file, net, process; for I/O: its descriptor's kind",
	 .example = "=net", .words = &categories},
	{"evt.family", PT_CHARBUF, PF_NA, FIELD_OF_TYPE, FIELD_ARG_NONE, 0, get_family,
	 "what the event is about, by its type alone: file, net, process, memory, ipc, signal",
	 .example = "=net", .words = &families},
	{"evt.cpu", PT_INT16, PF_ID, 0, FIELD_ARG_NONE, 0, get_cpu,
	 "number of the CPU on which it happened", .example = "=0", .colour = FIELD_COLOUR_ID},
	{"evt.args", PT_CHARBUF, PF_NA, 0, FIELD_ARG_NONE, ARGS_NEEDS, evt_get_args,
	 "all parameters as text; in JSON an object of them", .example = " contains /etc/",
	 .colour = FIELD_COLOUR_RESULT_FIRST, .text = write_args, .json = &json_args},
	{"evt.arg", PT_CHARBUF, PF_NA, FIELD_ARG_REQUIRED, FIELD_ARG_PARAM, ARG_NEEDS, get_arg,
	 "evt.arg.NAME or evt.arg[N]: one parameter as text, resolved where it can be",
	 .example = ".name startswith /tmp", .text = write_arg, .json = &json_arg},
	{"evt.rawarg", PT_DYN, PF_NA, FIELD_ARG_REQUIRED | FIELD_NO_TRANSFORMER | FIELD_NO_RHS,
	 FIELD_ARG_PARAM_NAME, NEEDS_ARGUMENTS, get_rawarg,
	 "evt.rawarg.NAME: one parameter as it was recorded", .example = ".res<0",
	 .text = write_rawarg, .json = &json_arg},
	{"evt.info", PT_CHARBUF, PF_NA, 0, FIELD_ARG_NONE, ARGS_NEEDS, evt_get_args,
	 "the same as evt.args", .example = " contains /etc/", .colour = FIELD_COLOUR_RESULT_FIRST,
	 .text = write_args, .json = &json_args},
	{"evt.buffer", PT_BYTEBUF, PF_NA, 0, FIELD_ARG_NONE, 0, get_buffer,
	 "the bytes read or written, as far as they were recorded", "data",
	 .example = " contains password"},
	{"evt.res", PT_CHARBUF, PF_DEC, 0, FIELD_ARG_NONE, 0, get_res,
	 "result of the call: SUCCESS or the name of the error", .example = "=ENOENT",
	 .colour = FIELD_COLOUR_RESULT, .fact = FIELD_FACT_ERROR, .words = &results},
	{"evt.rawres", PT_INT64, PF_DEC, 0, FIELD_ARG_NONE, 0, get_rawres,
	 "result of the call as a number, negative for errors", .unit = FIELD_UNIT_BYTES,
	 .example = "<0", .colour = FIELD_COLOUR_RESULT, .fact = FIELD_FACT_RESULT},
	{"evt.failed", PT_BOOL, PF_NA, 0, FIELD_ARG_NONE, 0, get_failed,
	 "true if the call ended in an error; false where that is not known",
	 .fact = FIELD_FACT_FAILED},
	{"evt.count", PT_UINT32, PF_DEC, 0, FIELD_ARG_NONE, 0, get_one,
	 "1 for every event, to be summed up", .example = "=1"},
	{"evt.count.error", PT_UINT32, PF_DEC, 0, FIELD_ARG_NONE, 0, get_failed,
	 "1 if the call failed, otherwise 0", .example = "=1", .fact = FIELD_FACT_FAILED},
	{"evt.count.exit", PT_UINT32, PF_DEC, FIELD_OF_TYPE, FIELD_ARG_NONE, 0, get_count_exit,
	 "1 for the end of a system call", .example = "=1"},
	{"evt.around", PT_UINT64, PF_DEC,
	 FIELD_ARG_REQUIRED | FIELD_NO_TRANSFORMER | FIELD_NO_RHS | FIELD_WITHIN_MS,
	 FIELD_ARG_NUMBER, 0, get_around,
	 "evt.around[NS]=MS: the event lies within that many ms of that time; printed: ns from it",
	 .example = "[1700000000000000000]=500"},
	{"util.cnt", PT_UINT64, PF_ID, FIELD_OF_PAST, FIELD_ARG_NONE, 0, get_evaluations,
	 "how often this field has been evaluated", .example = "<1000"},
	{0},
};
