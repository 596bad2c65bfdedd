/* SPDX-License-Identifier: MIT */
/* The thread that asks tables of connections: of processes in namespaces of their own. */
#include "meta/translator.h"

#include <string.h>
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
	uint64_t ino;
	pid_t pid, other;

	if (!netns_can_be_made())
		skip();
	pid = netns_begin(entries, 2);
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
}

/* Without its table it is found by a search among all processes. */
static void test_search_by_number(void **state)
{
	const struct netns_entry entry = {netns_tuple("10.0.0.1", 40000, "10.96.0.1", 80),
					  netns_tuple("10.1.2.3", 8080, "10.0.0.1", 40000)};
	struct translator_question question = {.tuple = entry.original, .pid = INT32_MAX};
	struct translator *translator;
	pid_t pid;

	if (!netns_can_be_made())
		skip();
	pid = netns_begin(&entry, 1);
	close(namespace_open("/proc", pid, &question.netns));
	assert_int_equal(translator_create(NULL, &translator, NULL), 0);
	assert_int_equal(ask_and_wait(translator, &question).fate, TRANSLATOR_FOUND);
	/* Not again at once. */
	question.netns++;
	assert_int_equal(ask_and_wait(translator, &question).fate, TRANSLATOR_GONE);
	translator_destroy(translator);
	netns_end(pid);
}

/* Nobody takes the answers: there are so many questions, and no more. */
static void test_too_many(void **state)
{
	struct translator_question question = {.pid = INT32_MAX,
					       .tuple = netns_tuple("10.0.0.1", 1, "10.0.0.2", 2)};
	struct translator_stats stats;
	struct translator_answer answer;
	struct translator *translator;

	assert_int_equal(translator_create("/no/such/root", &translator, NULL), 0);
	for (int i = 0; i < TRANSLATOR_QUESTIONS_MAX; i++)
		assert_true(translator_ask(translator, &question));
	assert_false(translator_ask(translator, &question));
	for (int i = 0; i < TRANSLATOR_QUESTIONS_MAX; i++) {
		assert_true(translator_wait(translator, PATIENCE_NS));
		assert_true(translator_take(translator, &answer));
		assert_int_equal(answer.fate, TRANSLATOR_GONE);
	}
	assert_false(translator_wait(translator, 1000000));
	assert_true(translator_ask(translator, &question));
	translator_stats(translator, &stats);
	assert_int_equal(stats.rejected, 1);
	translator_destroy(translator);
	translator_destroy(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_answers),
	cmocka_unit_test(test_search_by_number),
	cmocka_unit_test(test_too_many),
};

UNIT_GROUP(tests);
