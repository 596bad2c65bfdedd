/* SPDX-License-Identifier: MIT */
/* The tables of names, as perf-list(1) has them. */
#include "perf/names.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "util/count.h"

#define HARDWARE(number) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##number
#define SOFTWARE(number) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##number

const struct perf_generic perf_generics[] = {
	{"cpu-cycles", "cycles", HARDWARE(CPU_CYCLES), "cycles of the CPU, at its current speed"},
	{"instructions", NULL, HARDWARE(INSTRUCTIONS), "instructions that were completed"},
	{"cache-references", NULL, HARDWARE(CACHE_REFERENCES), "accesses to the last cache"},
	{"cache-misses", NULL, HARDWARE(CACHE_MISSES), "accesses that the last cache missed"},
	{"branch-instructions", "branches", HARDWARE(BRANCH_INSTRUCTIONS),
	 "branches that were completed"},
	{"branch-misses", NULL, HARDWARE(BRANCH_MISSES), "branches that were predicted wrongly"},
	{"bus-cycles", NULL, HARDWARE(BUS_CYCLES), "cycles of the bus"},
	{"stalled-cycles-frontend", "idle-cycles-frontend", HARDWARE(STALLED_CYCLES_FRONTEND),
	 "cycles in which no instruction was fetched"},
	{"stalled-cycles-backend", "idle-cycles-backend", HARDWARE(STALLED_CYCLES_BACKEND),
	 "cycles in which no instruction was executed"},
	{"ref-cycles", NULL, HARDWARE(REF_CPU_CYCLES), "cycles at a constant speed"},
	{"cpu-clock", NULL, SOFTWARE(CPU_CLOCK), "time of the CPU"},
	{"task-clock", NULL, SOFTWARE(TASK_CLOCK), "time that tasks ran"},
	{"page-faults", "faults", SOFTWARE(PAGE_FAULTS), "page faults"},
	{"context-switches", "cs", SOFTWARE(CONTEXT_SWITCHES), "switches from task to task"},
	{"cpu-migrations", "migrations", SOFTWARE(CPU_MIGRATIONS), "tasks that changed the CPU"},
	{"minor-faults", NULL, SOFTWARE(PAGE_FAULTS_MIN), "page faults without I/O"},
	{"major-faults", NULL, SOFTWARE(PAGE_FAULTS_MAJ), "page faults that needed I/O"},
	{"alignment-faults", NULL, SOFTWARE(ALIGNMENT_FAULTS),
	 "misaligned accesses that the kernel handled"},
	{"emulation-faults", NULL, SOFTWARE(EMULATION_FAULTS),
	 "instructions that the kernel emulated"},
	{"dummy", NULL, SOFTWARE(DUMMY), "nothing: for what comes with any event"},
	{"bpf-output", NULL, SOFTWARE(BPF_OUTPUT), "what BPF programs write"},
	{"cgroup-switches", NULL, SOFTWARE(CGROUP_SWITCHES),
	 "switches to a task of another control group"},
	{NULL},
};

static bool names_equal(const char *name, const char *text, size_t len)
{
	return name && strncmp(name, text, len) == 0 && name[len] == '\0';
}

const struct perf_generic *perf_generic_find(const char *name, size_t len)
{
	for (const struct perf_generic *row = perf_generics; row->name; row++)
		if (names_equal(row->name, name, len) || names_equal(row->other, name, len))
			return row;
	return NULL;
}

/* Events of caches. */

enum { CACHE_WORDS = 5, CACHE_OPS = 3, CACHE_RESULTS = 2 };

/* What names can say; the first word is the usual one. */
struct cache_row {
	const char *words[CACHE_WORDS];
	unsigned int ops; /* those that such a cache has: a bit for each */
};

enum { LOADS = 1 << 0, STORES = 1 << 1, PREFETCHES = 1 << 2 };

static const struct cache_row caches[] = {
	[PERF_COUNT_HW_CACHE_L1D] = {{"L1-dcache", "l1-d", "l1d", "L1-data"},
				     LOADS | STORES | PREFETCHES},
	[PERF_COUNT_HW_CACHE_L1I] = {{"L1-icache", "l1-i", "l1i", "L1-instruction"},
				     LOADS | PREFETCHES},
	[PERF_COUNT_HW_CACHE_LL] = {{"LLC", "L2"}, LOADS | STORES | PREFETCHES},
	[PERF_COUNT_HW_CACHE_DTLB] = {{"dTLB", "d-tlb", "Data-TLB"}, LOADS | STORES | PREFETCHES},
	[PERF_COUNT_HW_CACHE_ITLB] = {{"iTLB", "i-tlb", "Instruction-TLB"}, LOADS},
	[PERF_COUNT_HW_CACHE_BPU] = {{"branch", "branches", "bpu", "btb", "bpc"}, LOADS},
	[PERF_COUNT_HW_CACHE_NODE] = {{"node"}, LOADS | STORES | PREFETCHES},
};

static const struct cache_row cache_ops[CACHE_OPS] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = {{"load", "loads", "read"}},
	[PERF_COUNT_HW_CACHE_OP_WRITE] = {{"store", "stores", "write"}},
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {{"prefetch", "prefetches", "speculative-read",
					      "speculative-load"}},
};

static const struct cache_row cache_results[CACHE_RESULTS] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = {{"refs", "Reference", "ops", "access"}},
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = {{"misses", "miss"}},
};

/*
 * The row whose longest word begins a text and ends it, or is followed by '-'; returns the length
 * of that word, 0: none.
 */
static size_t cache_word(const struct cache_row *rows, size_t count, const char *text, size_t len,
			 unsigned int *found)
{
	size_t longest = 0;

	for (unsigned int i = 0; i < count; i++) {
		for (size_t w = 0; w < CACHE_WORDS && rows[i].words[w]; w++) {
			size_t n = strlen(rows[i].words[w]);

			if (n <= longest || n > len ||
			    strncasecmp(text, rows[i].words[w], n) != 0 ||
			    (n < len && text[n] != '-'))
				continue;
			longest = n;
			*found = i;
		}
	}
	return longest;
}

bool perf_cache_find(const char *name, size_t len, uint64_t *config)
{
	unsigned int cache, op = 0, result = 0;
	bool has_op = false, has_result = false;
	size_t n = cache_word(caches, COUNT(caches), name, len, &cache);

	if (n == 0)
		return false;
	for (name += n, len -= n; len; name += n, len -= n) {
		name++; /* the '-' */
		len--;
		n = has_op ? 0 : cache_word(cache_ops, CACHE_OPS, name, len, &op);
		if (n) {
			has_op = true;
			continue;
		}
		n = has_result ? 0 : cache_word(cache_results, CACHE_RESULTS, name, len, &result);
		if (n == 0)
			return false;
		has_result = true;
	}
	if (!(caches[cache].ops >> op & 1))
		return false;
	*config = cache | op << 8 | result << 16;
	return true;
}

bool perf_cache_get(unsigned int i, char name[64], uint64_t *config)
{
	for (unsigned int cache = 0; cache < COUNT(caches); cache++) {
		for (unsigned int n = 0; n < CACHE_OPS * CACHE_RESULTS; n++) {
			unsigned int op = n / CACHE_RESULTS, result = n % CACHE_RESULTS;

			if (!(caches[cache].ops >> op & 1) || i-- > 0)
				continue;
			snprintf(name, 64, "%s-%s%s", caches[cache].words[0],
				 cache_ops[op].words[!result], result ? "-misses" : "");
			*config = cache | op << 8 | result << 16;
			return true;
		}
	}
	return false;
}

bool perf_raw_find(const char *name, size_t len, uint64_t *config)
{
	uint64_t value = 0;
	size_t at = len > 3 && strncmp(name, "r0x", 3) == 0 ? 3 : 1;

	if (len < 2 || name[0] != 'r' || len - at > 16)
		return false;
	for (; at < len; at++) {
		const char *digits = "0123456789abcdef0123456789ABCDEF";
		const char *digit = name[at] ? strchr(digits, name[at]) : NULL;

		if (!digit)
			return false;
		value = value << 4 | (uint64_t)((digit - digits) % 16);
	}
	*config = value;
	return true;
}
