/* SPDX-License-Identifier: MIT */
/*
 * Loading in this process: what is handed over works without libbpf's object. Skipped where BPF
 * programs may not be loaded.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

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
	static const char *const names[] = {"rings", "backward_rings",	"scratch",   "bell",
					    "shed",  "rejected_groups", "answers",   "followed",
					    "muted", "stream_limits",	"tls_notes", "lanner.bss"};
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

static const struct scratch_slot *map_slots(const struct live_loaded *loaded, size_t *count)
{
	int map = live_loaded_find(loaded, LIVE_MAP, LIVE_MAP_SCRATCH);
	void *slots;

	*count = loaded->cpus * SCRATCH_SLOTS_PER_CPU;
	slots = mmap(NULL, *count * sizeof(struct scratch_slot), PROT_READ, MAP_SHARED, map, 0);
	assert_ptr_not_equal(slots, MAP_FAILED);
	return slots;
}

/* Slots for each possible CPU, free at first. */
static void test_slots(void **state)
{
	struct live_loaded loaded = {0};
	const struct scratch_slot *slots;
	struct live_load load;
	size_t count;

	load_some(&load, &loaded);
	slots = map_slots(&loaded, &count);
	assert_int_equal(count, libbpf_num_possible_cpus() * SCRATCH_SLOTS_PER_CPU);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(slots[i].state.users, 0);
		assert_int_equal(slots[i].state.since_ns, 0);
		assert_int_equal(slots[i].state.batch.count, 0);
	}
	munmap((void *)slots, count * sizeof(*slots));
	load.loader.ops->release(&load.loader);
	live_loaded_finish(&loaded);
}

enum { MESSAGES = 5, CALLS = 100, WAIT_US = 10000, WAITS_MAX = 6000, ROUNDS_MAX = 100 };

static void call_sendmmsg(void)
{
	struct mmsghdr messages[MESSAGES] = {0};
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
	for (int i = 0; i < CALLS; i++) {
		sendmmsg(ends[0], messages, MESSAGES, MSG_DONTWAIT);
		recvmmsg(ends[1], messages, MESSAGES, MSG_DONTWAIT, NULL);
	}
	close(ends[0]);
	close(ends[1]);
}

static uint64_t count_over_limit(const struct live_loaded *loaded)
{
	struct event_counters by_cpu[libbpf_num_possible_cpus()];
	const uint32_t id = EVENT_sendmmsg;
	uint64_t lost = 0;

	assert_int_equal(bpf_map_lookup_elem(live_loaded_find(loaded, LIVE_MAP, LIVE_MAP_COUNTERS),
					     &id, by_cpu),
			 0);
	for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++)
		lost += by_cpu[cpu].lost[LOSS_PROCESS_LIMIT];
	return lost;
}

static bool slots_are_free(const struct scratch_slot *slots, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (*(volatile uint32_t *)&slots[i].state.users ||
		    *(volatile uint32_t *)&slots[i].kept.tid)
			return false;
	return true;
}

/*
 * A call for several messages keeps its slot from one to the next; whatever ends it, a limit here,
 * gives the slot back.
 */
static void test_slots_are_given_back(void **state)
{
	struct scap_live_config limited = config;
	struct live_loaded loaded = {0};
	const struct scratch_slot *slots;
	struct live_load load;
	size_t count;

	limited.events[EVENT_sendmmsg] = limited.events[EVENT_recvmmsg] = true;
	limited.rate_limits[RATE_OF_PROCESS] = 2 * MESSAGES + 1;
	load_what(&limited, &load, &loaded);
	assert_int_equal(load.loader.ops->attach(&load.loader, &loaded, NULL), 0);
	/* The limit is that of a second, and so are few calls on a machine that is slow enough. */
	for (int i = 0; i < ROUNDS_MAX && !count_over_limit(&loaded); i++)
		call_sendmmsg();
	assert_true(count_over_limit(&loaded) > 0);
	live_loaded_close(&loaded, LIVE_LINK);
	slots = map_slots(&loaded, &count);
	/* Programs that run for others end. */
	for (int i = 0; i < WAITS_MAX && !slots_are_free(slots, count); i++)
		usleep(WAIT_US);
	assert_true(slots_are_free(slots, count));
	munmap((void *)slots, count * sizeof(*slots));
	load.loader.ops->release(&load.loader);
	live_loaded_finish(&loaded);
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
	cmocka_unit_test(test_slots),
	cmocka_unit_test(test_slots_are_given_back),
	cmocka_unit_test(test_nothing_is_loaded),
};

UNIT_GROUP(tests, .unfilled = true);
