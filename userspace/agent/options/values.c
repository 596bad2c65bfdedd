/* SPDX-License-Identifier: MIT */
/* Numbers in values of options, with nothing before or after them. */
#include "agent/options/values.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* PID_MAX_LIMIT of the kernel. */
enum { PID_MAX = 1 << 22 };

int option_read_u64(const char *text, uint64_t *value)
{
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno || *end ? -EINVAL : 0;
}

int option_read_count(const char *text, uint64_t max, uint64_t *count)
{
	uint64_t value;
	int code = option_read_u64(text, &value);

	if (code)
		return code;
	if (value == 0 || value > max)
		return -EINVAL;
	*count = value;
	return 0;
}

int option_read_seconds(const char *text, uint64_t *ns)
{
	double seconds;
	char *end;

	seconds = strtod(text, &end);
	if (end == text || *end || !isfinite(seconds) || seconds <= 0 || seconds > 1e9)
		return -EINVAL;
	*ns = (uint64_t)(seconds * 1e9);
	return *ns ? 0 : -EINVAL;
}

int option_read_bytes(const char *text, uint64_t max, uint64_t *bytes)
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
	if (!unit || end[1])
		return -EINVAL;
	*bytes <<= 10 * (unit - units + 1);
	return 0;
}

const char *option_read_port(const char *text, char end, uint16_t *port)
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

const char *option_read_pid(const char *text, pid_t *pid)
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
