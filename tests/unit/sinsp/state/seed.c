/* SPDX-License-Identifier: MIT */
/* The filling of the tables from /proc, at the start and again. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi.h"
#include "driven_machine.h"
#include "iter_thread.h"
#include "open_fd.h"
#include "scap/live/iter.h"
#include "sinsp/state/core.h"
#include "sinsp/state/load.h"
#include "sinsp/state/program.h"
#include "unit.h"

static void fills_the_tables(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	struct state_thread *thread;

	assert_int_equal(state_seed(drive->state, NULL, NULL), 0);
	assert_int_equal(driven_machine_stats(machine).threads, 4);
	assert_int_equal(driven_machine_stats(machine).fds, 8);
	assert_int_equal(driven_machine_stats(machine).thread_lookups, 0);
	thread = drive_thread(drive, 50);
	assert_string_equal(thread->comm, "client");
	assert_string_equal(thread->program->exepath, "/bin/known");
	assert_string_equal(thread->fs->cwd, "/home/c/");
	assert_int_equal(thread->uid, 33);
	assert_int_equal(thread->nthreads, 2);
	assert_string_equal(drive_name(drive, 50, 3), "/etc/hosts");
	assert_true(state_fds_cloexec(thread->fds, 3));
	assert_ptr_equal(drive_thread(drive, 51)->fds, thread->fds);
	assert_string_equal(drive_thread(drive, 51)->comm, "worker");
	assert_string_equal(drive_thread(drive, 51)->fs->cwd, "/home/c/");
	assert_string_equal(drive_thread(drive, 1)->fs->cwd, "/");
}

/* What events did not keep comes right, and what is gone goes. */
static void fills_them_again(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	uint64_t num;

	state_seed(drive->state, NULL, NULL);
	drive_open(drive, 50, 3, "/other", 0);
	drive_close(drive, 50, 0, 4);
	num = drive_chdir(drive, 60, 0, "/away")->num;
	assert_int_equal(state_reseed(drive->state, NULL, NULL), 0);
	assert_int_equal(drive_thread(drive, 50)->nthreads, 2);
	assert_string_equal(drive_name(drive, 50, 3), "/etc/hosts");
	assert_true(drive_has_fd(drive, 50, 4));
	assert_string_equal(drive_thread(drive, 60)->fs->cwd, "/srv/");
	assert_int_equal(drive_any(drive, 1)->num, num + 1);
}

/* Writes a record of an iterator. */
static void write_record(int to, uint16_t kind, uint32_t pid, uint32_t num, const char *path)
{
	const struct open_fd header = {
		.kind = kind,
		.bytes = (uint16_t)(path ? strlen(path) + 1 : 0),
		.pid = pid,
		.num = num,
	};

	assert_int_equal(write(to, &header, sizeof(header)), sizeof(header));
	assert_int_equal(write(to, path ? path : "", header.bytes), header.bytes);
}

/* Descriptors of a process, of its second thread, and of one that began meanwhile. */
static struct scap_open_fds *iterator(struct driven_machine *machine, bool whole)
{
	int to = memfd_create("records", MFD_CLOEXEC);
	struct scap_open_fds *open_fds;

	assert_true(to >= 0);
	write_record(to, OPEN_FD_FILE, 50, 3, "/iterated");
	write_record(to, OPEN_FD_FILE, 51, 4, "/of/a/thread");
	write_record(to, OPEN_FD_FILE, 12345, 3, "/new");
	write_record(to, whole ? OPEN_FD_END : 99, 0, 0, NULL);
	assert_int_equal(lseek(to, 0, SEEK_SET), 0);
	assert_int_equal(scap_open_fds_create(to, &machine->proc, &open_fds), 0);
	return open_fds;
}

static void takes_descriptors_of_an_iterator(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	struct scap_open_fds *open_fds = iterator(machine, true);
	const struct state_iterators iterators = {.open_fds = open_fds};

	assert_int_equal(state_seed(drive->state, &iterators, NULL), 0);
	assert_int_equal(driven_machine_stats(machine).threads, 4);
	assert_int_equal(driven_machine_stats(machine).fds, 1);
	assert_int_equal(driven_machine_stats(machine).open_fds_error, 0);
	assert_string_equal(drive_name(drive, 50, 3), "/iterated");
	assert_ptr_equal(drive_thread(drive, 51)->fds, drive_thread(drive, 50)->fds);
	scap_open_fds_destroy(open_fds);
}

static void reads_proc_if_the_iterator_fails(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	struct scap_open_fds *open_fds = iterator(machine, false);
	const struct state_iterators iterators = {.open_fds = open_fds};

	assert_int_equal(state_seed(drive->state, &iterators, NULL), 0);
	assert_int_equal(driven_machine_stats(machine).open_fds_error, -EBADMSG);
	assert_int_equal(driven_machine_stats(machine).fds, 8);
	assert_string_equal(drive_name(drive, 50, 3), "/etc/hosts");
	scap_open_fds_destroy(open_fds);
}

/* Threads of a process, of one that began meanwhile, and of one whose main thread has exited. */
static struct scap_threads *thread_iterator(struct driven_machine *machine, bool whole)
{
	const struct iter_thread records[] = {
		{.tid = 52,
		 .pid = 50,
		 .vtid = 2,
		 .uid = 44,
		 .start_ns = 7 * TICK_NS,
		 .comm = "one"},
		{.tid = 51, .pid = 50, .flags = ITER_THREAD_OWN_CGROUPS, .comm = "two"},
		{.tid = 12346, .pid = 12345, .comm = "new"},
		{.tid = 61, .pid = 60, .comm = "orphan"},
		{.flags = ITER_THREAD_END},
	};
	size_t bytes = whole ? sizeof(records) : sizeof(records[0]);
	int to = memfd_create("records", MFD_CLOEXEC);
	struct scap_threads *threads;

	assert_true(to >= 0);
	assert_int_equal(write(to, records, bytes), bytes);
	assert_int_equal(lseek(to, 0, SEEK_SET), 0);
	assert_int_equal(scap_threads_create(to, &machine->proc, &threads), 0);
	return threads;
}

static void takes_threads_of_an_iterator(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	const struct state_iterators iterators = {.threads = thread_iterator(machine, true)};
	const struct state_thread *one, *main;

	assert_int_equal(state_seed(drive->state, &iterators, NULL), 0);
	assert_int_equal(driven_machine_stats(machine).threads_error, 0);
	assert_int_equal(driven_machine_stats(machine).threads, 5);
	/* Of its own, and of its process. */
	one = drive_thread(drive, 52);
	main = drive_thread(drive, 50);
	assert_string_equal(one->comm, "one");
	assert_true(one->vtid == 2 && one->uid == 44 && one->clone_ts_ns == 7);
	assert_true(one->ptid == 1 && one->fd_limit == 256 && one->vm_size_kib == 4096);
	assert_ptr_equal(one->program, main->program);
	assert_ptr_equal(one->fs, main->fs);
	assert_ptr_equal(one->fds, main->fds);
	assert_int_equal(main->nthreads, 3);
	/* Read from /proc: in groups of its own; one that is not there any more. */
	assert_string_equal(drive_thread(drive, 51)->comm, "worker");
	assert_int_equal(machine->proc.asked_threads, 2);
	assert_null(state_threads_find(&drive->state->threads, 61));
	assert_null(state_threads_find(&drive->state->threads, 12346));
	scap_threads_destroy(iterators.threads);
}

/* First threads: one that /proc has, and one that has ended, which executes /bin/run. */
static struct scap_threads *programs_iterator(struct driven_machine *machine)
{
	const struct {
		struct {
			struct iter_thread thread;
			struct iter_program program;
			char path[8];
		} firsts[2];
		struct iter_thread end;
	} records = {
		{{{.flags = ITER_THREAD_FIRST, .tid = 50, .pid = 50},
		  {.exec_id = 5, .path_bytes = 8},
		  "/bin/xy"},
		 {{.flags = ITER_THREAD_FIRST, .tid = 12345, .pid = 12345},
		  {.exec_id = 6,
		   .ino = 7,
		   .ctime_ns = 8,
		   .mtime_ns = 9,
		   .flags = 1,
		   .path_bytes = 8},
		  "/bin/go"}},
		{.flags = ITER_THREAD_END},
	};
	int to = memfd_create("records", MFD_CLOEXEC);
	struct scap_threads *threads;

	assert_true(to >= 0);
	assert_int_equal(write(to, &records, sizeof(records)), sizeof(records));
	assert_int_equal(lseek(to, 0, SEEK_SET), 0);
	assert_int_equal(scap_threads_create(to, &machine->proc, &threads), 0);
	return threads;
}

/*
 * A process that had another number when /proc was read: its clone event comes later, and from it
 * on its descendants have its program. Not one that executes something else under its number.
 */
static void keeps_programs_of_those_that_ended(void **state)
{
	for (uint64_t exec_id = 6; exec_id < 8; exec_id++) {
		struct driven_machine *machine = *state;
		struct drive *drive = &machine->drive;
		const struct state_iterators iterators = {.threads = programs_iterator(machine)};
		const struct state_program *program;

		assert_int_equal(state_seed(drive->state, &iterators, NULL), 0);
		scap_threads_destroy(iterators.threads);
		assert_string_equal(drive_thread(drive, 50)->program->exepath, "/bin/known");
		assert_null(state_thread_find(drive->state, 12345));
		drive_clone(drive, 12345, 0,
			    &(struct drive_clone){
				    .pid = 12345, .ptid = 12344, .comm = "go", .exec_id = exec_id});
		drive_clone(drive, 12346, 0,
			    &(struct drive_clone){.pid = 12346, .ptid = 12345, .comm = "go"});
		program = drive_thread(drive, 12346)->program;
		assert_string_equal(program->exepath, exec_id == 6 ? "/bin/go" : "");
		if (exec_id == 6)
			assert_true(program->exe_ino == 7 && program->exe_ctime_ns == 8 &&
				    program->exe_mtime_ns == 9 && program->flags == 1);
		driven_machine_teardown(state);
		driven_machine_setup(state);
	}
}

/* /proc and the list have its descendants alone when they are read. */
static void notes_programs_before_reading(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	const struct state_iterators iterators = {.before = programs_iterator(machine),
						  .threads = thread_iterator(machine, true)};

	assert_int_equal(state_seed(drive->state, &iterators, NULL), 0);
	scap_threads_destroy(iterators.before);
	scap_threads_destroy(iterators.threads);
	drive->ts_ns = drive->state->seed_ns;
	drive_clone(drive, 12345, 0,
		    &(struct drive_clone){.pid = 12345, .ptid = 12344, .comm = "go", .exec_id = 6});
	assert_string_equal(drive_thread(drive, 12345)->program->exepath, "/bin/go");
	assert_string_equal(drive_thread(drive, 50)->program->exepath, "/bin/known");
}

/* Its creator may say first that it has begun, or later; both know then what they execute. */
static void keeps_them_for_either_order(void **state)
{
	static const struct drive_clone own = {
		.pid = 12345, .ptid = 12344, .comm = "go", .exec_id = 6};
	static const struct drive_clone creators = {.pid = 12344, .ptid = 1, .comm = "go"};

	for (int creator_first = 0; creator_first < 2; creator_first++) {
		struct driven_machine *machine = *state;
		struct drive *drive = &machine->drive;
		const struct state_iterators iterators = {.threads = programs_iterator(machine)};

		assert_int_equal(state_seed(drive->state, &iterators, NULL), 0);
		scap_threads_destroy(iterators.threads);
		drive->ts_ns = drive->state->seed_ns;
		for (int i = 0; i < 2; i++)
			if (i == creator_first)
				drive_clone(drive, 12345, 0, &own);
			else
				drive_clone(drive, 12344, 12345, &creators);
		assert_string_equal(drive_thread(drive, 12345)->program->exepath, "/bin/go");
		assert_false(state_thread_entry(drive_thread(drive, 12345))->orphan);
		/* A clone event of its own will say what this one executes. */
		assert_string_equal(drive_thread(drive, 12344)->program->exepath,
				    creator_first ? "" : "/bin/go");
		driven_machine_teardown(state);
		driven_machine_setup(state);
	}
}

/* One that takes in an orphan is not its creator: it was executed elsewhere in memory. */
static void takes_nothing_of_who_takes_in(void **state)
{
	static const struct {
		uint64_t ticks, stack;
		const char *exepath;
	} cases[] = {
		{0, 0x7ffc12345670, "/bin/known"},
		{20, 0x7ffc12345670, "/bin/known"},
		{62, 0x7ffc12345670, "/bin/known"},
		{63, 0x7ffc12345670, ""},
		{0, 0x7ffc12345680, ""},
		{200, 0x7ffc12345670, ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct driven_machine *machine = *state;
		struct drive *drive = &machine->drive;
		uint64_t boot_ns = drive->state->machine.boot_ns;
		struct state_thread *parent;

		state_seed(drive->state, NULL, NULL);
		parent = drive_thread(drive, 50);
		parent->clone_ts_ns = boot_ns + UINT64_C(500) * TICK_NS + 7;
		parent->exec_id = exec_id_of(500, cases[0].stack);
		drive->ts_ns = boot_ns + UINT64_C(1000) * TICK_NS + 7;
		drive_clone(drive, 900, 0,
			    &(struct drive_clone){
				    .pid = 900,
				    .ptid = 50,
				    .comm = "go",
				    .exec_id = exec_id_of(1000 - cases[i].ticks, cases[i].stack)});
		assert_string_equal(drive_thread(drive, 900)->program->exepath, cases[i].exepath);
		assert_int_equal(drive_thread(drive, 900)->uid,
				 *cases[i].exepath ? 33 : UINT32_MAX);
		assert_true(drive_has_fd(drive, 900, 3) == (*cases[i].exepath != '\0'));
		/* A thread of it is of it. */
		drive_clone(drive, 901, 0,
			    &(struct drive_clone){.pid = 50,
						  .ptid = 1,
						  .comm = "go",
						  .exec_id = 77,
						  .flags = clone_flags__CLONE_THREAD |
							   clone_flags__CLONE_FILES});
		assert_ptr_equal(drive_thread(drive, 901)->fds, drive_thread(drive, 50)->fds);
		driven_machine_teardown(state);
		driven_machine_setup(state);
	}
}

/*
 * On a busy machine a process is read before it has run, and its creator has ended when it does. An
 * earlier one of its number it is not.
 */
static void knows_who_was_read_before_his_first_event(void **state)
{
	for (int same = 0; same < 2; same++) {
		struct driven_machine *machine = *state;
		struct drive *drive = &machine->drive;

		state_seed(drive->state, NULL, NULL);
		drive_thread(drive, 50)->exec_id = 7;
		machine->proc.count = 0;
		drive->ts_ns = state_thread_entry(drive_thread(drive, 50))->since_ns + 1000000;
		drive_clone(drive, 50, 0,
			    &(struct drive_clone){
				    .pid = 50, .ptid = 999, .comm = "go", .exec_id = same ? 7 : 8});
		assert_string_equal(drive_thread(drive, 50)->program->exepath,
				    same ? "/bin/known" : "");
		assert_string_equal(drive_thread(drive, 50)->comm, "go");
		assert_int_equal(drive_has_fd(drive, 50, 3), same);
		driven_machine_teardown(state);
		driven_machine_setup(state);
	}
}

/* With CLONE_PARENT a child has at first what the parent of its creator executes. */
static void learns_nothing_of_a_sibling(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;

	state_seed(drive->state, NULL, NULL);
	drive_clone(
		drive, 901, 0,
		&(struct drive_clone){
			.pid = 901, .ptid = 50, .comm = "a", .flags = clone_flags__CLONE_PARENT});
	drive_clone(
		drive, 900, 901,
		&(struct drive_clone){
			.pid = 900, .ptid = 50, .comm = "a", .flags = clone_flags__CLONE_PARENT});
	assert_string_equal(drive_thread(drive, 900)->program->exepath, "");
	assert_string_equal(drive_thread(drive, 901)->program->exepath, "");
}

/* The list is read again when such a process begins of which nothing was noted. */
static void asks_for_what_it_missed(void **state)
{
	static const struct scap_thread found = {.tid = 12345,
						 .pid = 12345,
						 .ptid = 1,
						 .exec_id = 6,
						 .comm = "go",
						 .exe = "go",
						 .exepath = "",
						 .args = "",
						 .env = "",
						 .cgroups = "",
						 .cwd = "/",
						 .root = "/"};
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	struct scap_threads *threads = programs_iterator(machine);
	const struct state_program *program;

	state_seed(drive->state, NULL, NULL);
	drive_fork(drive, 50, 900);
	assert_false(state_take_missed(drive->state));
	program = state_load_thread(drive->state, &found)->program;
	drive_fork(drive, 12345, 12346);
	assert_true(state_take_missed(drive->state));
	assert_false(state_take_missed(drive->state));
	/* In parts; what the descendants have of it is known at once. */
	assert_int_equal(state_learn_programs(drive->state, threads, 1), 1);
	assert_string_equal(program->exepath, "");
	assert_int_equal(state_learn_programs(drive->state, threads, 9), 0);
	assert_string_equal(program->exepath, "/bin/go");
	assert_int_equal(program->exe_ino, 7);
	assert_string_equal(program->exe, "go");
	assert_ptr_equal(program, drive_thread(drive, 12346)->program);
	drive_fork(drive, 12346, 12347);
	assert_false(state_take_missed(drive->state));
	assert_int_equal(driven_machine_stats(machine).programs_missed, 1);
	assert_int_equal(driven_machine_stats(machine).programs_learnt, 1);
	assert_string_equal(drive_thread(drive, 50)->program->exepath, "/bin/known");
	scap_threads_destroy(threads);
}

/* What the list has under the number of another one is for later, and is then over. */
static void learns_nothing_of_another(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	struct scap_threads *threads = programs_iterator(machine);

	state_seed(drive->state, NULL, NULL);
	drive_clone(
		drive, 12345, 0,
		&(struct drive_clone){.pid = 12345, .ptid = 12344, .comm = "go", .exec_id = 66});
	assert_int_equal(state_learn_programs(drive->state, threads, 9), 0);
	assert_string_equal(drive_thread(drive, 12345)->program->exepath, "");
	assert_int_equal(drive->state->notes.count, 2);
	drive->ts_ns = drive->state->notes.until_ns + 1;
	drive_clone(drive, 12345, 0,
		    &(struct drive_clone){.pid = 12345, .ptid = 1, .comm = "go", .exec_id = 6});
	assert_int_equal(drive->state->notes.count, 0);
	scap_threads_destroy(threads);
}

/* One that ended while /proc was read has arguments, perhaps, but no executable. */
static void completes_programs(void **state)
{
	static const struct state_program of_kernel = {
		.exe = "", .exepath = "/bin/go", .args = "", .env = "", .exe_ino = 7};
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	struct scap_thread found = {.tid = 70,
				    .pid = 70,
				    .ptid = 1,
				    .comm = "go",
				    .exe = "go",
				    .exepath = "",
				    .args = "on",
				    .args_len = 3,
				    .env = "",
				    .cgroups = "",
				    .cwd = "/",
				    .root = "/"};
	struct state_thread *thread = state_load_thread(drive->state, &found);

	state_learn_executable(drive->state, thread, &of_kernel);
	assert_string_equal(thread->program->exepath, "/bin/go");
	assert_int_equal(thread->program->exe_ino, 7);
	assert_string_equal(thread->program->exe, "go");
	assert_string_equal(thread->program->args, "on");
}

/* Arguments that could not be read at first; not those of another program. */
static void reads_arguments_again(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	struct state_thread *thread;
	struct scap_thread unread;
	unsigned int asked;

	assert_int_equal(scap_proc_thread(&machine->proc, 50, &unread), 0);
	unread.exe = unread.args = "";
	unread.args_len = 0;
	for (int i = 0; i < 2; i++) {
		unread.exepath = i ? "/bin/other" : "/bin/known";
		thread = state_load_thread(drive->state, &unread);
		state_read_arguments(drive->state, thread);
		assert_int_equal(*thread->program->exe != '\0', i == 0);
	}
	/* Of many there is no time to read all: see bounds_threads() of lookup.c. */
	unread.exepath = "/bin/known";
	for (asked = machine->proc.asked_threads; asked < 1000; asked++) {
		thread = state_load_thread(drive->state, &unread);
		state_read_arguments(drive->state, thread);
	}
	assert_in_range(machine->proc.asked_threads, 50, 52);
	assert_string_equal(thread->program->exe, "");
	assert_true(driven_machine_stats(machine).thread_lookups_rejected > 900);
}

/* A program that is known goes before what was noted. */
static void notes_programs_once(void **state)
{
	static const struct state_program noted = {
		.exe = "", .exepath = "/bin/go", .args = "", .env = ""};
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	struct state_thread *thread;

	state_seed(drive->state, NULL, NULL);
	thread = state_thread_add(drive->state, 901, 901);
	state_note_program(drive->state, 901, 6, &noted);
	state_complete_program(drive->state, thread);
	assert_string_equal(thread->program->exepath, "");
	thread->exec_id = 6;
	state_complete_program(drive->state, thread);
	assert_string_equal(thread->program->exepath, "/bin/go");
	assert_string_equal(drive->state->no_program->exepath, "");
	state_note_program(drive->state, 900, 6, &noted);
	drive_clone(drive, 900, 0,
		    &(struct drive_clone){.pid = 900, .ptid = 50, .comm = "go", .exec_id = 6});
	assert_string_equal(drive_thread(drive, 900)->program->exepath, "/bin/known");
}

static void reads_threads_from_proc_if_the_iterator_fails(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	const struct state_iterators iterators = {.threads = thread_iterator(machine, false)};

	assert_int_equal(state_seed(drive->state, &iterators, NULL), 0);
	assert_int_equal(driven_machine_stats(machine).threads_error, -EBADMSG);
	assert_string_equal(drive_thread(drive, 51)->comm, "worker");
	assert_string_equal(drive_thread(drive, 60)->comm, "server");
	assert_int_equal(drive_thread(drive, 50)->nthreads, 3);
	assert_int_equal(driven_machine_stats(machine).fds, 8);
	scap_threads_destroy(iterators.threads);
}

static void does_nothing_without_proc(void **state)
{
	struct drive drive;

	drive_create(&drive, NULL);
	assert_int_equal(state_seed(drive.state, NULL, NULL), 0);
	assert_null(state_thread_find(drive.state, 1));
	drive_destroy(&drive);
}

/*
 * When environments begin to be captured, events of the capture before come for a moment: what an
 * exec event lacks is read. Later one has none because its program has none.
 */
static void reads_environments_of_the_capture_before(void **state)
{
	struct driven_machine *machine = *state;
	struct drive *drive = &machine->drive;
	unsigned int asked;

	state_set_lacks(drive->state, STATE_ENVIRONMENTS);
	drive->ts_ns = state_now_ns(drive->state);
	drive_exec(drive, 50, "known");
	assert_int_equal(drive_thread(drive, 50)->program->env_len, 0);
	asked = machine->proc.asked_threads;
	state_set_lacks(drive->state, 0);
	drive_exec(drive, 50, "known");
	assert_string_equal(drive_thread(drive, 50)->program->env, "E=1");
	drive->ts_ns += UINT64_C(5000000000);
	drive_exec(drive, 50, "known");
	assert_int_equal(drive_thread(drive, 50)->program->env_len, 0);
	assert_int_equal(machine->proc.asked_threads, asked + 1);
}

static const struct CMUnitTest tests[] = {
#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, driven_machine_setup, driven_machine_teardown)
	TEST(fills_the_tables),
	TEST(fills_them_again),
	TEST(takes_descriptors_of_an_iterator),
	TEST(reads_proc_if_the_iterator_fails),
	TEST(takes_threads_of_an_iterator),
	TEST(keeps_programs_of_those_that_ended),
	TEST(notes_programs_before_reading),
	TEST(keeps_them_for_either_order),
	TEST(takes_nothing_of_who_takes_in),
	TEST(knows_who_was_read_before_his_first_event),
	TEST(learns_nothing_of_a_sibling),
	TEST(asks_for_what_it_missed),
	TEST(learns_nothing_of_another),
	TEST(completes_programs),
	TEST(reads_arguments_again),
	TEST(reads_environments_of_the_capture_before),
	TEST(notes_programs_once),
	TEST(reads_threads_from_proc_if_the_iterator_fails),
	TEST(does_nothing_without_proc),
};

UNIT_GROUP(tests);
