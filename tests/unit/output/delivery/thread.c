/* SPDX-License-Identifier: MIT */
/* Threads without signals, and without capabilities if there is such a policy. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include "in_child.h"
#include "output/delivery/thread.h"
#include "privileges/capabilities.h"
#include "privileges/privileges.h"
#include "unit.h"

struct seen {
	bool called, blocks_signals;
	struct capability_sets sets;
};

static void look(void *context)
{
	struct seen *seen = context;
	sigset_t blocked;

	seen->called = true;
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	seen->blocks_signals = sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGUSR1);
	capability_sets_read(&seen->sets);
}

static void *run(void *context)
{
	look(context);
	return context;
}

static void test_without_policy(void **state)
{
	struct capability_sets own;
	struct seen called = {0}, started = {0};
	struct error err = {""};
	sigset_t blocked;
	pthread_t thread;
	void *result;

	assert_int_equal(capability_sets_read(&own), 0);
	assert_int_equal(thread_call(NULL, look, &called, &err), 0);
	assert_int_equal(thread_start(&thread, NULL, run, &started), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, &started);
	assert_true(called.called && called.blocks_signals);
	assert_true(started.called && started.blocks_signals);
	assert_int_equal(called.sets.effective, own.effective);
	assert_int_equal(started.sets.effective, own.effective);
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	assert_false(sigismember(&blocked, SIGTERM));
}

static int try_policy(void *context)
{
	const struct privileges_needs needs = {0};
	struct capability_sets before, after;
	struct seen called = {0}, started = {0};
	struct error err = {""};
	pthread_t thread;

	EXPECT(capability_sets_read(&before) == 0);
	privileges_set(PRIVILEGES_DROP, &needs);
	EXPECT(thread_call(NULL, look, &called, &err) == 0);
	EXPECT(thread_start(&thread, NULL, run, &started) == 0);
	EXPECT(pthread_join(thread, NULL) == 0);
	EXPECT(called.called && called.sets.effective == 0 && called.sets.permitted == 0);
	EXPECT(started.called && started.sets.effective == 0 && started.sets.permitted == 0);
	/* The caller keeps its own. */
	EXPECT(capability_sets_read(&after) == 0 && after.effective == before.effective);
	return 0;
}

static void test_with_policy(void **state)
{
	if (geteuid())
		skip();
	in_child(try_policy, NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_without_policy),
	cmocka_unit_test(test_with_policy),
};

UNIT_GROUP(tests);
