/* SPDX-License-Identifier: MIT */
/*
 * What the picture has: frames where they belong, names as text, changes between two profiles. That
 * it can be searched and zoomed, tests/browser/test_flame sees in a browser.
 */
#include "profile/formats/flame_svg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

static const struct flame_svg_text text = {"Time & <title>", "99 Hz"};

static char *draw(const char *now, const char *before)
{
	struct buf out = {0};
	struct flame flame;

	assert_int_equal(flame_init(&flame), 0);
	assert_int_equal(flame_add_folded(&flame, FLAME_NOW, now, strlen(now), NULL), 0);
	if (before)
		assert_int_equal(
			flame_add_folded(&flame, FLAME_BEFORE, before, strlen(before), NULL), 0);
	assert_int_equal(flame_complete(&flame), 0);
	flame_svg_write(&flame, &text, &out);
	flame_finish(&flame);
	buf_append_char(&out, '\0');
	assert_false(out.failed);
	return out.data;
}

static void expect_in(const char *picture, const char *part)
{
	if (!strstr(picture, part))
		fail_msg("no '%s'", part);
}

static size_t count_in(const char *picture, const char *part)
{
	size_t len = strlen(part), n = 0;

	/* No strstr(): a sanitizer has it read all of the rest each time. */
	for (const char *at = picture; (at = strchr(at, *part)); at++)
		n += strncmp(at, part, len) == 0;
	return n;
}

static void places_frames(void **state)
{
	char *picture = draw("p;a;b 1\np;a 2\np;c_[k] 1\n", NULL);

	expect_in(picture, "Time &amp; &lt;title&gt;</text>");
	expect_in(picture, ">4 samples, 99 Hz</text>");
	expect_in(picture,
		  "data-b=\"0\" data-v=\"4\" data-d=\"0\"><title>all (4 samples, 100.00 %)");
	expect_in(picture, "data-b=\"0\" data-v=\"4\" data-d=\"1\"><title>p (");
	expect_in(picture, "data-b=\"0\" data-v=\"3\" data-d=\"2\"><title>a (3 samples, 75.00 %)");
	expect_in(picture, "data-b=\"0\" data-v=\"1\" data-d=\"3\"><title>b (1 sample, 25.00 %)");
	expect_in(picture, "data-b=\"3\" data-v=\"1\" data-d=\"2\"><title>c (1 sample, 25.00 %)");
	/* Three quarters of 1180 pixels from the left one, in the second row but one from below. */
	expect_in(picture, "<rect x=\"895.00\" y=\"75\" width=\"294.50\"");
	expect_in(picture, ">kernel</text>");
	assert_null(strstr(picture, ">JIT code</text>"));
	free(picture);
}

/* Bytes that are markup, a script, no character, or that turn the direction of text. */
static void has_names_as_text(void **state)
{
	char *picture = draw("p;<script>alert(\"1\")</script>&']]>\x1b\xff\u202e 1\n", NULL);

	expect_in(picture,
		  "<title>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;]]&gt;"
		  "\ufffd\ufffd\ufffd (1 sample");
	assert_int_equal(count_in(picture, "<script"), 1);
	assert_int_equal(count_in(picture, "]]>"), 1);
	free(picture);
}

static void cuts_names_to_their_room(void **state)
{
	char folded[2048], *picture;

	memset(folded, 'x', sizeof(folded));
	memcpy(folded, "p;", 2);
	strcpy(folded + 1000, " 1\np;narrow 1000000\n");
	picture = draw(folded, NULL);
	expect_in(picture, "1 frames are too narrow");
	assert_null(strstr(picture, "xxxx"));
	free(picture);
	strcpy(folded + 1000, " 1\n");
	picture = draw(folded, NULL);
	expect_in(picture, "xxxx..</text>");
	free(picture);
}

/* What is larger than a browser can count stays in proportion. */
static void scales_large_values(void **state)
{
	char *picture = draw("p;a 9223372036854775808\np;b 4611686018427387904\n", NULL);

	expect_in(picture, "data-b=\"0\" data-v=\"4503599627370496\" data-d=\"2\">");
	expect_in(picture, "data-b=\"4503599627370496\" data-v=\"2251799813685248\" data-d=\"2\">");
	free(picture);
}

static void shows_what_has_changed(void **state)
{
	char *picture =
		draw("p;a 30\np;b 10\np;same 10\n", "p;a 10\np;b 25\np;same 10\np;gone 5\n");

	expect_in(picture, "a (30 samples, 60.00 %, before: 20.00 %, change: +40.00 %)");
	expect_in(picture, "b (10 samples, 20.00 %, before: 50.00 %, change: -30.00 %)");
	expect_in(picture, "same (10 samples, 20.00 %, before: 20.00 %, change: +0.00 %)");
	expect_in(picture, "fill=\"#ff8787\"");
	expect_in(picture, "fill=\"#8989ff\"");
	expect_in(picture, "fill=\"#ffffff\"");
	expect_in(picture, "10.00 % of the earlier profile is in stacks that are not here");
	assert_null(strstr(picture, "<title>gone"));
	free(picture);
}

static void is_a_picture_without_stacks(void **state)
{
	char *picture = draw("", NULL);

	expect_in(picture, ">0 samples, 99 Hz</text>");
	assert_null(strstr(picture, "class=\"f\""));
	expect_in(picture, "</svg>\n");
	free(picture);
}

static void draws_so_many_frames(void **state)
{
	struct buf folded = {0};
	char *picture;

	for (int i = 0; i < 2000; i++) {
		for (int k = 0; k < 40; k++)
			buf_printf(&folded, "f%d;", i * k);
		buf_printf(&folded, "end 1\n");
	}
	buf_append_char(&folded, '\0');
	picture = draw(folded.data, NULL);
	assert_int_equal(count_in(picture, "<g class=\"f\""), FLAME_SVG_FRAMES_MAX);
	free(picture);
	buf_finish(&folded);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(places_frames),
	cmocka_unit_test(has_names_as_text),
	cmocka_unit_test(cuts_names_to_their_room),
	cmocka_unit_test(scales_large_values),
	cmocka_unit_test(shows_what_has_changed),
	cmocka_unit_test(is_a_picture_without_stacks),
	cmocka_unit_test(draws_so_many_frames),
};

UNIT_GROUP(tests);
