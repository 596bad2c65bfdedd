/* SPDX-License-Identifier: MIT */
/* An agent that is taken over, and what the other one may do wrong: then it goes on. */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/run/run.h"
#include "fake_target.h"
#include "quiet_input.h"
#include "tree.h"
#include "unit.h"
#include "util/clock.h"

enum { TRIES = 6000, TURN_MS = 10, AHEAD_NS = 30000000, OTHER_PID = 4711 };

static const uint64_t LONG_NS = UINT64_C(10000000000);

static struct tree tree;
static char pid_path[TREE_PATH_BYTES];
static struct options options;
static struct quiet_input input;
static struct plan plan;
static struct run run;
static struct channel other;

static int setup(void **state)
{
	struct output_view view = {.format = &format_text};
	struct output *output;

	fake_begin();
	tree_create(&tree);
	tree_path(&tree, "agent.pid", pid_path);
	options = (struct options){.pid_file = pid_path};
	quiet_input_init(&input);
	run = (struct run){.options = &options, .plan = &plan, .input = &input.input};
	assert_int_equal(output_create(fake_config(""), &view, &output, NULL), 0);
	assert_int_equal(outputs_add(&run.outputs, output), 0);
	assert_int_equal(outputs_open(&run.outputs, false, NULL, NULL), 0);
	other = (struct channel){.fd = -1};
	takeover_old_begin(&run);
	return 0;
}

static int teardown(void **state)
{
	channel_close(&other);
	outputs_finish(&run.outputs);
	takeover_old_stop(&run);
	takeover_old_finish(&run);
	quiet_input_finish(&input);
	tree_destroy(&tree);
	fake_end();
	return 0;
}

/* A turn of the loop. */
static void turn(void)
{
	struct scap_event event;

	takeover_old_step(&run, clock_ns(CLOCK_MONOTONIC));
	scap_source_next(run.input->ops->step(run.input), TURN_MS, &event);
}

/* Turns until there is an answer: 1, or the error of the connection. */
static int receive(struct takeover_message *answer)
{
	int got = 0;

	for (int i = 0; i < TRIES && got == 0; i++) {
		turn();
		got = channel_receive(&other, 0, answer, NULL);
	}
	return got;
}

static void expect_answer(enum takeover_kind kind, struct takeover_message *answer)
{
	assert_int_equal(receive(answer), 1);
	assert_int_equal(answer->kind, kind);
}

static void expect_closed(void)
{
	struct takeover_message answer;

	assert_true(receive(&answer) < 0);
	channel_close(&other);
}

static void connect_other(void)
{
	struct buf path = {0};

	assert_int_equal(channel_path(pid_path, &path), 0);
	assert_int_equal(channel_connect(path.data, &other, NULL), 0);
	buf_finish(&path);
}

static void send_message(const struct takeover_message *message)
{
	assert_int_equal(channel_send(&other, message, 1000, NULL), 0);
}

static void greet(void)
{
	struct takeover_message answer;

	connect_other();
	send_message(&(struct takeover_message){
		.kind = TAKEOVER_HELLO, .protocol = TAKEOVER_PROTOCOL, .pid = OTHER_PID});
	expect_answer(TAKEOVER_WELCOME, &answer);
	assert_int_equal(answer.protocol, TAKEOVER_PROTOCOL);
	assert_int_equal(answer.pid, getpid());
	assert_string_not_equal(answer.text, "");
	takeover_message_finish(&answer);
}

static void send_boundary(uint64_t time_ns)
{
	send_message(
		&(struct takeover_message){.kind = TAKEOVER_BOUNDARY, .boundary_ns = time_ns});
}

/* As the other agent does: when a boundary is past by the time it arrives, a later one. */
static void expect_reached(struct takeover_message *reached)
{
	uint64_t ahead_ns = AHEAD_NS;

	send_boundary(clock_ns(CLOCK_BOOTTIME) + ahead_ns);
	while (receive(reached) == 1 && reached->kind == TAKEOVER_LATER && ahead_ns < LONG_NS) {
		ahead_ns *= 2;
		send_boundary(clock_ns(CLOCK_BOOTTIME) + ahead_ns);
	}
	assert_int_equal(reached->kind, TAKEOVER_REACHED);
}

static void reach(struct takeover_message *reached)
{
	greet();
	expect_reached(reached);
}

/* It captures as if nothing had happened, and another one can take over. */
static void expect_goes_on(void)
{
	turn();
	turn();
	assert_false(run.ended);
	assert_false(takeover_old_is_gone(&run.takeover_old));
	assert_null(boundary_source(&input.boundary));
	assert_false(run.input->changing);
	greet();
}

static void test_the_whole_way(void **state)
{
	struct takeover_message answer;

	run.outputs.list[0]->number = 12;
	reach(&answer);
	assert_true(run.input->changing);
	assert_int_equal(answer.outputs_count, 1);
	assert_string_equal(answer.outputs[0].identity, "fake");
	assert_string_equal(answer.outputs[0].stream, run.outputs.list[0]->stream);
	assert_int_equal(answer.outputs[0].number, 12);
	assert_true(answer.patience_ns > run.outputs.list[0]->config->stop_ns);
	takeover_message_finish(&answer);
	assert_false(run.ended);
	send_message(&(struct takeover_message){.kind = TAKEOVER_GO});
	for (int i = 0; i < TRIES && !run.ended; i++)
		turn();
	assert_true(run.ended);
	assert_true(takeover_old_is_gone(&run.takeover_old));
	takeover_old_account(&run);
	takeover_old_stop(&run);
	/* Not before all is released. */
	assert_int_equal(channel_receive(&other, 0, &answer, NULL), 0);
	takeover_old_finish(&run);
	assert_int_equal(channel_receive(&other, 1000, &answer, NULL), 1);
	assert_int_equal(answer.kind, TAKEOVER_RELEASED);
	assert_int_equal(answer.seen, 10);
	assert_int_equal(answer.delivered, 7);
	assert_int_equal(answer.lost, 2);
	assert_int_equal(answer.corrupt, 1);
	assert_int_equal(answer.outputs[0].number, 12);
	takeover_message_finish(&answer);
}

static void test_the_other_one_dies(void **state)
{
	struct takeover_message answer;

	greet();
	channel_close(&other);
	expect_goes_on();
	channel_close(&other);
	expect_goes_on();
	send_boundary(clock_ns(CLOCK_BOOTTIME) + 1000 * UINT64_C(1000000000));
	for (int i = 0; i < TRIES && !run.input->changing; i++)
		turn();
	assert_true(run.input->changing);
	channel_close(&other);
	expect_goes_on();
	channel_close(&other);
	reach(&answer);
	takeover_message_finish(&answer);
	channel_close(&other);
	expect_goes_on();
}

static void test_silence(void **state)
{
	connect_other();
	for (int i = 0; i < TRIES && run.takeover_old.state != TAKEOVER_OLD_TALKS; i++)
		turn();
	takeover_old_step(&run, run.takeover_old.due_ns - 1);
	assert_int_equal(run.takeover_old.state, TAKEOVER_OLD_TALKS);
	takeover_old_step(&run, run.takeover_old.due_ns);
	assert_int_equal(run.takeover_old.state, TAKEOVER_OLD_ALONE);
	expect_closed();
}

static void test_no_go(void **state)
{
	struct takeover_message answer;

	reach(&answer);
	takeover_message_finish(&answer);
	takeover_old_step(&run, run.takeover_old.due_ns);
	expect_closed();
	expect_goes_on();
}

static void test_later(void **state)
{
	struct takeover_message answer;

	greet();
	send_boundary(clock_ns(CLOCK_BOOTTIME));
	expect_answer(TAKEOVER_LATER, &answer);
	input.busy = true;
	send_boundary(clock_ns(CLOCK_BOOTTIME) + AHEAD_NS);
	expect_answer(TAKEOVER_LATER, &answer);
	input.busy = false;
	run.input->changing = true;
	send_boundary(clock_ns(CLOCK_BOOTTIME) + AHEAD_NS);
	expect_answer(TAKEOVER_LATER, &answer);
	run.input->changing = false;
	expect_reached(&answer);
	takeover_message_finish(&answer);
}

/* A capture that is opened during a reload would be younger than that of the other agent. */
static void test_busy_at_the_hello(void **state)
{
	struct takeover_message answer;

	connect_other();
	input.busy = true;
	send_message(&(struct takeover_message){
		.kind = TAKEOVER_HELLO, .protocol = TAKEOVER_PROTOCOL, .pid = OTHER_PID});
	expect_answer(TAKEOVER_LATER, &answer);
	assert_false(takeover_old_is_busy(&run.takeover_old));
	input.busy = false;
	send_message(&(struct takeover_message){
		.kind = TAKEOVER_HELLO, .protocol = TAKEOVER_PROTOCOL, .pid = OTHER_PID});
	expect_answer(TAKEOVER_WELCOME, &answer);
	takeover_message_finish(&answer);
	assert_true(takeover_old_is_busy(&run.takeover_old));
	channel_close(&other);
	expect_goes_on();
}

/* A run that ends by itself has all events that were captured until then. */
static void test_this_one_ends(void **state)
{
	struct takeover_message answer;
	struct scap_event event;

	takeover_old_leave(&run);
	reach(&answer);
	takeover_message_finish(&answer);
	takeover_old_leave(&run);
	expect_closed();
	assert_int_equal(scap_source_next(run.input->ops->step(run.input), 0, &event), 0);
	assert_null(boundary_source(&input.boundary));
}

static void test_another_protocol(void **state)
{
	struct takeover_message answer;

	connect_other();
	send_message(&(struct takeover_message){.kind = TAKEOVER_HELLO,
						 .protocol = TAKEOVER_PROTOCOL + 1});
	expect_answer(TAKEOVER_WELCOME, &answer);
	assert_int_equal(answer.protocol, TAKEOVER_PROTOCOL);
	takeover_message_finish(&answer);
	expect_closed();
	expect_goes_on();
}

static void test_wrong_messages(void **state)
{
	connect_other();
	send_message(&(struct takeover_message){.kind = TAKEOVER_GO});
	expect_closed();
	greet();
	send_message(&(struct takeover_message){.kind = TAKEOVER_GO});
	expect_closed();
	greet();
	assert_int_equal(send(other.fd, "GET / HTTP/1.1\r\n", 16, 0), 16);
	expect_closed();
	expect_goes_on();
}

static void test_who_cannot_be_taken_over(void **state)
{
	struct channel channel;
	struct buf path = {0};

	takeover_old_stop(&run);
	takeover_old_finish(&run);
	options.write = "/x";
	takeover_old_begin(&run);
	assert_int_equal(channel_path(pid_path, &path), 0);
	assert_true(channel_connect(path.data, &channel, NULL) < 0);
	options.write = NULL;
	options.pid_file = NULL;
	takeover_old_begin(&run);
	assert_int_equal(run.takeover_old.state, TAKEOVER_OLD_CLOSED);
	takeover_old_step(&run, 0);
	buf_finish(&path);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_the_whole_way, setup, teardown),
	cmocka_unit_test_setup_teardown(test_the_other_one_dies, setup, teardown),
	cmocka_unit_test_setup_teardown(test_silence, setup, teardown),
	cmocka_unit_test_setup_teardown(test_no_go, setup, teardown),
	cmocka_unit_test_setup_teardown(test_later, setup, teardown),
	cmocka_unit_test_setup_teardown(test_busy_at_the_hello, setup, teardown),
	cmocka_unit_test_setup_teardown(test_this_one_ends, setup, teardown),
	cmocka_unit_test_setup_teardown(test_another_protocol, setup, teardown),
	cmocka_unit_test_setup_teardown(test_wrong_messages, setup, teardown),
	cmocka_unit_test_setup_teardown(test_who_cannot_be_taken_over, setup, teardown),
};

UNIT_GROUP(tests);
