/* SPDX-License-Identifier: MIT */
/* Which calls of others change the capture. A capture without a kernel stands in for a real one. */
#include "agent/input/live_open.h"

#include <linux/bpf.h>

#include "event/event.h"
#include "fake_live.h"
#include "frame.h"
#include "sinsp/sinsp.h"
#include "unit.h"

enum { OWN = 7, OTHER = 8 };

static struct scap_live live;
static struct frame frame;
static struct state_event event;

/* id 0: it is not known what the call is about. */
static const struct state_event *bpf(uint32_t command, uint32_t kind, uint32_t id)
{
	struct scap_event raw;

	frame_begin(&frame, EVENT_bpf, 1, 100);
	frame_put_i64(&frame, bpf__fd, 0);
	frame_put_i64(&frame, bpf__cmd, command);
	if (id) {
		frame_put_i64(&frame, bpf__object, kind);
		frame_put_i64(&frame, bpf__id, id);
	}
	raw = frame_end(&frame);
	event = (struct state_event){0};
	assert_int_equal(event_decode(raw.frame, raw.len, raw.cpu, &event.ev), 0);
	return &event;
}

static int setup(void **state)
{
	fake_live_init(&live);
	live.own_map = OWN;
	return 0;
}

static int teardown(void **state)
{
	scap_source_destroy(&live.source);
	return 0;
}

static void test_which(void **state)
{
	assert_true(live_meddling_is(&live, bpf(BPF_MAP_DELETE_ELEM, BPF_OBJECT_MAP, OWN)));
	assert_true(live_meddling_is(&live, bpf(BPF_MAP_UPDATE_BATCH, BPF_OBJECT_MAP, OWN)));
	assert_false(live_meddling_is(&live, bpf(BPF_MAP_DELETE_ELEM, BPF_OBJECT_MAP, OTHER)));
	assert_false(live_meddling_is(&live, bpf(BPF_LINK_DETACH, BPF_OBJECT_LINK, OWN)));
	/* Who lists all maps opens and reads each. */
	assert_false(live_meddling_is(&live, bpf(BPF_MAP_GET_FD_BY_ID, BPF_OBJECT_MAP, OWN)));
	assert_false(live_meddling_is(&live, bpf(BPF_MAP_LOOKUP_ELEM, BPF_OBJECT_MAP, OWN)));
	live.own_map = 0;
	assert_false(live_meddling_is(&live, bpf(BPF_MAP_DELETE_ELEM, BPF_OBJECT_MAP, 0)));
}

/* All are counted; what is said is said once in a second. */
static void test_noted(void **state)
{
	struct live_meddling meddling = {0};
	uint64_t said_ns;

	live_meddling_note(&meddling, bpf(BPF_MAP_DELETE_ELEM, BPF_OBJECT_MAP, OWN));
	said_ns = meddling.said_ns;
	assert_true(said_ns > 0);
	live_meddling_note(&meddling, &event);
	assert_int_equal(meddling.calls, 2);
	assert_int_equal(meddling.said_ns, said_ns);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_which, setup, teardown),
	cmocka_unit_test_setup_teardown(test_noted, setup, teardown),
};

UNIT_GROUP(tests);
