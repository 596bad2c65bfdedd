/* SPDX-License-Identifier: MIT */
/* The view that `agent view NAME [ARG...]` names: found and read while the command line is. */
#ifndef AGENT_OPTIONS_VIEW_H
#define AGENT_OPTIONS_VIEW_H

#include "agent/options/options.h"
#include "agent/options/settings.h"
#include "views/folder.h"

/* Folders of views: those that were given, then that of the user. */
struct options_view_folders {
	const char **paths; /* owned; the texts are borrowed, but for `own` */
	size_t count;
	char *own; /* owned: ~/.config/lanner/views; NULL: there is none */
};

/*
 * Returns 0, or -errno with a message: no memory, or one that was given is not there. Release with
 * options_view_folders_finish() in every case.
 */
int options_view_folders_init(struct options_view_folders *folders, const char *const *given,
			      size_t count, struct error *err);
void options_view_folders_finish(struct options_view_folders *folders);

static inline struct views_folders options_view_places(const struct options_view_folders *folders)
{
	return (struct views_folders){folders->paths, folders->count};
}

/*
 * Takes the name of a view, unless `name` is one, and its arguments off the words, and reads the
 * view: options->view.
 * Settings are those of files and of the command line, before they are applied. Returns 0, or
 * -errno with a message.
 */
int options_take_view(const struct settings *files, const struct settings *line, const char *name,
		      char ***words, struct options *options, struct error *err);

/* What of the options is about the view: how it is sorted. Returns 0, or -EINVAL with a message. */
int options_apply_view(struct options *options, struct error *err);

#endif
