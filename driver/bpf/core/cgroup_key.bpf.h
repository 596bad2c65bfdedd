/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The control groups of a task, and their key: see cgroup_key_add(). */
#ifndef LANNER_CGROUP_KEY_BPF_H
#define LANNER_CGROUP_KEY_BPF_H

#include "bpf/core/kernel_structs.bpf.h"
#include "bpf/core/kernel_versions.bpf.h"
#include "bpf/core/maps.bpf.h"

/* The running kernel's number of a subsystem, -1 if it was built without it. */
#define CGROUP_SUBSYSTEM(id)                                                                       \
	(bpf_core_enum_value_exists(enum cgroup_subsys_id, id)                                     \
		 ? (int)bpf_core_enum_value(enum cgroup_subsys_id, id)                             \
		 : -1)

static __always_inline int cgroup_subsystem(__u32 index)
{
	switch (index) {
	case CGROUP_CPUSET:
		return CGROUP_SUBSYSTEM(cpuset_cgrp_id);
	case CGROUP_CPU:
		return CGROUP_SUBSYSTEM(cpu_cgrp_id);
	case CGROUP_CPUACCT:
		return CGROUP_SUBSYSTEM(cpuacct_cgrp_id);
	case CGROUP_IO:
		return CGROUP_SUBSYSTEM(io_cgrp_id);
	default:
		return CGROUP_SUBSYSTEM(memory_cgrp_id);
	}
}

/* The state of a task in a subsystem, whose number the verifier knows. */
static __always_inline struct cgroup_subsys_state *cgroup_state(struct css_set *set, int subsystem)
{
	struct cgroup_subsys_state *state = NULL;

	if (CAN_CAST)
		return *(struct cgroup_subsys_state **)((void *)&TYPED(set)->subsys +
							subsystem * sizeof(state));
	bpf_core_read(&state, sizeof(state), (void *)&set->subsys + subsystem * sizeof(state));
	return state;
}

#define CGROUP_KEY_ADD(key, set, index)                                                            \
	({                                                                                         \
		int subsystem = cgroup_subsystem(index);                                           \
                                                                                                   \
		if ((kernel_filters.hierarchies & 1U << (index)) && subsystem >= 0)                \
			(key) = cgroup_key_add(key,                                                \
					       GET(cgroup_state(set, subsystem), cgroup, kn, id)); \
	})

/* The key of the groups of a set. */
static __always_inline __u64 cgroup_key(struct css_set *set)
{
	__u64 key = 0;

	CGROUP_KEY_ADD(key, set, CGROUP_CPUSET);
	CGROUP_KEY_ADD(key, set, CGROUP_CPU);
	CGROUP_KEY_ADD(key, set, CGROUP_CPUACCT);
	CGROUP_KEY_ADD(key, set, CGROUP_IO);
	CGROUP_KEY_ADD(key, set, CGROUP_MEMORY);
	if (kernel_filters.hierarchies & 1U << CGROUPS)
		key = cgroup_key_add(key, GET(set, dfl_cgrp, kn, id));
	return key;
}

#endif
