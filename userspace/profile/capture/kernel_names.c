/* SPDX-License-Identifier: MIT */
/* A program that formats addresses as symbols, run for some of them at a time. */
#include "profile/capture/kernel_names.h"

#include <errno.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "profile_abi.h"

#include "kernel_names.skel.h"
#include "scap/live/log.h"
#include "scap/symbols/symbol_collect.h"

/* Without " [module]". What has no symbol is the address itself. */
static void collect_batch(struct kernel_names_batch *batch, struct symbol_collected *all)
{
	for (uint32_t i = 0; i < batch->count; i++) {
		char *name = batch->names[i];

		name[KERNEL_NAME_BYTES - 1] = '\0';
		name[strcspn(name, " ")] = '\0';
		if (name[0] && strncmp(name, "0x", 2) != 0)
			symbol_collect(all, batch->addresses[i], 1, name, 0);
	}
}

static int name_batches(struct kernel_names *programs, const uint64_t *addresses, size_t count,
			struct symbol_collected *all)
{
	struct kernel_names_batch *batch = &programs->bss->batch;
	const int program = bpf_program__fd(programs->progs.name_addresses);
	struct bpf_test_run_opts options = {.sz = sizeof(options)};

	for (size_t at = 0; at < count; at += batch->count) {
		size_t left = count - at;

		batch->count = left < KERNEL_NAMES_BATCH ? (uint32_t)left : KERNEL_NAMES_BATCH;
		memcpy(batch->addresses, addresses + at, batch->count * sizeof(*addresses));
		if (bpf_prog_test_run_opts(program, &options))
			return -errno;
		collect_batch(batch, all);
	}
	return 0;
}

int kernel_names_read(const uint64_t *addresses, size_t count, struct symbol_table *table)
{
	struct symbol_collected all = {0};
	struct kernel_names *programs;
	struct live_log log = {0};
	int r;

	/* What libbpf says of a kernel that cannot do it is no message for anybody. */
	live_log_begin(&log);
	errno = 0;
	programs = kernel_names__open_and_load();
	r = programs ? 0 : errno ? -errno : -ENOTSUP;
	live_log_end(&log);
	live_log_finish(&log);
	if (r)
		return r;
	r = name_batches(programs, addresses, count, &all);
	kernel_names__destroy(programs);
	if (r == 0)
		return symbol_collected_complete(&all, table);
	symbol_collected_finish(&all);
	return r;
}
