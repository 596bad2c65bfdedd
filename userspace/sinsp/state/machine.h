/* SPDX-License-Identifier: MIT */
/* The machine that events come from, and its network interfaces: this one, or that of a capture. */
#ifndef SINSP_STATE_MACHINE_H
#define SINSP_STATE_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#include "scap/model/snapshot.h"

enum { HOSTNAME_BYTES = 256 };

struct machine_interface;

struct machine {
	uint32_t cpus;
	uint64_t memory_bytes, max_pid, boot_ns; /* as in scap_machine */
	char hostname[HOSTNAME_BYTES];
	struct machine_interface *interfaces; /* owned */
	size_t interfaces_count;
};

/* Forgets everything. A zeroed struct is an unknown machine. */
void machine_finish(struct machine *machine);

/* Copies the data of a capture. Strings are truncated to the limits of the kernel. */
void machine_set(struct machine *machine, const struct scap_machine *from);

/* Returns 0, -ENOMEM, or -ENOSPC above the limit. */
int machine_add_interface(struct machine *machine, const struct scap_interface *interface);

/* Reads the CPUs, the memory and the interfaces of this machine, at present. Returns as above. */
int machine_read(struct machine *machine);

/*
 * Reports the machine and its interfaces, those of IPv4 first. clock_step_ns: how far the wall
 * clock was set since (negative: back), applied to the boot time. Returns 0 or what `to` returned.
 */
int machine_dump(const struct machine *machine, int64_t clock_step_ns, struct scap_snapshot *to);

/* A number for a text that names a boot of a machine. */
uint64_t machine_boot_of(const char *text);

/* The number of this machine's current boot; 0 if the kernel does not report it. */
uint64_t machine_boot_here(void);

#endif
