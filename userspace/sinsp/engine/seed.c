/* SPDX-License-Identifier: MIT */
/* Fills the tables from /proc. */
#include <string.h>

#include "sinsp/engine/engine.h"
#include "sinsp/state/after.h"
#include "sinsp/state/core.h"
#include "sinsp/state/load.h"

int sinsp_seed(struct sinsp *sinsp, struct error *err)
{
	struct scap_thread found;
	int r;

	if (!sinsp->proc)
		return 0;
	sinsp->seed_ns = state_now_ns(sinsp);
	r = scap_proc_rewind(sinsp->proc);
	while (r >= 0 && (r = scap_proc_next(sinsp->proc, &found)) == 1) {
		struct sinsp_thread *thread = state_load_thread(sinsp, &found);

		if (thread && sinsp_thread_is_main(thread))
			state_load_fds(sinsp, thread);
	}
	if (r < 0)
		return error_set(err, r, "cannot read the threads of this machine from /proc: %s",
				 strerror(-r));
	state_correct_roles(sinsp);
	return 0;
}

int sinsp_reseed(struct sinsp *sinsp, struct error *err)
{
	state_finish_last(sinsp);
	return sinsp_seed(sinsp, err);
}
