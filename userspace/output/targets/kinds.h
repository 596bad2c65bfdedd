/* SPDX-License-Identifier: MIT */
/*
 * The table of kinds of targets. The row of a kind is output_kind_NAME, in its file of this folder;
 * one that needs an optional library stands in the table only if the library is there.
 */
#ifndef OUTPUT_TARGETS_KINDS_H
#define OUTPUT_TARGETS_KINDS_H

#include "output/target.h"

#ifdef WITH_HTTP_OUTPUTS
#define OUTPUT_KINDS_OF_HTTP(ROW) ROW(http)
#else
#define OUTPUT_KINDS_OF_HTTP(ROW)
#endif
#ifdef WITH_OTLP_OUTPUTS
#define OUTPUT_KINDS_OF_OTLP(ROW) ROW(otlp) ROW(otlp_metrics)
#else
#define OUTPUT_KINDS_OF_OTLP(ROW)
#endif

#ifdef WITH_FLUENT
#define OUTPUT_KINDS_OF_FLUENT(ROW) ROW(fluent)
#else
#define OUTPUT_KINDS_OF_FLUENT(ROW)
#endif

#ifdef WITH_KAFKA
#define OUTPUT_KINDS_OF_KAFKA(ROW) ROW(kafka)
#else
#define OUTPUT_KINDS_OF_KAFKA(ROW)
#endif

#ifdef WITH_NATS
#define OUTPUT_KINDS_OF_NATS(ROW) ROW(nats)
#else
#define OUTPUT_KINDS_OF_NATS(ROW)
#endif

#ifdef WITH_TLS_OUTPUTS
#define OUTPUT_KINDS_OF_TLS(ROW) ROW(tls)
#else
#define OUTPUT_KINDS_OF_TLS(ROW)
#endif

/* All kinds, in the order of the help. */
#define OUTPUT_KINDS(ROW)                                                                          \
	ROW(stdout)                                                                                \
	ROW(file)                                                                                  \
	ROW(unix)                                                                                  \
	ROW(tcp)                                                                                   \
	OUTPUT_KINDS_OF_TLS(ROW)                                                                   \
	ROW(syslog)                                                                                \
	OUTPUT_KINDS_OF_HTTP(ROW)                                                                  \
	OUTPUT_KINDS_OF_OTLP(ROW)                                                                  \
	OUTPUT_KINDS_OF_KAFKA(ROW)                                                                 \
	OUTPUT_KINDS_OF_NATS(ROW)                                                                  \
	OUTPUT_KINDS_OF_FLUENT(ROW)                                                                \
	ROW(scap)

#define OUTPUT_KIND_DECLARE(name) extern const struct output_kind output_kind_##name;
OUTPUT_KINDS(OUTPUT_KIND_DECLARE)
#undef OUTPUT_KIND_DECLARE

/* All kinds as an array, which ends with NULL. */
extern const struct output_kind *const output_kinds[];

#endif
