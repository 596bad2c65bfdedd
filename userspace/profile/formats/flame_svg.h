/* SPDX-License-Identifier: MIT */
/*
 * A flame graph as a picture, SVG, that needs no other file: in a browser it can be searched and
 * zoomed, with the mouse or the keyboard. Names are text there, whatever bytes they have.
 */
#ifndef PROFILE_FORMATS_FLAME_SVG_H
#define PROFILE_FORMATS_FLAME_SVG_H

#include "profile/formats/flame.h"

enum {
	FLAME_SVG_WIDTH = 1200, /* pixels */
	/* Frames that are shown: of those that are narrower than a part of the whole none is. */
	FLAME_SVG_PARTS = 10000,
	FLAME_SVG_FRAMES_MAX = 50000,
};

struct flame_svg_text {
	const char *title; /* "CPU time of pid 123" */
	const char *facts; /* "cpu-clock at 99 Hz for 10 s"; "" for none */
};

/*
 * Appends the picture of a completed tree. Of two profiles it has the frames of the later one, red
 * where they take a larger share than in the earlier one and blue where they take a smaller one.
 */
void flame_svg_write(const struct flame *flame, const struct flame_svg_text *text, struct buf *out);

extern const char flame_script[]; /* flame.js */

#endif
