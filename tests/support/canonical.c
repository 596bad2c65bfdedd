/* SPDX-License-Identifier: MIT */
#include "canonical.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

bool canonical(const char *text, struct buf *out, struct filter_error *err)
{
	struct arena arena = {0};
	struct filter_node *root;
	int rc = filter_parse(text, &arena, &root, err);

	buf_clear(out);
	if (rc == 0)
		filter_print(root, out);
	buf_append_char(out, '\0');
	arena_finish(&arena);
	assert_true(rc == 0 || rc == -EINVAL);
	return rc == 0;
}

void canonical_expect(const struct canonical_pair *pairs, size_t n)
{
	struct buf out = {0}, again = {0};

	for (size_t i = 0; i < n; i++) {
		struct filter_error err;
		bool ok = canonical(pairs[i].text, &out, &err);

		if (ok != (pairs[i].wanted != NULL))
			fail_msg("'%s' should be %s", pairs[i].text, ok ? "rejected" : "accepted");
		if (!ok) {
			assert_true(err.text[0] != '\0');
			assert_true(err.position <= strlen(pairs[i].text));
			continue;
		}
		assert_string_equal(out.data, pairs[i].wanted);
		assert_true(canonical(out.data, &again, &err));
		assert_string_equal(again.data, out.data);
	}
	buf_finish(&out);
	buf_finish(&again);
}

void canonical_expect_error(const char *text, size_t position, unsigned int line,
			    unsigned int column, const char *says)
{
	struct buf out = {0};
	struct filter_error err;

	assert_false(canonical(text, &out, &err));
	if (err.position != position || err.line != line || err.column != column ||
	    !strstr(err.text, says))
		fail_msg("'%s': %zu, %u:%u, %s", text, err.position, err.line, err.column,
			 err.text);
	buf_finish(&out);
}
