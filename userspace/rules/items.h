/* SPDX-License-Identifier: MIT */
/* What the items of rules files say, taken into the set of definitions. */
#ifndef RULES_ITEMS_H
#define RULES_ITEMS_H

#include "rules/set.h"

/*
 * Takes in the items of a document. What is wrong is told in the report; the rest counts. Returns 0
 * or -ENOMEM.
 */
int rules_items_read(struct rules_set *set, const struct yaml_node *root);

#endif
