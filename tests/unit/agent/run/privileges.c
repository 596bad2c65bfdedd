/* SPDX-License-Identifier: MIT */
/* What the options of a run need later. */
#include <stdlib.h>
#include <unistd.h>

#include "agent/run/service.h"
#include "doctored.h"
#include "in_child.h"
#include "parsed.h"
#include "privileges/capabilities.h"
#include "unit.h"

static const struct outputs none;
static const struct captures no_captures;

struct expected {
	const char *line;
	uint64_t kept; /* beside those of every capture; ~0: nothing is dropped */
};

static int try_line(void *context)
{
	const struct expected *expected = context;
	struct capability_sets before, after;
	struct options options;
	struct error err = {""};
	uint64_t always = capabilities_for(USED_TO_MAP | USED_TO_READ | USED_FOR_PROCESSES);

	/* As where tracefs is mounted. */
	EXPECT(capabilities_limit(~(UINT64_C(1) << 21)) == 0);
	EXPECT(capability_sets_read(&before) == 0);
	parse_right(expected->line, &options);
	EXPECT(run_set_privileges(&options, &none, &no_captures, options.rules_count > 0, &err) ==
	       0);
	EXPECT(run_drop_privileges(&options, &none, &err) == 0);
	EXPECT(capability_sets_read(&after) == 0);
	if (expected->kept == ~UINT64_C(0))
		EXPECT(after.effective == before.effective);
	else
		EXPECT(after.effective == ((always | expected->kept) & before.effective));
	options_finish(&options);
	return 0;
}

static void test_lines(void **state)
{
	struct expected expected[] = {
		{"evt.type=open", CAPABILITY(38)},
		{"--privileges keep evt.type=open", ~UINT64_C(0)},
		{"--privileges drop -w /tmp/x.scap", CAPABILITY(38)},
		{"--privileges log --rules x.yaml", 0},
		{"-- ls", CAPABILITY(38) | CAPABILITY(5)},
		{"-r x.scap", ~UINT64_C(0)},
	};

	if (geteuid())
		skip();
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		in_child(try_line, &expected[i]);
}

struct later {
	const char *line;
	enum doctor_status rings; /* whether the process opens them itself */
};

/* What a CPU that goes online takes, and programs. */
static int try_later(void *context)
{
	const struct later *later = context;
	struct options options;
	struct error err = {""};

	parse_right(later->line, &options);
	EXPECT(run_set_privileges(&options, &none, &no_captures, options.rules_count > 0, &err) ==
	       0);
	EXPECT(run_drop_privileges(&options, &none, &err) == 0);
	doctored_expect(NULL, "doctor --buffer-size 8M", doctor_rings, later->rings, "");
	doctored_expect(NULL, "doctor", doctor_tracing, DOCTOR_MISSING, "");
	doctored_expect(NULL, "doctor", doctor_kernel_reads, DOCTOR_MISSING, "");
	options_finish(&options);
	return 0;
}

static void test_later(void **state)
{
	struct later later[] = {{"evt.type=open", DOCTOR_OK}, {"--rules x.yaml", DOCTOR_MISSING}};

	if (geteuid())
		skip();
	in_child(try_later, &later[0]);
	in_child(try_later, &later[1]);
}

/* Whether one is started for these options; what it does is tested with it. */
static int try_loader(void *context)
{
	const struct later *later = context;
	struct loader loader = {0};
	struct options options;
	struct error err = {""};

	parse_right(later->line, &options);
	EXPECT(run_set_privileges(&options, &none, &no_captures, options.rules_count > 0, &err) ==
	       0);
	EXPECT(run_start_loader(&options, options.rules_count > 0, &loader, &err) == 0);
	EXPECT((loader.pid != 0) == (later->rings == DOCTOR_MISSING));
	loader_finish(&loader);
	options_finish(&options);
	return 0;
}

static void test_loader(void **state)
{
	struct later later[] = {{"evt.type=open", DOCTOR_OK},
				{"--rules x.yaml", DOCTOR_MISSING},
				{"--privileges log --rules x.yaml", DOCTOR_MISSING},
				{"--privileges keep --rules x.yaml", DOCTOR_OK},
				{"-r x.scap --rules x.yaml", DOCTOR_OK}};

	for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++)
		in_child(try_loader, &later[i]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lines),
	cmocka_unit_test(test_later),
	cmocka_unit_test(test_loader),
};

UNIT_GROUP(tests);
