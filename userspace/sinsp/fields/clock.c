/* SPDX-License-Identifier: MIT */
/* Text of a second, made once for each second. */
#include "sinsp/fields/clock.h"

#include <string.h>
#include <time.h>

#include "util/buf.h"

enum { NS_PER_SECOND = 1000000000 };

static void clock_set_text(struct clock *clock, const struct tm *tm)
{
	int year = tm->tm_year + 1900;

	memcpy(clock->text, "0000-00-00 00:00:00", CLOCK_TEXT_BYTES);
	buf_write_decimal(clock->text, 4, (unsigned int)year);
	buf_write_decimal(clock->text + 5, 2, (unsigned int)tm->tm_mon + 1);
	buf_write_decimal(clock->text + 8, 2, (unsigned int)tm->tm_mday);
	buf_write_decimal(clock->text + 11, 2, (unsigned int)tm->tm_hour);
	buf_write_decimal(clock->text + 14, 2, (unsigned int)tm->tm_min);
	buf_write_decimal(clock->text + 17, 2, (unsigned int)tm->tm_sec);
}

static const char *clock_text(struct clock *clock, uint64_t ns,
			      struct tm *(*convert)(const time_t *, struct tm *))
{
	uint64_t second = ns / NS_PER_SECOND;
	time_t when = (time_t)second;
	struct tm tm = {0};

	if (clock->valid && clock->second == second)
		return clock->text;
	convert(&when, &tm);
	clock_set_text(clock, &tm);
	clock->second = second;
	clock->valid = true;
	return clock->text;
}

const char *clock_utc(struct clock *clock, uint64_t ns)
{
	return clock_text(clock, ns, gmtime_r);
}

const char *clock_local(struct clock *clock, uint64_t ns)
{
	return clock_text(clock, ns, localtime_r);
}

void clock_fraction(char digits[9], uint64_t ns)
{
	buf_write_decimal(digits, 9, ns % NS_PER_SECOND);
}

void clock_rfc3339(struct clock *utc, uint64_t ns, char text[CLOCK_RFC3339_BYTES])
{
	memcpy(text, clock_utc(utc, ns), CLOCK_TEXT_BYTES - 1);
	text[CLOCK_TIME_OFFSET - 1] = 'T';
	text[CLOCK_TEXT_BYTES - 1] = '.';
	clock_fraction(text + CLOCK_TEXT_BYTES, ns);
	text[CLOCK_RFC3339_BYTES - 1] = 'Z';
}
