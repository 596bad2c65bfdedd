/* SPDX-License-Identifier: MIT */
/* Keys that do not fit together, and that no secret is in a message. */
#include <errno.h>
#include <string.h>

#include "output/targets/http_keys.h"
#include "output/target.h"
#include "unit.h"

static int check(const struct output_config *config, struct error *err)
{
	return http_keys_check(config->own, config->text, err);
}

static const char *const names[] = {"http", "https", NULL};
static const struct output_kind kind = {
	.names = names, .keys = HTTP_KEYS, .own_bytes = sizeof(struct http_keys), .check = check};
static const struct output_kind *const kinds[] = {&kind, NULL};

static int read_keys(const char *text, struct error *err)
{
	struct output_config *config = NULL;
	int code = output_config_read(kinds, text, &config, err);

	output_config_destroy(config);
	return code;
}

static void test_rejected(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"http://h,cert=a", "belong together"},
		{"https://h,key=a", "belong together"},
		{"http://h,cert=a,key=b", "cert= needs https"},
		{"http://h,ca=a", "ca= needs https"},
		{"http://h,insecure", "insecure needs https"},
		{"https://h,ca=a,insecure", "contradict"},
		{"http://h,token=secret,user=u", "contradict"},
		{"http://h,token=secret,token-file=f", "contradict"},
		{"http://h,user=u,password=secret,password-file=f", "contradict"},
		{"http://h,password=secret", "needs user="},
		{"http://h,user=u", "needs password="},
		{"http://h,timeout=0", "timeout"},
		{"http://h,token=secret\n", "control"},
		{"http://h,token=", "empty"},
		{"http://h,header=secret", "Name: value"},
		{"http://h,header=X: secret\r\nY: z", "Name: value"},
		{"http://h,header=: secret", "Name: value"},
		{"http://h,header=X Y: secret", "Name: value"},
		{"http://u:secret@h", "user="},
		{"http:h", "no URL"},
		{"http://h,compress=secret", "gzip or zstd"},
		{"http://h,profile=x", "elasticsearch"},
	};
	struct error err;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		err.text[0] = '\0';
		if (read_keys(rows[i].text, &err) != -EINVAL || !strstr(err.text, rows[i].message))
			fail_msg("%s: '%s'", rows[i].text, err.text);
		if (strstr(err.text, "secret") && strstr(rows[i].text, "compress") == NULL)
			fail_msg("%s: '%s' shows a secret", rows[i].text, err.text);
	}
}

static void test_valid(void **state)
{
	static const char *const texts[] = {
		"https://h:1/p?q=r,ca=a,cert=b,key=c,user=u,password=p",
		"https://h,insecure,token-file=f,proxy=http://p:1,header=X-A: b,header=C:",
		"http://h,user=u,password-file=f,compress=zstd,timeout=250ms,connect-timeout=1",
		"http://h,dead-letter=f,dead-letter-size=1M,host=n",
	};
	struct error err;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (read_keys(texts[i], &err))
			fail_msg("%s: '%s'", texts[i], err.text);
}

/* Members are set by rows whose types fit. */
static void test_tables(void **state)
{
	struct http_keys keys = {0};

	assert_int_equal(output_keys_init(OTLP_KEYS, &keys), 0);
	assert_int_equal(keys.timeout_ns, UINT64_C(30000000000));
	assert_int_equal(keys.dead_letter_bytes, 64 << 20);
	output_keys_finish(OTLP_KEYS, &keys);
	for (const struct output_key *key = HTTP_KEYS; key->name; key++)
		if (strcmp(key->name, "password") == 0 || strcmp(key->name, "token") == 0 ||
		    strcmp(key->name, "header") == 0)
			assert_true(key->secret);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rejected),
	cmocka_unit_test(test_valid),
	cmocka_unit_test(test_tables),
};

UNIT_GROUP(tests);
