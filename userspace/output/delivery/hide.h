/* SPDX-License-Identifier: MIT */
/* Hides the secrets in the records of a block. */
#ifndef OUTPUT_DELIVERY_HIDE_H
#define OUTPUT_DELIVERY_HIDE_H

#include "output/delivery/batch.h"

/* Called by the thread that took the block from the queue: nobody else reads its bytes. */
void hide_secrets(const struct output_form *form, struct block *block);

#endif
