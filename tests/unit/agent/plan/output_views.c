/* SPDX-License-Identifier: MIT */
/* The outputs that options name: their formats, fields and filters, and what they make of a plan.
 */
#include <errno.h>
#include <string.h>

#include "agent/plan/output_views.h"
#include "agent/plan/plan.h"
#include "unit.h"

static struct options options;
static struct printer printer;
static struct outputs outputs;
static struct captures captures;
static struct buf messages;
static struct error err;

/* Returns the result of output_views_make(). */
static int make(const char *first, const char *second)
{
	int code;

	assert_int_equal(options_add_output(&options, first), 0);
	if (second)
		assert_int_equal(options_add_output(&options, second), 0);
	if (options_read_outputs(&options, &err))
		fail_msg("%s", err.text);
	code = printer_init(&printer, &options, &messages, &err);
	return code ? code
		    : output_views_make(&options, &printer, &outputs, &captures, &messages, &err);
}

static int setup(void **state)
{
	options = (struct options){.priority = PRIORITY_DEBUG};
	printer = (struct printer){0};
	outputs = (struct outputs){0};
	captures = (struct captures){0};
	messages = (struct buf){0};
	return 0;
}

static int teardown(void **state)
{
	outputs_finish(&outputs);
	captures_finish(&captures);
	printer_finish(&printer);
	options_finish(&options);
	buf_finish(&messages);
	return 0;
}

static void test_formats(void **state)
{
	assert_int_equal(make("stdout:", "stdout:,format=text"), 0);
	assert_ptr_equal(printer.format, &format_none);
	assert_ptr_equal(printer.outputs, &outputs);
	assert_ptr_equal(outputs.list[0]->view.format, &format_json);
	assert_ptr_equal(outputs.list[1]->view.format, &format_text);
	assert_int_equal(outputs.list[0]->view.line, 0);
	assert_int_equal(outputs.list[1]->view.line, 1);
	assert_int_equal(printer.lines_count, 2);
	assert_non_null(outputs.list[1]->view.formatter);
	assert_null(outputs.list[1]->view.filter);
}

static void test_fields(void **state)
{
	assert_int_equal(
		make("stdout:,fields=evt.num fd.name", "stdout:,format=text,fields=evt.num"), 0);
	assert_true(formatter_needs(outputs.list[0]->view.formatter) & NEEDS_EVENT_FD);
	assert_int_equal(formatter_needs(outputs.list[1]->view.formatter), 0);
}

/* In text the line of a rule is all, in JSON it has the fields of the event. */
static void test_rules(void **state)
{
	assert_int_equal(options_add_rules(&options, "r"), 0);
	assert_int_equal(make("stdout:", "stdout:,format=text"), 0);
	assert_non_null(outputs.list[0]->view.formatter);
	assert_null(outputs.list[1]->view.formatter);
}

static void test_wrong_format(void **state)
{
	assert_int_equal(make("stdout:,format=yaml", NULL), -EINVAL);
	assert_string_equal(err.text, "--output stdout: there is no format 'yaml' for events, but "
				      "json, text or protobuf");
}

/* What a request of OTLP is made of is nothing by itself. */
static void test_format_of_another_kind(void **state)
{
	assert_int_equal(make("stdout:,format=otlp-json", NULL), -EINVAL);
	assert_non_null(strstr(err.text, "there is no format 'otlp-json' for events"));
}

static void test_schemas(void **state)
{
	assert_int_equal(make("stdout:,schema=ecs", "stdout:,schema=native"), 0);
	assert_ptr_equal(outputs.list[0]->view.schema, &schema_ecs);
	assert_null(outputs.list[1]->view.schema);
	assert_int_equal(outputs.list[1]->view.line, 1);
	assert_ptr_equal(printer.lines[0].schema, &schema_ecs);
}

static void test_wrong_schema(void **state)
{
	assert_int_equal(make("stdout:,schema=esc", NULL), -EINVAL);
	assert_string_equal(err.text,
			    "--output stdout: there is no schema 'esc', but native, otel, "
			    "ecs or falco");
}

static void test_format_without_schemas(void **state)
{
	assert_int_equal(make("stdout:,format=text,schema=ecs", NULL), -EINVAL);
	assert_string_equal(err.text, "--output stdout: format=text has only schema=native: leave "
				      "out schema=");
}

/* The schema of a kind, or of a profile, unless another one is given. */
static void test_default_schemas(void **state)
{
	assert_int_equal(make("http://h,profile=elasticsearch", "http://h,profile=loki"), 0);
	assert_ptr_equal(outputs.list[0]->view.schema, &schema_ecs);
	assert_null(outputs.list[1]->view.schema);
}

static void test_chosen_schemas(void **state)
{
	assert_int_equal(make("http://h,profile=elasticsearch,schema=native",
			      "http://h,schema=otel,profile=elasticsearch"),
			 0);
	assert_null(outputs.list[0]->view.schema);
	assert_ptr_equal(outputs.list[1]->view.schema, &schema_otel);
}

static void test_schema_of_otlp(void **state)
{
	assert_int_equal(make("otlp:http://h,schema=otel", "otlp:http://h,format=otlp-json"), 0);
	assert_ptr_equal(outputs.list[0]->view.format->events.schema, &schema_otel);
	assert_null(outputs.list[0]->view.schema);
}

static void test_wrong_schema_of_otlp(void **state)
{
	assert_int_equal(make("otlp:http://h,schema=ecs", NULL), -EINVAL);
	assert_string_equal(err.text, "--output otlp:http://h: format=otlp-proto has only "
				      "schema=otel: leave out schema=");
}

static void test_silent_format(void **state)
{
	assert_int_equal(make("stdout:,format=none", NULL), -EINVAL);
}

static void test_wrong_field(void **state)
{
	assert_int_equal(make("stdout:,fields=evt.nmu", NULL), -EINVAL);
	assert_non_null(strstr(err.text, "--output stdout: fields: "));
	assert_non_null(strstr(err.text, "evt.nmu"));
}

static void test_wrong_filter(void **state)
{
	assert_int_equal(make("stdout:,filter=evt.nmu=1", NULL), -EINVAL);
	assert_non_null(strstr(err.text, "--output stdout: filter: "));
}

static void expect_plan(const char *filter_text, bool opens, bool dups, bool closes)
{
	struct plan *plan = NULL;

	if (plan_create(&options, &printer, &plan, &messages, &err))
		fail_msg("%s", err.text);
	if (filter_text)
		assert_string_equal(plan->filter_text, filter_text);
	else
		assert_null(plan->filter_text);
	assert_int_equal(!!(plan->selection.events[EVENT_open] & WHY_FILTER), opens);
	assert_int_equal(!!(plan->selection.events[EVENT_dup] & WHY_FILTER), dups);
	assert_int_equal(!!(plan->selection.events[EVENT_close] & WHY_FILTER), closes);
	plan_destroy(plan);
}

/* Only what any output wants is captured. */
static void test_plan_of_filters(void **state)
{
	char filter[] = "fd.num>3";

	assert_int_equal(make("stdout:,filter=evt.type=open", "stdout:,filter=evt.type=dup"), 0);
	expect_plan("(evt.type=open) or (evt.type=dup)", true, true, false);
	options.filter = filter;
	expect_plan("(fd.num>3) and ((evt.type=open) or (evt.type=dup))", true, true, false);
	/* What is recorded does not depend on the outputs. */
	options.write = "a.scap";
	expect_plan("fd.num>3", true, true, true);
	options.write = NULL;
	options.filter = NULL;
}

/* A capture is no output of records, but its filter counts as theirs. */
static void test_captures(void **state)
{
	assert_int_equal(
		make("scap:a,redact=no,filter=evt.type=open", "stdout:,filter=evt.type=dup"), 0);
	assert_int_equal(outputs.count, 1);
	assert_int_equal(captures.count, 1);
	assert_ptr_equal(printer.captures, &captures);
	assert_int_equal(printer.lines_count, 1);
	expect_plan("(evt.type=dup) or (evt.type=open)", true, true, false);
}

/* Nothing is printed, and the state is up to date for files that begin later. */
static void test_capture_alone(void **state)
{
	struct plan *plan = NULL;

	assert_int_equal(make("scap:a,redact=no,filter=evt.type=open", NULL), 0);
	assert_true(printer.format->silent);
	expect_plan("(evt.type=open)", true, false, false);
	assert_int_equal(plan_create(&options, &printer, &plan, &messages, &err), 0);
	assert_true(plan->selection.events[EVENT_close] & WHY_DESCRIPTORS);
	assert_true(plan->needs_containers && plan->needs_pods);
	plan_destroy(plan);
}

static void test_capture_without_a_filter(void **state)
{
	assert_int_equal(make("scap:a,redact=no", "stdout:,filter=evt.type=dup"), 0);
	expect_plan(NULL, true, true, true);
}

static void test_wrong_filter_of_a_capture(void **state)
{
	assert_int_equal(make("scap:a,redact=no,filter=evt.nmu=1", NULL), -EINVAL);
	assert_non_null(strstr(err.text, "--output scap:a: filter: "));
}

static void test_captures_of_one_file(void **state)
{
	assert_int_equal(make("scap:a,redact=no", "scap:a,redact=no,keep=2"), -EINVAL);
	assert_string_equal(err.text, "two outputs write a: name another file");
}

static void test_plan_without_a_filter(void **state)
{
	assert_int_equal(make("stdout:,filter=evt.type=open", "stdout:,format=text"), 0);
	expect_plan(NULL, true, true, true);
}

#ifdef WITH_OTLP_OUTPUTS
/* They have metrics in their own format, and nothing that is about events. */
static void test_metrics(void **state)
{
	assert_int_equal(make("otlp-metrics:http://h", NULL), 0);
	assert_ptr_equal(outputs.list[0]->view.format, &format_otlp_metrics);
	assert_null(outputs.list[0]->view.formatter);
	assert_ptr_equal(printer.format, &format_none);
}

static void test_metrics_without_a_filter(void **state)
{
	assert_int_equal(make("otlp-metrics:http://h,filter=evt.type=open", NULL), -EINVAL);
	assert_string_equal(err.text,
			    "--output otlp-metrics:http://h: it has metrics and no events: "
			    "leave out filter=");
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
#ifdef WITH_OTLP_OUTPUTS
	TEST(test_metrics),
	TEST(test_metrics_without_a_filter),
#endif
	TEST(test_formats),
	TEST(test_fields),
	TEST(test_rules),
	TEST(test_wrong_format),
	TEST(test_format_of_another_kind),
	TEST(test_schemas),
	TEST(test_wrong_schema),
	TEST(test_format_without_schemas),
	TEST(test_default_schemas),
	TEST(test_chosen_schemas),
	TEST(test_schema_of_otlp),
	TEST(test_wrong_schema_of_otlp),
	TEST(test_silent_format),
	TEST(test_wrong_field),
	TEST(test_wrong_filter),
	TEST(test_plan_of_filters),
	TEST(test_plan_without_a_filter),
	TEST(test_captures),
	TEST(test_capture_alone),
	TEST(test_capture_without_a_filter),
	TEST(test_wrong_filter_of_a_capture),
	TEST(test_captures_of_one_file),
};

UNIT_GROUP(tests);
