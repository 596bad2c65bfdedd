/* SPDX-License-Identifier: MIT */
/* What filters decide of a thread by its process, user and container alone. */
#include <stdio.h>
#include <string.h>

#include "sinsp/filter/filter.h"

#include "contained.h"
#include "unit.h"

static const char *const names[FILTER_DECISIONS_COUNT] = {"undecided", "rejected", "accepted"};

/* Of the process "cat" of root, in the container of contained.h. */
static void expect(struct drive *world, const char *text, enum filter_decision expected)
{
	enum filter_decision found;
	struct filter_error err;
	struct filter *filter;

	assert_int_equal(filter_create(text, NULL, &filter, &err), 0);
	found = filter_decide_thread(filter, world->state, world_self(world));
	if (found != expected)
		fail_msg("'%s' is %s, should be %s", text, names[found], names[expected]);
	/* An event never contradicts it. */
	if (found != FILTER_UNDECIDED)
		assert_int_equal(filter_match(filter, &world->event), found == FILTER_ACCEPTED);
	filter_destroy(filter);
}

/* Accepted, and its negation rejected. */
static void test_decided(void **state)
{
	static const char *const texts[] = {
		"proc.name=cat",
		"proc.name in (cat, dog) and user.uid=0",
		"proc.pid=100 and group.gid=0",
		"user.name=root or proc.exepath=/bin/dog",
		"not proc.exepath startswith /opt",
		"container.name=web and proc.name!=dog",
		"toupper(proc.name)=CAT",
	};
	char negation[256];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		expect(*state, texts[i], FILTER_ACCEPTED);
		snprintf(negation, sizeof(negation), "not (%s)", texts[i]);
		expect(*state, negation, FILTER_REJECTED);
	}
}

/* An event, or other processes, decide the rest. */
static void test_with_other_fields(void **state)
{
	expect(*state, "proc.name=cat and fd.num=1", FILTER_UNDECIDED);
	expect(*state, "proc.name=dog and fd.num=1", FILTER_REJECTED);
	expect(*state, "proc.name=dog or fd.num=1", FILTER_UNDECIDED);
	expect(*state, "proc.name=dog and (fd.num=1 or proc.pname=x)", FILTER_REJECTED);
	expect(*state, "proc.pname=x", FILTER_UNDECIDED);
	expect(*state, "proc.ppid=77", FILTER_UNDECIDED);
	expect(*state, "proc.cwd=/x", FILTER_UNDECIDED);
	/* New threads have another one. */
	expect(*state, "thread.tid=77", FILTER_UNDECIDED);
	expect(*state, "proc.name=val(fd.name)", FILTER_UNDECIDED);
}

static void test_with_types(void **state)
{
	expect(*state, "evt.type=openat and proc.name=dog", FILTER_REJECTED);
	expect(*state, "(evt.type=openat and proc.name=dog) or evt.type=read", FILTER_UNDECIDED);
	expect(*state, "evt.type=openat and proc.name=dog or evt.type=read and user.uid=1",
	       FILTER_REJECTED);
}

/* It is as the thread is now. */
static void test_changed(void **state)
{
	struct drive *world = *state;

	strcpy(world_self(world)->comm, "dog");
	expect(world, "proc.name=cat", FILTER_REJECTED);
	expect(world, "proc.name=dog", FILTER_ACCEPTED);
	contained_set_group(world, "/");
	expect(world, "container.name=web and proc.name=dog", FILTER_REJECTED);
}

/* What is missing of an argument could be what is asked for. */
static void test_cut(void **state)
{
	static char exe[STRING_BYTES_MAX];
	struct drive *world = *state;
	const struct world_process process = {.pid = 100, .ptid = 1, .comm = "cat", .exe = exe};

	memset(exe, 'x', sizeof(exe) - 1);
	expect(world, "proc.args contains secret", FILTER_REJECTED);
	world->event.thread = world_process(world, &process);
	expect(world, "proc.args contains secret", FILTER_UNDECIDED);
}

/* Of requests, by their protocol and whose they are. */
static void test_requests(void **state)
{
	static const struct {
		const char *text;
		enum filter_decision redis_client, http_server;
	} cases[] = {
		{"request.role=server", FILTER_REJECTED, FILTER_ACCEPTED},
		{"evt.type=request and not request.role=server", FILTER_ACCEPTED, FILTER_REJECTED},
		{"request.protocol in (redis, mysql)", FILTER_ACCEPTED, FILTER_REJECTED},
		{"request.protocol startswith h", FILTER_REJECTED, FILTER_ACCEPTED},
		{"toupper(request.role)=CLIENT", FILTER_ACCEPTED, FILTER_REJECTED},
		{"request.role=client and request.method=GET", FILTER_UNDECIDED, FILTER_REJECTED},
		{"request.role=client or proc.name=cat", FILTER_ACCEPTED, FILTER_UNDECIDED},
		{"request.protocol=val(request.method)", FILTER_UNDECIDED, FILTER_UNDECIDED},
		{"evt.type in (open, request) and request.role=client", FILTER_ACCEPTED,
		 FILTER_REJECTED},
		{"evt.type=open", FILTER_REJECTED, FILTER_REJECTED},
		{"evt.type=open or request.role=server", FILTER_REJECTED, FILTER_ACCEPTED},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum filter_decision client, server;
		struct filter_error err;
		struct filter *filter;

		if (filter_create(cases[i].text, NULL, &filter, &err))
			fail_msg("'%s': %s", cases[i].text, err.text);
		client = filter_decide_requests(filter, request_protocols__redis,
						request_roles__client);
		server = filter_decide_requests(filter, request_protocols__http,
						request_roles__server);
		if (client != cases[i].redis_client || server != cases[i].http_server)
			fail_msg("'%s' is %s and %s", cases[i].text, names[client], names[server]);
		filter_destroy(filter);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_requests),
	cmocka_unit_test_setup_teardown(test_decided, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_with_other_fields, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_with_types, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_changed, contained_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_cut, contained_setup, world_teardown),
};

UNIT_GROUP(tests);
