/* SPDX-License-Identifier: MIT */
/* What both loops of senders are made of: that of sender.c, and that of sender_spool.c. */
#ifndef OUTPUT_DELIVERY_SENDER_IMPL_H
#define OUTPUT_DELIVERY_SENDER_IMPL_H

#include <stdbool.h>
#include <stddef.h>

#include "output/delivery/sender.h"

enum { SENDER_SPOOL_WAIT_MS = 100 }; /* how often a wait beside a spool looks for the end */

/* What functions of the target return, for the agent. */
void sender_report(struct sender *sender, int code, const struct error *err);

/* Between batches: ticks, and files that are to be opened anew. */
void sender_do_chores(struct sender *sender);

/* Whether nothing is to be sent any more. */
bool sender_is_stopped(const struct sender *sender);

/* At the end nobody waits for a target that fails if a spool keeps the records. */
bool sender_gives_up(const struct sender *sender);

/* Adds drop records to the batch, and forgets the gaps. */
void sender_add_drops(struct sender *sender, struct gaps *gaps);

/* The first records of the batch, as many as may be sent at once. */
void sender_make_window(struct sender *sender, struct output_batch *window);

/* Sends a window of the batch, and waits if some of it has to be sent again. Returns how much. */
size_t sender_send_window(struct sender *sender, struct output_batch *window);

/* Empties the batch, and gives its blocks back to the queue. */
void sender_release_blocks(struct sender *sender);

#endif
