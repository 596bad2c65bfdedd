/* SPDX-License-Identifier: MIT */
/*
 * The texts of a thread and its program: names, arguments, environment; a slot for each thread id.
 */
#include "sinsp/fields/thread_text.h"

#include <stdlib.h>
#include <string.h>

#include "sinsp/fields/cut.h"
#include "sinsp/fields/table.h"

/* A slot for each thread id by its remainder: threads that share one get new numbers in turns. */

/* Member by member: a key need not be in memory to be compared. */
static bool thread_text_is_same(const struct thread_key *a, const struct thread_key *b)
{
	return a->tid == b->tid && a->pid == b->pid && a->ppid == b->ppid &&
	       a->program == b->program && a->uid == b->uid &&
	       memcmp(a->comm, b->comm, sizeof(a->comm)) == 0;
}

static struct thread_key thread_text_key_of(const struct state_event *event)
{
	const struct state_thread *thread = event->thread;
	struct thread_key key = {
		.tid = event->ev.tid,
		.pid = thread->pid,
		.ppid = thread_event_parent_pid(event, thread),
		.program = thread->program->id,
		.uid = thread->uid,
	};

	memcpy(key.comm, thread->comm, sizeof(key.comm));
	return key;
}

uint64_t thread_revision(struct thread_revisions *revisions, const struct state_event *event)
{
	struct thread_revision *slot;
	struct thread_key key;

	if (!event->thread)
		return 0;
	if (!revisions->slots)
		revisions->slots = calloc(THREAD_REVISIONS_SLOTS, sizeof(*slot));
	if (!revisions->slots)
		return 0;
	key = thread_text_key_of(event);
	slot = &revisions->slots[(uint64_t)key.tid % THREAD_REVISIONS_SLOTS];
	if (!slot->number || !thread_text_is_same(&slot->key, &key))
		*slot = (struct thread_revision){key, ++revisions->last};
	return slot->number;
}

void thread_revisions_finish(struct thread_revisions *revisions)
{
	free(revisions->slots);
	*revisions = (struct thread_revisions){0};
}

/*
 * The texts of a thread and its program: names, arguments, environment; one of a list of strings.
 */

/* Lists of strings as one text, one of them by its number, one by its key. */

void thread_strings_append(struct buf *text, const char *strings, size_t len)
{
	char *at = text->data + text->len, *end, *nul;

	if (len && strings[len - 1] == '\0')
		len--;
	buf_append(text, strings, len);
	end = text->data + text->len;
	while (at < end && (nul = memchr(at, '\0', (size_t)(end - at)))) {
		*nul = ' ';
		at = nul + 1;
	}
}

struct field_value thread_strings_at(const char *strings, size_t len, int32_t index)
{
	struct field_value value = {.bytes = {"", 0}};

	for (size_t at = 0; at < len && index >= 0; index--) {
		size_t n = strnlen(strings + at, len - at);

		if (index == 0)
			value.bytes.data = strings + at, value.bytes.len = n;
		at += n + 1;
	}
	return value;
}

bool thread_strings_find(const char *strings, size_t len, const char *name,
			 struct field_value *value)
{
	size_t name_len = strlen(name);

	for (size_t at = 0; at < len;) {
		const char *string = strings + at;
		size_t n = strnlen(string, len - at);

		if (n > name_len && string[name_len] == '=' &&
		    memcmp(string, name, name_len) == 0) {
			value->bytes.data = string + name_len + 1;
			value->bytes.len = n - name_len - 1;
			return true;
		}
		at += n + 1;
	}
	return false;
}

/* Appends strings without their secrets, if the output hides them: filters see all. */
static void thread_text_append(struct buf *text, const struct field_scratch *scratch,
			       const char *program, const char *strings, size_t len)
{
	const struct text_hider *hider = &scratch->style.hider;
	size_t start = text->len;

	if (!hider->arguments) {
		thread_strings_append(text, strings, len);
		return;
	}
	buf_append(text, strings, len);
	hider->arguments(hider->context, program, text->data + start, text->len - start);
	if (text->len > start && text->data[text->len - 1] == '\0')
		text->len--;
	for (size_t i = start; i < text->len; i++)
		if (text->data[i] == '\0')
			text->data[i] = ' ';
}

static void append_arguments(struct buf *text, const struct field_scratch *scratch,
			     const struct state_thread *thread)
{
	const struct state_program *program = thread->program;

	thread_text_append(text, scratch, program->exe ? program->exe : "", program->args,
			   program->args_len);
}

int thread_give_name(const struct state_thread *thread, struct field_scratch *scratch,
		     struct field_value *values)
{
	/* Every thread has a name, but not every capture. */
	return thread->comm[0] ? field_give_string(values, thread->comm) : NO_VALUE;
}

int thread_give_exe(const struct state_thread *thread, struct field_scratch *scratch,
		    struct field_value *values)
{
	scratch->cut |= cut_of_exe(thread->program);
	return field_give_string(values, thread->program->exe);
}

int thread_give_exepath(const struct state_thread *thread, struct field_scratch *scratch,
			struct field_value *values)
{
	field_give_string(values, thread->program->exepath);
	scratch->cut |= cut_of_path(values->bytes.data, values->bytes.len);
	return 1;
}

int thread_give_args(const struct state_thread *thread, struct field_scratch *scratch,
		     struct field_value *values)
{
	struct buf text = field_text_begin(scratch);

	append_arguments(&text, scratch, thread);
	scratch->cut |= cut_of_args(thread->program);
	return field_give_text(values, scratch, &text);
}

int thread_give_argument(const struct state_thread *thread, int32_t index,
			 struct field_scratch *scratch, struct field_value *value)
{
	const struct text_hider *hider = &scratch->style.hider;
	const struct state_program *program = thread->program;
	struct buf text = field_text_begin(scratch);

	if (!hider->arguments) {
		*value = thread_strings_at(program->args, program->args_len, index);
		return 1;
	}
	buf_append(&text, program->args, program->args_len);
	hider->arguments(hider->context, program->exe ? program->exe : "", text.data, text.len);
	field_give_text(value, scratch, &text);
	*value = thread_strings_at(text.data, text.len, index);
	return 1;
}

int thread_give_env(const struct state_thread *thread, struct field_scratch *scratch,
		    struct field_value *values)
{
	struct buf text = field_text_begin(scratch);

	thread_text_append(&text, scratch, NULL, thread->program->env, thread->program->env_len);
	scratch->cut |= cut_of_env(thread->program);
	return field_give_text(values, scratch, &text);
}

int thread_give_cmdline(const struct state_thread *thread, struct field_scratch *scratch,
			struct field_value *values)
{
	struct buf text = field_text_begin(scratch);

	buf_append_string(&text, thread->comm);
	if (thread->program->args_len)
		buf_append_char(&text, ' ');
	append_arguments(&text, scratch, thread);
	scratch->cut |= cut_of_args(thread->program);
	return field_give_text(values, scratch, &text);
}

int thread_give_exeline(const struct state_thread *thread, struct field_scratch *scratch,
			struct field_value *values)
{
	struct buf text = field_text_begin(scratch);

	buf_append_string(&text, thread->program->exe);
	buf_append_char(&text, ' ');
	append_arguments(&text, scratch, thread);
	scratch->cut |= cut_of_args(thread->program);
	return field_give_text(values, scratch, &text);
}

int thread_give_variable(const struct state_thread *thread, const char *name,
			 struct field_scratch *scratch, struct field_value *value)
{
	struct buf text = field_text_begin(scratch);
	size_t len, start;
	const char *data;

	if (cut_of_env(thread->program))
		scratch->cut |= CUT_WHOLE;
	if (!thread_strings_find(thread->program->env, thread->program->env_len, name, value))
		return field_give_bytes(value, "", 0);
	/* What the name is says whether the value is secret. */
	buf_append_string(&text, name);
	buf_append_char(&text, '=');
	start = text.len;
	buf_append(&text, value->bytes.data, value->bytes.len);
	if (scratch->style.hider.arguments)
		scratch->style.hider.arguments(scratch->style.hider.context, NULL, text.data,
					       text.len);
	data = text.data + start;
	len = text.len - start;
	for (; len && *data == ' '; data++)
		len--;
	while (len && data[len - 1] == ' ')
		len--;
	text.len = (size_t)(data + len - text.data);
	field_give_text(value, scratch, &text);
	return field_give_bytes(value, data, len);
}
