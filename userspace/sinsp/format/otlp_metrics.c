/* SPDX-License-Identifier: MIT */
/*
 * Records of outputs that send metrics: messages Metric of OpenTelemetry, each after its length,
 * which requests/metrics/ makes. Of events it has nothing; a stream of numbers that only grow needs
 * no record of what is missing. Texts are the values of attributes.
 */
#include "sinsp/format/output_format.h"
#include "util/proto.h"

/* Of opentelemetry/proto/metrics/v1: what is a message, and what is no text. */

static const struct proto_shape value_shape[] = {{0}};
static const struct proto_shape pair_shape[] = {{1, proto_name_shape}, {2, value_shape}, {0}};
static const struct proto_shape number_shape[] = {{7, pair_shape}, {0}};
static const struct proto_shape bounded_shape[] = {
	{6, proto_name_shape}, {7, proto_name_shape}, {9, pair_shape}, {0}};
static const struct proto_shape buckets_shape[] = {{2, proto_name_shape}, {0}};
static const struct proto_shape exemplar_shape[] = {{5, proto_name_shape}, {0}};
static const struct proto_shape exponential_shape[] = {
	{1, pair_shape}, {8, buckets_shape}, {11, exemplar_shape}, {0}};
static const struct proto_shape sum_shape[] = {{1, number_shape}, {0}};
static const struct proto_shape histogram_shape[] = {{1, bounded_shape}, {0}};
static const struct proto_shape exponentials_shape[] = {{1, exponential_shape}, {0}};
static const struct proto_shape metric_shape[] = {
	{1, proto_name_shape},
	{2, proto_name_shape},
	{3, proto_name_shape},
	{7, sum_shape},
	{9, histogram_shape},
	{10, exponentials_shape},
	{0},
};

static void visit_texts(char *record, size_t len, proto_text_visitor *visit, void *context)
{
	proto_visit_texts(metric_shape, record, len, visit, context);
}

const struct output_format format_otlp_metrics = {
	.name = "otlp-metrics",
	.records = {.visit_texts = visit_texts},
	.for_programs = true,
};
