/* SPDX-License-Identifier: MIT */
/*
 * The event table against tests/reference/facts: whatever the table declares must be there, to the
 * last parameter and flag. The tables of system calls must be there in full.
 */
#include <stdio.h>
#include <string.h>

#include "event/event.h"
#include "sheet.h"
#include "unit.h"

/* Those that the sheets know. */
static unsigned int declared_events(void)
{
	unsigned int count = 0;

	for (unsigned int id = 0; id < EVENT_EXTENSION_FIRST; id++)
		count += event_desc_get(id) != NULL;
	return count;
}

/* The parameters that the .scap world knows; ours follow them. */
static unsigned int scap_params(const struct event_desc *desc)
{
	unsigned int count = 0;

	while (count < desc->nparams && !desc->params[count].extension)
		count++;
	for (unsigned int i = count; i < desc->nparams; i++)
		assert_true(desc->params[i].extension);
	assert_int_equal(count, desc->scap_nparams);
	return count;
}

/* Formats by their names in the sheets. */
static const char *const formats[] = {
	[PF_NA] = "NA",
	[PF_DEC] = "DEC",
	[PF_HEX] = "HEX",
	[PF_OCT] = "OCT",
	[PF_PADDED_DEC] = "PADDED_DEC",
	[PF_ID] = "ID",
	[PF_DIR] = "DIR",
};

static unsigned int flag_of(const char *name)
{
	static const struct {
		const char *name;
		unsigned int flag;
	} flags[] = {
		{"CREATES_FD", EF_CREATES_FD},
		{"DESTROYS_FD", EF_DESTROYS_FD},
		{"USES_FD", EF_USES_FD},
		{"READS_FROM_FD", EF_READS_FROM_FD},
		{"WRITES_TO_FD", EF_WRITES_TO_FD},
		{"MODIFIES_STATE", EF_MODIFIES_STATE},
		{"WAITS", EF_WAITS},
		{"LARGE_PAYLOAD", EF_LARGE_PAYLOAD},
		{"CONVERTER_MANAGED", 0},
		{"OLD_VERSION", 0},
		{"SKIPPARSERESET", 0},
		{"-", 0},
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (strcmp(flags[i].name, name) == 0)
			return flags[i].flag;
	fail_msg("a flag that the table does not know: %s", name);
	return 0;
}

static unsigned int flags_of(char *names)
{
	unsigned int flags = 0;
	char *save;

	for (char *name = strtok_r(names, "|", &save); name; name = strtok_r(NULL, "|", &save))
		flags |= flag_of(name);
	return flags;
}

/* Addresses of both lengths are one type. */
static const char *type_of(const struct event_desc *desc, const struct param_desc *param)
{
	if (param->type == PT_IPADDR)
		return desc->id == EVENT_task_file_socket_inet ? "IPV4ADDR" : "IPV6ADDR";
	return sheet_type_name(param->type);
}

static void check_params(const struct event_desc *desc, char *params)
{
	unsigned int count = 0;
	char *save;

	for (char *param = strtok_r(params, " ", &save); param;
	     param = strtok_r(NULL, " ", &save)) {
		const struct param_desc *actual = &desc->params[count];
		char text[128];

		assert_true(count < desc->nparams);
		snprintf(text, sizeof(text), "%s:%s:%s", actual->name, type_of(desc, actual),
			 formats[actual->format]);
		assert_string_equal(text, param);
		count++;
	}
	assert_int_equal(scap_params(desc), count);
}

/*
 * Only current events, and of the two of a system call the one on exit, unless both are in
 * files that are read today.
 */
static void check_enter(const struct event_desc *desc, char *const columns[])
{
	bool enter = (desc->category & EC_SYSCALL) && desc->id % 2 == 0;

	assert_int_equal((desc->flags & EF_ENTER) != 0, enter);
	if (enter) {
		const struct event_desc *at_exit = event_desc_get(desc->id + 1u);

		assert_non_null(at_exit);
		assert_string_equal(at_exit->name, desc->name);
		assert_true(desc->flags & EF_RECORDED && desc->flags & EF_UNSEEN);
		assert_string_equal(event_family(desc->id), event_family(at_exit->id));
		assert_ptr_equal(event_desc_find(desc->name), at_exit);
		assert_int_equal(desc->syscall, SC_unknown);
	} else {
		assert_null(strstr(columns[4], "OLD_VERSION"));
	}
}

/* What is in the sheet and neither old nor unused is in the table. */
static bool is_current(const char *flags)
{
	return !strstr(flags, "OLD_VERSION") && !strstr(flags, "UNUSED");
}

static void test_events(void **state)
{
	unsigned int compared = 0;
	struct sheet sheet;

	sheet_open(&sheet, "facts/events.tsv");
	while (sheet_next(&sheet)) {
		unsigned int code = sheet_number(sheet.columns[0], 10);
		const struct event_desc *desc = event_desc_get(code);

		if (is_current(sheet.columns[4]))
			assert_non_null(desc);
		if (!desc)
			continue;
		compared++;
		assert_int_equal(desc->id, code);
		assert_string_equal(desc->name, sheet.columns[1]);
		assert_int_equal(desc->category, sheet_number(sheet.columns[3], 16));
		assert_string_equal(sheet.columns[2], code % 2 ? "X" : "E");
		check_enter(desc, sheet.columns);
		assert_int_equal(desc->flags & EF_SCAP, flags_of(sheet.columns[4]));
		assert_int_equal(scap_params(desc), sheet_number(sheet.columns[5], 10));
		check_params(desc, sheet.columns[6]);
	}
	assert_int_equal(compared, declared_events());
}

/*
 * Compares a set with the rows of the sheet that have its name, order included. One is there twice.
 */
static void check_set(const char *name, const struct param_flag *set)
{
	const struct param_flag *first = set;
	struct sheet sheet;

	sheet_open(&sheet, "facts/flags.tsv");
	while (sheet_next(&sheet)) {
		if (strcmp(sheet.columns[0], name) != 0)
			continue;
		if (set != first && strcmp(set[-1].name, sheet.columns[1]) == 0)
			continue;
		assert_non_null(set->name);
		assert_string_equal(set->name, sheet.columns[1]);
		assert_int_equal(set->value, sheet_number(sheet.columns[2], 16));
		set++;
	}
	assert_null(set->name);
}

/* Of lists of descriptors the sheet says nothing, but it has the names of their events. */
static void check_has_set(const struct param_desc *param, bool in_sheet)
{
	if (param->type == PT_FDLIST)
		check_set("poll_flags", param->set);
	else
		assert_int_equal(param->set != NULL || param->dyn != NULL, in_sheet);
}

static void test_sets_of_parameters(void **state)
{
	static bool has_set[EVENT_ID_MAX][EVENT_PARAMS_MAX],
		has_base[EVENT_ID_MAX][EVENT_PARAMS_MAX];
	struct sheet sheet;

	sheet_open(&sheet, "facts/param-flags.tsv");
	while (sheet_next(&sheet)) {
		unsigned int code = sheet_number(sheet.columns[0], 10);
		unsigned int index = sheet_number(sheet.columns[2], 10);
		const struct event_desc *desc = event_desc_get(code);
		const char *set = sheet.columns[4];
		unsigned int base;

		if (!desc)
			continue;
		assert_true(index < desc->nparams);
		assert_string_equal(desc->params[index].name, sheet.columns[3]);
		if (sscanf(set, "dirfd=%u", &base) == 1) {
			has_base[code][index] = true;
			assert_int_equal(desc->params[index].base, base + 1);
		} else {
			has_set[code][index] = true;
			if (set[0] == '@') {
				assert_non_null(desc->params[index].dyn);
				continue;
			}
			assert_non_null(desc->params[index].set);
			check_set(set, desc->params[index].set);
		}
	}
	for (unsigned int id = 0; id < EVENT_EXTENSION_FIRST; id++) {
		const struct event_desc *desc = event_desc_get(id);

		for (unsigned int i = 0; desc && i < scap_params(desc); i++) {
			check_has_set(&desc->params[i], has_set[id][i]);
			assert_int_equal(desc->params[i].base != 0, has_base[id][i]);
		}
	}
}

/* What a base points at must be there, be a descriptor, and stand before the path. */
static void test_bases_are_descriptors(void **state)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		for (unsigned int i = 0; desc && i < desc->nparams; i++) {
			const struct param_desc *param = &desc->params[i];

			assert_int_equal(param->type == PT_FSRELPATH, param->base != 0);
			if (param->base) {
				assert_true(param->base - 1u < i);
				assert_int_equal(desc->params[param->base - 1].type, PT_FD);
			}
		}
	}
}

static void test_names(void **state)
{
	unsigned int codes = 0;
	struct sheet sheet;

	sheet_open(&sheet, "facts/ppm_sc.tsv");
	while (sheet_next(&sheet)) {
		unsigned int code = sheet_number(sheet.columns[0], 10);

		assert_string_equal(syscall_name(code), sheet.columns[1]);
		assert_int_equal(syscall_code_find(sheet.columns[1]), code);
		codes++;
	}
	assert_int_equal(codes, SYSCALL_CODES_COUNT);
	assert_null(syscall_name(SYSCALL_CODES_COUNT));
	assert_null(syscall_name(UINT32_MAX));
	assert_int_equal(syscall_code_find("nosuch"), -1);
	assert_int_equal(syscall_code_find(""), -1);
}

/*
 * Extension events are for calls that the .scap world leaves generic, and bear their names; or for
 * tracepoints, or made in user space.
 */
static void test_own_events(void **state)
{
	for (unsigned int id = EVENT_EXTENSION_FIRST; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (!desc)
			continue;
		assert_int_equal(desc->id, id);
		if (desc->tracepoint) {
			assert_true(desc->category & EC_TRACEPOINT);
			assert_int_equal(desc->syscall, SC_unknown);
			continue;
		}
		if (desc->category & EC_METAEVENT)
			continue;
		assert_int_equal(desc->syscall, syscall_code_find(desc->name));
		assert_true(desc->category & EC_SYSCALL);
	}
}

#ifdef __x86_64__
/* `sheet` is what the sheet has for the call, NULL if that is no event of the table. */
static void check_event_of(const struct event_desc *desc, const char *call,
			   const struct event_desc *sheet)
{
	if (desc->id >= EVENT_EXTENSION_FIRST) {
		assert_null(sheet);
		assert_string_equal(desc->name, call);
	} else {
		assert_string_equal(desc->name, sheet ? sheet->name : "syscall");
	}
}

static void test_numbers(void **state)
{
	static bool has_number[SYSCALL_NR_MAX], has_code[SYSCALL_CODES_COUNT];
	struct sheet sheet;

	sheet_open(&sheet, "facts/syscalls_x86_64.tsv");
	while (sheet_next(&sheet)) {
		unsigned int native = sheet_number(sheet.columns[0], 10);
		int code = syscall_code_find(sheet.columns[1]);
		const struct event_desc *extension = event_desc_find(sheet.columns[3]);

		assert_true(native < SYSCALL_NR_MAX && code > 0);
		has_number[native] = has_code[code] = true;
		assert_int_equal(syscall_code_of_native(native), code);
		assert_int_equal(syscall_native_number((unsigned int)code), native);
		check_event_of(event_desc_of_syscall((unsigned int)code), sheet.columns[1],
			       extension);
		if (extension && extension->id != EVENT_syscall)
			assert_int_equal(extension->syscall, code);
	}
	for (unsigned int native = 0; native < SYSCALL_NR_MAX; native++)
		assert_int_equal(syscall_code_of_native(native) != SC_unknown, has_number[native]);
	for (unsigned int code = 0; code < SYSCALL_CODES_COUNT; code++)
		assert_int_equal(syscall_native_number(code) >= 0, has_code[code]);
	assert_int_equal(syscall_code_of_native(SYSCALL_NR_MAX), SC_unknown);
	assert_int_equal(syscall_code_of_native(UINT32_MAX), SC_unknown);
}

static void test_numbers_of_32_bit_programs(void **state)
{
	assert_int_equal(syscall_code_of_compat(0), SC_restart_syscall);
	assert_int_equal(syscall_code_of_compat(5), SC_open);
	assert_int_equal(syscall_code_of_compat(11), SC_execve);
	assert_int_equal(syscall_code_of_compat(102), SC_socketcall);
	assert_int_equal(syscall_code_of_compat(213), SC_setuid); /* setuid32 */
	assert_int_equal(syscall_code_of_compat(295), SC_openat);
	assert_int_equal(syscall_code_of_compat(403), SC_clock_gettime); /* clock_gettime64 */
	assert_int_equal(syscall_code_of_compat(437), SC_openat2);
	assert_int_equal(syscall_code_of_compat(17), SC_unknown); /* break: never was one */
	assert_int_equal(syscall_code_of_compat(SYSCALL_NR_MAX), SC_unknown);
	assert_int_equal(syscall_code_of_compat(UINT32_MAX), SC_unknown);
	assert_int_equal(syscall_layout_of_compat(80), LAYOUT_OTHER); /* lists of 16-bit ids */
	assert_int_equal(syscall_layout_of_compat(102), LAYOUT_MULTIPLEXED);
	assert_int_equal(syscall_layout_of_compat(403), LAYOUT_ALIKE);
	assert_int_equal(syscall_layout_of_compat(UINT32_MAX), LAYOUT_OTHER);
	assert_int_equal(syscall_code_of_operation(MULTIPLEXED_SOCKETCALL, 9), SC_send);
	assert_int_equal(syscall_code_of_operation(MULTIPLEXED_IPC, 24), SC_shmctl);
	assert_int_equal(syscall_code_of_operation(MULTIPLEXED_IPC, 5), SC_unknown);
	assert_int_equal(syscall_code_of_operation(MULTIPLEXED_IPC, MULTIPLEXED_OPERATIONS),
			 SC_unknown);
}
#endif

static void test_looking_up(void **state)
{
	const struct event_desc *openat = event_desc_get(EVENT_openat);

	assert_non_null(openat);
	assert_ptr_equal(event_desc_find("openat"), openat);
	assert_ptr_equal(event_desc_of_syscall(SC_openat), openat);
	assert_int_equal(event_param_find(openat, "name"), openat__name);
	assert_int_equal(event_param_find(openat, "nosuch"), -1);
	assert_int_equal(event_param_find(openat, ""), -1);
	assert_int_equal(openat__count, openat->nparams);
	assert_true(event_desc_is_native(openat));
	assert_true(event_desc_is_native(event_desc_get(EVENT_procexit)));
	assert_true(event_desc_is_native(event_desc_get(EVENT_syscall)));
#ifdef __aarch64__
	assert_false(event_desc_is_native(event_desc_get(EVENT_open)));
	assert_int_equal(syscall_native_number(SC_openat), 56);
#endif

	assert_null(event_desc_find("nosuch"));
	assert_null(event_desc_find(""));
	assert_null(event_desc_get(EVENT_NONE));
	assert_null(event_desc_get(EVENT_ID_MAX));
	assert_null(event_desc_get(UINT32_MAX));
	assert_int_equal(event_desc_of_syscall(SC_unknown)->id, EVENT_syscall);
	assert_int_equal(event_desc_of_syscall(SC_getppid)->id, EVENT_getppid);
	assert_int_equal(event_desc_of_syscall(SYSCALL_CODES_COUNT)->id, EVENT_syscall);
	assert_int_equal(event_desc_of_syscall(UINT32_MAX)->id, EVENT_syscall);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_events),
	cmocka_unit_test(test_sets_of_parameters),
	cmocka_unit_test(test_bases_are_descriptors),
	cmocka_unit_test(test_names),
	cmocka_unit_test(test_own_events),
#ifdef __x86_64__
	cmocka_unit_test(test_numbers),
	cmocka_unit_test(test_numbers_of_32_bit_programs),
#endif
	cmocka_unit_test(test_looking_up),
};

UNIT_GROUP(tests);
