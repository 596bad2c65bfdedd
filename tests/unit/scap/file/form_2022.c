/* SPDX-License-Identifier: MIT */
/*
 * What readers of 2022 get, against tests/reference/facts/events-2022.tsv: every event of the table
 * is turned into frames of theirs, with the values of the event and with the sizes of their types.
 */
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "scap/file/form_2022.h"
#include "sheet.h"
#include "unit.h"

enum {
	TS_NS = 1234567890,
	TID = 4711,
	CPU = 3,
	NAME_BYTES = 32,
	PARAMS_2022_MAX = 20,
	SYSCALLS_2022 = 329,
};

struct param_2022 {
	char name[NAME_BYTES];
	enum param_type type;
};

struct event_2022 {
	char name[NAME_BYTES];
	bool used; /* by those who wrote files then */
	unsigned int nparams;
	struct param_2022 params[PARAMS_2022_MAX];
	bool produced; /* by one of our events */
};

struct fixture {
	struct event_2022 events[SCAP_2022_EVENTS];
	struct scap_form_2022 *form;
	struct frame frame;
	struct scap_event out[SCAP_2022_FRAMES_MAX];
};

static enum param_type type_find(const char *name)
{
	unsigned int type = 0;

	while (type < PT_TYPES_COUNT &&
	       (!sheet_type_name(type) || strcmp(sheet_type_name(type), name) != 0))
		type++;
	return type; /* those that we do not have are in events that we do not have either */
}

static void load_params(struct event_2022 *event, char *params)
{
	char *save;

	for (char *text = strtok_r(params, " ", &save); text; text = strtok_r(NULL, " ", &save)) {
		struct param_2022 *param = &event->params[event->nparams++];
		char type[NAME_BYTES];

		assert_true(event->nparams <= PARAMS_2022_MAX);
		assert_int_equal(sscanf(text, "%31[^:]:%31[^:]:", param->name, type), 2);
		param->type = type_find(type);
	}
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	return f ? scap_form_2022_create(&f->form) : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	scap_form_2022_destroy(f->form);
	free(f);
	return 0;
}

static void load(struct fixture *f)
{
	unsigned int count = 0;
	struct sheet sheet;

	sheet_open(&sheet, "facts/events-2022.tsv");
	while (sheet_next(&sheet)) {
		struct event_2022 *event = &f->events[count];

		assert_int_equal(sheet_number(sheet.columns[0], 10), count);
		snprintf(event->name, sizeof(event->name), "%s", sheet.columns[1]);
		event->used = !strstr(sheet.columns[3], "UNUSED") &&
			      !strstr(sheet.columns[3], "OLD_VERSION");
		load_params(event, sheet.columns[5]);
		count++;
	}
	assert_int_equal(count, SCAP_2022_EVENTS);
}

/* A value that no other parameter has, in every byte. */
static void put_any(struct frame *frame, unsigned int param)
{
	const struct param_desc *desc = &frame->desc->params[param];
	struct fdlist_entry entry = {.fd = param, .events = 1};
	uint8_t bytes[8];

	memset(bytes, (int)param + 1, sizeof(bytes));
	if (desc->type == PT_FDLIST) {
		frame_put_fdlist(frame, param, &entry, 1);
	} else if (desc->type == PT_DYN) {
		bytes[0] = 0;
		frame_put_bytes(frame, param, bytes, 1);
		if (param_type_size(desc->dyn[0].type)) {
			frame->used--;
			frame_put_dyn(frame, param, 0, param + 1);
		}
	} else if (param_type_size(desc->type)) {
		frame_put_bytes(frame, param, bytes, param_type_size(desc->type));
	} else {
		bytes[7] = 0;
		frame_put_bytes(frame, param, bytes, sizeof(bytes));
	}
}

static void begin(struct fixture *f, unsigned int id)
{
	frame_begin(&f->frame, (uint16_t)id, TS_NS, TID);
}

static void fill(struct fixture *f, unsigned int id)
{
	begin(f, id);
	for (unsigned int i = 0; i < f->frame.desc->nparams; i++)
		put_any(&f->frame, i);
}

static int convert(struct fixture *f)
{
	struct scap_event event = frame_end(&f->frame);

	event.cpu = CPU;
	event.hidden = true;
	memset(f->out, 0, sizeof(f->out));
	return scap_form_2022_frames(f->form, &event, f->out);
}

static struct ppm_evt_hdr header_of(const struct scap_event *event)
{
	struct ppm_evt_hdr header;

	memcpy(&header, event->frame, sizeof(header));
	return header;
}

static struct event_param param_of(const struct scap_event *event, unsigned int index)
{
	const uint8_t *lengths = (const uint8_t *)event->frame + sizeof(struct ppm_evt_hdr);
	const uint8_t *data = lengths + header_of(event).nparams * sizeof(uint16_t);
	uint16_t len = 0;

	for (unsigned int i = 0; i <= index; i++) {
		data += len;
		memcpy(&len, lengths + i * sizeof(len), sizeof(len));
	}
	return (struct event_param){data, len};
}

static bool is_text(enum param_type type)
{
	return type == PT_CHARBUF || type == PT_FSPATH || type == PT_FSRELPATH;
}

/* Readers look at a value of a fixed size, or at one that has its end in itself, without asking. */
static void check_value(enum param_type type, struct event_param param)
{
	if (param_type_size(type))
		assert_int_equal(param.len, param_type_size(type));
	else if (is_text(type))
		assert_true(param.len > 0 && param.data[param.len - 1] == '\0');
	else if (type == PT_FDLIST || type == PT_DYN)
		assert_true(param.len > 0);
}

/* The whole of a frame against the event of 2022 that it says it is. */
static void check_frame(struct fixture *f, const struct scap_event *event)
{
	struct ppm_evt_hdr header = header_of(event);
	const struct event_2022 *known;
	size_t len = sizeof(header) + header.nparams * sizeof(uint16_t);

	assert_true(header.type < SCAP_2022_EVENTS);
	known = &f->events[header.type];
	f->events[header.type].produced = true;
	assert_true(known->used || header.type == EVENT_procexit);
	assert_int_equal(header.ts, TS_NS);
	assert_int_equal(header.tid, TID);
	assert_int_equal(event->cpu, CPU);
	assert_true(event->hidden);
	assert_int_equal(header.nparams, known->nparams);
	for (unsigned int i = 0; i < header.nparams; i++) {
		check_value(known->params[i].type, param_of(event, i));
		len += param_of(event, i).len;
	}
	assert_int_equal(header.len, len);
	assert_int_equal(event->len, len);
}

/* Parameters that have another name today. */
static const char *name_today(const struct event_2022 *event, unsigned int id, const char *name)
{
	static const struct {
		const char *event, *name, *today;
		unsigned int id_from;
	} renamed[] = {
		{"dup", "fd", "oldfd", 0},
		{"execve", "pgid", "vpgid", 0},
		{"execveat", "pgid", "vpgid", 0},
		/* That of the event is another: what the program is like. */
		{"execveat", "flags", NULL, 330},
	};

	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
		if (strcmp(renamed[i].event, event->name) == 0 &&
		    strcmp(renamed[i].name, name) == 0 &&
		    (renamed[i].id_from == 0 || renamed[i].id_from == id))
			return renamed[i].today;
	return name;
}

/* The values of a frame are those of the event; what it does not have is 0, and no descriptor. */
static void check_values(struct fixture *f, const struct scap_event *event)
{
	unsigned int id = header_of(event).type;
	const struct event_2022 *known = &f->events[id];

	for (unsigned int i = 0; i < known->nparams; i++) {
		const char *name = name_today(known, id, known->params[i].name);
		int index = name ? event_param_find(f->frame.desc, name) : -1;
		struct event_param value = param_of(event, i);
		bool is_fd = known->params[i].type == PT_FD;

		for (uint32_t at = 0; index < 0 && at < value.len; at++)
			assert_int_equal(value.data[at], is_fd ? 0xff : 0);
		if (index >= 0) {
			uint32_t len = f->frame.params[index].len;

			assert_memory_equal(value.data, f->frame.values + f->frame.params[index].at,
					    len < value.len ? len : value.len);
			for (uint32_t at = len; at < value.len; at++)
				assert_int_equal(value.data[at], 0);
			if (!param_type_size(known->params[i].type))
				assert_int_equal(value.len, len);
		}
	}
}

static bool is_generic(const struct event_desc *desc)
{
	return desc->id == EVENT_syscall || desc->id == EVENT_bpf ||
	       desc->id >= EVENT_EXTENSION_FIRST ||
	       (desc->id >= SCAP_2022_EVENTS &&
		!strstr("dup dup2 dup3 accept4 umount umount2 pipe2 "
			"eventfd2 signalfd4 inotify_init1 ",
			desc->name));
}

/* An event with all its parameters, and one with none. */
static void check_event(struct fixture *f, const struct event_desc *desc)
{
	bool pair = desc->category & EC_SYSCALL;
	int count;

	fill(f, desc->id);
	count = convert(f);
	assert_int_equal(count, pair ? 2 : 1);
	for (int i = 0; i < count; i++) {
		check_frame(f, &f->out[i]);
		if (!is_generic(desc))
			check_values(f, &f->out[i]);
	}
	assert_int_equal(header_of(&f->out[count - 1]).type & 1, pair);
	if (pair)
		assert_int_equal(header_of(&f->out[0]).type + 1, header_of(&f->out[1]).type);
	assert_int_equal(header_of(&f->out[count - 1]).type == EVENT_syscall, is_generic(desc));

	begin(f, desc->id);
	assert_int_equal(convert(f), count);
	for (int i = 0; i < count; i++)
		if (pair)
			check_frame(f, &f->out[i]);
}

/* Enter events with parameters that we have reason not to write. */
static bool is_left_out(unsigned int id)
{
	switch (id) {
	case 98: /* mkdir and rmdir of before */
	case 100:
	case 148: /* drop and its end: no call */
	case 268: /* made by programs on request */
	case 296: /* bpf: sysdig dies when it is asked for its result */
		return true;
	default:
		return false;
	}
}

static void test_all_events(void **state)
{
	struct fixture *f = *state;

	load(f);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		/* The writer leaves out those of tracepoints. */
		if (desc && id >= EVENT_EXTENSION_FIRST && !(desc->category & EC_SYSCALL))
			continue;
		if (desc && (id % 2 || id < SCAP_2022_EVENTS || id >= EVENT_EXTENSION_FIRST) &&
		    !(desc->flags & EF_RECORDED))
			check_event(f, desc);
	}
	/* Every call that had a pair of events has it again. */
	for (unsigned int id = 0; id < SCAP_2022_EVENTS; id += 2)
		if (f->events[id].used && f->events[id].nparams && f->events[id + 1].used &&
		    !is_left_out(id) && !f->events[id].produced)
			fail_msg("no event gives a %s, %u", f->events[id].name, id);
}

static void check_ids(struct fixture *f, unsigned int id, unsigned int expected)
{
	fill(f, id);
	assert_int_equal(convert(f), 2);
	assert_int_equal(header_of(&f->out[0]).type, expected - 1);
	assert_int_equal(header_of(&f->out[1]).type, expected);
}

static void test_older_forms(void **state)
{
	struct fixture *f = *state;

	check_ids(f, EVENT_dup, 125);
	check_ids(f, EVENT_dup2, 125);
	check_ids(f, EVENT_dup3, 125);
	check_ids(f, EVENT_accept4, 249);
	check_ids(f, EVENT_umount, 259);
	check_ids(f, EVENT_umount2, 259);
	check_ids(f, EVENT_pipe2, 61);
	check_ids(f, EVENT_eventfd2, 63);
	check_ids(f, EVENT_signalfd4, 127);
	check_ids(f, EVENT_inotify_init1, 139);
	check_ids(f, EVENT_openat, 307);
}

static unsigned int u16_of(const struct scap_event *event, unsigned int index)
{
	struct event_param param = param_of(event, index);
	uint16_t value;

	assert_int_equal(param.len, sizeof(value));
	memcpy(&value, param.data, sizeof(value));
	return value;
}

static void check_generic(struct fixture *f, unsigned int code, unsigned int native)
{
	assert_int_equal(convert(f), 2);
	assert_int_equal(header_of(&f->out[0]).type, 0);
	assert_int_equal(header_of(&f->out[1]).type, 1);
	assert_int_equal(u16_of(&f->out[0], 0), code);
	assert_int_equal(u16_of(&f->out[0], 1), native);
	assert_int_equal(u16_of(&f->out[1], 0), code);
}

/* All that has no event becomes the generic one. */
static void test_generic_events(void **state)
{
	struct fixture *f = *state;

	for (unsigned int id = EVENT_EXTENSION_FIRST; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (!desc || !(desc->category & EC_SYSCALL))
			continue;
		fill(f, id);
		/* sysdig ends with SIGSEGV when it looks for the name of a later call. */
		check_generic(f, desc->syscall < SYSCALLS_2022 ? desc->syscall : SC_unknown,
			      (uint16_t)syscall_native_number(desc->syscall));
	}
	fill(f, EVENT_bpf);
	check_generic(f, SC_bpf, (unsigned int)syscall_native_number(SC_bpf));
	fill(f, EVENT_memfd_create);
	check_generic(f, SC_unknown, (unsigned int)syscall_native_number(SC_memfd_create));
}

/* That itself keeps the number that it came with, which may be that of another machine. */
static void test_the_generic_event(void **state)
{
	struct fixture *f = *state;

	begin(f, EVENT_syscall);
	frame_put_i64(&f->frame, syscall__ID, SC_clone3);
	frame_put_i64(&f->frame, syscall__nativeID, 777);
	check_generic(f, SC_clone3, 777);

	begin(f, EVENT_syscall);
	frame_put_i64(&f->frame, syscall__ID, SC_clone3 + 1);
	frame_put_i64(&f->frame, syscall__nativeID, 777);
	check_generic(f, SC_unknown, 777);

	begin(f, EVENT_syscall);
	frame_put_i64(&f->frame, syscall__ID, SC_getppid);
	check_generic(f, SC_getppid, (unsigned int)syscall_native_number(SC_getppid));

	begin(f, EVENT_syscall);
	frame_put_i64(&f->frame, syscall__ID, UINT16_MAX);
	check_generic(f, SC_unknown, NO_NATIVE);

	begin(f, EVENT_syscall);
	check_generic(f, SC_unknown, NO_NATIVE);
}

/* A child begins with the end of a call that it did not enter. */
static void test_clones(void **state)
{
	static const uint16_t clones[] = {EVENT_clone, EVENT_clone3, EVENT_fork, EVENT_vfork};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(clones) / sizeof(clones[0]); i++) {
		begin(f, clones[i]);
		frame_put_i64(&f->frame, clone__res, 0);
		assert_int_equal(convert(f), 1);
		assert_int_equal(header_of(&f->out[0]).type, clones[i]);
		begin(f, clones[i]);
		frame_put_i64(&f->frame, clone__res, 4712);
		assert_int_equal(convert(f), 2);
		assert_int_equal(header_of(&f->out[0]).type, clones[i] - 1);
	}
	begin(f, EVENT_close);
	frame_put_i64(&f->frame, close__res, 0);
	assert_int_equal(convert(f), 2);
}

static void test_latency_is_left_out(void **state)
{
	struct fixture *f = *state;

	fill(f, EVENT_close);
	f->frame.latency_ns = 99;
	assert_int_equal(convert(f), 2);
	assert_int_equal(header_of(&f->out[0]).nparams, 1);
	assert_int_equal(header_of(&f->out[1]).nparams, 1);
	assert_int_equal(f->out[1].len, sizeof(struct ppm_evt_hdr) + 2 + 8);
}

static void test_events_of_the_kernel_stay_as_they_are(void **state)
{
	static const uint16_t ids[] = {EVENT_switch, EVENT_page_fault, EVENT_signaldeliver,
				       EVENT_cpu_hotplug, EVENT_drop};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct scap_event event;

		fill(f, ids[i]);
		event = frame_end(&f->frame);
		assert_int_equal(scap_form_2022_frames(f->form, &event, f->out), 1);
		assert_int_equal(f->out[0].len, event.len);
		assert_memory_equal(f->out[0].frame, event.frame, event.len);
	}
}

/*
 * Of foreign files. sysdig dies of a container that has no text, and of a plugin's without number.
 */
static void test_without_parameters(void **state)
{
	static const struct {
		uint16_t id;
		int frames;
	} cases[] = {
		{EVENT_signaldeliver, 1}, {EVENT_notification, 1}, {EVENT_infra, 1},
		{EVENT_container, 0},	  {EVENT_pluginevent, 0},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ppm_evt_hdr header = {.len = sizeof(header), .type = cases[i].id};
		const struct scap_event event = {.frame = &header, .len = sizeof(header)};
		const struct event_desc *desc = event_desc_get(cases[i].id);

		assert_int_equal(scap_form_2022_frames(f->form, &event, f->out), cases[i].frames);
		if (cases[i].frames)
			assert_int_equal(header_of(&f->out[0]).nparams, desc->nparams);
	}
}

/* Their exit events bring them. */
static void test_enter_events_are_left_out(void **state)
{
	struct fixture *f = *state;
	unsigned int count = 0;

	for (unsigned int id = 0; id < EVENT_EXTENSION_FIRST; id += 2) {
		const struct event_desc *desc = event_desc_get(id);

		if (!desc || !(desc->category & EC_SYSCALL))
			continue;
		fill(f, id);
		assert_int_equal(convert(f), 0);
		count++;
	}
	assert_int_equal(count, 7);
}

/* Of what others left in their files, that which was known. */
static void test_events_of_files(void **state)
{
	static const struct {
		uint16_t id;
		int frames;
	} cases[] = {
		{EVENT_container, 1}, {EVENT_pluginevent, 1}, {EVENT_infra, 1},
		{EVENT_drop_end, 1},  {EVENT_asyncevent, 0},  {EVENT_useradded, 0},
		{EVENT_task, 0},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fill(f, cases[i].id);
		assert_int_equal(convert(f), cases[i].frames);
	}
}

static void test_corrupt_and_unknown(void **state)
{
	struct fixture *f = *state;
	struct scap_event event;
	struct ppm_evt_hdr header;

	fill(f, EVENT_openat);
	event = frame_end(&f->frame);
	event.len--;
	assert_int_equal(scap_form_2022_frames(f->form, &event, f->out), 0);

	header = header_of(&event);
	header.type = 335 + 17; /* an entry event that nobody writes */
	memcpy(f->frame.bytes, &header, sizeof(header));
	event.len++;
	assert_int_equal(scap_form_2022_frames(f->form, &event, f->out), 0);
}

/* Readers would find that it succeeded. */
static void test_faked_calls(void **state)
{
	struct fixture *f = *state;

	fill(f, EVENT_close);
	f->frame.marks.is_faked = 1;
	assert_int_equal(convert(f), 2);
	assert_int_equal(header_of(&f->out[1]).type, EVENT_syscall);
}

/* Behind the frame of an event may be more that can be read. */
static void test_the_largest_frame(void **state)
{
	struct fixture *f = *state;
	static uint8_t data[SNAPLEN_MAX];
	struct scap_event event;

	begin(f, EVENT_sendto);
	frame_put_bytes(&f->frame, sendto__data, data, sizeof(data));
	event = frame_end(&f->frame);
	event.len = sizeof(f->frame.bytes) + 1000;
	assert_int_equal(scap_form_2022_frames(f->form, &event, f->out), 2);
	assert_int_equal(param_of(&f->out[1], sendto__data).len, sizeof(data));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_all_events, setup, teardown),
	cmocka_unit_test_setup_teardown(test_older_forms, setup, teardown),
	cmocka_unit_test_setup_teardown(test_generic_events, setup, teardown),
	cmocka_unit_test_setup_teardown(test_the_generic_event, setup, teardown),
	cmocka_unit_test_setup_teardown(test_clones, setup, teardown),
	cmocka_unit_test_setup_teardown(test_latency_is_left_out, setup, teardown),
	cmocka_unit_test_setup_teardown(test_without_parameters, setup, teardown),
	cmocka_unit_test_setup_teardown(test_events_of_the_kernel_stay_as_they_are, setup,
					teardown),
	cmocka_unit_test_setup_teardown(test_enter_events_are_left_out, setup, teardown),
	cmocka_unit_test_setup_teardown(test_events_of_files, setup, teardown),
	cmocka_unit_test_setup_teardown(test_corrupt_and_unknown, setup, teardown),
	cmocka_unit_test_setup_teardown(test_faked_calls, setup, teardown),
	cmocka_unit_test_setup_teardown(test_the_largest_frame, setup, teardown),
};

UNIT_GROUP(tests);
