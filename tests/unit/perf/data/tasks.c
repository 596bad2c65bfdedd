/* SPDX-License-Identifier: MIT */
/* This process and this machine as records. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf/data/format.h"
#include "perf/data/tasks.h"
#include "tree.h"
#include "unit.h"

enum { TRAILER_BYTES = 32, FILE_BYTES = 8 << 20 };

static char *const words[] = {"agent", NULL};
static const struct buf no_tracing;

struct written {
	struct perf_build_ids build_ids;
	struct perf_data_facts facts;
	struct perf_data_writer *writer;
	struct perf_tasks tasks;
	int fd;
	uint8_t *bytes; /* once it was read */
	size_t len;
};

static void begin(struct written *written)
{
	struct error err = {""};

	*written = (struct written){.fd = memfd_create("perf.data", MFD_CLOEXEC)};
	written->facts = (struct perf_data_facts){.version = "",
						  .command = words,
						  .tracing = &no_tracing,
						  .build_ids = &written->build_ids,
						  .clock = -1};
	assert_int_equal(
		perf_data_writer_create(written->fd, true, &written->facts, &written->writer, &err),
		0);
	perf_tasks_init(&written->tasks, written->writer, &written->build_ids, TRAILER_BYTES);
}

static void end(struct written *written)
{
	ssize_t n;

	assert_int_equal(perf_data_writer_round(written->writer), 0);
	written->bytes = malloc(FILE_BYTES);
	n = pread(written->fd, written->bytes, FILE_BYTES, 0);
	assert_true(n > 0 && n < FILE_BYTES);
	written->len = (size_t)n;
}

static void finish(struct written *written)
{
	perf_tasks_finish(&written->tasks);
	perf_data_writer_destroy(written->writer);
	perf_build_ids_finish(&written->build_ids);
	close(written->fd);
	free(written->bytes);
}

/* The n-th record of a type; NULL: there is none. All are whole. */
static const uint8_t *find(const struct written *written, uint32_t type, size_t n)
{
	for (size_t at = PERF_DATA_PIPE_HEADER_BYTES; at < written->len;) {
		struct perf_event_header header;

		memcpy(&header, written->bytes + at, sizeof(header));
		assert_true(header.size >= sizeof(header) && header.size % 8 == 0);
		if (header.type == type && n-- == 0)
			return written->bytes + at;
		at += header.size;
	}
	return NULL;
}

static bool has_mapping(const struct written *written, const char *path, uint16_t misc,
			struct perf_data_mapping *mapping)
{
	const uint8_t *record;

	for (size_t i = 0; (record = find(written, PERF_RECORD_MMAP2, i)); i++) {
		memcpy(mapping, record, sizeof(*mapping));
		if (strcmp((const char *)record + sizeof(*mapping), path) == 0 &&
		    (mapping->header.misc & misc) == misc)
			return true;
	}
	return false;
}

static void appends_a_process(void **state)
{
	struct perf_data_mapping mapping;
	struct written written;
	char exe[512] = "";
	uint64_t here = (uint64_t)(uintptr_t)appends_a_process;
	struct {
		struct perf_event_header header;
		int32_t pid, tid;
		char comm[16];
	} comm;

	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	begin(&written);
	perf_tasks_append_process(&written.tasks, getpid(), true);
	perf_tasks_append_process(&written.tasks, 0x7ffffff0, true);
	end(&written);
	memcpy(&comm, find(&written, PERF_RECORD_COMM, 0), sizeof(comm));
	assert_int_equal(comm.pid, getpid());
	assert_memory_equal(comm.comm, strrchr(exe, '/') + 1, 9);
	assert_non_null(find(&written, PERF_RECORD_FORK, 0));
	assert_null(find(&written, PERF_RECORD_COMM, 1));
	assert_null(find(&written, PERF_RECORD_NAMESPACES, 0));
	assert_true(has_mapping(&written, exe, PERF_RECORD_MISC_USER, &mapping));
	assert_true(mapping.begin <= here && here < mapping.begin + mapping.bytes);
	assert_int_equal(mapping.protection, 5);
	assert_false(has_mapping(&written, exe, PERF_RECORD_MISC_MMAP_DATA, &mapping));
	if (mapping.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
		assert_true(perf_build_ids_have(&written.build_ids, exe));
	finish(&written);
}

/* However many of its threads are given. */
static void appends_each_process_once(void **state)
{
	const pid_t tids[] = {getpid(), 0x7ffffff0, getppid(), getpid(), 0x7ffffff0};
	struct perf_data_mapping mapping;
	struct written written;
	const uint8_t *record;
	size_t seen = 0;

	begin(&written);
	assert_int_equal(perf_tasks_append_processes(&written.tasks, tids, 5, true, false), 0);
	end(&written);
	for (size_t i = 0; (record = find(&written, PERF_RECORD_COMM, i)); i++) {
		int32_t process, thread;

		memcpy(&process, record + sizeof(struct perf_event_header), sizeof(process));
		memcpy(&thread, record + sizeof(struct perf_event_header) + 4, sizeof(thread));
		seen += thread == getpid();
		assert_true(process == getpid() || process == getppid());
	}
	assert_int_equal(seen, 1);
	assert_true(has_mapping(&written, "[vdso]", PERF_RECORD_MISC_USER, &mapping));
	finish(&written);
}

static void end_child(int number)
{
	int status;

	(void)number;
	while (wait(&status) > 0)
		;
	_exit(0);
}

/* Also what was forked by what they forked. */
static void appends_descendants(void **state)
{
	int pipe_fds[2];
	pid_t own = getpid(), child, grandchild;
	struct written written;
	const uint8_t *record;
	size_t seen = 0;

	assert_int_equal(pipe(pipe_fds), 0);
	child = fork();
	if (child == 0) {
		grandchild = fork();
		if (grandchild == 0)
			for (;;)
				pause();
		signal(SIGTERM, end_child);
		if (write(pipe_fds[1], &grandchild, sizeof(grandchild)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(pipe_fds[0], &grandchild, sizeof(grandchild)), sizeof(grandchild));
	begin(&written);
	assert_int_equal(perf_tasks_append_processes(&written.tasks, &own, 1, false, true), 0);
	end(&written);
	for (size_t i = 0; (record = find(&written, PERF_RECORD_COMM, i)); i++) {
		int32_t process;

		memcpy(&process, record + sizeof(struct perf_event_header), sizeof(process));
		assert_true(process == own || process == child || process == grandchild);
		seen++;
	}
	assert_int_equal(seen, 3);
	finish(&written);
	kill(grandchild, SIGKILL);
	kill(child, SIGTERM);
	waitpid(child, NULL, 0);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static void appends_more_if_wanted(void **state)
{
	struct perf_data_mapping mapping;
	struct written written;
	char exe[512] = "";

	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	begin(&written);
	written.tasks.has_namespaces = written.tasks.has_data = true;
	perf_tasks_append_process(&written.tasks, getpid(), true);
	end(&written);
	assert_non_null(find(&written, PERF_RECORD_NAMESPACES, 0));
	assert_true(has_mapping(&written, exe, PERF_RECORD_MISC_MMAP_DATA, &mapping));
	finish(&written);
	begin(&written);
	perf_tasks_append_process(&written.tasks, getpid(), false);
	end(&written);
	assert_non_null(find(&written, PERF_RECORD_COMM, 0));
	assert_null(find(&written, PERF_RECORD_MMAP2, 0));
	finish(&written);
}

/* The kernel lists them as they were loaded; a program ends where the next one begins. */
static void appends_programs(void **state)
{
	static const struct {
		uint64_t begin;
		uint32_t bytes;
	} expected[] = {{0xffffffffc0201000, 0x1000},
			{0xffffffffc0202000, 0x1000},
			{0xffffffffc0203000, 0x30000},
			{0xffffffffc03ff000, 0x1000}};
	static const char kallsyms[] = "ffffffffc0202000 t bpf_prog_2\t[bpf]\n"
				       "ffffffffc0203000 t bpf_prog_3\t[bpf]\n"
				       "ffffffffc0201000 t bpf_prog_1\t[bpf]\n"
				       "ffffffffc03ff000 t bpf_prog_5\t[bpf]\n"
				       "ffffffffc0233000 t in_module\t[some]\n";
	char path[TREE_PATH_BYTES];
	struct written written;
	const uint8_t *record;
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "kallsyms", kallsyms);
	tree_path(&tree, "kallsyms", path);
	begin(&written);
	written.tasks.kallsyms = path;
	perf_tasks_append_kernel(&written.tasks, true);
	end(&written);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		record = find(&written, PERF_RECORD_KSYMBOL, i);
		assert_non_null(record);
		assert_memory_equal(record + 8, &expected[i].begin, 8);
		assert_memory_equal(record + 16, &expected[i].bytes, 4);
	}
	assert_null(find(&written, PERF_RECORD_KSYMBOL, 4));
	finish(&written);
	tree_destroy(&tree);
}

static void appends_all_and_the_kernel(void **state)
{
	struct written written;
	const uint8_t *record;
	bool has_this = false;

	begin(&written);
	perf_tasks_append_kernel(&written.tasks, true);
	perf_tasks_append_cgroups(&written.tasks);
	perf_tasks_append_all(&written.tasks);
	end(&written);
	for (size_t i = 0; (record = find(&written, PERF_RECORD_COMM, i)); i++) {
		int32_t pid;

		memcpy(&pid, record + sizeof(struct perf_event_header), sizeof(pid));
		has_this |= pid == getpid();
	}
	assert_true(has_this);
	/* The kernel, unless it hides its addresses. */
	record = find(&written, PERF_RECORD_MMAP, 0);
	if (geteuid() == 0 && record)
		assert_string_equal((const char *)record + 40, "[kernel.kallsyms]_text");
	finish(&written);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(appends_a_process),
	cmocka_unit_test(appends_each_process_once),
	cmocka_unit_test(appends_descendants),
	cmocka_unit_test(appends_more_if_wanted),
	cmocka_unit_test(appends_programs),
	cmocka_unit_test(appends_all_and_the_kernel),
};

UNIT_GROUP(tests);
