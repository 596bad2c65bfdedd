/* SPDX-License-Identifier: MIT */
/*
 * The annotations in the config.json of a bundle: managers of containers (containerd's CRI, CRI-O,
 * Podman) note there what they know of it.
 */
#ifndef META_FILES_ANNOTATIONS_H
#define META_FILES_ANNOTATIONS_H

#include <jansson.h>

#include "sinsp/state/container.h"

/* `annotations` may be anything, or NULL. */
void annotations_describe(const json_t *annotations, struct sinsp_container_info *info);

#endif
