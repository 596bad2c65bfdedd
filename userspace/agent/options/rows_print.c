/* SPDX-License-Identifier: MIT */
/* Options: output of events and its format. */
#include "agent/options/row.h"

#include <errno.h>

#include "agent/options/setters.h"

/* ", json, text" and so on. */
#define WORD(name) ", " #name
static const char format_help[] = OUTPUT_FORMATS(WORD) "; default json, on a terminal text";

static const char *const time_words[] = {
	[TEXT_TIME_OF_DAY] = "h", [TEXT_TIME_EPOCH] = "a", [TEXT_TIME_RELATIVE] = "r",
	[TEXT_TIME_LATENCY] = "d", [TEXT_TIME_DELTA] = "D",
};
static const char *const color_words[] = {
	[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};

CONSTANT_SETTER(set_json, format, &format_json)
CONSTANT_SETTER(set_quiet, quiet, true)
CONSTANT_SETTER(set_json_fields, json_fields, value)
CONSTANT_SETTER(set_json_base64, json_base64, true)
CONSTANT_SETTER(set_print, print, value)
CONSTANT_SETTER(set_port_names, port_names, true)
CONSTANT_SETTER(set_ascii, style.bytes, TEXT_BYTES_ASCII)
CONSTANT_SETTER(set_base64, style.bytes, TEXT_BYTES_BASE64)
CONSTANT_SETTER(set_hex, style.bytes, TEXT_BYTES_HEX)
CONSTANT_SETTER(set_hex_ascii, style.bytes, TEXT_BYTES_HEX_ASCII)
WORD_SETTER(set_time, time_words, style.time)
WORD_SETTER(set_color, color_words, color)

static const char *format_word(unsigned int i)
{
	const struct output_format *format = output_format_get(i);

	return format ? format->name : NULL;
}

static int set_format(struct options *options, const char *value)
{
	const struct output_format *format = output_format_find(value);

	if (!format)
		return -EINVAL;
	options->format = format;
	return 0;
}

const struct option_row option_rows_print[] = {
	{'o', "format", "KIND", format_help + 2, set_format, .words = format_word,
	 .about = PRINTS | OF_LISTS, .usual = true},
	{'j', "json", NULL, "the same as -o json", set_json, .about = PRINTS | OF_LISTS},
	{'q', "quiet", NULL, "print no events", set_quiet},
	{0, "output", "KIND:TARGET,...",
	 "deliver events there, not to standard output; with keys such as format=, policy=, spool= "
	 "and, as the last one, filter=. May be repeated; see --list-outputs",
	 options_add_output, .list = LIST_REPEATED, .key = "outputs", .reloads = true},
	{0, "json-fields", "LIST", "fields with commas between; also 'default' and 'all'",
	 set_json_fields, .list = LIST_COMMAS, .about = PRINTS, .offer = OFFER_FIELD_LIST},
	{0, "json-b64", NULL, "in JSON, NAME_b64 beside text that is not UTF-8", set_json_base64,
	 .about = PRINTS},
	{'p', "print", "FORMAT",
	 "text with %FIELD in it; with * in front also when a field is missing. -pc, -pk: the "
	 "usual line with the container or the pod",
	 set_print, .about = PRINTS, .offer = OFFER_FORMAT, .usual = true},
	{'t', "timetype", "h|a|r|d|D",
	 "time: of day (default), since 1970, since the start, that the call took, since the "
	 "event before",
	 set_time, .words = time_words_get, .about = PRINTS},
	{'A', "print-ascii", NULL, "buffers as text of several lines", set_ascii, .about = PRINTS},
	{'b', "print-base64", NULL, "buffers in base64", set_base64, .about = PRINTS},
	{'x', "print-hex", NULL, "buffers in hexadecimal", set_hex, .about = PRINTS},
	{'X', "print-hex-ascii", NULL, "buffers in hexadecimal and as text", set_hex_ascii,
	 .about = PRINTS},
	{'R', "resolve-ports", NULL,
	 "in text, ports of sockets as names of services; numbers stay in numeric fields",
	 set_port_names, .about = PRINTS},
	{0, "color", "WHEN", "auto, always or never; default auto: on a terminal", set_color,
	 .words = color_words_get, .about = PRINTS},
	{0},
};
