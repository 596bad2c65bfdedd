/* SPDX-License-Identifier: MIT */
/* A table of the keys of --profile, and the parser of their list. */
#include "agent/options/continuous.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#ifdef WITH_FETCH
#include "net/url.h"
#endif
#include "util/count.h"
#include "util/value.h"

enum {
	KEY_BYTES = 32,
	FREQUENCY_MAX_HZ = 1000,
	/* Not in step with timers; see "what it costs" in the manual. */
	FREQUENCY_DEFAULT_HZ = 19,
};

#define INTERVAL_MIN_NS UINT64_C(1000000000)
#define INTERVAL_MAX_NS (UINT64_C(3600) * 1000000000)
#define INTERVAL_DEFAULT_NS (UINT64_C(60) * 1000000000)
#define KEEP_DEFAULT_NS (UINT64_C(7) * 86400 * 1000000000)
#define KEEP_DEFAULT_BYTES (UINT64_C(1) << 30)
#define KEEP_MIN_BYTES (UINT64_C(1) << 20)
#define KEEP_MAX_BYTES (UINT64_C(1) << 50)

static int set_folder(struct continuous_options *options, const char *value)
{
	options->folder = value;
	return *value == '/' ? 0 : -EINVAL;
}

#ifdef WITH_FETCH

/* As the process that sends reads it, which can only end if it cannot. */
static int check_url(const char *text)
{
	struct url *url;
	int r = url_create(text, &url, NULL);

	if (r == 0)
		url_destroy(url);
	return r;
}

#else

static int check_url(const char *text)
{
	return 0;
}

#endif

static int set_endpoint(struct continuous_options *options, const char *value)
{
	options->endpoint = value;
	if (strncmp(value, "https://", 8) != 0 && strncmp(value, "http://", 7) != 0)
		return -EINVAL;
	return check_url(value);
}

static int set_interval(struct continuous_options *options, const char *value)
{
	int r = value_read_seconds(value, &options->interval_ns);

	return r ? r
	       : options->interval_ns < INTERVAL_MIN_NS || options->interval_ns > INTERVAL_MAX_NS
		       ? -EINVAL
		       : 0;
}

static int set_frequency(struct continuous_options *options, const char *value)
{
	return value_read_count(value, FREQUENCY_MAX_HZ, &options->frequency_hz);
}

static int set_off_cpu(struct continuous_options *options, const char *value)
{
	options->off_cpu = strcmp(value, "true") == 0 || strcmp(value, "yes") == 0;
	return options->off_cpu || strcmp(value, "false") == 0 || strcmp(value, "no") == 0
		       ? 0
		       : -EINVAL;
}

static int set_keep(struct continuous_options *options, const char *value)
{
	int r = value_read_bytes(value, UINT64_MAX, &options->keep_bytes);

	return r ? r
	       : options->keep_bytes < KEEP_MIN_BYTES || options->keep_bytes > KEEP_MAX_BYTES
		       ? -EINVAL
		       : 0;
}

static int set_keep_time(struct continuous_options *options, const char *value)
{
	return value_read_seconds(value, &options->keep_ns);
}

static const struct {
	const char *name;
	int (*set)(struct continuous_options *options, const char *value);
} keys[] = {
	{"folder", set_folder},	      {"endpoint", set_endpoint}, {"interval", set_interval},
	{"frequency", set_frequency}, {"off-cpu", set_off_cpu},	  {"keep", set_keep},
	{"keep-time", set_keep_time},
};

static int continuous_set_key(struct continuous_options *options, const char *name,
			      const char *value)
{
	for (size_t i = 0; i < COUNT(keys); i++)
		if (strcmp(keys[i].name, name) == 0)
			return *value ? keys[i].set(options, value) : -EINVAL;
	return -EINVAL;
}

/* Copies a value up to its comma; sets what follows it. NULL: out of memory. */
static const char *continuous_value(const char **text, struct arena *memory)
{
	char *value = arena_text(memory, *text, strlen(*text)), *to = value;
	const char *at = *text;

	for (; value && *at && *at != ','; at++) {
		at += *at == '\\' && at[1];
		*to++ = *at;
	}
	if (value)
		*to = '\0';
	*text = *at ? at + 1 : at;
	return value;
}

int options_read_continuous(const char *text, struct arena *memory,
			    struct continuous_options *options)
{
	struct continuous_options read = {
		.interval_ns = INTERVAL_DEFAULT_NS,
		.frequency_hz = FREQUENCY_DEFAULT_HZ,
		.keep_bytes = KEEP_DEFAULT_BYTES,
		.keep_ns = KEEP_DEFAULT_NS,
	};
	char name[KEY_BYTES];
	int r = 0;

	while (r == 0 && *text) {
		size_t len = strcspn(text, "=,");
		const char *value;

		if (len >= sizeof(name) || text[len] != '=')
			return -EINVAL;
		memcpy(name, text, len);
		name[len] = '\0';
		text += len + 1;
		value = continuous_value(&text, memory);
		r = value ? continuous_set_key(&read, name, value) : -ENOMEM;
	}
	if (r == 0 && !continuous_is_on(&read))
		r = -EINVAL;
	if (r == 0)
		*options = read;
	return r;
}
