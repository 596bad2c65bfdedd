/* SPDX-License-Identifier: MIT */
/* What the thread reads of this process; and that it believes no file that is another one. */
#include "scap/samples/symbol_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tree.h"
#include "unit.h"
#include "util/buf.h"
#include "util/clock.h"

int symbol_reader_unit_function(int n);
__attribute__((noinline)) int symbol_reader_unit_function(int n)
{
	return n + 1;
}

static int proc;

static int unit_copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	struct stat st;
	off_t at = 0;
	ssize_t n = 1;

	fstat(in, &st);
	while (n > 0 && at < st.st_size)
		n = sendfile(out, in, &at, (size_t)(st.st_size - at));
	close(in);
	close(out);
	return at == st.st_size ? 0 : -1;
}

static int open_proc(void **state)
{
	proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return proc < 0;
}

static int close_proc(void **state)
{
	return close(proc);
}

/* The mapping of this program that has its code. */
static struct symbol_request *read_own_mappings(const struct symbol_mapping **own)
{
	uint64_t address = (uint64_t)(uintptr_t)symbol_reader_unit_function;
	struct symbol_request *request = calloc(1, sizeof(*request));

	assert_non_null(request);
	request->kind = READ_MAPPINGS;
	request->pid = getpid();
	symbol_request_read(request, proc, -ENOENT);
	assert_int_equal(request->error, 0);
	*own = NULL;
	for (size_t i = 0; i < request->mappings_count; i++)
		if (request->mappings[i].mapping.begin <= address &&
		    address < request->mappings[i].mapping.end)
			*own = &request->mappings[i];
	assert_non_null(*own);
	return request;
}

static void reads_mappings(void **state)
{
	const struct symbol_mapping *own;
	struct symbol_request *request = read_own_mappings(&own);
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(len > 0);
	path[len] = '\0';
	assert_string_equal(request->texts + own->path, path);
	assert_true(request->begun_ns && request->begun_ns <= request->read_ns &&
		    request->read_ns <= clock_ns(CLOCK_MONOTONIC));
	symbol_request_destroy(request);
	request = calloc(1, sizeof(*request));
	assert_non_null(request);
	request->kind = READ_MAPPINGS;
	request->pid = -1;
	symbol_request_read(request, proc, -ENOENT);
	assert_true(request->error < 0);
	symbol_request_destroy(request);
}

/* A path that does not fit is cut: what is behind it is not a line, which a process would write. */
static void cuts_long_lines(void **state)
{
	enum { SHORTEST = 4300, LONGEST = 4400 };
	struct buf text = {0};
	struct symbol_request request = {.kind = READ_MAPPINGS, .pid = 7};
	struct tree tree;
	char root[TREE_PATH_BYTES];
	int folder;

	for (int bytes = SHORTEST; bytes <= LONGEST; bytes++) {
		size_t begin = text.len;

		buf_printf(&text, "7f0000001000-7f0000002000 r-xp 00000000 fe:01 7 /");
		while (text.len - begin < (size_t)bytes)
			buf_append_char(&text, 'x');
		buf_printf(&text, "1000-2000 r-xp 00000000 fe:01 8 /planted\n");
	}
	buf_printf(&text, "7f0000003000-7f0000004000 r-xp 00000000 fe:01 9 /last");
	tree_create(&tree);
	tree_path(&tree, "7", root);
	assert_int_equal(mkdir(root, 0700), 0);
	tree_write_bytes(&tree, "7/maps", text.data, text.len);
	buf_finish(&text);
	tree_path(&tree, "", root);
	folder = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	symbol_request_read(&request, folder, -ENOENT);
	close(folder);
	tree_destroy(&tree);
	assert_int_equal(request.error, 0);
	assert_int_equal(request.mappings_count, LONGEST - SHORTEST + 2);
	for (size_t i = 0; i + 1 < request.mappings_count; i++)
		assert_int_equal(request.mappings[i].id.ino, 7);
	assert_int_equal(request.mappings[request.mappings_count - 1].id.ino, 9);
	assert_string_equal(request.texts + request.mappings[request.mappings_count - 1].path,
			    "/last");
	free(request.mappings);
	free(request.texts);
}

static struct symbol_request *file_request(const struct symbol_request *mappings,
					   const struct symbol_mapping *own)
{
	struct symbol_request *request = calloc(1, sizeof(*request));

	assert_non_null(request);
	request->kind = READ_FILE;
	request->pid = getpid();
	request->begin = own->mapping.begin;
	request->end = own->mapping.end;
	request->id = own->id;
	request->path = strdup(mappings->texts + own->path);
	return request;
}

static void reads_files_that_are_mapped(void **state)
{
	uint64_t address = (uint64_t)(uintptr_t)symbol_reader_unit_function;
	const struct symbol_mapping *own;
	struct symbol_request *mappings = read_own_mappings(&own);
	struct symbol_request *request = file_request(mappings, own);

	symbol_request_read(request, proc, -ENOENT);
	assert_int_equal(request->error, 0);
	assert_string_equal(symbol_table_find(&request->table,
					      address - own->mapping.begin + own->mapping.offset),
			    "symbol_reader_unit_function");
	symbol_request_destroy(request);
	symbol_request_destroy(mappings);
}

/* The path is of another file by now, or the mapping is: nothing is read. */
static void believes_no_other_file(void **state)
{
	const struct symbol_mapping *own;
	struct symbol_request *mappings = read_own_mappings(&own);
	struct symbol_request *request = file_request(mappings, own);

	request->id.ino++;
	symbol_request_read(request, proc, -ENOENT);
	assert_int_equal(request->error, -ESTALE);
	assert_int_equal(request->table.count, 0);
	symbol_request_destroy(request);
	symbol_request_destroy(mappings);
}

/* What a process says is a file of this name. */
static int read_named(int32_t pid, const char *path, const char *as_agent, size_t *symbols)
{
	struct symbol_request *request = calloc(1, sizeof(*request));
	struct stat st;
	int r;

	assert_non_null(request);
	assert_int_equal(stat(as_agent, &st), 0);
	request->kind = READ_FILE;
	request->pid = pid;
	request->id = (struct symbol_file_id){major(st.st_dev), minor(st.st_dev), st.st_ino};
	request->path = strdup(path);
	symbol_request_read(request, proc, -ENOENT);
	r = request->error;
	*symbols = request->table.count;
	symbol_request_destroy(request);
	return r;
}

/* A device or a FIFO that a process names is not even opened. */
static void opens_regular_files_only(void **state)
{
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	char path[TREE_PATH_BYTES];
	struct inotify_event event;
	struct tree tree;
	size_t symbols;

	tree_create(&tree);
	tree_path(&tree, "fifo", path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_true(inotify_add_watch(watch, path, IN_OPEN) >= 0);
	assert_int_equal(read_named(getpid(), path, path, &symbols), -EINVAL);
	assert_int_equal(read_named(getpid(), "/dev/zero", "/dev/zero", &symbols), -EINVAL);
	/* Nor is one that is another file. */
	assert_int_equal(read_named(getpid(), path, "/dev/zero", &symbols), -ESTALE);
	assert_int_equal(read(watch, &event, sizeof(event)), -1);
	assert_int_equal(errno, EAGAIN);
	close(watch);
	tree_destroy(&tree);
}

/* A process in a root of its own. */
static pid_t fork_in_root(const char *root)
{
	int ready[2];
	char c;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (chroot(root) == 0 && chdir("/") == 0 && write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(ready[0]);
	return pid;
}

/* Links in the root of a process lead to files below it. */
static void stays_in_the_root_of_a_process(void **state)
{
	char root[TREE_PATH_BYTES], path[TREE_PATH_BYTES];
	struct tree tree;
	size_t symbols = 0, other = 0;
	pid_t pid;

	tree_create(&tree);
	tree_path(&tree, "root", root);
	assert_int_equal(mkdir(root, 0700), 0);
	tree_path(&tree, "root/program", path);
	assert_int_equal(unit_copy("/proc/self/exe", path), 0);
	tree_path(&tree, "root/link", path);
	assert_int_equal(symlink("/program", path), 0);
	tree_path(&tree, "root/exe", path);
	assert_int_equal(symlink("/bin/true", path), 0);
	tree_path(&tree, "root/program", path);
	pid = fork_in_root(root);
	if (pid > 0) {
		assert_int_equal(read_named(pid, "/link", path, &symbols), 0);
		assert_true(read_named(pid, "/exe", "/bin/true", &other) < 0);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	tree_destroy(&tree);
	if (pid < 0)
		skip();
	assert_true(symbols > 0);
	assert_int_equal(other, 0);
}

static struct symbol_request *await_answer(struct symbol_reader *reader)
{
	struct symbol_request *answer;

	for (int i = 0; i < 10000; i++) {
		answer = symbol_reader_answer(reader);
		if (answer)
			return answer;
		usleep(1000);
	}
	fail_msg("no answer");
	return NULL;
}

static void answers_in_order(void **state)
{
	struct symbol_reader *reader;
	struct symbol_request *request;

	assert_int_equal(symbol_reader_create(dup(proc), -ENOENT, SYMBOLS_SLOW_NS, &reader, NULL),
			 0);
	assert_null(symbol_reader_answer(reader));
	assert_int_equal(symbol_reader_slow(reader), 0);
	for (int32_t i = 1; i <= 5; i++) {
		request = calloc(1, sizeof(*request));
		assert_non_null(request);
		request->kind = i == 3 ? READ_KERNEL : READ_MAPPINGS;
		request->pid = i;
		symbol_reader_ask(reader, request);
	}
	for (int32_t i = 1; i <= 5; i++) {
		request = await_answer(reader);
		assert_int_equal(request->pid, i);
		if (i == 3)
			assert_int_equal(request->error, -ENOENT);
		symbol_request_destroy(request);
	}
	/* What nobody waits for any more. */
	for (int32_t i = 1; i <= 50; i++) {
		request = calloc(1, sizeof(*request));
		assert_non_null(request);
		request->kind = READ_MAPPINGS;
		request->pid = getpid();
		symbol_reader_ask(reader, request);
	}
	symbol_reader_destroy(reader);
	symbol_reader_destroy(NULL);
	symbol_request_destroy(NULL);
}

static void ask_of(struct symbol_reader *reader, enum symbol_request_kind kind, int32_t pid)
{
	struct symbol_request *request = calloc(1, sizeof(*request));

	assert_non_null(request);
	request->kind = kind;
	request->pid = pid;
	symbol_reader_ask(reader, request);
}

/* What does not answer, here a pipe that nobody writes to, is given up; what is asked next is read.
 */
static void gives_up_what_does_not_answer(void **state)
{
	const uint64_t slow_ns = 200000000;
	struct symbol_reader *reader;
	struct symbol_request *answer;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(symbol_reader_create(dup(proc), ends[0], slow_ns, &reader, NULL), 0);
	for (int32_t i = 1; i <= SYMBOLS_STUCK_MAX; i++) {
		ask_of(reader, READ_KERNEL, i);
		ask_of(reader, READ_MAPPINGS, getpid());
		answer = await_answer(reader);
		assert_int_equal(answer->kind, READ_KERNEL);
		assert_int_equal(answer->pid, i);
		assert_int_equal(answer->error, -ETIMEDOUT);
		symbol_request_destroy(answer);
		answer = await_answer(reader);
		assert_int_equal(answer->kind, READ_MAPPINGS);
		assert_int_equal(answer->error, 0);
		symbol_request_destroy(answer);
		assert_int_equal(symbol_reader_slow(reader), i);
	}
	/* As many as there may be: the next one is waited for. */
	ask_of(reader, READ_KERNEL, 1);
	usleep(slow_ns / 1000 * 3);
	assert_null(symbol_reader_answer(reader));
	assert_int_equal(symbol_reader_slow(reader), SYMBOLS_STUCK_MAX + 1);
	close(ends[1]);
	answer = await_answer(reader);
	/* If one of the others is back first, there is room to give it up, too. */
	assert_true(answer->error == -ENOENT || answer->error == -ETIMEDOUT);
	symbol_request_destroy(answer);
	/* All of them end now: what one uses that does not is never given back. */
	usleep(slow_ns / 1000);
	assert_null(symbol_reader_answer(reader));
	symbol_reader_destroy(reader);
}

/*
 * Mappings of a process that does not answer, here FIFOs in place of its file: they cost one
 * thread, also if they are asked for again. When it is back, they are read.
 */
static void refuses_what_was_given_up(void **state)
{
	const uint64_t slow_ns = 200000000;
	char path[TREE_PATH_BYTES];
	struct symbol_reader *reader;
	struct symbol_request *answer;
	struct tree tree;
	int fd;

	tree_create(&tree);
	tree_write(&tree, "1/comm", "");
	tree_write(&tree, "2/maps", "");
	tree_path(&tree, "1/maps", path);
	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(tree.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(symbol_reader_create(fd, -ENOENT, slow_ns, &reader, NULL), 0);
	for (int32_t i = 0; i <= SYMBOLS_STUCK_MAX; i++) {
		ask_of(reader, READ_MAPPINGS, 1);
		ask_of(reader, READ_MAPPINGS, 2);
	}
	for (int32_t i = 0; i <= SYMBOLS_STUCK_MAX; i++) {
		for (int32_t pid = 1; pid <= 2; pid++) {
			answer = await_answer(reader);
			assert_int_equal(answer->pid, pid);
			assert_int_equal(answer->error, pid == 1 ? -ETIMEDOUT : 0);
			symbol_request_destroy(answer);
		}
		assert_int_equal(symbol_reader_slow(reader), 1);
	}
	/* Who waited for it goes on, and ends some time later. */
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	do {
		ask_of(reader, READ_MAPPINGS, 1);
		answer = await_answer(reader);
		fd = answer->error;
		symbol_request_destroy(answer);
	} while (fd == -ETIMEDOUT);
	assert_int_equal(fd, -ENOENT);
	symbol_reader_destroy(reader);
	tree_destroy(&tree);
}

/* A program that was deleted, and whose place another one has. */
static void reads_programs_that_are_deleted(void **state)
{
	static const char program[] = "/bin/bash";
	char path[TREE_PATH_BYTES];
	struct symbol_request request = {.kind = READ_FILE};
	struct tree tree;
	struct stat st;
	int out[2];
	char c;

	if (access(program, X_OK))
		skip();
	tree_create(&tree);
	tree_path(&tree, "program", path);
	assert_int_equal(unit_copy(program, path), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(pipe(out), 0);
	request.pid = fork();
	assert_true(request.pid >= 0);
	if (request.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(out[1], 1);
		execl(path, path, "-c", "echo; kill -STOP $$", NULL);
		_exit(1);
	}
	assert_int_equal(read(out[0], &c, 1), 1);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(unit_copy("/bin/true", path), 0);
	request.id = (struct symbol_file_id){major(st.st_dev), minor(st.st_dev), st.st_ino};
	request.path = path;
	symbol_request_read(&request, proc, -ENOENT);
	kill(request.pid, SIGKILL);
	waitpid(request.pid, NULL, 0);
	close(out[0]);
	close(out[1]);
	tree_destroy(&tree);
	assert_int_equal(request.error, 0);
	assert_true(request.table.count > 0);
	symbol_table_finish(&request.table);
}

/* Modules come and go. */
static void reads_the_kernel_again(void **state)
{
	char path[] = "/tmp/kallsyms-XXXXXX";
	static const char text[] = "ffffffff81000100 T do_one\n";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	for (int i = 0; i < 2; i++) {
		struct symbol_request request = {.kind = READ_KERNEL};

		symbol_request_read(&request, -1, fd);
		assert_int_equal(request.error, 0);
		assert_int_equal(request.table.count, 1);
		symbol_table_finish(&request.table);
	}
	close(fd);
	unlink(path);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_mappings),
	cmocka_unit_test(cuts_long_lines),
	cmocka_unit_test(reads_files_that_are_mapped),
	cmocka_unit_test(believes_no_other_file),
	cmocka_unit_test(opens_regular_files_only),
	cmocka_unit_test(stays_in_the_root_of_a_process),
	cmocka_unit_test(reads_the_kernel_again),
	cmocka_unit_test(answers_in_order),
	cmocka_unit_test(gives_up_what_does_not_answer),
	cmocka_unit_test(refuses_what_was_given_up),
	cmocka_unit_test(reads_programs_that_are_deleted),
};

UNIT_GROUP(tests, .setup = open_proc, .teardown = close_proc);
