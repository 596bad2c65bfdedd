/* SPDX-License-Identifier: MIT */
/* Replies, element by element: what they answer, what is pushed between them, errors. */
#include <string.h>

#include "requests/protocols/redis_resp.h"
#include "requests/protocols/text.h"

enum {
	ELEMENTS_MAX = 1 << 30, /* of a reply, of all aggregates in it */
	KIND_BYTES_MAX = 16, /* of a push: `punsubscribe` */
};

static void end_reply(struct redis_run *run)
{
	uint32_t more = run->redis->more;

	if (run->redis->leaves)
		run->step.action = PROTOCOL_LEAVES;
	memset(run->redis, 0, sizeof(*run->redis));
	run->redis->more = more;
	run->step.ends = true;
	run->is_over = true;
}

static void count_element(struct redis_run *run)
{
	if (--run->redis->pending == 0)
		end_reply(run);
}

/* Whether the next element is the reply itself. */
static bool is_top(const struct redis *redis)
{
	return redis->pending == 1 && !redis->has_top;
}

/* The first word of an error, if all of that is there. */
static void put_error(struct redis_run *run, const uint8_t *data, size_t len, bool is_whole)
{
	size_t n = 0;

	while (n < len && data[n] > ' ')
		n++;
	protocol_text_put(run->message->error, MESSAGE_ERROR_BYTES, data, n);
	if (!n || (n == len && !is_whole))
		protocol_text_put(run->message->error, MESSAGE_ERROR_BYTES, "ERR", 3);
}

/* +1339518083.107412 [0 127.0.0.1:60866] "GET" "key" */
static bool is_monitor_line(const uint8_t *data, size_t len)
{
	size_t n = 1;

	while (n < len && ((data[n] >= '0' && data[n] <= '9') || data[n] == '.'))
		n++;
	return n > 10 && n + 1 < len && data[n] == ' ' && data[n + 1] == '[';
}

static bool begins_replication(const uint8_t *data, size_t len)
{
	static const char *const words[] = {"+FULLRESYNC", "+CONTINUE"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (len >= strlen(words[i]) && memcmp(data, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

static void take_top_line(struct redis_run *run, const uint8_t *data, size_t len, bool is_whole)
{
	run->redis->has_top = true;
	if (data[0] == '-')
		put_error(run, data + 1, len - 1, is_whole);
	else if (data[0] == '+' && !run->request && is_monitor_line(data, len))
		run->message->is_aside = true;
	else if (data[0] == '+')
		run->redis->leaves = begins_replication(data, len);
}

/* A line of which only the beginning can matter. */
static bool take_line(struct redis_run *run)
{
	size_t left = redis_bytes_left(run);
	const uint8_t *data = run->at, *end = memchr(data, '\n', left);

	if (!end && !run->is_cut && left <= REDIS_LINE_WAITS_MAX)
		return false;
	if (end && end[-1] != '\r') {
		redis_lose(run);
		return true;
	}
	if (is_top(run->redis))
		take_top_line(run, data, end ? (size_t)(end - data) - 1 : left, end);
	run->redis->in_line = !end;
	run->at = end ? end + 1 : run->end;
	if (end)
		count_element(run);
	return true;
}

static bool drop_line(struct redis_run *run)
{
	const uint8_t *end = memchr(run->at, '\n', redis_bytes_left(run));

	run->at = end ? end + 1 : run->end;
	run->redis->in_line = !end;
	if (end)
		count_element(run);
	return true;
}

/* A value, or an error as one. */
static bool take_value(struct redis_run *run)
{
	enum redis_number found;
	int64_t len = 0;
	size_t size = 0, left, needed = 0;

	found = redis_read_number(run->at, redis_bytes_left(run), &size, &len);
	if (found != REDIS_FOUND)
		return redis_stay(run, found);
	if (len > 0 && (uint64_t)len > REDIS_VALUE_BYTES_MAX) {
		redis_lose(run);
		return true;
	}
	left = redis_bytes_left(run) - size;
	if (*run->at == '!' && len > 0 && is_top(run->redis))
		needed = len < MESSAGE_ERROR_BYTES ? (size_t)len : MESSAGE_ERROR_BYTES;
	if (needed > left && !run->is_cut)
		return false;
	if (needed)
		put_error(run, run->at + size, needed < left ? needed : left,
			  needed == (size_t)len);
	run->redis->has_top |= is_top(run->redis);
	run->at += size;
	if (len >= 0)
		redis_pass_value(run, (uint64_t)len);
	count_element(run);
	return true;
}

/* What a server sends unasked, and the replies that subscribing has. */
enum redis_kind { KIND_OTHER, KIND_MESSAGE, KIND_SUBSCRIPTION };

static const struct {
	const char *name;
	enum redis_kind kind;
} kinds[] = {
	{"message", KIND_MESSAGE},	     {"pmessage", KIND_MESSAGE},
	{"smessage", KIND_MESSAGE},	     {"subscribe", KIND_SUBSCRIPTION},
	{"psubscribe", KIND_SUBSCRIPTION},   {"ssubscribe", KIND_SUBSCRIPTION},
	{"unsubscribe", KIND_SUBSCRIPTION},  {"punsubscribe", KIND_SUBSCRIPTION},
	{"sunsubscribe", KIND_SUBSCRIPTION},
};

/* The first element of an aggregate, if it can be a kind; of length 0: it is none. */
static enum redis_number read_kind(const struct redis_run *run, size_t offset,
				   struct redis_text *text)
{
	size_t size = 0, left = redis_bytes_left(run) - offset;
	const uint8_t *data = run->at + offset;
	enum redis_number found;
	int64_t len = 0;

	text->len = 0;
	if (left && data[0] != '$')
		return REDIS_FOUND;
	found = redis_read_number(data, left, &size, &len);
	if (found != REDIS_FOUND)
		return found == REDIS_WRONG || run->is_cut ? REDIS_FOUND : REDIS_WAITING;
	if (len <= 0 || len > KIND_BYTES_MAX)
		return REDIS_FOUND;
	if (size + (size_t)len > left)
		return run->is_cut ? REDIS_FOUND : REDIS_WAITING;
	*text = (struct redis_text){data + size, (size_t)len};
	return REDIS_FOUND;
}

/* Whether a reply with that kind is the response to the request: once for all its channels. */
static bool answers_subscription(struct redis_run *run, struct redis_text kind)
{
	struct redis *redis = run->redis;

	if (redis->more) {
		redis->more--;
		return false;
	}
	if (!run->request || !redis_is_word(kind, run->request->method))
		return false;
	redis->more = run->request->key > 1 && run->request->key <= REDIS_ARGUMENTS_MAX
			      ? (uint32_t)run->request->key - 1
			      : 0;
	return true;
}

static void take_kind(struct redis_run *run, struct redis_text text, bool is_push)
{
	enum redis_kind kind = KIND_OTHER;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (text.len == strlen(kinds[i].name) &&
		    memcmp(text.data, kinds[i].name, text.len) == 0)
			kind = kinds[i].kind;
	if (kind == KIND_SUBSCRIPTION)
		run->message->is_aside = !answers_subscription(run, text);
	else
		run->message->is_aside = is_push || kind == KIND_MESSAGE;
}

/*
 * In RESP2 what is pushed is an array. While a connection is subscribed it can only ask for more
 * of that: no array that another request waits for is taken for a push.
 */
static bool may_be_push(const struct redis_run *run, int64_t count)
{
	static const char *const allowed[] = {"PING", "QUIT", "RESET"};

	if (*run->at == '>')
		return true;
	if (*run->at != '*' || count < 3 || count > 4)
		return false;
	if (!run->request || redis_has_channels(run->request->method))
		return true;
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		if (strcmp(run->request->method, allowed[i]) == 0)
			return true;
	return false;
}

/* Its elements take its place among those that are still to come. */
static void add_elements(struct redis_run *run, uint64_t count)
{
	struct redis *redis = run->redis;

	if (count > ELEMENTS_MAX || redis->pending + count > ELEMENTS_MAX)
		redis_lose(run);
	else
		redis->pending += (uint32_t)count;
}

static bool take_aggregate(struct redis_run *run)
{
	bool is_map = *run->at == '%' || *run->at == '|';
	bool is_attribute = *run->at == '|';
	struct redis_text kind = {0};
	enum redis_number found;
	int64_t count = 0;
	size_t size = 0;

	found = redis_read_number(run->at, redis_bytes_left(run), &size, &count);
	if (found != REDIS_FOUND)
		return redis_stay(run, found);
	if (is_top(run->redis) && may_be_push(run, count)) {
		if (read_kind(run, size, &kind) == REDIS_WAITING)
			return false;
		take_kind(run, kind, *run->at == '>');
	}
	run->redis->has_top |= !is_attribute && is_top(run->redis);
	run->at += size;
	if (count > 0)
		add_elements(run, (uint64_t)count << is_map);
	if (!is_attribute && !run->is_over)
		count_element(run);
	return true;
}

/* How an element of each type goes on. */
static bool (*const types[128])(struct redis_run *run) = {
	['+'] = take_line,	['-'] = take_line,	[':'] = take_line,
	[','] = take_line,	['#'] = take_line,	['('] = take_line,
	['_'] = take_line,	['$'] = take_value,	['='] = take_value,
	['!'] = take_value,	['*'] = take_aggregate, ['~'] = take_aggregate,
	['>'] = take_aggregate, ['%'] = take_aggregate, ['|'] = take_aggregate,
};

bool redis_is_type(uint8_t byte)
{
	return byte < sizeof(types) / sizeof(types[0]) && types[byte];
}

bool redis_take_element(struct redis_run *run)
{
	uint8_t type = *run->at;
	bool begins = run->redis->pending == 0;

	if (run->redis->in_line)
		return drop_line(run);
	if (!redis_is_type(type)) {
		redis_lose(run);
		return true;
	}
	if (begins)
		run->redis->pending = 1;
	if (!types[type](run)) {
		if (begins)
			run->redis->pending = 0;
		return false;
	}
	run->step.begins |= begins && run->step.action != PROTOCOL_LOST;
	return true;
}
