/* SPDX-License-Identifier: MIT */
/*
 * The BPF object in the kernel: loading the programs that are wanted, attaching and detaching
 * them, and reading their counters. The live source (live.c) is its only user.
 */
#ifndef SCAP_LIVE_DRIVER_H
#define SCAP_LIVE_DRIVER_H

#include "scap/live/live.h"

struct live_driver;

/*
 * Loads what the configuration wants; nothing runs yet. Programs that the kernel rejects are left
 * out. Returns 0, or -errno with a message.
 */
int live_driver_create(const struct scap_live_config *config, uint64_t boot_offset_ns,
		       struct live_driver **driver, struct error *err);

/* Detaches what is attached; accepts NULL. */
void live_driver_destroy(struct live_driver *driver);

/* Sets the ring of a CPU, or removes it (`fd` -1). Returns 0 or -errno. */
int live_driver_set_ring(struct live_driver *driver, uint32_t cpu, int fd);

/*
 * The scratch slots, mapped, SCRATCH_SLOTS_PER_CPU for each of the possible `cpus`; valid until the
 * driver is destroyed.
 */
struct scratch_slot *live_driver_slots(struct live_driver *driver, uint32_t *cpus);

/* Attaches the programs, which run from then on. Returns 0, or -errno with a message. */
int live_driver_attach(struct live_driver *driver, struct error *err);

/* When it returns, no program runs any more. */
void live_driver_detach(struct live_driver *driver);

/*
 * Fills what the kernel counts: seen, events, compat, unnoted, untimed and run_missed. Returns 0 or
 * -errno.
 */
int live_driver_stats(struct live_driver *driver, struct scap_live_stats *stats);

/*
 * See scap_live_map_bytes(), scap_live_rejected(), scap_live_enter_error(), scap_live_cgroup_roots()
 * and scap_live_program().
 */
int64_t live_driver_map_bytes(const struct live_driver *driver);
const uint16_t *live_driver_rejected(const struct live_driver *driver);
int live_driver_enter_error(const struct live_driver *driver);
int live_driver_cgroup_roots(const struct live_driver *driver, const struct buf **roots);
bool live_driver_program(const struct live_driver *driver, unsigned int i, const char **program,
			 const char **hook);

#endif
