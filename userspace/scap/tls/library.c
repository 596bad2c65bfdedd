/* SPDX-License-Identifier: MIT */
/*
 * One pass over the symbols of a file. Files are of others, and are read with all privileges: what
 * libelf takes memory for is bounded before it takes any, for the file as a whole.
 */
#include "scap/tls/library.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scap/tls/cheap.h"
#include "scap/tls/go.h"
#include "scap/tls/instructions.h"
#include "util/count.h"
#include "util/regular.h"

enum {
	SYMBOLS_BYTES_MAX = 64 << 20, /* of a file: its symbols and their names */
	CODE_BYTES = 16, /* that kernels may read where a function begins */
};

#ifdef __aarch64__
enum { OWN_MACHINE = EM_AARCH64, HAS_CHEAP_PLACES = false };
#else
enum { OWN_MACHINE = EM_X86_64, HAS_CHEAP_PLACES = true };
#endif

const struct tls_function tls_functions[] = {
	{"SSL_read", TLS_CALL, TLS_READ_END, false},
	{"SSL_read_ex", TLS_CALL_EX, TLS_READ_END, false},
	{"SSL_write", TLS_CALL, TLS_WRITE_END, false},
	{"SSL_write_ex", TLS_CALL_EX, TLS_WRITE_END, false},
	{"SSL_write_ex2", TLS_CALL_FLAGS, TLS_WRITE_END, false},
	{"SSL_read_early_data", TLS_CALL_EX, TLS_READ_END, false},
	{"SSL_write_early_data", TLS_CALL_EX, TLS_WRITE_END, false},
	{"SSL_sendfile", TLS_CALL_UNSEEN, TLS_WRITE_END, false},
	/* Others that connect or accept call it. */
	{"SSL_do_handshake", TLS_CALL, TLS_CALL_END, false},
	{"SSL_free", TLS_FORGET, TLS_PROGRAMS, false},
	{"SSL_clear", TLS_FORGET, TLS_PROGRAMS, false},
	{"gnutls_record_recv", TLS_CALL, TLS_READ_END, false},
	{"gnutls_record_send", TLS_CALL, TLS_WRITE_END, false},
	{"gnutls_record_recv_seq", TLS_CALL, TLS_READ_END, false},
	{"gnutls_record_recv_packet", TLS_CALL_UNSEEN, TLS_READ_END, false},
	{"gnutls_record_send2", TLS_CALL, TLS_WRITE_END, false},
	{"gnutls_record_send_range", TLS_CALL, TLS_WRITE_END, false},
	{"gnutls_handshake", TLS_CALL, TLS_CALL_END, false},
	{"gnutls_deinit", TLS_FORGET, TLS_PROGRAMS, false},
	{"crypto/tls.(*Conn).Read", TLS_GO_READ, TLS_GO_READ_END, true},
	{"crypto/tls.(*Conn).Write", TLS_GO_WRITE, TLS_GO_WRITE_END, true},
	{"crypto/tls.(*Conn).Close", TLS_GO_FORGET, TLS_PROGRAMS, true},
};

_Static_assert(COUNT(tls_functions) == TLS_FUNCTIONS, "the table is as long as others believe");

enum { GO_READ = TLS_FUNCTIONS - 3, GO_WRITE, CODE_BYTES_MAX = 1 << 16 /* of a function */ };

/* By function; address 0: not found. */
struct tls_addresses {
	uint64_t of[TLS_FUNCTIONS];
	uint64_t bytes[TLS_FUNCTIONS];
};

static void note_symbol(struct tls_addresses *addresses, const char *name, const Elf64_Sym *symbol)
{
	/* Most names are others. */
	if (strncmp(name, "SSL_", 4) != 0 && strncmp(name, "gnutls_", 7) != 0 &&
	    strncmp(name, "crypto/tls.(", 12) != 0)
		return;
	for (unsigned int i = 0; i < TLS_FUNCTIONS; i++)
		if (strcmp(name, tls_functions[i].name) == 0) {
			addresses->of[i] = symbol->st_value;
			addresses->bytes[i] = symbol->st_size;
		}
}

static void read_table(Elf *elf, Elf_Scn *section, uint64_t *left, struct tls_addresses *addresses)
{
	GElf_Shdr header, names_header;
	Elf_Data *names, *data;

	if (!gelf_getshdr(section, &header))
		return;
	names = tls_section_read(elf_getscn(elf, header.sh_link), &names_header, left);
	data = tls_section_is_names(names) ? tls_section_read(section, &header, left) : NULL;
	for (size_t i = 0; data && data->d_buf && i < data->d_size / sizeof(Elf64_Sym); i++) {
		Elf64_Sym symbol;

		memcpy(&symbol, (const char *)data->d_buf + i * sizeof(symbol), sizeof(symbol));
		if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
		    symbol.st_value && symbol.st_name < names->d_size)
			note_symbol(addresses, (const char *)names->d_buf + symbol.st_name,
				    &symbol);
	}
}

/* The first of that type, as the linker makes no more of them. */
static Elf_Scn *find_section(Elf *elf, uint32_t type)
{
	GElf_Shdr header;

	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			return section;
	return NULL;
}

/* Whether there is a function that gives or takes plaintext. */
static bool has_end(const struct tls_addresses *addresses, enum tls_program end)
{
	for (unsigned int i = 0; i < TLS_FUNCTIONS; i++)
		if (addresses->of[i] && tls_functions[i].end == end)
			return true;
	return false;
}

static bool is_complete(const struct tls_addresses *addresses)
{
	return has_end(addresses, TLS_READ_END) && has_end(addresses, TLS_WRITE_END);
}

static bool has_go(const struct tls_addresses *addresses)
{
	return addresses->of[GO_READ] && addresses->of[GO_WRITE];
}

/* Without symbols, by what programs of Go have themselves. */
static void find_go(Elf *elf, uint64_t *left, struct tls_addresses *addresses)
{
	struct tls_go_function found[TLS_FUNCTIONS - GO_READ] = {{0}};

	for (unsigned int i = 0; i < COUNT(found); i++)
		found[i].name = tls_functions[GO_READ + i].name;
	tls_go_find(elf, found, COUNT(found), left);
	for (unsigned int i = 0; i < COUNT(found); i++) {
		addresses->of[GO_READ + i] = found[i].address;
		addresses->bytes[GO_READ + i] = found[i].bytes;
	}
}

/* What others link with is shorter than all symbols, and there in each library. */
static void find_addresses(Elf *elf, struct tls_addresses *addresses)
{
	static const uint32_t kinds[] = {SHT_DYNSYM, SHT_SYMTAB};
	uint64_t left = SYMBOLS_BYTES_MAX;

	for (size_t i = 0; i < COUNT(kinds) && !is_complete(addresses); i++) {
		Elf_Scn *section = find_section(elf, kinds[i]);

		if (section)
			read_table(elf, section, &left, addresses);
	}
	if (!tls_go_is_program(elf, &left))
		memset(&addresses->of[GO_READ], 0,
		       sizeof(*addresses->of) * (TLS_FUNCTIONS - GO_READ));
	else if (!has_go(addresses))
		find_go(elf, &left, addresses);
}

#ifdef __x86_64__
/*
 * Where branches land (endbr64) the kernel has to step; what saves a register (push) it does
 * itself, at a tenth of the cost. If that is next, the program runs there: the stack is the same.
 */
static uint64_t cheapest_place(int fd, uint64_t offset)
{
	static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa};
	uint8_t code[sizeof(landing) + 2];
	const uint8_t *next = code + sizeof(landing);

	if (pread(fd, code, sizeof(code), (off_t)offset) != sizeof(code) ||
	    memcmp(code, landing, sizeof(landing)) != 0)
		return offset;
	next += *next == 0x41; /* one of the upper registers */
	return (*next & 0xf8) == 0x50 ? offset + sizeof(landing) : offset;
}
#else
static uint64_t cheapest_place(int fd, uint64_t offset)
{
	return offset;
}
#endif

/* Whether the file has it: segments may say that they are longer than their file. */
static bool is_in_file(uint64_t offset, uint64_t size)
{
	return size >= CODE_BYTES && offset <= size - CODE_BYTES;
}

static struct tls_place *add_place(struct tls_library *library, uint64_t offset, uint8_t function,
				   bool is_end)
{
	struct tls_place *place = &library->places[library->count++];

	*place = (struct tls_place){.offset = offset, .function = function, .is_end = is_end};
	return place;
}

/* How many ends there is room for, when all functions from this one on have their begin. */
static int room_of_ends(const struct tls_library *library, uint8_t function)
{
	return (int)(TLS_PLACES - library->count) - (TLS_FUNCTIONS - function);
}

/* How many of their arguments programs look at where a function begins. */
static const uint8_t arguments_of[TLS_PROGRAMS] = {
	[TLS_CALL] = 3, [TLS_CALL_EX] = 4, [TLS_CALL_FLAGS] = 5, [TLS_CALL_UNSEEN] = 3};

/* Where a function that is probed at its begin and its return costs less otherwise, if it does. */
static void place_cheap(struct tls_library *library, int fd, uint64_t offset, uint64_t bytes,
			uint8_t function)
{
	struct tls_place *begin = add_place(library, cheapest_place(fd, offset), function, false);
	const unsigned int arguments = arguments_of[tls_functions[function].begin];
	uint8_t code[TLS_CHEAP_BYTES_MAX];
	struct tls_cheap cheap;

	if (!HAS_CHEAP_PLACES || begin->offset != offset ||
	    tls_functions[function].end == TLS_PROGRAMS || bytes == 0 || bytes > sizeof(code) ||
	    pread(fd, code, bytes, (off_t)offset) != (ssize_t)bytes ||
	    !tls_cheap_find(code, bytes, arguments, &cheap) || !cheap.begin.at ||
	    (int)cheap.count > room_of_ends(library, (uint8_t)(function + 1)))
		return;
	begin->is_cheap = true;
	begin->cheap_offset = offset + cheap.begin.at;
	begin->stack = cheap.begin.stack;
	for (size_t i = 0; i < cheap.count; i++) {
		struct tls_place *end = add_place(library, 0, function, true);

		end->is_cheap = true;
		end->cheap_offset = offset + cheap.ends[i].at;
		end->stack = cheap.ends[i].stack;
	}
}

/*
 * Of Go: where a function begins, and all of its returns. Nothing if one of them is not found, or
 * if it is not what Go makes of a function.
 */
static bool place_go(struct tls_library *library, int fd, uint64_t offset, uint64_t bytes,
		     uint8_t function)
{
	uint32_t ends[TLS_GO_ENDS];
	uint8_t *code = bytes && bytes <= CODE_BYTES_MAX ? malloc(bytes) : NULL;
	int room = room_of_ends(library, function);
	int entry = -ENOENT, count = 0;

	if (code && pread(fd, code, bytes, (off_t)offset) == (ssize_t)bytes)
		entry = tls_go_entry(code, bytes);
	if (entry >= 0 && tls_functions[function].end != TLS_PROGRAMS)
		count = tls_returns_find(code, bytes, ends,
					 room < TLS_GO_ENDS ? room : TLS_GO_ENDS);
	free(code);
	if (entry < 0 || count < 0 || (!count && tls_functions[function].end != TLS_PROGRAMS))
		return false;
	add_place(library, offset + (uint64_t)entry, function, false);
	for (int i = 0; i < count; i++)
		add_place(library, offset + ends[i], function, true);
	return true;
}

/* Returns which functions have one, as far as they are in the file. */
static struct tls_addresses find_places(const struct tls_addresses *addresses,
					const struct perf_elf_segments *segments, int fd,
					uint64_t size, struct tls_library *library)
{
	struct tls_addresses placed = {{0}, {0}};

	library->count = 0;
	for (uint8_t i = 0; i < TLS_FUNCTIONS; i++) {
		uint64_t offset;

		if (!addresses->of[i] || perf_elf_offset(segments, addresses->of[i], &offset) ||
		    !is_in_file(offset, size))
			continue;
		if (!tls_functions[i].is_go)
			place_cheap(library, fd, offset, addresses->bytes[i], i);
		else if (!place_go(library, fd, offset, addresses->bytes[i], i))
			continue;
		placed.of[i] = addresses->of[i];
	}
	return placed;
}

static int read_elf(Elf *elf, int fd, struct tls_library *library, char reason[PERF_REASON_BYTES])
{
	struct tls_addresses addresses = {{0}, {0}};
	struct perf_elf_segments segments;
	struct stat file;

	find_addresses(elf, &addresses);
	if (!is_complete(&addresses))
		memset(addresses.of, 0, GO_READ * sizeof(*addresses.of));
	if (!is_complete(&addresses) && !has_go(&addresses))
		return perf_elf_fail(reason, -ENOENT, "it has no such functions");
	if (perf_elf_segments_read(elf, &segments))
		return perf_elf_fail(reason, -EBADMSG, "its segments cannot be read");
	if (fstat(fd, &file))
		return perf_elf_fail(reason, -errno, "its size cannot be read");
	addresses = find_places(&addresses, &segments, fd, (uint64_t)file.st_size, library);
	if (!is_complete(&addresses) && !has_go(&addresses))
		return perf_elf_fail(reason, -EBADMSG, "its functions are not in the file");
	return 0;
}

/*
 * Before libelf sees it: for the sections it takes memory when it begins, so their number must be
 * in the header, where it cannot be large.
 */
static int check_header(int fd, char reason[PERF_REASON_BYTES])
{
	Elf64_Ehdr header;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return perf_elf_fail(reason, -EBADMSG, "it is no ELF file");
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    header.e_machine != OWN_MACHINE || !header.e_shnum)
		return perf_elf_fail(reason, -ENOENT, "it is no program of this machine");
	return 0;
}

static int read_fd(int fd, struct tls_library *library, char reason[PERF_REASON_BYTES])
{
	Elf *elf;
	int r = check_header(fd, reason);

	if (r)
		return r;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return perf_elf_fail(reason, -EBADMSG, "%s", elf_errmsg(-1));
	r = read_elf(elf, fd, library, reason);
	elf_end(elf);
	return r;
}

int tls_library_read(const char *path, struct tls_library *library, char reason[PERF_REASON_BYTES])
{
	int fd = regular_open(path), r;

	if (fd == -EINVAL)
		return perf_elf_fail(reason, fd, "it is no regular file");
	if (fd < 0)
		return perf_elf_fail(reason, fd, "%s", strerror(-fd));
	r = read_fd(fd, library, reason);
	close(fd);
	return r;
}

int tls_library_is_name(const char *path)
{
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	return strncmp(name, "libssl", 6) == 0 || strncmp(name, "libgnutls", 9) == 0;
}
