/* SPDX-License-Identifier: MIT */
/*
 * Signals to the agent. SIGINT, SIGTERM, SIGHUP (unless it was ignored at the start, as by nohup),
 * SIGPIPE (the output has no reader) and the alarm of -M end the agent. They are only counted;
 * blocking calls return EINTR, and the caller checks the count. With rules SIGHUP reloads them
 * instead, unless the agent has lost its terminal.
 */
#ifndef AGENT_PROCESS_SIGNALS_H
#define AGENT_PROCESS_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

struct waker;

/* How long the agent waits, after a signal, for a reader of a pipe that does not read. */
enum { SIGNALS_PATIENCE_S = 2 };

/* Installs the handlers; reloads: SIGHUP reloads rules. Returns 0, or -errno with a message. */
int signals_init(bool reloads, struct error *err);

/* From now on SIGUSR2 asks a flight recorder for its events. Returns 0, or -errno with a message.
 */
int signals_dump(struct error *err);

/* Whether it did since the last call. */
bool signals_take_dump(void);

/* From now on, each signal wakes, too: one that comes just before a wait ends that. NULL: none. */
void signals_set_waker(const struct waker *next);

/*
 * Sets the command, whose exit ends the agent and which gets SIGINT and SIGQUIT: from the terminal
 * directly; those sent to the agent by a process are passed on. Its exit interrupts blocking calls.
 * Returns 0, or -errno with a message.
 */
int signals_pass_on(pid_t command, struct error *err);

/* The value of a SIGHUP of sigqueue(3) that asks for a reload with --force. */
enum { SIGNALS_FORCED = 0x464f };

/*
 * Whether SIGHUP requested a reload since the last call; then sets `forced`: whether one of them
 * had SIGNALS_FORCED.
 */
bool signals_take_reload(bool *forced);

/* Counts a signal after `ns`, unless one arrives before. */
void signals_end_after(uint64_t ns);

/*
 * The number of signals; SIGNALS_PATIENCE_S after each an alarm is counted, too. From one on the
 * agent ends cleanly; from two on it no longer waits for its reader.
 */
int signals_count(void);

/* Waits for a signal that ends the agent. */
void signals_wait(void);

/* Whether SIGINT, SIGTERM and the like came more than once: the user does not want to wait. */
bool signals_are_insistent(void);

#endif
