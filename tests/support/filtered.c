/* SPDX-License-Identifier: MIT */
#include "filtered.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

bool filtered(const struct state_event *event, const char *text)
{
	static const struct state_event nothing;
	const struct state_event *given = event ? event : &nothing;
	struct filter_error err = {0};
	struct filter *filter;
	bool passes;

	if (filter_create(text, NULL, &filter, &err))
		fail_msg("%s: column %u: %s", text, err.column, err.text);
	passes = filter_match(filter, given);
	assert_int_equal(filter_match(filter, given), passes);
	filter_destroy(filter);
	return passes;
}

void filtered_expect(bool passes, const char *const *texts)
{
	for (; *texts; texts++)
		if (filtered(NULL, *texts) != passes)
			fail_msg("'%s' should be %s", *texts, passes ? "true" : "false");
}

bool filtered_accepts(const char *text)
{
	struct filter_error err;
	struct filter *filter = NULL;
	int rc = filter_create(text, NULL, &filter, &err);

	assert_true(rc == 0 || (rc == -EINVAL && !filter && err.text[0]));
	filter_destroy(filter);
	return rc == 0;
}

void filtered_expect_error(const char *text, unsigned int column, const char *says)
{
	struct filter_error err;
	struct filter *filter;

	assert_int_equal(filter_create(text, NULL, &filter, &err), -EINVAL);
	if (err.column != column || !strstr(err.text, says))
		fail_msg("'%s': column %u: %s", text, err.column, err.text);
}
