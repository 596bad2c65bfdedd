/* SPDX-License-Identifier: MIT */
/* Files that are in the maps which the programs of a profile write: this test's own program.
 */
#include "profile/capture/captured_files.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "unit.h"

enum { INDEX = 7, FILES_MAX = 64, PAGES_MAX = 1 << 15 };

struct seen {
	struct captured_files files;
	struct profile_file_key key; /* this program */
	int proc, files_map, pages_map;
};

static const char *missing(void)
{
	return geteuid() == 0 ? NULL : "root";
}

static int make_map(enum bpf_map_type type, uint32_t key, uint32_t value, uint32_t entries,
		    uint32_t flags)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = flags);
	int map = bpf_map_create(type, "captured_files", key, value, entries, &options);

	assert_true(map >= 0);
	return map;
}

/* The key of this program, and where it is mapped first. */
static void find_self(struct seen *seen, struct profile_file *file)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char rights[8], line[4096];
	bool found = false;

	*file = (struct profile_file){.index = INDEX, .pid = (uint32_t)getpid()};
	while (!found && fgets(line, sizeof(line), maps)) {
		unsigned int major, minor;

		if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu", &file->begin, &file->end, rights,
			   &file->offset, &major, &minor, &seen->key.ino) == 7 &&
		    (uintptr_t)find_self >= file->begin && (uintptr_t)find_self < file->end) {
			seen->key.dev = major << 20 | minor;
			found = true;
		}
	}
	fclose(maps);
	assert_true(found);
}

static void see(struct seen *seen, uint32_t pid)
{
	struct profile_file file;

	find_self(seen, &file);
	file.pid = pid;
	assert_int_equal(bpf_map_update_elem(seen->files_map, &seen->key, &file, BPF_ANY), 0);
}

static void open_files(struct seen *seen)
{
	struct tables tables;
	int chunks = make_map(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct profile_chunk), PROFILE_CHUNKS,
			      BPF_F_MMAPABLE);
	int rules = make_map(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct profile_rule), PROFILE_RULES,
			     BPF_F_MMAPABLE);

	*seen = (struct seen){.proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC)};
	seen->files_map = make_map(BPF_MAP_TYPE_HASH, sizeof(struct profile_file_key),
				   sizeof(struct profile_file), FILES_MAX, 0);
	seen->pages_map = make_map(BPF_MAP_TYPE_HASH, sizeof(struct profile_page_key),
				   sizeof(struct profile_page), PAGES_MAX, 0);
	assert_int_equal(tables_open(&tables, chunks, rules, seen->pages_map), 0);
	captured_files_init(&seen->files, seen->proc, seen->files_map, 1, &tables);
	close(chunks);
	close(rules);
}

static void close_files(struct seen *seen)
{
	captured_files_finish(&seen->files);
	close(seen->files_map);
	close(seen->pages_map);
	close(seen->proc);
}

static size_t count_pages(const struct seen *seen)
{
	struct profile_page_key key, next;
	void *before = NULL;
	size_t count = 0;

	for (; bpf_map_get_next_key(seen->pages_map, before, &next) == 0; count++) {
		key = next;
		before = &key;
	}
	return count;
}

/* A new file gets its tables; known ones, and those that the maps do not have, are left alone. */
static void test_add(void **state)
{
	const struct profile_file_key other = {.ino = 1, .dev = 1};
	const struct captured_file *file;
	struct profile_file now;
	struct seen seen;
	struct stat own, got;

	open_files(&seen);
	see(&seen, (uint32_t)getpid());
	assert_int_equal(captured_files_add(&seen.files, &other), 0);
	assert_null(captured_files_find(&seen.files, INDEX));
	assert_int_equal(captured_files_add(&seen.files, &seen.key), 0);
	file = captured_files_find(&seen.files, INDEX);
	assert_non_null(file);
	assert_int_equal(stat("/proc/self/exe", &own), 0);
	assert_int_equal(fstat(file->file.fd, &got), 0);
	assert_int_equal(got.st_ino, own.st_ino);
	assert_int_equal(bpf_map_lookup_elem(seen.files_map, &seen.key, &now), 0);
	assert_int_equal(now.state, PROFILE_FILE_LOADED);
	while (captured_files_fill(&seen.files))
		;
	assert_true(count_pages(&seen) > 0);
	assert_true(seen.files.tables.rows_count > 0);
	assert_int_equal(captured_files_add(&seen.files, &seen.key), 0);
	assert_int_equal(seen.files.count, 1);
	close_files(&seen);
}

/* A process that has ended: the file is forgotten, and taken from the next one that has it. */
static void test_vanished(void **state)
{
	struct profile_file now;
	struct seen seen;

	open_files(&seen);
	see(&seen, UINT32_MAX / 2);
	assert_int_equal(captured_files_look(&seen.files), 0);
	assert_int_equal(seen.files.vanished, 1);
	assert_int_not_equal(bpf_map_lookup_elem(seen.files_map, &seen.key, &now), 0);
	see(&seen, (uint32_t)getpid());
	assert_int_equal(captured_files_look(&seen.files), 0);
	assert_int_equal(seen.files.vanished, 1);
	assert_int_equal(bpf_map_lookup_elem(seen.files_map, &seen.key, &now), 0);
	assert_int_equal(now.state, PROFILE_FILE_LOADED);
	close_files(&seen);
}

/* A page that is wanted of a file that has none there is said to be empty, once. */
static void test_want(void **state)
{
	const struct profile_page_key key = {INDEX, 1 << 20}, none = {INDEX + 1, 0};
	struct profile_page page = {.state = PROFILE_PAGE_WANTED};
	struct seen seen;

	open_files(&seen);
	see(&seen, (uint32_t)getpid());
	assert_int_equal(captured_files_add(&seen.files, &seen.key), 0);
	assert_int_equal(bpf_map_update_elem(seen.pages_map, &key, &page, BPF_ANY), 0);
	assert_int_equal(bpf_map_update_elem(seen.pages_map, &none, &page, BPF_ANY), 0);
	assert_int_equal(captured_files_want(&seen.files, &key), 0);
	assert_int_equal(captured_files_want(&seen.files, &none), 0);
	assert_int_equal(bpf_map_lookup_elem(seen.pages_map, &key, &page), 0);
	assert_int_equal(page.state, PROFILE_PAGE_LOADED);
	assert_int_equal(page.count, 0);
	assert_int_equal(bpf_map_lookup_elem(seen.pages_map, &none, &page), 0);
	assert_int_equal(page.state, PROFILE_PAGE_WANTED);
	close_files(&seen);
}

/* A file that has pages wanted without end has a share of them, and has no table any more. */
static void test_share_of_pages(void **state)
{
	const struct profile_page wanted = {.state = PROFILE_PAGE_WANTED};
	struct profile_page_key key = {INDEX, 1 << 20};
	struct profile_file now;
	struct seen seen;

	open_files(&seen);
	see(&seen, (uint32_t)getpid());
	assert_int_equal(captured_files_add(&seen.files, &seen.key), 0);
	for (int i = 0; i < TABLES_PAGES_OF_FILE + 100; i++, key.page++) {
		assert_int_equal(bpf_map_update_elem(seen.pages_map, &key, &wanted, BPF_ANY), 0);
		assert_int_equal(captured_files_want(&seen.files, &key), 0);
	}
	assert_true(count_pages(&seen) <= TABLES_PAGES_OF_FILE);
	assert_true(seen.files.tables.full >= 100);
	assert_int_equal(bpf_map_lookup_elem(seen.files_map, &seen.key, &now), 0);
	assert_int_equal(now.state, PROFILE_FILE_FULL);
	close_files(&seen);
}

/* Index 0 is one like others; a file that takes too long is completed later. */
static void test_later(void **state)
{
	struct captured_file *file;
	struct profile_file seen_file;
	struct seen seen;
	size_t pages;

	open_files(&seen);
	find_self(&seen, &seen_file);
	seen_file.index = 0;
	assert_int_equal(bpf_map_update_elem(seen.files_map, &seen.key, &seen_file, BPF_ANY), 0);
	seen.files.until_ns = 1;
	assert_int_equal(captured_files_add(&seen.files, &seen.key), 0);
	file = captured_files_find(&seen.files, 0);
	assert_non_null(file);
	assert_true(file->is_filling);
	assert_int_equal(seen.files.unfilled, 1);
	assert_int_equal(count_pages(&seen), 0);
	unwind_pages(file->unwind, &pages);
	seen.files.until_ns = 0;
	while (captured_files_fill(&seen.files))
		;
	assert_int_equal(seen.files.unfilled, 0);
	assert_int_equal(seen.files.unwind_bytes, 0);
	assert_false(file->is_filling);
	assert_int_equal(count_pages(&seen), pages);
	close_files(&seen);
}

/* Without a free descriptor it has no table, which is counted. */
static void test_descriptors(void **state)
{
	struct rlimit limit, before;
	struct profile_file now;
	struct seen seen;

	open_files(&seen);
	see(&seen, (uint32_t)getpid());
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	/* One is enough for the link, none is left for the file. */
	limit.rlim_cur = 1;
	for (int fd = 0; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			limit.rlim_cur = (rlim_t)fd + 1;
	limit.rlim_cur++;
	for (int fd = 0; fd + 1 < (int)limit.rlim_cur; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			assert_int_equal(dup2(seen.proc, fd), fd);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(captured_files_add(&seen.files, &seen.key), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(seen.files.unopened, 1);
	assert_int_equal(bpf_map_lookup_elem(seen.files_map, &seen.key, &now), 0);
	assert_int_equal(now.state, PROFILE_FILE_FULL);
	close_files(&seen);
}

/* A child that has a file mapped to be executed, until it is killed. */
static pid_t map_in_child(const char *path)
{
	int ready[2];
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
			_exit(1);
		close(fd);
		(void)!write(ready[1], &byte, 1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void make_file(char path[32])
{
	int fd;

	strcpy(path, "/tmp/captured_files.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	close(fd);
}

/* Of a file that is in no process but those of this test. */
static struct captured_file *find_mapped(struct seen *seen, const char *path)
{
	struct captured_file *found = NULL;

	for (size_t i = 0; i < seen->files.count; i++)
		if (strcmp(seen->files.list[i].file.path, path) == 0)
			found = &seen->files.list[i];
	assert_non_null(found);
	return found;
}

/* Closed when the last process has ended that has it mapped, opened again with the next one. */
static void test_release(void **state)
{
	struct stacks none, two;
	struct stack_process process = {.root_fd = -1};
	struct captured_file *file;
	struct seen seen;
	char path[32];
	uint32_t index;
	pid_t first, second;

	make_file(path);
	open_files(&seen);
	assert_int_equal(stacks_init(&none), 0);
	assert_int_equal(stacks_init(&two), 0);
	first = map_in_child(path);
	assert_int_equal(captured_files_add_mapped(&seen.files, (uint32_t)first), 0);
	assert_int_equal(captured_files_release(&seen.files, &none), 0);
	assert_true(find_mapped(&seen, path)->file.fd >= 0);
	/* The other one has it, too. */
	second = map_in_child(path);
	process.pid = second;
	assert_int_equal(stacks_add_process(&two, &process, &index), 0);
	end_child(first);
	assert_int_equal(captured_files_release(&seen.files, &two), 0);
	assert_true(find_mapped(&seen, path)->file.fd >= 0);
	assert_int_equal(find_mapped(&seen, path)->pid, second);
	end_child(second);
	assert_int_equal(captured_files_release(&seen.files, &two), 0);
	file = find_mapped(&seen, path);
	assert_int_equal(file->file.fd, -1);
	assert_true(file->is_closed);
	assert_int_equal(seen.files.unmapped, 0);
	/* It is the same file: the same entry. */
	first = map_in_child(path);
	assert_int_equal(captured_files_add_mapped(&seen.files, (uint32_t)first), 0);
	assert_ptr_equal(find_mapped(&seen, path), file);
	assert_true(file->file.fd >= 0 && !file->is_closed);
	end_child(first);
	unlink(path);
	close_files(&seen);
	stacks_finish(&none);
	stacks_finish(&two);
}

/* One that was written to before it was closed has other code than its tables: it is another one.
 */
static void test_rewritten(void **state)
{
	const uint8_t removed[] = {false, true};

	for (size_t i = 0; i < sizeof(removed); i++) {
		struct profile_file_key key;
		struct captured_file *file;
		struct profile_file now;
		struct stacks none;
		struct seen seen;
		char path[32];
		pid_t child;
		int fd;

		make_file(path);
		open_files(&seen);
		assert_int_equal(stacks_init(&none), 0);
		child = map_in_child(path);
		assert_int_equal(captured_files_add_mapped(&seen.files, (uint32_t)child), 0);
		end_child(child);
		key = find_mapped(&seen, path)->key;
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (removed[i])
			unlink(path); /* that alone leaves it what it was */
		else
			assert_int_equal(pwrite(fd, "other", 5, 0), 5);
		assert_int_equal(captured_files_release(&seen.files, &none), 0);
		file = find_mapped(&seen, path);
		assert_int_equal(file->file.fd, -1);
		assert_int_equal(file->key.zero, !removed[i]);
		assert_int_equal(bpf_map_lookup_elem(seen.files_map, &key, &now) == 0, removed[i]);
		close(fd);
		unlink(path);
		close_files(&seen);
		stacks_finish(&none);
	}
}

/* A file that was closed, and is another one when it is seen again: it has an index of its own. */
static void test_replaced(void **state)
{
	const struct captured_file *old, *made;
	struct profile_file now;
	struct stacks none;
	struct seen seen;
	size_t at;
	char path[32];
	pid_t child;

	make_file(path);
	open_files(&seen);
	assert_int_equal(stacks_init(&none), 0);
	child = map_in_child(path);
	assert_int_equal(captured_files_add_mapped(&seen.files, (uint32_t)child), 0);
	end_child(child);
	assert_int_equal(captured_files_release(&seen.files, &none), 0);
	at = (size_t)(find_mapped(&seen, path) - seen.files.list);
	/* As another one that got its inode has: another time of change. */
	assert_int_equal(chmod(path, 0700), 0);
	child = map_in_child(path);
	assert_int_equal(captured_files_add_mapped(&seen.files, (uint32_t)child), 0);
	old = &seen.files.list[at];
	made = find_mapped(&seen, path);
	assert_ptr_not_equal(made, old);
	assert_true(old->is_closed && old->file.fd < 0);
	assert_true(made->file.fd >= 0);
	assert_int_equal(bpf_map_lookup_elem(seen.files_map, &made->key, &now), 0);
	assert_ptr_equal(captured_files_find(&seen.files, now.index), made);
	end_child(child);
	unlink(path);
	close_files(&seen);
	stacks_finish(&none);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_add),	cmocka_unit_test(test_vanished),
	cmocka_unit_test(test_want),	cmocka_unit_test(test_share_of_pages),
	cmocka_unit_test(test_later),	cmocka_unit_test(test_descriptors),
	cmocka_unit_test(test_release), cmocka_unit_test(test_replaced),
	cmocka_unit_test(test_rewritten),
};

UNIT_GROUP(tests, .missing = missing);
