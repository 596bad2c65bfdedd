/* SPDX-License-Identifier: MIT */
#include "meta/stage.h"

#include <errno.h>
#include <stdlib.h>

#include "util/clock.h"

enum { NS_PER_MS = 1000000 };

struct stage {
	struct meta_source *source; /* owned */
	struct meta_stage_queues queues; /* a reference of each */
};

/* Asks the source. Returns its result; `info` is NULL if it does not know the container. */
static int describe(struct stage *stage, const struct meta_request *request,
		    struct sinsp_container_info **info, struct error *err)
{
	int code;

	*info = sinsp_container_info_create();
	if (!*info)
		return error_set(err, -ENOMEM, "out of memory");
	(*info)->wants_env = request->with_env;
	code = stage->source->ops->describe(stage->source, request, *info, err);
	if (code < 0) {
		sinsp_container_info_destroy(*info);
		*info = NULL;
	}
	return code;
}

/* Gives the answer, if it was not given; else `info` completes it, or comes after it. */
static void give(struct stage *stage, struct meta_asked *asked, struct sinsp_container_info *info)
{
	struct meta_sink *out = stage->queues.out;
	struct meta_update *update = asked->answer;

	asked->answer = NULL;
	if (update) {
		update->info = info;
		update->is_forgeable = asked->is_forgeable;
		meta_count(out, info ? META_DESCRIBED : META_MISSING, 1);
		meta_sink_answer(out, update);
	} else if (info) {
		update = meta_update_create(META_CONTAINER, asked->request.id);
		if (update) {
			update->info = info;
			update->owner = asked->request.owner;
		} else {
			sinsp_container_info_destroy(info);
		}
		meta_post(out, update);
	}
}

/* The source could not read something. The first failure of a request is reported. */
static void take_failure(struct stage *stage, struct meta_asked *asked, const struct error *err)
{
	struct meta_update *update;

	if (asked->failed)
		return;
	asked->failed = true;
	meta_count(stage->queues.out, META_FAILED, 1);
	if (asked->answer) {
		asked->answer->err = *err;
		return;
	}
	update = meta_update_create(META_FAILURE, asked->request.id);
	if (update)
		update->err = *err;
	meta_post(stage->queues.out, update);
}

/* The source described the container, or a part of it. */
static void take_found(struct stage *stage, struct meta_asked *asked,
		       struct sinsp_container_info *info)
{
	meta_count(stage->queues.out, META_LEFT_OUT, info->texts.left_out);
	/* The answer was that nobody knows it. */
	if (!asked->known && !asked->answer) {
		meta_count(stage->queues.out, META_MISSING, (uint64_t)-1);
		meta_count(stage->queues.out, META_DESCRIBED, 1);
	}
	if (!asked->known)
		meta_sink_count_time(stage->queues.out,
				     clock_ns(CLOCK_MONOTONIC) - asked->begin_ns);
	asked->known = true;
	give(stage, asked, info);
}

/* How long a container that nobody knows is left alone. */
static uint64_t retry_delay_ns(const struct meta_asked *asked)
{
	uint64_t ms = (uint64_t)STAGE_RETRY_FIRST_MS << asked->retries;

	if (asked->retries == STAGE_RETRIES)
		ms = STAGE_MISSING_MS;
	else if (ms > STAGE_RETRY_LAST_MS)
		ms = STAGE_RETRY_LAST_MS;
	return ms * NS_PER_MS;
}

/* The last stage is through with the request, which is asked for again or done with. */
static void finish(struct stage *stage, struct meta_asked *asked)
{
	give(stage, asked, NULL);
	/* What a user has to say of his container is there before it, or nobody will say it. */
	if (asked->known || asked->retries == STAGE_RETRIES ||
	    asked->request.rank == META_OF_USER) {
		meta_asked_destroy(asked);
		return;
	}
	asked->due_ns = clock_ns(CLOCK_MONOTONIC) + retry_delay_ns(asked);
	asked->retries++;
	if (!meta_requests_add_later(stage->queues.first, asked))
		meta_count(stage->queues.out, META_REJECTED, 1);
}

static void run(void *context)
{
	struct stage *stage = context;
	struct meta_asked *asked;

	while ((asked = meta_requests_take(stage->queues.in))) {
		struct error err = {.text = ""};
		struct sinsp_container_info *info;
		int code;

		asked->request.missing_ns = retry_delay_ns(asked);
		code = describe(stage, &asked->request, &info, &err);
		if (err.text[0])
			take_failure(stage, asked, &err);
		if (info)
			take_found(stage, asked, info);
		asked->request.is_part_known |= code == META_SOURCE_PART;
		asked->is_forgeable |= code == -EPERM;
		if (code != 0 && stage->queues.next)
			meta_requests_add(stage->queues.next, asked);
		else
			finish(stage, asked);
	}
}

static void stop(void *context)
{
	meta_requests_close(((struct stage *)context)->queues.in);
}

static void destroy(void *context)
{
	struct stage *stage = context;

	meta_source_destroy(stage->source);
	meta_requests_unref(stage->queues.in);
	meta_requests_unref(stage->queues.next);
	meta_requests_unref(stage->queues.first);
	meta_sink_unref(stage->queues.out);
	free(stage);
}

int meta_stage_start(struct meta_source *source, const struct meta_stage_queues *queues,
		     struct meta_thread **thread)
{
	static const struct meta_thread_ops ops = {ROLE_METADATA, run, stop, destroy};
	struct stage *stage = calloc(1, sizeof(*stage));

	if (!stage) {
		meta_source_destroy(source);
		return -ENOMEM;
	}
	stage->source = source;
	stage->queues = (struct meta_stage_queues){
		.in = meta_requests_ref(queues->in),
		.next = queues->next ? meta_requests_ref(queues->next) : NULL,
		.first = meta_requests_ref(queues->first),
		.out = meta_sink_ref(queues->out),
	};
	return meta_thread_start(&ops, stage, thread);
}
