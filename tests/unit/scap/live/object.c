/* SPDX-License-Identifier: MIT */
/*
 * Loading the BPF object on a kernel that rejects some of its programs. The running kernel rejects
 * none, so that this file stands between libbpf and it. Skipped where programs may not be loaded.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "event/event.h"
#include "fake_syscall.h"
#include "lanner.skel.h"
#include "scap/live/live.h"
#include "scap/live/programs.h"
#include "scap/live/skeleton.h"
#include "unit.h"

enum { RING_BYTES = 1 << 20, NOTHING_INSNS = 2 };

/* What the kernel rejects, and what it was asked for. */
static struct {
	const char *rejected[8]; /* programs, as the kernel names them; ended by NULL */
	int error; /* for these */
	bool map_sizes; /* reject these */
	unsigned int objects; /* that were loaded, by their map of scratch slots */
	/* Several threads load. */
	atomic_uint programs; /* that were tried or loaded */
	atomic_uint of_openat; /* of these, that one */
	atomic_uint with_lines; /* of these, with the lines of their source */
	atomic_uint openat_functions; /* of these, described for that one */
} kernel;

static bool is_rejected(const char *name)
{
	for (const char **at = kernel.rejected; *at; at++)
		/* The kernel is given the first 15 characters. */
		if (strncmp(*at, name, BPF_OBJ_NAME_LEN - 1) == 0)
			return true;
	return false;
}

static long answer(long number, const long arg[SYSCALL_ARGUMENTS])
{
	if (number == SYS_bpf && arg[0] == BPF_MAP_CREATE)
		kernel.objects += strcmp(((union bpf_attr *)arg[1])->map_name, "scratch") == 0;
	if (number == SYS_bpf && arg[0] == BPF_PROG_LOAD) {
		const union bpf_attr *attr = (union bpf_attr *)arg[1];
		bool does_nothing = attr->insn_cnt <= NOTHING_INSNS;

		kernel.programs += !does_nothing;
		kernel.with_lines += !does_nothing && attr->line_info_cnt;
		if (!does_nothing && strcmp(attr->prog_name, "fill_openat") == 0)
			kernel.openat_functions += attr->func_info_cnt;
		kernel.of_openat += !does_nothing && strcmp(attr->prog_name, "fill_openat") == 0;
		if (!does_nothing && is_rejected(attr->prog_name)) {
			errno = kernel.error;
			return -1;
		}
	}
	return real_syscall(number, arg);
}

/* In place of libbpf's. */
int bpf_map__set_max_entries(struct bpf_map *map, uint32_t entries)
{
	int (*real)(struct bpf_map *, uint32_t) =
		(int (*)(struct bpf_map *, uint32_t))dlsym(RTLD_NEXT, "bpf_map__set_max_entries");

	return kernel.map_sizes ? -E2BIG : real(map, entries);
}

static int setup(void **state)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.error = EINVAL;
	fake_syscall_by(answer);
	return 0;
}

static const struct scap_live_config some_events = {
	.ring_bytes = RING_BYTES,
	.snaplen = SNAPLEN_DEFAULT,
	.entry_notes = ENTRY_NOTES_ALL,
	.events = {[EVENT_openat] = true,
		   [EVENT_mkdirat] = true,
		   [EVENT_unlinkat] = true,
		   [EVENT_execve] = true,
		   [EVENT_procexit] = true},
};

static struct scap_live *open_live(const struct scap_live_config *config)
{
	struct scap_live *live = NULL;
	struct error err = {""};
	int r = scap_live_open(config, &live, &err);

	if (r == -EPERM)
		skip();
	if (r < 0)
		fail_msg("%s", err.text);
	return live;
}

static bool is_loaded(const struct scap_live *live, const char *name)
{
	const char *program, *hook;

	for (unsigned int i = 0; scap_live_program(live, i, &program, &hook); i++)
		if (strcmp(program, name) == 0)
			return true;
	return false;
}

static void test_nothing_is_rejected(void **state)
{
	struct scap_live *live = open_live(&some_events);

	assert_int_equal(scap_live_rejected(live)[0], 0);
	assert_int_equal(kernel.objects, 1);
	assert_int_equal(kernel.of_openat, 1);
	assert_true(kernel.programs > 0);
	assert_int_equal(kernel.with_lines, 0);
	assert_true(kernel.openat_functions > 0);
	scap_source_destroy(scap_live_source(live));
}

/* However many, of each kind: they cost their events, and two loads more. */
static void test_several_are_rejected(void **state)
{
	static const char *const names[] = {"fill_mkdirat", "fill_unlinkat", "enter_openat",
					    "exec_success", "fill_procexit"};
	const uint16_t *ids;
	struct scap_live *live;
	unsigned int programs;

	live = open_live(&some_events);
	programs = kernel.programs;
	scap_source_destroy(scap_live_source(live));
	setup(state);
	memcpy(kernel.rejected, names, sizeof(names));
	live = open_live(&some_events);
	ids = scap_live_rejected(live);
	/* In the order of their ids; of execve some, of openat nothing but a detail. */
	assert_int_equal(ids[0], EVENT_procexit);
	assert_int_equal(ids[1], EVENT_execve);
	assert_int_equal(ids[2], EVENT_unlinkat);
	assert_int_equal(ids[3], EVENT_mkdirat);
	assert_int_equal(ids[4], 0);
	assert_int_equal(scap_live_enter_error(live), -EOPNOTSUPP);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_false(is_loaded(live, names[i]));
	assert_true(is_loaded(live, "fill_openat") && is_loaded(live, "fill_execve") &&
		    is_loaded(live, "dispatch_sys_exit"));
	/* Without those of no event, the search, and without what it found. */
	assert_int_equal(kernel.objects, 4);
	assert_in_range(kernel.of_openat, 1, 4);
	/* A rejected one is loaded twice by libbpf, the second time for its log. */
	assert_in_range(kernel.programs, programs, 4 * programs);
	/* The search for all of them, and the load without them. */
	assert_in_range(kernel.with_lines, programs, 3 * programs);
	scap_source_destroy(scap_live_source(live));
}

/* It works after that as if nothing had been: libbpf has its own handlers again. */
static void test_afterwards(void **state)
{
	kernel.rejected[0] = "fill_mkdirat";
	scap_source_destroy(scap_live_source(open_live(&some_events)));
	setup(state);
	test_nothing_is_rejected(state);
}

/* Without it there is no event of a call. */
static void test_dispatch_is_rejected(void **state)
{
	struct scap_live *live = NULL;
	struct error err = {""};
	int r;

	kernel.rejected[0] = "dispatch_sys_ex";
	kernel.rejected[1] = "fill_mkdirat";
	r = scap_live_open(&some_events, &live, &err);
	if (r == -EPERM)
		skip();
	assert_int_equal(r, -EINVAL);
	assert_null(live);
	assert_non_null(strstr(err.text, "loading the BPF programs: Invalid argument"));
}

static void expect_error(int code, const char *text)
{
	struct scap_live *live = NULL;
	struct error err = {""};

	assert_int_equal(scap_live_open(&some_events, &live, &err), code);
	assert_null(live);
	if (!strstr(err.text, text))
		fail_msg("no \"%s\" in \"%s\"", text, err.text);
}

/* Not the fault of the program, which is not left out for it. */
static void test_no_rights(void **state)
{
	scap_source_destroy(scap_live_source(open_live(&some_events)));
	kernel.rejected[0] = "fill_mkdirat";
	kernel.error = EPERM;
	expect_error(-EPERM, "not permitted");
	kernel.error = ENOMEM;
	expect_error(-ENOMEM, "no memory for the BPF maps");
}

/* An error before the load says itself what failed. */
static void test_error_ahead_of_the_load(void **state)
{
	scap_source_destroy(scap_live_source(open_live(&some_events)));
	kernel.map_sizes = true;
	expect_error(-E2BIG, "sizing the BPF maps");
}

/* The rows of the table are the programs of the object, but for those that run once. */
static void test_rows(void **state)
{
	struct lanner *skeleton = live_skeleton_open(NULL);
	struct bpf_program *program;
	size_t count = 0;

	assert_non_null(skeleton);
	bpf_object__for_each_program(program, skeleton->obj) count +=
		program != skeleton->progs.cgroup_roots && program != skeleton->progs.open_fds &&
		program != skeleton->progs.threads && program != skeleton->progs.own_groups &&
		program != skeleton->progs.scan_filters && program != skeleton->progs.find_owners;
	assert_int_equal(count, live_programs_count);
	for (size_t i = 0; i < live_programs_count; i++)
		if (!bpf_object__find_program_by_name(skeleton->obj, live_programs[i].name))
			fail_msg("no program \"%s\"", live_programs[i].name);
	lanner__destroy(skeleton);
}

/* libbpf would search what the kernel lacks of them in the types of modules, as CAP_SYS_ADMIN. */
static void test_no_external_symbols(void **state)
{
	struct lanner *skeleton = live_skeleton_open(NULL);

	assert_non_null(skeleton);
	assert_true(btf__find_by_name_kind(bpf_object__btf(skeleton->obj), ".ksyms",
					   BTF_KIND_DATASEC) < 0);
	lanner__destroy(skeleton);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_nothing_is_rejected, setup),
	cmocka_unit_test_setup(test_several_are_rejected, setup),
	cmocka_unit_test_setup(test_afterwards, setup),
	cmocka_unit_test_setup(test_dispatch_is_rejected, setup),
	cmocka_unit_test_setup(test_no_rights, setup),
	cmocka_unit_test_setup(test_error_ahead_of_the_load, setup),
	cmocka_unit_test_setup(test_rows, setup),
	cmocka_unit_test_setup(test_no_external_symbols, setup),
};

UNIT_GROUP(tests, .slow = true, .unfilled = true);
