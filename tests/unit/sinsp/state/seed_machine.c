/* SPDX-License-Identifier: MIT */
/*
 * The threads of the running machine, by the kernel's iterator and by /proc: threads that differ
 * from the first one of their process in all that they can differ in are the same for both. Skipped
 * where BPF programs may not be loaded, or the kernel has no such iterator.
 */
#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event/event.h"
#include "scap/live/live.h"
#include "sinsp/state/engine.h"
#include "sinsp/state/core.h"
#include "unit.h"

enum { CHILDREN = 3, THREADS = 7, OWN_UID = 12345, OWN_GID = 23456 };

static const char *const group = "/sys/fs/cgroup/cpu/lanner_seed_machine";

struct full_machine {
	struct scap_proc *proc;
	struct scap_live *live;
	pid_t pids[CHILDREN]; /* of those that the children below have become */
	pid_t waited[CHILDREN];
	int stop; /* closed: the children end */
};

/* What the threads of a child report when they are as they should be. */
static pthread_barrier_t ready;

static _Noreturn void *stay(void)
{
	pthread_barrier_wait(&ready);
	for (;;)
		pause();
}

static void *plain(void *argument)
{
	return stay();
}

static void *named(void *argument)
{
	prctl(PR_SET_NAME, "a) b (c d 123456");
	return stay();
}

static void *of_another_user(void *argument)
{
	syscall(SYS_setresgid, OWN_GID, OWN_GID, OWN_GID);
	syscall(SYS_setresuid, OWN_UID, OWN_UID, OWN_UID);
	return stay();
}

/* The effective user and group count. */
static void *of_other_users(void *argument)
{
	syscall(SYS_setresgid, 1, OWN_GID, 2);
	syscall(SYS_setresuid, 1, OWN_UID, 2);
	return stay();
}

static void *with_fewer_rights(void *argument)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[2] = {
		{1 << CAP_CHOWN, 1 << CAP_CHOWN | 1 << CAP_KILL, 1 << CAP_KILL},
	};

	syscall(SYS_capset, &header, sets);
	return stay();
}

/* Only where hierarchies of version 1 let a thread be in a group of its own. */
static void *in_another_group(void *argument)
{
	char path[128];
	FILE *tasks;

	mkdir(group, 0755);
	snprintf(path, sizeof(path), "%s/tasks", group);
	tasks = fopen(path, "w");
	if (tasks) {
		fprintf(tasks, "%ld\n", syscall(SYS_gettid));
		fclose(tasks);
	}
	return stay();
}

static void *with_faults(void *argument)
{
	size_t size = 1 << 24;
	char *memory = malloc(size);

	if (memory)
		memset(memory, 1, size);
	return stay();
}

static void begin_threads(void)
{
	static void *(*const functions[THREADS])(void *) = {
		plain,
		named,
		of_another_user,
		of_other_users,
		with_fewer_rights,
		in_another_group,
		with_faults,
	};
	pthread_t thread;

	pthread_barrier_init(&ready, NULL, THREADS + 1);
	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, functions[i], NULL))
			_exit(1);
	pthread_barrier_wait(&ready);
}

static _Noreturn void wait_for_end(int stop)
{
	char byte;

	_exit(read(stop, &byte, 1) < 0);
}

/* Reports the own id as the test's namespace has it. */
static void report(int to, pid_t pid)
{
	if (write(to, &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
}

static _Noreturn void be_plain(int to, int stop)
{
	begin_threads();
	report(to, getpid());
	wait_for_end(stop);
}

/* In a pid namespace of its own, where it is the first process. */
static _Noreturn void be_contained(int to, int stop)
{
	int there[2], status;
	pid_t inner;
	char byte = 0;

	if (unshare(CLONE_NEWPID) || pipe(there))
		_exit(1);
	inner = fork();
	if (inner == 0) {
		setsid();
		begin_threads();
		status = write(there[1], &byte, 1) == 1 ? 0 : 1;
		if (status)
			_exit(status);
		wait_for_end(stop);
	}
	close(there[1]);
	if (inner < 0 || read(there[0], &byte, 1) != 1)
		_exit(1);
	report(to, inner);
	waitpid(inner, &status, 0);
	_exit(0);
}

static void *survive(void *argument)
{
	const int *ends = argument;

	/* Until the first thread has exited. */
	for (;;) {
		char path[64], state = 0;
		FILE *stat;

		snprintf(path, sizeof(path), "/proc/self/task/%d/stat", getpid());
		stat = fopen(path, "r");
		if (stat && fscanf(stat, "%*d %*s %c", &state) != 1)
			_exit(1);
		if (stat)
			fclose(stat);
		if (state == 'Z')
			break;
		usleep(1000);
	}
	report(ends[0], getpid());
	wait_for_end(ends[1]);
}

/* Its first thread has exited, with all that others would share with it. */
static _Noreturn void be_headless(int to, int stop)
{
	static int ends[2];
	pthread_t thread;

	ends[0] = to;
	ends[1] = stop;
	begin_threads();
	if (pthread_create(&thread, NULL, survive, ends))
		_exit(1);
	pthread_exit(NULL);
}

static int begin_children(struct full_machine *machine)
{
	static void (*const functions[CHILDREN])(int, int) = {be_plain, be_contained, be_headless};
	int stop[2];

	if (pipe(stop))
		return -1;
	for (size_t i = 0; i < CHILDREN; i++) {
		int ids[2];

		if (pipe(ids))
			return -1;
		machine->waited[i] = fork();
		if (machine->waited[i] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			close(stop[1]);
			close(ids[0]);
			functions[i](ids[1], stop[0]);
		}
		close(ids[1]);
		if (machine->waited[i] < 0 ||
		    read(ids[0], &machine->pids[i], sizeof(pid_t)) != sizeof(pid_t))
			return -1;
		close(ids[0]);
	}
	close(stop[0]);
	machine->stop = stop[1];
	return 0;
}

static int setup(void **state)
{
	struct scap_live_config config = {.ring_bytes = 1 << 16,
					  .events = {[EVENT_mkdirat] = true},
					  .iterators = {[SCAP_LIVE_THREADS] = true}};
	struct full_machine *machine = calloc(1, sizeof(*machine));
	struct error err = {""};

	*state = machine;
	if (!machine || scap_proc_open("/proc", &machine->proc, &err))
		return -1;
	if (scap_live_load(&config, &machine->live, &err))
		return 0; /* the test is skipped */
	return begin_children(machine);
}

static int teardown(void **state)
{
	struct full_machine *machine = *state;

	if (machine->stop)
		close(machine->stop);
	for (size_t i = 0; i < CHILDREN && machine->waited[i] > 0; i++)
		waitpid(machine->waited[i], NULL, 0);
	rmdir(group);
	if (machine->live)
		scap_source_destroy(scap_live_source(machine->live));
	scap_proc_close(machine->proc);
	free(machine);
	return 0;
}

static struct state *seeded(struct full_machine *machine, const struct state_iterators *iterators)
{
	const struct state_config config = {.proc = machine->proc, .lacks = STATE_DESCRIPTORS};
	struct state_stats stats;
	struct state *engine;

	assert_int_equal(state_create(&config, &engine, NULL), 0);
	assert_int_equal(state_seed(engine, iterators, NULL), 0);
	state_stats(engine, &stats);
	assert_int_equal(stats.threads_error, 0);
	return engine;
}

static const struct state_thread *find(const struct state *engine, int64_t tid)
{
	const struct state_thread_entry *entry = state_threads_find(&engine->threads, tid);

	if (!entry)
		fail_msg("no thread %ld", (long)tid);
	return &entry->thread;
}

/* What the kernel changes by itself, memory in use and faults, is not compared exactly. */
static void compare(const struct state_thread *a, const struct state_thread *b)
{
#define SAME(member)                                                                               \
	do {                                                                                       \
		if (a->member != b->member)                                                        \
			fail_msg("%ld %s: " #member " %ld, /proc has %ld", (long)a->tid, a->comm,  \
				 (long)a->member, (long)b->member);                                \
	} while (0)
	SAME(tid);
	SAME(pid);
	SAME(ptid);
	SAME(vtid);
	SAME(vpid);
	SAME(pgid);
	SAME(vpgid);
	SAME(sid);
	SAME(uid);
	SAME(gid);
	SAME(loginuid);
	SAME(tty);
	SAME(clone_ts_ns);
	SAME(exec_id);
	SAME(fd_limit);
	SAME(caps_permitted);
	SAME(caps_effective);
	SAME(caps_inheritable);
	SAME(faults_major);
	SAME(faults_minor);
	SAME(vm_size_kib);
	SAME(pidns_start_ns);
	SAME(nthreads);
	assert_memory_equal(a->comm, b->comm, sizeof(a->comm));
	assert_int_equal(a->cgroups->len, b->cgroups->len);
	assert_memory_equal(a->cgroups->text, b->cgroups->text, a->cgroups->len);
	assert_string_equal(a->program->exepath, b->program->exepath);
	assert_string_equal(a->program->exe, b->program->exe);
	assert_string_equal(a->fs->cwd, b->fs->cwd);
}

/* The threads of a process, which both have. Returns how many. */
static unsigned int compare_process(const struct state *iterated, const struct state *read,
				    pid_t pid)
{
	const struct state_thread *main = find(iterated, pid);
	unsigned int compared = 0;

	for (uint32_t i = 0; i < read->threads.nbuckets; i++) {
		const struct state_thread_entry *at = read->threads.buckets[i].entries;

		for (; at; at = at->next) {
			const struct state_thread *other;

			if (at->thread.pid != pid)
				continue;
			other = find(iterated, at->thread.tid);
			compare(other, &at->thread);
			assert_ptr_equal(other->fs, main->fs);
			assert_ptr_equal(other->fds, main->fds);
			compared++;
		}
	}
	return compared;
}

static void test_same(void **state)
{
	static const unsigned int threads[CHILDREN] = {THREADS + 1, THREADS + 1, THREADS + 2};
	struct state_iterators iterators = {0};
	struct full_machine *machine = *state;
	struct state *iterated, *read;
	int fd;

	if (!machine->live || !scap_open_fds_sees_all())
		skip();
	fd = scap_live_open_iterator(machine->live, SCAP_LIVE_THREADS);
	assert_true(fd >= 0);
	assert_int_equal(scap_threads_create(fd, machine->proc, &iterators.threads), 0);
	iterated = seeded(machine, &iterators);
	read = seeded(machine, NULL);
	for (size_t i = 0; i < CHILDREN; i++)
		assert_int_equal(compare_process(iterated, read, machine->pids[i]), threads[i]);
	scap_threads_destroy(iterators.threads);
	state_destroy(iterated);
	state_destroy(read);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_same, setup, teardown),
};

UNIT_GROUP(tests);
