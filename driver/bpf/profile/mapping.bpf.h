/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Which file an address of the current process is in. The tree of its mappings is walked without a
 * lock, as one can be taken only once in an interrupt, by copies; what is found is checked. Whatever
 * is mapped when a stack is read is what the stack was made by: nothing has to be noted before.
 */
#ifndef PROFILE_MAPPING_BPF_H
#define PROFILE_MAPPING_BPF_H

#include "bpf/profile/maps.bpf.h"

enum {
	TREE_LEVELS = 10, /* of a tree of ranges: 16 to the power of it */
	TREE_LEVELS_BINARY = 40,
	RANGES = 15, /* bounds in a node */
	RANGES_SMALL = 9, /* in a node that knows gaps */
	TREE_PAGE_BITS = 12,
	EXECUTABLE = 4,
	MEMORY_FS_MAGIC = 0x1021994, /* TMPFS_MAGIC */
	HUGE_PAGES_FS_MAGIC = 0x958458f6, /* HUGETLBFS_MAGIC */
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* d4af56c5c7c6 ("mm: start tracking VMAs with maple tree"), 6.1 */
struct maple_tree {
	void *ma_root;
};

struct mm_struct___ranges {
	struct maple_tree mm_mt;
};

struct rb_node {
	struct rb_node *rb_right, *rb_left;
};

struct rb_root {
	struct rb_node *rb_node;
};

struct mm_struct___binary {
	struct rb_root mm_rb;
};

struct vm_area_struct___binary {
	struct rb_node vm_rb;
};

struct vm_area_struct {
	unsigned long vm_start, vm_end;
	struct mm_struct *vm_mm;
	unsigned long vm_flags;
	unsigned long vm_pgoff;
	struct file *vm_file;
};

typedef struct {
	void *vdso;
} mm_context_t;

struct mm_struct___context {
	mm_context_t context;
};

#pragma clang attribute pop

/* Keeps the compiler from making a branch of arithmetic, which the verifier would follow. */
#define HIDDEN(value)                                                                              \
	({                                                                                         \
		__u64 hidden = (value);                                                            \
                                                                                                   \
		asm volatile("" : "+r"(hidden));                                                   \
		hidden;                                                                            \
	})

/* 1 if a bound is below an address. Both are addresses of pages: their difference has a sign. */
static __always_inline __u64 is_below(__u64 bound, __u64 address)
{
	return HIDDEN((bound >> TREE_PAGE_BITS) - (address >> TREE_PAGE_BITS)) >> 63;
}

/*
 * How many bounds of a node are below the address. They ascend, and end with a 0 where there is
 * room for more.
 */
static __always_inline __u64 count_below(const __u64 *bounds, int most, __u64 address)
{
	__u64 count = 0, goes_on = 1;

#pragma unroll
	for (int i = 0; i < RANGES; i++) {
		__u64 bound = bounds[i];

		if (i >= most)
			break;
		if (i)
			goes_on &= HIDDEN(bound | -bound) >> 63;
		goes_on &= is_below(bound, address);
		count += goes_on;
	}
	return count;
}

/* One level down the tree of ranges. Returns whether there is another one. */
__noinline int walk_ranges(__u32 slot)
{
	struct work *work = work_of(slot);
	__u64 type, below, at;

	if (!work)
		return 0;
	type = work->entry >> 3 & 0xf;
	if (type < 1 || type > 3 ||
	    bpf_probe_read_kernel(work->node, sizeof(work->node), (void *)(work->entry & ~0xffULL)))
		return 0;
	below = count_below(&work->node[1], RANGES, work->ip);
	at = 1 + RANGES + below;
	if (type == 3) {
		below = count_below(&work->node[1], RANGES_SMALL, work->ip);
		at = 1 + RANGES_SMALL + below;
	}
	work->entry = work->node[at & 31];
	if (type != 1)
		return 1;
	work->vma = work->entry;
	return 0;
}

static __always_inline void find_in_ranges(__u32 slot, struct work *work)
{
	struct mm_struct___ranges *mm = (void *)work->mm;

	work->entry = (__u64)BPF_CORE_READ(mm, mm_mt.ma_root);
	/* A pointer to a node has this bit. */
	if ((work->entry & 3) != 2)
		return;
	for (int level = 0; level < TREE_LEVELS; level++)
		if (!walk_ranges(slot))
			break;
}

/* One level down the binary tree. */
__noinline int walk_binary(__u32 slot)
{
	struct work *work = work_of(slot);
	struct vm_area_struct___binary *has_node = NULL;
	struct vm_area_struct *vma;
	struct rb_node *node;

	if (!work || !work->entry || !bpf_core_field_exists(has_node->vm_rb))
		return 0;
	node = (void *)work->entry;
	vma = (void *)node - bpf_core_field_offset(has_node->vm_rb);
	if (BPF_CORE_READ(vma, vm_end) <= work->ip) {
		work->entry = (__u64)BPF_CORE_READ(node, rb_right);
		return 1;
	}
	if (BPF_CORE_READ(vma, vm_start) <= work->ip) {
		work->vma = (__u64)vma;
		return 0;
	}
	work->entry = (__u64)BPF_CORE_READ(node, rb_left);
	return 1;
}

static __always_inline void find_in_binary(__u32 slot, struct work *work)
{
	struct mm_struct___binary *mm = (void *)work->mm;

	if (!bpf_core_field_exists(mm->mm_rb))
		return;
	work->entry = (__u64)BPF_CORE_READ(mm, mm_rb.rb_node);
	for (int level = 0; level < TREE_LEVELS_BINARY; level++)
		if (!walk_binary(slot))
			break;
}

static __always_inline struct profile_file *add_file(__u32 slot, struct work *work,
						     const struct profile_file_key *key,
						     struct file *file)
{
	struct profile_news told = {.kind = PROFILE_NEWS_FILE, .file = *key};
	struct profile_file *made = &work->file;
	__u32 block = bpf_get_smp_processor_id() * PROFILE_SLOTS + slot;

	/* Indexes that no other program and CPU gives. */
	if (work->files >= PROFILE_BLOCK(cpus) ||
	    !take_share(work->share, PROFILE_SHARED_FILES, PROFILE_FILES))
		return NULL;
	made->index = block * PROFILE_BLOCK(cpus) + work->files;
	made->begin = work->mapping.begin;
	made->end = work->mapping.end;
	made->offset = work->mapping.offset;
	made->pid = bpf_get_current_pid_tgid() >> 32;
	made->name[0] = '\0';
	made->magic = 0;
	if (file) {
		bpf_probe_read_kernel_str(made->name, sizeof(made->name),
					  BPF_CORE_READ(file, f_path.dentry, d_name.name));
		made->magic = BPF_CORE_READ(file, f_inode, i_sb, s_magic);
	}
	if (bpf_map_update_elem(&files, key, made, BPF_NOEXIST) == 0) {
		work->files++;
		tell(&told);
	} else {
		give_share(work->share, PROFILE_SHARED_FILES);
	}
	return bpf_map_lookup_elem(&files, key);
}

static __always_inline void set_file(__u32 slot, struct work *work,
				     const struct profile_file_key *key, struct file *opened)
{
	struct profile_file *file = bpf_map_lookup_elem(&files, key);

	if (!file)
		file = add_file(slot, work, key, opened);
	if (!file) {
		lose(PROFILE_LOST_FILE);
		return;
	}
	work->mapping.file = file->index;
	work->mapping.state = file->state;
	work->mapping.is_file = true;
}

/*
 * Memory that is shared, or of huge pages, has a file in the kernel alone: it is that of a JIT
 * compiler as well (of PHP, of Java), and so is what .NET maps twice. Who calls a file of tmpfs
 * such a name has none of its functions.
 */
static __always_inline bool is_file_of_memory(struct file *file)
{
	/* The first bytes of names: "dev/zero", "anon_hugepage", "memfd:doublemapper". */
	const __u64 dev_zero = 0x6f72657a2f766564, anon_hug = 0x6775685f6e6f6e61;
	const __u64 memfd_do = 0x6f643a64666d656d, ublemapp = 0x7070616d656c6275;
	__u64 name[2] = {};
	__u32 magic = BPF_CORE_READ(file, f_inode, i_sb, s_magic);

	if (magic != MEMORY_FS_MAGIC && magic != HUGE_PAGES_FS_MAGIC)
		return false;
	bpf_probe_read_kernel(name, sizeof(name), BPF_CORE_READ(file, f_path.dentry, d_name.name));
	return name[0] == dev_zero || name[0] == anon_hug ||
	       (name[0] == memfd_do && name[1] == ublemapp);
}

/* What is mapped without a file is code of a JIT compiler, but for the vDSO. */
static __always_inline void set_mapping(__u32 slot, struct work *work, struct vm_area_struct *vma)
{
	struct mm_struct___context *has_context = (void *)work->mm;
	struct profile_file_key key = {};
	struct file *file = BPF_CORE_READ(vma, vm_file);
	struct inode *inode;

	work->mapping.offset = BPF_CORE_READ(vma, vm_pgoff) << TREE_PAGE_BITS;
	if (file) {
		if (is_file_of_memory(file))
			return;
		inode = BPF_CORE_READ(file, f_inode);
		key.ino = BPF_CORE_READ(inode, i_ino);
		key.dev = BPF_CORE_READ(inode, i_sb, s_dev);
		set_file(slot, work, &key, file);
	} else if ((__u64)BPF_CORE_READ(has_context, context.vdso) == work->mapping.begin) {
		work->mapping.offset = 0;
		set_file(slot, work, &key, file);
	}
}

/* Looks for what is executable at work->ip, and sets work->mapping; else this has no end. */
__noinline int find_mapping(__u32 slot)
{
	struct work *work = work_of(slot);
	struct mm_struct___ranges *has_ranges = NULL;
	struct vm_area_struct *vma;
	__u64 begin, end;

	if (!work)
		return 0;
	work->vma = 0;
	work->mapping.begin = work->mapping.end = 0;
	work->mapping.is_file = false;
	if (bpf_core_field_exists(has_ranges->mm_mt))
		find_in_ranges(slot, work);
	else
		find_in_binary(slot, work);
	vma = (void *)work->vma;
	if (!vma)
		return 0;
	begin = BPF_CORE_READ(vma, vm_start);
	end = BPF_CORE_READ(vma, vm_end);
	if (work->ip < begin || work->ip >= end || (__u64)BPF_CORE_READ(vma, vm_mm) != work->mm ||
	    !(BPF_CORE_READ(vma, vm_flags) & EXECUTABLE))
		return 0;
	work->mapping.begin = begin;
	work->mapping.end = end;
	set_mapping(slot, work, vma);
	return 0;
}

#endif
