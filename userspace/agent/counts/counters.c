/* SPDX-License-Identifier: MIT */
/*
 * The thread, and what it has published. Counters are read when somebody asks: each costs an
 * interrupt on its CPU.
 */
#include "agent/counts/counters.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "perf/open.h"
#include "privileges/privileges.h"
#include "util/buf.h"
#include "util/clock.h"
#include "util/count.h"

enum { STEP_MS = 1000, ANSWER_MS = 1000 };

/* What was read, for those who ask: rows of all containers, and of each a sum for each event. */
struct published {
	struct counted_who *who; /* owned, as are */
	struct counted_sum *sums;
	size_t count;
	struct counters_stats stats;
};

struct counters {
	struct perf_machine machine;
	struct perf_event_list events;
	struct container_groups *groups;
	struct counted counted; /* of the thread */
	struct error failure; /* that was said; of the thread */
	pthread_t thread;
	bool runs;
	int wake; /* an eventfd */
	pthread_mutex_t mutex; /* of the rest */
	pthread_cond_t answered;
	struct published published;
	uint64_t asked, answers; /* numbers of questions */
	uint64_t changes; /* see struct counted: what is published */
	bool ends, is_late;
};

static bool counters_came(void *context, int folder, const struct container_group *group)
{
	struct counters *counters = context;

	return counted_add(&counters->counted, folder, group);
}

static void counters_went(void *context, uint64_t ino)
{
	struct counters *counters = context;

	counted_end(&counters->counted, ino, clock_ns(CLOCK_MONOTONIC));
}

/* The mutex is locked. */
static void publish(struct counters *counters)
{
	const struct counted *counted = &counters->counted;
	struct published *to = &counters->published;
	size_t events = counters->events.count;

	to->count = counted->count;
	to->stats.containers = 0;
	for (size_t i = 0; i < counted->count; i++) {
		to->who[i] = counted->list[i].who;
		memcpy(&to->sums[i * events], counted->list[i].sums, events * sizeof(*to->sums));
		to->stats.containers += counted_counts(&counted->list[i]);
	}
	counters->changes = to->stats.changes = counted->changes;
	memcpy(to->stats.left_out, counted->left_out, sizeof(to->stats.left_out));
	to->stats.unwatched = container_groups_unwatched(counters->groups);
}

/* Said once. */
static void say_failure(struct counters *counters)
{
	if (counters->failure.text[0] || !counters->counted.failure.text[0])
		return;
	counters->failure = counters->counted.failure;
	fprintf(stderr, "agent: --container-counters: a container is not counted: %s\n",
		counters->failure.text);
}

/* Returns whether the thread goes on. */
static bool counters_step(struct counters *counters)
{
	struct pollfd fds[] = {{counters->wake, POLLIN, 0},
			       {container_groups_fd(counters->groups), POLLIN, 0}};
	uint64_t now, asked, news;
	bool ends, is_asked;

	poll(fds, COUNT(fds), STEP_MS);
	if (fds[0].revents && read(counters->wake, &news, sizeof(news)) < 0)
		news = 0;
	now = clock_ns(CLOCK_MONOTONIC);
	container_groups_step(counters->groups, now);
	counted_follow_cpus(&counters->counted, now);
	counted_forget(&counters->counted, now > COUNTERS_AGE_NS ? now - COUNTERS_AGE_NS : 0);
	say_failure(counters);
	pthread_mutex_lock(&counters->mutex);
	asked = counters->asked;
	is_asked = asked != counters->answers;
	ends = counters->ends;
	pthread_mutex_unlock(&counters->mutex);
	if (ends || (!is_asked && counters->counted.changes == counters->changes))
		return !ends;
	if (is_asked)
		counted_read(&counters->counted);
	pthread_mutex_lock(&counters->mutex);
	publish(counters);
	counters->answers = asked;
	pthread_cond_broadcast(&counters->answered);
	pthread_mutex_unlock(&counters->mutex);
	return true;
}

/* Of files it needs those of the groups and of the CPUs. */
static int enter_role(const struct counters *counters, struct error *err)
{
	const struct files_rule rules[] = {
		{container_groups_root(counters->groups), .writes = false},
		{"/sys/devices/system/cpu", .writes = false},
		{"/proc/sys/kernel/perf_event_paranoid", .writes = false},
		{0},
	};

	return privileges_enter(ROLE_COUNTERS,
				&(struct files_limits){.rules = rules, .reads = true}, err);
}

static void *counters_run(void *data)
{
	struct counters *counters = data;
	struct error err = {""};

	pthread_setname_np(pthread_self(), "counters");
	if (enter_role(counters, &err) != 0) {
		fprintf(stderr, "agent: --container-counters: %s\n", err.text);
		return NULL;
	}
	while (counters_step(counters))
		continue;
	return NULL;
}

/* Each name is one series. */
static int check_event(const struct perf_event_list *events, size_t i, struct error *err)
{
	const struct perf_event *event = &events->events[i];

	if (event->is_gauge)
		return error_set(err, -EINVAL, "%s shows a value, and counts nothing", event->name);
	for (size_t k = 0; k < i; k++)
		if (events->events[k].origin != event->origin &&
		    strcmp(events->events[k].name, event->name) == 0)
			return error_set(err, -EINVAL, "%s is given twice", event->name);
	return 0;
}

static int parse_events(struct counters *counters, const struct counters_config *config,
			struct error *err)
{
	const struct perf_parse_options parse = {.no_sampling_terms = true,
						 .no_bpf_counters = true};
	int r = 0;

	for (size_t i = 0; r == 0 && i < config->events_count; i++)
		r = perf_event_parse(config->events[i], &counters->machine, &parse,
				     &counters->events, err);
	for (size_t i = 0; r == 0 && i < counters->events.count; i++)
		r = check_event(&counters->events, i, err);
	return r;
}

/* That they cannot be opened for the whole machine is found now, not by each container. */
static int try_events(const struct counters *counters, struct error *err)
{
	struct perf_target target;
	struct perf_counters opened = {0};
	char text[256];
	int r;

	perf_target_init(&target);
	r = perf_target_set_cpus(&target, NULL, err);
	if (r == 0)
		r = perf_counters_open(&opened, &counters->events, &target, &counters->machine,
				       err);
	for (size_t i = 0; r == 0 && i < opened.count; i++) {
		const struct perf_counter *counter = &opened.counters[i];
		struct buf reason = buf_fixed(text, sizeof(text) - 1);

		if (!counter->error)
			continue;
		perf_open_append_reason(&counters->machine, counter->event, counter->error,
					&reason);
		text[reason.len] = '\0';
		r = error_set(err, counter->error, "%s cannot be counted: %s", counter->name, text);
	}
	perf_counters_close(&opened);
	perf_target_finish(&target);
	return r;
}

/* A descriptor for each event, CPU and container. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int counters_create_rows(struct counters *counters, uint64_t series, struct error *err)
{
	size_t events = counters->events.count;
	size_t max = series > events ? series / events : 1;
	struct published *published = &counters->published;

	published->who = calloc(max, sizeof(*published->who));
	published->sums = calloc(max * events, sizeof(*published->sums));
	if (!published->who || !published->sums ||
	    counted_init(&counters->counted, &counters->events, &counters->machine, NULL, max) != 0)
		return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

/* Signals are the business of the other threads. */
static int start_thread(struct counters *counters, struct error *err)
{
	sigset_t all, before;
	int r;

	counters->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (counters->wake < 0)
		return error_set(err, -errno, "eventfd: %s", strerror(errno));
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	r = pthread_create(&counters->thread, NULL, counters_run, counters);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	counters->runs = r == 0;
	return r ? error_set(err, -r, "cannot start a thread: %s", strerror(r)) : 0;
}

static int counters_open(struct counters *counters, const struct counters_config *config,
			 struct error *err)
{
	const struct container_groups_listener listener = {counters, counters_came, counters_went};
	int r = perf_machine_open(&counters->machine, NULL, NULL, err);

	if (r == 0)
		r = parse_events(counters, config, err);
	if (r == 0)
		r = try_events(counters, err);
	if (r == 0)
		r = counters_create_rows(counters, config->series, err);
	if (r == 0)
		r = container_groups_open(config->host_root, &listener, &counters->groups, err);
	if (r)
		return r;
	counted_prepare(&counters->counted, container_groups_root(counters->groups));
	container_groups_step(counters->groups, clock_ns(CLOCK_MONOTONIC));
	return start_thread(counters, err);
}

int counters_start(const struct counters_config *config, struct counters **counters,
		   struct error *err)
{
	struct counters *made = calloc(1, sizeof(*made));
	struct error why = {""};
	pthread_condattr_t attr;
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->wake = -1;
	made->machine.tracefs = -ENOENT;
	pthread_mutex_init(&made->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&made->answered, &attr);
	pthread_condattr_destroy(&attr);
	raise_limit();
	r = counters_open(made, config, &why);
	if (r) {
		counters_stop(made);
		return error_set(err, r, "--container-counters: %s", why.text);
	}
	*counters = made;
	return 0;
}

static void counters_wake(const struct counters *counters)
{
	const uint64_t one = 1;

	if (write(counters->wake, &one, sizeof(one)) < 0)
		return; /* it is woken already */
}

void counters_stop(struct counters *counters)
{
	if (!counters)
		return;
	if (counters->runs) {
		pthread_mutex_lock(&counters->mutex);
		counters->ends = true;
		pthread_mutex_unlock(&counters->mutex);
		counters_wake(counters);
		pthread_join(counters->thread, NULL);
	}
	if (counters->wake >= 0)
		close(counters->wake);
	container_groups_close(counters->groups);
	counted_finish(&counters->counted);
	free(counters->published.who);
	free(counters->published.sums);
	perf_event_list_finish(&counters->events);
	perf_machine_close(&counters->machine);
	pthread_cond_destroy(&counters->answered);
	pthread_mutex_destroy(&counters->mutex);
	free(counters);
}

void counters_ask(struct counters *counters)
{
	const struct timespec until = clock_after_ms(CLOCK_MONOTONIC, ANSWER_MS);
	uint64_t question;
	int r = 0;

	pthread_mutex_lock(&counters->mutex);
	question = ++counters->asked;
	counters_wake(counters);
	while (counters->answers < question && r == 0)
		r = pthread_cond_timedwait(&counters->answered, &counters->mutex, &until);
	counters->is_late = counters->answers < question;
	pthread_mutex_unlock(&counters->mutex);
}

const struct perf_event_list *counters_events(const struct counters *counters)
{
	return &counters->events;
}

void counters_show(struct counters *counters, struct counters_stats *stats,
		   void (*visit)(void *context, size_t i, const struct counted_who *who,
				 const struct counted_sum *sums),
		   void *context)
{
	const struct published *published = &counters->published;

	pthread_mutex_lock(&counters->mutex);
	*stats = published->stats;
	stats->is_late = counters->is_late;
	for (size_t i = 0; i < published->count; i++)
		visit(context, i, &published->who[i], &published->sums[i * counters->events.count]);
	pthread_mutex_unlock(&counters->mutex);
}

uint64_t counters_changes(struct counters *counters)
{
	uint64_t changes;

	pthread_mutex_lock(&counters->mutex);
	changes = counters->published.stats.changes;
	pthread_mutex_unlock(&counters->mutex);
	return changes;
}

size_t counters_max(const struct counters *counters)
{
	return counters->counted.max;
}
