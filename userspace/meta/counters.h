/* SPDX-License-Identifier: MIT */
/* What the threads of meta.h count, for the account of a run. */
#ifndef META_COUNTERS_H
#define META_COUNTERS_H

#include <stdint.h>

enum meta_counter {
	META_REQUESTS,
	META_DESCRIBED, /* of these */
	META_MISSING, /* of these: nobody knew them */
	META_FAILED, /* requests: something could not be read */
	META_REJECTED, /* requests that were not made: too many had no answer, or no memory */
	META_LEFT_OUT, /* labels, mounts and texts beyond the limits of meta/describe.h */
	META_PUSHED, /* updates from followers */
	META_PUSHES_LOST, /* the same without memory for them */
	META_COUNTERS,
};

#endif
