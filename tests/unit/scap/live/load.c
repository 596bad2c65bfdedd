/* SPDX-License-Identifier: MIT */
/*
 * Loading in this process: what is handed over works without libbpf's object. Skipped where BPF
 * programs may not be loaded.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>

#include <bpf/bpf.h>

#include "event/event.h"
#include "scap/live/load.h"
#include "scap/live/programs.h"
#include "unit.h"

static const struct scap_live_config config = {
	.ring_bytes = 1 << 16,
	.snaplen = SNAPLEN_DEFAULT,
	.events = {[EVENT_mkdirat] = true, [EVENT_procexit] = true},
};

static unsigned int count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned int count = 0;

	assert_non_null(folder);
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

static void load_what(const struct scap_live_config *wanted, struct live_load *load,
		      struct live_loaded *loaded)
{
	struct error err = {""};
	int code;

	live_load_init(load);
	code = load->loader.ops->load(&load->loader, wanted, 0, loaded, &err);
	if (code == -EPERM)
		skip();
	if (code)
		fail_msg("%s", err.text);
}

static void load_some(struct live_load *load, struct live_loaded *loaded)
{
	load_what(&config, load, loaded);
}

static size_t count_parts(const struct live_loaded *loaded, enum live_part_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < loaded->count; i++)
		count += loaded->parts[i].kind == kind;
	return count;
}

/* Each part is what it is said to be. */
static void test_parts(void **state)
{
	struct live_loaded loaded = {0};
	struct bpf_map_info map = {0};
	struct bpf_prog_info program;
	struct live_load load;
	uint32_t bytes = sizeof(map);

	load_some(&load, &loaded);
	assert_true(loaded.cpus > 0);
	assert_int_equal(bpf_obj_get_info_by_fd(live_loaded_find(&loaded, LIVE_MAP, LIVE_MAP_RINGS),
						&map, &bytes),
			 0);
	assert_string_equal(map.name, "rings");
	assert_int_equal(map.max_entries, loaded.cpus);
	for (size_t i = 0; i < loaded.count; i++) {
		if (loaded.parts[i].kind != LIVE_PROGRAM)
			continue;
		memset(&program, 0, sizeof(program));
		bytes = sizeof(program);
		assert_int_equal(bpf_obj_get_info_by_fd(loaded.parts[i].fd, &program, &bytes), 0);
		/* The kernel's names are shorter. */
		assert_memory_equal(program.name, live_programs[loaded.parts[i].row].name,
				    strlen(program.name));
	}
	assert_int_equal(count_parts(&loaded, LIVE_LINK), 0);
	assert_int_equal(load.loader.ops->attach(&load.loader, &loaded, NULL), 0);
	load.loader.ops->release(&load.loader);
	assert_true(count_parts(&loaded, LIVE_LINK) >= 2);
	for (size_t i = 0; i < loaded.count; i++) {
		struct bpf_link_info link = {0};

		bytes = sizeof(link);
		if (loaded.parts[i].kind != LIVE_LINK ||
		    live_programs[loaded.parts[i].row].at_enter)
			continue;
		assert_int_equal(bpf_obj_get_info_by_fd(loaded.parts[i].fd, &link, &bytes), 0);
		assert_int_equal(link.type, BPF_LINK_TYPE_RAW_TRACEPOINT);
	}
	live_loaded_finish(&loaded);
}

/* A link for each wanted call, and none for all of them. */
static void test_call_hooks(void **state)
{
	struct scap_live_config each = config;
	struct live_loaded loaded = {0};
	struct live_load load;
	size_t links = 0;

	each.call_hooks = CALL_HOOKS_EACH;
	each.events[EVENT_rmdir] = event_desc_is_native(event_desc_get(EVENT_rmdir));
	load_what(&each, &load, &loaded);
	if (loaded.call_hooks == CALL_HOOKS_MISSING) /* before 5.15, or without tracefs */
		skip();
	assert_int_equal(loaded.call_hooks, CALL_HOOKS_EACH);
	assert_int_equal(load.loader.ops->attach(&load.loader, &loaded, NULL), 0);
	assert_int_equal(loaded.call_hooks, CALL_HOOKS_EACH);
	for (size_t i = 0; i < loaded.count; i++) {
		struct bpf_link_info link = {0};
		uint32_t bytes = sizeof(link);

		if (loaded.parts[i].kind != LIVE_LINK ||
		    strcmp(live_programs[loaded.parts[i].row].name, "dispatch_sys_exit") != 0)
			continue;
		assert_int_equal(bpf_obj_get_info_by_fd(loaded.parts[i].fd, &link, &bytes), 0);
		assert_int_equal(link.type, BPF_LINK_TYPE_PERF_EVENT);
		links++;
	}
	/* And the heartbeat's, and those that may install a seccomp filter. */
	assert_int_equal(links, each.events[EVENT_rmdir] ? 5 : 4);
	load.loader.ops->release(&load.loader);
	live_loaded_finish(&loaded);
}

/* Maps that user space writes to while a capture runs; libbpf maps the memory of the last. */
static bool is_written(int map)
{
	static const char *const names[] = {"rings",	       "scratch", "shed",
					    "rejected_groups", "answers", "lanner.bss"};
	struct bpf_map_info info = {0};
	uint32_t bytes = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(map, &info, &bytes), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(info.name, names[i]) == 0)
			return true;
	return false;
}

/* Not even who may do everything else can change the others any more. */
static void test_frozen(void **state)
{
	struct live_loaded loaded = {0};
	static char value[1 << 16];
	unsigned int frozen = 0;
	struct live_load load;
	uint64_t key = 0;

	load_some(&load, &loaded);
	for (size_t i = 0; i < loaded.count; i++) {
		int map = loaded.parts[i].fd;

		if (loaded.parts[i].kind != LIVE_MAP || is_written(map))
			continue;
		assert_int_equal(bpf_map_update_elem(map, &key, value, BPF_ANY), -EPERM);
		assert_int_equal(bpf_map_delete_elem(map, &key), -EPERM);
		frozen++;
	}
	assert_true(frozen >= 8);
	load.loader.ops->release(&load.loader);
	live_loaded_finish(&loaded);
}

/* Nothing remains open, in whatever order it ends. */
static void test_descriptors(void **state)
{
	struct live_loaded loaded = {0};
	struct live_load load;
	unsigned int before;

	load_some(&load, &loaded); /* what libbpf opens once */
	load.loader.ops->release(&load.loader);
	live_loaded_finish(&loaded);
	before = count_descriptors();
	load_some(&load, &loaded);
	assert_int_equal(load.loader.ops->attach(&load.loader, &loaded, NULL), 0);
	load.loader.ops->release(&load.loader);
	assert_int_equal(count_descriptors(), before + loaded.count);
	live_loaded_finish(&loaded);
	assert_int_equal(count_descriptors(), before);
}

/* Attaching is for what was loaded, once. */
static void test_nothing_is_loaded(void **state)
{
	struct live_loaded loaded = {0};
	struct error err = {""};
	struct live_load load;

	live_load_init(&load);
	assert_int_equal(load.loader.ops->attach(&load.loader, &loaded, &err), -EINVAL);
	assert_string_equal(err.text, "no BPF programs are loaded");
	load.loader.ops->release(&load.loader);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_parts),
	cmocka_unit_test(test_call_hooks),
	cmocka_unit_test(test_frozen),
	cmocka_unit_test(test_descriptors),
	cmocka_unit_test(test_nothing_is_loaded),
};

UNIT_GROUP(tests);
