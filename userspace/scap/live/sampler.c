/* SPDX-License-Identifier: MIT */
/* A read of so many bytes goes through as many sockets: the program writes one for each. */
#include "scap/live/sampler.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "privileges/privileges.h"
#include "util/clock.h"

enum {
	SOCKETS_AT_ONCE = 256, /* about half a millisecond of the kernel's time */
	REST_MS = 3,
	NS_PER_MS = 1000000,
};

/* Whether the end is posted until then, by CLOCK_MONOTONIC. */
static bool is_ended(sem_t *end, const struct timespec *until)
{
	int r;

	do
		r = sem_clockwait(end, CLOCK_MONOTONIC, until) ? -errno : 0;
	while (r == -EINTR);
	return r == 0;
}

static bool rests(sem_t *end)
{
	const struct timespec until = clock_after_ms(CLOCK_MONOTONIC, REST_MS);

	return !end || !is_ended(end, &until);
}

/* Returns how many there were, or -errno; posts the end again that it took. */
static int read_through(int iterator, sem_t *end)
{
	char marks[SOCKETS_AT_ONCE];
	int sockets = 0;
	ssize_t n;

	while ((n = read(iterator, marks, sizeof(marks))) > 0) {
		sockets += (int)n;
		if (rests(end))
			continue;
		sem_post(end);
		return sockets;
	}
	return n < 0 ? -errno : sockets;
}

int live_sampler_pass(int link, sem_t *end)
{
	int iterator = bpf_iter_create(link), sockets;

	if (iterator < 0)
		return iterator;
	sockets = read_through(iterator, end);
	close(iterator);
	return sockets;
}

static void note_failure(struct live_sampler *sampler, int error)
{
	atomic_store(&sampler->error, error);
	atomic_fetch_add(&sampler->failed, 1);
}

static void *sampler_run(void *data)
{
	static const struct files_rule none[] = {{0}};
	static const struct files_limits nothing = {.rules = none};
	struct live_sampler *sampler = data;
	uint64_t interval_ms = sampler->interval_ns / NS_PER_MS;
	struct timespec next = clock_after_ms(CLOCK_MONOTONIC, interval_ms);
	int r = privileges_enter(ROLE_SAMPLER, &nothing, NULL);

	pthread_setname_np(pthread_self(), "sampler");
	if (r)
		note_failure(sampler, r);
	/* From one beginning to the next: after a pass that took longer, the next one begins at
	 * once. */
	while (r == 0 && !is_ended(&sampler->end, &next)) {
		int sockets;

		next = clock_after_ms(CLOCK_MONOTONIC, interval_ms);
		sockets = live_sampler_pass(sampler->link, &sampler->end);
		if (sockets < 0)
			note_failure(sampler, sockets);
	}
	return NULL;
}

/* Signals are the business of the other threads. */
int live_sampler_start(struct live_sampler *sampler, int link, uint64_t interval_ns)
{
	sigset_t all, before;
	int r;

	sampler->link = link;
	sampler->interval_ns = interval_ns;
	sem_init(&sampler->end, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	r = pthread_create(&sampler->thread, NULL, sampler_run, sampler);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	sampler->runs = r == 0;
	if (r)
		sem_destroy(&sampler->end);
	return -r;
}

void live_sampler_stop(struct live_sampler *sampler)
{
	if (!sampler->runs)
		return;
	sem_post(&sampler->end);
	pthread_join(sampler->thread, NULL);
	sem_destroy(&sampler->end);
	sampler->runs = false;
}
