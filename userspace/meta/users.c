/* SPDX-License-Identifier: MIT */
#include "meta/users.h"

#include <errno.h>
#include <stdlib.h>

/* What the thread has. */
struct reader {
	struct meta_requests *in; /* a reference */
	struct meta_sink *out; /* a reference */
	struct scap_proc *proc; /* owned */
};

static void run(void *context)
{
	struct reader *reader = context;
	struct meta_asked *asked;

	while ((asked = meta_requests_take(reader->in))) {
		struct meta_update *answer = asked->answer;

		answer->result =
			sinsp_container_users_read(reader->proc, &asked->users, &answer->users);
		asked->answer = NULL;
		meta_sink_answer(reader->out, answer);
		meta_asked_destroy(asked);
	}
}

static void stop(void *context)
{
	meta_requests_close(((struct reader *)context)->in);
}

static void destroy(void *context)
{
	struct reader *reader = context;

	scap_proc_close(reader->proc);
	meta_requests_unref(reader->in);
	meta_sink_unref(reader->out);
	free(reader);
}

int meta_users_start(struct meta_requests *in, struct scap_proc *proc, struct meta_sink *out,
		     struct meta_thread **thread)
{
	static const struct meta_thread_ops ops = {ROLE_PROCESSES, run, stop, destroy};
	struct reader *reader = malloc(sizeof(*reader));

	if (!reader) {
		scap_proc_close(proc);
		return -ENOMEM;
	}
	*reader = (struct reader){meta_requests_ref(in), meta_sink_ref(out), proc};
	return meta_thread_start(&ops, reader, thread);
}
