/* SPDX-License-Identifier: MIT */
/* Tells values of which a part is missing by their form, and by the marks of events. */
#include "sinsp/fields/cut.h"

#include <string.h>

enum {
	MARK_LEN = sizeof(CUT_MARK) - 1,
	/* Both as the kernel's programs write them: put_built_path() and area_read(). */
	MARK_IN_PATH = PATH_END_BYTES - MARK_LEN,
	MARK_FROM_END = AREA_END_BYTES + sizeof(CUT_MARK),
};

static bool has_mark(const char *text)
{
	return memcmp(text, CUT_MARK, MARK_LEN) == 0;
}

/* A path that has no beginning has the mark there. */
unsigned int cut_of_path(const char *path, size_t len)
{
	if (len > MARK_LEN && path[0] == '/' && has_mark(path + 1))
		return CUT_SHOWN;
	return len >= STRING_BYTES_MAX - 1 && has_mark(path + MARK_IN_PATH) ? CUT_SHOWN : 0;
}

/* Whether strings have the mark, which ends one, `from_end` bytes before their end. */
static bool has_mark_at(const char *strings, size_t len, size_t from_end)
{
	return len >= from_end && memcmp(strings + len - from_end, CUT_MARK, sizeof(CUT_MARK)) == 0;
}

/*
 * The mark ends what is before the kept end, or, from /proc, all; `before`: bytes before these.
 * Other programs write captures without it.
 */
static unsigned int cut_of_strings(const char *strings, size_t len, size_t before)
{
	if (len + before < STRING_BYTES_MAX)
		return 0;
	return has_mark_at(strings, len, MARK_FROM_END) ||
			       has_mark_at(strings, len, sizeof(CUT_MARK))
		       ? CUT_SHOWN
		       : CUT_END;
}

unsigned int cut_of_exe(const struct state_program *program)
{
	return strnlen(program->exe, STRING_BYTES_MAX) >= STRING_BYTES_MAX - 1 ? CUT_END : 0;
}

/* Beside such an argv[0] no others are captured. */
unsigned int cut_of_args(const struct state_program *program)
{
	if (cut_of_exe(program))
		return CUT_WHOLE;
	return cut_of_strings(program->args, program->args_len, strlen(program->exe) + 1);
}

unsigned int cut_of_env(const struct state_program *program)
{
	return cut_of_strings(program->env, program->env_len, 0);
}

unsigned int cut_of_param(const struct event *ev, unsigned int param)
{
	const char *data = (const char *)ev->params[param].data;
	size_t len = ev->params[param].len;
	unsigned int cut;

	if (!(ev->marks.truncated >> param & 1))
		return 0;
	cut = len ? cut_of_path(data, len - 1) : CUT_WHOLE;
	if (!cut && has_mark_at(data, len, MARK_FROM_END))
		cut = CUT_SHOWN;
	return cut ? cut : CUT_END;
}
