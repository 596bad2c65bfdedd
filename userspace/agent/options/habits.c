/* SPDX-License-Identifier: MIT */
/* Finds habits of other programs, and makes hints and filters of them. */
#include "agent/options/habits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/count.h"

/* Whether the blank-separated words of `typed` have the option. */
static bool is_typed(const char *typed, const char *option)
{
	size_t len = strlen(option);

	for (const char *at = typed; (at = strstr(at, option)); at++)
		if ((at == typed || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

const struct habit *habit_find(const char *option, const char *value, bool refused)
{
	const struct habit *habit;

	for (unsigned int i = 0; (habit = habit_row(i)); i++)
		if (is_typed(habit->typed, option) && (habit->when ? habit->when(value) : refused))
			return habit;
	return NULL;
}

/* Appends the text with the value in place of each {}; quoted: as a constant of a filter. */
static void append_text(const char *text, const char *value, bool quoted, struct buf *out)
{
	const char *quote = quoted ? "\"" : "", *at;

	while (value && (at = strstr(text, "{}"))) {
		buf_printf(out, "%.*s%s%s%s", (int)(at - text), text, quote, value, quote);
		text = at + 2;
	}
	buf_append_string(out, text);
}

int habit_reject(const struct habit *habit, const char *option, const char *value,
		 struct error *err)
{
	struct buf text = {0};

	append_text(habit->text, value, false, &text);
	buf_append_char(&text, '\0');
	error_set(err, -EINVAL, "%s: %s", option, text.failed ? habit->text : text.data);
	buf_finish(&text);
	return -EINVAL;
}

/* Sets of system calls, as strace names them. */

static const struct {
	const char *name, *filter;
} classes[] = {
	{"file", "evt.category=file"},	   {"process", "evt.category=process"},
	{"net", "evt.category=net"},	   {"network", "evt.category=net"},
	{"signal", "evt.category=signal"}, {"ipc", "evt.category=ipc"},
	{"memory", "evt.category=memory"}, {"desc", "evt.is_io=true"},
};

static const char *find_class(const char *name, size_t len)
{
	bool marked = name[0] == '%';

	for (size_t i = 0; i < COUNT(classes); i++)
		if (strlen(classes[i].name) == len - marked &&
		    strncmp(classes[i].name, name + marked, len - marked) == 0)
			return classes[i].filter;
	return NULL;
}

static int reject_calls(const char *option, const char *name, size_t len, struct error *err)
{
	return error_set(err, -EINVAL,
			 "%s: '%.*s' is no name of a system call and no set that is known here "
			 "(agent events; a filter is like evt.type=open)",
			 option, (int)len, name);
}

/* Appends the condition for one name or one set, which is what the others are not. */
static int append_call(const char *option, const char *name, size_t len, struct buf *out,
		       struct error *err)
{
	const char *filter = find_class(name, len);

	if (out->len)
		BUF_LITERAL(out, " or ");
	if (filter)
		buf_append_string(out, filter);
	else if (len && strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789") >= len)
		buf_printf(out, "evt.type=%.*s", (int)len, name);
	else
		return reject_calls(option, name, len, err);
	return 0;
}

/* "[trace=][!][?]NAME,..." */
static int append_calls(const char *option, const char *value, struct buf *filter,
			struct error *err)
{
	static const char key[] = "trace=";
	bool negated;
	struct buf set = {0};
	int r = 0;

	if (strncmp(value, key, sizeof(key) - 1) == 0)
		value += sizeof(key) - 1;
	negated = *value == '!';
	value += negated;
	if (strcmp(value, "none") == 0)
		negated = !negated, value = "all";
	if (strcmp(value, "all") == 0) {
		if (!negated)
			return 0;
		/* What strace shows without any call. */
		negated = false, value = "signaldeliver,procexit";
	}
	for (size_t len; r == 0 && *value; value += len + (value[len] == ',')) {
		value += *value == '?';
		len = strcspn(value, ",");
		r = append_call(option, value, len, &set, err);
	}
	if (r == 0 && set.len == 0)
		r = reject_calls(option, value, 0, err);
	if (r == 0)
		buf_printf(filter, "%s%s(%.*s)", filter->len ? " and " : "", negated ? "not " : "",
			   (int)set.len, set.data ? set.data : "");
	if (r == 0 && (set.failed || filter->failed))
		r = error_set(err, -ENOMEM, "out of memory");
	buf_finish(&set);
	return r;
}

int habit_append_filter(const struct habit *habit, const char *option, const char *value,
			struct buf *filter, struct error *err)
{
	if (habit->does == HABIT_CALLS)
		return append_calls(option, value, filter, err);
	if (value && habit->takes && strchr(value, '"'))
		return error_set(err, -EINVAL, "%s: quotes cannot stand in its value", option);
	if (filter->len)
		BUF_LITERAL(filter, " and ");
	append_text(habit->text, value, true, filter);
	return filter->failed ? error_set(err, -ENOMEM, "out of memory") : 0;
}

/* Words that are no options. */

static bool is_executable(const char *path)
{
	struct stat st;

	return access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Whether a shell would find that program. */
static bool is_program(const char *word)
{
	const char *path = getenv("PATH");
	char text[512];

	if (strchr(word, '/'))
		return is_executable(word);
	while (path && *path) {
		size_t len = strcspn(path, ":");
		struct buf name = buf_fixed(text, sizeof(text));

		buf_printf(&name, "%.*s/%s", (int)len, path, word);
		if (!name.failed && is_executable(text))
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

int habit_check_words(char **words, struct error *err)
{
	const char *first = words[0];
	char word[32];
	size_t len = first ? strcspn(first, " ") : 0;
	const struct habit *habit = NULL;

	if (len == 0)
		return 0;
	if (len < sizeof(word)) {
		memcpy(word, first, len);
		word[len] = '\0';
		habit = word[0] == '-' ? NULL : habit_find(word, words[1], true);
	}
	if (habit)
		return habit_reject(habit, word, words[1], err);
	if (first[len] || strpbrk(first, "=!<>()") || strcmp(first, "not") == 0 ||
	    !is_program(first))
		return 0;
	return error_set(err, -EINVAL,
			 "'%s' is no filter; a program to start comes after --: agent -- %s", first,
			 first);
}
