/* SPDX-License-Identifier: MIT */
/* The process whose end must come through: which events are its own, and how long is waited. */
#include "agent/run/canary.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "event/event.h"
#include "sinsp/sinsp.h"
#include "unit.h"

static struct state_event event_of(uint16_t id, int64_t tid)
{
	return (struct state_event){.ev = {.desc = event_desc_get(id), .tid = tid}};
}

static void test_without_an_event(void **state)
{
	struct canary canary;
	struct state_event event;

	canary_init(&canary);
	assert_int_equal(canary_start(&canary), 0);
	assert_int_equal(kill(canary.pid, 0), 0);
	event = event_of(EVENT_procexit, canary.pid);
	assert_false(canary_takes(&canary, &event)); /* nobody waits yet */
	assert_int_equal(canary_end(&canary, canary.pid, 10), -ETIMEDOUT);
	assert_int_equal(kill(canary.pid, 0), -1);
	assert_int_equal(canary_start(&canary), 0);
	assert_int_equal(canary_end(&canary, 0, 10), 0);
	canary_finish(&canary);
}

/* The loop: has events of others, too. */
static void *take(void *data)
{
	struct canary *canary = data;
	struct state_event other = event_of(EVENT_procexit, 1);
	struct state_event close = event_of(EVENT_close, canary->pid);
	struct state_event last = event_of(EVENT_procexit, canary->pid);

	while (!canary_takes(canary, &close))
		assert_false(canary_takes(canary, &other));
	assert_true(canary_takes(canary, &last));
	return NULL;
}

static void test_with_its_event(void **state)
{
	struct canary canary;
	pthread_t thread;

	canary_init(&canary);
	assert_int_equal(canary_start(&canary), 0);
	assert_int_equal(pthread_create(&thread, NULL, take, &canary), 0);
	assert_int_equal(canary_end(&canary, canary.pid, 10000), 0);
	pthread_join(thread, NULL);
	canary_finish(&canary);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_without_an_event),
	cmocka_unit_test(test_with_its_event),
};

UNIT_GROUP(tests);
