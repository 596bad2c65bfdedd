/* SPDX-License-Identifier: MIT */
/* The words of the Elastic Common Schema for what an event is about. */
#ifndef SINSP_FORMAT_ECS_H
#define SINSP_FORMAT_ECS_H

/* event.category of the events of a type: file, process, network, ... ; else api. */
const char *ecs_category(unsigned int event_id);

/* event.type of the events of a type, as the category allows it: start, change, ... ; else info. */
const char *ecs_type(unsigned int event_id);

#endif
