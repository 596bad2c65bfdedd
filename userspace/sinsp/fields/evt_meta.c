/* SPDX-License-Identifier: MIT */
/* evt.*: the origin of an event, and the data of events that are not system calls. */
#include "sinsp/fields/table.h"

#include <strings.h>

/* Events made in user space are the asynchronous ones; the kernel's are not. */
static bool is_async(const struct sinsp_event *event)
{
	return event->ev.desc->category & EC_METAEVENT;
}

static int get_is_async(const struct sinsp_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	return give_u64(values, is_async(event));
}

static int get_asynctype(const struct sinsp_event *event, const struct field_ref *ref,
			 struct field_scratch *scratch, struct field_value *values)
{
	return is_async(event) ? give_string(values, event->ev.desc->name) : NO_VALUE;
}

static int get_hostname(const struct sinsp_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	return give_string(values, sinsp_hostname(event->sinsp));
}

static bool is_procinfo(const struct sinsp_event *event)
{
	return event->ev.desc->id == EVENT_procinfo;
}

static int get_count_threadinfo(const struct sinsp_event *event, const struct field_ref *ref,
				struct field_scratch *scratch, struct field_value *values)
{
	return give_u64(values, is_procinfo(event));
}

static int get_count_procinfo(const struct sinsp_event *event, const struct field_ref *ref,
			      struct field_scratch *scratch, struct field_value *values)
{
	return give_u64(values,
			is_procinfo(event) && event->thread && sinsp_thread_is_main(event->thread));
}

/* The value of a word of "Event:start; ID:...; name:...", without the blanks around it. */
static int give_word(const struct sinsp_event *event, const char *word,
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
			struct buf text = text_begin(scratch);

			at += word_len + 1;
			len -= word_len + 1;
			for (; len && *at == ' '; at++)
				len--;
			while (len && at[len - 1] == ' ')
				len--;
			buf_append(&text, at, len);
			return give_text(values, scratch, &text);
		}
		at += len;
	}
	return NO_VALUE;
}

#define WORD_GETTER(name, word)                                                                    \
	static int name(const struct sinsp_event *event, const struct field_ref *ref,              \
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
#define COUNT(name, needs, getter, help...)                                                        \
	{                                                                                          \
		name, PT_UINT32, PF_DEC, 0, FIELD_ARG_NONE, needs, getter, help                    \
	}

static void each_async_type(void (*see)(void *context, const char *word), void *context)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (event_desc_get(id) && (event_desc_get(id)->category & EC_METAEVENT))
			see(context, event_desc_get(id)->name);
}

static const struct field_words async_types = {each_async_type, .lenient = true};

const struct field_desc fields_evt_meta[] = {
	{"evt.is_async", PT_BOOL, PF_NA, FIELD_OF_TYPE, FIELD_ARG_NONE, 0, get_is_async,
	 "true for events that were made outside the kernel"},
	TEXT("evt.asynctype", FIELD_OF_TYPE, get_asynctype,
	     "name of an event that was made outside the kernel", .example = "=container",
	     .words = &async_types),
	TEXT("evt.pluginname", FIELD_OF_TYPE, get_nothing,
	     "name of the plugin that made the event; none: there are no plugins",
	     .example = "=json"),
	TEXT("evt.plugininfo", FIELD_OF_TYPE, get_nothing,
	     "what a plugin says of its event; none: there are no plugins", .example = " exists"),
	TEXT("evt.hostname", 0, get_hostname, "name of the machine that the event comes from",
	     .example = "=web-1"),
	COUNT("evt.count.threadinfo", 0, get_count_threadinfo,
	      "1 for procinfo events, otherwise 0", .example = "=0"),
	COUNT("evt.count.procinfo", NEEDS_THREADS, get_count_procinfo,
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
