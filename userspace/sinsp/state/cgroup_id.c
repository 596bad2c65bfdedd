/* SPDX-License-Identifier: MIT */
#include "sinsp/state/cgroup_id.h"

enum { ID_HEX_DIGITS = 64, STATIC_POD_DIGITS = 32 };

static const char digits[] = "0123456789abcdef";

/* The value of a digit, or -1. */
static int digit_value(char c)
{
	const char *found = memchr(digits, c, sizeof(digits) - 1);

	return found ? (int)(found - digits) : -1;
}

static bool is_hex(struct text text, size_t len)
{
	if (text.len != len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (digit_value(text.at[i]) < 0)
			return false;
	return true;
}

/* Groups of digits, the first of 8, the last of `last`, with a character between them. */
static bool is_grouped(struct text text, size_t last, char between)
{
	static const size_t dashes[] = {8, 13, 18, 23};
	size_t next = 0;

	if (text.len != 24 + last)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (next < sizeof(dashes) / sizeof(dashes[0]) && i == dashes[next]) {
			if (text.at[i] != between)
				return false;
			next++;
		} else if (digit_value(text.at[i]) < 0) {
			return false;
		}
	}
	return true;
}

static bool fits_hex(struct text *id)
{
	return is_hex(*id, ID_HEX_DIGITS);
}

static bool fits_uuid(struct text *id)
{
	return is_grouped(*id, 12, '-');
}

static bool fits_garden(struct text *id)
{
	return is_grouped(*id, 4, '-');
}

static bool fits_name(struct text *id)
{
	return id->len > 0 && id->len < SINSP_CONTAINER_ID_BYTES;
}

static bool fits_word(struct text *id)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789+-._@";

	for (size_t i = 0; i < id->len; i++)
		if (!memchr(allowed, id->at[i], sizeof(allowed) - 1))
			return false;
	return fits_name(id);
}

/* libvirt writes the process id of the container's first process and a dash before the name. */
static bool fits_after_leader(struct text *id)
{
	static const char dash[] = "\\x2d";
	size_t n = 0;

	while (n < id->len && id->at[n] >= '0' && id->at[n] <= '9')
		n++;
	if (n && text_starts((struct text){id->at + n, id->len - n}, dash)) {
		id->at += n + sizeof(dash) - 1;
		id->len -= n + sizeof(dash) - 1;
	}
	return fits_name(id);
}

const struct id_shape id_hex = {fits_hex}, id_uuid = {fits_uuid}, id_garden = {fits_garden},
		      id_word = {fits_word, .is_name = true},
		      id_name = {fits_name, .is_name = true},
		      id_escaped = {fits_name, .is_name = true, .escaped = true},
		      id_after_leader = {fits_after_leader, .is_name = true, .escaped = true};

/* The character of a "\xHH" at the start of the text, or -1. */
static int escaped_character(struct text text)
{
	int high, low;

	if (text.len < 4 || !text_starts(text, "\\x"))
		return -1;
	high = digit_value(text.at[2]);
	low = digit_value(text.at[3]);
	/* A NUL would end the id before its length does. */
	return high < 0 || low < 0 || (high == 0 && low == 0) ? -1 : high << 4 | low;
}

size_t id_copy(const struct id_shape *shape, struct text id, char copy[SINSP_CONTAINER_ID_BYTES])
{
	size_t len = 0;

	while (id.len) {
		int escaped = shape->escaped ? escaped_character(id) : -1;
		size_t n = escaped < 0 ? 1 : 4;

		copy[len++] = escaped < 0 ? *id.at : (char)escaped;
		id.at += n;
		id.len -= n;
	}
	copy[len] = '\0';
	return len;
}

bool pod_uid_copy(struct text text, char uid[SINSP_POD_UID_BYTES])
{
	if (!is_grouped(text, 12, '-') && !is_grouped(text, 12, '_') &&
	    !is_hex(text, STATIC_POD_DIGITS))
		return false;
	for (size_t i = 0; i < text.len; i++)
		uid[i] = text.at[i] == '_' ? '-' : text.at[i];
	uid[text.len] = '\0';
	return true;
}
