/* SPDX-License-Identifier: MIT */
/*
 * Metrics of the perf events of containers (option --container-counters): what was counted, with
 * what the containers and their pods are called.
 */
#ifndef AGENT_RUN_CONTAINER_COUNTERS_H
#define AGENT_RUN_CONTAINER_COUNTERS_H

#include "agent/options/options.h"
#include "net/exposition.h"
#include "sinsp/sinsp.h"
#include "util/error.h"

struct container_counters;

/*
 * Begins to count if the options want it; else sets `counters` to NULL. Before privileges are
 * dropped. Returns 0, or -errno with a message.
 */
int container_counters_start(const struct options *options, struct container_counters **counters,
			     struct error *err);
void container_counters_stop(struct container_counters *counters); /* accepts NULL */

/*
 * Learns the names of containers, which are forgotten when they end: to be called often, on the
 * thread of the state. now_ns: monotonic.
 */
void container_counters_step(struct container_counters *counters, const struct state *state,
			     uint64_t now_ns);

/* Has all of them read; see counters_ask(). */
void container_counters_ask(struct container_counters *counters);

/* Appends what was read last. On the thread of the state. */
void container_counters_append(struct container_counters *counters, const struct state *state,
			       struct exposition *exposition);

#endif
