/* SPDX-License-Identifier: MIT */
/*
 * Files registered with rings of io_uring: made, used and closed by operations, seen only when they
 * are used; and the bounds of their tables.
 */
#include <errno.h>
#include <string.h>

#include "drive.h"
#include "sinsp/state/core.h"
#include "sinsp/state/fds.h"
#include "unit.h"

enum { PID = 100, RING = 77, SLOT = 5 };

static int64_t slot(uint64_t ring)
{
	return slot_fd_of(ring, SLOT);
}

static struct frame *begin(struct drive *drive, uint16_t id, uint64_t ring)
{
	struct frame *frame = drive_begin(drive, id, PID);

	frame->uring.ring = ring;
	return frame;
}

/* An open into a slot, or with a descriptor as its result. */
static struct state_event *open_by(struct drive *drive, uint64_t ring, int64_t result,
				   const char *name)
{
	struct frame *frame = begin(drive, EVENT_openat, ring);

	frame_put_i64(frame, openat__fd, result);
	frame_put_i64(frame, openat__dirfd, -100);
	frame_put_string(frame, openat__name, name);
	frame_put_i64(frame, openat__flags, file_flags__O_RDWR);
	frame_put_i64(frame, openat__dev, 0x801);
	frame_put_i64(frame, openat__ino, 40);
	return drive_end(drive);
}

static struct state_event *read_by(struct drive *drive, uint64_t ring, int64_t num, uint64_t ino)
{
	struct frame *frame = begin(drive, EVENT_read, ring);

	frame->file = (struct frame_file){ino, 0x801, 30};
	frame_put_i64(frame, read__res, 1);
	frame_put_i64(frame, read__fd, num);
	return drive_end(drive);
}

/* A read by another thread or process, which does not tell which file it is. */
static struct state_event *read_of(struct drive *drive, int64_t tid, uint64_t ring, int64_t num)
{
	struct frame *frame = drive_begin(drive, EVENT_read, tid);

	frame->uring.ring = ring;
	frame_put_i64(frame, read__res, 1);
	frame_put_i64(frame, read__fd, num);
	return drive_end(drive);
}

static struct state_event *close_by(struct drive *drive, uint64_t ring, int64_t result, int64_t num)
{
	struct frame *frame = begin(drive, EVENT_close, ring);

	frame_put_i64(frame, close__res, result);
	frame_put_i64(frame, close__fd, num);
	return drive_end(drive);
}

/* An operation that no system call does. */
static void operate(struct drive *drive, uint8_t opcode, int64_t result, int64_t num,
		    uint32_t flags)
{
	struct frame *frame = begin(drive, EVENT_io_uring_op, RING);

	frame_put_i64(frame, io_uring_op__res, result);
	frame_put_i64(frame, io_uring_op__opcode, opcode);
	frame_put_i64(frame, io_uring_op__fd, num);
	frame_put_i64(frame, io_uring_op__op_flags, flags);
	drive_end(drive);
}

static struct state_stats stats_of(const struct drive *drive)
{
	struct state_stats stats;

	state_stats(drive->state, &stats);
	return stats;
}

/* An operation that makes a descriptor changes the descriptors of its process, as the call does. */
static void makes_descriptors(void **state)
{
	struct drive *drive = *state;

	assert_string_equal(open_by(drive, RING, 0, "/zero")->fd->name, "/zero");
	assert_string_equal(drive_name(drive, PID, 0), "/zero");
	close_by(drive, RING, 0, 0);
	drive_any(drive, PID);
	assert_false(drive_has_fd(drive, PID, 0));
}

/* A registered file is none of the process's descriptors. */
static void makes_registered_files(void **state)
{
	struct drive *drive = *state;
	struct state_event *event = open_by(drive, RING, slot(RING), "/etc/shadow");
	uint32_t before = state_fds_count(drive_thread(drive, PID)->fds);

	assert_true(event->fd_named);
	assert_string_equal(event->fd->name, "/etc/shadow");
	assert_ptr_not_equal(event->fds, event->thread->fds);
	assert_false(drive_has_fd(drive, PID, 0));
	event = read_by(drive, RING, slot(RING), 40);
	assert_string_equal(event->fd->name, "/etc/shadow");
	/* Without knowing which file it is. */
	assert_string_equal(read_by(drive, RING, slot(RING), 0)->fd->name, "/etc/shadow");
	assert_int_equal(state_fds_count(drive_thread(drive, PID)->fds), before);
	/* The same slot of another ring. */
	assert_null(read_by(drive, RING + 1, slot(RING + 1), 0)->fd);
	assert_int_equal(stats_of(drive).slots_unsure, 0);
}

static void closes_registered_files(void **state)
{
	struct drive *drive = *state;

	open_by(drive, RING, slot(RING), "/a");
	assert_string_equal(close_by(drive, RING, -EBADF, slot(RING))->fd->name, "/a");
	assert_string_equal(close_by(drive, RING, 0, slot(RING))->fd->name, "/a");
	assert_null(read_by(drive, RING, slot(RING), 0)->fd);
	/* A close of descriptors leaves them alone. */
	open_by(drive, RING, slot(RING), "/b");
	drive_begin(drive, EVENT_close_range, PID);
	frame_put_i64(&drive->frame, close_range__res, 0);
	frame_put_i64(&drive->frame, close_range__last, UINT32_MAX);
	drive_end(drive);
	assert_string_equal(read_by(drive, RING, slot(RING), 0)->fd->name, "/b");
}

/* What failed made nothing. */
static void failed_opens_make_nothing(void **state)
{
	struct drive *drive = *state;
	struct state_event *event = open_by(drive, RING, -ENOENT, "/none");

	assert_int_equal(event->fd_num, -ENOENT);
	assert_null(event->fd);
	assert_int_equal(drive->state->rings.count, 0);
}

/* An open by a ring of which the kernel's copy of the name and the path found later are these. */
static uint64_t contested(struct drive *drive, uint64_t ring, const char *name, const char *path)
{
	struct frame *frame = begin(drive, EVENT_openat, ring);

	frame_put_i64(frame, openat__fd, 5);
	frame_put_i64(frame, openat__dirfd, -100);
	frame_put_string(frame, openat__name, name);
	frame_put_string(frame, openat__path, path);
	return drive_end(drive)->ev.marks.contested;
}

/* Likewise, some time after it was done, and of a file with that inode. */
static uint64_t contested_later(struct drive *drive, const char *name, const char *path,
				uint64_t ino)
{
	struct frame *frame = begin(drive, EVENT_openat, RING);

	frame->uring.is_late = 1;
	frame_put_i64(frame, openat__fd, 5);
	frame_put_i64(frame, openat__dirfd, -100);
	frame_put_string(frame, openat__name, name);
	frame_put_i64(frame, openat__ino, (int64_t)ino);
	frame_put_string(frame, openat__path, path);
	return drive_end(drive)->ev.marks.contested;
}

/* The program can have put another file of the same last component in its place. */
static void doubts_what_was_looked_up_late(void **state)
{
	const uint64_t marks = UINT64_C(1) << openat__path | UINT64_C(1) << openat__dev |
			       UINT64_C(1) << openat__ino;
	struct drive *drive = *state;

	assert_int_equal(contested_later(drive, "/etc/shadow", "/etc/shadow", 7), 0);
	assert_int_equal(contested_later(drive, "/etc/shadow", "/tmp/shadow", 7), marks);
	assert_int_equal(contested_later(drive, "shadow", "/etc/shadow", 7), marks);
	/* The number was another one's, and the descriptor has the name that was passed. */
	assert_int_equal(contested_later(drive, "/etc/shadow", NULL, 0),
			 marks | UINT64_C(1) << openat__fd);
}

/* The number may be another file's when the completion is posted; the name tells that. */
static void doubts_files_of_other_names(void **state)
{
	const uint64_t marks = UINT64_C(1) << openat__path | UINT64_C(1) << openat__dev |
			       UINT64_C(1) << openat__ino;
	struct drive *drive = *state;

	assert_int_equal(contested(drive, RING, "/etc/shadow", "/etc/shadow"), 0);
	assert_int_equal(contested(drive, RING, "shadow", "/mnt/etc/shadow"), 0);
	assert_int_equal(contested(drive, RING, "/etc/shadow", NULL), 0);
	assert_int_equal(contested(drive, 0, "/etc/shadow", "/tmp/x"), 0);
	assert_int_equal(stats_of(drive).contested, 0);
	assert_int_equal(contested(drive, RING, "/etc/shadow", "/tmp/x"), marks);
	assert_int_equal(contested(drive, RING, "shadow", "x"), marks);
	assert_int_equal(contested(drive, RING, "/etc/shadow", "/tmp/notshadow"), marks);
	assert_int_equal(stats_of(drive).contested, 3);
}

/* The file tells which descriptor was registered; a descriptor that was closed since has no name.
 */
static void finds_what_was_registered_unseen(void **state)
{
	struct drive *drive = *state;

	open_by(drive, 0, 9, "/opened");
	assert_string_equal(read_by(drive, RING, slot(RING), 40)->fd->name, "/opened");
	assert_int_equal(stats_of(drive).slots_unsure, 0);
	drive_close(drive, PID, 0, 9);
	assert_string_equal(read_by(drive, RING, slot(RING), 40)->fd->name, "/opened");
	/* Another one in its place. */
	assert_string_equal(read_by(drive, RING, slot(RING), 41)->fd->name, "");
	assert_int_equal(stats_of(drive).slots_unsure, 1);
	read_by(drive, RING, slot(RING), 41);
	assert_int_equal(stats_of(drive).slots_unsure, 1);
}

/* Two descriptors of one inode have a name only if both have the same one. */
static void same_inodes_of_other_names_say_nothing(void **state)
{
	struct drive *drive = *state;

	open_by(drive, 0, 8, "/one");
	open_by(drive, 0, 9, "/other");
	assert_string_equal(read_by(drive, RING, slot(RING), 40)->fd->name, "");
	open_by(drive, 0, 8, "/other");
	assert_string_equal(read_by(drive, RING + 1, slot(RING + 1), 40)->fd->name, "/other");
}

/* A socket that an operation connects, and one that it accepts, into slots. */
static void knows_sockets(void **state)
{
	const struct frame_tuple tuple = {"10.0.0.1", "10.0.0.2", 40000, 443};
	struct drive *drive = *state;
	struct frame *frame = begin(drive, EVENT_socket, RING);

	frame_put_i64(frame, socket__fd, slot(RING));
	frame_put_i64(frame, socket__domain, socket_families__AF_INET);
	frame_put_i64(frame, socket__type, 1);
	assert_int_equal(drive_end(drive)->fd->type, SCAP_FD_IPV4);
	frame = begin(drive, EVENT_connect, RING);
	frame_put_i64(frame, connect__res, 0);
	frame_put_tuple(frame, connect__tuple, &tuple);
	frame_put_i64(frame, connect__fd, slot(RING));
	assert_string_equal(drive_end(drive)->fd->name, "10.0.0.1:40000->10.0.0.2:443");
	frame = begin(drive, EVENT_accept4, RING);
	frame_put_i64(frame, accept4__fd, slot_fd_of(RING, 6));
	frame_put_tuple(frame, accept4__tuple, &tuple);
	assert_string_equal(drive_end(drive)->fd->name, "10.0.0.1:40000->10.0.0.2:443");
	assert_string_equal(read_by(drive, RING, slot_fd_of(RING, 6), 0)->fd->name,
			    "10.0.0.1:40000->10.0.0.2:443");
}

static void start_thread(struct drive *drive, int64_t tid)
{
	drive_clone(
		drive, tid, 0,
		&(struct drive_clone){.flags = clone_flags__CLONE_THREAD | clone_flags__CLONE_FILES,
				      .pid = PID});
}

/* Rings of a process end with it, and not with its other threads. */
static void ends_with_the_process(void **state)
{
	struct drive *drive = *state;

	open_by(drive, RING, slot(RING), "/a");
	start_thread(drive, 101);
	drive_exit(drive, 101, 0);
	drive_any(drive, PID);
	assert_int_equal(drive->state->rings.count, 1);
	drive_exit(drive, PID, 0);
	assert_int_equal(drive->state->rings.count, 0);
	drive_any(drive, 1);
	assert_int_equal(stats_of(drive).fds, 0);
}

/* The main thread may end before the others, which go on with the rings. */
static void ends_with_the_last_thread(void **state)
{
	struct drive *drive = *state;

	open_by(drive, RING, slot(RING), "/a");
	start_thread(drive, 101);
	drive_exit(drive, PID, 0);
	assert_string_equal(read_of(drive, 101, RING, slot(RING))->fd->name, "/a");
	drive_exit(drive, 101, 0);
	assert_int_equal(drive->state->rings.count, 0);
}

/* Its requests in flight are cancelled when it has ended, and are its events all the same. */
static void knows_who_ended(void **state)
{
	struct drive *drive = *state;
	const struct state_thread *ended;
	struct state_event *event;
	struct frame *frame = drive_begin(drive, EVENT_io_uring_setup, PID);

	frame_put_i64(frame, io_uring_setup__res, 3);
	drive_end(drive);
	drive_exit(drive, PID, 0);
	drive_any(drive, 1);
	assert_null(state_thread_find(drive->state, PID));
	event = read_by(drive, RING, 4, 0);
	ended = event->thread;
	assert_non_null(ended);
	assert_string_equal(ended->comm, "sh");
	assert_null(event->fd);
	/* A call of its number is one of another process. */
	assert_ptr_not_equal(read_by(drive, 0, 4, 0)->thread, ended);
}

/* Another process that uses the ring uses the same files, and keeps them. */
static void is_shared_by_processes(void **state)
{
	struct drive *drive = *state;

	open_by(drive, RING, slot(RING), "/a");
	drive_exec(drive, 200, "other");
	assert_string_equal(read_of(drive, 200, RING, slot(RING))->fd->name, "/a");
	drive_exit(drive, PID, 0);
	assert_string_equal(read_of(drive, 200, RING, slot(RING))->fd->name, "/a");
	drive_exit(drive, 200, 0);
	assert_int_equal(drive->state->rings.count, 0);
}

/* A registered file that gets a descriptor: another number of the same open file. */
static void installs_descriptors(void **state)
{
	struct drive *drive = *state;
	struct state_fds *fds = drive_thread(drive, PID)->fds;

	open_by(drive, RING, slot(RING), "/a");
	operate(drive, io_uring_opcodes__IORING_OP_FIXED_FD_INSTALL, -EBADF, slot(RING), 0);
	operate(drive, io_uring_opcodes__IORING_OP_NOP, 9, slot(RING), 0);
	assert_false(drive_has_fd(drive, PID, 9));
	operate(drive, io_uring_opcodes__IORING_OP_FIXED_FD_INSTALL, 9, slot(RING), 0);
	assert_string_equal(drive_name(drive, PID, 9), "/a");
	assert_true(state_fds_cloexec(fds, 9));
	assert_string_equal(read_by(drive, 0, 9, 40)->fd->name, "/a");
	close_by(drive, RING, 0, slot(RING));
	assert_string_equal(read_by(drive, 0, 9, 40)->fd->name, "/a");
	/* An unknown slot: what had the number is gone. */
	operate(drive, io_uring_opcodes__IORING_OP_FIXED_FD_INSTALL, 9, slot(RING) + 1, 0);
	assert_false(drive_has_fd(drive, PID, 9));
	open_by(drive, RING, slot(RING), "/b");
	operate(drive, io_uring_opcodes__IORING_OP_FIXED_FD_INSTALL, 9, slot(RING),
		1 /* IORING_FIXED_FD_NO_CLOEXEC */);
	assert_string_equal(drive_name(drive, PID, 9), "/b");
	assert_false(state_fds_cloexec(fds, 9));
}

/* Files put into slots from one on; what the command does with others is up to it. */
static void register_files(struct drive *drive, uint64_t command, int64_t result, uint32_t first,
			   const int32_t *files, size_t count)
{
	struct frame *frame = drive_begin(drive, EVENT_io_uring_register, PID);

	frame_put_i64(frame, io_uring_register__res, result);
	frame_put_i64(frame, io_uring_register__opcode, (int64_t)command);
	frame_put_i64(frame, io_uring_register__ring, RING);
	frame_put_i64(frame, io_uring_register__slot, first);
	frame_put_bytes(frame, io_uring_register__files, files, count * sizeof(*files));
	drive_end(drive);
}

/* A registered file has the name of the descriptor by which it was registered. */
static void registers_descriptors(void **state)
{
	static const int32_t files[] = {-1, 9, 8}, later[] = {-2, 8, 7};
	struct drive *drive = *state;

	open_by(drive, 0, 9, "/nine");
	open_by(drive, 0, 8, "/eight");
	register_files(drive, io_uring_register_opcodes__IORING_REGISTER_FILES, -EBADF, SLOT, files,
		       3);
	assert_int_equal(drive->state->rings.count, 0);
	register_files(drive, io_uring_register_opcodes__IORING_REGISTER_FILES, 0, SLOT, files, 3);
	/* Also when the descriptor is closed before the first operation, and of the same inode. */
	drive_close(drive, PID, 0, 9);
	assert_null(read_by(drive, RING, slot(RING), 0)->fd);
	assert_string_equal(read_by(drive, RING, slot_fd_of(RING, SLOT + 1), 40)->fd->name,
			    "/nine");
	assert_string_equal(read_by(drive, RING, slot_fd_of(RING, SLOT + 2), 40)->fd->name,
			    "/eight");
	register_files(drive, io_uring_register_opcodes__IORING_REGISTER_FILES_UPDATE, 3, SLOT + 1,
		       later, 3);
	assert_string_equal(read_by(drive, RING, slot_fd_of(RING, SLOT + 1), 0)->fd->name, "/nine");
	assert_string_equal(read_by(drive, RING, slot_fd_of(RING, SLOT + 2), 0)->fd->name,
			    "/eight");
	assert_null(read_by(drive, RING, slot_fd_of(RING, SLOT + 3), 0)->fd);
	register_files(drive, io_uring_register_opcodes__IORING_UNREGISTER_FILES, 0, 0, NULL, 0);
	assert_null(read_by(drive, RING, slot_fd_of(RING, SLOT + 1), 0)->fd);
	assert_int_equal(stats_of(drive).slots_unsure, 0);
}

/* A plain capture file has the numbers alone: they are descriptors of the process there. */
static void plain_files_have_descriptors(void **state)
{
	struct drive *drive = *state;

	open_by(drive, 0, slot(RING), "/a");
	assert_string_equal(read_by(drive, 0, slot(RING), 0)->fd->name, "/a");
	assert_int_equal(drive->state->rings.count, 0);
	drive_close(drive, PID, 0, slot(RING));
	drive_any(drive, PID);
	assert_false(drive_has_fd(drive, PID, slot(RING)));
}

/* However many rings there are, few have tables: those that were used last. */
static void is_bounded(void **state)
{
	struct drive *drive = *state;
	uint64_t rings = 4 * RINGS_MAX;

	for (uint64_t ring = 1; ring <= rings; ring++) {
		open_by(drive, ring, slot(ring), "/a");
		assert_string_equal(read_by(drive, 1, slot(1), 0)->fd->name, "/a");
	}
	assert_true(drive->state->rings.count <= RINGS_MAX);
	assert_int_equal(drive->state->rings.count + stats_of(drive).rings_dropped, rings);
	assert_true(stats_of(drive).fds <= RINGS_MAX + 8);
	state_rings_end(&drive->state->rings, 1);
	assert_null(state_rings_find(&drive->state->rings, 1));
	assert_null(state_rings_find(&drive->state->rings, 0));
	state_rings_end_process(&drive->state->rings, PID);
	assert_int_equal(drive->state->rings.count, 0);
	assert_null(state_rings_get(&drive->state->rings, &drive->state->fd_store, 0,
				    drive_thread(drive, PID)));
}

/* The next rings of the set of one, which take the places of all that are there. */
static void replace_set_of(struct drive *drive, uint64_t ring)
{
	const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
	unsigned int left = RINGS_WAYS;

	for (uint64_t other = ring + 1; left; other++) {
		if (other * factor >> 56 != ring * factor >> 56)
			continue;
		assert_non_null(state_rings_get(&drive->state->rings, &drive->state->fd_store,
						other, drive_thread(drive, PID)));
		left--;
	}
	assert_null(state_rings_find(&drive->state->rings, ring));
}

/* A table that gives way before what an event closed in it is closed. */
static void closes_in_a_table_that_went(void **state)
{
	struct drive *drive = *state;
	struct state_event *event;

	open_by(drive, RING, slot(RING), "/a");
	event = close_by(drive, RING, 0, slot(RING));
	replace_set_of(drive, RING);
	assert_int_equal(drive->state->rings.dropped, 1);
	assert_string_equal(event->fd->name, "/a");
	assert_int_equal(stats_of(drive).fds, 1);
	drive_any(drive, PID);
	assert_int_equal(stats_of(drive).fds, 0);
	assert_false(drive->state->after.pending);
	/* Likewise one of which nothing is kept, and with no event behind it. */
	state_set_lacks(drive->state, STATE_DESCRIPTORS);
	open_by(drive, RING, slot(RING), "/b");
	replace_set_of(drive, RING);
	assert_int_equal(stats_of(drive).fds, 1);
}

/* The events of a process are missing for a time: so may be what its slots became. */
static void forgets_in_a_gap(void **state)
{
	struct drive *drive = *state;

	open_by(drive, RING, slot(RING), "/a");
	state_begin_gap(drive->state, PID);
	assert_int_equal(drive->state->rings.count, 0);
}

/* An operation of which it is not known how it ended, which makes a registered file or closes it.
 */
static struct frame *begin_untold(struct drive *drive, uint16_t id, uint32_t slot)
{
	struct frame *frame = begin(drive, id, RING);

	frame->uring.made_slot = (int32_t)slot;
	frame->marks.contested = 1;
	frame_put_absent(frame, 0);
	return frame;
}

static struct state_event *open_untold(struct drive *drive, const char *name)
{
	struct frame *frame = begin_untold(drive, EVENT_openat, SLOT);

	frame_put_i64(frame, openat__dirfd, -100);
	frame_put_string(frame, openat__name, name);
	return drive_end(drive);
}

static void close_untold(struct drive *drive)
{
	struct frame *frame = begin_untold(drive, EVENT_close, SLOT);

	frame_put_i64(frame, close__fd, slot(RING));
	drive_end(drive);
}

static bool is_marked(const struct state_event *event)
{
	return event->ev.marks.contested & UINT64_C(1) << read__fd;
}

/* Whether a file is the one that had the slot before, the kernel says when it is used. */
static void doubts_what_is_not_told(void **state)
{
	struct drive *drive = *state;
	struct state_event *event;

	open_by(drive, RING, slot(RING), "/etc/shadow");
	open_untold(drive, "/tmp/harmless");
	open_untold(drive, "/tmp/harmless too");
	assert_true(is_marked(read_by(drive, RING, slot(RING), 0)));
	event = read_by(drive, RING, slot(RING), 40);
	assert_string_equal(event->fd->name, "/etc/shadow");
	assert_false(is_marked(event));
	/* It is another one, and nothing else tells which. */
	open_untold(drive, "/tmp/harmless");
	for (int i = 0; i < 2; i++) {
		event = read_by(drive, RING, slot(RING), 41);
		assert_string_equal(event->fd->name, "/tmp/harmless");
		assert_true(is_marked(event));
	}
	/* What is told is sure again. */
	open_by(drive, RING, slot(RING), "/b");
	event = read_by(drive, RING, slot(RING), 40);
	assert_string_equal(event->fd->name, "/b");
	assert_false(is_marked(event));
}

static void keeps_what_may_not_be_closed(void **state)
{
	struct drive *drive = *state;

	open_by(drive, RING, slot(RING), "/etc/shadow");
	close_untold(drive);
	assert_string_equal(read_by(drive, RING, slot(RING), 40)->fd->name, "/etc/shadow");
	close_untold(drive);
	assert_string_equal(read_by(drive, RING, slot(RING), 41)->fd->name, "");
	/* What is told to be closed is forgotten. */
	open_by(drive, RING, slot(RING), "/a");
	close_untold(drive);
	open_by(drive, RING, slot(RING), "/b");
	close_by(drive, RING, 0, slot(RING));
	assert_string_equal(read_by(drive, RING, slot(RING), 40)->fd->name, "");
}

/* A number that is not told is not 0. */
static void installs_nothing_untold(void **state)
{
	struct drive *drive = *state;
	struct frame *frame;

	open_by(drive, RING, slot(RING), "/a");
	open_by(drive, 0, 0, "/zero");
	frame = begin_untold(drive, EVENT_io_uring_op, SLOT);
	frame_put_i64(frame, io_uring_op__opcode, io_uring_opcodes__IORING_OP_FIXED_FD_INSTALL);
	frame_put_i64(frame, io_uring_op__fd, slot(RING));
	drive_end(drive);
	assert_string_equal(drive_name(drive, PID, 0), "/zero");
	frame = begin_untold(drive, EVENT_pipe2, SLOT);
	drive_end(drive);
	assert_string_equal(drive_name(drive, PID, 0), "/zero");
}

static void put_connect(struct frame *frame, const char *to)
{
	const struct frame_tuple tuple = {"10.0.0.1", to, 40000, 443};

	frame_put_tuple(frame, connect__tuple, &tuple);
	frame_put_i64(frame, connect__fd, 9);
}

/* A connection that may have failed: what is sent tells the ends of the socket. */
static void doubts_connections(void **state)
{
	const struct frame_tuple tuple = {"10.0.0.1", "10.0.0.9", 40000, 443};
	struct drive *drive = *state;
	struct state_event *event;
	struct frame *frame = begin(drive, EVENT_socket, RING);

	frame_put_i64(frame, socket__fd, 9);
	frame_put_i64(frame, socket__domain, socket_families__AF_INET);
	frame_put_i64(frame, socket__type, 1);
	drive_end(drive);
	put_connect(begin_untold(drive, EVENT_connect, SLOT), "10.0.0.2");
	drive_end(drive);
	event = read_by(drive, 0, 9, 0);
	assert_string_equal(event->fd->name, "10.0.0.1:40000->10.0.0.2:443");
	assert_true(is_marked(event));
	frame = drive_begin(drive, EVENT_sendto, PID);
	frame_put_i64(frame, sendto__res, 1);
	frame_put_i64(frame, sendto__fd, 9);
	frame_put_tuple(frame, sendto__tuple, &tuple);
	drive_end(drive);
	event = read_by(drive, 0, 9, 0);
	assert_string_equal(event->fd->name, "10.0.0.1:40000->10.0.0.9:443");
	assert_false(is_marked(event));
	/* What is connected stays so. */
	put_connect(begin_untold(drive, EVENT_connect, SLOT), "10.0.0.2");
	drive_end(drive);
	event = read_by(drive, 0, 9, 0);
	assert_string_equal(event->fd->name, "10.0.0.1:40000->10.0.0.9:443");
	assert_false(is_marked(event));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, drive_setup_process, drive_teardown)

static const struct CMUnitTest tests[] = {
	TEST(makes_descriptors),
	TEST(makes_registered_files),
	TEST(closes_registered_files),
	TEST(failed_opens_make_nothing),
	TEST(doubts_files_of_other_names),
	TEST(doubts_what_was_looked_up_late),
	TEST(finds_what_was_registered_unseen),
	TEST(same_inodes_of_other_names_say_nothing),
	TEST(knows_sockets),
	TEST(ends_with_the_process),
	TEST(ends_with_the_last_thread),
	TEST(knows_who_ended),
	TEST(is_shared_by_processes),
	TEST(installs_descriptors),
	TEST(registers_descriptors),
	TEST(plain_files_have_descriptors),
	TEST(is_bounded),
	TEST(closes_in_a_table_that_went),
	TEST(forgets_in_a_gap),
	TEST(doubts_what_is_not_told),
	TEST(keeps_what_may_not_be_closed),
	TEST(installs_nothing_untold),
	TEST(doubts_connections),
};

UNIT_GROUP(tests);
