/* SPDX-License-Identifier: MIT */
/* What is captured for whom, and a second plan with other rules beside the first. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/plan/plan.h"
#include "unit.h"

static struct printer none;
static struct buf messages;
static struct error err;

static struct plan *make(const struct options *options)
{
	struct plan *plan = NULL;

	none = (struct printer){.format = &format_none};
	if (plan_create(options, &none, &plan, &messages, &err))
		fail_msg("%s", err.text);
	return plan;
}

static void expect_rejected(struct options options, const char *message)
{
	struct plan *plan = NULL;

	none = (struct printer){.format = &format_none};
	assert_int_equal(plan_create(&options, &none, &plan, &messages, &err), -EINVAL);
	assert_non_null(strstr(err.text, message));
	assert_null(plan);
}

static int teardown(void **state)
{
	buf_finish(&messages);
	messages = (struct buf){0};
	return 0;
}

static void test_filter(void **state)
{
	const struct options options = {.filter = "evt.type=close"};
	struct plan *plan = make(&options);

	assert_non_null(plan->filter);
	assert_int_equal(plan->selection.events[EVENT_close], WHY_FILTER);
	assert_int_equal(plan->selection.events[EVENT_dup], 0);
	plan_destroy(plan);
	expect_rejected((struct options){.filter = "evt.type=nosuch"}, "line 1, column 10");
	expect_rejected((struct options){.filter = "evt.type=close and evt.type=open"},
			"no event can match this filter");
	expect_rejected((struct options){.filter = "evt.type=close and evt.dir=>"},
			": there are only exit events (evt.dir=<)");
	expect_rejected((struct options){.filter = "evt.type=close", .why = true},
			"--why is about requests");
}

static bool plan_is_without_rings(const struct options *options)
{
	struct plan *plan = make(options);
	bool is_without = plan->without_rings;

	plan_destroy(plan);
	return is_without;
}

/* Lines of strace have no operations of io_uring, but names that these may have changed. */
static void test_rings(void **state)
{
	const struct trace_options lines = {0}, table = {.shows = TRACE_TABLE},
				   names = {.names = TRACE_NAMES_PATHS};

	assert_false(plan_is_without_rings(&(struct options){.filter = "evt.type=read"}));
	assert_true(plan_is_without_rings(&(struct options){.trace = &lines}));
	assert_true(plan_is_without_rings(
		&(struct options){.trace = &table, .filter = "evt.type=read"}));
	assert_false(plan_is_without_rings(&(struct options){.trace = &names}));
	assert_false(plan_is_without_rings(
		&(struct options){.trace = &lines, .filter = "fd.name=/etc/passwd"}));
	assert_false(plan_is_without_rings(
		&(struct options){.trace = &lines, .filter = "fs.path.name=/etc/passwd"}));
}

/* What chosen processes, -S and recordings of the state need beside the filter. */
static void test_needs_of_options(void **state)
{
	static const pid_t pid = 1;
	char *command[] = {"true", NULL};
	const struct {
		struct options options;
		uint16_t id;
		unsigned int why;
	} cases[] = {
		{{.pids = (pid_t *)&pid, .pids_count = 1}, EVENT_clone, WHY_THREADS},
		{{.command = command}, EVENT_execve, WHY_THREADS},
		{{.summary = true}, EVENT_dup, WHY_DESCRIPTORS},
		{{.fat = true}, EVENT_chdir, WHY_DIRECTORIES},
		{{.limits.bytes = 1}, EVENT_chdir, WHY_DIRECTORIES},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct options options = cases[i].options;
		struct plan *plan;

		options.filter = (char *)"evt.type=close";
		plan = make(&options);
		assert_true(plan->selection.events[cases[i].id] & cases[i].why);
		plan_destroy(plan);
	}
}

/* Descriptions are looked for if a field or a recording has them, but not if a file has them. */
static void test_needs_containers(void **state)
{
	static const struct {
		const char *filter;
		const char *read, *write;
		bool needed, pods_needed, measures;
	} cases[] = {
		{"evt.type=close", NULL, NULL, true, true, true},
		{"evt.type=close", "in", NULL, false, false, true},
		{"evt.type=close and container.id!=host", NULL, NULL, false, false},
		{"evt.type=close and container.id!=host", NULL, "out", true, true},
		{"evt.type=close and container.name=web", NULL, NULL, true, false},
		{"evt.type=close and k8s.ns.name=shop", NULL, NULL, true, true},
		{"evt.type=close and k8s.svc.name=none", NULL, NULL, false, false},
		{"evt.type=close and container.mount[0] exists", NULL, NULL, true, false},
		{"evt.type=close and container.name=web", "in", NULL, false, false},
		{"evt.type=close and container.name=web", "in", "out", false, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct options options = {.filter = (char *)cases[i].filter,
					  .read = cases[i].read,
					  .write = cases[i].write,
					  .request_metrics = cases[i].measures};
		struct plan *plan = make(&options);

		assert_int_equal(selection_has_requests(&plan->selection), cases[i].measures);
		assert_int_equal(plan->needs_containers, cases[i].needed);
		assert_int_equal(plan->needs_pods, cases[i].pods_needed);
		assert_int_equal(plan->needs_services, cases[i].measures && !cases[i].read);
		assert_int_equal(plan->needs_translations, cases[i].measures && !cases[i].read);
		plan_destroy(plan);
	}
}

/* Who asks for operations of io_uring is told where none can be seen. */
static void test_compares_uring(void **state)
{
	static const struct {
		const char *filter;
		bool compares;
	} cases[] = {
		{"evt.type=openat", false},
		{"evt.type=openat and evt.is_uring=true", true},
		{"evt.type=openat and not evt.via exists", true},
		{"evt.type=read and fd.slot=3", true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct options options = {.filter = (char *)cases[i].filter};
		struct plan *plan = make(&options);

		assert_int_equal(plan_compares_uring(plan), cases[i].compares);
		plan_destroy(plan);
	}
}

/* By the option, and for who asks for them by name. */
static void test_unknown_protocols(void **state)
{
	static const struct {
		const char *filter;
		bool chosen, wanted;
	} cases[] = {
		{"evt.type=request", false, false},
		{"evt.type=request", true, true},
		{NULL, false, false},
		{"evt.type=request and request.protocol in (redis, unknown)", false, true},
		{"evt.type=request and request.protocol=redis", false, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct options options = {.filter = (char *)cases[i].filter,
						.unknown_protocols = cases[i].chosen};
		struct plan *plan = make(&options);

		assert_int_equal(plan->of_unknown, cases[i].wanted);
		plan_destroy(plan);
	}
}

enum { CLIENTS = 1, SERVERS = 2 };

/* Whose requests of HTTP, of Redis and of DNS no filter can want; by a word of roles each. */
static void test_unwanted_requests(void **state)
{
	static const struct {
		const char *filter;
		bool measures, records, pushes_nothing;
		unsigned int http, redis, dns;
	} cases[] = {
		{.filter = "evt.type=request"},
		/* What DNS told clients names the servers of other requests. */
		{.filter = "evt.type=request and request.role=server",
		 .http = CLIENTS,
		 .redis = CLIENTS},
		{.filter = "evt.type=request and not request.role=server and request.method=GET",
		 .http = SERVERS,
		 .redis = SERVERS,
		 .dns = SERVERS},
		{.filter = "evt.type=request and request.protocol=redis",
		 .http = CLIENTS | SERVERS,
		 .dns = SERVERS},
		{.filter =
			 "evt.type=request and (request.protocol=redis or request.role=client and "
			 "request.status=404 or request.method=X)"},
		{.filter = "evt.type=request and (request.protocol=redis or request.role=client)",
		 .http = SERVERS,
		 .dns = SERVERS},
		{.filter = "evt.type=request and request.role=server and proc.name=nginx",
		 .measures = true,
		 .http = CLIENTS,
		 .redis = CLIENTS},
		/* These are of all requests, whatever else is asked for. */
		{.filter = "evt.type=open", .measures = true},
		{.filter = "evt.type=open or evt.type=request and request.role=server",
		 .measures = true},
		{.filter = "evt.type=request and request.role=server", .records = true},
		{.filter = "evt.type=request and request.role=server", .pushes_nothing = true},
		{.filter = "evt.type=request and request.role=server and util.cnt > 5"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct options options = {.filter = (char *)cases[i].filter,
						.request_metrics = cases[i].measures,
						.write = cases[i].records ? "some.scap" : NULL,
						.no_pushdown = cases[i].pushes_nothing};
		struct plan *plan = make(&options);
		const struct {
			unsigned int protocol, roles;
		} expected[] = {{request_protocols__http, cases[i].http},
				{request_protocols__redis, cases[i].redis},
				{request_protocols__dns, cases[i].dns}};

		for (size_t n = 0; n < 3; n++)
			for (unsigned int role = 1; role < REQUESTS_ROLES; role++)
				if ((plan->unwanted.by_role[role] >> expected[n].protocol & 1) !=
				    (expected[n].roles >> (role - 1) & 1))
					fail_msg("%s: protocol %u, role %u", cases[i].filter,
						 expected[n].protocol, role);
		plan_destroy(plan);
	}
}

/* A capture file gives what it has, for any plan. */
static void test_file(void **state)
{
	const struct options options = {
		.read = "some.scap", .fat = true, .filter = (char *)"evt.type=switch"};
	struct plan *plan = make(&options);

	assert_int_equal(plan->selection.events[EVENT_switch], WHY_FILTER);
	assert_int_equal(plan->selection.events[EVENT_clone], 0);
	plan_destroy(plan);
}

static void test_entries_are_warned_of_once(void **state)
{
	const struct options options = {.filter = (char *)"evt.dir=> or evt.type=procexit"};
	struct plan *plan = make(&options);

	buf_append_char(&messages, '\0');
	assert_non_null(strstr(messages.data, "only exit events"));
	plan_destroy(plan);
}

static void write_rules(const char *path, const char *condition)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fprintf(file, "- rule: one\n  desc: d\n  condition: %s\n  output: o\n  priority: INFO\n",
		condition);
	fclose(file);
}

static void test_rules_again(void **state)
{
	char path[] = "/tmp/lanner-plan-XXXXXX";
	const char *paths[] = {path};
	const struct options options = {
		.rules = paths, .rules_count = 1, .priority = PRIORITY_DEBUG};
	struct plan *plan, *other = NULL;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	write_rules(path, "evt.type=close");
	plan = make(&options);
	assert_int_equal(plan->rules_counts.rules, 1);
	assert_ptr_equal(plan->filter, ruleset_filter(plan->ruleset));
	assert_true(plan->selection.events[EVENT_close] & WHY_FILTER);
	/* The first plan stays what it is, whatever comes of the second. */
	write_rules(path, "evt.type=dup");
	assert_int_equal(plan_renew(plan, NULL, plan->printer, &other, &messages, &err), 0);
	assert_true(other->selection.events[EVENT_dup] & WHY_FILTER);
	assert_false(other->selection.events[EVENT_close] & WHY_FILTER);
	assert_true(plan->selection.events[EVENT_close] & WHY_FILTER);
	plan_destroy(other);
	other = NULL;
	write_rules(path, "nosuch=1");
	assert_int_equal(plan_renew(plan, NULL, plan->printer, &other, &messages, &err), -EINVAL);
	assert_string_equal(err.text, "they have errors");
	assert_null(other);
	expect_rejected(options, "the rules have errors");
	plan_destroy(plan);
	unlink(path);
}

/* Rules that ask a flight recorder for a file are no part of its filter, and decide in user space.
 */
static void test_triggers(void **state)
{
	char path[] = "/tmp/lanner-plan-XXXXXX";
	const char *paths[] = {path}, *names[] = {"one"}, *others[] = {"two"};
	struct options options = {.rules = paths,
				  .rules_count = 1,
				  .on_rules = names,
				  .on_rules_count = 1,
				  .filter = (char *)"evt.type=close and evt.res<0",
				  .priority = PRIORITY_DEBUG};
	struct plan *plan;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	write_rules(path, "evt.type in (close, dup) and proc.name=x");
	plan = make(&options);
	assert_null(plan->ruleset);
	assert_non_null(plan->triggers);
	assert_false(plan_compares_uring(plan));
	assert_non_null(plan->filter);
	assert_true(plan->selection.events[EVENT_dup] & WHY_FILTER);
	assert_true(plan->trigger_selection.events[EVENT_dup] & WHY_FILTER);
	assert_true(plan->trigger_selection.events[EVENT_clone] & WHY_THREADS);
	assert_int_equal(plan->kernel_filters.at_exit[EVENT_close], 0);
	plan_destroy(plan);
	options.on_rules = others;
	expect_rejected(options, "no rule of --rules that runs is named 'two'");
	options.on_rules = names;
	write_rules(path, "evt.type=close and container.image=x");
	expect_rejected(options, "what runtimes of containers or Kubernetes say");
	write_rules(path, "evt.type=close and evt.is_uring=true");
	plan = make(&options);
	assert_true(plan_compares_uring(plan));
	plan_destroy(plan);
	write_rules(path, "evt.type=request");
	expect_rejected(options, "makes no requests");
	write_rules(path, "nosuch=1");
	expect_rejected(options, "the rules have errors");
	unlink(path);
}

/* Other options are compiled as those of a start are, and live as long as the plan. */
static void test_other_options(void **state)
{
	const struct options options = {.filter = (char *)"evt.type=close"};
	struct options *changed = calloc(1, sizeof(*changed));
	struct plan *plan = make(&options), *other = NULL;

	changed->filter = strdup("evt.type=dup");
	assert_int_equal(plan_renew(plan, changed, plan->printer, &other, &messages, &err), 0);
	assert_ptr_equal(other->options, changed);
	assert_true(other->selection.events[EVENT_dup] & WHY_FILTER);
	assert_false(other->selection.events[EVENT_close] & WHY_FILTER);
	plan_destroy(other);
	other = NULL;
	changed = calloc(1, sizeof(*changed));
	changed->filter = strdup("evt.typ=dup");
	assert_int_equal(plan_renew(plan, changed, plan->printer, &other, &messages, &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "evt.typ"));
	assert_null(other);
	plan_destroy(plan);
}

static void test_check_filter(void **state)
{
	static const struct {
		const char *filter, *message;
	} cases[] = {
		{"evt.type=open", NULL},
		{"evt.dir=>", NULL}, /* procexit and the like */
		{"evt.type=open and evt.dir=>",
		 "no event can match this filter: there are only exit events (evt.dir=<)"},
		{"evt.type=open and evt.type=close", "no event can match this filter"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct filter *filter;

		err.text[0] = '\0';
		assert_int_equal(
			filter_create(cases[i].filter, &(struct filter_options){0}, &filter, NULL),
			0);
		assert_int_equal(plan_check_filter(filter, &err), cases[i].message ? -EINVAL : 0);
		assert_string_equal(err.text, cases[i].message ? cases[i].message : "");
		filter_destroy(filter);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_check_filter),
	cmocka_unit_test_teardown(test_filter, teardown),
	cmocka_unit_test_teardown(test_rings, teardown),
	cmocka_unit_test_teardown(test_needs_of_options, teardown),
	cmocka_unit_test_teardown(test_needs_containers, teardown),
	cmocka_unit_test_teardown(test_compares_uring, teardown),
	cmocka_unit_test_teardown(test_unknown_protocols, teardown),
	cmocka_unit_test_teardown(test_unwanted_requests, teardown),
	cmocka_unit_test_teardown(test_file, teardown),
	cmocka_unit_test_teardown(test_entries_are_warned_of_once, teardown),
	cmocka_unit_test_teardown(test_rules_again, teardown),
	cmocka_unit_test_teardown(test_triggers, teardown),
	cmocka_unit_test_teardown(test_other_options, teardown),
};

UNIT_GROUP(tests);
