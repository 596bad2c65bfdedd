/* SPDX-License-Identifier: MIT */
/* Numbers in values of options, with nothing before or after them. */
#include "util/value.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "util/count.h"

/* PID_MAX_LIMIT of the kernel. */
enum { PID_MAX = 1 << 22 };

int value_read_u64(const char *text, uint64_t *value)
{
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno || *end ? -EINVAL : 0;
}

int value_read_count(const char *text, uint64_t max, uint64_t *count)
{
	uint64_t value;
	int r = value_read_u64(text, &value);

	if (r)
		return r;
	if (value == 0 || value > max)
		return -EINVAL;
	*count = value;
	return 0;
}

/* A number above 0, at most `max`. */
static int read_real(const char *text, double max, double *number)
{
	double read;
	char *end;

	/* strtod() takes blanks, signs, hexadecimal digits and names, too. */
	if (text[strspn(text, "0123456789.eE+-")] || !strchr("0123456789.", text[0]))
		return -EINVAL;
	read = strtod(text, &end);
	if (end == text || *end || !isfinite(read) || read <= 0 || read > max)
		return -EINVAL;
	*number = read;
	return 0;
}

int value_read_percent(const char *text, double *percent)
{
	return read_real(text, 100, percent);
}

int value_read_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"", 1e9},	  {"ms", 1e6},	 {"s", 1e9},
		     {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9}};
	double number;
	char *unit;

	/* strtod() takes signs, hexadecimal digits and names, too. */
	if (text[strspn(text, ".")] < '0' || text[strspn(text, ".")] > '9' || text[1] == 'x')
		return -EINVAL;
	number = strtod(text, &unit);
	for (size_t i = 0; i < COUNT(units); i++) {
		if (strcmp(unit, units[i].name))
			continue;
		number *= units[i].ns;
		if (!isfinite(number) || number > 1e18)
			return -EINVAL;
		*ns = (uint64_t)number;
		return 0;
	}
	return -EINVAL;
}

int value_read_seconds(const char *text, uint64_t *ns)
{
	uint64_t read;
	int r = value_read_time(text, &read);

	if (r)
		return r;
	if (read == 0)
		return -EINVAL;
	*ns = read;
	return 0;
}

int value_read_bytes(const char *text, uint64_t max, uint64_t *bytes)
{
	static const char units[] = "KMG";
	const char *unit;
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	errno = 0;
	*bytes = strtoull(text, &end, 10);
	if (errno || *bytes > max)
		return -EINVAL;
	if (*end == '\0')
		return 0;
	unit = strchr(units, *end);
	if (!unit || end[1] || *bytes > UINT64_MAX >> 10 * (unit - units + 1))
		return -EINVAL;
	*bytes <<= 10 * (unit - units + 1);
	return 0;
}

const char *value_read_port(const char *text, char end, uint16_t *port)
{
	char *behind;
	unsigned long value;

	if (text[0] < '0' || text[0] > '9')
		return NULL;
	value = strtoul(text, &behind, 10);
	if (value == 0 || value > UINT16_MAX || *behind != end)
		return NULL;
	*port = (uint16_t)value;
	return behind + (end != '\0');
}

const char *value_read_pid(const char *text, pid_t *pid)
{
	char *end;
	unsigned long value;

	if (text[0] < '0' || text[0] > '9')
		return NULL;
	value = strtoul(text, &end, 10);
	if (value == 0 || value > PID_MAX || (*end && *end != ','))
		return NULL;
	*pid = (pid_t)value;
	return end;
}
