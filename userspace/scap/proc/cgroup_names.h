/* SPDX-License-Identifier: MIT */
/* Names of the subsystems of control groups: in events, and in the files of version 1. */
#ifndef SCAP_PROC_CGROUP_NAMES_H
#define SCAP_PROC_CGROUP_NAMES_H

#include "abi.h"

struct scap_cgroup_name {
	const char *name;
	const char *controller;
};

extern const struct scap_cgroup_name scap_cgroup_names[CGROUPS];

#endif
