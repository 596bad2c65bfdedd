/* SPDX-License-Identifier: MIT */
/* agent status: what is printed, and where nobody answers. */
#include "agent/commands/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/control.h"
#include "agent/options/options.h"
#include "printed.h"
#include "unit.h"

static struct options options;
static int exit_code;

static void get_status(struct control *control, void *context, bool openmetrics,
		       struct control_answer *answer)
{
	const unsigned int *status = context;

	answer->status = *status;
	BUF_LITERAL(&answer->body, "events: seen 7\n");
}

static void run(void *context)
{
	exit_code = status_run(&options);
}

static void expect(int code, const char *out, const char *err)
{
	struct printed printed;

	printed_call(run, NULL, &printed);
	assert_int_equal(exit_code, code);
	assert_string_equal(printed.out, out);
	assert_non_null(strstr(printed.err, err));
	printed_finish(&printed);
}

static void test_answers(void **state)
{
	static const struct control_page pages[] = {{"/status", "", get_status}, {0}};
	struct control *control = NULL;
	unsigned int status = 200;
	char address[64];

	snprintf(address, sizeof(address), "unix:/tmp/lanner-status-%d", (int)getpid());
	options.operand = address;
	expect(EXIT_FAILURE, "", "Is an agent running with --http unix:/tmp/lanner-status-");
	assert_int_equal(control_create(address, pages, &status, NULL, &control, NULL), 0);
	expect(EXIT_SUCCESS, "events: seen 7\n", "");
	status = 503;
	expect(EXIT_FAILURE, "", "is 503: events: seen 7");
	control_destroy(control);
	options.operand = "nowhere";
	expect(2, "", "'nowhere' is not an address");
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_answers)};

UNIT_GROUP(tests);
