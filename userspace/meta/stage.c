/* SPDX-License-Identifier: MIT */
#include "meta/stage.h"

#include <errno.h>
#include <stdlib.h>

struct stage {
	struct meta_source *source; /* owned */
	struct meta_requests *in; /* a reference */
	struct meta_sink *out; /* a reference */
};

static void describe(struct stage *stage, const struct meta_request *request,
		     struct meta_update *answer)
{
	struct sinsp_container_info *info = sinsp_container_info_create();

	if (!info)
		error_set(&answer->err, -ENOMEM, "out of memory");
	else if (stage->source->ops->describe(stage->source, request, info, &answer->err) == 0)
		answer->info = info;
	else
		sinsp_container_info_destroy(info);
}

static void count(struct meta_sink *out, const struct meta_update *answer)
{
	meta_count(out, answer->info ? META_DESCRIBED : META_MISSING, 1);
	meta_count(out, META_LEFT_OUT, answer->info ? answer->info->texts.left_out : 0);
	meta_count(out, META_FAILED, answer->err.text[0] != '\0');
}

static void run(void *context)
{
	struct stage *stage = context;
	struct meta_asked *asked;

	while ((asked = meta_requests_take(stage->in))) {
		describe(stage, &asked->request, asked->answer);
		count(stage->out, asked->answer);
		meta_sink_answer(stage->out, asked->answer);
		asked->answer = NULL;
		meta_asked_destroy(asked);
	}
}

static void stop(void *context)
{
	meta_requests_close(((struct stage *)context)->in);
}

static void destroy(void *context)
{
	struct stage *stage = context;

	meta_source_destroy(stage->source);
	meta_requests_unref(stage->in);
	meta_sink_unref(stage->out);
	free(stage);
}

int meta_stage_start(struct meta_source *source, struct meta_requests *in, struct meta_sink *out,
		     struct meta_thread **thread)
{
	static const struct meta_thread_ops ops = {run, stop, destroy};
	struct stage *stage = calloc(1, sizeof(*stage));

	if (!stage) {
		meta_source_destroy(source);
		return -ENOMEM;
	}
	*stage = (struct stage){source, meta_requests_ref(in), meta_sink_ref(out)};
	return meta_thread_start(&ops, stage, thread);
}
