/* SPDX-License-Identifier: MIT */
/* Snapshots for the state engine, and those that it makes of its tables. */
#ifndef TESTS_SNAPSHOTS_H
#define TESTS_SNAPSHOTS_H

#include "drive.h"
#include "transcript.h"

/* One call on the listener. */
#define GIVE(to, what, ...) assert_int_equal((to)->ops->what(to, ##__VA_ARGS__), 0)

/* A thread in order, alone of its process if the ids are the same. */
struct scap_thread thread_of(int64_t tid, int64_t pid, const char *comm);

void give_thread(struct scap_snapshot *to, int64_t tid, int64_t pid, const char *comm);
void give_file(struct scap_snapshot *to, int64_t num, const char *name);

/* A TCP socket of 127.0.0.1, listening when the port on the other side, at 127.0.0.2, is 0. */
void give_socket(struct scap_snapshot *to, int64_t num, uint16_t local, uint16_t remote);

/* The snapshot of the tables as text, which is the caller's to free. */
char *dump_text(struct state *state);

/* Tells the tables to another engine, which must dump_text the same. */
void assert_dump_reloads(struct drive *drive);

/* What the numbers of thread 200 below are in a transcript. */
#define RICH_NUMBERS                                                                               \
	"uid=7 gid=8 vm=7,8,9 faults=5,6 pidns=13 tty=34817 login=1000 exe_flags=9 caps=4,1,2 "    \
	"exe_file=10,11,12\n"

/*
 * A machine of which everything is known: process 200 with threads, and a
 * descriptor of each kind; process 300, a server.
 */
void give_world(struct scap_snapshot *to);

/* Its beginning: the machine with its interfaces, users and groups. */
void give_machine(struct scap_snapshot *to);

#endif
