/* SPDX-License-Identifier: MIT */
/* An agent that takes over from another one, which does what the test says. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "agent/run/run.h"
#include "fake_target.h"
#include "quiet_input.h"
#include "tree.h"
#include "unit.h"

enum { WAIT_MS = 60000, LATER_TIMES = 2, LATE_US = 300000 };

/* How far the other one goes before it closes the connection. */
enum way { TO_HELLO, TO_PROTOCOL, TO_LATER, TO_BOUNDARY, TO_GO, TO_THE_END };

struct other {
	enum way way;
	int listener;
	struct channel channel;
	pthread_t thread;
	bool is_late; /* it has the pid file, and listens after a while */
	bool failed, was_told; /* to go */
};

static struct tree tree;
static char pid_path[TREE_PATH_BYTES];
static struct options options;
static struct quiet_input input;
static struct plan plan;
static struct run run;
static struct other other;

static int setup(void **state)
{
	struct output_view view = {.format = &format_text};
	struct output *output;

	fake_begin();
	tree_create(&tree);
	tree_path(&tree, "agent.pid", pid_path);
	options = (struct options){.pid_file = pid_path, .takeover = TAKEOVER_EXIT};
	quiet_input_init(&input);
	run = (struct run){.options = &options, .plan = &plan, .input = &input.input};
	assert_int_equal(output_create(fake_config(""), &view, &output, NULL), 0);
	assert_int_equal(outputs_add(&run.outputs, output), 0);
	return 0;
}

static int teardown(void **state)
{
	outputs_finish(&run.outputs);
	pid_file_close(&run.pid_file);
	takeover_new_finish(&run);
	quiet_input_finish(&input);
	tree_destroy(&tree);
	fake_end();
	return 0;
}

static bool receive(enum takeover_kind kind, struct takeover_message *message)
{
	if (channel_receive(&other.channel, WAIT_MS, message, NULL) != 1)
		return false;
	return message->kind == kind;
}

static void answer(const struct takeover_message *message)
{
	other.failed |= channel_send(&other.channel, message, WAIT_MS, NULL) != 0;
}

static void add_output(struct takeover_message *message, uint64_t number)
{
	*takeover_add_output(message) = (struct takeover_output){
		.identity = strdup("fake"),
		.stream = "0123456789abcdef",
		.number = number,
		.formatted = number,
		.delivered = number - 3,
		.dropped = 1,
		.undelivered = 2,
	};
}

static bool answer_boundary(void)
{
	struct takeover_message message, reached = {.kind = TAKEOVER_REACHED};

	for (int i = 0; other.way == TO_LATER && i < LATER_TIMES; i++) {
		if (!receive(TAKEOVER_BOUNDARY, &message))
			return false;
		answer(&(struct takeover_message){.kind = TAKEOVER_LATER});
	}
	if (!receive(TAKEOVER_BOUNDARY, &message))
		return false;
	if (other.way == TO_BOUNDARY)
		return true;
	add_output(&reached, 20);
	answer(&reached);
	takeover_message_finish(&reached);
	if (!receive(TAKEOVER_GO, &message))
		return false;
	other.was_told = true;
	return true;
}

static bool receive_hello(void)
{
	struct takeover_message message;
	bool received = receive(TAKEOVER_HELLO, &message);

	takeover_message_finish(&message);
	return received;
}

static bool play(void)
{
	struct takeover_message released = {.kind = TAKEOVER_RELEASED};
	bool greeted = receive_hello();

	for (int i = 0; greeted && other.way == TO_LATER && i < LATER_TIMES; i++) {
		answer(&(struct takeover_message){.kind = TAKEOVER_LATER});
		greeted = receive_hello();
	}
	if (!greeted || other.way == TO_HELLO)
		return greeted;
	answer(&(struct takeover_message){
		.kind = TAKEOVER_WELCOME,
		.protocol = TAKEOVER_PROTOCOL + (other.way == TO_PROTOCOL),
		.text = "9.8.7",
		.pid = 4711,
	});
	if (other.way == TO_PROTOCOL)
		return true;
	if (!answer_boundary() || other.way == TO_BOUNDARY || other.way == TO_GO)
		return other.way == TO_BOUNDARY || other.was_told;
	add_output(&released, 21);
	released.seen = 5;
	released.delivered = 4;
	released.lost = 1;
	answer(&released);
	takeover_message_finish(&released);
	return true;
}

static void listen_other(void)
{
	struct buf path = {0};

	if (channel_path(pid_path, &path) == 0)
		other.listener = channel_listen(path.data, NULL);
	buf_finish(&path);
}

static void *run_other(void *context)
{
	int code = -EAGAIN;

	if (other.is_late) {
		usleep(LATE_US);
		listen_other();
	}
	for (int i = 0; i < WAIT_MS && code == -EAGAIN; i++) {
		code = channel_accept(other.listener, &other.channel, NULL);
		usleep(1000);
	}
	other.failed |= code || !play();
	channel_close(&other.channel);
	return NULL;
}

static void begin_other(enum way way)
{
	other = (struct other){.way = way};
	listen_other();
	assert_true(other.listener >= 0);
	assert_int_equal(pthread_create(&other.thread, NULL, run_other, NULL), 0);
}

static void end_other(void)
{
	pthread_join(other.thread, NULL);
	close(other.listener);
	assert_false(other.failed);
}

static void expect_ask(int code, const char *words)
{
	struct error err = {""};

	assert_int_equal(takeover_new_ask(&run, &err), code);
	if (code)
		assert_non_null(strstr(err.text, words));
}

static void expect_complete(int code, const char *words)
{
	struct error err = {""};

	expect_ask(0, NULL);
	assert_true(run.takeover_new.is_active);
	assert_int_equal(takeover_new_begin(&run, &err), 0);
	assert_true(run.input->changing);
	assert_int_equal(takeover_new_complete(&run, &err), code);
	if (code)
		assert_non_null(strstr(err.text, words));
}

static void test_no_other_agent(void **state)
{
	struct pid_file another;

	expect_ask(0, NULL);
	assert_false(run.takeover_new.is_active);
	/* From here on others have to ask this one. */
	assert_int_equal(pid_file_open(&another, pid_path, NULL), -EBUSY);
	pid_file_close(&run.pid_file);
	options.takeover = TAKEOVER_NOT;
	expect_ask(0, NULL);
	assert_int_equal(pid_file_open(&another, pid_path, NULL), 0);
	pid_file_close(&another);
}

static void test_a_pid_file_that_cannot_be_had(void **state)
{
	char path[TREE_PATH_BYTES];

	tree_path(&tree, "none/agent.pid", path);
	options.pid_file = path;
	expect_ask(-ENOENT, "its folder is missing");
}

static void test_one_that_closes(void **state)
{
	begin_other(TO_HELLO);
	expect_ask(-ECONNRESET, "goes on: the other agent has closed");
	end_other();
}

/* An agent has its pid file before it listens. */
static void test_one_that_has_just_been_started(void **state)
{
	struct pid_file file;

	assert_int_equal(pid_file_open(&file, pid_path, NULL), 0);
	other = (struct other){.way = TO_HELLO, .is_late = true};
	assert_int_equal(pthread_create(&other.thread, NULL, run_other, NULL), 0);
	expect_ask(-ECONNRESET, "goes on: the other agent has closed");
	end_other();
	pid_file_close(&file);
}

static void test_another_protocol(void **state)
{
	begin_other(TO_PROTOCOL);
	expect_ask(-EPROTO, "it is version 9.8.7 with protocol 2");
	end_other();
}

/* Before it was told to go the new one is the one that ends, as long as the other one runs. */
static void test_one_that_closes_before(void **state)
{
	struct pid_file file;

	assert_int_equal(pid_file_open(&file, pid_path, NULL), 0);
	begin_other(TO_BOUNDARY);
	expect_complete(-ECONNRESET, "goes on: the other agent has closed");
	end_other();
	assert_false(other.was_told);
	pid_file_close(&file);
}

static void test_one_that_ends_before(void **state)
{
	struct error err = {""};

	begin_other(TO_BOUNDARY);
	expect_complete(0, NULL);
	end_other();
	assert_false(run.takeover_new.is_active);
	assert_int_equal(takeover_new_open(&run, &err), 0);
	takeover_new_continue_outputs(&run);
	assert_false(run.outputs.list[0]->continues);
}

static void expect_report(const char *wanted)
{
	struct buf text = {0};

	takeover_new_append_report(&run, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, wanted);
	buf_finish(&text);
}

static void test_the_whole_way(void **state)
{
	struct error err = {""};

	begin_other(TO_LATER);
	expect_complete(0, NULL);
	end_other();
	assert_true(other.was_told);
	assert_false(run.takeover_new.died);
	takeover_new_continue_outputs(&run);
	assert_int_equal(outputs_open(&run.outputs, false, NULL, NULL), 0);
	assert_int_equal(takeover_new_open(&run, &err), 0);
	assert_string_equal(run.outputs.list[0]->stream, "0123456789abcdef");
	assert_int_equal(run.outputs.list[0]->number, 21);
	expect_report("agent: with process 4711, from which it took over: seen 15 = delivered 11 + "
		      "lost 3 + corrupt 1\n"
		      "agent: output fake: of both: formatted 21 = delivered 18 + dropped 1\n");
}

static void test_one_that_dies(void **state)
{
	begin_other(TO_GO);
	expect_complete(0, NULL);
	end_other();
	assert_true(run.takeover_new.died);
	takeover_new_continue_outputs(&run);
	assert_int_equal(outputs_open(&run.outputs, false, NULL, NULL), 0);
	assert_int_equal(run.outputs.list[0]->number, 20);
	assert_true(run.outputs.list[0]->past.died);
	expect_report("agent: output fake: of both: formatted 20 = delivered 17 + dropped 1 + "
		      "unknown 2\n");
}

/* Outputs with another configuration begin. */
static void test_other_outputs(void **state)
{
	struct output_view view = {.format = &format_text};
	struct output *output;

	assert_int_equal(output_create(fake_config(",x=1"), &view, &output, NULL), 0);
	assert_int_equal(outputs_add(&run.outputs, output), 0);
	add_output(&run.takeover_new.last, 9);
	takeover_new_continue_outputs(&run);
	assert_true(run.outputs.list[0]->continues);
	assert_false(run.outputs.list[1]->continues);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_no_other_agent, setup, teardown),
	cmocka_unit_test_setup_teardown(test_a_pid_file_that_cannot_be_had, setup, teardown),
	cmocka_unit_test_setup_teardown(test_one_that_closes, setup, teardown),
	cmocka_unit_test_setup_teardown(test_one_that_has_just_been_started, setup, teardown),
	cmocka_unit_test_setup_teardown(test_another_protocol, setup, teardown),
	cmocka_unit_test_setup_teardown(test_one_that_closes_before, setup, teardown),
	cmocka_unit_test_setup_teardown(test_one_that_ends_before, setup, teardown),
	cmocka_unit_test_setup_teardown(test_the_whole_way, setup, teardown),
	cmocka_unit_test_setup_teardown(test_one_that_dies, setup, teardown),
	cmocka_unit_test_setup_teardown(test_other_outputs, setup, teardown),
};

UNIT_GROUP(tests, .unfilled = true);
