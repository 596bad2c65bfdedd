/* SPDX-License-Identifier: MIT */
/* What libraries start when a target is opened has the privileges of the thread that opens it. */
#include "output/delivery/opening.h"

#include <errno.h>
#include <string.h>

#include "output/delivery/thread.h"
#include "output/target.h"

struct opening {
	const struct output_config *config;
	struct output_stop *stop;
	void *target;
	struct error *err;
	int code;
};

static void open_target(void *context)
{
	struct opening *opening = context;
	const struct output_config *config = opening->config;

	opening->code = config->kind->open(config, opening->stop, &opening->target, opening->err);
}

static void open_and_close(void *context)
{
	struct opening *opening = context;

	open_target(opening);
	opening->config->kind->close(opening->target);
}

int opening_reach(const struct output_config *config, struct output_reach *reach, struct error *err)
{
	*reach = (struct output_reach){0};
	output_reach_target(config, reach);
	output_reach_spool(config, reach);
	if (!reach->failed)
		return 0;
	output_reach_finish(reach);
	return error_set(err, -ENOMEM, "%s: out of memory", config->text);
}

static int call(struct opening *opening, void (*function)(void *context))
{
	struct output_reach reach;
	struct files_limits files;
	int code = opening_reach(opening->config, &reach, opening->err);

	if (code)
		return code;
	files = output_reach_limits(&reach);
	code = thread_call(&files, function, opening, opening->err);
	output_reach_finish(&reach);
	return code ? code : opening->code;
}

int opening_open(const struct output_config *config, struct output_stop *stop, void **target,
		 struct error *err)
{
	struct opening opening = {.config = config, .stop = stop, .err = err};
	int code = call(&opening, open_target);

	*target = opening.target;
	return code;
}

int opening_try(const struct output_config *config, struct error *err)
{
	struct output_stop stop;
	struct opening opening = {.config = config, .stop = &stop, .err = err};
	int code = output_stop_init(&stop);

	if (code)
		error_set(err, code, "%s: %s", config->text, strerror(-code));
	else
		code = call(&opening, open_and_close);
	output_stop_finish(&stop);
	return code;
}
