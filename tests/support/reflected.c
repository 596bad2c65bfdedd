/* SPDX-License-Identifier: MIT */
#include "reflected.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static void record_pod(void *data, struct state_pod_info *info)
{
	struct reflected *reflected = data;
	const struct state_pod *pod = &info->pod;

	buf_printf(&reflected->log, "+%s@%s=%s ", pod->name, pod->node ? pod->node : "", pod->uid);
	state_pod_info_destroy(info);
}

static void record_service(void *data, struct state_service_info *info)
{
	buf_printf(&((struct reflected *)data)->log, "+%s/%s:%u ", info->ns, info->name,
		   info->count);
	state_service_info_destroy(info);
}

static void record_removed(void *data, const char *uid)
{
	buf_printf(&((struct reflected *)data)->log, "-%s ", uid);
}

static void record_count(void *data, enum meta_counter counter, uint64_t more)
{
	((struct reflected *)data)->counts[counter] += more;
}

static void record_failure(void *data, enum meta_counter counter, const char *message)
{
	struct reflected *reflected = data;

	snprintf(reflected->failure, sizeof(reflected->failure), "%s", message);
}

static void start(struct reflected *reflected, const char *node, const struct reflector_kind *kind)
{
	struct reflector_config config = {
		.node = node, .kind = kind, .seed = 1, .output = &reflected->output};

	*reflected = (struct reflected){
		.output = {record_pod, record_service, record_removed, record_count, record_failure,
			   reflected},
		.now_ns = 1000 * SECOND,
	};
	reflector_init(&reflected->reflector, &config, reflected->now_ns);
}

void reflected_start(struct reflected *reflected, const char *node)
{
	start(reflected, node, NULL);
}

void reflected_start_kind(struct reflected *reflected, const struct reflector_kind *kind)
{
	start(reflected, NULL, kind);
}

void reflected_finish(struct reflected *reflected)
{
	reflector_finish(&reflected->reflector);
	buf_finish(&reflected->log);
}

uint64_t reflected_wait_ms(const struct reflected *reflected)
{
	uint64_t next = reflector_next_ns(&reflected->reflector);

	return next > reflected->now_ns ? (next - reflected->now_ns) / 1000000 : 0;
}

const char *reflected_ask(struct reflected *reflected)
{
	uint64_t next = reflector_next_ns(&reflected->reflector);

	if (next > reflected->now_ns)
		reflected->now_ns = next;
	reflector_begin(&reflected->reflector, reflected->now_ns, &reflected->request);
	return reflected->request.path;
}

bool reflected_send(struct reflected *reflected, const char *bytes)
{
	return reflector_take(&reflected->reflector, 200, bytes, strlen(bytes));
}

static void end(struct reflected *reflected, long status, enum meta_counter failure,
		unsigned int seconds)
{
	struct reflector_end how = {
		.status = status, .failure = failure, .message = "no connection"};

	reflected->now_ns += seconds * SECOND;
	reflector_end(&reflected->reflector, reflected->now_ns, &how);
}

void reflected_end(struct reflected *reflected, enum meta_counter failure, unsigned int seconds)
{
	end(reflected, 200, failure, seconds);
}

bool reflected_answer(struct reflected *reflected, long status, const char *body,
		      unsigned int seconds)
{
	bool wanted = reflector_take(&reflected->reflector, status, body, strlen(body));

	end(reflected, status, META_COUNTERS, seconds);
	return wanted;
}

void reflected_expect(struct reflected *reflected, const char *log)
{
	buf_append_char(&reflected->log, '\0');
	assert_string_equal(reflected->log.data, log);
	buf_clear(&reflected->log);
}
