/* SPDX-License-Identifier: MIT */
/* What is a URL of a server, and what becomes of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "net/url.h"
#include "unit.h"

static struct url *create(const char *text)
{
	struct url *url = NULL;
	struct error err;

	if (url_create(text, &url, &err))
		fail_msg("%s: %s", text, err.text);
	return url;
}

/* Compares the text, and releases it all. */
static void assert_text(struct url *url, const char *wanted)
{
	char *text = url_text(url);

	assert_string_equal(text, wanted);
	free(text);
	url_destroy(url);
}

static void test_valid(void **state)
{
	static const char *const texts[] = {
		"http://127.0.0.1:8080/",
		"https://collector.example/a%20b?x=1&y",
		"https://[::1]:9200/a/",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_text(create(texts[i]), texts[i]);
}

static void test_invalid(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"http://", "no URL"},
		{"http:x", "'http:x' is no URL"},
		{"http://u:secret@h:x/", "'...' is no URL"},
		{"http://h:x/?token=secret", "'...' is no URL"},
		{"http://host:70000/", "no URL"},
		{"ftp://host/", "no URL"},
		{"//host/", "no URL"},
		{"", "no URL"},
		{"http://host/a b", "%20"},
		{"http://host/\r\nX: y", "%20"},
		{"http://h\xc3\xb6st/", "%20"},
		{"http://user:very-secret@host/", "user="},
		{"http://user@host/", "user="},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct url *url = NULL;
		struct error err;

		assert_int_equal(url_create(rows[i].text, &url, &err), -EINVAL);
		assert_null(url);
		if (!strstr(err.text, rows[i].message))
			fail_msg("%s: %s", rows[i].text, err.text);
		assert_null(strstr(err.text, "very-secret"));
	}
}

static void test_path(void **state)
{
	struct url *url = create("http://host");

	assert_false(url_has_path(url));
	assert_int_equal(url_set_path(url, "/_bulk"), 0);
	assert_true(url_has_path(url));
	assert_text(url, "http://host/_bulk");
	url = create("http://host/");
	assert_false(url_has_path(url));
	assert_int_equal(url_append_path(url, "/v1/logs"), 0);
	assert_text(url, "http://host/v1/logs");
	url = create("http://host/a/?b=c");
	assert_true(url_has_path(url));
	assert_int_equal(url_append_path(url, "/v1/logs"), 0);
	assert_text(url, "http://host/a/v1/logs?b=c");
}

static void test_query(void **state)
{
	struct url *url = create("http://host/?a=b");

	assert_int_equal(url_add_query(url, "query", "INSERT INTO a.b FORMAT x&y"), 0);
	assert_int_equal(url_add_query(url, "c", ""), 0);
	/* libcurl before 8 writes blanks as "+". */
	assert_text(url, "http://host/?a=b&query=INSERT+INTO+a.b+FORMAT+x%26y&c=");
	url_destroy(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_valid),
	cmocka_unit_test(test_invalid),
	cmocka_unit_test(test_path),
	cmocka_unit_test(test_query),
};

UNIT_GROUP(tests);
