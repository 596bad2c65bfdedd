/* SPDX-License-Identifier: MIT */
/* Events on other machines: what the kernel is asked for. Bits are those of the files of
 * tests/machines. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "perf_machines.h"
#include "unit.h"

struct encoded {
	const char *text, *lines;
};

static const struct encoded on_intel_server[] = {
	{"cycles", "cycles type=0\n"},
	{"cpu/cpu-cycles/", "cpu/cpu-cycles/ type=0x4 config=0x3c pmu=cpu\n"},
	{"cpu/event=0x3c,umask=0x1,cmask=2,inv,edge=1/ppu",
	 "cpu/event=0x3c,umask=0x1,cmask=2,inv,edge=1/ppu type=0x4 config=0x284013c "
	 "exclude_kernel=1 exclude_hv=1 precise_ip=2 pmu=cpu\n"},
	{"cpu/mem-loads/P",
	 "cpu/mem-loads/P type=0x4 config=0x1cd config1=0x3 exclude_guest=0 P pmu=cpu\n"},
	{"cpu/mem-loads,ldat=30/P",
	 "cpu/mem-loads,ldat=30/P type=0x4 config=0x1cd config1=0x1e exclude_guest=0 P pmu=cpu\n"},
	{"cpu/event=mem-stores/", "cpu/event=mem-stores/ type=0x4 config=0x8200 pmu=cpu\n"},
	{"cpu/CPU-CYCLES/", "cpu/CPU-CYCLES/ type=0x4 config=0x3c pmu=cpu\n"},
	{"cpu/cycles/", "cpu/cycles/ type=0 pmu=cpu\n"},
	{"cpu/L1-dcache-load-misses/k", "cpu/L1-dcache-load-misses/k type=0x3 config=0x10000 "
					"exclude_user=1 exclude_hv=1 exclude_guest=0 pmu=cpu\n"},
	{"cpu/r1a8/", "cpu/r1a8/ type=0x4 config=0x1a8 pmu=cpu\n"},
	{"cpu/config=0x100,event=3/", "cpu/config=0x100,event=3/ type=0x4 config=0x103 pmu=cpu\n"},
	{"cpu/event=3,config=0x100/", "cpu/event=3,config=0x100/ type=0x4 config=0x103 pmu=cpu\n"},
	{"mem-loads", "mem-loads type=0x4 config=0x1cd config1=0x3 pmu=cpu\n"},
	{"slots:u", "slots:u type=0x4 config=0x400 exclude_kernel=1 exclude_hv=1 pmu=cpu\n"},
	{"uncore_imc/cas_count_read/", "uncore_imc/cas_count_read/ type=0x1e config=0xf04 uncore "
				       "pmu=uncore_imc_0 cpus=0+1 unit=MiB scale=6.10351562e-05\n"
				       "uncore_imc/cas_count_read/ type=0x1f config=0xf04 uncore "
				       "pmu=uncore_imc_1 cpus=0+1 unit=MiB scale=6.10351562e-05\n"},
	{"imc_0/clockticks/", "imc_0/clockticks/ type=0x1e uncore pmu=uncore_imc_0 cpus=0+1\n"},
	{"imc_*/event=4/",
	 "imc_*/event=4/ type=0x1e config=0x4 uncore pmu=uncore_imc_0 cpus=0+1\n"
	 "imc_*/event=4/ type=0x1f config=0x4 uncore pmu=uncore_imc_1 cpus=0+1\n"
	 "imc_*/event=4/ type=0x20 config=0x4 uncore pmu=uncore_imc_10 cpus=0+1\n"
	 "imc_*/event=4/ type=0x21 config=0x4 uncore pmu=uncore_imc_free_running cpus=0+0\n"},
	{"uncore_imc_free_running/dclk/", "uncore_imc_free_running/dclk/ type=0x21 config=0x10ff "
					  "uncore pmu=uncore_imc_free_running cpus=0+0\n"},
	{"pcu/event=0x80,occ_sel=3,filter_band3=0x20/",
	 "pcu/event=0x80,occ_sel=3,filter_band3=0x20/ type=0x28 config=0xc080 config1=0x20000000 "
	 "uncore pmu=uncore_pcu cpus=0+1\n"},
	{"power/energy-pkg/", "power/energy-pkg/ type=0x15 config=0x2 uncore pmu=power cpus=0+1 "
			      "unit=Joules scale=2.32830644e-10\n"},
	{"energy-ram", "energy-ram type=0x15 config=0x3 uncore pmu=power cpus=0+1 unit=Joules "
		       "scale=1.52587891e-05\n"},
	{"intel_pt//u", "intel_pt//u type=0x8 exclude_kernel=1 exclude_hv=1 pmu=intel_pt\n"},
	{"intel_pt", "intel_pt type=0x8 pmu=intel_pt\n"},
	{"intel_pt/branch=0,cyc,mtc_period=9/",
	 "intel_pt/branch=0,cyc,mtc_period=9/ type=0x8 config=0x24002 pmu=intel_pt\n"},
	{"cstate_core/c6-residency,percore/",
	 "cstate_core/c6-residency,percore/ type=0x14 config=0x2 uncore per_core pmu=cstate_core "
	 "cpus=0+7\n"},
	{"{uncore_imc/cas_count_read/,uncore_imc/clockticks/}",
	 "uncore_imc/cas_count_read/ type=0x1e config=0xf04 uncore pmu=uncore_imc_0 cpus=0+1 "
	 "unit=MiB scale=6.10351562e-05\n"
	 "uncore_imc/cas_count_read/ type=0x1f config=0xf04 uncore pmu=uncore_imc_1 cpus=0+1 "
	 "unit=MiB scale=6.10351562e-05\n"
	 "0<uncore_imc/clockticks/ type=0x1e uncore pmu=uncore_imc_0 cpus=0+1\n"
	 "1<uncore_imc/clockticks/ type=0x1f uncore pmu=uncore_imc_1 cpus=0+1\n"},
	{"{uncore_imc/event=0/,uncore_imc/event=0x1/}:S",
	 "uncore_imc/event=0/ type=0x1e uncore S pmu=uncore_imc_0 cpus=0+1\n"
	 "uncore_imc/event=0/ type=0x1f uncore S pmu=uncore_imc_1 cpus=0+1\n"
	 "uncore_imc/event=0/ type=0x20 uncore S pmu=uncore_imc_10 cpus=0+1\n"
	 "0<uncore_imc/event=0x1/ type=0x1e config=0x1 uncore S pmu=uncore_imc_0 cpus=0+1\n"
	 "1<uncore_imc/event=0x1/ type=0x1f config=0x1 uncore S pmu=uncore_imc_1 cpus=0+1\n"
	 "2<uncore_imc/event=0x1/ type=0x20 config=0x1 uncore S pmu=uncore_imc_10 cpus=0+1\n"},
	{"kprobe/offset=0xffffffff81000000/",
	 "kprobe/offset=0xffffffff81000000/ type=0x6 config2=0xffffffff81000000 pmu=kprobe\n"},
	{"irq*:*", "irq:irq_handler_entry type=0x2 config=0x96\n"},
	{"*:sched_process_*:k", "sched:sched_process_exec:k type=0x2 config=0x132 exclude_user=1 "
				"exclude_hv=1 exclude_guest=0\n"
				"sched:sched_process_exit:k type=0x2 config=0x133 exclude_user=1 "
				"exclude_hv=1 exclude_guest=0\n"},
	{"sched:sched_[sw]witch", "sched:sched_switch type=0x2 config=0x13c\n"},
	{"cpu/offcore_rsp=0xffffffffffffffff/",
	 "cpu/offcore_rsp=0xffffffffffffffff/ type=0x4 config1=0xffffffffffffffff pmu=cpu\n"},
	{"cpu/@a=1,@b,event=1/",
	 "cpu/@a=1,@b,event=1/ type=0x4 config=0x1 pmu=cpu driver=@a=1,@b\n"},
	{"branches:upp,branch-misses:Hk",
	 "branches:upp type=0 config=0x4 exclude_kernel=1 exclude_hv=1 precise_ip=2\n"
	 "branch-misses:Hk type=0 config=0x5 exclude_user=1 exclude_hv=1\n"},
	{"{uncore_imc/cas_count_read/,uncore_imc/event=1/,faults}",
	 "uncore_imc/cas_count_read/ type=0x1e config=0xf04 uncore pmu=uncore_imc_0 cpus=0+1 "
	 "unit=MiB scale=6.10351562e-05\n"
	 "uncore_imc/cas_count_read/ type=0x1f config=0xf04 uncore pmu=uncore_imc_1 cpus=0+1 "
	 "unit=MiB scale=6.10351562e-05\n"
	 "0<uncore_imc/event=1/ type=0x1e config=0x1 uncore pmu=uncore_imc_0 cpus=0+1\n"
	 "1<uncore_imc/event=1/ type=0x1f config=0x1 uncore pmu=uncore_imc_1 cpus=0+1\n"
	 "uncore_imc/event=1/ type=0x20 config=0x1 uncore pmu=uncore_imc_10 cpus=0+1\n"
	 "0<faults type=0x1 config=0x2\n"},
};

static const struct encoded on_amd[] = {
	{"cpu/event=0x1cd,umask=0xff/",
	 "cpu/event=0x1cd,umask=0xff/ type=0x4 config=0x10000ffcd pmu=cpu\n"},
	{"amd_df/event=0x1ff,umask=3/",
	 "amd_df/event=0x1ff,umask=3/ type=0xb config=0x1000003ff uncore pmu=amd_df cpus=0+0\n"},
	{"amd_df/event=0x3fff/",
	 "amd_df/event=0x3fff/ type=0xb config=0x1800000f000000ff uncore pmu=amd_df cpus=0+0\n"},
	{"amd_l3/event=4,slicemask=0xf,threadmask=0xff/",
	 "amd_l3/event=4,slicemask=0xf,threadmask=0xff/ type=0xc config=0xff0f000000000004 uncore "
	 "pmu=amd_l3 cpus=0+1\n"},
	{"ibs_op/cnt_ctl=1/", "ibs_op/cnt_ctl=1/ type=0xa config=0x80000 pmu=ibs_op\n"},
	{"ibs_fetch/rand_en/p",
	 "ibs_fetch/rand_en/p type=0x9 config=0x200000000000000 precise_ip=1 pmu=ibs_fetch\n"},
	{"stalled-cycles-frontend", "stalled-cycles-frontend type=0 config=0x7\n"},
	{"cpu/stalled-cycles-frontend/",
	 "cpu/stalled-cycles-frontend/ type=0x4 config=0xa9 pmu=cpu\n"},
};

static const struct encoded on_hybrid[] = {
	{"cycles:u", "cpu_atom/cycles/:u type=0 config=0xa00000000 exclude_kernel=1 exclude_hv=1 "
		     "pmu=cpu_atom cpus=16+7\n"
		     "cpu_core/cycles/:u type=0 config=0x400000000 exclude_kernel=1 exclude_hv=1 "
		     "pmu=cpu_core cpus=0+15\n"},
	{"{cycles,instructions}:u", "cpu_atom/cycles/ type=0 config=0xa00000000 exclude_kernel=1 "
				    "exclude_hv=1 pmu=cpu_atom cpus=16+7\n"
				    "cpu_core/cycles/ type=0 config=0x400000000 exclude_kernel=1 "
				    "exclude_hv=1 pmu=cpu_core cpus=0+15\n"
				    "0<cpu_atom/instructions/ type=0 config=0xa00000001 "
				    "exclude_kernel=1 exclude_hv=1 pmu=cpu_atom cpus=16+7\n"
				    "1<cpu_core/instructions/ type=0 config=0x400000001 "
				    "exclude_kernel=1 exclude_hv=1 pmu=cpu_core cpus=0+15\n"},
	{"{cpu_core/cycles/,cpu_core/instructions/}",
	 "cpu_core/cycles/ type=0 config=0x400000000 pmu=cpu_core cpus=0+15\n"
	 "0<cpu_core/instructions/ type=0x4 config=0xc0 pmu=cpu_core cpus=0+15\n"},
	{"{cycles,faults}", "cpu_atom/cycles/ type=0 config=0xa00000000 pmu=cpu_atom cpus=16+7\n"
			    "cpu_core/cycles/ type=0 config=0x400000000 pmu=cpu_core cpus=0+15\n"
			    "0<faults type=0x1 config=0x2\n"},
	{"cpu_atom/L1-dcache-loads/u", "cpu_atom/L1-dcache-loads/u type=0x3 config=0xa00000000 "
				       "exclude_kernel=1 exclude_hv=1 pmu=cpu_atom cpus=16+7\n"},
	{"cpu_core/event=0x3c/",
	 "cpu_core/event=0x3c/ type=0x4 config=0x3c pmu=cpu_core cpus=0+15\n"},
	{"mem-loads", "mem-loads type=0xa config=0x5d0 config1=0x3 pmu=cpu_atom cpus=16+7\n"
		      "mem-loads type=0x4 config=0x1cd config1=0x3 pmu=cpu_core cpus=0+15\n"},
	{"LLC-load-misses",
	 "cpu_atom/LLC-load-misses/ type=0x3 config=0xa00010002 pmu=cpu_atom cpus=16+7\n"
	 "cpu_core/LLC-load-misses/ type=0x3 config=0x400010002 pmu=cpu_core cpus=0+15\n"},
	{"r1a8:k", "cpu_atom/r1a8/:k type=0xa config=0x1a8 exclude_user=1 exclude_hv=1 "
		   "exclude_guest=0 pmu=cpu_atom cpus=16+7\n"
		   "cpu_core/r1a8/:k type=0x4 config=0x1a8 exclude_user=1 exclude_hv=1 "
		   "exclude_guest=0 pmu=cpu_core cpus=0+15\n"},
	{"cpu_core/r1a8/", "cpu_core/r1a8/ type=0x4 config=0x1a8 pmu=cpu_core cpus=0+15\n"},
	{"uncore_cbox/event=0x34/",
	 "uncore_cbox/event=0x34/ type=0xc config=0x34 uncore pmu=uncore_cbox_0 cpus=0+0\n"
	 "uncore_cbox/event=0x34/ type=0xd config=0x34 uncore pmu=uncore_cbox_1 cpus=0+0\n"},
	{"clock/clockticks/",
	 "clock/clockticks/ type=0x18 config=0xff uncore pmu=uncore_clock cpus=0+0\n"},
	{"faults", "faults type=0x1 config=0x2\n"},
	{"cycles/name=c/", "c type=0 config=0xa00000000 pmu=cpu_atom cpus=16+7\n"
			   "c type=0 config=0x400000000 pmu=cpu_core cpus=0+15\n"},
};

static const struct encoded on_arm64[] = {
	{"cycles",
	 "armv8_cortex_a53/cycles/ type=0 config=0x800000000 pmu=armv8_cortex_a53 cpus=0+3\n"
	 "armv8_cortex_a72/cycles/ type=0 config=0x900000000 pmu=armv8_cortex_a72 cpus=4+1\n"},
	{"armv8_cortex_a72/l2d_cache,long=1/",
	 "armv8_cortex_a72/l2d_cache,long=1/ type=0x9 config=0x16 config1=0x1 pmu=armv8_cortex_a72 "
	 "cpus=4+1\n"},
	{"l2d_cache", "l2d_cache type=0x9 config=0x16 pmu=armv8_cortex_a72 cpus=4+1\n"},
	{"arm_spe_0/min_latency=100,event_filter=2,inv_event_filter=4,ts_enable/",
	 "arm_spe_0/min_latency=100,event_filter=2,inv_event_filter=4,ts_enable/ type=0xa "
	 "config=0x1 config1=0x2 config2=0x64 config3=0x4 uncore pmu=arm_spe_0 cpus=4+1\n"},
	{"arm_cmn_0/hnf_cache_miss,nodeid=68,bynodeid=1/",
	 "arm_cmn_0/hnf_cache_miss,nodeid=68,bynodeid=1/ type=0xb config=0x4480010005 uncore "
	 "pmu=arm_cmn_0 cpus=0+0\n"},
	{"armv8_cortex*/cpu_cycles/",
	 "armv8_cortex*/cpu_cycles/ type=0x8 config=0x11 pmu=armv8_cortex_a53 cpus=0+3\n"
	 "armv8_cortex*/cpu_cycles/ type=0x9 config=0x11 pmu=armv8_cortex_a72 cpus=4+1\n"},
};

static const struct encoded on_power[] = {
	{"hv_24x7/PM_MBA0_CLK_CYC,chip=3/", "hv_24x7/PM_MBA0_CLK_CYC,chip=3/ type=0x7 "
					    "config=0xd5000030001 uncore pmu=hv_24x7 cpus=0+0\n"},
	{"hv_24x7/CPM_CCYC,core=5,domain=3/", "hv_24x7/CPM_CCYC,core=5,domain=3/ type=0x7 "
					      "config=0x5800050003 uncore pmu=hv_24x7 cpus=0+0\n"},
	{"odd/ok=1/", "odd/ok=1/ type=0x8 config=0x1 pmu=odd\n"},
	{"odd/gauge/", "odd/gauge/ type=0x8 config=0x1 gauge per_package pmu=odd\n"},
	{"7:0x10:u", "7:0x10:u type=0x7 config=0x10 exclude_kernel=1 exclude_hv=1\n"},
	{"{cs}", "cs type=0x1 config=0x3\n"},
	{"g{cs,faults}:D", "cs type=0x1 config=0x3 pinned=1\n"
			   "0<faults type=0x1 config=0x2\n"},
	{"{ cs , faults:u }, migrations",
	 "cs type=0x1 config=0x3\n"
	 "0<faults:u type=0x1 config=0x2 exclude_kernel=1 exclude_hv=1\n"
	 "migrations type=0x1 config=0x4\n"},
	{"{cs,faults:D}:pp", "cs type=0x1 config=0x3 precise_ip=2\n"
			     "0<faults:D type=0x1 config=0x2 pinned=1 precise_ip=2\n"},
	{"{faults:k,cs}:uS", "faults:k type=0x1 config=0x2 exclude_hv=1 S\n"
			     "0<cs type=0x1 config=0x3 exclude_kernel=1 exclude_hv=1 S\n"},
	{"{faults:G,cs}:H", "faults:G type=0x1 config=0x2 exclude_guest=0\n"
			    "0<cs type=0x1 config=0x3\n"},
	{"faults:ukhGHpPSDIWeb", "faults:ukhGHpPSDIWeb type=0x1 config=0x2 pinned=1 exclusive=1 "
				 "exclude_idle=1 precise_ip=1 exclude_guest=0 P S W b\n"},
	{"faults:H", "faults:H type=0x1 config=0x2\n"},
	{"faults:G", "faults:G type=0x1 config=0x2 exclude_host=1 exclude_guest=0\n"},
	{"faults:D", "faults:D type=0x1 config=0x2 pinned=1 exclude_guest=0\n"},
	{"mem:0x1000", "mem:0x1000 type=0x5 bp_type=0x3 config1=0x1000 config2=0x4\n"},
	{"mem:4096/8:w", "mem:4096/8:w type=0x5 bp_type=0x2 config1=0x1000 config2=0x8\n"},
	{"mem:0x1000/2:rw:u", "mem:0x1000/2:rw:u type=0x5 exclude_kernel=1 exclude_hv=1 "
			      "bp_type=0x3 config1=0x1000 config2=0x2\n"},
	{"mem:0x1000:x", "mem:0x1000:x type=0x5 bp_type=0x4 config1=0x1000 config2=0x8\n"},
	{"mem:0x1000:kpp", "mem:0x1000:kpp type=0x5 exclude_user=1 exclude_hv=1 precise_ip=2 "
			   "bp_type=0x3 config1=0x1000 config2=0x4\n"},
	{"1:2/period=3/", "1:2/period=3/ type=0x1 config=0x2\n"},
	{"l1d", "l1d type=0x3\n"},
	{"L1-data-misses", "L1-data-misses type=0x3 config=0x10000\n"},
	{"LLC-write-miss", "LLC-write-miss type=0x3 config=0x10102\n"},
	{"branches-load-misses", "branches-load-misses type=0x3 config=0x10005\n"},
	{"dTLB-prefetch-misses", "dTLB-prefetch-misses type=0x3 config=0x10203\n"},
	{"node-refs-stores", "node-refs-stores type=0x3 config=0x106\n"},
	{"r0xFF", "r0xFF type=0x4 config=0xff\n"},
	{"software/config=2/", "software/config=2/ type=0x1 config=0x2 pmu=software\n"},
};

static void check(const char *name, const struct encoded *rows, size_t count)
{
	struct described_machine described;

	described_machine_open(&described, name);
	for (size_t i = 0; i < count; i++) {
		struct perf_event_list list = {0};
		struct buf out = {0};
		struct error err = {""};

		if (perf_event_parse(rows[i].text, &described.machine, NULL, &list, &err) != 0)
			fail_msg("%s", err.text);
		for (size_t n = 0; n < list.count; n++)
			perf_event_append_line(&list, n, &out);
		buf_append_char(&out, '\0');
		assert_string_equal(out.data, rows[i].lines);
		buf_finish(&out);
		perf_event_list_finish(&list);
	}
	described_machine_close(&described);
}

#define CHECKS(machine, name)                                                                      \
	static void encodes_##machine(void **state)                                                \
	{                                                                                          \
		check(name, on_##machine, sizeof(on_##machine) / sizeof(on_##machine[0]));         \
	}

CHECKS(intel_server, "intel-server")
CHECKS(amd, "amd")
CHECKS(hybrid, "hybrid")
CHECKS(arm64, "arm64")
CHECKS(power, "power")

/* All of a group lead to its first, and all of a name to the first of them. */
static void knows_groups_and_origins(void **state)
{
	static const size_t leaders[] = {0, 1, 2, 3, 2, 3}, origins[] = {0, 1, 2, 2, 4, 4};
	struct described_machine described;
	struct perf_event_list list = {0};

	described_machine_open(&described, "hybrid");
	assert_int_equal(perf_event_parse("faults,{cs}", &described.machine, NULL, &list, NULL), 0);
	/* Further events are appended. */
	assert_int_equal(
		perf_event_parse("{cycles,branches}:W", &described.machine, NULL, &list, NULL), 0);
	assert_int_equal(list.count, 6);
	for (size_t i = 0; i < list.count; i++) {
		assert_int_equal(list.events[i].leader, leaders[i]);
		assert_int_equal(list.events[i].origin, origins[i]);
		assert_int_equal(list.events[i].is_grouped, i > 1);
	}
	/* What is wrong changes nothing. */
	assert_int_equal(perf_event_parse("cycles,{cs,", &described.machine, NULL, &list, NULL),
			 -EINVAL);
	assert_int_equal(list.count, 6);
	perf_event_list_finish(&list);
	described_machine_close(&described);
}

/* Texts that the kernel reads through pointers belong to the list. */
static void points_to_functions(void **state)
{
	struct described_machine described;
	struct perf_event_list list = {0};

	described_machine_open(&described, "intel-server");
	assert_int_equal(perf_event_parse("k:vfs_read+8%return:u,kprobe/symbol=vfs_write,offset=4/",
					  &described.machine, NULL, &list, NULL),
			 0);
	described_machine_close(&described);
	assert_int_equal(list.events[0].attr.type, 6);
	assert_int_equal(list.events[0].attr.config, 1);
	assert_string_equal((const char *)(uintptr_t)list.events[0].attr.config1, "vfs_read");
	assert_int_equal(list.events[0].attr.config2, 8);
	assert_true(list.events[0].attr.exclude_kernel);
	assert_string_equal(list.events[0].name, "k:vfs_read+8%return:u");
	assert_int_equal(list.events[1].attr.config, 0);
	assert_string_equal((const char *)(uintptr_t)list.events[1].attr.config1, "vfs_write");
	assert_int_equal(list.events[1].attr.config2, 4);
	perf_event_list_finish(&list);
}

static void points_to_files(void **state)
{
	struct described_machine described;
	struct perf_event_list list = {0};
	struct error err = {""};
	struct stat given, named;
	char text[1024], *path = realpath("/proc/self/exe", NULL);

	described_machine_open(&described, "intel-server");
	snprintf(text, sizeof(text),
		 "u:%1$s:points_to_files+4,uprobe/path='%1$s',offset=0x40,ref_ctr_offset=8/"
		 ",u:%1$s:+0x40",
		 path);
	free(path);
	if (perf_event_parse(text, &described.machine, NULL, &list, &err) != 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < list.count; i++) {
		assert_int_equal(list.events[i].attr.type, 7);
		/* A name of the same file that does not change. */
		assert_int_equal(stat((const char *)(uintptr_t)list.events[i].attr.config1, &given),
				 0);
		assert_int_equal(stat(list.events[i].probe_path, &named), 0);
		assert_true(given.st_dev == named.st_dev && given.st_ino == named.st_ino);
	}
	assert_true(list.events[0].attr.config2 > 0x40);
	assert_int_equal(list.events[1].attr.config2, 0x40);
	assert_int_equal(list.events[1].attr.config, 8ull << 32);
	assert_int_equal(list.events[2].attr.config2, 0x40);
	perf_event_list_finish(&list);
	described_machine_close(&described);
}

/* What terms say of samples stays apart from the attr. */
static void keeps_terms_about_samples(void **state)
{
	static const char text[] =
		"cs/period=7,freq=99,time=0,call-graph=dwarf,stack-size=4096,max-stack=9,nr=3,"
		"branch_type=any_call+u,no-inherit,overwrite,aux-output,aux-sample-size=8,name='a, "
		"b'/";
	const struct perf_parse_options counts = {.no_sampling_terms = true,
						  .no_bpf_counters = true};
	struct described_machine described;
	struct perf_event_list list = {0};
	const struct perf_sampling *sampling;
	struct error err;

	described_machine_open(&described, "amd");
	assert_int_equal(perf_event_parse(text, &described.machine, NULL, &list, NULL), 0);
	sampling = &list.events[0].sampling;
	assert_string_equal(list.events[0].name, "a, b");
	assert_int_equal(list.events[0].attr.sample_period, 0);
	assert_int_equal(sampling->given, 0xfff);
	assert_int_equal(sampling->period, 7);
	assert_int_equal(sampling->freq_hz, 99);
	assert_int_equal(sampling->time, 0);
	assert_int_equal(sampling->call_graph, PERF_CALL_GRAPH_DWARF);
	assert_int_equal(sampling->stack_bytes, 4096);
	assert_int_equal(sampling->frames_max, 9);
	assert_int_equal(sampling->samples_max, 3);
	assert_int_equal(sampling->branch_sample_type,
			 PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER);
	assert_int_equal(sampling->inherit, 0);
	assert_int_equal(sampling->overwrite, 1);
	assert_int_equal(sampling->aux_output, 1);
	assert_int_equal(sampling->aux_sample_bytes, 8);
	/* Who counts rejects them, but a period, as perf stat does. */
	assert_int_equal(perf_event_parse("cs/period=7/", &described.machine, &counts, &list, &err),
			 0);
	assert_int_equal(perf_event_parse("cs/freq=7/", &described.machine, &counts, &list, &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "column 4: freq is about samples"));
	assert_int_equal(perf_event_parse("cs:u,cs:ub", &described.machine, &counts, &list, &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "column 10: no BPF program counts here"));
	perf_event_list_finish(&list);
	described_machine_close(&described);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(encodes_intel_server),
	cmocka_unit_test(encodes_amd),
	cmocka_unit_test(encodes_hybrid),
	cmocka_unit_test(encodes_arm64),
	cmocka_unit_test(encodes_power),
	cmocka_unit_test(knows_groups_and_origins),
	cmocka_unit_test(points_to_functions),
	cmocka_unit_test(points_to_files),
	cmocka_unit_test(keeps_terms_about_samples),
};

UNIT_GROUP(tests);
