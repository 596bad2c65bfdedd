/* SPDX-License-Identifier: MIT */
/* Counters, times, and the ring of names. */
#include "agent/record/recording_name.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/buf.h"

int recording_name_init(struct recording_name *name, const struct recording_config *config)
{
	const struct recording_limits *limits = &config->limits;

	*name = (struct recording_name){
		.base = config->path,
		.split = limits->bytes || limits->ns || limits->events,
		.timed = limits->ns && strchr(config->path, '%'),
		.files = limits->files,
	};
	if (config->rotates) /* the name never changes */
		name->split = name->timed = false;
	if (name->files)
		name->kept = calloc(name->files, sizeof(name->kept[0]));
	return name->files && !name->kept ? -ENOMEM : 0;
}

void recording_name_finish(struct recording_name *name)
{
	for (uint64_t i = 0; name->kept && i < name->files; i++)
		free(name->kept[i]);
	free(name->kept);
	free(name->now);
	free(name->replaced);
	free(name->timed_now);
	*name = (struct recording_name){0};
}

/*
 * Appends the time, and a counter if the last name had the same time, so that no file is
 * overwritten.
 */
static int append_time(struct recording_name *name, uint64_t ns, struct buf *text)
{
	time_t seconds = (time_t)(ns / 1000000000);
	char formatted[PATH_MAX];
	struct tm local;

	if (!localtime_r(&seconds, &local) ||
	    strftime(formatted, sizeof(formatted), name->base, &local) == 0)
		return -ENAMETOOLONG;
	buf_append_string(text, formatted);
	if (name->timed_now && strcmp(name->timed_now, formatted) == 0) {
		buf_append_u64(text, ++name->repeated);
		return 0;
	}
	free(name->timed_now);
	name->repeated = 0;
	name->timed_now = strdup(formatted);
	return name->timed_now ? 0 : -ENOMEM;
}

static int make(struct recording_name *name, uint64_t ns, struct buf *text)
{
	int code = 0;

	if (name->timed) {
		code = append_time(name, ns, text);
	} else {
		buf_append_string(text, name->base);
		if (name->split)
			buf_append_u64(text, name->files ? name->count % name->files : name->count);
	}
	buf_append_char(text, '\0');
	return code ? code : text->failed ? -ENOMEM : 0;
}

int recording_name_next(struct recording_name *name, uint64_t ns, const char **next,
			const char **replaces)
{
	struct buf text = {0};
	int code = make(name, ns, &text);
	char **place = &name->now;

	if (code) {
		buf_finish(&text);
		return code;
	}
	if (name->kept)
		place = &name->kept[name->count % name->files];
	free(name->replaced);
	name->replaced = *place;
	*place = text.data;
	name->count++;
	*next = text.data;
	/* With a counter the same name recurs: its file is overwritten, not removed. */
	*replaces = name->kept && name->replaced && strcmp(name->replaced, *next) ? name->replaced
										  : NULL;
	return 0;
}
