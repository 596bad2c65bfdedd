/* SPDX-License-Identifier: MIT */
/*
 * Each CPU is in a state. The thread alone changes it while the CPU is away or used, the event
 * thread alone while it has ended or is opened: so each owns the descriptors in its states.
 */
#include "scap/samples/follow.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "privileges/privileges.h"
#include "scap/rings/cpus.h"
#include "scap/rings/enabled.h"
#include "util/clock.h"

/* How often the list of CPUs is read, and every how many times each account: an interrupt. */
enum { FOLLOW_MS = 1000, FOLLOWS_PER_ACCOUNT = 2 };

enum cpu_state {
	CPU_AWAY,
	CPU_OPENED, /* by the thread; the event thread is to use it */
	CPU_USED,
	CPU_ENDED, /* what is in its ring is still to be read */
};

struct followed_cpu {
	enum cpu_state state;
	struct sample_cpu opened; /* of CPU_OPENED */
	struct scap_enabled account; /* of CPU_USED */
	int error; /* -errno; 0: it could be opened */
};

struct sample_follower {
	const struct samples_config *config;
	struct sample_sources *sources;
	pthread_t thread;
	pthread_mutex_t mutex; /* of what follows */
	pthread_cond_t changed;
	struct followed_cpu *cpus; /* owned; by number, as in the sources */
	bool *online; /* owned; the thread's, until it failed */
	bool runs, ends;
	int failed; /* -errno: the thread ended, as it could not give up what it does not need */
	atomic_bool has_news; /* any is CPU_OPENED or CPU_ENDED */
};

/* The thread. */

/* An account takes some time to be read, and is read rarely. */
static bool has_ended(struct sample_follower *follower, uint32_t i, bool asks)
{
	return !follower->online[i] ||
	       (asks && scap_enabled_has_ended(&follower->cpus[i].account,
					       follower->sources->cpus[i].owner));
}

/* Without the mutex meanwhile, as opening may take long. */
static void open_cpu(struct sample_follower *follower, uint32_t i)
{
	struct followed_cpu *cpu = &follower->cpus[i];
	struct sample_cpu opened;
	int r;

	pthread_mutex_unlock(&follower->mutex);
	r = sample_cpu_open(follower->config, follower->sources, NULL, i, &opened, NULL);
	pthread_mutex_lock(&follower->mutex);
	cpu->error = r;
	if (r)
		return;
	cpu->opened = opened;
	cpu->state = CPU_OPENED;
	atomic_store(&follower->has_news, true);
}

static void follow_cpus(struct sample_follower *follower, bool asks)
{
	uint32_t count = follower->sources->cpus_count;

	if (scap_cpus_read(SCAP_CPUS_ONLINE, count, follower->online))
		return;
	for (uint32_t i = 0; i < count && follower->runs && !follower->ends; i++) {
		struct followed_cpu *cpu = &follower->cpus[i];

		if (cpu->state == CPU_USED && has_ended(follower, i, asks)) {
			cpu->state = CPU_ENDED;
			atomic_store(&follower->has_news, true);
		} else if (cpu->state == CPU_AWAY) {
			/* One that went again while it was opened is no trouble. */
			if (follower->online[i])
				open_cpu(follower, i);
			else
				cpu->error = 0;
		}
	}
}

static void *sample_follower_thread(void *data)
{
	static const struct files_rule rules[] = {{"/sys/devices/system/cpu", .writes = false},
						  {0}};
	static const struct files_limits limits = {.rules = rules, .reads = true};
	struct sample_follower *follower = data;
	int r = privileges_enter(ROLE_COUNTERS, &limits, NULL);

	pthread_setname_np(pthread_self(), "sample-cpus");
	pthread_mutex_lock(&follower->mutex);
	follower->failed = r;
	for (unsigned int looks = 1; r == 0 && !follower->ends; looks++) {
		const struct timespec until = clock_after_ms(CLOCK_MONOTONIC, FOLLOW_MS);

		pthread_cond_timedwait(&follower->changed, &follower->mutex, &until);
		if (follower->runs)
			follow_cpus(follower, looks % FOLLOWS_PER_ACCOUNT == 0);
	}
	pthread_mutex_unlock(&follower->mutex);
	return NULL;
}

/* Signals are the business of the other threads. */
static int start_thread(struct sample_follower *follower)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	r = pthread_create(&follower->thread, NULL, sample_follower_thread, follower);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

static void follower_free(struct sample_follower *follower)
{
	uint32_t count = follower->cpus ? follower->sources->cpus_count : 0;

	for (uint32_t i = 0; i < count; i++)
		if (follower->cpus[i].state == CPU_OPENED)
			sample_cpu_close(&follower->cpus[i].opened);
	pthread_cond_destroy(&follower->changed);
	pthread_mutex_destroy(&follower->mutex);
	free(follower->cpus);
	free(follower->online);
	free(follower);
}

int sample_follower_start(const struct samples_config *config, struct sample_sources *sources,
			  struct sample_follower **follower, struct error *err)
{
	struct sample_follower *made = calloc(1, sizeof(*made));
	pthread_condattr_t attr;
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->config = config;
	made->sources = sources;
	pthread_mutex_init(&made->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&made->changed, &attr);
	pthread_condattr_destroy(&attr);
	made->cpus = calloc(sources->cpus_count, sizeof(*made->cpus));
	made->online = calloc(sources->cpus_count, sizeof(*made->online));
	r = made->cpus && made->online ? start_thread(made) : ENOMEM;
	if (r) {
		follower_free(made);
		return error_set(err, -r, "cannot start the thread that follows CPUs: %s",
				 strerror(r));
	}
	*follower = made;
	return 0;
}

void sample_follower_stop(struct sample_follower *follower)
{
	if (!follower)
		return;
	pthread_mutex_lock(&follower->mutex);
	follower->ends = true;
	pthread_cond_signal(&follower->changed);
	pthread_mutex_unlock(&follower->mutex);
	pthread_join(follower->thread, NULL);
	follower_free(follower);
}

/* The event thread. */

static void begin_to_use(struct followed_cpu *cpu)
{
	cpu->state = CPU_USED;
	scap_enabled_begin(&cpu->account);
}

void sample_follower_run(struct sample_follower *follower, bool runs)
{
	struct sample_sources *sources = follower->sources;

	pthread_mutex_lock(&follower->mutex);
	follower->runs = runs;
	sample_sources_enable(sources, runs);
	for (uint32_t i = 0; runs && i < sources->cpus_count; i++)
		if (sources->cpus[i].owner >= 0 && follower->cpus[i].state == CPU_AWAY)
			begin_to_use(&follower->cpus[i]);
	pthread_mutex_unlock(&follower->mutex);
}

static bool is_drained(const struct sample_ring *ring)
{
	return !ring->meta ||
	       ring->released == __atomic_load_n(&ring->meta->data_head, __ATOMIC_ACQUIRE);
}

/* Returns whether the CPU is used now. */
static bool use_cpu(struct sample_follower *follower, uint32_t i)
{
	struct followed_cpu *cpu = &follower->cpus[i];
	struct sample_cpu *used = &follower->sources->cpus[i];

	*used = cpu->opened;
	cpu->error = sample_cpu_use(follower->config, i, used, NULL);
	if (cpu->error) {
		sample_cpu_close(used);
		cpu->state = CPU_AWAY;
		return false;
	}
	begin_to_use(cpu);
	sample_cpu_enable(used);
	return true;
}

bool sample_follower_step(struct sample_follower *follower)
{
	struct sample_sources *sources = follower->sources;
	bool came = false, waits = false;

	if (!atomic_load_explicit(&follower->has_news, memory_order_relaxed))
		return false;
	pthread_mutex_lock(&follower->mutex);
	for (uint32_t i = 0; i < sources->cpus_count; i++) {
		struct followed_cpu *cpu = &follower->cpus[i];

		if (cpu->state == CPU_OPENED && follower->runs)
			came |= use_cpu(follower, i);
		if (cpu->state != CPU_ENDED)
			continue;
		if (!is_drained(&sources->cpus[i].ring)) {
			waits = true;
			continue;
		}
		sample_sources_close_cpu(sources, i);
		cpu->state = CPU_AWAY;
	}
	atomic_store(&follower->has_news, waits);
	pthread_mutex_unlock(&follower->mutex);
	return came;
}

/* Without the thread, CPUs that are online are not followed if they have no events. */
static void note_unfollowed(struct sample_follower *follower)
{
	uint32_t count = follower->sources->cpus_count;

	if (scap_cpus_read(SCAP_CPUS_ONLINE, count, follower->online))
		return;
	for (uint32_t i = 0; i < count; i++) {
		struct followed_cpu *cpu = &follower->cpus[i];
		bool is_missed = follower->online[i] && follower->sources->cpus[i].owner < 0;

		cpu->error = is_missed ? follower->failed : 0;
	}
}

void sample_follower_stats(struct sample_follower *follower, struct samples_stats *stats)
{
	pthread_mutex_lock(&follower->mutex);
	if (follower->failed)
		note_unfollowed(follower);
	for (uint32_t i = 0; i < follower->sources->cpus_count; i++) {
		if (!follower->cpus[i].error)
			continue;
		stats->unfollowed++;
		stats->follow_error = follower->cpus[i].error;
	}
	pthread_mutex_unlock(&follower->mutex);
}
