/* SPDX-License-Identifier: MIT */
/* fdlist.*: the descriptors that poll and ppoll wait for. */
#include "sinsp/fields/table.h"

#include "sinsp/fields/cut.h"
#include "sinsp/fields/text_value.h"
#include "sinsp/fields/param_text.h"
#include "sinsp/state/machine.h"

/* Appends the element of a descriptor; returns false for those that the list omits. */
typedef bool element_writer(const struct state_fd *fd, int64_t num, const struct text_style *style,
			    struct buf *text);

static const struct event_param *fdlist_list_of(const struct state_event *event)
{
	switch (event->ev.desc->id) {
	case EVENT_poll:
		return &event->ev.params[poll__fds];
	case EVENT_ppoll:
		return &event->ev.params[ppoll__fds];
	default:
		return NULL;
	}
}

static int give_list(const struct state_event *event, struct field_scratch *scratch,
		     struct field_value *values, element_writer *write)
{
	const struct event_param *list = fdlist_list_of(event);
	struct buf text = field_text_begin(scratch);
	bool any = false;

	if (!list || !list->len)
		return NO_VALUE;
	for (unsigned int i = 0; i < event_fdlist_count(list); i++) {
		int64_t num = event_fdlist_entry(list, i).fd;
		const struct state_fd *fd =
			event->thread ? state_fds_find(event->thread->fds, num) : NULL;
		size_t before = text.len;

		if (fd)
			scratch->cut |= cut_of_path(fd->name, fd->name_len);
		if (any)
			buf_append_char(&text, ',');
		if (write(fd, num, &scratch->style, &text))
			any = true;
		else
			text.len = before;
	}
	return any ? field_give_text(values, scratch, &text) : NO_VALUE;
}

static bool write_num(const struct state_fd *fd, int64_t num, const struct text_style *style,
		      struct buf *text)
{
	buf_append_i64(text, num);
	return true;
}

static bool write_name(const struct state_fd *fd, int64_t num, const struct text_style *style,
		       struct buf *text)
{
	if (fd && fd->name_len)
		text_append_fd_name(text, fd, style);
	else
		buf_append_string(text, "<NA>");
	return true;
}

/* A socket with two ends. */
static bool is_connection(const struct state_fd *fd)
{
	return fd && state_socket_is_ip(fd) && !fd->listening;
}

static void write_address(const struct state_fd *fd, const struct scap_endpoint *end,
			  struct buf *text)
{
	address_append_ip(text, end->address, fd->type == SCAP_FD_IPV4 ? 4 : 16);
}

static bool write_cip(const struct state_fd *fd, int64_t num, const struct text_style *style,
		      struct buf *text)
{
	if (!is_connection(fd))
		return false;
	write_address(fd, &state_fd_ends(fd)->source, text);
	return true;
}

static bool write_sip(const struct state_fd *fd, int64_t num, const struct text_style *style,
		      struct buf *text)
{
	if (!fd || !state_socket_is_ip(fd))
		return false;
	write_address(fd, &state_fd_ends(fd)->dest, text);
	return true;
}

static bool write_cport(const struct state_fd *fd, int64_t num, const struct text_style *style,
			struct buf *text)
{
	if (!is_connection(fd))
		return false;
	buf_append_u64(text, state_fd_ends(fd)->source.port);
	return true;
}

/* A server socket has no connected ends, so its port is neither. */
static bool write_sport(const struct state_fd *fd, int64_t num, const struct text_style *style,
			struct buf *text)
{
	if (!is_connection(fd))
		return false;
	buf_append_u64(text, state_fd_ends(fd)->dest.port);
	return true;
}

static bool is_poll(const struct event_desc *event)
{
	return event->id == EVENT_poll || event->id == EVENT_ppoll;
}

#define LIST_GETTER(name, writer)                                                                  \
	static int name(const struct state_event *event, const struct field_ref *ref,              \
			struct field_scratch *scratch, struct field_value *values)                 \
	{                                                                                          \
		return give_list(event, scratch, values, writer);                                  \
	}

LIST_GETTER(get_nums, write_num)
LIST_GETTER(get_names, write_name)
LIST_GETTER(get_cips, write_cip)
LIST_GETTER(get_sips, write_sip)
LIST_GETTER(get_cports, write_cport)
LIST_GETTER(get_sports, write_sport)

#define ROW(name, format, needs, getter, help...)                                                  \
	{                                                                                          \
		name, PT_CHARBUF, PF_##format, 0, FIELD_ARG_NONE, needs, getter, help,             \
			.can_have = is_poll                                                        \
	}

enum { LIST_NEEDS = NEEDS_THREADS | NEEDS_EVENT_FDS };

const struct field_desc fields_fdlist[] = {
	ROW("fdlist.nums", ID, 0, get_nums, "of poll: numbers of the descriptors, between commas",
	    .example = " contains 4"),
	ROW("fdlist.names", NA, LIST_NEEDS, get_names, "of poll: their names, <NA> if unknown",
	    .example = " contains :443"),
	ROW("fdlist.cips", NA, LIST_NEEDS, get_cips, "of poll: addresses of clients",
	    .example = " contains 127.0.0.1"),
	ROW("fdlist.sips", NA, LIST_NEEDS, get_sips, "of poll: addresses of servers",
	    .example = " contains 127.0.0.1"),
	ROW("fdlist.cports", DEC, LIST_NEEDS, get_cports, "of poll: ports of clients",
	    .example = " contains 40000"),
	ROW("fdlist.sports", DEC, LIST_NEEDS, get_sports, "of poll: ports of servers",
	    .example = " contains 443"),
	{0},
};
