/* SPDX-License-Identifier: MIT */
/* Commands: what is kept of their arguments is decided by the role that each has. */
#include <string.h>

#include "requests/protocols/redis_commands.h"
#include "requests/protocols/redis_resp.h"
#include "requests/protocols/text.h"

enum { WORD_BYTES_MAX = 20 }; /* of a subcommand */

enum redis_role {
	ROLE_VALUE, /* of no interest */
	ROLE_NAME,
	ROLE_WORD, /* the second word of the name */
	ROLE_KEY,
	ROLE_COUNT, /* of the keys behind it */
	ROLE_STREAMS, /* may be that word */
	ROLE_REPLY, /* OFF, SKIP or ON, of CLIENT REPLY */
	ROLES,
};

/* Which arguments have which role at the beginning. */
static const struct {
	uint8_t key_index, count_index;
	bool has_words;
} places[REDIS_KEYS] = {
	[REDIS_KEY_FIRST] = {.key_index = 1},
	[REDIS_KEY_SECOND] = {.key_index = 2},
	[REDIS_KEY_THIRD] = {.key_index = 3},
	[REDIS_KEY_COUNTED_SECOND] = {.count_index = 1},
	[REDIS_KEY_COUNTED_THIRD] = {.count_index = 2},
	[REDIS_KEY_WORDS] = {.has_words = true},
	[REDIS_KEY_WORDS_SECOND] = {.key_index = 2, .has_words = true},
};

static enum redis_role role_of(const struct redis *redis)
{
	uint32_t index = redis->index;

	if (index == 0)
		return ROLE_NAME;
	if (index == redis->key_index)
		return ROLE_KEY;
	if (index == redis->count_index)
		return ROLE_COUNT;
	if (index == 1 && places[redis->keys].has_words)
		return ROLE_WORD;
	if (index == 2 && redis->is_reply)
		return ROLE_REPLY;
	return redis->keys == REDIS_KEY_STREAMS && !redis->key_index ? ROLE_STREAMS : ROLE_VALUE;
}

static void take_name(struct redis_run *run, struct redis_text text)
{
	struct redis *redis = run->redis;
	enum redis_keys keys = REDIS_KEY_NONE;

	redis_put_name(run->message->method, MESSAGE_METHOD_BYTES, text);
	redis_command_find(run->message->method, &keys);
	redis->keys = (uint8_t)keys;
	redis->key_index = places[keys].key_index;
	redis->count_index = places[keys].count_index;
}

static void take_word(struct redis_run *run, struct redis_text text)
{
	char *method = run->message->method;
	size_t len = strlen(method), word_len;
	char word[WORD_BYTES_MAX];

	redis_put_name(word, sizeof(word), text);
	word_len = strlen(word);
	if (!word_len || len + 1 + word_len >= MESSAGE_METHOD_BYTES)
		return;
	method[len] = ' ';
	memcpy(method + len + 1, word, word_len + 1);
	run->redis->is_reply = strcmp(method, "CLIENT REPLY") == 0;
}

static void take_key(struct redis_run *run, struct redis_text text)
{
	protocol_text_put(run->message->target, MESSAGE_TARGET_BYTES, text.data, text.len);
}

static void take_count(struct redis_run *run, struct redis_text text)
{
	if (text.len && text.data[0] >= '1' && text.data[0] <= '9')
		run->redis->key_index = (uint8_t)(run->redis->index + 1);
}

static void take_streams(struct redis_run *run, struct redis_text text)
{
	if (run->redis->index < UINT8_MAX && redis_is_word(text, "STREAMS"))
		run->redis->key_index = (uint8_t)(run->redis->index + 1);
}

static void take_reply(struct redis_run *run, struct redis_text text)
{
	struct redis *redis = run->redis;

	redis->is_skip = redis_is_word(text, "SKIP") && redis->replies == REPLIES_ON;
	if (redis_is_word(text, "ON"))
		redis->replies = REPLIES_ON;
	else if (redis_is_word(text, "OFF"))
		redis->replies = REPLIES_OFF;
}

/* What is done with an argument, and how many bytes of it are needed for that. */
static const struct {
	uint32_t bytes;
	void (*take)(struct redis_run *run, struct redis_text text);
} roles[ROLES] = {
	[ROLE_NAME] = {MESSAGE_METHOD_BYTES, take_name},
	[ROLE_WORD] = {WORD_BYTES_MAX, take_word},
	[ROLE_KEY] = {MESSAGE_TARGET_BYTES, take_key},
	[ROLE_COUNT] = {1, take_count},
	[ROLE_STREAMS] = {8, take_streams},
	[ROLE_REPLY] = {8, take_reply},
};

bool redis_has_channels(const char *method)
{
	size_t len = strlen(method);

	return len >= 9 && strcmp(method + len - 9, "SUBSCRIBE") == 0;
}

static void end_request(struct redis_run *run)
{
	struct redis *redis = run->redis;
	uint8_t replies = redis->replies;

	run->message->is_oneway = replies != REPLIES_ON || redis->is_skip;
	/* How many replies it has, for the side of responses; it is no key without has_key. */
	if (redis_has_channels(run->message->method))
		run->message->key = redis->index - 1;
	if (redis->is_skip)
		replies = REPLIES_SKIP_ONE;
	else if (replies == REPLIES_SKIP_ONE)
		replies = REPLIES_ON;
	memset(redis, 0, sizeof(*redis));
	redis->replies = replies;
	run->step.ends = true;
	run->is_over = true;
}

static void count_argument(struct redis_run *run)
{
	run->redis->index++;
	if (--run->redis->left == 0)
		end_request(run);
}

/* $LENGTH VALUE. Returns false: it waits for more. */
static bool take_argument(struct redis_run *run)
{
	enum redis_role role = role_of(run->redis);
	enum redis_number found;
	struct redis_text text;
	int64_t len = 0;
	size_t size = 0, left;

	if (*run->at != '$') {
		redis_lose(run);
		return true;
	}
	found = redis_read_number(run->at, redis_bytes_left(run), &size, &len);
	if (found != REDIS_FOUND)
		return redis_stay(run, found);
	if (len < 0 || (uint64_t)len > REDIS_VALUE_BYTES_MAX) {
		redis_lose(run);
		return true;
	}
	text = (struct redis_text){run->at + size, (uint64_t)len < roles[role].bytes
							   ? (size_t)len
							   : roles[role].bytes};
	left = redis_bytes_left(run) - size;
	if (text.len > left && !run->is_cut)
		return false;
	run->at += size;
	if (roles[role].take && text.len <= left)
		roles[role].take(run, text);
	redis_pass_value(run, (uint64_t)len);
	count_argument(run);
	return true;
}

static bool take_announcement(struct redis_run *run)
{
	enum redis_number found;
	int64_t count = 0;
	size_t size = 0;

	found = redis_read_number(run->at, redis_bytes_left(run), &size, &count);
	if (found != REDIS_FOUND)
		return redis_stay(run, found);
	if (count > REDIS_ARGUMENTS_MAX) {
		redis_lose(run);
		return true;
	}
	run->at += size;
	if (count <= 0) {
		/* Servers ignore it. */
		run->is_over = true;
		return true;
	}
	run->redis->left = (uint32_t)count;
	run->step.begins = true;
	return true;
}

bool redis_is_typed(const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((data[i] < ' ' && data[i] != '\t') || data[i] == 0x7f)
			return false;
	return len == 0 || redis_is_name_byte(data[0]);
}

bool redis_is_command(const uint8_t *data, size_t len)
{
	char name[MESSAGE_METHOD_BYTES];
	enum redis_keys keys;

	redis_put_name(name, sizeof(name), (struct redis_text){data, len});
	return name[0] && redis_command_find(name, &keys);
}

/* Other lines are values, or another protocol. */
static bool begins_command(const uint8_t *data, size_t len)
{
	size_t n = 0;

	while (n < len && data[n] != ' ' && data[n] != '\t')
		n++;
	return redis_is_command(data, n);
}

/* The next word of a line, behind blanks; of length 0: there is none. */
static struct redis_text next_word(const uint8_t *data, const uint8_t *end)
{
	struct redis_text word;

	while (data < end && (*data == ' ' || *data == '\t'))
		data++;
	word.data = data;
	while (data < end && *data != ' ' && *data != '\t')
		data++;
	word.len = (size_t)(data - word.data);
	return word;
}

static void take_words(struct redis_run *run, const uint8_t *data, const uint8_t *end)
{
	struct redis_text word = next_word(data, end);

	while (word.len) {
		struct redis_text next = next_word(word.data + word.len, end);
		enum redis_role role = role_of(run->redis);

		run->redis->left = next.len ? 2 : 1;
		if (roles[role].take)
			roles[role].take(run, word);
		count_argument(run);
		word = next;
	}
}

/* A command as a plain line. */
static bool take_typed(struct redis_run *run)
{
	size_t left = redis_bytes_left(run),
	       len = left < REDIS_LINE_WAITS_MAX ? left : REDIS_LINE_WAITS_MAX;
	const uint8_t *data = run->at, *end = memchr(data, '\n', len);

	if (!end && redis_is_typed(data, len - (data[len - 1] == '\r')) &&
	    left < REDIS_LINE_WAITS_MAX)
		return false;
	len = end ? (size_t)(end - data) : 0;
	len -= len && end[-1] == '\r';
	if (!end || (len && (!redis_is_typed(data, len) || !begins_command(data, len)))) {
		redis_lose(run);
		return true;
	}
	run->at = end + 1;
	run->is_over = true;
	run->step.begins = len > 0;
	take_words(run, data, data + len);
	return true;
}

bool redis_take_request(struct redis_run *run)
{
	if (run->redis->left)
		return take_argument(run);
	return *run->at == '*' ? take_announcement(run) : take_typed(run);
}
