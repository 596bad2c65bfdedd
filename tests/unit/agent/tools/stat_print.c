/* SPDX-License-Identifier: MIT */
/* Lines of counts in each form, as perf has them. */
#include <string.h>

#include "agent/tools/stat_print.h"
#include "unit.h"

static const struct stat_line clock_line = {
	.name = "task-clock",
	.unit = "msec",
	.supported = true,
	.counted = true,
	.value = 0.7654,
	.is_scaled = true,
	.deviation_percent = 10.25,
	.enabled_ns = 765400,
	.running_ns = 765400,
	.metric_unit = "CPUs utilized",
	.metric_format = "%8.3f",
	.metric = 0.229,
};

static const struct stat_line shared_line = {
	.name = "cycles:u",
	.unit = "",
	.supported = true,
	.counted = true,
	.value = 1234567,
	.enabled_ns = 400,
	.running_ns = 100,
};

static const struct stat_line unsupported_line = {.name = "r1a8", .unit = ""};
static const struct stat_line uncounted_line = {.name = "cs", .unit = "", .supported = true};

static void check(const struct stat_printer *printer, const struct stat_line *line,
		  const char *expected)
{
	struct buf out = {0};

	stat_print_line(printer, line, 1234567890, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, expected);
	buf_finish(&out);
}

static void prints_text(void **state)
{
	const struct stat_printer once = {.form = STAT_TEXT}, repeated = {.repeats = true},
				  intervals = {.has_intervals = true};

	check(&once, &clock_line,
	      "              0.77 msec task-clock                       #    0.229 CPUs utilized"
	      "          \n");
	check(&repeated, &clock_line,
	      "              0.77 msec task-clock                       #    0.229 CPUs utilized"
	      "            ( +- 10.25% )\n");
	check(&once, &shared_line,
	      "           1234567      cycles:u                                                   "
	      "          (25.00%)\n");
	check(&once, &unsupported_line,
	      "   <not supported>      r1a8                                                        "
	      "\n");
	check(&intervals, &uncounted_line,
	      "     1.234567890      <not counted>      cs                                         "
	      "                 \n");
}

static void prints_columns(void **state)
{
	const struct stat_printer once = {.form = STAT_CSV, .separator = ","},
				  repeated = {STAT_CSV, ";", .repeats = true},
				  intervals = {STAT_CSV, ",", .has_intervals = true};

	check(&once, &clock_line, "0.77,msec,task-clock,765400,100.00,0.229,CPUs utilized\n");
	check(&repeated, &clock_line,
	      "0.77;msec;task-clock;10.25%;765400;100.00;0.229;CPUs utilized\n");
	check(&once, &shared_line, "1234567,,cycles:u,100,25.00,,\n");
	check(&once, &unsupported_line, "<not supported>,,r1a8,0,100.00,,\n");
	check(&intervals, &uncounted_line, "     1.234567890,<not counted>,,cs,0,100.00,,\n");
}

static void prints_objects(void **state)
{
	const struct stat_printer once = {.form = STAT_JSON},
				  all = {STAT_JSON, .repeats = true, .has_intervals = true};

	check(&once, &shared_line,
	      "{\"counter-value\" : \"1234567.000000\", \"unit\" : \"\", \"event\" : \"cycles:u\", "
	      "\"event-runtime\" : 100, \"pcnt-running\" : 25.00, \"metric-value\" : 0.000000, "
	      "\"metric-unit\" : \"\"}\n");
	check(&all, &clock_line,
	      "{\"interval\" : 1.234567890, \"counter-value\" : \"0.765400\", \"unit\" : \"msec\", "
	      "\"event\" : \"task-clock\", \"variance\" : 10.25, \"event-runtime\" : 765400, "
	      "\"pcnt-running\" : 100.00, \"metric-value\" : 0.229000, "
	      "\"metric-unit\" : \"CPUs utilized\"}\n");
	check(&once, &unsupported_line,
	      "{\"counter-value\" : \"<not supported>\", \"unit\" : \"\", \"event\" : \"r1a8\", "
	      "\"event-runtime\" : 0, \"pcnt-running\" : 100.00, \"metric-value\" : 0.000000, "
	      "\"metric-unit\" : \"\"}\n");
}

static void check_ends(const struct stat_printer *printer, const struct stat_times *times,
		       const char *expected)
{
	struct buf out = {0};

	stat_print_head(printer, "'true'", &out);
	stat_print_foot(printer, times, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, expected);
	buf_finish(&out);
}

static void prints_heads_and_times(void **state)
{
	const struct stat_times times = {.elapsed_s = 0.001138,
					 .deviation_s = 0.0001708,
					 .has_usage = true,
					 .user_s = 0.0018,
					 .system_s = 0};
	const struct stat_times exact = {.elapsed_s = 2};

	check_ends(&(struct stat_printer){0}, &times,
		   "\n Performance counter stats for 'true':\n\n\n"
		   "       0.001138000 seconds time elapsed\n\n"
		   "       0.001800000 seconds user\n       0.000000000 seconds sys\n\n\n");
	check_ends(&(struct stat_printer){.repeats = true}, &times,
		   "\n Performance counter stats for 'true':\n\n\n"
		   "          0.001138 +- 0.000171 seconds time elapsed  ( +- 15.01% )\n\n"
		   "       0.001800000 seconds user\n       0.000000000 seconds sys\n\n\n");
	check_ends(&(struct stat_printer){.repeats = true}, &exact,
		   "\n Performance counter stats for 'true':\n\n\n"
		   "       2.000000000 +- 0.000000000 seconds time elapsed\n\n\n");
	check_ends(&(struct stat_printer){.has_intervals = true}, &times,
		   "#           time             counts unit events\n");
	check_ends(&(struct stat_printer){.form = STAT_CSV}, &times, "");
	check_ends(&(struct stat_printer){.form = STAT_JSON}, &times, "");
}

/* The container behind the event, with its pod, as perf has the name of a control group. */
static void prints_whose_it_is(void **state)
{
	const struct stat_owner owner = {"main", "0123456789ab", "web-5c4f", "shop"},
				pod = {"", "", "web-5c4f", ""};
	const struct stat_printer text = {.form = STAT_TEXT},
				  csv = {.form = STAT_CSV, .separator = ","},
				  json = {.form = STAT_JSON};
	struct stat_line line = shared_line;

	line.owner = &owner;
	check(&text, &line,
	      "           1234567      cycles:u                         shop/web-5c4f/main"
	      "                                     (25.00%)\n");
	check(&csv, &line, "1234567,,cycles:u,shop/web-5c4f/main,100,25.00,,\n");
	check(&json, &line,
	      "{\"counter-value\" : \"1234567.000000\", \"unit\" : \"\", \"event\" : "
	      "\"cycles:u\", \"container\" : \"main\", \"container-id\" : \"0123456789ab\", "
	      "\"pod\" : \"web-5c4f\", \"namespace\" : \"shop\", \"event-runtime\" : 100, "
	      "\"pcnt-running\" : 25.00, \"metric-value\" : 0.000000, \"metric-unit\" : \"\"}\n");
	line.owner = &pod;
	check(&csv, &line, "1234567,,cycles:u,web-5c4f,100,25.00,,\n");
}

/* Whoever makes a group gives it a name: of bytes that say nothing to a terminal or a reader. */
static void masks_names_of_users(void **state)
{
	const struct stat_owner owner = {"a\033[2J\nb,c\xff", "", "", "..x"};
	const struct stat_printer text = {.form = STAT_TEXT},
				  csv = {.form = STAT_CSV, .separator = ","},
				  slashes = {.form = STAT_CSV, .separator = "/"},
				  dots = {.form = STAT_CSV, .separator = "..."},
				  none = {.form = STAT_CSV, .separator = ""};
	struct stat_line line = shared_line;

	line.owner = &owner;
	check(&text, &line,
	      "           1234567      cycles:u                         ..x/a.[2J.b,c."
	      "                                     (25.00%)\n");
	check(&csv, &line, "1234567,,cycles:u,..x/a.[2J.b.c.,100,25.00,,\n");
	check(&slashes, &line, "1234567//cycles:u/..x.a.[2J.b,c./100/25.00//\n");
	check(&none, &line, "1234567cycles:u..x/a.[2J.b,c.10025.00\n");
	line.owner = &(struct stat_owner){"....", "", "", ""};
	check(&dots, &line, "1234567......cycles:u...____...100...25.00......\n");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(prints_whose_it_is), cmocka_unit_test(masks_names_of_users),
	cmocka_unit_test(prints_text),	      cmocka_unit_test(prints_columns),
	cmocka_unit_test(prints_objects),     cmocka_unit_test(prints_heads_and_times),
};

UNIT_GROUP(tests);
