/* SPDX-License-Identifier: MIT */
/*
 * The JSON texts that containerd and CRI-O add to verbose answers of the Container Runtime
 * Interface. A text that is NULL, or not understood, adds nothing.
 */
#ifndef META_RUNTIMES_CRI_INFO_H
#define META_RUNTIMES_CRI_INFO_H

#include "sinsp/state/container.h"

/* Adds whether a container is privileged, its image, and the id of its sandbox. */
void cri_info_fill_container(struct sinsp_container_info *info, const char *text);

/* Adds the network of a sandbox. */
void cri_info_fill_sandbox(struct sinsp_container_info *info, const char *text);

#endif
