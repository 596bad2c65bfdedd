/* SPDX-License-Identifier: MIT */
/*
 * What comes to the agent from outside. SIGINT, SIGTERM, SIGHUP (unless it was started with that
 * ignored, as by nohup), SIGPIPE (nobody reads the output any more), and the end of its time end
 * it. They are only counted; whoever waits or writes gets EINTR and looks at the count. With rules
 * SIGHUP asks for new ones instead, unless the terminal of the agent is gone.
 */
#ifndef AGENT_RUN_SIGNALS_H
#define AGENT_RUN_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

/* How long the agent waits, after a signal, for a reader that does not read. */
enum { SIGNALS_PATIENCE_S = 2 };

/* Installs the handlers; reloads: what SIGHUP is for. Returns 0, or -errno with a message. */
int signals_init(bool reloads, struct error *err);

/*
 * From now on there is a command, which ends the agent when it exits: SIGINT and SIGQUIT are for it.
 * Those of the terminal it gets from there; those that somebody sends to the agent are passed on.
 * Its exit wakes up who waits. Returns 0, or -errno with a message.
 */
int signals_pass_on(pid_t command, struct error *err);

/* Whether SIGHUP asked for new rules since the last question. */
bool signals_take_reload(void);

/* From now on in so many ns a signal comes by itself, unless one came before. */
void signals_end_after(uint64_t ns);

/*
 * How many came; SIGNALS_PATIENCE_S after each comes an alarm, which is one of them. From one on
 * the agent ends cleanly; from two on it no longer waits for its reader.
 */
int signals_count(void);

#endif
