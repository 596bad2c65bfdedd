/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of containers as JSON, as the `container` events of capture files have them: those
 * of all versions of Falco's libraries and of its container plugin, and our own.
 */
#ifndef SINSP_STATE_CONTAINER_JSON_H
#define SINSP_STATE_CONTAINER_JSON_H

#include "sinsp/state/container.h"
#include "util/buf.h"

enum {
	CONTAINER_JSON_BYTES_MAX = 4 << 20,
	CONTAINER_JSON_ITEMS_MAX = 4096, /* of a list: labels, mounts */
};

struct sinsp_container_json {
	const char *id; /* whole, or its first 12 digits; in the memory of `info` */
	enum sinsp_meta_state state;
	struct sinsp_container_info *info; /* owned by the receiver */
	uint32_t ignored; /* values of another type than expected, and items beyond the limit */
};

/*
 * Reads a description of `len` bytes. Returns 0; -EBADMSG if it is not valid JSON or names no
 * container; -E2BIG if it is too long; -ENOMEM. with_env: also takes the environment.
 */
int sinsp_container_json_read(const char *text, size_t len, bool with_env,
			      struct sinsp_container_json *json);

/* Overwrites the environment in such a text, in whatever form, with blanks. */
void sinsp_container_json_hide_env(char *text, size_t len);

/*
 * Appends the description of a container: what other readers know, under their names, and the rest
 * in the member "lanner", which they skip.
 */
void sinsp_container_json_append(const struct sinsp_container *container, struct buf *out);

#endif
