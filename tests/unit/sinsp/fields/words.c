/* SPDX-License-Identifier: MIT */
/* Closed sets of values: what is in them, and that every value of a field is. */
#include <string.h>

#include "sinsp/fields/field.h"
#include "unit.h"
#include "util/json.h"

static void each_animal(void (*see)(void *context, const char *word), void *context)
{
	char word[] = "cat";

	see(context, word);
	see(context, "horse");
	see(context, "horde");
	memset(word, 'x', sizeof(word)); /* the visitor has no right to it any more */
}

static void test_have(void **state)
{
	static const struct field_words animals = {each_animal};
	static const struct field_words numbered = {each_animal, .numbers = true};

	assert_true(field_words_have(&animals, "cat"));
	assert_true(field_words_have(&animals, "horde"));
	assert_false(field_words_have(&animals, "Cat"));
	assert_false(field_words_have(&animals, "ca"));
	assert_false(field_words_have(&animals, ""));
	assert_false(field_words_have(&animals, "12"));
	assert_true(field_words_have(&numbered, "12"));
	assert_true(field_words_have(&numbered, "-4095"));
	assert_false(field_words_have(&numbered, "-"));
	assert_false(field_words_have(&numbered, "1a"));
}

static void test_nearest(void **state)
{
	static const struct field_words animals = {each_animal};
	char word[64];

	assert_true(field_words_nearest(&animals, "cta", word));
	assert_string_equal(word, "cat");
	assert_true(field_words_nearest(&animals, "horsf", word));
	assert_string_equal(word, "horse");
	assert_true(field_words_nearest(&animals, "HORDE", word));
	assert_string_equal(word, "horde");
	assert_false(field_words_nearest(&animals, "elephant", word));
	assert_false(field_words_nearest(&animals, "", word));
	assert_false(field_words_nearest(&animals, "x", word));
}

static const struct field_words *words_of(const char *field)
{
	struct field_ref ref;
	const struct field_words *words;

	assert_int_equal(field_ref_init(&ref, field, strlen(field), NULL), 0);
	words = ref.desc->words;
	field_ref_finish(&ref);
	assert_non_null(words);
	return words;
}

/* Of each field some values that it has, the first and last of its tables among them. */
static void test_fields(void **state)
{
	static const struct {
		const char *field;
		const char *words[9];
	} cases[] = {
		{"evt.dir", {"<", ">"}},
		{"evt.source", {"syscall"}},
		{"evt.type", {"open", "openat", "switch", "getppid", "container", ""}},
		{"syscall.type", {"open", "getppid", ""}},
		{"evt.category",
		 {"unknown", "other", "file", "net", "ipc", "IPC", "scheduler", "internal"}},
		{"evt.family", {"", "file", "net", "process", "memory", "ipc", "signal"}},
		{"evt.io_dir", {"read", "write"}},
		{"evt.asynctype", {"container", "procinfo"}},
		{"evt.via", {"io_uring"}},
		{"evt.res", {"SUCCESS", "EPERM", "ENOENT", "EHWPOISON", "ERESTARTSYS", "-600"}},
		{"fd.type", {"<NA>", "file", "ipv4", "eventpoll", "pidfd"}},
		{"fd.types", {"<NA>", "file", "pidfd"}},
		{"fd.typechar", {"o", "?", "f", "4", "P", "X"}},
		{"fd.l4proto", {"tcp", "udp", "icmp", "raw", "<NA>"}},
		{"fd.sockfamily", {"ip", "unix"}},
		{"proc.stdin.type", {"file", "pipe"}},
		{"proc.stdout.type", {"file", "pipe"}},
		{"proc.stderr.type", {"file", "pipe"}},
		{"container.type", {"host", "docker", "libvirt-lxc", "mesos"}},
		{"syslog.facility.str", {"kern", "local7"}},
		{"syslog.severity.str", {"emerg", "debug"}},
		{"meta.state", {"ok", "missing"}},
		{"request.protocol", {"http", "redis"}},
		{"request.role", {"client", "server"}},
		{"tcp.protocol", {"tcp", "udp"}},
		{"perf.mode", {"kernel", "user"}},
		{"tcp.role", {"client", "server"}},
		{"tcp.state", {"ESTABLISHED", "NEW_SYN_RECV"}},
		{"tcp.old_state", {"LISTEN", "CLOSING"}},
	};
	size_t with_words = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (const char *const *word = cases[i].words; *word; word++) {
			assert_true(field_words_have(words_of(cases[i].field), *word));
			assert_false(field_words_have(words_of(cases[i].field), "nonsense"));
		}
	for (const struct field_desc *const *table = field_tables; *table; table++)
		for (const struct field_desc *desc = *table; desc->name; desc++)
			with_words += desc->words != NULL;
	assert_int_equal(with_words, sizeof(cases) / sizeof(cases[0]));
}

static void expect_plain(void *context, const char *word)
{
	struct buf quoted = {0};

	json_append_string(&quoted, word, strlen(word));
	if (quoted.len != strlen(word) + 2)
		fail_msg("%s: JSON has to escape %s", (const char *)context, word);
	for (const char *c = word; *c; c++)
		assert_true((unsigned char)*c < 0x80);
	buf_finish(&quoted);
}

/* Formats write them as they are. */
static void test_plain(void **state)
{
	for (const struct field_desc *const *table = field_tables; *table; table++)
		for (const struct field_desc *desc = *table; desc->name; desc++)
			if (desc->words)
				desc->words->each(expect_plain, (char *)desc->name);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_have),
	cmocka_unit_test(test_nearest),
	cmocka_unit_test(test_fields),
	cmocka_unit_test(test_plain),
};

UNIT_GROUP(tests);
