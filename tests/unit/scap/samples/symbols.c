/* SPDX-License-Identifier: MIT */
/* Names of addresses of this process, by what records and /proc say of its mappings. */
#include "scap/samples/symbols.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tree.h"
#include "unit.h"
#include "util/clock.h"

enum { LOOKS = 10000 };

int symbols_unit_function(int n);
__attribute__((noinline)) int symbols_unit_function(int n)
{
	return n + 1;
}

static struct sample_symbols *symbols;

static int create(void **state)
{
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_int_equal(sample_symbols_create(proc, false, &symbols, NULL), 0);
	return close(proc);
}

static int destroy(void **state)
{
	sample_symbols_destroy(symbols);
	sample_symbols_destroy(NULL);
	return 0;
}

static struct sample_record own_sample(void)
{
	return (struct sample_record){
		.ip = (uint64_t)(uintptr_t)symbols_unit_function,
		.time_ns = clock_ns(CLOCK_MONOTONIC),
		.pid = getpid(),
		.tid = getpid(),
		.mode = PERF_RECORD_MISC_USER,
	};
}

/* Whether it had to be waited for. */
static bool await_names(const struct sample_record *sample)
{
	bool waited = false;

	for (int i = 0; i < LOOKS; i++) {
		int r = sample_symbols_find(symbols, sample);

		if (r == 1)
			return waited;
		assert_int_equal(r, -EAGAIN);
		waited = true;
		usleep(1000);
		sample_symbols_step(symbols);
	}
	fail_msg("no end of waiting");
	return waited;
}

static void names_functions_of_processes_that_run(void **state)
{
	struct sample_record sample = own_sample();
	struct samples_stats stats = {0};

	assert_true(await_names(&sample));
	assert_string_equal(sample_symbols_name(symbols), "symbols_unit_function");
	/* Known from now on. */
	assert_false(await_names(&sample));
	sample.ip = 16;
	assert_false(await_names(&sample));
	assert_null(sample_symbols_name(symbols));
	sample_symbols_stats(symbols, &stats);
	assert_int_equal(stats.nameless, 0);
}

static void joins_frames(void **state)
{
	const uint64_t frames[] = {(uint64_t)PERF_CONTEXT_USER,
				   (uint64_t)(uintptr_t)symbols_unit_function,
				   (uint64_t)(uintptr_t)symbols_unit_function + 2, 0x10};
	struct sample_record sample = own_sample();
	char text[256];

	sample.frames = (const uint8_t *)frames;
	sample.frames_count = 4;
	await_names(&sample);
	assert_string_equal(sample_symbols_stack(symbols, &sample, text, sizeof(text)),
			    "0x10;symbols_unit_function;symbols_unit_function");
	/* What does not fit is left out. */
	assert_non_null(sample_symbols_stack(symbols, &sample, text, 12));
	assert_true(strlen(text) < 12);
	sample.frames_count = 1;
	assert_null(sample_symbols_stack(symbols, &sample, text, sizeof(text)));
}

/* A program that began has what records say, and nothing else. */
static void follows_records(void **state)
{
	struct sample_record sample = own_sample();
	struct sample_mapping mapping = {
		.pid = getpid(), .begin = 0x10000, .bytes = 0x1000, .ino = 1, .path = "/x"};

	await_names(&sample);
	assert_non_null(sample_symbols_name(symbols));
	sample.time_ns = clock_ns(CLOCK_MONOTONIC);
	sample_symbols_foresee_exec(symbols, getpid(), sample.time_ns);
	sample_symbols_exec(symbols, getpid(), sample.time_ns);
	sample.time_ns++;
	assert_false(await_names(&sample));
	assert_null(sample_symbols_name(symbols));
	/* There is no such file. */
	sample_symbols_map(symbols, &mapping, sample.time_ns);
	sample.ip = 0x10010;
	assert_true(await_names(&sample));
	assert_null(sample_symbols_name(symbols));
	/* A child has the same, and then nothing of its own is read. */
	sample_symbols_fork(symbols, &(struct sample_task){INT32_MAX, getpid(), INT32_MAX},
			    clock_ns(CLOCK_MONOTONIC));
	sample.pid = INT32_MAX;
	sample.ip = 0x20000;
	assert_false(await_names(&sample));
	sample_symbols_exit(symbols, &(struct sample_task){INT32_MAX, getpid(), INT32_MAX});
	assert_true(await_names(&sample));
}

/* Mappings were read after another program began: they are not of a sample from before. */
static void does_not_mix_programs(void **state)
{
	struct sample_record sample = own_sample();

	sample_symbols_foresee_exec(symbols, getpid(), sample.time_ns + 1);
	await_names(&sample);
	assert_null(sample_symbols_name(symbols));
	sample.time_ns += 2;
	sample_symbols_exec(symbols, getpid(), sample.time_ns - 1);
	await_names(&sample);
	assert_string_equal(sample_symbols_name(symbols), "symbols_unit_function");
}

/* What a lost record may have said is read. */
static void reads_again_after_a_loss(void **state)
{
	struct sample_record sample = own_sample();

	sample_symbols_exec(symbols, getpid(), sample.time_ns);
	assert_false(await_names(&sample));
	assert_null(sample_symbols_name(symbols));
	sample_symbols_forget(symbols, clock_ns(CLOCK_MONOTONIC));
	assert_true(await_names(&sample));
	assert_string_equal(sample_symbols_name(symbols), "symbols_unit_function");
}

/* So much is being read that a sample does not even wait: it has no names, which is counted. */
static void counts_what_is_not_even_asked(void **state)
{
	enum { REQUESTS_MAX = 64 };
	struct sample_record sample = own_sample();
	struct samples_stats before = {0}, after = {0};

	for (int i = 0; i < REQUESTS_MAX; i++) {
		sample.pid = INT32_MAX - i;
		(void)sample_symbols_find(symbols, &sample);
	}
	sample_symbols_stats(symbols, &before);
	sample.pid = getpid();
	assert_int_equal(sample_symbols_find(symbols, &sample), 1);
	assert_null(sample_symbols_name(symbols));
	sample_symbols_stats(symbols, &after);
	assert_int_equal(after.nameless, before.nameless + 1);
	assert_int_equal(after.slow, 0);
}

static uint64_t unread(void)
{
	struct samples_stats stats = {0};

	sample_symbols_stats(symbols, &stats);
	return stats.unread;
}

/* A program that begins and maps a file. */
static void map_file(int32_t pid, const struct stat *st, uint64_t begin, const char *path)
{
	struct sample_mapping mapping = {.pid = pid,
					 .begin = begin,
					 .bytes = 0x1000,
					 .major = major(st->st_dev),
					 .minor = minor(st->st_dev),
					 .ino = st->st_ino,
					 .path = path};

	sample_symbols_map(symbols, &mapping, clock_ns(CLOCK_MONOTONIC));
}

/*
 * A process that maps all the time, so that no answer about it counts: it is left alone for a
 * second, and its samples do not wait then.
 */
static void leaves_alone_who_maps_all_the_time(void **state)
{
	const uint64_t second_ns = 1000000000;
	struct sample_record sample = own_sample();
	struct sample_mapping mapping = {
		.pid = getpid(), .begin = 0x10000, .bytes = 0x1000, .path = ""};
	struct samples_stats stats = {0};
	uint64_t begin_ns;
	int r, looks = 0;

	do {
		begin_ns = clock_ns(CLOCK_MONOTONIC);
		r = sample_symbols_find(symbols, &sample);
		/* Later than the read that was asked for begins. */
		sample_symbols_map(symbols, &mapping, begin_ns + second_ns / 2);
		usleep(1000);
		sample_symbols_step(symbols);
	} while (r == -EAGAIN && looks++ < LOOKS);
	assert_int_equal(r, 1);
	r = sample_symbols_find(symbols, &sample);
	if (clock_ns(CLOCK_MONOTONIC) - begin_ns < second_ns / 2)
		assert_int_equal(r, 1);
	assert_null(sample_symbols_name(symbols));
	sample_symbols_stats(symbols, &stats);
	assert_true(stats.nameless >= 1);
	while (clock_ns(CLOCK_MONOTONIC) < begin_ns + second_ns)
		usleep(10000);
	await_names(&sample);
	assert_string_equal(sample_symbols_name(symbols), "symbols_unit_function");
}

/* Each file is counted once, however often its symbols are wanted. */
static void counts_files_that_are_not_read(void **state)
{
	enum { TRIES = 5, PROCESSES = 5, FILES = 1000, FILES_MAX = 4096 };
	struct {
		Elf64_Ehdr header;
		Elf64_Shdr sections[2];
	} large = {
		{.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT},
		 .e_version = EV_CURRENT,
		 .e_ehsize = sizeof(Elf64_Ehdr),
		 .e_shoff = sizeof(Elf64_Ehdr),
		 .e_shentsize = sizeof(Elf64_Shdr),
		 .e_shnum = 2},
		{{0},
		 {.sh_type = SHT_SYMTAB, .sh_size = UINT32_MAX, .sh_entsize = sizeof(Elf64_Sym)}}};
	struct sample_record sample = own_sample();
	char path[TREE_PATH_BYTES];
	struct tree tree;
	struct stat st;

	sample_symbols_exec(symbols, getpid(), sample.time_ns);
	tree_create(&tree);
	tree_write_bytes(&tree, "large", &large, sizeof(large));
	tree_path(&tree, "large", path);
	assert_int_equal(stat(path, &st), 0);
	map_file(getpid(), &st, 0x10000, path);
	/* There is another file of that name. */
	st.st_ino++;
	map_file(getpid(), &st, 0x20000, path);
	sample.ip = 0x10000;
	for (int i = 0; i < TRIES; i++)
		await_names(&sample);
	assert_int_equal(unread(), 1);
	sample.ip = 0x20000;
	for (int i = 0; i < TRIES; i++)
		await_names(&sample);
	assert_int_equal(unread(), 2);
	tree_destroy(&tree);
	for (int32_t pid = INT32_MAX - PROCESSES + 1; pid > 0; pid++) {
		sample_symbols_exec(symbols, pid, sample.time_ns);
		for (uint64_t i = 1; i <= FILES; i++) {
			st.st_ino++;
			map_file(pid, &st, i << 12, "/x");
		}
		if (pid == INT32_MAX)
			break;
	}
	assert_int_equal(unread(), 2 + 2 + PROCESSES * FILES - FILES_MAX);
}

static void names_functions_of_the_kernel(void **state)
{
	struct sample_record sample = {.mode = PERF_RECORD_MISC_KERNEL, .ip = 0x10, .pid = 1};

	await_names(&sample);
	assert_null(sample_symbols_name(symbols));
	sample.mode = PERF_RECORD_MISC_HYPERVISOR;
	assert_false(await_names(&sample));
	assert_null(sample_symbols_name(symbols));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(names_functions_of_processes_that_run, create, destroy),
	cmocka_unit_test_setup_teardown(joins_frames, create, destroy),
	cmocka_unit_test_setup_teardown(follows_records, create, destroy),
	cmocka_unit_test_setup_teardown(does_not_mix_programs, create, destroy),
	cmocka_unit_test_setup_teardown(reads_again_after_a_loss, create, destroy),
	cmocka_unit_test_setup_teardown(leaves_alone_who_maps_all_the_time, create, destroy),
	cmocka_unit_test_setup_teardown(counts_what_is_not_even_asked, create, destroy),
	cmocka_unit_test_setup_teardown(counts_files_that_are_not_read, create, destroy),
	cmocka_unit_test_setup_teardown(names_functions_of_the_kernel, create, destroy),
};

UNIT_GROUP(tests);
