/* SPDX-License-Identifier: MIT */
/* Forms of parameters, and what is known of each parameter of each event in advance. */
#include "sinsp/fields/param_form.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/fields/encoder.h"
#include "util/count.h"

/* The forms of parameters, and the names of flags as the kernel has them. */

/* These parameters are lists of strings, though the .scap world calls them buffers. */
static bool is_list(const struct param_desc *desc)
{
	static const char *const names[] = {"args", "env", "cgroups"};

	for (size_t i = 0; i < COUNT(names); i++)
		if (desc->type == PT_BYTEBUF && strcmp(desc->name, names[i]) == 0)
			return true;
	return false;
}

/* Flags with the kernel's bits whose names in the .scap world differ from the kernel's. */
static const struct {
	uint16_t event, param;
	struct param_flag names[4];
} native_sets[] = {
	{EVENT_fchownat,
	 fchownat__flags,
	 {{"AT_SYMLINK_FOLLOW", 0x400}, {"AT_EMPTY_PATH", 0x1000}}},
	{EVENT_quotactl, quotactl__dqi_flags, {{"DQF_ROOT_SQUASH", 1}}},
	{EVENT_userfaultfd,
	 userfaultfd__flags,
	 {{"UFFD_USER_MODE_ONLY", 1}, {"O_NONBLOCK", 04000}, {"O_CLOEXEC", 02000000}}},
};

static const struct param_flag *set_of(const struct event_desc *event, unsigned int index)
{
	for (size_t i = 0; i < COUNT(native_sets); i++)
		if (native_sets[i].event == event->id && native_sets[i].param == index)
			return native_sets[i].names;
	return event->params[index].set;
}

enum param_kind param_form_of_type(enum param_type type, enum param_format format)
{
	enum param_kind kind = param_type_kind(type);

	if (kind >= PARAM_SIGNED)
		return kind;
	if (format == PF_HEX)
		return PARAM_HEX;
	if (format == PF_OCT)
		return PARAM_OCTAL;
	return param_type_is_signed(type) ? PARAM_SIGNED : PARAM_UNSIGNED;
}

enum param_kind param_form_of(const struct event_desc *event, unsigned int index,
			      const struct param_flag **set)
{
	const struct param_flag *file_flags = event_desc_get(EVENT_open)->params[open__flags].set;
	const struct param_desc *desc = &event->params[index];

	*set = set_of(event, index);
	if (*set && *set == file_flags)
		return PARAM_FILE_FLAGS;
	return is_list(desc) ? PARAM_LIST : param_form_of_type(desc->type, desc->format);
}

/* By the writers of param_write.h. */
#define JSON_signed "number"
#define JSON_unsigned "number"
#define JSON_id "number"
#define JSON_duration "number"
#define JSON_enum "text"
#define JSON_syscall "text"
#define JSON_signal "text"
#define JSON_hex "text"
#define JSON_octal "text"
#define JSON_time "text"
#define JSON_string "text"
#define JSON_bytes "text"
#define JSON_bits "text"
#define JSON_ip "text"
#define JSON_sockaddr "text"
#define JSON_socktuple "text"
#define JSON_flags "texts"
#define JSON_file_flags "texts"
#define JSON_signal_set "texts"
#define JSON_list "texts"
#define JSON_numbers "numbers"
#define JSON_fd_list "waited"
#define JSON_dyn "any"

const char *param_json_type(const struct event_desc *event, unsigned int index)
{
	static const char *const types[PARAM_FORMS_COUNT] = {
#define FORM(name, word, raw, resolved, absent, written) [PARAM_##name] = JSON_##written,
#include "event/types.def"
	};
	const struct param_flag *set;
	enum param_kind kind = param_form_of(event, index, &set);

	return kind == PARAM_ENUM && !set ? "number" : types[kind];
}

/*
 * Events cannot distinguish flags that share bits in the kernel: O_DIRECTORY also sets O_TMPFILE's
 * bit, and O_DSYNC that of O_SYNC. O_TMPFILE works only with write access, and O_SYNC implies
 * O_DSYNC.
 */
uint64_t param_file_flags(uint64_t value)
{
	uint64_t access = value & file_flags__O_RDWR;

	if (value & file_flags__O_TMPFILE)
		value &= access > file_flags__O_RDONLY ? ~(uint64_t)file_flags__O_DIRECTORY
						       : ~(uint64_t)file_flags__O_TMPFILE;
	if (value & file_flags__O_DSYNC)
		value &= ~(uint64_t)file_flags__O_SYNC;
	return value;
}

/* Of several names for one value the last is the usual one: AF_UNIX rather than AF_LOCAL. */
const char *param_enum_name(const struct param_flag *set, uint64_t value)
{
	const char *name = NULL;

	for (; set && set->name; set++)
		if (set->value == value)
			name = set->name;
	return name;
}

/* What is before the value of a parameter in a map. */
static int param_form_keep_key(struct arena *arena, const struct encoder *encoder, const char *name,
			       struct param_plan *plan)
{
	struct buf key = {0};
	char *memory;

	encoder->item(&key);
	plan->separator_len = (uint16_t)key.len;
	encoder->key(&key, name, strlen(name));
	plan->key_len = (uint16_t)key.len;
	memory = key.failed ? NULL : arena_alloc(arena, key.len + BUF_CHUNK);
	if (memory)
		memcpy(memory, key.data, key.len);
	plan->key = memory;
	buf_finish(&key);
	return memory ? 0 : -ENOMEM;
}

static int plan_event(struct param_plans *plans, const struct event_desc *desc,
		      const struct encoder *encoder)
{
	struct param_plan *made = arena_alloc(&plans->arena, desc->nparams * sizeof(*made));
	int r = made ? 0 : -ENOMEM;

	for (unsigned int i = 0; i < desc->nparams && r == 0; i++) {
		made[i].kind = param_form_of(desc, i, &made[i].set);
		made[i].fixed_size = param_type_size(desc->params[i].type) != 0;
		r = param_form_keep_key(&plans->arena, encoder, desc->params[i].name, &made[i]);
	}
	plans->of[desc->id] = made;
	return r;
}

/* The plans of encoders with the same keys. */
struct kept_plans {
	const struct encoder *encoder;
	struct param_plans plans;
	struct kept_plans *next;
};

static struct kept_plans *param_form_make_plans(const struct encoder *encoder)
{
	struct kept_plans *made = calloc(1, sizeof(*made));
	int r = made ? 0 : -ENOMEM;

	for (unsigned int id = 0; id < EVENT_ID_MAX && r == 0; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (desc && desc->nparams)
			r = plan_event(&made->plans, desc, encoder);
	}
	if (r && made)
		arena_finish(&made->plans.arena);
	if (r) {
		free(made);
		return NULL;
	}
	made->encoder = encoder;
	return made;
}

int param_plans_get(const struct encoder *encoder, const struct param_plans **plans)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static struct kept_plans *all;
	struct kept_plans *found;

	pthread_mutex_lock(&mutex);
	for (found = all; found && found->encoder->key != encoder->key;)
		found = found->next;
	if (!found && (found = param_form_make_plans(encoder))) {
		found->next = all;
		all = found;
	}
	pthread_mutex_unlock(&mutex);
	if (!found)
		return -ENOMEM;
	*plans = &found->plans;
	return 0;
}
