/* SPDX-License-Identifier: MIT */
/*
 * A process that appends, sends and acknowledges is killed a hundred times, at any moment. What its
 * collector got, it gets by memory that both share: each record at least once, none again without
 * its mark, and none again that was acknowledged.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "output/spool/spool.h"
#include "spooled.h"
#include "unit.h"

#define MS UINT64_C(1000000)

enum {
	KILLS = 100,
	LONGEST_MS = 30,
	RECORDS_MAX = 8 << 20,
	BATCH_MAX = 50,
	PATIENCE_S = 60,
	ANSWER_US = 200
};

struct collector {
	_Atomic uint64_t appended; /* number of the last record that spool_append() took */
	_Atomic uint64_t acknowledged; /* number of the last one that was acknowledged */
	_Atomic uint64_t again; /* how many came again, with their mark */
	atomic_bool works; /* the process that is to be killed is at work */
	/* What must not happen, and to which number; 0: nothing. */
	_Atomic uint64_t lost, unmarked, after_acknowledgement;
	uint8_t times[RECORDS_MAX]; /* how often each number came */
};

static struct collector *collector;

static void collect(const struct spool_batch *batch)
{
	if (batch->lost)
		collector->lost = batch->records[0].number;
	for (size_t i = 0; i < batch->count; i++) {
		uint64_t number = batch->records[i].number;
		bool marked = batch->records[i].flags & RECORD_REDELIVERED;

		if (number <= collector->acknowledged)
			collector->after_acknowledgement = number;
		if (collector->times[number] && !marked)
			collector->unmarked = number;
		collector->again += collector->times[number] > 0;
		collector->times[number]++;
	}
}

/* Sends a batch and acknowledges a part of it, as a target does that answers late. */
static void deliver(struct spooled *spooled, const struct spool_batch *batch, bool all)
{
	size_t known = all ? batch->count : 1 + (size_t)rand() % batch->count;

	assert_int_equal(spool_attempt(spooled->spool, batch->first + batch->count - 1, NULL), 0);
	collect(batch);
	usleep((useconds_t)(rand() % ANSWER_US));
	assert_int_equal(spool_acknowledge(spooled->spool, batch->first + known - 1, NULL), 0);
	collector->acknowledged = batch->records[known - 1].number;
}

static void *append(void *argument)
{
	struct spooled *spooled = argument;

	spooled->number = spool_last_number(spooled->spool);
	for (;;) {
		/* Files grow a little, and shrink: it is the reader who has to keep up. */
		if (spooled->number > collector->acknowledged + 20000 ||
		    spooled->number > RECORDS_MAX - BATCH_MAX - 1) {
			usleep(100);
			continue;
		}
		spooled_append(spooled, 1 + (size_t)rand() % BATCH_MAX);
		collector->appended = spooled->number;
	}
	return NULL;
}

static void work(struct spooled *spooled)
{
	struct spool_batch batch;
	pthread_t thread;

	spooled_open(spooled);
	assert_int_equal(pthread_create(&thread, NULL, append, spooled), 0);
	collector->works = true;
	for (;;)
		if (spooled_read(spooled, &batch))
			deliver(spooled, &batch, false);
}

static void kill_at_any_moment(struct spooled *spooled, int longest_ms)
{
	time_t end = time(NULL) + PATIENCE_S;
	pid_t pid;
	int status;

	collector->works = false;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		work(spooled);
	while (!collector->works && time(NULL) < end)
		usleep(100);
	assert_true(collector->works);
	usleep((useconds_t)(rand() % (longest_ms * 1000)));
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void drain(struct spooled *spooled)
{
	struct spool_batch batch;

	spooled_open(spooled);
	assert_true(spool_last_number(spooled->spool) >= collector->appended);
	while (spooled_read(spooled, &batch))
		deliver(spooled, &batch, true);
	assert_int_equal(collector->acknowledged, spool_last_number(spooled->spool));
}

static void check_promises(void)
{
	assert_int_equal(collector->lost, 0);
	assert_int_equal(collector->unmarked, 0);
	assert_int_equal(collector->after_acknowledgement, 0);
	for (uint64_t number = 1; number <= collector->appended; number++)
		if (!collector->times[number])
			fail_msg("record %llu was lost", (unsigned long long)number);
}

static bool has_met_all(uint64_t sync_ns)
{
	return collector->appended > 0 && (sync_ns == 0 || collector->again > 0);
}

static void keeps_its_promises(struct spooled *spooled, uint64_t sync_ns, int kills)
{
	spooled->config.segment_bytes = 65536;
	spooled->config.limit_bytes = 64 << 20;
	spooled->config.level = 1;
	spooled->config.sync_ns = sync_ns;
	for (int i = 0; i < kills; i++)
		kill_at_any_moment(spooled, LONGEST_MS);
	/* On a slow machine nothing has been appended by then, or sent again. */
	for (int ms = LONGEST_MS; ms < PATIENCE_S * 1000 && !has_met_all(sync_ns); ms *= 2)
		kill_at_any_moment(spooled, ms);
	drain(spooled);
	check_promises();
	assert_true(collector->appended > 0);
}

static void setup(struct spooled *spooled)
{
	collector = mmap(NULL, sizeof(*collector), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(collector != MAP_FAILED);
	srand((unsigned int)time(NULL));
	spooled_create(spooled);
}

static void teardown(struct spooled *spooled)
{
	spooled_destroy(spooled);
	munmap(collector, sizeof(*collector));
}

static void keeps_its_promises_when_it_is_killed(void **state)
{
	struct spooled spooled;

	setup(&spooled);
	keeps_its_promises(&spooled, 20 * MS, KILLS * 4 / 5);
	/* The test has to have met what it is about. */
	assert_true(collector->again > 0);
	teardown(&spooled);
}

static void keeps_its_promises_when_each_batch_is_synced(void **state)
{
	struct spooled spooled;

	setup(&spooled);
	keeps_its_promises(&spooled, 0, KILLS / 5);
	teardown(&spooled);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(keeps_its_promises_when_it_is_killed),
	cmocka_unit_test(keeps_its_promises_when_each_batch_is_synced),
};

UNIT_GROUP(tests);
