/* SPDX-License-Identifier: MIT */
/* What the thread reads of this process; and that it believes no file that is another one. */
#include "scap/samples/symbol_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tree.h"
#include "unit.h"
#include "util/clock.h"

int symbol_reader_unit_function(int n);
__attribute__((noinline)) int symbol_reader_unit_function(int n)
{
	return n + 1;
}

static int proc;

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
	assert_true(request->read_ns <= clock_ns(CLOCK_MONOTONIC));
	symbol_request_destroy(request);
	request = calloc(1, sizeof(*request));
	assert_non_null(request);
	request->kind = READ_MAPPINGS;
	request->pid = -1;
	symbol_request_read(request, proc, -ENOENT);
	assert_true(request->error < 0);
	symbol_request_destroy(request);
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
	/* A file that is no regular one. */
	request = file_request(mappings, own);
	request->begin = request->end = 0;
	free(request->path);
	request->path = strdup("/dev/zero");
	symbol_request_read(request, proc, -ENOENT);
	assert_int_equal(request->error, -EINVAL);
	symbol_request_destroy(request);
	symbol_request_destroy(mappings);
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

	assert_int_equal(symbol_reader_create(dup(proc), -ENOENT, &reader, NULL), 0);
	assert_null(symbol_reader_answer(reader));
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_mappings),
	cmocka_unit_test(reads_files_that_are_mapped),
	cmocka_unit_test(believes_no_other_file),
	cmocka_unit_test(answers_in_order),
};

UNIT_GROUP(tests, .setup = open_proc, .teardown = close_proc);
