/* SPDX-License-Identifier: MIT */
/* The engine as a whole: what an event carries, frames that cannot be used, limits, socket text. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drive.h"
#include "unit.h"

static void numbers_events(void **state)
{
	struct drive drive_memory, *drive = &drive_memory;
	struct state_event *event;
	uint64_t first = 0;

	drive_create(drive, NULL);
	for (uint64_t num = 1; num < 4; num++) {
		event = drive_any(drive, 5);
		first = first ? first : event->ev.ts_ns;
		assert_int_equal(event->num, num);
		assert_int_equal(event->first_ts_ns, first);
		assert_ptr_equal(event->state, drive->state);
		assert_null(event->thread);
		assert_false(event->has_fd);
		assert_null(event->fd);
	}
	drive_destroy(drive);
}

/* Hidden events carry state alone: the clock of what is shown begins after them. */
static void counts_time_from_the_first_shown_event(void **state)
{
	static const struct {
		bool hidden;
		uint64_t ts_ns, first_ts_ns;
	} steps[] = {
		{true, 1000, 1000}, {true, 1500, 1500},	 {false, 1700, 1700},
		{true, 1800, 1700}, {false, 1900, 1700},
	};
	struct drive drive_memory, *drive = &drive_memory;

	drive_create(drive, NULL);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct ppm_evt_hdr header;
		struct scap_event raw;

		frame_put_i64(drive_begin(drive, EVENT_close, 1), close__fd, 3);
		raw = frame_end(&drive->frame);
		memcpy(&header, drive->frame.bytes, sizeof(header));
		header.ts = steps[i].ts_ns;
		memcpy(drive->frame.bytes, &header, sizeof(header));
		raw.hidden = steps[i].hidden;
		assert_int_equal(state_process(drive->state, &raw, &drive->event), 0);
		assert_int_equal(drive->event.ev.ts_ns, steps[i].ts_ns);
		assert_int_equal(drive->event.first_ts_ns, steps[i].first_ts_ns);
		assert_int_equal(drive->event.num, i + 1);
	}
	drive_destroy(drive);
}

static void counts_frames_that_cannot_be_used(void **state)
{
	struct drive drive_memory, *drive = &drive_memory;
	struct state_stats stats;
	struct scap_event raw;
	struct ppm_evt_hdr header;

	drive_create(drive, NULL);
	frame_put_i64(drive_begin(drive, EVENT_close, 1), close__fd, 3);
	raw = frame_end(&drive->frame);
	raw.len--;
	assert_int_equal(state_process(drive->state, &raw, &drive->event), -EBADMSG);
	raw.len++;
	memcpy(&header, drive->frame.bytes, sizeof(header));
	header.type = EVENT_ID_MAX - 1;
	memcpy(drive->frame.bytes, &header, sizeof(header));
	assert_int_equal(state_process(drive->state, &raw, &drive->event), -ENOENT);
	state_stats(drive->state, &stats);
	assert_int_equal(stats.corrupt, 1);
	assert_int_equal(stats.unknown, 1);
	assert_int_equal(stats.events, 0);
	assert_int_equal(drive_any(drive, 1)->num, 1);
	drive_destroy(drive);
}

static void finds_the_descriptor_of_every_event(void **state)
{
	struct drive drive_memory, *drive = &drive_memory;

	drive_create(drive, NULL);
	drive_exec(drive, 1, "sh");
	drive_open(drive, 1, 3, "/three", 0);
	for (uint16_t id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);
		int param = desc ? event_param_find(desc, "fd") : -1;

		/* That of epoll_ctl is the epoll instance, not the descriptor that is added. */
		if (param < 0 || !(desc->flags & EF_USES_FD) || id == EVENT_epoll_ctl)
			continue;
		frame_put_i64(drive_begin(drive, id, 1), (unsigned int)param, 3);
		if (param != 0)
			frame_put_i64(&drive->frame, 0, -EINTR);
		drive_end(drive);
		assert_true(drive->event.has_fd);
		assert_int_equal(drive->event.fd_num, 3);
		assert_string_equal(drive->event.fd->name, "/three");
		/* close: it is gone after that. */
		drive_open(drive, 1, 3, "/three", 0);
	}
	drive_destroy(drive);
}

static void keeps_to_its_limits(void **state)
{
	struct drive drive_memory, *drive = &drive_memory;
	struct state_stats stats;

	drive_create(drive, &(struct state_config){.threads_max = 100, .fds_max = 50});
	for (int64_t tid = 1; tid <= 1000; tid++) {
		drive_exec(drive, tid, "sh");
		for (int64_t fd = 0; fd < 3; fd++)
			drive_open(drive, tid, fd, "/x", 0);
	}
	state_stats(drive->state, &stats);
	assert_int_equal(stats.threads, 100);
	assert_int_equal(stats.threads_evicted, 900);
	assert_true(stats.fds <= 50);
	assert_true(stats.fds_rejected > 0);
	drive_destroy(drive);
}

/* Every event with every small number as each parameter, in any order: nothing to hold but itself.
 */
static void survives_nonsense(void **state)
{
	struct drive drive_memory, *drive = &drive_memory;
	static const int64_t values[] = {0, 1, 2, 3, 4, -1, -9, -100, 7, 0x2000, INT64_MAX};

	drive_create(drive, &(struct state_config){.threads_max = 5, .fds_max = 10});
	srand(7);
	for (int i = 0; i < 300000; i++) {
		const struct event_desc *desc = event_desc_get((unsigned int)rand() % EVENT_ID_MAX);
		struct frame *frame;

		if (!desc)
			continue;
		frame = drive_begin(drive, desc->id, rand() % 8);
		for (unsigned int param = 0; param < desc->nparams; param++) {
			int64_t value = values[(size_t)rand() % (sizeof(values) / sizeof(*values))];
			uint8_t bytes[40] = {(uint8_t)value, (uint8_t)rand()};

			if (rand() % 8 == 0)
				continue;
			if (param_type_size(desc->params[param].type))
				frame_put_i64(frame, param, value);
			else if (desc->params[param].type <= PT_FSRELPATH)
				frame_put_string(frame, param, rand() % 2 ? "/a/../b" : "c//");
			else if (desc->params[param].type == PT_DYN)
				frame_put_dyn(frame, param,
					      bytes[1] % desc->params[param].dyn_count, value);
			else if (desc->params[param].type == PT_IPADDR)
				frame_put_bytes(frame, param, bytes, rand() % 2 ? 4 : 16);
			else if (desc->params[param].type == PT_FDLIST)
				frame_put_fdlist(frame, param, &(struct fdlist_entry){value, -1},
						 rand() % 2);
			else
				frame_put_bytes(frame, param, bytes,
						(size_t)rand() % 5 * sizeof(uint64_t));
		}
		drive_end(drive);
	}
	drive_destroy(drive);
}

static void survives_a_rejected_creation(void **state)
{
	state_destroy(NULL);
}

/* Without events that close them, descriptors are known for as long as their event. */
static void test_descriptors_not_kept(void **state)
{
	struct drive *drive = *state;
	struct state_event *event;
	struct state_stats stats;

	drive_open(drive, 100, 5, "/kept", 0);
	state_set_lacks(drive->state, STATE_DESCRIPTORS | STATE_CONNECTIONS | STATE_DIRECTORIES);
	assert_false(drive_has_fd(drive, 100, 5));
	event = drive_open(drive, 100, 3, "/etc/passwd", 0);
	assert_string_equal(event->fd->name, "/etc/passwd");
	event = drive_read(drive, 100, 1, 3);
	assert_null(event->fd);
	assert_int_equal(event->fd_num, 3);
	state_stats(drive->state, &stats);
	assert_int_equal(stats.fds, 0);
	state_set_lacks(drive->state, 0);
	drive_open(drive, 100, 4, "/etc/group", 0);
	assert_string_equal(drive_read(drive, 100, 1, 4)->fd->name, "/etc/group");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(numbers_events),
	cmocka_unit_test(counts_time_from_the_first_shown_event),
	cmocka_unit_test(counts_frames_that_cannot_be_used),
	cmocka_unit_test(finds_the_descriptor_of_every_event),
	cmocka_unit_test_setup_teardown(test_descriptors_not_kept, drive_setup_process,
					drive_teardown),
	cmocka_unit_test(keeps_to_its_limits),
	cmocka_unit_test(survives_nonsense),
	cmocka_unit_test(survives_a_rejected_creation),
};

UNIT_GROUP(tests);
