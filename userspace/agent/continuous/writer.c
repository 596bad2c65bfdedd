/* SPDX-License-Identifier: MIT */
/* The thread, and what it does with a set: groups, names, formats, files, requests. */
#include "agent/continuous/writer.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent/continuous/container_names.h"
#include "agent/continuous/files.h"
#include "agent/continuous/sender.h"
#include "profile/formats/otlp_profiles.h"
#include "profile/formats/pprof.h"
#include "profile/groups.h"
#include "profile/names/namer.h"
#include "util/clock.h"
#include "util/count.h"

enum {
	NICE = 10,
	FILE_BYTES_MAX = 16 << 20,
	FILE_PART = 16, /* of what is kept, one file at most */
};

/* An agent that ends has seconds for its last profile. */
#define LOCK_WAIT_NS UINT64_C(8000000000)

/* Sending the profiles of an interval may take half of it, and at least this. */
#define SEND_LEAST_NS UINT64_C(5000000000)

/* Finding the names of an interval may take half of it, and at least this; and a tenth of it in CPU
 * time, and at least this. */
#define NAMES_LEAST_NS UINT64_C(10000000000)
#define NAMES_LEAST_CPU_NS UINT64_C(5000000000)
enum { NAMES_PART = 2, NAMES_CPU_PART = 10 };

/* CPU time in which functions are sought that are inlined: of each CPU a thousandth. */
#define INLINED_NS_EACH_S UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)

/* What fails by itself. */
enum way { WAY_NAMES, WAY_FILES, WAY_OLD_FILES, WAY_SENT, WAYS };

struct continuous_writer {
	struct continuous_writer_config config;
	struct namer *namer;
	struct container_names *container_names;
	struct continuous_files *files; /* NULL: none are written */
	struct sender *sender; /* NULL: none are sent */
	char host[HOST_NAME_MAX + 1];
	/* For names of a set; monotonic clock, and CPU time. Of a group none are looked for later
	 * than the end. */
	struct names_time {
		uint64_t ns, cpu_ns;
	} names_left, names_end;
	uint64_t late_before; /* counts.late, when the set was taken */
	bool hurries; /* it was late meanwhile */
	uint64_t send_left_ns; /* monotonic clock: for sending what there is of a set */
	struct buf out;
	struct said { /* the last failure: the same one is said once */
		struct error err;
		int r;
	} said[WAYS];
	pthread_t thread;
	bool runs;
	pthread_mutex_t mutex; /* of the rest */
	pthread_cond_t changed;
	struct stacks *stacks; /* NULL: there is nothing to do */
	bool ends;
};

/*
 * It goes on, however slowly. An interval that is late is one of a machine where all that has a
 * higher priority comes first, and goes on to: the thread has that of others then.
 */
static void show_life(struct continuous_writer *writer)
{
	struct continuous_counts *counts = writer->config.counts;

	atomic_store(&counts->writing_ns, clock_ns(CLOCK_MONOTONIC));
	if (writer->hurries || atomic_load(&counts->late) == writer->late_before)
		return;
	writer->hurries = true;
	(void)setpriority(PRIO_PROCESS, 0, 0);
}

static bool names_are_over(void *context)
{
	struct continuous_writer *writer = context;

	show_life(writer);
	return clock_ns(CLOCK_MONOTONIC) > writer->names_end.ns ||
	       clock_ns(CLOCK_THREAD_CPUTIME_ID) > writer->names_end.cpu_ns;
}

/* Debugging information is read slowly: what is inlined is known for more places with each set. */
static int writer_prepare_names(struct continuous_writer *writer)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	namer_limit(writer->namer, names_are_over, writer);
	return namer_keep_inlined(writer->namer,
				  (uint64_t)(cpus > 0 ? cpus : 1) * INLINED_NS_EACH_S,
				  writer->config.options->interval_ns / NS_PER_S);
}

int continuous_writer_create(const struct continuous_writer_config *config,
			     struct continuous_writer **writer, struct error *err)
{
	struct continuous_writer *made = calloc(1, sizeof(*made));
	uint64_t part = config->options->keep_bytes / FILE_PART;
	const struct continuous_files_config files = {
		.folder = config->options->folder,
		.keep_bytes = config->options->keep_bytes,
		.keep_ns = config->options->keep_ns,
		.file_bytes = part < FILE_BYTES_MAX ? part : FILE_BYTES_MAX,
		.lock_wait_ns = LOCK_WAIT_NS,
	};
	pthread_condattr_t monotonic;
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->config = *config;
	pthread_mutex_init(&made->mutex, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&made->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	made->container_names = container_names_create(config->host_root);
	r = made->container_names ? namer_create_here(config->proc, &made->namer) : -ENOMEM;
	if (r == 0)
		r = writer_prepare_names(made);
	if (r)
		error_set(err, r, "out of memory");
	if (r == 0 && files.folder)
		r = continuous_files_open(&files, &made->files, err);
	if (r == 0 && config->options->endpoint)
		r = sender_create(config->options->endpoint, &made->sender, err);
	/* It is cut without a NUL. */
	if (gethostname(made->host, sizeof(made->host) - 1))
		made->host[0] = '\0';
	if (r)
		continuous_writer_destroy(made);
	else
		*writer = made;
	return r;
}

/* Each failure is counted; one that is another than the last is said. Texts of files have names. */
static void say(struct continuous_writer *writer, enum way way, int r, const struct error *err)
{
	struct said *said = &writer->said[way];

	if (said->r == r && (way == WAY_FILES || strcmp(said->err.text, err->text) == 0))
		return;
	*said = (struct said){*err, r};
	fprintf(stderr, "agent: --profile: %s\n", err->text);
}

static int write_once(struct continuous_writer *writer, const char *name,
		      const struct stacks *stacks, const struct profile_names *names,
		      uint64_t *removed, struct error *err)
{
	int r;

	show_life(writer);
	buf_clear(&writer->out);
	r = pprof_write(stacks, names, &writer->out);
	show_life(writer);
	return r ? error_set(err, r, "out of memory for a profile")
		 : continuous_files_write(writer->files, name, stacks->begin_ns, &writer->out,
					  removed, err);
}

/* Who makes names so long that it is too large has it written without them. */
static int write_shorter(struct continuous_writer *writer, const char *name,
			 const struct stacks *stacks, struct profile_names *names,
			 uint64_t *removed, struct error *err)
{
	static const enum names_kind forgotten[] = {NAMES_JIT, NAMES_UNKNOWN /* all */};
	int r = write_once(writer, name, stacks, names, removed, err);

	for (size_t i = 0; r == -EFBIG && i < COUNT(forgotten); i++) {
		names_forget(names, forgotten[i]);
		r = write_once(writer, name, stacks, names, removed, err);
	}
	return r;
}

/* container: NULL: of the machine, or of the containers that have no file of their own. */
static void write_file(struct continuous_writer *writer, const char *container, size_t group,
		       const struct stacks *stacks, struct profile_names *names)
{
	struct continuous_counts *counts = writer->config.counts;
	char name[FILES_NAME_BYTES];
	struct error err = {""};
	uint64_t removed = 0;
	int r;

	if (container)
		continuous_files_name(container, name);
	else
		snprintf(name, sizeof(name), "%s",
			 group == STACKS_GROUP_HOST ? FILES_HOST : FILES_OTHER);

	r = write_shorter(writer, name, stacks, names, &removed, &err);
	if (r)
		say(writer, WAY_FILES, r, &err);
	atomic_fetch_add(&counts->removed, removed);
	atomic_fetch_add(r ? &counts->write_failures : &counts->written, 1);
}

static void take_ns(uint64_t *left_ns, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t used_ns = end_ns - begin_ns;

	*left_ns -= used_ns < *left_ns ? used_ns : *left_ns;
}

/* A server that does not answer costs half an interval, or a little more: the rest counts as
 * failed. */
static void send_profile(struct continuous_writer *writer, const char *container,
			 const struct stacks *stacks, const struct profile_names *names)
{
	struct continuous_counts *counts = writer->config.counts;
	const struct otlp_profiles_resource resource = {
		.container = container ? container_names_find(writer->container_names, container)
				       : (struct stack_container){0},
		.host = writer->host[0] ? writer->host : NULL};
	const uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	struct error err = {""};
	int r = -ETIMEDOUT;

	show_life(writer);
	buf_clear(&writer->out);
	if (!writer->send_left_ns)
		error_set(&err, r, "sending took half an interval: the rest is not sent");
	else if (otlp_profiles_write(stacks, names, &resource, &writer->out))
		error_set(&err, r, "out of memory for a profile");
	else
		r = sender_send(writer->sender, &writer->out, &err);
	take_ns(&writer->send_left_ns, begin_ns, clock_ns(CLOCK_MONOTONIC));
	if (r)
		say(writer, WAY_SENT, r, &err);
	atomic_fetch_add(r ? &counts->send_failures : &counts->sent, 1);
}

/* Names. */

uint64_t continuous_writer_share_ns(uint64_t left_ns, size_t group, size_t count)
{
	size_t groups = count - group;

	return groups > 1 && group == STACKS_GROUP_HOST ? left_ns / 2 : left_ns / groups;
}

static struct names_time names_now(void)
{
	return (struct names_time){clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_THREAD_CPUTIME_ID)};
}

static void begin_names(struct continuous_writer *writer)
{
	uint64_t interval_ns = writer->config.options->interval_ns;
	uint64_t ns = interval_ns / NAMES_PART, cpu_ns = interval_ns / NAMES_CPU_PART;

	writer->names_left =
		(struct names_time){ns > NAMES_LEAST_NS ? ns : NAMES_LEAST_NS,
				    cpu_ns > NAMES_LEAST_CPU_NS ? cpu_ns : NAMES_LEAST_CPU_NS};
}

/* What a group does not use is for those behind it; writing and sending take none of it. */
static int find_names(struct continuous_writer *writer, size_t group, size_t groups,
		      const struct stacks *stacks, struct profile_names *names)
{
	struct names_time *left = &writer->names_left, begin = names_now(), end;
	int r;

	writer->names_end.ns = begin.ns + continuous_writer_share_ns(left->ns, group, groups);
	writer->names_end.cpu_ns =
		begin.cpu_ns + continuous_writer_share_ns(left->cpu_ns, group, groups);
	r = namer_run(writer->namer, stacks, names);
	end = names_now();
	take_ns(&left->ns, begin.ns, end.ns);
	take_ns(&left->cpu_ns, begin.cpu_ns, end.cpu_ns);
	return r;
}

/* Profiles. */

static void write_named(struct continuous_writer *writer, const char *container, size_t group,
			size_t groups, const struct stacks *stacks)
{
	struct profile_names names = {0};
	struct error err = {""};

	/* No id of a container has a slash. */
	namer_own_inlined(writer->namer, container		      ? container
					 : group == STACKS_GROUP_HOST ? "/" FILES_HOST
								      : "/" FILES_OTHER);
	/* Without names it has addresses. */
	if (find_names(writer, group, groups, stacks, &names)) {
		error_set(&err, 0, "out of memory for the names of a profile");
		say(writer, WAY_NAMES, -ENOMEM, &err);
	}
	if (writer->sender && stacks->rows_count)
		send_profile(writer, container, stacks, &names);
	if (writer->files)
		write_file(writer, container, group, stacks, &names);
	atomic_fetch_add(&writer->config.counts->nameless, names.lacks[NAMES_NO_ROOM]);
	names_finish(&names);
}

/* It fails in each way that it would have gone. */
static void lose_profile(struct continuous_writer *writer)
{
	struct continuous_counts *counts = writer->config.counts;
	struct error err = {""};

	error_set(&err, 0, "out of memory for a profile");
	say(writer, WAY_NAMES, -ENOMEM, &err);
	atomic_fetch_add(&counts->write_failures, writer->files != NULL);
	atomic_fetch_add(&counts->send_failures, writer->sender != NULL);
}

static void write_group(struct continuous_writer *writer, const struct stacks *stacks,
			const struct profile_groups *groups, size_t group)
{
	const char *container = group < STACKS_GROUP_FIRST ? NULL : groups->ids[group];
	struct stacks part;

	if (profile_groups_take(stacks, groups, group, &part)) {
		lose_profile(writer);
		return;
	}
	/* Without names it has ids. */
	if (group != STACKS_GROUP_HOST)
		(void)container_names_set(writer->container_names, &part);
	/* A container without samples has no profile; the machine always has one. */
	if (part.rows_count || group == STACKS_GROUP_HOST)
		write_named(writer, container, group, groups->count, &part);
	stacks_finish(&part);
}

static void count_set(struct continuous_counts *counts, const struct stacks *stacks,
		      const struct profile_groups *groups)
{
	uint64_t losses = 0;

	/* The causes up to frames are about samples that are missing. */
	for (int i = 0; i < STACKS_LOST_FRAMES; i++)
		losses += stacks->lost[i];
	atomic_fetch_add(&counts->losses, losses);
	atomic_fetch_add(&counts->grouped, groups->left_out);
	atomic_fetch_add(&counts->intervals, 1);
}

static void remove_old(struct continuous_writer *writer)
{
	struct continuous_counts *counts = writer->config.counts;
	struct error err = {""};
	uint64_t removed = 0;

	if (continuous_files_clean(writer->files, clock_ns(CLOCK_REALTIME), &removed, &err)) {
		say(writer, WAY_OLD_FILES, -EIO, &err);
		atomic_fetch_add(&counts->remove_failures, 1);
	}
	atomic_fetch_add(&counts->removed, removed);
}

static void write_set(struct continuous_writer *writer, const struct stacks *stacks)
{
	struct continuous_counts *counts = writer->config.counts;
	uint64_t half_ns = writer->config.options->interval_ns / 2;
	struct profile_groups groups = {0};

	begin_names(writer);
	writer->send_left_ns = half_ns > SEND_LEAST_NS ? half_ns : SEND_LEAST_NS;
	if (profile_groups_make(stacks, WRITER_CONTAINERS_MAX, &groups)) {
		lose_profile(writer);
	} else {
		for (size_t i = 0; i < groups.count; i++)
			write_group(writer, stacks, &groups, i);
	}
	if (writer->files)
		remove_old(writer);
	count_set(counts, stacks, &groups);
	profile_groups_finish(&groups);
}

/* It takes its time: others come first, until it is late. The capture must not wait so. */
static void *writer_run(void *context)
{
	struct continuous_writer *writer = context;

	(void)setpriority(PRIO_PROCESS, 0, NICE);
	pthread_mutex_lock(&writer->mutex);
	while (!writer->ends) {
		struct stacks *stacks = writer->stacks;

		if (!stacks) {
			pthread_cond_wait(&writer->changed, &writer->mutex);
			continue;
		}
		pthread_mutex_unlock(&writer->mutex);
		writer->late_before = atomic_load(&writer->config.counts->late);
		show_life(writer);
		write_set(writer, stacks);
		stacks_finish(stacks);
		if (writer->hurries)
			(void)setpriority(PRIO_PROCESS, 0, NICE);
		writer->hurries = false;
		atomic_store(&writer->config.counts->writing_ns, 0);
		pthread_mutex_lock(&writer->mutex);
		writer->stacks = NULL;
		pthread_cond_broadcast(&writer->changed);
	}
	pthread_mutex_unlock(&writer->mutex);
	return NULL;
}

int continuous_writer_begin(struct continuous_writer *writer)
{
	int r = pthread_create(&writer->thread, NULL, writer_run, writer);

	writer->runs = r == 0;
	return -r;
}

bool continuous_writer_give(struct continuous_writer *writer, struct stacks *stacks)
{
	bool is_free;

	pthread_mutex_lock(&writer->mutex);
	is_free = !writer->stacks;
	if (is_free) {
		writer->stacks = stacks;
		pthread_cond_broadcast(&writer->changed);
	}
	pthread_mutex_unlock(&writer->mutex);
	return is_free;
}

bool continuous_writer_wait(struct continuous_writer *writer, uint64_t ns)
{
	struct timespec until = clock_timespec(clock_ns(CLOCK_MONOTONIC) + ns);
	bool is_free;
	int r = 0;

	pthread_mutex_lock(&writer->mutex);
	while (writer->stacks && r != ETIMEDOUT)
		r = pthread_cond_timedwait(&writer->changed, &writer->mutex, &until);
	is_free = !writer->stacks;
	pthread_mutex_unlock(&writer->mutex);
	return is_free;
}

void continuous_writer_destroy(struct continuous_writer *writer)
{
	if (!writer)
		return;
	if (writer->runs) {
		pthread_mutex_lock(&writer->mutex);
		writer->ends = true;
		pthread_cond_broadcast(&writer->changed);
		pthread_mutex_unlock(&writer->mutex);
		pthread_join(writer->thread, NULL);
	}
	namer_destroy(writer->namer);
	container_names_destroy(writer->container_names);
	continuous_files_close(writer->files);
	sender_destroy(writer->sender);
	buf_finish(&writer->out);
	pthread_cond_destroy(&writer->changed);
	pthread_mutex_destroy(&writer->mutex);
	free(writer);
}
