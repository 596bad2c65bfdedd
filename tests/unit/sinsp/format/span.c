/* SPDX-License-Identifier: MIT */
/*
 * Lines of which parts are kept have the same bytes as lines that are written anew, whatever
 * happens to containers between two events.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "contained.h"
#include "formatted.h"
#include "sinsp/fields/field.h"
#include "sinsp/format/formatter_impl.h"
#include "sinsp/state/container_state.h"
#include "sinsp/state/program.h"
#include "unit.h"

enum { PROCESSES = 12, FIRST_PID = 200, GROUPS = 6, STEPS = UNIT_ROUNDS(1000) };

#define POD_UID "2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80"

static const char *const groups[GROUPS] = {
	"/",
	"/docker/" CONTAINER_ID,
	"/docker/" SANDBOX_ID,
	/* The same container, now in a pod. */
	"/kubepods/burstable/pod" POD_UID "/" SANDBOX_ID,
	"/lxc.payload.first/init.scope",
	"/lxc.payload.second/init.scope",
};

/* Formatters of the same kind: one for all events, and one that is made for each. */
struct outputs {
	const struct output_format *output;
	bool as_list; /* of fields; else a format */
	struct text_style style;
	struct buf text;
	struct formatter *lasting;
};

static struct formatter *make(const struct outputs *outputs)
{
	struct formatter *made = NULL;
	struct filter_error err = {0};
	int code =
		outputs->as_list
			? formatter_create_fields(outputs->output, outputs->text.data, &made, &err)
			: formatter_create_format(outputs->output, outputs->text.data, &made, &err);

	if (code)
		fail_msg("%s: %s", outputs->text.data, err.text);
	formatter_set_style(made, &outputs->style);
	return made;
}

static void append_argument(struct buf *text, const struct field_desc *desc)
{
	if (desc->flags & FIELD_ARG_REQUIRED)
		buf_append_string(text, desc->arg == FIELD_ARG_LABEL ? "[app]" : "[0]");
}

/* All fields of a kind that can be kept, after one that cannot, with others between. */
static void append_kind(struct outputs *outputs, unsigned int flag, const char *between,
			unsigned int least)
{
	const char *mark = outputs->as_list ? "" : "%";
	unsigned int count = 0;

	for (const struct field_desc *const *table = field_tables; *table; table++)
		for (const struct field_desc *desc = *table; desc->name; desc++) {
			if (!(desc->flags & flag))
				continue;
			buf_printf(&outputs->text, "%s%s%s", between, mark, desc->name);
			append_argument(&outputs->text, desc);
			if (++count % 10 == 0)
				buf_printf(&outputs->text, "%s%sevt.type", between, mark);
		}
	assert_true(count > least);
}

static void append_all(struct outputs *outputs, const char *between)
{
	buf_printf(&outputs->text, "%sevt.num", outputs->as_list ? "" : "%");
	append_kind(outputs, FIELD_OF_CONTAINER, between, 40);
	append_kind(outputs, FIELD_OF_THREAD, between, 18);
}

static void check_event(const struct outputs *outputs, const struct state_event *event)
{
	struct formatter *fresh = make(outputs);
	struct buf kept = {0}, written = {0};
	bool printed = formatter_write(outputs->lasting, event, &kept);

	assert_int_equal(printed, formatter_write(fresh, event, &written));
	assert_int_equal(kept.len, written.len);
	if (kept.len)
		assert_memory_equal(kept.data, written.data, kept.len);
	buf_finish(&kept);
	buf_finish(&written);
	formatter_destroy(fresh);
}

/* Reproducible. */
static unsigned int choose(unsigned int below)
{
	static uint64_t seed = 1;

	seed = seed * UINT64_C(6364136223846793005) + 1;
	return (unsigned int)(seed >> 33) % below;
}

static const char *choose_text(struct state_texts *texts)
{
	static const char *const forms[] = {"", "plain", "quo\"te", "not UTF-8: \xff", "a\tb"};
	char text[64];
	int len = snprintf(text, sizeof(text), "%s %u", forms[choose(5)], choose(1000));

	return choose(3) ? arena_text(&texts->arena, text, (size_t)len) : NULL;
}

static struct state_container_info *choose_info(void)
{
	struct state_container_info *info = contained_info();

	info->name = choose_text(&info->texts);
	info->image.name = choose_text(&info->texts);
	info->ip = choose_text(&info->texts);
	info->pod.name = choose_text(&info->texts);
	info->pod.uid = choose_text(&info->texts);
	info->privileged = choose(3);
	if (choose(2))
		info->labels = (struct state_labels){0};
	if (choose(2))
		info->mounts = (struct state_mounts){0};
	return info;
}

static void describe(struct drive *world, struct state_container *container)
{
	static const enum state_meta states[] = {STATE_META_MISSING, STATE_META_OK};
	enum state_meta state = states[choose(2)];

	state_container_set_info(&world->state->containers, container, state,
				 choose(4) ? choose_info() : NULL);
}

/* By the API of Kubernetes, which lists one of the containers, or not. */
static void describe_pod(struct drive *world)
{
	static const struct state_pod_container listed = {.id = SANDBOX_ID, .name = "listed"};
	struct state_pod_info *info = state_pod_info_create();

	assert_non_null(info);
	info->pod.uid = POD_UID;
	info->pod.name = choose_text(&info->texts);
	info->pod.ns = choose_text(&info->texts);
	info->containers = (struct state_pod_containers){&listed, choose(2)};
	state_describe_pod(world->state, info);
}

static void set_program(struct drive *world, struct state_thread *thread, const char *exe,
			const char *args)
{
	const struct state_program program = {
		.exe = exe, .exepath = exe, .args = args, .args_len = *args ? 5 : 0, .env = ""};

	state_program_unref(&world->state->pool, thread->program);
	thread->program = state_program_create(&world->state->pool, &program);
	assert_non_null(thread->program);
}

/* Changes what fields of threads depend on. */
static void change_thread(struct drive *world)
{
	static const char *const names[] = {"sh", "quo\"te", "not UTF-8: \xff", ""};
	struct state_thread *thread = world_self(world);

	switch (choose(8)) {
	case 0:
		set_program(world, thread, names[choose(3)], choose(2) ? "-x\0y" : "");
		break;
	case 1:
		state_set_comm(thread, names[choose(4)]);
		break;
	case 2:
		thread->uid = choose(3);
		break;
	case 3:
		state_threads_set_parent(&world->state->threads, thread,
					 FIRST_PID + choose(PROCESSES));
		break;
	default:
		break;
	}
}

/* Changes a process, its container, its pod, or nothing. */
static void change(struct drive *world)
{
	struct state_container *container = world_self(world)->cgroups->container;

	switch (choose(8)) {
	case 0:
		contained_set_group(world, groups[choose(GROUPS)]);
		break;
	case 1:
		if (container)
			describe(world, container);
		break;
	case 2:
		if (container)
			state_container_set_pending(container);
		break;
	case 3:
		describe_pod(world);
		break;
	case 4:
		state_forget_pod(world->state, POD_UID);
		break;
	default:
		change_thread(world);
		break;
	}
}

static void test_same_bytes(struct drive *world, struct outputs *outputs)
{
	buf_append_char(&outputs->text, '\0');
	outputs->lasting = make(outputs);
	for (unsigned int i = 0; i < PROCESSES; i++)
		world_process(world, &(struct world_process){.pid = FIRST_PID + i, .comm = "p"});
	for (unsigned int i = 0; i < STEPS; i++) {
		world_begin(world, EVENT_read, FIRST_PID + choose(PROCESSES + 1));
		frame_put_i64(&world->frame, read__res, choose(2) ? 0 : -EIO);
		world_end(world);
		if (world->event.thread)
			change(world);
		check_event(outputs, &world->event);
	}
	formatter_destroy(outputs->lasting);
	buf_finish(&outputs->text);
}

static void test_json_list(void **state)
{
	struct outputs outputs = {.output = &format_json, .as_list = true};

	append_all(&outputs, ",");
	test_same_bytes(*state, &outputs);
}

static void test_json_default(void **state)
{
	struct outputs outputs = {.output = &format_json, .as_list = true};

	BUF_LITERAL(&outputs.text, "container.full_id,default,k8s.pod.labels");
	test_same_bytes(*state, &outputs);
}

static void test_json_nulls(void **state)
{
	struct outputs outputs = {.output = &format_json};

	BUF_LITERAL(&outputs.text, "*");
	append_all(&outputs, " ");
	test_same_bytes(*state, &outputs);
}

/* A line is dropped if a value is missing. */
static void test_dropped_lines(void **state)
{
	struct outputs outputs = {.output = &format_json};

	BUF_LITERAL(&outputs.text, "%container.id %container.name %container.ip %evt.num");
	test_same_bytes(*state, &outputs);
}

static void check_text(struct drive *world, const struct text_style *style)
{
	struct outputs outputs = {.output = &format_text, .style = *style};

	BUF_LITERAL(&outputs.text,
		    "*%5container.name (%container.id) %20k8s.pod.name %evt.type %evt.res|");
	append_all(&outputs, "/");
	test_same_bytes(world, &outputs);
}

static void test_text(void **state)
{
	check_text(*state, &(const struct text_style){0});
}

/* Some events fail, which other columns show by their colour. */
static void test_coloured_text(void **state)
{
	check_text(*state, &(const struct text_style){.coloured = true});
}

static struct formatter *list(const char *fields)
{
	struct formatter *formatter = NULL;
	struct filter_error err;

	assert_int_equal(formatter_create_fields(&format_json, fields, &formatter, &err), 0);
	return formatter;
}

static void hide_nothing(void *context, char *text, size_t len)
{
}

/* Its spans are those for lines whose secrets are hidden. */
static struct formatter *hiding(const char *fields)
{
	struct formatter *formatter = list(fields);

	formatter_set_hider(formatter, &(const struct text_hider){.text = hide_nothing});
	return formatter;
}

/*
 * Spans as text: those of containers between bars, those of threads in angle brackets; of the
 * others, those with texts in brackets. Destroys the formatter.
 */
static void expect_spans(struct formatter *formatter, const char *spans, size_t for_host)
{
	static const char *const forms[] = {
		[SPAN_EVENT] = " %zu ", [SPAN_CONTAINER] = "|%zu|", [SPAN_THREAD] = "<%zu>"};
	struct buf text = {0};

	for (size_t i = 0; i < formatter->spans_count; i++) {
		const struct format_span *span = &formatter->spans[i];

		buf_printf(&text,
			   span->kind == SPAN_EVENT && span->has_texts ? "(%zu)"
								       : forms[span->kind],
			   (size_t)(span->end - span->begin));
	}
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, spans);
	assert_int_equal(formatter->host_spans, for_host);
	buf_finish(&text);
	formatter_destroy(formatter);
}

static void test_spans(void **state)
{
	expect_spans(hiding("evt.num"), " 1 ", 1);
	expect_spans(hiding("container.id"), "|1|", 1);
	expect_spans(
		hiding("evt.num,container.id,k8s.pod.label[a],evt.type,evt.res,container.image"),
		" 1 |2| 2 |1|", 4);
	expect_spans(hiding("container.start_ts,container.duration,container.mounts"), " 2 |1|", 2);
	/* Those for events of containers alone are apart. */
	expect_spans(hiding("default"), " 5 (1)<7> 3 (2)|5|", 5);
	expect_spans(hiding("default,container.full_id"), " 5 (1)<7> 3 (2)|1||5|", 6);
	/* Few columns of the thread are not worth it. */
	expect_spans(
		hiding("proc.pid,proc.name,evt.type,thread.tid,proc.ppid,proc.exe,container.id"),
		" 1 (1) 1 <3>|1|", 5);
	expect_spans(hiding("container.id,proc.pid,container.name"), "|1| 1 |1|", 3);
	/* What has a transformer is computed. */
	expect_spans(formatted_create(&format_json,
				      "%container.id %toupper(container.image) %container.type",
				      &(const struct text_style){0}),
		     "|1|(1)|1|", 3);
	/* Nothing is looked for in texts: one span for all. */
	expect_spans(list("evt.num,evt.type,fd.name,evt.cpu,proc.cwd"), "(5)", 1);
}

/* A container's bytes are kept from its first event on, and those of the host. */
static void test_kept(void **state)
{
	struct drive *world = *state;
	struct formatter *formatter = NULL;
	struct filter_error err;
	struct buf out = {0};
	size_t bytes;

	assert_int_equal(formatter_create_fields(&format_json,
						 "evt.num,container.name,container.id", &formatter,
						 &err),
			 0);
	formatter_append(formatter, &world->event, &out);
	bytes = formatter->of_containers.bytes.len;
	assert_true(bytes > 0 && bytes < out.len);
	formatter_append(formatter, &world->event, &out);
	assert_int_equal(formatter->of_containers.bytes.len, bytes);
	contained_set_group(world, "/");
	formatter_append(formatter, &world->event, &out);
	assert_int_equal(formatter->of_containers.bytes.len,
			 bytes + strlen(",\"container.name\":\"host\",\"container.id\":\"host\""));
	buf_finish(&out);
	formatter_destroy(formatter);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, contained_setup, world_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_json_list),	  TEST(test_json_default), TEST(test_json_nulls),
	TEST(test_dropped_lines), TEST(test_text),	   TEST(test_coloured_text),
	TEST(test_spans),	  TEST(test_kept),
};

UNIT_GROUP(tests);
