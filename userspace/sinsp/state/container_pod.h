/* SPDX-License-Identifier: MIT */
/*
 * Which pod a container is in, and what is known of the container by that: nothing is looked for
 * per event. To be called by the table of containers alone.
 */
#ifndef SINSP_STATE_CONTAINER_POD_H
#define SINSP_STATE_CONTAINER_POD_H

#include "sinsp/state/container.h"
#include "sinsp/state/pods.h"

/*
 * Sets the container's pod, and all that is known of the container: after it was found, and when
 * its description, or that of a pod, has changed. The pod is the one of which the control groups
 * have the uid; if the API does not know that, the one in which the API lists the container; else
 * the one that the runtime names. Without memory for an entry it is in none.
 */
void sinsp_container_set_pod(struct sinsp_pods *pods, struct sinsp_container *container);

/* Takes a container that is removed out of its pod. */
void sinsp_container_leave_pod(struct sinsp_pods *pods, struct sinsp_container *container);

#endif
