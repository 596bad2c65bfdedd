/* SPDX-License-Identifier: MIT */
/* libiberty, which knows C++ and both forms of Rust, and whose output ends where it is too long. */
#include "scap/symbols/symbol_demangle.h"

#include <string.h>

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#include <setjmp.h>

struct demangled {
	char *text;
	size_t len;
	uint32_t pieces;
	jmp_buf give_up;
};

/* Pieces without a byte are bounded as well. */
enum { PIECES_MAX = 4 * SYMBOL_DEMANGLED_BYTES };

/*
 * libiberty has no other way to be stopped. It keeps what it needs on its stack, but for a piece of
 * memory for names of Rust that are no ASCII: refusals are counted, so what is lost is bounded.
 */
static void take_piece(const char *piece, size_t len, void *data)
{
	struct demangled *all = data;

	if (len >= SYMBOL_DEMANGLED_BYTES - all->len || ++all->pieces > PIECES_MAX)
		longjmp(all->give_up, 1);
	/* Without a byte it may be NULL. */
	if (len)
		memcpy(all->text + all->len, piece, len);
	all->len += len;
}

/* Skips a parameter of a template: "T_", "T1a_", "TL0__"; what follows, or NULL: it is none. */
static const char *skip_parameter(const char *name)
{
	static const char digits[] =
		"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

	if (*name++ != 'T')
		return NULL;
	name += strspn(name, digits);
	if (*name == '_' && name[1] == '_')
		name++;
	return *name == '_' ? name + 1 : NULL;
}

/*
 * Whether a name would take time without end before its first piece. In the type of a conversion
 * operator ("cv") libiberty parses arguments of a template parameter ("T_I..") twice, and those
 * within them four times. Of 300,000 names of libraries none has one behind a "cv".
 */
static bool is_deep(const char *name)
{
	enum { PARSED_TWICE_MAX = 4 };
	unsigned int count = 0;

	for (const char *at = strstr(name, "cv"); at && *at; at++) {
		const char *end = skip_parameter(at);

		if (end && *end == 'I' && ++count > PARSED_TWICE_MAX)
			return true;
	}
	return false;
}

static bool demangle(const char *name, struct demangled *all)
{
	/* Names of the older form of Rust are names of C++, too. */
	if (rust_demangle_callback(name, DMGL_NO_OPTS, take_piece, all))
		return true;
	all->len = 0;
	return name[0] == '_' && name[1] == 'Z' &&
	       cplus_demangle_v3_callback(name, DMGL_NO_OPTS, take_piece, all);
}

bool symbol_demangle(struct symbol_demangler *demangler, const char *name,
		     char text[SYMBOL_DEMANGLED_BYTES])
{
	struct demangled all = {.text = text};

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R') ||
	    demangler->refusals >= SYMBOL_DEMANGLE_REFUSALS_MAX)
		return false;
	if (is_deep(name)) {
		demangler->deep++;
		return false;
	}
	if (setjmp(all.give_up)) {
		demangler->refusals++;
		return false;
	}
	if (!demangle(name, &all) || !all.len)
		return false;
	text[all.len] = '\0';
	return true;
}
#else
bool symbol_demangle(struct symbol_demangler *demangler, const char *name,
		     char text[SYMBOL_DEMANGLED_BYTES])
{
	return false;
}
#endif
