/* SPDX-License-Identifier: MIT */
/*
 * Several sources as one: they are asked in turn, the fastest first, until one knows all of the
 * container.
 */
#ifndef META_CHAIN_H
#define META_CHAIN_H

#include "meta/source.h"

enum { CHAIN_SOURCES_MAX = 4 };

/*
 * Owns the sources from here on, also after a failure. NULL if one of them is NULL, or out of
 * memory.
 */
struct meta_source *meta_chain_create(struct meta_source *const *sources, size_t count);

#endif
