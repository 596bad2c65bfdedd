/* SPDX-License-Identifier: MIT */
/* Which connections are asked for, and what is known of them. */
#include "requests/translations.h"

#include <string.h>

#include "unit.h"
#include "util/count.h"

#define NS_PER_MS UINT64_C(1000000)

/* A SOCKTUPLE from 10.0.0.1:from to 10.96.0.`last`:port. */
struct tuple {
	uint8_t bytes[13];
};

static struct tuple tuple_to(uint16_t from, uint8_t last, uint16_t port)
{
	struct tuple tuple = {{2, 10, 0, 0, 1, 0, 0, 10, 96, 0, last}};

	memcpy(tuple.bytes + 5, &from, sizeof(from));
	memcpy(tuple.bytes + 11, &port, sizeof(port));
	return tuple;
}

static struct translation_ends ends_of(const struct tuple *tuple)
{
	return (struct translation_ends){tuple->bytes, sizeof(tuple->bytes), false};
}

static void ask(struct translations *translations, uint64_t ino, enum scap_l4 l4,
		const struct tuple *tuple, uint64_t now_ns)
{
	const struct translation_socket socket = {.ino = ino, .netns = 99, .pid = 7, .l4 = l4};

	const struct translation_ends ends = ends_of(tuple);

	translations_ask(translations, &socket, &ends, now_ns);
}

static const struct translation *find(const struct translations *translations, uint64_t ino,
				      const struct tuple *tuple)
{
	const struct translation_ends ends = ends_of(tuple);

	return translations_find(translations, ino, &ends);
}

static int begin(void **state)
{
	static struct translations translations;

	translations = (struct translations){0};
	assert_int_equal(translations_begin(&translations), 0);
	*state = &translations;
	return 0;
}

static int end(void **state)
{
	translations_finish(*state);
	return 0;
}

static void test_asked_once(void **state)
{
	static const struct scap_endpoint real = {{10, 1, 2, 3}, 8080};
	const struct tuple tuple = tuple_to(40000, 1, 80), other = tuple_to(40000, 2, 80);
	struct translations *translations = *state;
	struct requests_question question;

	assert_false(translations_next(translations, &question));
	ask(translations, 5, SCAP_L4_TCP, &tuple, 1);
	ask(translations, 5, SCAP_L4_TCP, &tuple, 2);
	assert_true(translations_next(translations, &question));
	assert_int_equal(question.pid, 7);
	assert_int_equal(question.netns, 99);
	assert_int_equal(question.address_len, 4);
	assert_int_equal(question.from.port, 40000);
	assert_memory_equal(question.to.address, "\x0a\x60\0\1", 4);
	assert_int_equal(question.to.port, 80);
	assert_false(translations_next(translations, &question));
	assert_int_equal(find(translations, 5, &tuple)->state, TRANSLATION_ASKED);
	assert_null(find(translations, 6, &tuple));
	assert_null(find(translations, 5, &other));
	translations_answer(translations, question.id + 1, &real, 4);
	assert_int_equal(find(translations, 5, &tuple)->state, TRANSLATION_ASKED);
	translations_answer(translations, question.id, &real, 4);
	assert_int_equal(find(translations, 5, &tuple)->state, TRANSLATION_KNOWN);
	assert_int_equal(find(translations, 5, &tuple)->real.port, 8080);
	ask(translations, 5, SCAP_L4_TCP, &tuple, 1000000 * NS_PER_MS);
	assert_false(translations_next(translations, &question));
	/* Another socket has the number: what was answered is not its. */
	translations_forget(translations, 5);
	assert_null(find(translations, 5, &tuple));
	ask(translations, 5, SCAP_L4_TCP, &tuple, 4);
	assert_true(translations_next(translations, &question));
	translations_answer(translations, question.id, NULL, 0);
	assert_int_equal(find(translations, 5, &tuple)->state, TRANSLATION_NONE);
}

/* Packets of a server go from the second end to the first one. */
static void test_server(void **state)
{
	static const struct translation_socket socket = {.ino = 5, .l4 = SCAP_L4_TCP};
	const struct tuple tuple = tuple_to(40000, 1, 80);
	struct translation_ends ends = ends_of(&tuple);
	struct translations *translations = *state;
	struct requests_question question;

	ends.is_server = true;
	translations_ask(translations, &socket, &ends, 1);
	assert_true(translations_next(translations, &question));
	assert_memory_equal(question.from.address, "\x0a\x60\0\1", 4);
	assert_int_equal(question.from.port, 80);
	assert_memory_equal(question.to.address, "\x0a\0\0\1", 4);
	assert_int_equal(question.to.port, 40000);
	assert_non_null(translations_find(translations, 5, &ends));
	assert_false(translations_is_missing(translations, 5, &ends));
	assert_true(translations_is_missing(translations, 6, &ends));
	assert_null(find(translations, 5, &tuple));
}

/* Behind the address that a socket of datagrams sends to may be another server by then. */
static void test_datagrams(void **state)
{
	const uint64_t later_ns = (TRANSLATIONS_DATAGRAM_MS + 1) * NS_PER_MS;
	const struct tuple tuple = tuple_to(40000, 1, 53), other = tuple_to(40000, 2, 53);
	struct translations *translations = *state;
	struct requests_question question;

	ask(translations, 5, SCAP_L4_UDP, &tuple, 1);
	ask(translations, 5, SCAP_L4_UDP, &other, 1);
	assert_true(translations_next(translations, &question));
	assert_true(translations_next(translations, &question));
	/* There is no answer yet. */
	ask(translations, 5, SCAP_L4_UDP, &other, later_ns);
	assert_false(translations_next(translations, &question));
	translations_answer(translations, question.id, NULL, 0);
	ask(translations, 5, SCAP_L4_UDP, &other, NS_PER_MS);
	assert_false(translations_next(translations, &question));
	ask(translations, 5, SCAP_L4_UDP, &other, later_ns);
	assert_true(translations_next(translations, &question));
	assert_int_equal(find(translations, 5, &other)->state, TRANSLATION_ASKED);
	assert_int_equal(find(translations, 5, &tuple)->state, TRANSLATION_ASKED);
}

static void test_left_out(void **state)
{
	static const struct translation_socket socket = {.ino = 5, .l4 = SCAP_L4_TCP};
	static const uint8_t loopback6[37] = {10, [16] = 1, 1, 1, [34] = 1, 1, 1};
	static const uint8_t mapped[37] = {10,	 [16] = 1, 1,	     1, [29] = 0xff,
					   0xff, 127,	   [34] = 1, 1, 1};
	static const struct translation_ends ends[] = {
		{loopback6, sizeof(loopback6), false},
		{loopback6, sizeof(loopback6), true},
		{mapped, sizeof(mapped), false},
		{mapped, 0, false},
		{mapped, 5, false},
		{NULL, 0, true},
	};
	struct tuple no_port = tuple_to(0, 1, 80), loopback = tuple_to(40000, 1, 80);
	struct translations *translations = *state;
	struct requests_question question;

	loopback.bytes[7] = 127;
	ask(translations, 5, SCAP_L4_TCP, &no_port, 1);
	ask(translations, 5, SCAP_L4_TCP, &loopback, 1);
	ask(translations, 0, SCAP_L4_TCP, &loopback, 1);
	for (size_t i = 0; i < COUNT(ends); i++)
		translations_ask(translations, &socket, &ends[i], 1);
	assert_false(translations_next(translations, &question));
}

/* The oldest ones give way, also before they are asked. */
static void test_many(void **state)
{
	static const struct scap_endpoint real = {{10, 1, 2, 3}, 8080};
	const struct tuple tuple = tuple_to(40000, 1, 80);
	struct translations *translations = *state;
	struct requests_question question, first = {0};
	unsigned int asked = 0;

	ask(translations, 1, SCAP_L4_TCP, &tuple, 1);
	assert_true(translations_next(translations, &first));
	for (uint64_t ino = 2; ino <= 3 * TRANSLATIONS_MAX; ino++)
		ask(translations, ino, SCAP_L4_TCP, &tuple, 1);
	assert_null(find(translations, 1, &tuple));
	translations_answer(translations, first.id, &real, 4);
	for (; translations_next(translations, &question); asked++)
		translations_answer(translations, question.id, &real, 4);
	assert_int_equal(asked, TRANSLATIONS_MAX);
	for (uint64_t ino = 2 * TRANSLATIONS_MAX + 1; ino <= 3 * TRANSLATIONS_MAX; ino++)
		assert_int_equal(find(translations, ino, &tuple)->state, TRANSLATION_KNOWN);
	assert_null(find(translations, 2 * TRANSLATIONS_MAX, &tuple));
}

static bool is_missing(const struct translations *translations, uint64_t ino,
		       const struct tuple *tuple)
{
	const struct translation_ends ends = ends_of(tuple);

	return translations_is_missing(translations, ino, &ends);
}

static unsigned int chain_of(const struct translations *translations, uint64_t ino)
{
	uint32_t at = translations->buckets[ino % TRANSLATIONS_MAX];
	unsigned int count = 0;

	for (; at; at = translations->entries[at - 1].chain)
		count++;
	return count;
}

/* A socket that sends to all the world: its newest ones are known, and others' are not lost. */
static void test_many_of_one_socket(void **state)
{
	const struct tuple tuple = tuple_to(40000, 1, 53), first = tuple_to(40000, 1, 1),
			   no_port = tuple_to(0, 1, 53);
	struct translations *translations = *state;
	unsigned int found = 0;

	ask(translations, 6, SCAP_L4_UDP, &tuple, 1);
	for (uint16_t port = 1; port <= TRANSLATIONS_MAX / 2; port++) {
		const struct tuple other = tuple_to(40000, 1, port);

		ask(translations, 5, SCAP_L4_UDP, &other, 1);
		assert_in_range(chain_of(translations, 5), 1, TRANSLATIONS_CHAIN_MAX);
		assert_non_null(find(translations, 5, &other));
	}
	for (uint16_t port = 1; port <= TRANSLATIONS_MAX / 2; port++) {
		const struct tuple other = tuple_to(40000, 1, port);

		found += find(translations, 5, &other) != NULL;
	}
	assert_int_equal(found, TRANSLATIONS_CHAIN_MAX);
	assert_true(is_missing(translations, 5, &first));
	assert_false(is_missing(translations, 6, &tuple));
	assert_false(is_missing(translations, 0, &first));
	assert_false(is_missing(translations, 6, &no_port));
	assert_non_null(find(translations, 6, &tuple));
	translations_forget(translations, 5);
	assert_int_equal(chain_of(translations, 5), 0);
	/* Sockets that have the same hash share the room. */
	for (uint64_t i = 0; i < TRANSLATIONS_MAX; i++)
		ask(translations, 7 + i * TRANSLATIONS_MAX, SCAP_L4_UDP, &tuple, 1);
	assert_int_equal(chain_of(translations, 7), TRANSLATIONS_CHAIN_MAX);
}

/* Nobody answers: nothing is kept. */
static void test_not_wanted(void **state)
{
	const struct tuple tuple = tuple_to(40000, 1, 80);
	struct translations none = {0};
	struct requests_question question;

	ask(&none, 5, SCAP_L4_TCP, &tuple, 1);
	assert_null(find(&none, 5, &tuple));
	assert_false(translations_next(&none, &question));
	translations_answer(&none, 0, NULL, 0);
	translations_forget(&none, 5);
	assert_false(is_missing(&none, 5, &tuple));
	translations_finish(&none);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_asked_once, begin, end),
	cmocka_unit_test_setup_teardown(test_server, begin, end),
	cmocka_unit_test_setup_teardown(test_datagrams, begin, end),
	cmocka_unit_test_setup_teardown(test_left_out, begin, end),
	cmocka_unit_test_setup_teardown(test_many, begin, end),
	cmocka_unit_test_setup_teardown(test_many_of_one_socket, begin, end),
	cmocka_unit_test(test_not_wanted),
};

UNIT_GROUP(tests);
