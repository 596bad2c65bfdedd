/* SPDX-License-Identifier: MIT */
/*
 * Draws the flame graph of folded stacks for tests in a browser: draw NOW [BEFORE], files; to the
 * standard output.
 */
#include <stdio.h>
#include <stdlib.h>

#include "profile/formats/flame_svg.h"

static int add_file(struct flame *flame, enum flame_side side, const char *path, struct error *err)
{
	FILE *file = fopen(path, "r");
	struct buf text = {0};
	int r;

	if (!file)
		return error_set(err, -1, "cannot open it");
	while (buf_reserve(&text, BUFSIZ)) {
		size_t n = fread(text.data + text.len, 1, BUFSIZ, file);

		if (n == 0)
			break;
		text.len += n;
	}
	fclose(file);
	r = flame_add_folded(flame, side, text.data, text.len, err);
	buf_finish(&text);
	return r;
}

int main(int argc, char **argv)
{
	struct flame_svg_text text = {"CPU time <b>&amp;", "cpu-clock, 99 Hz, 10 s"};
	struct buf out = {0};
	struct error err;
	struct flame flame;

	if (argc < 2 || flame_init(&flame) != 0)
		return EXIT_FAILURE;
	for (int i = 1; i < argc && i <= FLAME_SIDES; i++)
		if (add_file(&flame, i == 1 ? FLAME_NOW : FLAME_BEFORE, argv[i], &err) != 0) {
			fprintf(stderr, "draw: %s: %s\n", argv[i], err.text);
			return EXIT_FAILURE;
		}
	if (flame_complete(&flame) != 0)
		return EXIT_FAILURE;
	flame_svg_write(&flame, &text, &out);
	fwrite(out.data, 1, out.len, stdout);
	buf_finish(&out);
	flame_finish(&flame);
	return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
