/* SPDX-License-Identifier: MIT */
/* Binds a check only to validate it. */
#include "sinsp/filter/check.h"

#include <errno.h>
#include <stdlib.h>

#include "sinsp/filter/program.h"

/* Whether a field in an expression, or in the arguments of a transformer, does not exist. */
static bool has_unknown_field(const struct filter_expr *expr)
{
	struct field_ref ref = {0};
	bool unknown;

	if (expr->kind == FILTER_EXPR_FIELD) {
		unknown = field_ref_init(&ref, expr->text.data, expr->text.len, NULL) == -ENOENT;
		field_ref_finish(&ref);
		return unknown;
	}
	for (const struct filter_expr *inner = expr->first; inner; inner = inner->next)
		if (has_unknown_field(inner))
			return true;
	return false;
}

int filter_check_node(const struct filter_node *check, const char *text,
		      const struct filter_options *options, bool *unknown_field,
		      struct filter_error *err)
{
	struct filter_binder binder = {.text = text, .options = *options, .err = err};
	struct filter_check bound = {0};
	int code;

	binder.filter = calloc(1, sizeof(*binder.filter));
	if (!binder.filter)
		return -ENOMEM;
	code = filter_bind(&binder, check, &bound);
	filter_destroy(binder.filter);
	if (code == -EINVAL)
		*unknown_field = has_unknown_field(check->left) ||
				 (check->right && has_unknown_field(check->right));
	return code;
}
