/* SPDX-License-Identifier: MIT */
/*
 * What it costs a BPF program to hand a record to user space: by bpf_perf_event_output to the ring
 * of its CPU, and by bpf_ringbuf_output to a ring buffer of its CPU. Prints nanoseconds of the
 * kernel and of the reader for each size of record: medians of rounds that alternate.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

enum {
	CPU = 0,
	RING_BYTES = 4 << 20,
	RECORD_MAX = 16384,
	RECORDS_MAX = 1000, /* of a run, which also may not fill the ring */
	PROGRAM_MAX = 64,
	ROUNDS_MAX = 1000,
	FRAME_BYTES = 200, /* of an event of usual size, for the cost of each in a batch */
};

static const unsigned int sizes[] = {64, 256, 1024, 4096, RECORD_MAX};

enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

/* What a run of a program leaves. */
struct run {
	uint64_t ns, lost;
};

struct transport {
	const char *name;
	/* Creates the ring and `map`. */
	void (*open)(struct transport *transport);
	/* Appends the code that hands over a record of that size; r0 is 0 then, or it is lost. */
	void (*append_output)(const struct transport *transport, unsigned int size);
	/* Consumes all records; returns how many. */
	unsigned int (*drain)(struct transport *transport);
	int map; /* for the program */
	void *control; /* of the ring */
	uint8_t *data;
	double kernel_ns[SIZES][ROUNDS_MAX], reader_ns[SIZES][ROUNDS_MAX]; /* of a record */
};

static int payload, result; /* maps of the programs: a record, and a struct run */
static struct bpf_insn code[PROGRAM_MAX];
static unsigned int code_len;
static uint64_t consumed; /* so that the reader looks at each record */

static void fail(const char *what)
{
	fprintf(stderr, "transport: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int need(int value, const char *what)
{
	if (value < 0)
		fail(what);
	return value;
}

static void add(uint8_t operation, uint8_t to, uint8_t from, int16_t offset, int32_t number)
{
	if (code_len == PROGRAM_MAX)
		abort();
	code[code_len++] = (struct bpf_insn){operation, to, from, offset, number};
}

static void set_number(uint8_t to, int32_t number)
{
	add(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, number);
}

static void copy(uint8_t to, uint8_t from)
{
	add(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}

static void call(int32_t helper)
{
	add(BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

static void set_map(uint8_t to, int map)
{
	add(BPF_LD | BPF_DW | BPF_IMM, to, BPF_PSEUDO_MAP_FD, 0, map);
	add(0, 0, 0, 0, 0);
}

/* The address of the only value of a map. */
static void find_value(uint8_t to, int map)
{
	add(BPF_ST | BPF_W | BPF_MEM, 10, 0, -4, 0);
	set_map(1, map);
	copy(2, 10);
	add(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4);
	call(BPF_FUNC_map_lookup_elem);
	add(BPF_JMP | BPF_JNE | BPF_K, 0, 0, 1, 0);
	add(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	copy(to, 0);
}

static void open_perf(struct transport *transport)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_type = PERF_SAMPLE_RAW,
		.watermark = 1,
		.wakeup_watermark = RING_BYTES / 2,
	};
	int fd = need((int)syscall(SYS_perf_event_open, &attr, -1, CPU, -1, PERF_FLAG_FD_CLOEXEC),
		      "perf_event_open");
	uint32_t cpu = CPU;

	transport->map =
		need(bpf_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "rings", 4, 4, CPU + 1, NULL),
		     "a map of perf events");
	need(bpf_map_update_elem(transport->map, &cpu, &fd, BPF_ANY), "a map of perf events");
	transport->control = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE) + RING_BYTES,
				  PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (transport->control == MAP_FAILED)
		fail("mapping the perf ring");
	transport->data = (uint8_t *)transport->control + sysconf(_SC_PAGESIZE);
}

static void append_perf_output(const struct transport *transport, unsigned int size)
{
	copy(1, 6);
	set_map(2, transport->map);
	add(BPF_ALU | BPF_MOV | BPF_K, 3, 0, 0, -1); /* BPF_F_CURRENT_CPU */
	copy(4, 8);
	set_number(5, (int32_t)size);
	call(BPF_FUNC_perf_event_output);
}

static unsigned int drain_perf(struct transport *transport)
{
	struct perf_event_mmap_page *page = transport->control;
	uint64_t at = page->data_tail, head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	unsigned int count = 0;

	while (at < head) {
		const struct perf_event_header *header =
			(void *)(transport->data + at % RING_BYTES);

		count += header->type == PERF_RECORD_SAMPLE;
		consumed += transport->data[(at + header->size - 16) % RING_BYTES];
		at += header->size;
	}
	__atomic_store_n(&page->data_tail, at, __ATOMIC_RELEASE);
	return count;
}

static void open_ringbuf(struct transport *transport)
{
	LIBBPF_OPTS(bpf_map_create_opts, options);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint32_t cpu = CPU;
	int fd = need(bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, RING_BYTES, NULL),
		      "a ring buffer");

	options.inner_map_fd = (uint32_t)fd;
	transport->map =
		need(bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "rings", 4, 4, CPU + 1, &options),
		     "a map of ring buffers");
	need(bpf_map_update_elem(transport->map, &cpu, &fd, BPF_ANY), "a map of ring buffers");
	transport->control = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	transport->data =
		mmap(NULL, page + 2 * (size_t)RING_BYTES, PROT_READ, MAP_SHARED, fd, (off_t)page);
	if (transport->control == MAP_FAILED || transport->data == MAP_FAILED)
		fail("mapping the ring buffer");
}

static void append_ringbuf_output(const struct transport *transport, unsigned int size)
{
	call(BPF_FUNC_get_smp_processor_id);
	add(BPF_STX | BPF_W | BPF_MEM, 10, 0, -4, 0);
	set_map(1, transport->map);
	copy(2, 10);
	add(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4);
	call(BPF_FUNC_map_lookup_elem);
	add(BPF_JMP | BPF_JNE | BPF_K, 0, 0, 1, 0);
	add(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	copy(1, 0);
	copy(2, 8);
	set_number(3, (int32_t)size);
	set_number(4, BPF_RB_NO_WAKEUP);
	call(BPF_FUNC_ringbuf_output);
}

static unsigned int drain_ringbuf(struct transport *transport)
{
	const uint8_t *records = transport->data + sysconf(_SC_PAGESIZE);
	uint64_t *consumer = transport->control;
	uint64_t at = *consumer,
		 head = __atomic_load_n((uint64_t *)(void *)transport->data, __ATOMIC_ACQUIRE);
	unsigned int count = 0;

	while (at < head) {
		const uint8_t *record = records + at % RING_BYTES;
		uint32_t len =
			__atomic_load_n((const uint32_t *)(const void *)record, __ATOMIC_ACQUIRE);

		count += !(len & (BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT));
		consumed += record[len];
		at += (len + BPF_RINGBUF_HDR_SZ + 7) / 8 * 8;
	}
	__atomic_store_n(consumer, at, __ATOMIC_RELEASE);
	return count;
}

static struct transport transports[] = {
	{"perf", open_perf, append_perf_output, drain_perf, .map = -1},
	{"ringbuf", open_ringbuf, append_ringbuf_output, drain_ringbuf, .map = -1},
};

enum { TRANSPORTS = sizeof(transports) / sizeof(transports[0]) };

static unsigned int records_of(unsigned int size)
{
	unsigned int fit = RING_BYTES / 2 / (size + 64);

	return fit < RECORDS_MAX ? fit : RECORDS_MAX;
}

/*
 * Hands over so many records. r6: the context, r7: their number so far, r8: the record, r9: the
 * result.
 */
static int load_program(const struct transport *transport, unsigned int size)
{
	unsigned int loop, jump;

	code_len = 0;
	copy(6, 1);
	find_value(8, payload);
	find_value(9, result);
	call(BPF_FUNC_ktime_get_ns);
	add(BPF_STX | BPF_DW | BPF_MEM, 10, 0, -16, 0);
	set_number(7, 0);
	loop = code_len;
	transport->append_output(transport, size);
	add(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3, 0);
	add(BPF_LDX | BPF_DW | BPF_MEM, 1, 9, offsetof(struct run, lost), 0);
	add(BPF_ALU64 | BPF_ADD | BPF_K, 1, 0, 0, 1);
	add(BPF_STX | BPF_DW | BPF_MEM, 9, 1, offsetof(struct run, lost), 0);
	add(BPF_ALU64 | BPF_ADD | BPF_K, 7, 0, 0, 1);
	jump = code_len;
	add(BPF_JMP | BPF_JLT | BPF_K, 7, 0, (int16_t)((int)loop - (int)jump - 1),
	    (int32_t)records_of(size));
	call(BPF_FUNC_ktime_get_ns);
	add(BPF_LDX | BPF_DW | BPF_MEM, 1, 10, -16, 0);
	add(BPF_ALU64 | BPF_SUB | BPF_X, 0, 1, 0, 0);
	add(BPF_STX | BPF_DW | BPF_MEM, 9, 0, offsetof(struct run, ns), 0);
	set_number(0, 0);
	add(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	return need(bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "transport", "GPL", code, code_len,
				  NULL),
		    "loading a program");
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void measure(struct transport *transport, int program, unsigned int at, unsigned int round)
{
	uint64_t context = 0, begin;
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = &context, .ctx_size_in = sizeof(context));
	unsigned int wanted = records_of(sizes[at]), got;
	struct run run = {0};
	uint32_t zero = 0;

	need(bpf_map_update_elem(result, &zero, &run, BPF_ANY), "resetting the result");
	need(bpf_prog_test_run_opts(program, &options), "running a program");
	begin = now_ns();
	got = transport->drain(transport);
	transport->reader_ns[at][round] = (double)(now_ns() - begin) / wanted;
	need(bpf_map_lookup_elem(result, &zero, &run), "reading the result");
	if (got != wanted || run.lost) {
		fprintf(stderr, "transport: %s: %u of %u records arrived\n", transport->name, got,
			wanted);
		exit(1);
	}
	transport->kernel_ns[at][round] = (double)run.ns / wanted;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static double median(double *values, unsigned int count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

static void print(unsigned int rounds)
{
	puts("bytes of a record\tperf, ns\tringbuf, ns\tper event of " /* of a batch */
	     "200 bytes: perf\tringbuf\treader of a record: perf\tringbuf");
	for (unsigned int i = 0; i < SIZES; i++) {
		double kernel[TRANSPORTS], reader[TRANSPORTS];
		double events = sizes[i] < FRAME_BYTES ? 1 : (double)sizes[i] / FRAME_BYTES;

		for (unsigned int t = 0; t < TRANSPORTS; t++) {
			kernel[t] = median(transports[t].kernel_ns[i], rounds);
			reader[t] = median(transports[t].reader_ns[i], rounds);
		}
		printf("%u\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\n", sizes[i], kernel[0], kernel[1],
		       kernel[0] / events, kernel[1] / events, reader[0], reader[1]);
	}
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 101;
	int programs[TRANSPORTS][SIZES];
	cpu_set_t cpus;

	if (argc > 2 || rounds < 1 || rounds > ROUNDS_MAX) {
		fprintf(stderr, "usage: transport [ROUNDS], at most %d\n", ROUNDS_MAX);
		return 2;
	}
	CPU_ZERO(&cpus);
	CPU_SET(CPU, &cpus);
	need(sched_setaffinity(0, sizeof(cpus), &cpus), "sched_setaffinity");
	payload = need(bpf_map_create(BPF_MAP_TYPE_ARRAY, "payload", 4, RECORD_MAX, 1, NULL),
		       "a map");
	result = need(bpf_map_create(BPF_MAP_TYPE_ARRAY, "result", 4, sizeof(struct run), 1, NULL),
		      "a map");
	for (unsigned int t = 0; t < TRANSPORTS; t++) {
		transports[t].open(&transports[t]);
		for (unsigned int i = 0; i < SIZES; i++)
			programs[t][i] = load_program(&transports[t], sizes[i]);
	}
	for (unsigned int round = 0; round < rounds; round++)
		for (unsigned int i = 0; i < SIZES; i++)
			for (unsigned int t = 0; t < TRANSPORTS; t++)
				measure(&transports[t], programs[t][i], i, round);
	print(rounds);
	return 0;
}
