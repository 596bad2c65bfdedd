/* SPDX-License-Identifier: MIT */
/* What a capture may say of its machine, and what the tables say of it afterwards. */
#ifndef TESTS_TELLING_H
#define TESTS_TELLING_H

#include "drive.h"
#include "recorder.h"

/* One call on the listener. */
#define GIVE(to, what, ...) assert_int_equal((to)->ops->what(to, ##__VA_ARGS__), 0)

/* A thread in order, alone of its process if the ids are the same. */
struct scap_thread thread_of(int64_t tid, int64_t pid, const char *comm);

void give_thread(struct scap_snapshot *to, int64_t tid, int64_t pid, const char *comm);
void give_file(struct scap_snapshot *to, int64_t num, const char *name);

/* A TCP socket of 127.0.0.1, listening when the port on the other side, at 127.0.0.2, is 0. */
void give_socket(struct scap_snapshot *to, int64_t num, uint16_t local, uint16_t remote);

/* What the tables are told as. The text is the caller's to free. */
char *tell(struct sinsp *sinsp);

/* Tells the tables to another engine, which must tell the same. */
void retell(struct drive *drive);

#endif
