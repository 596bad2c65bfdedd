/* SPDX-License-Identifier: MIT */
/* The file format of speedscope (https://www.speedscope.app), a viewer of profiles: JSON. */
#ifndef PROFILE_FORMATS_SPEEDSCOPE_H
#define PROFILE_FORMATS_SPEEDSCOPE_H

#include "profile/formats/flame.h"

/* Appends a document of a completed tree, without the earlier profile. title: what it is of. */
void speedscope_write(const struct flame *flame, const char *title, struct buf *out);

#endif
