/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Asks the kernel for the names of its own addresses: a program that user space runs, in place of
 * reading all symbols there are. Linux 5.14 and later; an object of its own, without relocations.
 */
#include <linux/bpf.h>
#include <linux/types.h>

#include <bpf/bpf_helpers.h>

#include "profile_abi.h"

char driver_license[] SEC("license") = "Dual MIT/GPL";

struct kernel_names_batch batch;

SEC("syscall")
int name_addresses(void *ctx)
{
	static const char format[] = "%ps";

	for (__u32 i = 0; i < KERNEL_NAMES_BATCH; i++) {
		if (i >= batch.count)
			break;
		bpf_snprintf(batch.names[i], sizeof(batch.names[i]), format, &batch.addresses[i],
			     sizeof(batch.addresses[i]));
	}
	return 0;
}
