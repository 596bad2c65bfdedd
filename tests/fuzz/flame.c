/* SPDX-License-Identifier: MIT */
/*
 * Any text as folded stacks: a second profile begins at a 0xff. What is read is written in each
 * form; folded, it is read again with the same sum, and as a picture it stays well-formed.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "profile/formats/flame_svg.h"
#include "profile/formats/folded.h"
#include "profile/formats/speedscope.h"
#include "profile/formats/top.h"

static bool read_side(struct flame *flame, enum flame_side side, const char *text, size_t len)
{
	struct error err;
	int r = flame_add_folded(flame, side, text, len, &err);

	REQUIRE(r == 0 || r == -EBADMSG, "%d", r);
	return r == 0;
}

/* Texts of others are in no tag and end no section. */
static void check_picture(const struct buf *out)
{
	static const char begin[] = "<script><![CDATA[\n";
	const char *script = memmem(out->data, out->len, begin, sizeof(begin) - 1);

	REQUIRE(script && !memmem(script + 1, (size_t)(out->data + out->len - script) - 1, begin,
				  sizeof(begin) - 1),
		"%zu bytes", out->len);
	for (const char *at = out->data; at < script; at++)
		REQUIRE((unsigned char)*at >= 0x20 || *at == '\n' || *at == '\t', "byte %d", *at);
}

/* Masked names may be the same ones, and an end of a name may be that of its kind. */
static void check_folded(const struct buf *folded, uint64_t total)
{
	struct flame flame;

	REQUIRE(flame_init(&flame) == 0, "no memory");
	REQUIRE(read_side(&flame, FLAME_NOW, folded->data ? folded->data : "", folded->len), "%.*s",
		(int)folded->len, folded->data);
	REQUIRE(flame_complete(&flame) == 0, "no memory");
	REQUIRE(flame.nodes[0].total[FLAME_NOW] == total, "%.*s", (int)folded->len, folded->data);
	flame_finish(&flame);
}

static void write_all(const struct flame *flame)
{
	const struct flame_svg_text text = {"title", ""};
	struct buf out = {0};

	folded_write(flame, &out);
	if (!flame->has_before)
		check_folded(&out,
			     flame->nodes[0].total[FLAME_NOW] - flame->nodes[0].self[FLAME_NOW]);
	buf_clear(&out);
	flame_svg_write(flame, &text, &out);
	check_picture(&out);
	buf_clear(&out);
	speedscope_write(flame, "title", &out);
	REQUIRE(top_write(flame, 20, 60, &out) == 0, "no memory");
	buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *second = size ? memchr(data, 0xff, size) : NULL;
	size_t len = second ? (size_t)(second - data) : size;
	char *copy = malloc(size + 1);
	struct flame flame;

	REQUIRE(copy && flame_init(&flame) == 0, "no memory");
	memcpy(copy, data, size);
	if (read_side(&flame, FLAME_NOW, copy, len) &&
	    (!second || read_side(&flame, FLAME_BEFORE, copy + len + 1, size - len - 1))) {
		REQUIRE(flame_complete(&flame) == 0, "no memory");
		write_all(&flame);
	}
	flame_finish(&flame);
	free(copy);
	return 0;
}
