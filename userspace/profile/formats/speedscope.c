/* SPDX-License-Identifier: MIT */
/* Frames are the names of the tree, stacks the numbers of these, the outermost one first. */
#include "profile/formats/speedscope.h"

#include <string.h>

#include "util/json.h"

static void append_frames(const struct flame *flame, struct buf *out)
{
	for (size_t i = 0; i < flame->names.count; i++) {
		const char *name = texts_at(&flame->names, (uint32_t)i);

		buf_append_string(out, i ? ",{\"name\":" : "{\"name\":");
		json_append_string(out, name, strlen(name));
		buf_append_char(out, '}');
	}
}

static void append_samples(const struct flame *flame, struct buf *out)
{
	uint32_t path[FLAME_DEPTH_MAX + 1], depth = 0;
	bool is_first = true;

	for (uint32_t i = flame_next(flame, 0, &depth); i; i = flame_next(flame, i, &depth)) {
		path[depth] = flame->nodes[i].text;
		if (!flame->nodes[i].self[FLAME_NOW])
			continue;
		for (uint32_t k = 1; k <= depth; k++) {
			buf_append_string(out, k > 1 ? "," : is_first ? "[" : ",[");
			buf_append_u64(out, path[k]);
		}
		buf_append_char(out, ']');
		is_first = false;
	}
}

static void append_weights(const struct flame *flame, struct buf *out)
{
	bool is_first = true;
	uint32_t depth = 0;

	for (uint32_t i = flame_next(flame, 0, &depth); i; i = flame_next(flame, i, &depth)) {
		if (!flame->nodes[i].self[FLAME_NOW])
			continue;
		if (!is_first)
			buf_append_char(out, ',');
		json_append_natural(out, flame->nodes[i].self[FLAME_NOW]);
		is_first = false;
	}
}

void speedscope_write(const struct flame *flame, const char *title, struct buf *out)
{
	/* What was added without a frame is in no sample. */
	uint64_t all = flame->nodes[0].total[FLAME_NOW] - flame->nodes[0].self[FLAME_NOW];

	BUF_LITERAL(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
			 "\"exporter\":\"lanner\",\"name\":");
	json_append_string(out, title, strlen(title));
	BUF_LITERAL(out, ",\"activeProfileIndex\":0,\"shared\":{\"frames\":[");
	append_frames(flame, out);
	BUF_LITERAL(out, "]},\"profiles\":[{\"type\":\"sampled\",\"name\":");
	json_append_string(out, title, strlen(title));
	buf_printf(out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":",
		   flame->unit == FLAME_NS ? "nanoseconds" : "none");
	json_append_natural(out, all);
	BUF_LITERAL(out, ",\"samples\":[");
	append_samples(flame, out);
	BUF_LITERAL(out, "],\"weights\":[");
	append_weights(flame, out);
	BUF_LITERAL(out, "]}]}\n");
}
