/* SPDX-License-Identifier: MIT */
/* Addresses of symbols of /proc/kallsyms: the kernel gives each a name that it has there. */
#include "profile/capture/kernel_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

/* More than are asked for at a time. */
enum { SYMBOLS = 600, NAME_BYTES = 128, EACH = 150 };

struct known_symbol {
	uint64_t address;
	char name[NAME_BYTES];
};

static const char *missing(void)
{
	struct utsname name;
	unsigned int major = 0, minor = 0;

	if (geteuid() != 0)
		return "root";
	uname(&name);
	sscanf(name.release, "%u.%u", &major, &minor);
	return major > 5 || (major == 5 && minor >= 14) ? NULL : "Linux 5.14";
}

static bool next_function(FILE *file, struct known_symbol *symbol)
{
	char line[512], type;

	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%" SCNx64 " %c %127s", &symbol->address, &type, symbol->name) ==
			    3 &&
		    strchr("tT", type) && symbol->address)
			return true;
	return false;
}

/* One of some functions, that is alone at its address, and has more than a byte. */
static size_t read_symbols(struct known_symbol symbols[SYMBOLS])
{
	FILE *file = fopen("/proc/kallsyms", "re");
	struct known_symbol before = {0}, symbol, next;
	size_t count = 0, number = 0;

	assert_non_null(file);
	assert_true(next_function(file, &symbol));
	while (count < SYMBOLS && next_function(file, &next)) {
		if (++number % EACH == 0 && symbol.address != before.address &&
		    next.address > symbol.address + 1)
			symbols[count++] = symbol;
		before = symbol;
		symbol = next;
	}
	fclose(file);
	return count;
}

static void names_what_it_has(void **state)
{
	static struct known_symbol symbols[SYMBOLS];
	uint64_t addresses[SYMBOLS + 1];
	size_t count = read_symbols(symbols);
	struct symbol_table table;

	assert_true(count > 300);
	for (size_t i = 0; i < count; i++)
		addresses[i] = symbols[i].address + 1;
	/* No symbol of the kernel is there. */
	addresses[count] = 4096;
	assert_int_equal(kernel_names_read(addresses, count + 1, &table), 0);
	assert_int_equal(table.count, count);
	for (size_t i = 0; i < count; i++) {
		const char *name = symbol_table_find(&table, addresses[i]);

		if (!name || strcmp(name, symbols[i].name) != 0)
			fail_msg("%s is %s", symbols[i].name, name ? name : "nothing");
		assert_null(symbol_table_find(&table, symbols[i].address));
	}
	symbol_table_finish(&table);
	assert_int_equal(kernel_names_read(&addresses[count], 1, &table), -ENOENT);
}

static void fails_without_rights(void **state)
{
	const uint64_t address = 4096;
	struct symbol_table table;
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(setuid(65534) == 0 && kernel_names_read(&address, 1, &table) < 0 ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_what_it_has),
	cmocka_unit_test(fails_without_rights),
};

UNIT_GROUP(tests, .missing = missing);
