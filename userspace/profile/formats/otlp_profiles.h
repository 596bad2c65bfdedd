/* SPDX-License-Identifier: MIT */
/*
 * Profiles of OTLP (opentelemetry.proto.profiles.v1development, as of version 1.9): a request that
 * exports them, with a dictionary of places, stacks, texts and attributes. A profile has one type
 * of values: samples on the CPU and the time off it are two.
 */
#ifndef PROFILE_FORMATS_OTLP_PROFILES_H
#define PROFILE_FORMATS_OTLP_PROFILES_H

#include "profile/names/names.h"
#include "profile/stacks.h"
#include "util/buf.h"

struct otlp_profiles_resource {
	struct stack_container container; /* id NULL: none */
	const char *host; /* the name of the machine; NULL: not known */
};

/* Appends a message. Returns 0 or -ENOMEM. */
int otlp_profiles_write(const struct stacks *stacks, const struct profile_names *names,
			const struct otlp_profiles_resource *resource, struct buf *out);

#endif
