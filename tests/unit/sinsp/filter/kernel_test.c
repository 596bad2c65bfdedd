/* SPDX-License-Identifier: MIT */
/* Which checks the kernel can make, and that their tests give the answers of the check. */
#include <string.h>
#include <sys/stat.h>

#include "sinsp/filter/project.h"
#include "unit.h"

enum { ALL_FACTS = (1 << KERNEL_FACTS) - 1 };

/* Makes the tests of the only check of a filter; returns whether there are some. */
static bool make(const char *text, unsigned int id, uint32_t facts, struct project_tests *tests)
{
	struct filter *filter;
	struct filter_error err;
	bool made;

	if (filter_create(text, NULL, &filter, &err))
		fail_msg("'%s': %s", text, err.text);
	assert_int_equal(filter->njumps, 1);
	made = project_tests_make(filter->code[0].check, false, id, facts, tests);
	filter_destroy(filter);
	return made;
}

static bool holds(const struct project_tests *tests, const struct kernel_facts *facts)
{
	bool any = false;

	for (uint8_t i = 0; i < tests->count; i++)
		any |= !!kernel_check_holds(&tests->list[i].check, facts) != tests->list[i].negated;
	return any != tests->negated;
}

static void expect_result(const char *text, int64_t result, bool answer)
{
	struct kernel_facts facts = {.words[KERNEL_RESULT] = (uint64_t)result};
	struct project_tests tests;

	assert_true(make(text, EVENT_openat, ALL_FACTS, &tests));
	if (holds(&tests, &facts) != answer)
		fail_msg("'%s' of %lld is not %d", text, (long long)result, answer);
}

static void test_results(void **state)
{
	expect_result("evt.rawres=3", 3, true);
	expect_result("evt.rawres=3", -3, false);
	expect_result("evt.rawres!=3", 3, false);
	expect_result("evt.rawres!=3", 4, true);
	expect_result("evt.rawres in (-1,3)", -1, true);
	expect_result("evt.rawres in (-1,3)", 3, true);
	expect_result("evt.rawres in (-1,3)", 0, false);
	expect_result("evt.rawres<0", -1, true);
	expect_result("evt.rawres<0", 0, false);
	expect_result("evt.rawres<=0", 0, true);
	expect_result("evt.rawres<=0", 1, false);
	expect_result("evt.rawres>0", 1, true);
	expect_result("evt.rawres>0", 0, false);
	expect_result("evt.rawres>=0", 0, true);
	expect_result("evt.rawres>=0", -1, false);
	expect_result("evt.failed=true", -2, true);
	expect_result("evt.failed=true", 2, false);
	expect_result("evt.failed=false", 0, true);
	expect_result("evt.failed!=true", -1, false);
	expect_result("evt.count.error=1", -1, true);
	expect_result("evt.count.error=0", -1, false);
	expect_result("evt.res=SUCCESS", 5, true);
	expect_result("evt.res=SUCCESS", -5, false);
	expect_result("evt.res=ENOENT", -2, true);
	expect_result("evt.res=ENOENT", -1, false);
	expect_result("evt.res!=ENOENT", -2, false);
	expect_result("evt.res in (EPERM,ENOENT)", -2, true);
	expect_result("fd.num>=0", 0, true);
	expect_result("fd.num>=0", -2, false);
	expect_result("evt.res in (EPERM,SUCCESS)", -2, false);
	expect_result("fd.num<0", -2, true);
	expect_result("fd.num!=-2", -2, false);
	expect_result("evt.buflen>4", 5, true);
	expect_result("evt.buflen>4", 4, false);
	expect_result("evt.buflen.in in (1,4KiB)", 4096, true);
	expect_result("evt.buflen.in in (1,4KiB)", 4095, false);
}

static void expect_flags(const char *text, uint64_t flags, bool answer)
{
	struct kernel_facts facts = {.words[KERNEL_OPEN_FLAGS] = flags};
	struct project_tests tests;

	assert_true(make(text, EVENT_openat, ALL_FACTS, &tests));
	if (holds(&tests, &facts) != answer)
		fail_msg("'%s' of flags %llx is not %d", text, (unsigned long long)flags, answer);
}

static void test_flags(void **state)
{
	struct project_tests tests;

	expect_flags("evt.is_open_read=true", file_flags__O_RDONLY, true);
	expect_flags("evt.is_open_read=true", file_flags__O_WRONLY | file_flags__O_CREAT, false);
	expect_flags("evt.is_open_read=true",
		     file_flags__O_RDONLY | file_flags__O_WRONLY | file_flags__O_CREAT, true);
	expect_flags("evt.is_open_write=true", file_flags__O_RDONLY | file_flags__O_CREAT, false);
	expect_flags("evt.is_open_write=true", file_flags__O_RDONLY | file_flags__O_WRONLY, true);
	expect_flags("evt.is_open_write=false", file_flags__O_WRONLY, false);
	expect_flags("evt.is_open_write!=true", file_flags__O_RDONLY, true);
	expect_flags("evt.is_open_create=true", file_flags__O_WRONLY, false);
	expect_flags("evt.is_open_create=true", file_flags__O_WRONLY | file_flags__O_CREAT, true);
	expect_flags("evt.is_open_create in (true)",
		     file_flags__O_WRONLY | file_flags__O_TMPFILE | file_flags__O_DIRECTORY, true);
	expect_flags("evt.is_open_exec=true", file_flags__O_WRONLY, false);
	expect_flags("evt.is_open_exec=true", file_flags__O_WRONLY | file_flags__O_CREAT, true);
	assert_false(make("evt.is_open_exec=true", EVENT_creat, ALL_FACTS, &tests));
	assert_false(make("evt.is_open_create=false", EVENT_openat, ALL_FACTS, &tests));
	assert_false(make("evt.is_open_create!=true", EVENT_openat, ALL_FACTS, &tests));
	assert_false(make("evt.is_open_create!=false", EVENT_openat, ALL_FACTS, &tests));
	assert_false(make("evt.is_open_create in (true, false)", EVENT_openat, ALL_FACTS, &tests));
	/* Flags in memory, none, and what opens nothing. */
	assert_false(make("evt.is_open_write=true", EVENT_openat2, ALL_FACTS, &tests));
	assert_false(make("evt.is_open_write=true", EVENT_creat, ALL_FACTS, &tests));
	assert_false(make("evt.is_open_write=true", EVENT_read, ALL_FACTS, &tests));
}

/* Of a transfer through a descriptor of that kind. */
static void expect_kind(const char *text, unsigned int kind, bool answer)
{
	struct kernel_facts facts = {
		.words = {[KERNEL_DESCRIPTOR] = kind | KERNEL_DESCRIPTOR_KNOWN}};
	struct project_tests tests;

	assert_true(make(text, EVENT_read, ALL_FACTS, &tests));
	if (holds(&tests, &facts) != answer)
		fail_msg("'%s' of kind %x is not %d", text, kind, answer);
}

/* Of a transfer through a descriptor of that number. */
static void expect_used(const char *text, int64_t number, bool answer)
{
	const uint64_t word = (uint64_t)number << 32 | S_IFREG | KERNEL_DESCRIPTOR_KNOWN;
	struct kernel_facts facts = {.words = {[KERNEL_DESCRIPTOR] = word}};
	struct project_tests tests;

	assert_true(make(text, EVENT_write, ALL_FACTS, &tests));
	if (holds(&tests, &facts) != answer)
		fail_msg("'%s' of %d is not %d", text, (int)number, answer);
}

static void test_numbers(void **state)
{
	struct project_tests tests;

	expect_used("fd.num=1", 1, true);
	expect_used("fd.num=1", 2, false);
	expect_used("fd.num!=1", 1, false);
	expect_used("fd.num!=1", 0, true);
	expect_used("fd.num in (1, 2)", 2, true);
	expect_used("fd.num in (1, 2)", 3, false);
	for (int64_t number = -2; number < 5; number++) {
		expect_used("fd.num<2", number, number < 2);
		expect_used("fd.num<=2", number, number <= 2);
		expect_used("fd.num>2", number, number > 2);
		expect_used("fd.num>=2", number, number >= 2);
		expect_used("fd.num>=-1", number, number >= -1);
	}
	expect_used("fd.num<2147483647", 2147483646, true);
	/* Beyond all descriptors; of an error nothing is known. */
	assert_false(make("fd.num=4294967297", EVENT_write, ALL_FACTS, &tests));
	assert_false(make("fd.num<=2147483647", EVENT_write, ALL_FACTS, &tests));
	assert_false(make("fd.num=1", EVENT_sendmmsg, ALL_FACTS, &tests));
}

static void test_kinds(void **state)
{
	static const char *const of_sockets[] = {
		"fd.type=ipv4",	      "fd.type in (unix, ipv6)",
		"fd.port=80",	      "fd.sport in (1, 80)",
		"fd.cip=1.2.3.4",     "fd.rnet=10.0.0.0/8",
		"fd.lport<1024",      "fd.sip.name startswith loc",
		"fd.sockfamily=unix",
	};
	static const char *const unknown[] = {
		"fd.type!=ipv4",   "fd.type=<NA>",	"fd.port!=80",		 "fd.l4proto=tcp",
		"fd.sport exists", "fd.is_server=true", "fd.type startswith ip",
	};
	struct project_tests tests;

	for (size_t i = 0; i < sizeof(of_sockets) / sizeof(of_sockets[0]); i++) {
		expect_kind(of_sockets[i], S_IFSOCK, true);
		expect_kind(of_sockets[i], S_IFREG, false);
		expect_kind(of_sockets[i], 0, false);
	}
	expect_kind("fd.type=pipe", S_IFIFO, true);
	expect_kind("fd.type=pipe", S_IFSOCK, false);
	expect_kind("fd.type=pipe", S_IFREG, false);
	expect_kind("fd.type=file", S_IFREG, true);
	expect_kind("fd.type=file", S_IFIFO, true);
	expect_kind("fd.type=file", S_IFCHR, true);
	expect_kind("fd.type=file", S_IFSOCK, false);
	expect_kind("fd.type=eventpoll", 0, true);
	expect_kind("fd.type=eventpoll", S_IFSOCK, false);
	expect_kind("fd.type in (file, ipv4)", S_IFSOCK, true);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		if (make(unknown[i], EVENT_read, ALL_FACTS, &tests))
			fail_msg("'%s' is known", unknown[i]);
	/* Of other calls. */
	assert_false(make("fd.type=ipv4", EVENT_close, ALL_FACTS, &tests));
	assert_false(make("fd.type=ipv4", EVENT_openat, ALL_FACTS, &tests));
	assert_false(make("fd.type=ipv4", EVENT_recvmmsg, ALL_FACTS, &tests));
}

static void expect_name(const char *text, const char *name, bool answer)
{
	struct kernel_facts facts = {0};
	struct project_tests tests;

	memset(&facts.words[KERNEL_NAME], 'x', 16);
	memcpy(&facts.words[KERNEL_NAME], name, strlen(name) + 1);
	assert_true(make(text, EVENT_openat, ALL_FACTS, &tests));
	if (holds(&tests, &facts) != answer)
		fail_msg("'%s' of %s is not %d", text, name, answer);
}

static void test_names(void **state)
{
	expect_name("proc.name=cat", "cat", true);
	expect_name("proc.name=cat", "ca", false);
	expect_name("proc.name=cat", "cats", false);
	expect_name("proc.name!=cat", "cat", false);
	expect_name("proc.name startswith cat", "cats", true);
	expect_name("proc.name startswith cat", "ca", false);
	expect_name("proc.name in (a,fifteen_letters)", "fifteen_letters", true);
	expect_name("proc.name in (a,b)", "fifteen_letters", false);
}

static void test_ids(void **state)
{
	const struct kernel_facts facts = {.words = {[KERNEL_PID] = 7,
						     [KERNEL_TID] = 8,
						     [KERNEL_UID] = 1000,
						     [KERNEL_GID] = 100}};
	static const struct {
		const char *text;
		bool answer;
	} cases[] = {
		{"proc.pid=7", true},	 {"proc.pid=8", false},	    {"thread.tid=8", true},
		{"thread.tid>8", false}, {"user.uid=1000", true},   {"user.uid<1000", false},
		{"group.gid=100", true}, {"group.gid!=100", false},
	};
	struct project_tests tests;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(make(cases[i].text, EVENT_openat, ALL_FACTS, &tests));
		assert_int_equal(holds(&tests, &facts), cases[i].answer);
	}
}

/* What has no value in some event, or another one than the kernel knows, is not decided there. */
static void test_unknown(void **state)
{
	static const char *const unknown[] = {
		"proc.name contains a",
		"proc.name=sixteen_letters_",
		"proc.name exists",
		"proc.name iglob c*",
		"proc.name=\"\"",
		"proc.pname=cat",
		"fd.name contains /etc",
		"evt.res exists",
		"evt.res startswith E",
		"evt.count.error=2",
		"proc.pid=val(thread.tid)",
		"tolower(proc.name)=cat",
		"evt.rawres>9223372036854775807",
		"evt.buflen<9223372036854775808",
		"evt.buflen!=5",
	};
	struct project_tests tests;

	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		if (make(unknown[i], EVENT_openat, ALL_FACTS, &tests))
			fail_msg("'%s' is known", unknown[i]);
	/* The path of what a call opened, not of what it uses. */
	assert_true(make("fd.name=/etc", EVENT_openat, ALL_FACTS, &tests));
	assert_false(
		make("fd.name=/etc", EVENT_openat, ALL_FACTS & ~KERNEL_FACTS_OF_PATHS, &tests));
	assert_false(make("fd.name=/etc", EVENT_read, ALL_FACTS, &tests));
	/* A fact that is not known yet; the result of an event that is about one message of many.
	 */
	assert_false(
		make("evt.failed=true", EVENT_openat, ALL_FACTS & ~(1 << KERNEL_RESULT), &tests));
	assert_false(make("evt.failed=true", EVENT_sendmmsg, ALL_FACTS, &tests));
	assert_false(make("evt.failed=true", EVENT_procexit, ALL_FACTS, &tests));
	/* The descriptor that a call uses is not its result. */
	assert_false(make("fd.num>=0", EVENT_close, ALL_FACTS, &tests));
	assert_false(make("fd.num>=0", EVENT_dup, ALL_FACTS, &tests));
}

static void test_events(void **state)
{
	assert_true(project_tests_suit(EVENT_openat));
	assert_true(project_tests_suit(EVENT_getppid));
	assert_false(project_tests_suit(EVENT_switch));
	assert_false(project_tests_suit(EVENT_exit_group));
	assert_false(project_tests_suit(EVENT_syscall));
	assert_false(project_tests_suit(EVENT_recvmmsg));
	assert_false(project_tests_suit(EVENT_ID_MAX - 1));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_results), cmocka_unit_test(test_names),
	cmocka_unit_test(test_ids),	cmocka_unit_test(test_unknown),
	cmocka_unit_test(test_numbers), cmocka_unit_test(test_kinds),
	cmocka_unit_test(test_events),	cmocka_unit_test(test_flags),
};

UNIT_GROUP(tests);
