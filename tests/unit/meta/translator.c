/* SPDX-License-Identifier: MIT */
/* The thread that asks tables of connections: of processes in namespaces of their own. */
#include "meta/translator.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "net/namespace.h"
#include "netns.h"
#include "patience.h"
#include "unit.h"

static struct translator_answer ask_and_wait(struct translator *translator,
					     const struct translator_question *question)
{
	struct translator_answer answer = {.fate = TRANSLATOR_FATES};

	assert_true(translator_ask(translator, question));
	assert_true(translator_wait(translator, PATIENCE_NS));
	assert_true(translator_take(translator, &answer));
	assert_int_equal(answer.id, question->id);
	assert_false(translator_take(translator, &answer));
	return answer;
}

static void test_answers(void **state)
{
	const struct netns_entry entries[] = {
		{netns_tuple("10.0.0.1", 40000, "10.96.0.1", 80),
		 netns_tuple("10.1.2.3", 8080, "10.0.0.1", 40000)},
		{netns_tuple("10.0.0.1", 40001, "10.0.0.2", 80),
		 netns_tuple("10.0.0.2", 80, "10.0.0.1", 40001)},
	};
	struct translator_question question = {.id = 7, .tuple = entries[0].original};
	struct translator_stats stats;
	struct translator_answer answer;
	struct translator *translator;
	pid_t pid, other;
	uint64_t ino;
	int before;

	if (!netns_can_be_made())
		skip();
	before = netns_enter_new();
	pid = netns_begin(entries, 2);
	netns_join(pid);
	other = netns_begin(NULL, 0);
	close(namespace_open("/proc", pid, &ino));
	assert_int_equal(translator_create(NULL, &translator, NULL), 0);
	question.pid = pid;
	answer = ask_and_wait(translator, &question);
	assert_int_equal(answer.fate, TRANSLATOR_FOUND);
	assert_int_equal(answer.address_len, 4);
	assert_int_equal(answer.real.port, 8080);
	assert_memory_equal(answer.real.address, "\x0a\1\2\3", 4);
	/* As a socket of IPv6 has it. */
	question.tuple = netns_tuple("::ffff:10.0.0.1", 40000, "::ffff:10.96.0.1", 80);
	answer = ask_and_wait(translator, &question);
	assert_int_equal(answer.fate, TRANSLATOR_FOUND);
	question.tuple = entries[1].original;
	assert_int_equal(ask_and_wait(translator, &question).fate, TRANSLATOR_SAME);
	/* The same in another namespace is another connection. */
	question.tuple = entries[0].original;
	question.pid = other;
	assert_int_equal(ask_and_wait(translator, &question).fate, TRANSLATOR_MISSING);
	/* The process has ended; the number of the namespace is enough, while somebody is there. */
	netns_end(other);
	assert_int_equal(ask_and_wait(translator, &question).fate, TRANSLATOR_GONE);
	question.netns = ino;
	assert_int_equal(ask_and_wait(translator, &question).fate, TRANSLATOR_FOUND);
	/* A process that has its id in another namespace is another one. */
	question.pid = (int32_t)getpid();
	assert_int_equal(ask_and_wait(translator, &question).fate, TRANSLATOR_FOUND);
	translator_stats(translator, &stats);
	assert_int_equal(stats.fates[TRANSLATOR_FOUND], 4);
	assert_int_equal(stats.fates[TRANSLATOR_GONE], 1);
	assert_int_equal(stats.rejected, 0);
	translator_destroy(translator);
	netns_end(pid);
	netns_leave(before);
}

/* Asks until the answer is that one: not for ever. */
static void ask_until(struct translator *translator, const struct translator_question *question,
		      enum translator_fate before, enum translator_fate wanted)
{
	static const struct timespec pause = {.tv_nsec = 50000000};
	enum translator_fate fate;

	for (uint64_t ns = 0; (fate = ask_and_wait(translator, question).fate) == before;
	     ns += (uint64_t)pause.tv_nsec) {
		assert_true(ns < PATIENCE_NS);
		nanosleep(&pause, NULL);
	}
	assert_int_equal(fate, wanted);
}

/*
 * What a namespace says that leads nowhere is not believed: who made it wrote what he likes. When a
 * device joins it, its table is, though somebody asks all the time.
 */
static void test_joined_later(void **state)
{
	const struct netns_entry entries[] = {
		{netns_tuple("10.0.0.1", 40000, "10.96.0.1", 80),
		 netns_tuple("10.1.2.3", 8080, "10.0.0.1", 40000)},
		{netns_tuple("10.0.0.1", 40001, "10.0.0.2", 80),
		 netns_tuple("10.0.0.2", 80, "10.0.0.1", 40001)},
	};
	struct translator_question question = {.tuple = entries[1].original};
	struct translator *translator;
	int before;

	if (!netns_can_be_made())
		skip();
	before = netns_enter_new();
	question.pid = netns_begin(entries, 2);
	assert_int_equal(translator_create(NULL, &translator, NULL), 0);
	assert_int_equal(ask_and_wait(translator, &question).fate, TRANSLATOR_SAME);
	question.tuple = entries[0].original;
	assert_int_equal(ask_and_wait(translator, &question).fate, TRANSLATOR_UNSURE);
	netns_join(question.pid);
	ask_until(translator, &question, TRANSLATOR_UNSURE, TRANSLATOR_FOUND);
	translator_destroy(translator);
	netns_end(question.pid);
	netns_leave(before);
}

/* So many descriptors may be open as are, and `more`. Returns what was allowed. */
static struct rlimit limit_files(unsigned int more)
{
	struct rlimit before, limit;
	int next = dup(STDERR_FILENO);

	assert_true(next >= 0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	limit.rlim_cur = (rlim_t)next + more;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	return before;
}

/* A table that could not be opened is opened later, though somebody asks all the time. */
static void test_opened_later(void **state)
{
	const struct netns_entry entry = {netns_tuple("10.0.0.1", 40000, "10.96.0.1", 80),
					  netns_tuple("10.1.2.3", 8080, "10.0.0.1", 40000)};
	struct translator_question question = {.tuple = entry.original, .pid = INT32_MAX};
	struct translator *translator;
	struct rlimit limit;
	int before;

	if (!netns_can_be_made())
		skip();
	before = netns_enter_new();
	assert_int_equal(translator_create(NULL, &translator, NULL), 0);
	assert_int_equal(ask_and_wait(translator, &question).fate, TRANSLATOR_GONE);
	question.pid = netns_begin(&entry, 1);
	netns_join(question.pid);
	/* The namespace can be opened. */
	limit = limit_files(1);
	assert_int_equal(ask_and_wait(translator, &question).fate, TRANSLATOR_FAILED);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ask_until(translator, &question, TRANSLATOR_FAILED, TRANSLATOR_FOUND);
	translator_destroy(translator);
	netns_end(question.pid);
	netns_leave(before);
}

/* Without its table it is found by a search among all processes. */
static void test_search_by_number(void **state)
{
	const struct netns_entry entry = {netns_tuple("10.0.0.1", 40000, "10.96.0.1", 80),
					  netns_tuple("10.1.2.3", 8080, "10.0.0.1", 40000)};
	struct translator_question question = {.tuple = entry.original, .pid = INT32_MAX};
	struct translator *translator;
	pid_t pid;
	int before;

	if (!netns_can_be_made())
		skip();
	before = netns_enter_new();
	pid = netns_begin(&entry, 1);
	netns_join(pid);
	close(namespace_open("/proc", pid, &question.netns));
	assert_int_equal(translator_create(NULL, &translator, NULL), 0);
	assert_int_equal(ask_and_wait(translator, &question).fate, TRANSLATOR_FOUND);
	/* Not again at once. */
	question.netns++;
	assert_int_equal(ask_and_wait(translator, &question).fate, TRANSLATOR_GONE);
	translator_destroy(translator);
	netns_end(pid);
	netns_leave(before);
}

/* Asks as often as one process may; INT32_MAX and before: none is that. */
static void ask_whole_share(struct translator *translator, struct translator_question *question)
{
	for (int i = 0; i < TRANSLATOR_SHARE_MAX; i++)
		assert_true(translator_ask(translator, question));
	assert_false(translator_ask(translator, question));
	question->pid--;
}

/* Nobody takes the answers: there are so many questions, also of one process, and no more. */
static void test_too_many(void **state)
{
	struct translator_question question = {.pid = INT32_MAX,
					       .tuple = netns_tuple("10.0.0.1", 1, "10.0.0.2", 2)};
	struct translator_stats stats;
	struct translator_answer answer;
	struct translator *translator;

	assert_int_equal(translator_create("/no/such/root", &translator, NULL), 0);
	for (int i = 0; i < TRANSLATOR_QUESTIONS_MAX / TRANSLATOR_SHARE_MAX; i++)
		ask_whole_share(translator, &question);
	assert_false(translator_ask(translator, &question));
	question.pid = INT32_MAX;
	for (int i = 0; i < TRANSLATOR_QUESTIONS_MAX; i++) {
		assert_true(translator_wait(translator, PATIENCE_NS));
		assert_true(translator_take(translator, &answer));
		assert_int_equal(answer.fate, TRANSLATOR_GONE);
	}
	assert_false(translator_wait(translator, 1000000));
	assert_true(translator_ask(translator, &question));
	translator_stats(translator, &stats);
	assert_int_equal(stats.rejected, TRANSLATOR_QUESTIONS_MAX / TRANSLATOR_SHARE_MAX + 1);
	translator_destroy(translator);
	translator_destroy(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_answers),	     cmocka_unit_test(test_joined_later),
	cmocka_unit_test(test_opened_later), cmocka_unit_test(test_search_by_number),
	cmocka_unit_test(test_too_many),
};

UNIT_GROUP(tests);
