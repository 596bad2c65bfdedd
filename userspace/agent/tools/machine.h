/* SPDX-License-Identifier: MIT */
/*
 * Shared by `agent ps`, `agent lsof` and `agent netstat`: the processes of the machine from /proc,
 * names of users, containers, and tables of what was found, as text, JSON or CSV. Nothing is
 * captured.
 */
#ifndef AGENT_COMMANDS_MACHINE_H
#define AGENT_COMMANDS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/input/host.h"
#include "sinsp/sinsp.h"
#include "util/buf.h"
#include "util/error.h"

enum { MACHINE_COLUMNS_MAX = 24, MACHINE_LIST_MAX = 64 };

/* The machine; release with machine_close(). */
struct machine_listing {
	struct host host;
	struct state_users users;
	uint32_t hertz; /* of times in /proc */
};

/* root: as host_open() has it. Returns 0, or -errno with a message. */
int machine_open(struct machine_listing *machine, const char *root, struct error *err);
void machine_close(struct machine_listing *machine);

/* The name of a user, or its number in `memory`. */
const char *machine_user(struct machine_listing *machine, uint32_t uid, char memory[16]);

/* The id of the container of a thread, in `match`; "" for one of the host. */
const char *machine_container(const struct scap_thread *thread, struct state_cgroup_match *match);

/* The name of a terminal: "pts/3", "tty1"; "?" for none. */
const char *machine_tty(uint32_t device, char memory[32]);

/* Words of a list with commas or blanks between. Returns how many were found, at most `max`. */
size_t machine_split(char *list, const char **words, size_t max);
bool machine_has(const char *const *words, size_t count, const char *word);

/* The value of -o if it is a format of lists, or NULL. */
const struct output_format *machine_format(const char *name);

/* A column of a table. */
struct machine_column {
	const char *title, *key; /* of text and CSV; of JSON */
	bool right; /* aligned in text */
	bool number; /* in JSON, if it is one */
};

struct machine_table {
	const struct machine_column *columns[MACHINE_COLUMNS_MAX];
	size_t columns_count;
	const struct output_format *format; /* NULL: text */
	bool no_head;
	struct buf cells; /* owned: each ends with a NUL, row by row */
	size_t rows;
};

/* Append a cell: a text; a number; what was appended to table->cells since the one before. */
void machine_cell(struct machine_table *table, const char *text);
void machine_cell_u64(struct machine_table *table, uint64_t value);
void machine_end_cell(struct machine_table *table);

/* Prints the table to standard output, and releases it. Returns the exit code of the agent. */
int machine_print(struct machine_table *table);

#endif
