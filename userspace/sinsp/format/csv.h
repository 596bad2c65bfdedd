/* SPDX-License-Identifier: MIT */
/* Parts of the format csv that tables of any width use. */
#ifndef SINSP_FORMAT_CSV_H
#define SINSP_FORMAT_CSV_H

#include <stddef.h>

#include "util/buf.h"

/* Appends the text of a cell, in quotes if it has a comma, a quote or an end of a line. */
void csv_append_cell(struct buf *out, const char *text, size_t len);

#endif
