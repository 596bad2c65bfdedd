/* SPDX-License-Identifier: MIT */
/* Reads the iterator's records: checked, and in the units of /proc. */
#include "scap/live/iter_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi.h"
#include "iter_thread.h"
#include "scap/live/iter_records.h"

struct scap_threads {
	const struct scap_proc *proc;
	bool ended; /* the last record came */
	struct iter_records records;
};

int scap_threads_create(int fd, const struct scap_proc *proc, struct scap_threads **threads)
{
	struct scap_threads *made = malloc(sizeof(*made));

	if (!made) {
		close(fd);
		return -ENOMEM;
	}
	made->proc = proc;
	made->ended = false;
	iter_records_init(&made->records, fd);
	*threads = made;
	return 0;
}

void scap_threads_destroy(struct scap_threads *threads)
{
	if (!threads)
		return;
	close(threads->records.fd);
	free(threads);
}

static bool is_valid(const struct iter_thread *record)
{
	if (record->flags & ~(uint32_t)ITER_THREAD_FLAGS)
		return false;
	if (record->flags & ITER_THREAD_END)
		return record->tid == 0;
	return record->tid && record->pid && record->tid <= INT32_MAX && record->pid <= INT32_MAX;
}

static void take(const struct scap_proc *proc, const struct iter_thread *from,
		 struct scap_other_thread *to)
{
	*to = (struct scap_other_thread){
		.tid = from->tid,
		.pid = from->pid,
		.vtid = from->vtid ? from->vtid : from->tid,
		.uid = from->uid,
		.gid = from->gid,
		.loginuid = from->loginuid,
		.start_ns = scap_proc_start_ns(proc, from->start_ns / TICK_NS),
		.caps_permitted = from->caps_permitted,
		.caps_effective = from->caps_effective,
		.caps_inheritable = from->caps_inheritable,
		.faults_major = from->faults_major,
		.faults_minor = from->faults_minor,
		.own_cgroups = from->flags & ITER_THREAD_OWN_CGROUPS,
	};
	memcpy(to->comm, from->comm, sizeof(to->comm));
	to->comm[sizeof(to->comm) - 1] = '\0';
}

int scap_threads_next(struct scap_threads *threads, struct scap_other_thread *thread)
{
	struct iter_records *records = &threads->records;
	struct iter_thread record;
	int r = iter_records_need(records, sizeof(record));

	if (r < 0)
		return r;
	/* The last record is the end, and nothing follows it. */
	if (threads->ended || r == 0)
		return threads->ended && r == 0 ? 0 : -EBADMSG;
	memcpy(&record, records->bytes + records->at, sizeof(record));
	records->at += sizeof(record);
	if (!is_valid(&record))
		return -EBADMSG;
	if (record.flags & ITER_THREAD_END) {
		threads->ended = true;
		return 0;
	}
	take(threads->proc, &record, thread);
	return 1;
}
