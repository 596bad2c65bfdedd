/* SPDX-License-Identifier: MIT */
/*
 * Filling of descriptions, for the sources. What is set already stays. Limits keep a description
 * small; what is beyond them is left out and counted in texts->left_out.
 */
#ifndef META_DESCRIBE_H
#define META_DESCRIBE_H

#include <jansson.h>

#include "sinsp/state/containers/container.h"

enum {
	DESCRIBE_TEXT_BYTES_MAX = 4096, /* of one text */
	DESCRIBE_ITEMS_MAX = 1024, /* of a list: labels, mounts, containers of a pod */
	DESCRIBE_BYTES_MAX = 64 * 1024, /* of all texts of a description */
};

/* Sets a text of a description to a copy, in which invalid UTF-8 is U+FFFD. NULL and "" stand for
 * nothing.
 */
void describe_text(struct state_texts *texts, const char **member, const char *text);

/* "sha256:HEX" or "HEX"; another text is no id. Accepts NULL. */
void describe_image_id(struct state_texts *texts, struct state_image *image, const char *id);

/*
 * The reference by which the image was named: "nginx", "host:5000/a/b:tag@sha256:HEX", or (part of)
 * the image's id, which must be set before.
 */
void describe_image(struct state_texts *texts, struct state_image *image, const char *reference);

/* As describe_image(), but an id is not taken: there may be a name elsewhere. */
void describe_image_by_name(struct state_texts *texts, struct state_image *image,
			    const char *reference);

/* Labels from an object of texts; others of its members are ignored. */
void describe_labels(struct state_texts *texts, struct state_labels *labels, const json_t *object);

/* Takes labels one by one, as struct describe_mounts takes mounts. */
struct describe_labels {
	struct state_texts *texts;
	struct state_label *items;
	size_t count, room;
};
struct describe_labels describe_labels_begin(struct state_texts *texts,
					     const struct state_labels *labels, size_t room);
void describe_label_add(struct describe_labels *list, const char *name, const char *value);
void describe_labels_end(const struct describe_labels *list, struct state_labels *labels);

/* The value of a label, or NULL. */
const char *describe_label(const struct state_labels *labels, const char *name);

/*
 * The environment, if the description is to have it: an array of "NAME=value", or of objects with a
 * key and a value, as the Container Runtime Interface has them. Others of its items are ignored.
 */
void describe_env(struct state_container_info *info, const json_t *array);

/* Adds a mount to those that describe_mounts_begin() made room for; copies the texts. */
struct describe_mounts {
	struct state_container_info *info;
	struct state_mount *items;
	size_t count, room;
};
struct describe_mounts describe_mounts_begin(struct state_container_info *info, size_t room);
void describe_mount(struct describe_mounts *mounts, const struct state_mount *mount);
void describe_mounts_end(struct describe_mounts *mounts);

/* Adds a container to those that describe_pod_containers_begin() made room for. */
struct describe_pod_containers {
	struct state_pod_info *info;
	struct state_pod_container *items;
	size_t count, room;
};
struct describe_pod_containers describe_pod_containers_begin(struct state_pod_info *info,
							     size_t room);
/* The new one, whose other members the caller sets; NULL: it is left out, as one without an id. */
struct state_pod_container *describe_pod_container(struct describe_pod_containers *list,
						   const char *id);
void describe_pod_containers_end(const struct describe_pod_containers *list);

/* Sets an answer. */
void describe_answer(enum state_answer *member, bool yes);

/* "2026-11-22T13:34:36.031026389Z", or with "+01:00" in place of the Z: ns since the epoch; 0: none
 * of these. */
uint64_t describe_time_ns(const char *text);

/* Sets what cri-dockerd and others keep in labels that Kubernetes defines, which are of `info`. */
void describe_pod_by_labels(struct state_container_info *info, const struct state_labels *labels);

#endif
