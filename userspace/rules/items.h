/* SPDX-License-Identifier: MIT */
/* Reads the items of rules files into the definitions. */
#ifndef RULES_ITEMS_H
#define RULES_ITEMS_H

#include "rules/defs.h"

/*
 * Reads the items of a document. Errors are added to the report; the valid items take effect.
 * Returns 0 or -ENOMEM.
 */
int rules_items_read(struct rules_defs *defs, const struct yaml_node *root);

#endif
