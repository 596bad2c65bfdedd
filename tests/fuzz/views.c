/* SPDX-License-Identifier: MIT */
/*
 * Files of views: any bytes are rejected with messages, or are a view. By a view all events are
 * counted by two engines, a new one and one that was cleared; both have the same rows, in order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "views/engine.h"

enum { GROUPS = 8, BYTES_MAX = 64 << 10 };

struct counted {
	struct views_view *view;
	struct views_engine *engines[2];
};

static struct views_view *read_view(const char *text, size_t len)
{
	const struct views_config config = {.checks = true};
	struct yaml_report report = {0};
	struct views_view *view = NULL;
	struct yaml_file file;
	struct buf out = {0};
	int r;

	REQUIRE(yaml_file_copy("v.yaml", text, len, &file, NULL) == 0, "memory");
	r = views_view_read(&file, &config, &view, &report);
	REQUIRE(r == 0 || r == -EINVAL, "%d", r);
	REQUIRE((report.counts[YAML_ERROR] > 0) == (r != 0), "%zu errors",
		report.counts[YAML_ERROR]);
	yaml_report_render(&report, YAML_NOTE, &out);
	REQUIRE(r == 0 || out.len, "rejected in silence");
	buf_finish(&out);
	yaml_report_finish(&report);
	yaml_file_finish(&file);
	return view;
}

static void take(const struct state_event *event, void *context)
{
	struct counted *counted = context;

	for (unsigned int i = 0; i < 2; i++)
		views_engine_take(counted->engines[i], event);
}

/* What a row has must be there for each column; texts have a NUL behind them. */
static void look_at(const struct counted *counted, const struct views_engine *engine,
		    const struct views_group *group)
{
	struct views_result result;
	struct field_value value;
	struct buf out = {0};

	for (unsigned int i = 0; i < counted->view->keys_count; i++) {
		const struct field_ref *ref = &counted->view->keys[i].field.ref;

		if (!views_group_key(engine, group, i, &value))
			continue;
		buf_clear(&out);
		format_value_append_text(ref, &value, &out);
		buf_clear(&out);
		format_value_append_json(ref, &value, &out);
		REQUIRE(!out.failed && out.len, "a value without text");
	}
	for (unsigned int i = 0; i < counted->view->values_count; i++)
		if (views_group_value(engine, group, i, &result) && result.ref) {
			buf_clear(&out);
			format_value_append_json(result.ref, &result.field, &out);
			REQUIRE(!out.failed && out.len, "a value without text");
		}
	buf_finish(&out);
}

static uint32_t look_at_rows(const struct counted *counted, struct views_engine *engine)
{
	struct views_rows rows;

	views_engine_rows(engine, counted->view->limit, 1000000000, &rows);
	REQUIRE(rows.count <= rows.total, "%u rows of %llu", rows.count,
		(unsigned long long)rows.total);
	for (uint32_t i = 0; i < rows.count; i++)
		look_at(counted, engine, rows.list[i]);
	if (rows.crowd)
		look_at(counted, engine, rows.crowd);
	return (uint32_t)rows.total;
}

static void count(struct views_view *view)
{
	const struct views_engine_config config = {GROUPS, BYTES_MAX};
	struct counted counted = {.view = view};
	uint32_t rows[2];

	for (unsigned int i = 0; i < 2; i++)
		REQUIRE(views_engine_create(view, &config, &counted.engines[i]) == 0, "memory");
	fuzz_show_events(take, &counted);
	views_engine_clear(counted.engines[1]);
	REQUIRE(look_at_rows(&counted, counted.engines[1]) == 0, "rows after a clear");
	views_engine_destroy(counted.engines[0]);
	REQUIRE(views_engine_create(view, &config, &counted.engines[0]) == 0, "memory");
	fuzz_show_events(take, &counted);
	for (unsigned int i = 0; i < 2; i++)
		rows[i] = look_at_rows(&counted, counted.engines[i]);
	REQUIRE(rows[0] == rows[1], "%u rows, %u", rows[0], rows[1]);
	for (unsigned int i = 0; i < 2; i++)
		views_engine_destroy(counted.engines[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct views_view *view = read_view(text, strlen(text));

	if (view)
		count(view);
	views_view_destroy(view);
	free(text);
	return 0;
}
