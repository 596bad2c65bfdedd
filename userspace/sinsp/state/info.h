/* SPDX-License-Identifier: MIT */
/* What descriptions of containers and of pods are made of: texts, labels, images. */
#ifndef SINSP_STATE_INFO_H
#define SINSP_STATE_INFO_H

#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"

/*
 * The memory of a description, and how much of it is used; a zeroed struct is empty. Texts are
 * NUL-terminated UTF-8; NULL: not known.
 */
struct state_texts {
	struct arena arena; /* owned: of all that the description refers to */
	uint32_t bytes; /* of the texts, to limit them */
	uint32_t left_out; /* texts and items that were too many or too long */
};

enum state_answer { STATE_UNKNOWN, STATE_NO, STATE_YES };

struct state_label {
	const char *name, *value;
};

struct state_labels {
	const struct state_label *items;
	size_t count;
};

/* The image of a container. */
struct state_image {
	const char *name; /* as it was asked for: "nginx:latest" */
	const char *id; /* hexadecimal digits, without "sha256:" */
	const char *repository, *tag; /* of the name */
	const char *digest; /* with "sha256:" */
};

#endif
