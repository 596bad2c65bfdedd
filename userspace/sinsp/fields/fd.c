/* SPDX-License-Identifier: MIT */
/* fd.*: the descriptor that the event opens, uses or closes. */
#include "sinsp/fields/table.h"

#include "sinsp/fields/cut.h"
#include "sinsp/fields/text_value.h"
#include "sinsp/fields/param_text.h"
#include "sinsp/state/path.h"

bool fd_is_subject(const struct event_desc *event)
{
	return event->flags & (EF_CREATES_FD | EF_USES_FD | EF_DESTROYS_FD);
}

static int fd_get_num(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	return event->has_fd ? field_give_i64(values, event->fd_num) : NO_VALUE;
}

/* What stands for a registered file is a descriptor's number to filters alone. */
static bool num_is_known(const struct state_event *event)
{
	return !is_slot_fd(event->fd_num);
}

static int get_slot(const struct state_event *event, const struct field_ref *ref,
		    struct field_scratch *scratch, struct field_value *values)
{
	return event->has_fd && is_slot_fd(event->fd_num) && state_event_is_uring(event)
		       ? field_give_u64(values, slot_of_fd(event->fd_num))
		       : NO_VALUE;
}

static int fd_get_type(const struct state_event *event, const struct field_ref *ref,
		       struct field_scratch *scratch, struct field_value *values)
{
	return event->fd ? field_give_string(values, state_fd_type_name(event->fd->type))
			 : NO_VALUE;
}

/*
 * The kind of descriptor that a failed call would have created. The .scap world knows it of some
 * older calls and not of others.
 */
static char char_by_event(const struct state_event *event)
{
	switch (event->ev.desc->id) {
	case EVENT_open:
	case EVENT_open_by_handle_at:
		return 'o';
	case EVENT_socket:
	case EVENT_accept:
	case EVENT_accept4:
		return '4';
	case EVENT_pipe:
	case EVENT_pipe2:
		return 'p';
	case EVENT_eventfd:
		return 'e';
	case EVENT_signalfd:
		return 's';
	case EVENT_timerfd_create:
		return 't';
	case EVENT_inotify_init:
		return 'i';
	default:
		return event->ev.desc->opens.name ? 'f' : 'o';
	}
}

static int get_typechar(const struct state_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	struct buf text = field_text_begin(scratch);

	if (!fd_is_subject(event->ev.desc))
		return NO_VALUE;
	buf_append_char(&text,
			event->fd ? state_fd_type_char(event->fd->type) : char_by_event(event));
	return field_give_text(values, scratch, &text);
}

/* That of a descriptor which is not in the table, usually because the call failed. */
static int give_unnamed(const struct state_event *event, struct field_scratch *scratch,
			struct buf *text, struct field_value *values)
{
	const struct event_desc *desc = event->ev.desc;

	if (!fd_is_subject(desc))
		return NO_VALUE;
	if (desc->opens.name)
		text->len = path_give(event, desc->opens.name - 1u, scratch, text);
	else if (desc->connects)
		param_text_raw(event, desc->connects - 1u, &scratch->style, text);
	else
		return field_give_bytes(values, "", 0);
	return text->len ? field_give_text(values, scratch, text) : NO_VALUE;
}

int fd_get_name(const struct state_event *event, const struct field_ref *ref,
		struct field_scratch *scratch, struct field_value *values)
{
	struct buf text;

	if (event->fd)
		scratch->cut |= cut_of_path(event->fd->name, event->fd->name_len);
	if (event->fd && !scratch->style.services)
		return field_give_bytes(values, event->fd->name, event->fd->name_len);
	text = field_text_begin(scratch);
	if (!event->fd)
		return give_unnamed(event, scratch, &text, values);
	text_append_fd_name(&text, event->fd, &scratch->style);
	return field_give_text(values, scratch, &text);
}

/*
 * The name as it was passed: when the descriptor was opened, or to the call that failed to open
 * one.
 */
static int get_nameraw(const struct state_event *event, const struct field_ref *ref,
		       struct field_scratch *scratch, struct field_value *values)
{
	const unsigned int param = event->ev.desc->opens.name;
	char given[STATE_PATH_MAX];
	const char *name;
	struct buf text;
	size_t len;

	if (event->fd) {
		name = state_fd_given_name(event->fd, &len);
		scratch->cut |= cut_of_path(name, len);
		return field_give_bytes(values, name, len);
	}
	if (!param)
		return fd_get_name(event, ref, scratch, values);
	name = event_param_string(&event->ev, param - 1);
	if (!name)
		return NO_VALUE;
	scratch->cut |= cut_of_param(&event->ev, param - 1);
	text = field_text_begin(scratch);
	buf_append(&text, given, state_path_collapse(name, given));
	return field_give_text(values, scratch, &text);
}

static bool is_type(const struct state_event *event, enum scap_fd_type type)
{
	return event->fd && event->fd->type == type;
}

/* Of a directory its name; of a file the part before the last slash. */
int fd_get_directory(const struct state_event *event, const struct field_ref *ref,
		     struct field_scratch *scratch, struct field_value *values)
{
	const char *slash;
	int r;

	if (event->fd && event->fd->type != SCAP_FD_FILE && event->fd->type != SCAP_FD_DIRECTORY)
		return NO_VALUE;
	r = fd_get_name(event, ref, scratch, values);
	if (r != 1 || is_type(event, SCAP_FD_DIRECTORY))
		return r;
	slash = memrchr(values->bytes.data, '/', values->bytes.len);
	if (!slash || slash == values->bytes.data)
		return field_give_bytes(values, "/", 1);
	if (slash + 1 < values->bytes.data + values->bytes.len)
		values->bytes.len = (size_t)(slash - values->bytes.data);
	return 1;
}

static int get_filename(const struct state_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	const char *name, *slash;
	size_t len;

	if (!is_type(event, SCAP_FD_FILE))
		return NO_VALUE;
	name = event->fd->name;
	len = event->fd->name_len;
	slash = memrchr(name, '/', len);
	if (!slash)
		return field_give_bytes(values, "/", 1);
	if (slash + 1 == name + len)
		return field_give_bytes(values, name, len);
	return field_give_bytes(values, slash + 1, (size_t)(name + len - slash - 1));
}

static int fd_get_uid(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	struct buf text = field_text_begin(scratch);

	if (!event->has_fd)
		return NO_VALUE;
	buf_append_i64(&text, event->ev.tid);
	buf_append_i64(&text, event->fd_num);
	return field_give_text(values, scratch, &text);
}

#define GETTER(name, give)                                                                         \
	static int name(const struct state_event *event, const struct field_ref *ref,              \
			struct field_scratch *scratch, struct field_value *values)                 \
	{                                                                                          \
		const struct state_fd *fd = event->fd;                                             \
                                                                                                   \
		return fd ? give : NO_VALUE;                                                       \
	}

/* Devices are 12 bits of major between the low 8 and the high 12 bits of minor. */
GETTER(get_dev, field_give_i64(values, (int32_t)fd->dev))
GETTER(get_dev_major, field_give_i64(values, fd->dev >> 8 & 0xfff))
GETTER(get_dev_minor, field_give_i64(values, (fd->dev & 0xff) | (fd->dev >> 12 & 0xfff00)))
GETTER(get_ino, field_give_i64(values, (int64_t)state_fd_ino(fd)))
GETTER(get_name_changed, field_give_u64(values, event->fd_named))
GETTER(get_connected, field_give_u64(values, fd->connected))
GETTER(get_is_upper_layer, field_give_u64(values, (fd->flags & file_flags__FD_UPPER_LAYER) != 0))
GETTER(get_is_lower_layer, field_give_u64(values, (fd->flags & file_flags__FD_LOWER_LAYER) != 0))

/* The kinds of all descriptors of the process, without duplicates. */
static int give_types(const struct state_fds *fds, struct field_value *values)
{
	bool seen[SCAP_FD_TYPES_COUNT] = {false};
	const struct state_fd *fd;
	int n = 0;

	for (int64_t num = 0; (fd = state_fds_next(fds, &num)); num++) {
		if (!seen[fd->type])
			n += field_give_string(&values[n], state_fd_type_name(fd->type));
		seen[fd->type] = true;
	}
	return n;
}

static int get_types(const struct state_event *event, const struct field_ref *ref,
		     struct field_scratch *scratch, struct field_value *values)
{
	const struct state_fd *fd;

	if (!event->thread)
		return NO_VALUE;
	if (!ref->has_arg)
		return give_types(event->thread->fds, values);
	fd = state_fds_find(event->thread->fds, ref->index);
	return fd ? field_give_string(values, state_fd_type_name(fd->type)) : NO_VALUE;
}

#define ROW(name, type, format, needs, getter, help...)                                            \
	{                                                                                          \
		name, PT_##type, PF_##format, 0, FIELD_ARG_NONE, needs, getter, help,              \
			.can_have = fd_is_subject                                                  \
	}

/* The name of a call that failed to open it is its path. */
enum {
	FD_NEEDS = NEEDS_THREADS | NEEDS_EVENT_FD,
	NAME_NEEDS = FD_NEEDS | NEEDS_EVENT_PATHS,
};

static void fd_each_type(void (*see)(void *context, const char *word), void *context)
{
	for (unsigned int type = 0; type < SCAP_FD_TYPES_COUNT; type++)
		see(context, state_fd_type_name(type));
}

static void each_letter(void (*see)(void *context, const char *word), void *context)
{
	see(context, "?");
	for (unsigned int type = 0; type < SCAP_FD_TYPES_COUNT; type++)
		see(context, (char[2]){state_fd_type_char(type)});
}

const struct field_words fd_type_words = {fd_each_type, .lenient = true};
static const struct field_words type_letters = {each_letter, .lenient = true};

const struct field_desc fields_fd[] = {
	ROW("fd.num", INT64, ID, 0, fd_get_num, "number of the descriptor, or the error instead",
	    .example = "=3", .fact = FIELD_FACT_FD, .is_known = num_is_known),
	{"fd.slot", PT_UINT32, PF_ID, FIELD_SELDOM, FIELD_ARG_NONE, NEEDS_URING, get_slot,
	 "slot of the file registered with a ring of io_uring, in place of fd.num", .example = "=3",
	 .can_have = fd_is_subject},
	ROW("fd.type", CHARBUF, DEC, FD_NEEDS, fd_get_type,
	    "kind of the descriptor: file, ipv4, pipe", .example = " in (ipv4, ipv6)",
	    .words = &fd_type_words, .fact = FIELD_FACT_KIND),
	ROW("fd.typechar", CHARBUF, DEC, FD_NEEDS, get_typechar, "fd.type as one letter: f, 4, p",
	    .example = "=f", .words = &type_letters),
	ROW("fd.name", CHARBUF, NA, NAME_NEEDS, fd_get_name,
	    "absolute path, or ip:port->ip:port, or the name of another kind",
	    .example = " startswith /etc/", .fact = FIELD_FACT_PATH),
	ROW("fd.nameraw", CHARBUF, NA, NAME_NEEDS, get_nameraw,
	    "fd.name as it was given when the descriptor was opened", .example = " startswith ../"),
	ROW("fd.directory", CHARBUF, NA, NAME_NEEDS, fd_get_directory, "directory of the file",
	    .example = "=/etc"),
	ROW("fd.filename", CHARBUF, NA, NAME_NEEDS, get_filename,
	    "name of the file without directory", .example = "=passwd"),
	ROW("fd.uid", CHARBUF, NA, 0, fd_get_uid, "thread.tid and fd.num in one word",
	    .example = "=10003"),
	ROW("fd.connected", BOOL, NA, FD_NEEDS, get_connected, "true for connected sockets"),
	ROW("fd.name_changed", BOOL, NA, FD_NEEDS, get_name_changed,
	    "true if this event gave or changed fd.name"),
	ROW("fd.dev", INT32, HEX, FD_NEEDS, get_dev, "device that holds the file", .example = "=0"),
	ROW("fd.dev.major", INT32, DEC, FD_NEEDS, get_dev_major, "major number of fd.dev",
	    .example = "=8"),
	ROW("fd.dev.minor", INT32, DEC, FD_NEEDS, get_dev_minor, "minor number of fd.dev",
	    .example = "=1"),
	ROW("fd.ino", INT64, DEC, FD_NEEDS, get_ino, "inode of the file, 0 if it is not known",
	    .example = "=1234"),
	{"fd.types", PT_CHARBUF, PF_DEC, FIELD_LIST | FIELD_ARG_ALLOWED | FIELD_NO_RHS,
	 FIELD_ARG_INDEX, NEEDS_THREADS | NEEDS_FDS, get_types,
	 "kinds of all descriptors of the process; fd.types[N]: kind of descriptor N",
	 .example = " intersects (ipv4, ipv6)", .words = &fd_type_words},
	ROW("fd.is_upper_layer", BOOL, NA, FD_NEEDS, get_is_upper_layer,
	    "true if the file lies in the upper layer of an overlay"),
	ROW("fd.is_lower_layer", BOOL, NA, FD_NEEDS, get_is_lower_layer,
	    "true if the file lies in a lower layer of an overlay"),
	{0},
};
