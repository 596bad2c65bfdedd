/* SPDX-License-Identifier: MIT */
/*
 * Shared by the tables of fields (in this folder): how a getter returns its value. Only for those
 * files and field.c; all others use field.h.
 */
#ifndef SINSP_FIELDS_TABLE_H
#define SINSP_FIELDS_TABLE_H

#include <string.h>

#include "sinsp/fields/field.h"

enum { NO_VALUE = -1 };

extern const struct field_desc fields_evt[];
extern const struct field_desc fields_evt_io[];
extern const struct field_desc fields_evt_marks[];
extern const struct field_desc fields_evt_meta[];
extern const struct field_desc fields_evt_time[];
extern const struct field_desc fields_proc[];
extern const struct field_desc fields_cpu[];
extern const struct field_desc fields_relatives[];
extern const struct field_desc fields_user[];
extern const struct field_desc fields_fd[];
extern const struct field_desc fields_socket[];
extern const struct field_desc fields_path[];
extern const struct field_desc fields_fdlist[];
extern const struct field_desc fields_container[];
extern const struct field_desc fields_container_mount[];
extern const struct field_desc fields_k8s[];
extern const struct field_desc fields_syslog[];
extern const struct field_desc fields_request[];
extern const struct field_desc fields_request_peer[];
extern const struct field_desc fields_tcp[];
extern const struct field_desc fields_sample[];
extern const struct field_desc fields_hook[];

static inline int field_give_i64(struct field_value *value, int64_t number)
{
	value->i64 = number;
	return 1;
}

static inline int field_give_u64(struct field_value *value, uint64_t number)
{
	value->u64 = number;
	return 1;
}

/* 0 means unknown. */
static inline int field_give_nonzero(struct field_value *value, uint64_t number)
{
	value->u64 = number;
	return number ? 1 : NO_VALUE;
}

static inline int field_give_bytes(struct field_value *value, const char *data, size_t len)
{
	value->bytes.data = data;
	value->bytes.len = len;
	return 1;
}

/* NULL is no value. */
static inline int field_give_string(struct field_value *value, const char *text)
{
	return text ? field_give_bytes(value, text, strlen(text)) : NO_VALUE;
}

/*
 * A composed value: begin, append to the buffer, give. What does not fit in the scratch memory is
 * dropped.
 */
static inline struct buf field_text_begin(struct field_scratch *scratch)
{
	return buf_fixed(scratch->bytes + scratch->used,
			 sizeof(scratch->bytes) - scratch->used - 1);
}

static inline int field_give_text(struct field_value *value, struct field_scratch *scratch,
				  struct buf *text)
{
	text->data[text->len] = '\0';
	scratch->used += text->len + (scratch->used + text->len + 1 < sizeof(scratch->bytes));
	return field_give_bytes(value, text->data, text->len);
}

/* For fields without data: those of plugins, and those that only a container runtime knows. */
static inline int field_get_nothing(const struct state_event *event, const struct field_ref *ref,
				    struct field_scratch *scratch, struct field_value *values)
{
	return NO_VALUE;
}

/* fd.name and fd.directory, used by other fields. */
field_getter fd_get_name, fd_get_directory;

/* Writes a path of the event to the text, as state_event_path(). Returns its length, or 0. */
size_t path_give(const struct state_event *event, unsigned int param, struct field_scratch *scratch,
		 struct buf *text);

/* The names of the kinds of descriptors. */
extern const struct field_words fd_type_words;

/* Whether events of a type concern a descriptor, known or not. */
bool fd_is_subject(const struct event_desc *event);

/* Whether the event writes to the system's log. */
bool evt_is_syslog(const struct state_event *event);

#endif
