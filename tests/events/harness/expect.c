/* SPDX-License-Identifier: MIT */
/* Comparisons of the parameters of events, and the report of those that failed. */
#include "capture.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "harness/live.h"

enum { SHOWN_BYTES_MAX = 100 };

static void report_line(const char *file, int line, const char *format, va_list args)
{
	const char *slash = strrchr(file, '/');

	live_test.failures++;
	fprintf(live_test.report, "# %s:%d: ", slash ? slash + 1 : file, line);
	vfprintf(live_test.report, format, args);
	fputc('\n', live_test.report);
}

void live_fail(const char *file, int line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report_line(file, line, format, args);
	va_end(args);
}

void live_require_failed(const char *file, int line, const char *condition)
{
	live_fail(file, line, "the test could not go on: not %s (%m)", condition);
	if (getpid() != live_test.pid)
		_exit(1);
	longjmp(live_test.end, 1);
}

/* Notes that the parameter is compared; returns it. */
static const struct event_param *compared(const struct event *ev, unsigned int param)
{
	captured_of(ev)->compared |= UINT64_C(1) << param;
	return &ev->params[param];
}

static void show_bytes(const uint8_t *data, size_t len)
{
	fprintf(live_test.report, "%zu bytes \"", len);
	for (size_t i = 0; i < len && i < SHOWN_BYTES_MAX; i++)
		fprintf(live_test.report, isprint(data[i]) && data[i] != '\\' ? "%c" : "\\%02x",
			data[i]);
	fprintf(live_test.report, len > SHOWN_BYTES_MAX ? "…\"" : "\"");
}

void live_expect_bytes(const char *file, int line, const struct event *ev, unsigned int param,
		       const void *data, size_t len)
{
	const struct event_param *got = compared(ev, param);

	if (got->len == len && memcmp(got->data, len ? data : "", len) == 0)
		return;
	live_fail(file, line, "parameter %s.%s:", ev->desc->name, ev->desc->params[param].name);
	fprintf(live_test.report, "#   expected ");
	show_bytes(data, len);
	fprintf(live_test.report, "\n#   got      ");
	show_bytes(got->data, got->len);
	fputc('\n', live_test.report);
}

void live_expect_string(const char *file, int line, const struct event *ev, unsigned int param,
			const char *text)
{
	live_expect_bytes(file, line, ev, param, text, text ? strlen(text) + 1 : 0);
}

void live_expect_range(const char *file, int line, const struct event *ev, unsigned int param,
		       int64_t low, int64_t high)
{
	const struct param_desc *desc = &ev->desc->params[param];
	const struct event_param *got = compared(ev, param);
	int64_t value = event_param_i64(ev, param);

	if (got->len == 0 || got->len != param_type_size(desc->type))
		live_fail(file, line, "parameter %s.%s: absent or of another type, %u bytes",
			  ev->desc->name, desc->name, got->len);
	else if (value < low || value > high)
		live_fail(file, line,
			  "parameter %s.%s: expected %" PRId64 " to %" PRId64 ", got %" PRId64
			  " (0x%" PRIx64 ")",
			  ev->desc->name, desc->name, low, high, value, value);
}

void live_expect_i64(const char *file, int line, const struct event *ev, unsigned int param,
		     int64_t value)
{
	live_expect_range(file, line, ev, param, value, value);
}

struct expected live_text(const char *text)
{
	return text ? BYTES(text, strlen(text) + 1) : ABSENT;
}

void live_expect_params(const char *file, int line, const struct event *ev,
			const struct expected *expected, size_t count)
{
	if (count != ev->desc->nparams) {
		live_fail(file, line, "%s has %u parameters, and %zu are expected", ev->desc->name,
			  ev->desc->nparams, count);
		return;
	}
	for (unsigned int i = 0; i < count; i++) {
		if (expected[i].is_number)
			live_expect_i64(file, line, ev, i, expected[i].number);
		else
			live_expect_bytes(file, line, ev, i, expected[i].data, expected[i].len);
	}
}

/* Writes an address and a port as events hold them; returns the bytes written. */
static size_t put_end(uint8_t *out, const char *ip, uint16_t port)
{
	bool is_v6 = strchr(ip, ':');
	size_t len = is_v6 ? 16 : 4;

	require(inet_pton(is_v6 ? AF_INET6 : AF_INET, ip, out) == 1);
	memcpy(out + len, &port, sizeof(port));
	return len + sizeof(port);
}

static uint8_t family_of(const char *ip)
{
	return strchr(ip, ':') ? 10 : 2;
}

void live_expect_address_ip(const char *file, int line, const struct event *ev, unsigned int param,
			    const char *ip, uint16_t port)
{
	uint8_t bytes[32] = {family_of(ip)};

	live_expect_bytes(file, line, ev, param, bytes, 1 + put_end(bytes + 1, ip, port));
}

void live_expect_address_unix(const char *file, int line, const struct event *ev,
			      unsigned int param, const char *name)
{
	uint8_t bytes[256] = {1};

	memcpy(bytes + 1, name, strlen(name) + 1);
	live_expect_bytes(file, line, ev, param, bytes, 1 + strlen(name) + 1);
}

void live_expect_tuple_ip(const char *file, int line, const struct event *ev, unsigned int param,
			  const char *source_ip, uint16_t source_port, const char *dest_ip,
			  uint16_t dest_port)
{
	uint8_t bytes[64] = {family_of(source_ip)};
	size_t len = 1;

	len += put_end(bytes + len, source_ip, source_port);
	len += put_end(bytes + len, dest_ip, dest_port);
	live_expect_bytes(file, line, ev, param, bytes, len);
}

struct unix_ends live_unix_ends(const struct event *ev, unsigned int param)
{
	struct unix_ends ends = {0};

	require(ev->params[param].len > sizeof(ends));
	memcpy(&ends, ev->params[param].data + 1, sizeof(ends));
	return ends;
}

/* With five levels of page tables the upper half begins at ff00…, else at ffff8…. */
bool live_is_kernel_address(uint64_t address)
{
	return address >> 56 == 0xff;
}

static bool is_expected_socket(uint64_t got, uint64_t expected)
{
	return expected == SOME_SOCKET ? live_is_kernel_address(got) : got == expected;
}

void live_expect_tuple_unix(const char *file, int line, const struct event *ev, unsigned int param,
			    uint64_t source, uint64_t dest, const char *name)
{
	struct unix_ends ends = live_unix_ends(ev, param);
	uint8_t bytes[256] = {1};

	if (!is_expected_socket(ends.source, source))
		live_fail(file, line, "parameter %s.%s: source %" PRIx64 ", expected %" PRIx64,
			  ev->desc->name, ev->desc->params[param].name, ends.source, source);
	if (!is_expected_socket(ends.dest, dest))
		live_fail(file, line, "parameter %s.%s: destination %" PRIx64 ", expected %" PRIx64,
			  ev->desc->name, ev->desc->params[param].name, ends.dest, dest);
	memcpy(bytes + 1, &ends, sizeof(ends));
	memcpy(bytes + 1 + sizeof(ends), name, strlen(name) + 1);
	live_expect_bytes(file, line, ev, param, bytes, 1 + sizeof(ends) + strlen(name) + 1);
}
