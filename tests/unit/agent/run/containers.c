/* SPDX-License-Identifier: MIT */
/*
 * What a run does with new containers: it requests their descriptions, waits while there is room,
 * and counts the waits that timed out. The test holds up the answers of the source.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/run/containers.h"
#include "meta/runtimes/files.h"
#include "meta/meta.h"
#include "meta/runtimes/sockets.h"
#include "unit.h"
#include "util/clock.h"

#include "drive.h"
#include "foreign_root.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"

enum { NS_PER_MS = 1000000, WAIT_MS = 60000, SHORT_MS = 20 };

static atomic_bool held; /* no answers while it is set */
static bool room;
static int asked; /* whether there is room */
static int release_at; /* `asked` at which answers are no longer held; 0: never */
static struct drive drive;
static struct scap_proc *proc; /* of tests with users */
static struct containers *containers;
static struct options options;

static bool has_runtime; /* a second source, which knows none */

/* Knows those whose id ends in an even digit, a part of 6; that of 9 cannot be read. */
static int describe(struct meta_source *source, const struct meta_request *request,
		    struct state_container_info *info, struct error *err)
{
	char digit = request->id[strlen(request->id) - 1];

	while (atomic_load(&held))
		usleep(1000);
	if (digit == '9')
		return error_set(err, -EIO, "reading /b\x1b[2J\n/config.json");
	if (digit % 2)
		return -ENOENT;
	info->name = "web";
	return digit == '6' ? META_SOURCE_PART : 0;
}

static void destroy(struct meta_source *source)
{
	free(source);
}

struct meta_source *meta_files_create(const char *host_root)
{
	static const struct meta_source_ops ops = {describe, destroy};
	struct meta_source *source = calloc(1, sizeof(*source));

	assert_non_null(source);
	assert_ptr_equal(host_root, options.host_root);
	source->ops = &ops;
	return source;
}

#ifdef WITH_RUNTIME_SOCKETS
/* A runtime that renames the container whose id ends in 2, and then removes it, once it may. */
static atomic_bool pushes, stopped;
static struct meta_cache *cache; /* borrowed */

static void push(struct meta_follower *follower, struct meta_sink *sink)
{
	struct meta_update *update = meta_update_create(META_CONTAINER, ID "2");

	assert_non_null(update);
	update->info = state_container_info_create();
	update->info->name = "renamed";
	while (!atomic_load(&pushes) && !atomic_load(&stopped))
		usleep(1000);
	meta_post(sink, update);
	meta_post(sink, meta_update_create(META_CONTAINER_REMOVED, ID "2"));
}

static void stop(struct meta_follower *follower)
{
	atomic_store(&stopped, true);
}

static void destroy_follower(struct meta_follower *follower)
{
	free(follower);
}

static atomic_bool runtime_held; /* it does not answer */

static int describe_by_runtime(struct meta_source *source, const struct meta_request *request,
			       struct state_container_info *info, struct error *err)
{
	while (atomic_load(&runtime_held))
		usleep(1000);
	return -ENOENT;
}

int sockets_source_create(const struct sockets_config *config, struct meta_source **source,
			  struct error *err)
{
	static const struct meta_source_ops ops = {describe_by_runtime, destroy};

	assert_string_equal(config->host_root, options.host_root);
	if (!has_runtime)
		return 0;
	*source = calloc(1, sizeof(**source));
	assert_non_null(*source);
	(*source)->ops = &ops;
	return 0;
}

int sockets_ahead_create(const struct sockets_config *config, struct meta_source *source,
			 struct meta_source **result, struct error *err)
{
	*result = source;
	return 0;
}

int sockets_followers_create(const struct sockets_config *config,
			     struct meta_follower *followers[SOCKETS_MAX], size_t *count,
			     struct error *err)
{
	static const struct meta_follower_ops ops = {push, stop, destroy_follower};

	assert_non_null(config->cache);
	cache = config->cache;
	atomic_store(&pushes, false);
	atomic_store(&stopped, false);
	followers[0] = calloc(1, sizeof(*followers[0]));
	assert_non_null(followers[0]);
	followers[0]->ops = &ops;
	*count = 1;
	return 0;
}
#endif

static bool has_room(const struct input *input)
{
	if (++asked == release_at)
		atomic_store(&held, false);
	return room;
}

static const struct input_live_ops live_ops = {.has_room = has_room};
static struct input input = {.live = &live_ops};

static int setup(void **state)
{
	drive_create(&drive, NULL);
	atomic_store(&held, false);
	room = true;
	has_runtime = false;
	asked = 0;
	release_at = 0;
	options = (struct options){.meta_wait_ms = WAIT_MS, .host_root = "/host"};
	return 0;
}

static int teardown(void **state)
{
	atomic_store(&held, false);
	containers_destroy(containers);
	containers = NULL;
	drive_destroy(&drive);
	return 0;
}

static void begin(void)
{
	assert_int_equal(containers_create(&options, drive.state, &input, &containers, NULL), 0);
	assert_int_equal(containers_describe(containers, NULL), 0);
}

/* The first process of a container whose id ends in a digit; returns its container. */
static const struct state_container *start(int digit)
{
	struct frame *frame = drive_begin(&drive, EVENT_execve, 100 + digit);
	char group[128];

	snprintf(group, sizeof(group), "memory=/docker/" ID "%d", digit);
	frame_put_i64(frame, execve__res, 0);
	frame_put_i64(frame, execve__tid, 100 + digit);
	frame_put_i64(frame, execve__pid, 100 + digit);
	frame_put_i64(frame, execve__ptid, 1);
	frame_put_string(frame, execve__exe, "sh");
	frame_put_string(frame, execve__cgroups, group);
	return drive_end(&drive)->thread->cgroups->container;
}

static struct account_containers account(void)
{
	struct account_containers found;

	containers_account(containers, &found);
	return found;
}

static void test_described(void **state)
{
	const struct state_container *container;

	begin();
	container = start(2);
	assert_int_equal(container->state, STATE_META_MISSING);
	containers_follow(containers);
	assert_int_equal(container->state, STATE_META_OK);
	assert_string_equal(container->info.name, "web");
	assert_int_equal(account().meta.counts[META_DESCRIBED], 1);
	assert_int_equal(account().late, 0);
}

static void test_missing(void **state)
{
	const struct state_container *container;

	begin();
	container = start(1);
	containers_follow(containers);
	assert_int_equal(container->state, STATE_META_MISSING);
	assert_null(container->info.name);
	assert_int_equal(account().meta.counts[META_MISSING], 1);
}

/* Whatever is in names and paths of others does not control the user's terminal. */
static void test_failure_is_printed_once(void **state)
{
	static const char expected[] = "agent: container " ID "9: reading /b.[2J./config.json\n";
	int saved = dup(STDERR_FILENO);
	FILE *file = tmpfile();
	char text[512] = {0};

	assert_non_null(file);
	begin();
	dup2(fileno(file), STDERR_FILENO);
	for (int i = 0; i < 2; i++) {
		start(9);
		containers_follow(containers);
		drive_exit(&drive, 109, 1);
		drive_any(&drive, 1);
	}
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	assert_int_equal(fread(text, 1, sizeof(text) - 1, file), sizeof(expected) - 1);
	assert_string_equal(text, expected);
	fclose(file);
	assert_int_equal(account().meta.counts[META_FAILED], 2);
}

/* Those that run when the agent starts. */
static void test_before(void **state)
{
	const struct state_container *one = start(2), *other = start(4);

	begin();
	assert_int_equal(one->state, STATE_META_OK);
	assert_int_equal(other->state, STATE_META_OK);
}

/* Events go on after the time, also those of further containers, until an answer comes. */
static void test_late(void **state)
{
	const struct state_container *container;
	uint64_t begin_ns, took_ns;

	options.meta_wait_ms = SHORT_MS;
	begin();
	atomic_store(&held, true);
	container = start(2);
	begin_ns = clock_ns(CLOCK_MONOTONIC);
	containers_follow(containers);
	took_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
	assert_true(took_ns >= (uint64_t)SHORT_MS * NS_PER_MS);
	assert_int_equal(container->state, STATE_META_PENDING);
	assert_int_equal(account().late, 1);
	for (int i = 0; i < 3; i++) {
		asked = 0;
		start(4 + i);
		containers_follow(containers);
		assert_int_equal(asked > 0, i < 2);
	}
	assert_int_equal(account().late, 3);
	atomic_store(&held, false);
	for (int i = 0; i < WAIT_MS && container->state == STATE_META_PENDING; i++) {
		usleep(1000);
		containers_apply(containers);
	}
	assert_int_equal(container->state, STATE_META_OK);
	/* From then on it is waited again. */
	container = start(8);
	containers_follow(containers);
	assert_true(asked > 0);
}

/* A time in milliseconds that has more than 32 bits in nanoseconds. */
static void test_long_wait(void **state)
{
	const struct state_container *container;

	options.meta_wait_ms = 4300; /* 2^32 ns and 5 ms */
	begin();
	atomic_store(&held, true);
	release_at = 50; /* of one look each 2 ms */
	container = start(2);
	containers_follow(containers);
	assert_int_equal(container->state, STATE_META_OK);
	assert_int_equal(account().late, 0);
}

static void test_no_room(void **state)
{
	const struct state_container *container;

	begin();
	atomic_store(&held, true);
	room = false;
	container = start(2);
	containers_follow(containers);
	assert_int_equal(container->state, STATE_META_PENDING);
	assert_int_equal(account().full, 1);
	assert_int_equal(account().late, 0);
}

static void test_no_wait(void **state)
{
	const struct state_container *container;

	options.meta_wait_ms = 0;
	begin();
	atomic_store(&held, true);
	container = start(2);
	containers_follow(containers);
	assert_int_equal(container->state, STATE_META_PENDING);
	assert_int_equal(asked, 0);
	assert_int_equal(account().late, 0);
}

/* A container that ended before the answer. */
static void test_gone(void **state)
{
	options.meta_wait_ms = 0;
	begin();
	atomic_store(&held, true);
	start(2);
	containers_follow(containers);
	drive_exit(&drive, 102, 1);
	drive_any(&drive, 1);
	atomic_store(&held, false);
	for (int i = 0; i < WAIT_MS && !account().meta.counts[META_DESCRIBED]; i++)
		usleep(1000);
	containers_apply(containers);
	assert_int_equal(account().meta.counts[META_DESCRIBED], 1);
}

/* The exec of process 70, in a container that has a user of its own. */
static struct state_event *start_with_users(const struct foreign_root *foreign)
{
	struct frame *frame;

	/* The groups are folders of /proc, which are root's. */
	foreign_root_write(foreign, "proc/1/mounts", "x /proc cgroup2 rw 0 0\n");
	foreign_root_write(foreign, "proc/70/cgroup", "0::/sys/" ID "2\n");
	foreign_root_write(foreign, "proc/70/uid_map", "0 0 4294967295\n");
	foreign_root_write(foreign, "proc/70/gid_map", "0 0 4294967295\n");
	foreign_root_write(foreign, "root/etc/passwd", "inside:x:101:0::/:\n");
	frame = drive_begin(&drive, EVENT_execve, FOREIGN_PID);
	frame_put_i64(frame, execve__res, 0);
	frame_put_i64(frame, execve__tid, FOREIGN_PID);
	frame_put_i64(frame, execve__pid, FOREIGN_PID);
	frame_put_string(frame, execve__exe, "sh");
	frame_put_string(frame, execve__cgroups, "memory=/sys/" ID "2");
	return drive_end(&drive);
}

static int setup_users(void **state)
{
	char path[FOREIGN_PATH_BYTES];

	setup(state);
	drive_destroy(&drive);
	foreign_root_setup(state);
	foreign_root_path(*state, "proc", path);
	assert_int_equal(scap_proc_open(path, &proc, NULL), 0);
	drive_create(&drive, &(struct state_config){.proc = proc, .etc = "/nonexistent"});
	return 0;
}

static int teardown_users(void **state)
{
	teardown(state);
	scap_proc_close(proc);
	return foreign_root_teardown(state);
}

static void expect_user(const struct state_event *event, const char *name)
{
	const char *found = state_event_user_name(event, 101);

	assert_int_equal(found != NULL, name != NULL);
	if (found)
		assert_string_equal(found, name);
}

/* The exec itself has the names, also if no descriptions are requested. */
static void test_users(void **state)
{
	for (int describes = 0; describes < 2; describes++) {
		const struct state_event *event;

		assert_int_equal(
			containers_create(&options, drive.state, &input, &containers, NULL), 0);
		if (describes)
			assert_int_equal(containers_describe(containers, NULL), 0);
		event = start_with_users(*state);
		expect_user(event, NULL);
		containers_follow(containers);
		expect_user(event, "inside");
		assert_int_equal(account().users_late, 0);
		assert_int_equal(account().meta.counts[META_REQUESTS], describes);
		containers_destroy(containers);
		containers = NULL;
		teardown_users(state);
		setup_users(state);
	}
}

/* Returns whether the users came within the time after which a description is late. */
static bool users_come_within(uint32_t ms, const struct foreign_root *foreign)
{
	const struct state_event *event;

	options.meta_wait_ms = ms;
	begin();
	atomic_store(&held, true);
	event = start_with_users(foreign);
	containers_follow(containers);
	assert_int_equal(account().late, 1);
	if (account().users_late)
		return false;
	expect_user(event, "inside");
	return true;
}

/* A runtime that hangs does not hold them up. */
static void test_users_beside_late_descriptions(void **state)
{
	uint32_t ms = SHORT_MS;

	/* A slow machine needs longer for them. */
	while (!users_come_within(ms, *state)) {
		ms *= 2;
		assert_in_range(ms, SHORT_MS, WAIT_MS);
		teardown_users(state);
		setup_users(state);
	}
}

/* Without a wait they come later. */
static void test_users_later(void **state)
{
	const struct state_event *event;

	options.meta_wait_ms = 0;
	begin();
	event = start_with_users(*state);
	containers_follow(containers);
	for (int i = 0; i < WAIT_MS && !state_event_user_name(event, 101); i++) {
		usleep(1000);
		containers_apply(containers);
	}
	expect_user(event, "inside");
}

/* Rules that are read again may need descriptions. */
static void test_descriptions_later(void **state)
{
	const struct state_container *container = start(2);

	assert_int_equal(containers_create(&options, drive.state, &input, &containers, NULL), 0);
	assert_int_equal(container->state, STATE_META_MISSING);
	for (int i = 0; i < 5; i++)
		assert_int_equal(containers_describe(containers, NULL), 0);
	assert_int_equal(container->state, STATE_META_OK);
	assert_int_equal(account().meta.counts[META_REQUESTS], 1);
}

/* Too many at a time are counted. No runtime's process is above these: a quarter is theirs. */
static void test_rejected(void **state)
{
	options.meta_wait_ms = 0;
	begin();
	atomic_store(&held, true);
	for (int i = 0; i <= META_REQUESTS_MAX / 4; i++) {
		start(2);
		containers_follow(containers);
		drive_exit(&drive, 102, 1);
		drive_any(&drive, 1);
	}
	assert_int_equal(account().meta.counts[META_REJECTED], 1);
	assert_int_equal(account().meta.counts[META_REQUESTS], META_REQUESTS_MAX / 4);
}

/* One that was rejected is asked for again a while later. */
static void test_rejected_for_a_while(void **state)
{
	const struct state_container *container;

	options.meta_wait_ms = 0;
	begin();
	atomic_store(&held, true);
	for (int i = 0; i < META_REQUESTS_MAX / 4; i++) {
		start(2);
		containers_follow(containers);
		drive_exit(&drive, 102, 1);
		drive_any(&drive, 1);
	}
	container = start(4);
	containers_follow(containers);
	assert_int_equal(account().meta.counts[META_REJECTED], 1);
	assert_int_equal(container->state, STATE_META_MISSING);
	atomic_store(&held, false);
	for (int i = 0;
	     i < WAIT_MS && account().meta.counts[META_DESCRIBED] < META_REQUESTS_MAX / 4; i++) {
		usleep(1000);
		containers_apply(containers);
	}
	while (account().again == 0) {
		containers_apply(containers);
		drive.ts_ns += (uint64_t)STATE_AGAIN_S * 1000 * NS_PER_MS;
		drive_any(&drive, 1);
		containers_follow(containers);
	}
	for (int i = 0; i < WAIT_MS && container->state != STATE_META_OK; i++) {
		usleep(1000);
		containers_apply(containers);
	}
	assert_int_equal(container->state, STATE_META_OK);
	assert_int_equal(account().again, 1);
}

#ifdef WITH_RUNTIME_SOCKETS
/* What a runtime said before is known all the same. */
static void test_rejected_but_known(void **state)
{
	struct state_container_info *info = state_container_info_create();
	const struct state_container *container;

	options.meta_wait_ms = 0;
	begin();
	info->name = "listed";
	meta_cache_put(cache, meta_cache_add_owner(cache), ID "2", info, META_CACHE_PART);
	info->name = NULL;
	state_container_info_destroy(info);
	atomic_store(&held, true);
	for (int i = 0; i < META_REQUESTS_MAX / 4; i++) {
		start(2);
		containers_follow(containers);
		drive_exit(&drive, 102, 1);
		drive_any(&drive, 1);
	}
	container = start(2);
	containers_follow(containers);
	assert_int_equal(account().meta.counts[META_REJECTED], 1);
	assert_int_equal(container->state, STATE_META_PARTIAL);
	assert_string_equal(container->info.name, "listed");
}

/* What files know is a part until the runtime has answered. */
static void test_partial(void **state)
{
	const struct state_container *container;

	has_runtime = true;
	atomic_store(&runtime_held, true);
	begin();
	container = start(6);
	containers_follow(containers);
	assert_int_equal(container->state, STATE_META_PARTIAL);
	assert_string_equal(container->info.name, "web");
	atomic_store(&runtime_held, false);
	for (int i = 0; i < WAIT_MS && container->state == STATE_META_PARTIAL; i++) {
		usleep(1000);
		containers_apply(containers);
	}
	assert_int_equal(container->state, STATE_META_OK);
	assert_string_equal(container->info.name, "web");
}
#endif

/* Asked for again by each new plan. */
static void test_pods_are_not_wanted(void **state)
{
	options.kubernetes.api = "none";
	begin();
	assert_int_equal(containers_follow_pods(containers, NULL), 0);
	assert_int_equal(containers_follow_pods(containers, NULL), 0);
	assert_int_equal(containers_follow_services(containers, NULL), 0);
	assert_int_equal(containers_follow_services(containers, NULL), 0);
	/* There is nobody to ask for workloads. */
	containers_meet_peer(containers, NULL);
	assert_int_equal(account().meta.counts[META_KUBE_REQUESTS], 0);
}

#ifdef WITH_RUNTIME_SOCKETS
/* What is pushed is beside the answers: it changes what is known, and nothing waits for it. */
static void test_pushed(void **state)
{
	const struct state_container *container;

	begin();
	container = start(2);
	containers_follow(containers);
	assert_string_equal(container->info.name, "web");
	atomic_store(&pushes, true);
	for (int i = 0; i < WAIT_MS && !container->removed; i++) {
		usleep(1000);
		containers_apply(containers);
	}
	assert_true(container->removed);
	assert_string_equal(container->info.name, "renamed");
	assert_int_equal(container->state, STATE_META_OK);
	assert_int_equal(account().meta.counts[META_PUSHED], 2);
	assert_int_equal(account().meta.counts[META_REQUESTS], 1);
}
#endif

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_described, setup, teardown),
	cmocka_unit_test_setup_teardown(test_users, setup_users, teardown_users),
	cmocka_unit_test_setup_teardown(test_users_beside_late_descriptions, setup_users,
					teardown_users),
	cmocka_unit_test_setup_teardown(test_users_later, setup_users, teardown_users),
	cmocka_unit_test_setup_teardown(test_descriptions_later, setup, teardown),
	cmocka_unit_test_setup_teardown(test_missing, setup, teardown),
	cmocka_unit_test_setup_teardown(test_failure_is_printed_once, setup, teardown),
	cmocka_unit_test_setup_teardown(test_before, setup, teardown),
	cmocka_unit_test_setup_teardown(test_late, setup, teardown),
	cmocka_unit_test_setup_teardown(test_long_wait, setup, teardown),
	cmocka_unit_test_setup_teardown(test_no_room, setup, teardown),
	cmocka_unit_test_setup_teardown(test_no_wait, setup, teardown),
	cmocka_unit_test_setup_teardown(test_gone, setup, teardown),
	cmocka_unit_test_setup_teardown(test_rejected, setup, teardown),
	cmocka_unit_test_setup_teardown(test_rejected_for_a_while, setup, teardown),
#ifdef WITH_RUNTIME_SOCKETS
	cmocka_unit_test_setup_teardown(test_partial, setup, teardown),
	cmocka_unit_test_setup_teardown(test_rejected_but_known, setup, teardown),
#endif
#ifdef WITH_RUNTIME_SOCKETS
	cmocka_unit_test_setup_teardown(test_pushed, setup, teardown),
#endif
	cmocka_unit_test_setup_teardown(test_pods_are_not_wanted, setup, teardown),
};

UNIT_GROUP(tests);
