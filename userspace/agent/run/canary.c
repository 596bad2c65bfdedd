/* SPDX-License-Identifier: MIT */
/* The process shares the memory of the agent, so that none is copied for it. */
#include "agent/run/canary.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "event/event.h"
#include "sinsp/sinsp.h"
#include "util/clock.h"

enum { LOCK_MS = 1000 };

static const uint64_t FRESH_NS = 200000000;

void canary_init(struct canary *canary)
{
	atomic_init(&canary->tid, 0);
	atomic_init(&canary->arrived_ns, 0);
	sem_init(&canary->arrived, 0, 0);
	pthread_mutex_init(&canary->lock, NULL);
}

void canary_finish(struct canary *canary)
{
	pthread_mutex_destroy(&canary->lock);
	sem_destroy(&canary->arrived);
}

/* Ends when the other end of the pipe is closed, of which it has a copy. */
static int live(void *data)
{
	const struct canary *canary = data;
	char byte;

	close(canary->ends[1]);
	while (read(canary->ends[0], &byte, 1) < 0 && errno == EINTR)
		;
	return 0;
}

static int run_canary_start(struct canary *canary)
{
	int r = 0;

	if (pipe2(canary->ends, O_CLOEXEC))
		return -errno;
	/* No signal at its end: that is not the business of the main thread. */
	canary->pid = clone(live, canary->stack + sizeof(canary->stack), CLONE_VM, canary);
	if (canary->pid < 0) {
		r = -errno;
		close(canary->ends[1]);
	}
	close(canary->ends[0]);
	return r;
}

bool canary_is_fresh(const struct canary *canary)
{
	uint64_t arrived_ns = atomic_load(&canary->arrived_ns);

	return arrived_ns && clock_ns(CLOCK_MONOTONIC) - arrived_ns < FRESH_NS;
}

int canary_start(struct canary *canary)
{
	const struct timespec end = clock_after_ms(CLOCK_MONOTONIC, LOCK_MS);
	int r = -pthread_mutex_clocklock(&canary->lock, CLOCK_MONOTONIC, &end);

	if (r)
		return r;
	r = run_canary_start(canary);
	if (r)
		pthread_mutex_unlock(&canary->lock);
	return r;
}

int canary_end(struct canary *canary, int64_t tid, unsigned int timeout_ms)
{
	const struct timespec end = clock_after_ms(CLOCK_MONOTONIC, timeout_ms);
	int r = 0;

	while (sem_trywait(&canary->arrived) == 0)
		; /* of an earlier one that came too late */
	atomic_store(&canary->tid, tid);
	close(canary->ends[1]);
	waitpid(canary->pid, NULL, __WCLONE);
	do
		r = tid && sem_clockwait(&canary->arrived, CLOCK_MONOTONIC, &end) ? -errno : 0;
	while (r == -EINTR);
	atomic_store(&canary->tid, 0);
	if (tid && r == 0)
		atomic_store(&canary->arrived_ns, clock_ns(CLOCK_MONOTONIC));
	pthread_mutex_unlock(&canary->lock);
	return r;
}

bool canary_takes(struct canary *canary, const struct state_event *event)
{
	int64_t tid = atomic_load_explicit(&canary->tid, memory_order_relaxed);

	if (tid == 0 || event->ev.tid != tid)
		return false;
	if (event->ev.desc->id == EVENT_procexit)
		sem_post(&canary->arrived);
	return true;
}
