/* SPDX-License-Identifier: MIT */
/*
 * A profile: stacks, whose they are, and how often or how long each was seen. The capture adds
 * them, symbols name their frames, outputs write them. What is equal is kept once.
 */
#ifndef PROFILE_STACKS_H
#define PROFILE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/arena.h"
#include "util/hash.h"

enum {
	STACK_FRAMES_MAX = 128, /* of a part: of the kernel, or of the process */
	STACK_BUILD_ID_MAX = 20, /* bytes */
	STACK_COMM_BYTES = 16,
	/* Those of a set: what is added beyond is lost, and counted. */
	STACKS_ROWS_MAX = 1 << 20,
	STACKS_PROCESSES_MAX = 1 << 16,
	STACKS_FILES_MAX = 1 << 14,
	STACKS_FRAMES_MAX = 1 << 24,
};

/* What a value counts. */
enum stack_kind {
	STACK_ON_CPU, /* samples, each stacks.period_ns of a CPU; in stacks.event's unit if it has
			 none */
	STACK_OFF_CPU, /* nanoseconds between a switch to another task and the next back */
	STACK_KINDS,
};

/* Why a thread was off its CPU. */
enum stack_reason {
	STACK_NO_REASON, /* it is on it */
	STACK_DISK,
	STACK_NETWORK,
	STACK_LOCK,
	STACK_SLEEP,
	STACK_RUN_QUEUE, /* it could have gone on: it was preempted, or had been woken */
	STACK_OTHER,
	STACK_REASONS,
};

/* Why frames are missing at the outer end of a part. */
enum stack_lack {
	STACK_WHOLE, /* none is missing: the last one is where the thread began */
	STACK_TOO_DEEP, /* than STACK_FRAMES_MAX */
	STACK_UNMAPPED, /* an address that nothing is mapped at */
	STACK_NO_TABLE, /* code without unwind tables and without frame pointers */
	STACK_NO_RULE, /* the table says that it cannot be done, or how in a way not supported */
	STACK_TABLE_LATE, /* the table was not loaded yet */
	STACK_TABLE_FULL, /* there was no room for the table */
	STACK_UNREADABLE, /* memory of the stack that cannot be read, as it is not present */
	STACK_NOT_64_BIT, /* a program of 32 bits */
	STACK_NO_ROOM, /* the stack itself was dropped, as the map of stacks was full */
	STACK_BY_FRAME_POINTER, /* ended by frame pointers, which do not prove that it is whole */
	STACK_LACKS,
};

/*
 * Files in memory, those that are no files among them. What the strings have, others have chosen:
 * any bytes but NUL.
 */
enum stack_file_kind {
	STACK_FILE, /* offsets in it */
	STACK_KERNEL, /* addresses of the kernel and its modules: always files[0] */
	STACK_VDSO, /* offsets in it; its path is "[vdso]" */
	STACK_ANONYMOUS, /* addresses in memory without a file: code of a JIT compiler, and what is
			    not mapped any more */
};

struct stack_file {
	enum stack_file_kind kind;
	/*
	 * As the process that was first seen with it names it, without " (deleted)"; "" if it is
	 * not known. Inside a container it is a path in there: read the file through `fd`.
	 */
	const char *path;
	uint32_t dev_major, dev_minor; /* as stat(2) has them */
	uint64_t ino;
	uint64_t ctime_ns; /* 0: not known */
	int fd; /* open to be read, also when it is deleted; -1: it could not be opened. Of the set
		   until a call of stacks_finish() */
	bool is_deleted;
	uint8_t build_id[STACK_BUILD_ID_MAX];
	uint8_t build_id_bytes; /* 0: it has none, or it was not read */
};

struct stack_container {
	const char *id, *name, *image, *pod, *ns;
};

struct stack_process {
	int32_t pid; /* in the namespace of the agent */
	int32_t ns_pid; /* in its own; as pid if it is not known: the number of /tmp/perf-NUMBER.map
			 */
	uint64_t start_ns; /* since boot, with suspended time */
	uint64_t start_stack; /* where the stack of its program begins; 0: not known */
	uint64_t exec_id; /* programs that it was before: another one with this pid and start has
			     other mappings */
	char comm[STACK_COMM_BYTES + 1]; /* of its first thread */
	bool was_read; /* false: it had ended before /proc could be asked */
	int root_fd; /* its root directory, O_PATH, if it executes anonymous memory and it could be
			opened; -1: none. Of the set */
	uint32_t uid; /* of who runs it, in the namespace of the agent; UINT32_MAX: not known */
	/* Each text is NULL if there is none, or it is not known. */
	union {
		struct stack_container container;
		struct {
			const char *container_id, *container_name, *container_image, *pod_name,
				*pod_namespace;
		};
	};
};

/*
 * `at` is what is to be looked up: the instruction that was executed, or the last byte of the call
 * that the frame waits for (1 less than the return address).
 */
struct stack_frame {
	uint64_t at; /* an offset in the file; else an address: see enum stack_file_kind */
	uint32_t file; /* stacks.files */
	uint32_t zero; /* without padding, frames are compared as bytes; set by stacks_add_part() */
};

/* Frames of the kernel or of the process, the innermost first. */
struct stack_part {
	uint32_t first, count; /* stacks.frames */
	uint8_t lack; /* enum stack_lack */
};

/* Who woke a thread, and where from. */
struct stack_waker {
	int32_t pid, tid; /* 0: not known, as that of no thread that was off CPU by preemption */
	char comm[STACK_COMM_BYTES + 1]; /* of the thread */
	struct stack_part kernel, user;
};

/* No two rows of a set differ only in their values. */
struct stack_row {
	uint32_t process; /* stacks.processes */
	int32_t tid;
	char comm[STACK_COMM_BYTES + 1]; /* of the thread, when the row was first seen */
	uint8_t kind; /* enum stack_kind */
	uint8_t reason; /* enum stack_reason */
	struct stack_part kernel, user; /* the kernel's frames are inside of the user's */
	struct stack_waker waker; /* off CPU alone */
	uint64_t value; /* see enum stack_kind */
	/* That it was seen: samples, or switches; a wait for a CPU that another one of the same
	 * switch ends with is not seen again. */
	uint64_t times;
};

/* What is not in the rows, by cause, or is there without something: samples or switches. */
enum stacks_loss {
	STACKS_LOST_ROWS, /* the map of rows was full, or the set */
	STACKS_LOST_NO_CPU, /* the scratch memory of a CPU was in use */
	STACKS_LOST_STARTS, /* off CPU: when the thread went off was not kept, as the map was full
			     */
	STACKS_LOST_STARTS_OF_SHARE, /* likewise, as its user had as many there as it may */
	STACKS_LOST_ENDS, /* when it came back was not seen, and it went off again */
	STACKS_LOST_FRAMES, /* the map of stacks was full, or the set: rows without these frames */
	STACKS_LOST_FILES, /* there were too many files: frames without them */
	STACKS_LOST_PROCESSES, /* there were too many processes in the set */
	STACKS_UNREAD_PROCESSES, /* processes that had ended before they were looked at */
	STACKS_UNOPENED_FILES, /* no descriptor was free for them: they have no names, nor tables */
	STACKS_VANISHED_FILES, /* times that the process of a file had ended before that was opened
				*/
	STACKS_FULL_PAGES, /* pages of unwind tables for which there was no room */
	STACKS_LOSSES,
};

/* A zeroed struct is no set: stacks_init() makes it one. */
struct stacks {
	uint64_t begin_ns; /* since the epoch */
	uint64_t duration_ns;
	uint64_t period_ns; /* of CPU time between samples; 0: `event` is no clock */
	uint64_t frequency_hz; /* 0: no samples on CPU */
	const char *event; /* what samples are of: "cpu-clock", "cycles" */
	struct stack_row *rows;
	struct stack_process *processes;
	struct stack_file *files;
	struct stack_frame *frames;
	size_t rows_count, processes_count, files_count, frames_count;
	uint64_t lost[STACKS_LOSSES];
	bool borrows; /* its descriptors are those of another set, which closes them */
	/* Of its own. */
	struct arena texts;
	size_t rows_capacity, processes_capacity, files_capacity, frames_capacity;
	struct hash_key key;
	struct stack_part *parts;
	size_t parts_count, parts_capacity;
	struct stacks_places {
		uint32_t *list; /* of indexes, by hash; UINT32_MAX: free */
		size_t count; /* a power of two */
	} row_places, part_places;
};

/* A set with files[0] alone. Returns 0 or -ENOMEM. */
int stacks_init(struct stacks *stacks);
void stacks_finish(struct stacks *stacks); /* frees it, and closes its descriptors */

/*
 * These add one, and set its index in the set. Descriptors belong to the set from then on, also if
 * they fail; texts are copied. Neither looks whether it is there already. Return 0; -ENOMEM;
 * -E2BIG, which is counted.
 */
int stacks_add_file(struct stacks *stacks, const struct stack_file *file, uint32_t *index);
int stacks_add_process(struct stacks *stacks, const struct stack_process *process, uint32_t *index);

/*
 * Makes a part of frames, the same one for the same frames. Returns 0; -ENOMEM; -E2BIG, which is
 * counted; -EINVAL: too many frames, or of files that are not there.
 */
int stacks_add_part(struct stacks *stacks, const struct stack_frame *frames, size_t count,
		    enum stack_lack lack, struct stack_part *part);

/* Adds to the value and times of the row that is equal but for them, or makes it. Returns 0;
 * -ENOMEM; -E2BIG, which is counted; -EINVAL: it is of what is not there. */
int stacks_add_row(struct stacks *stacks, const struct stack_row *row);

/* Sets what is known of the container of a process; texts are copied. Returns 0 or -ENOMEM. */
int stacks_name_container(struct stacks *stacks, uint32_t process,
			  const struct stack_container *container);

/* Removes the rows of which `is_wanted` is false. No rows may be added to the set after that. */
void stacks_keep_rows(struct stacks *stacks,
		      bool (*is_wanted)(void *context, const struct stacks *stacks,
					const struct stack_row *row),
		      void *context);

/* Words for outputs: "disk"; "the unwind table was not loaded yet". */
const char *stack_reason_name(enum stack_reason reason);
const char *stack_lack_text(enum stack_lack lack);
const char *stacks_loss_text(enum stacks_loss loss);

#endif
