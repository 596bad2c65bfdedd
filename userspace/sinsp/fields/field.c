/* SPDX-License-Identifier: MIT */
/* Field texts to rows of the tables: names, arguments, and the nearest name to a wrong one. */
#include "sinsp/fields/field.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/fields/table.h"
#include "sinsp/fields/thread_text.h"
#include "sinsp/fields/type_names.h"
#include "util/nearest.h"

const struct field_desc *const field_tables[] = {
	fields_evt,
	fields_evt_io,
	fields_evt_time,
	fields_evt_marks,
	fields_evt_meta,
	fields_proc,
	fields_cpu,
	fields_relatives,
	fields_user,
	fields_fd,
	fields_socket,
	fields_path,
	fields_fdlist,
	fields_container,
	fields_container_mount,
	fields_k8s,
	fields_syslog,
	fields_request,
	fields_request_peer,
	fields_tcp,
	fields_sample,
	fields_hook,
	NULL,
};

/* A part of the expression. */
struct slice {
	const char *text;
	size_t len;
};

/* The row with the longest name that `text` starts with; `rest` is what follows it. */
static const struct field_desc *find_desc(const char *text, size_t len, struct slice *rest)
{
	const struct field_desc *found = NULL;
	size_t found_len = 0;

	for (const struct field_desc *const *table = field_tables; *table; table++) {
		for (const struct field_desc *desc = *table; desc->name; desc++) {
			size_t n = strlen(desc->name);

			if (n > len || n <= found_len || memcmp(desc->name, text, n) != 0)
				continue;
			if (n < len && text[n] != '[' && text[n] != '.')
				continue;
			found = desc;
			found_len = n;
		}
	}
	*rest = (struct slice){text + found_len, len - found_len};
	return found;
}

static int unknown_field(const char *text, size_t len, struct error *err)
{
	/* A search through all names; skipped if there is no message. */
	const char *nearest = err ? field_nearest(text, len) : NULL;
	int shown = len < 128 ? (int)len : 128;

	if (nearest)
		return error_set(err, -ENOENT, "unknown field '%.*s'; did you mean '%s'?", shown,
				 text, nearest);
	return error_set(err, -ENOENT, "unknown field '%.*s'", shown, text);
}

/* Copies an argument without its quotes; in quotes a backslash makes the next byte literal. */
static int copy_name(char name[64], struct slice arg, struct error *err)
{
	bool quoted = arg.len >= 2 && (arg.text[0] == '"' || arg.text[0] == '\'') &&
		      arg.text[arg.len - 1] == arg.text[0];
	size_t n = 0;

	if (quoted)
		arg = (struct slice){arg.text + 1, arg.len - 2};
	for (size_t i = 0; i < arg.len; i++) {
		if (quoted && arg.text[i] == '\\' && i + 1 < arg.len)
			i++;
		if (n == 63)
			return error_set(err, -EINVAL, "the argument of a field is too long");
		name[n++] = arg.text[i];
	}
	name[n] = '\0';
	return n ? 0 : error_set(err, -EINVAL, "the argument of a field is empty");
}

static int in_brackets(struct slice rest, char name[64], struct error *err)
{
	if (rest.len < 2 || rest.text[0] != '[' || rest.text[rest.len - 1] != ']')
		return error_set(err, -EINVAL, "expected an argument in brackets");
	return copy_name(name, (struct slice){rest.text + 1, rest.len - 2}, err);
}

static int behind_dot(struct slice rest, char name[64], struct error *err)
{
	if (rest.len < 2 || rest.text[0] != '.')
		return error_set(err, -EINVAL, "expected a name after a dot");
	return copy_name(name, (struct slice){rest.text + 1, rest.len - 1}, err);
}

static bool is_digits(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == '\0';
}

/* Numbers out of range become the nearest valid one: there is no value at that index. */
static int parse_index(struct field_ref *ref, struct error *err)
{
	const char *digits = ref->name + (ref->name[0] == '-' || ref->name[0] == '+');
	long long number;

	if (!is_digits(digits))
		return error_set(err, -EINVAL, "'%s' is not a number", ref->name);
	number = strtoll(ref->name, NULL, 10);
	if (number < 0)
		number = -1;
	ref->index = number > INT32_MAX ? INT32_MAX : (int32_t)number;
	ref->name[0] = '\0';
	return 0;
}

static int parse_number(struct field_ref *ref, struct error *err)
{
	if (!is_digits(ref->name))
		return error_set(err, -EINVAL, "'%s' is not a number", ref->name);
	ref->number = strtoull(ref->name, NULL, 10);
	return 0;
}

static int unknown_param(const char *name, struct error *err)
{
	struct nearest nearest;

	nearest_init(&nearest, name, strlen(name));
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *event = event_desc_get(id);

		for (unsigned int i = 0; event && i < event->nparams; i++)
			nearest_offer(&nearest, event->params[i].name);
	}
	if (nearest.word)
		return error_set(err, -EINVAL, "no event has a parameter '%s'; did you mean '%s'?",
				 name, nearest.word);
	return error_set(err, -EINVAL, "no event has a parameter '%s'", name);
}

/*
 * Finds the parameter of that name in every event in advance, so that getters do not compare names.
 */
static int find_param(struct field_ref *ref, const char *name, struct error *err)
{
	int8_t *indexes = malloc(EVENT_ID_MAX);
	bool found = false;

	if (!indexes)
		return error_set(err, -ENOMEM, "out of memory");
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *event = event_desc_get(id);
		int index = event ? event_param_find(event, name) : -1;

		indexes[id] = (int8_t)index;
		if (index >= 0 && !found && ref->desc->type == PT_DYN)
			ref->type = event->params[index].type;
		found = found || index >= 0;
	}
	if (!found) {
		free(indexes);
		return unknown_param(name, err);
	}
	ref->param_of_event = indexes;
	return 0;
}

static int unknown_event(const char *name, struct error *err)
{
	static const struct field_words events = {type_names_each};
	char nearest[64];

	if (field_words_nearest(&events, name, nearest))
		return error_set(err, -EINVAL, "no event is called '%s'; did you mean '%s'?", name,
				 nearest);
	return error_set(err, -EINVAL, "no event is called '%s'", name);
}

static int parse_event(struct field_ref *ref, struct error *err)
{
	const struct event_desc *event = event_desc_find(ref->name);

	if (!event)
		return unknown_event(ref->name, err);
	ref->index = event->id;
	return 0;
}

static int parse_word(struct field_ref *ref, struct error *err)
{
	for (const char *c = ref->name; *c; c++)
		if (!isalpha((unsigned char)*c) && *c != '_')
			return error_set(err, -EINVAL, "'%s' is not a word of letters", ref->name);
	return 0;
}

static int parse_param(struct field_ref *ref, struct error *err)
{
	return find_param(ref, ref->name, err);
}

static int parse_key(struct field_ref *ref, struct error *err)
{
	return 0;
}

static int parse_key_or_index(struct field_ref *ref, struct error *err)
{
	return is_digits(ref->name) ? parse_index(ref, err) : 0;
}

/* The parsers of a name after a dot and of a text in brackets; NULL if not allowed. */
static const struct arg_form {
	int (*dot)(struct field_ref *ref, struct error *err);
	int (*brackets)(struct field_ref *ref, struct error *err);
} arg_forms[] = {
	[FIELD_ARG_INDEX] = {.brackets = parse_index},
	[FIELD_ARG_KEY] = {.brackets = parse_key},
	[FIELD_ARG_LABEL] = {.dot = parse_key, .brackets = parse_key},
	[FIELD_ARG_KEY_OR_INDEX] = {.brackets = parse_key_or_index},
	[FIELD_ARG_NUMBER] = {.brackets = parse_number},
	[FIELD_ARG_PARAM] = {.dot = parse_param, .brackets = parse_index},
	[FIELD_ARG_PARAM_NAME] = {.dot = parse_param},
	[FIELD_ARG_EVENT] = {.dot = parse_event},
	[FIELD_ARG_WORD] = {.dot = parse_word},
};

static int parse_arg(struct field_ref *ref, struct slice rest, struct error *err)
{
	const struct arg_form *form = &arg_forms[ref->desc->arg];
	int r;

	ref->has_arg = true;
	if (form->dot && (rest.text[0] == '.' || !form->brackets)) {
		r = behind_dot(rest, ref->name, err);
		return r ? r : form->dot(ref, err);
	}
	r = in_brackets(rest, ref->name, err);
	return r ? r : form->brackets(ref, err);
}

int field_ref_init(struct field_ref *ref, const char *text, size_t len, struct error *err)
{
	struct field_ref made = {.index = -1};
	struct slice rest;
	int r = 0;

	made.desc = find_desc(text, len, &rest);
	if (!made.desc || (rest.len && made.desc->arg == FIELD_ARG_NONE))
		return unknown_field(text, len, err);
	made.type = made.desc->type;
	if (rest.len)
		r = parse_arg(&made, rest, err);
	else if (made.desc->flags & FIELD_ARG_REQUIRED)
		r = error_set(err, -EINVAL, "field '%s' needs an argument", made.desc->name);
	if (r == 0 && made.desc->param)
		r = find_param(&made, made.desc->param, err);
	if (r == 0)
		*ref = made;
	return r;
}

/* What a parameter needs beside what all of them do. named: it is asked for by its name. */
static unsigned int param_needs(const struct event_desc *event, int index, bool named)
{
	unsigned int needs = NEEDS_NOTHING;

	if (index < 0 || index >= event->nparams)
		return needs;
	/* It tells what another one was on entry. */
	if (named && event->params[index].on_entry)
		needs |= NEEDS_CHANGED;
	if (index + 1 == event->runs.env)
		needs |= NEEDS_EVENT_ENVIRONMENT;
	return needs;
}

/* Of all parameters that it may select. */
static unsigned int params_needs(const struct field_ref *ref)
{
	const int8_t *named = ref->param_of_event;
	unsigned int needs = NEEDS_NOTHING;

	if (!named && ref->desc->arg != FIELD_ARG_PARAM)
		return needs;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (event_desc_get(id))
			needs |= param_needs(event_desc_get(id), named ? named[id] : ref->index,
					     named);
	return needs;
}

unsigned int field_ref_needs(const struct field_ref *ref)
{
	return ref->desc->needs | params_needs(ref);
}

void field_ref_finish(struct field_ref *ref)
{
	free(ref->param_of_event);
	ref->param_of_event = NULL;
}

const char *field_nearest(const char *text, size_t len)
{
	const char *bracket = memchr(text, '[', len);
	struct nearest nearest;

	nearest_init(&nearest, text, bracket ? (size_t)(bracket - text) : len);
	for (const struct field_desc *const *table = field_tables; *table; table++)
		for (const struct field_desc *desc = *table; desc->name; desc++)
			nearest_offer(&nearest, desc->name);
	return nearest.word;
}

bool (*field_known(const struct field_desc *desc))(const struct state_event *event)
{
	static const char class[] = "proc.";

	if (desc->is_known)
		return desc->is_known;
	return strncmp(desc->name, class, sizeof(class) - 1) == 0 ? thread_event_is_known : NULL;
}
