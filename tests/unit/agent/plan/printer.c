/* SPDX-License-Identifier: MIT */
/* What options make of the output: its format, its style, and what contradicts. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "agent/plan/printer.h"
#include "unit.h"

/* Standard output of tests is a file or a pipe. */
static void test_formats(void **state)
{
	static const char *rules[] = {"rules.yaml"};
	static const struct {
		struct options options;
		const struct output_format *format;
		bool prints;
	} cases[] = {
		{{0}, &format_json, true},
		{{.format = &format_text}, &format_text, true},
		{{.format = &format_none}, &format_none, false},
		{{.print = "%evt.num"}, &format_text, true},
		{{.print = "%evt.num", .format = &format_json}, &format_json, true},
		{{.json_fields = "evt.num"}, &format_json, true},
		{{.json_base64 = true}, &format_json, true},
		{{.quiet = true}, &format_none, false},
		{{.quiet = true, .print = "%evt.num"}, &format_none, false},
		{{.quiet = true, .format = &format_json}, &format_none, false},
		/* In text a rule says all, unless -p asks for more. */
		{{.rules = rules, .rules_count = 1}, &format_json, true},
		{{.rules = rules, .rules_count = 1, .format = &format_text}, &format_text, false},
		{{.rules = rules, .rules_count = 1, .print = "%evt.num"}, &format_text, true},
		/* Names of formats are about their outputs. */
		{{.rules = rules, .rules_count = 1, .print = "c"}, &format_text, false},
		{{.rules = rules, .rules_count = 1, .print = "k", .json_fields = "evt.num"},
		 &format_json,
		 true},
		{{.rules = rules, .rules_count = 1, .print = "k", .format = &format_json},
		 &format_json,
		 true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct printer printer;

		assert_int_equal(printer_init(&printer, &cases[i].options, NULL, NULL), 0);
		assert_ptr_equal(printer.format, cases[i].format);
		assert_int_equal(printer.formatter != NULL, cases[i].prints);
		printer_finish(&printer);
	}
}

static const char *info_of(const struct options *options)
{
	struct printer printer;
	const char *info;

	assert_int_equal(printer_init(&printer, options, NULL, NULL), 0);
	info = printer.container_info;
	printer_finish(&printer);
	return info;
}

/* As Falco has them. */
static void test_container_info_of_rules(void **state)
{
	static const char *rules[] = {"rules.yaml"};
	static const struct {
		const char *print, *same, *info;
	} cases[] = {
		{"c", "container",
		 "container_id=%container.id container_image=%container.image.repository "
		 "container_image_tag=%container.image.tag container_name=%container.name"},
		{"k", "kubernetes",
		 "container_id=%container.id container_image=%container.image.repository "
		 "container_image_tag=%container.image.tag container_name=%container.name "
		 "k8s_ns=%k8s.ns.name k8s_pod_name=%k8s.pod.name"},
	};
	struct options options = {.rules = rules, .rules_count = 1, .print = "%evt.num"};

	assert_null(info_of(&options));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		options.print = cases[i].print;
		assert_string_equal(info_of(&options), cases[i].info);
		options.print = cases[i].same;
		assert_string_equal(info_of(&options), cases[i].info);
		assert_null(info_of(&(struct options){.print = cases[i].print}));
	}
}

static void test_contradictions(void **state)
{
	static const struct {
		struct options options;
		const char *message;
	} cases[] = {
		{{.print = "%evt.num", .format = &format_none}, "-p: nothing is printed"},
		{{.json_fields = "evt.num", .format = &format_text},
		 "is for -o json and -o protobuf"},
		{{.json_base64 = true, .format = &format_text}, "--json-b64 is for -o json"},
		{{.print = "%evt.num", .json_fields = "evt.num"}, "one of them says what"},
		{{.print = "%nosuch"}, "-p: line 1, column 2"},
		{{.json_fields = "evt.num,nosuch"}, "--json-fields: line 1, column 9"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = {""};
		struct printer printer;

		assert_int_equal(printer_init(&printer, &cases[i].options, NULL, &err), -EINVAL);
		assert_non_null(strstr(err.text, cases[i].message));
		printer_finish(&printer);
	}
}

static bool is_coloured(struct options options)
{
	struct printer printer;
	bool coloured;

	assert_int_equal(printer_init(&printer, &options, NULL, NULL), 0);
	coloured = printer.style.coloured;
	printer_finish(&printer);
	return coloured;
}

static void test_colour(void **state)
{
	assert_false(is_coloured((struct options){.color = COLOR_AUTO}));
	assert_false(is_coloured((struct options){.color = COLOR_NEVER}));
	assert_int_equal(setenv("NO_COLOR", "1", 1), 0);
	assert_true(is_coloured((struct options){.color = COLOR_ALWAYS}));
	unsetenv("NO_COLOR");
}

static void test_buffers_are_cut_by_default(void **state)
{
	const struct options whole[] = {{.verbose = true}, {.snaplen_chosen = true}};
	struct printer printer;

	assert_int_equal(printer_init(&printer, &(struct options){0}, NULL, NULL), 0);
	assert_int_equal(printer.style.bytes_max, 80);
	printer_finish(&printer);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(printer_init(&printer, &whole[i], NULL, NULL), 0);
		assert_int_equal(printer.style.bytes_max, 0);
		printer_finish(&printer);
	}
}

static void test_needs(void **state)
{
	struct printer printer;

	assert_int_equal(
		printer_init(&printer, &(struct options){.format = &format_none}, NULL, NULL), 0);
	assert_int_equal(printer_needs(&printer), 0);
	printer_finish(&printer);
	assert_int_equal(printer_init(&printer, &(struct options){.print = "%evt.num"}, NULL, NULL),
			 0);
	assert_int_equal(printer_needs(&printer), 0);
	printer_finish(&printer);
	assert_int_equal(
		printer_init(&printer, &(struct options){.print = "%proc.name"}, NULL, NULL), 0);
	assert_true(printer_needs(&printer) & NEEDS_THREADS);
	printer_finish(&printer);
}

/* The names of services are those of the running one, which keeps them until it is replaced. */
static void test_replace(void **state)
{
	const struct options options = {.port_names = true, .format = &format_text};
	struct printer running, unused, next;
	struct services *services;
	struct buf messages = {0};

	assert_int_equal(printer_init(&running, &options, &messages, NULL), 0);
	services = running.services;
	assert_non_null(services);
	assert_int_equal(printer_init_again(&unused, &running, &options, &messages, NULL), 0);
	assert_ptr_equal(unused.style.services, services);
	printer_finish(&unused);
	assert_int_equal(printer_init_again(&next, &running, &options, &messages, NULL), 0);
	printer_replace(&running, &next);
	assert_ptr_equal(running.services, services);
	assert_ptr_equal(running.style.services, services);
	assert_null(next.formatter);
	printer_finish(&next);
	printer_finish(&running);
	buf_finish(&messages);
}

static void expect_kernel(const struct printer *printer, const char *release)
{
	assert_string_equal(printer->machine.parts[IDENTITY_KERNEL], release);
}

/* A capture file may be of another machine. A reload may see less of this one than the start. */
static void test_machine(void **state)
{
	struct printer here, file, again;
	struct options options = {0};
	struct utsname names;

	assert_int_equal(uname(&names), 0);
	assert_int_equal(printer_init(&here, &options, NULL, NULL), 0);
	expect_kernel(&here, names.release);
	snprintf(here.machine.parts[IDENTITY_KERNEL], IDENTITY_BYTES, "as it was");
	assert_int_equal(printer_init_again(&again, &here, &options, NULL, NULL), 0);
	expect_kernel(&again, "as it was");
	options.read = "a.scap";
	assert_int_equal(printer_init(&file, &options, NULL, NULL), 0);
	expect_kernel(&file, "");
	printer_finish(&again);
	printer_finish(&here);
	printer_finish(&file);
}

/* Standard output hides secrets by default, in lines and in messages. */
static void test_hide(void **state)
{
	struct options options = {0};
	char line[] = "{\"a\":\"--password=ab\"}\n", message[] = "\x0a\x0a--password\x12\x02"
								 "ab";
	struct printer printer;

	assert_int_equal(printer_init(&printer, &options, NULL, NULL), 0);
	assert_ptr_equal(printer.style.hider.context, printer.redact);
	printer_hide(&printer, line, sizeof(line) - 1);
	assert_string_equal(line, "{\"a\":\"--password=**\"}\n");
	printer_finish(&printer);
	options.format = &format_protobuf;
	assert_int_equal(printer_init(&printer, &options, NULL, NULL), 0);
	printer_hide(&printer, message, sizeof(message) - 1);
	printer_finish(&printer);
	options.no_redact = true;
	assert_int_equal(printer_init(&printer, &options, NULL, NULL), 0);
	assert_null(printer.redact);
	snprintf(line, sizeof(line), "--password=ab");
	printer_hide(&printer, line, strlen(line));
	assert_string_equal(line, "--password=ab");
	printer_finish(&printer);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_hide),
	cmocka_unit_test(test_formats),
	cmocka_unit_test(test_container_info_of_rules),
	cmocka_unit_test(test_contradictions),
	cmocka_unit_test(test_colour),
	cmocka_unit_test(test_buffers_are_cut_by_default),
	cmocka_unit_test(test_needs),
	cmocka_unit_test(test_replace),
	cmocka_unit_test(test_machine),
};

UNIT_GROUP(tests);
