/* SPDX-License-Identifier: MIT */
/*
 * The BPF programs of a capture in the kernel: what a loader handed over of them, their rings,
 * slots and counters, and who was over a limit.
 */
#ifndef SCAP_LIVE_DRIVER_H
#define SCAP_LIVE_DRIVER_H

#include <stddef.h>

#include "scap/live/live.h"
#include "scap/rings/ring.h"

/* Who was over a limit of events in a second, or over a share, from the map in which the programs
 * count that. */

/*
 * As scap_live_throttled(), from the descriptor of a map (-1: there is none), into a list that has
 * `count` already.
 */
size_t live_throttled_read(int map, struct scap_live_throttled *list, size_t count, size_t max);

/*
 * The BPF programs of a capture in the kernel: what a loader handed over of them, their rings,
 * slots and counters. Used by the live source (live.c), and to check that all load.
 */

struct live_driver;

/*
 * Loads what the configuration wants; nothing runs yet. Programs that the kernel rejects are left
 * out. Returns 0, or -errno with a message.
 */
int live_driver_create(const struct scap_live_config *config, uint64_t boot_offset_ns,
		       struct live_driver **driver, struct error *err);

/* Detaches what is attached; accepts NULL. */
void live_driver_destroy(struct live_driver *driver);

/*
 * Opens and maps the ring of a CPU. Returns 0; -ENODEV if the CPU is not online, or another -errno,
 * with a message. Close it with scap_ring_close().
 */
int live_driver_open_ring(struct live_driver *driver, uint32_t cpu, uint32_t bytes,
			  struct scap_ring *ring, struct error *err);

/* Sets the ring of a CPU, or removes it (`fd` -1). Returns 0 or -errno. */
int live_driver_set_ring(struct live_driver *driver, uint32_t cpu, int fd);

/*
 * The scratch slots, mapped, SCRATCH_SLOTS_PER_CPU for each of the possible `cpus`; valid until the
 * driver is destroyed.
 */
struct scratch_slot *live_driver_slots(struct live_driver *driver, uint32_t *cpus);

/* Attaches the programs, which run from then on. Returns 0, or -errno with a message. */
int live_driver_attach(struct live_driver *driver, struct error *err);

/* See live_answers_follow(); while the programs are attached. */
void live_driver_follow_answers(struct live_driver *driver, uint64_t now_ns);

/* When it returns, no program runs any more. */
void live_driver_detach(struct live_driver *driver);

/*
 * Fills what the kernel counts: seen, events, compat, unnoted, untimed and run_missed; and
 * unjudged. Returns 0 or -errno.
 */
int live_driver_stats(struct live_driver *driver, struct scap_live_stats *stats);

/*
 * See scap_live_owns(), scap_live_throttled(), scap_live_shed(), scap_live_run_ns(),
 * scap_live_map_bytes(), scap_live_rejected(), scap_live_enter_error(), scap_live_sends_error(),
 * scap_live_filters_error(), scap_live_answers_error(), scap_live_call_hooks(),
 * scap_live_cgroup_roots(), scap_live_own_groups(),
 * scap_live_reject_groups(), scap_live_accept_groups(), scap_live_program() and
 * scap_live_program_runs().
 */
bool live_driver_owns(const struct live_driver *driver, enum bpf_object_kind kind, uint32_t id);
size_t live_driver_throttled(const struct live_driver *driver, struct scap_live_throttled *list,
			     size_t max);
int live_driver_shed(struct live_driver *driver, const struct shed *shed);
int live_driver_run_ns(const struct live_driver *driver, uint64_t *ns);
int64_t live_driver_map_bytes(const struct live_driver *driver);
const uint16_t *live_driver_rejected(const struct live_driver *driver);
int live_driver_enter_error(const struct live_driver *driver);
int live_driver_sends_error(const struct live_driver *driver);
int live_driver_filters_error(const struct live_driver *driver);
int live_driver_answers_error(const struct live_driver *driver);
enum call_hooks live_driver_call_hooks(const struct live_driver *driver);
int live_driver_take_iterator(struct live_driver *driver, enum scap_live_iterator which);
int live_driver_cgroup_roots(const struct live_driver *driver, const struct buf **roots);
int live_driver_own_groups(const struct live_driver *driver, uint64_t *key, const char **text,
			   size_t *len);
int live_driver_reject_groups(struct live_driver *driver, uint64_t key, bool rejected);
void live_driver_accept_groups(struct live_driver *driver);
bool live_driver_program(const struct live_driver *driver, unsigned int i, const char **program,
			 const char **hook);
int live_driver_program_runs(const struct live_driver *driver, unsigned int i, uint64_t *runs,
			     uint64_t *ns);

#endif
