/* SPDX-License-Identifier: MIT */
/* The table of programs with the places of their secrets, and the walk over arguments. */
#include "output/redact/programs.h"

#include <stdbool.h>
#include <string.h>

#include "util/count.h"

enum place_form {
	PLACE_NEXT = 1, /* the next argument */
	PLACE_GLUED = 2, /* the rest of this one */
	PLACE_BOTH = PLACE_NEXT | PLACE_GLUED,
	PLACE_CLUSTER = 4, /* the option may be the last of several letters: -sSu */
	PLACE_OPERAND = 8, /* the operand with this number */
};

/* Where a program takes a secret. */
struct place {
	const char *option; /* or a word before it */
	unsigned int form;
	char after; /* the secret is behind this character of the argument; 0: all of it is */
	char until; /* and before this one, if there is one */
	const char *command; /* only after this operand; NULL: always */
	unsigned int operand; /* of PLACE_OPERAND, counted from 1 */
};

static const struct place user_and_password[] = {
	{"-a", PLACE_BOTH, ':'},       {"--auth", PLACE_NEXT, ':'},
	{"-A", PLACE_BOTH, ':'},       {"-P", PLACE_BOTH, ':'},
	{"--user", PLACE_NEXT, ':'},   {"--user=", PLACE_GLUED, ':'},
	{"--auth=", PLACE_GLUED, ':'}, {0},
};
static const struct place curl[] = {
	{"-u", PLACE_BOTH | PLACE_CLUSTER, ':'},
	{"--user", PLACE_NEXT, ':'},
	{"--user=", PLACE_GLUED, ':'},
	{"-U", PLACE_BOTH | PLACE_CLUSTER, ':'},
	{"--proxy-user", PLACE_NEXT, ':'},
	{"--proxy-user=", PLACE_GLUED, ':'},
	{"-E", PLACE_BOTH, ':'},
	{"--cert", PLACE_NEXT, ':'},
	{"-b", PLACE_BOTH, '='},
	{"--cookie", PLACE_NEXT, '='},
	{0},
};
static const struct place containers[] = {
	{"-p", PLACE_BOTH, .command = "login"}, {"--creds", PLACE_NEXT, ':'},
	{"--creds=", PLACE_GLUED, ':'},		{"--src-creds", PLACE_NEXT, ':'},
	{"--src-creds=", PLACE_GLUED, ':'},	{"--dest-creds", PLACE_NEXT, ':'},
	{"--dest-creds=", PLACE_GLUED, ':'},	{0},
};
static const struct place kubectl[] = {
	{"--from-literal=", PLACE_GLUED, '='}, {"--from-literal", PLACE_NEXT, '='}, {0}};
static const struct place mysql[] = {{"-p", PLACE_GLUED}, {0}};
static const struct place small_p[] = {{"-p", PLACE_BOTH}, {0}};
static const struct place small_p_login[] = {{"-p", PLACE_BOTH, .command = "login"}, {0}};
static const struct place large_p[] = {{"-P", PLACE_BOTH}, {0}};
static const struct place large_p_and_pw[] = {{"-P", PLACE_BOTH}, {"--pw", PLACE_NEXT}, {0}};
static const struct place redis[] = {{"-a", PLACE_BOTH}, {0}};
static const struct place sqlplus[] = {
	{NULL, PLACE_OPERAND, '/', '@', .operand = 1},
	{"userid=", PLACE_GLUED, '/', '@'},
	{0},
};
static const struct place influx[] = {{"-t", PLACE_BOTH}, {0}};
static const struct place ldap[] = {{"-w", PLACE_BOTH}, {0}};
static const struct place ldappasswd[] = {
	{"-w", PLACE_BOTH}, {"-s", PLACE_BOTH}, {"-a", PLACE_BOTH}, {0}};
static const struct place lftp[] = {{"-u", PLACE_BOTH, ','}, {"-p", PLACE_BOTH}, {0}};
static const struct place ssh_keygen[] = {{"-N", PLACE_BOTH}, {"-P", PLACE_BOTH}, {0}};
static const struct place putty[] = {{"-pw", PLACE_NEXT}, {0}};
static const struct place samba[] = {
	{"-U", PLACE_BOTH, '%'}, {"--user", PLACE_NEXT, '%'}, {"--user=", PLACE_GLUED, '%'}, {0}};
static const struct place rdp[] = {{"/p:", PLACE_GLUED}, {"-p", PLACE_BOTH}, {0}};
static const struct place snmp[] = {
	{"-c", PLACE_BOTH}, {"-A", PLACE_BOTH}, {"-X", PLACE_BOTH}, {0}};
static const struct place openssl[] = {{"-k", PLACE_NEXT},
				       {"-K", PLACE_NEXT},
				       {"-passin", PLACE_NEXT},
				       {"-passout", PLACE_NEXT},
				       {0}};
static const struct place archive[] = {{"-hp", PLACE_GLUED}, {"-p", PLACE_GLUED}, {0}};
static const struct place pdf[] = {{"-upw", PLACE_NEXT},     {"-opw", PLACE_NEXT},
				   {"user_pw", PLACE_NEXT},  {"owner_pw", PLACE_NEXT},
				   {"input_pw", PLACE_NEXT}, {0}};
static const struct place htpasswd[] = {{"-b", PLACE_OPERAND | PLACE_CLUSTER, .operand = 3}, {0}};
static const struct place wpa_passphrase[] = {{NULL, PLACE_OPERAND, .operand = 2}, {0}};
static const struct place nmcli[] = {{"password", PLACE_NEXT}, {"wifi-sec.psk", PLACE_NEXT}, {0}};
static const struct place login[] = {{"login", PLACE_NEXT}, {"--key", PLACE_NEXT}, {0}};
static const struct place etcdctl[] = {
	{"--user", PLACE_NEXT, ':'}, {"--user=", PLACE_GLUED, ':'}, {0}};
static const struct place aws[] = {
	{"aws_secret_access_key", PLACE_NEXT}, {"aws_session_token", PLACE_NEXT}, {0}};
static const struct place swaks[] = {{"-ap", PLACE_NEXT}, {"-xp", PLACE_NEXT}, {0}};

/* In the order of their names. */
static const struct program {
	const char *name;
	const struct place *places;
	bool runs; /* its first operand is a command that it runs */
} programs[] = {
	{"7z", archive},
	{"7za", archive},
	{"7zr", archive},
	{"7zz", archive},
	{"ab", user_and_password},
	{"aws", aws},
	{"az", small_p},
	{"bcp", large_p},
	{"buildah", containers},
	{"cargo", login},
	{"cqlsh", small_p},
	{"crictl", containers},
	{"curl", curl},
	{"docker", containers},
	{"etcdctl", etcdctl},
	{"exp", sqlplus},
	{"expdp", sqlplus},
	{"gem", login},
	{"groupadd", small_p},
	{"helm", small_p_login},
	{"htpasswd", htpasswd},
	{"http", user_and_password},
	{"https", user_and_password},
	{"imp", sqlplus},
	{"impdp", sqlplus},
	{"influx", influx},
	{"ipmitool", large_p},
	{"isql", large_p},
	{"kubectl", kubectl},
	{"ldapadd", ldap},
	{"ldapdelete", ldap},
	{"ldapmodify", ldap},
	{"ldappasswd", ldappasswd},
	{"ldapsearch", ldap},
	{"ldapwhoami", ldap},
	{"lftp", lftp},
	{"mariadb", mysql},
	{"mariadb-admin", mysql},
	{"mariadb-dump", mysql},
	{"mongo", small_p},
	{"mongodump", small_p},
	{"mongoexport", small_p},
	{"mongoimport", small_p},
	{"mongorestore", small_p},
	{"mongosh", small_p},
	{"mosquitto_pub", large_p_and_pw},
	{"mosquitto_sub", large_p_and_pw},
	{"mycli", mysql},
	{"mysql", mysql},
	{"mysqladmin", mysql},
	{"mysqldump", mysql},
	{"mysqlimport", mysql},
	{"ncftp", lftp},
	{"nerdctl", containers},
	{"net", samba},
	{"nmcli", nmcli},
	{"oc", kubectl},
	{"openssl", openssl},
	{"oras", containers},
	{"osql", large_p},
	{"pdftk", pdf},
	{"pdftotext", pdf},
	{"plink", putty},
	{"podman", containers},
	{"pscp", putty},
	{"psftp", putty},
	{"rar", archive},
	{"redis-cli", redis},
	{"rpcclient", samba},
	{"sendemail", swaks},
	{"siege", user_and_password},
	{"skopeo", containers},
	{"smbclient", samba},
	{"snmpbulkwalk", snmp},
	{"snmpget", snmp},
	{"snmpset", snmp},
	{"snmpwalk", snmp},
	{"sqlcmd", large_p},
	{"sqlplus", sqlplus},
	{"ssh-keygen", ssh_keygen},
	{"sshpass", small_p, true},
	{"swaks", swaks},
	{"twine", small_p},
	{"unrar", archive},
	{"unzip", large_p},
	{"useradd", small_p},
	{"usermod", small_p},
	{"vault", login},
	{"winexe", samba},
	{"wpa_passphrase", wpa_passphrase},
	{"xfreerdp", rdp},
	{"zip", large_p},
};

enum { NAME_BYTES_MAX = 24 };

/* What is known behind some of the arguments. */
struct walk {
	redact_arguments_hide *hide;
	void *context;
	const struct program *program; /* whose arguments follow; NULL: of none that is known */
	const struct place *awaited; /* the next argument is its secret */
	enum redact_kind expected; /* the next argument is such a secret; REDACT_KINDS: is none */
	unsigned int operands;
	bool has_command; /* of a place of the program */
	bool has_option; /* of an operand */
	bool in_text; /* words of one argument, which may be a command of a shell */
};

/* The program of a name of `len` bytes, which may be a path; NULL: it is not known. */
static const struct program *programs_find(const char *name, size_t len)
{
	const char *slash = len ? memrchr(name, '/', len) : NULL;
	size_t low = 0, high = COUNT(programs);

	if (slash) {
		len -= (size_t)(slash + 1 - name);
		name = slash + 1;
	}
	if (len < 2 || len > NAME_BYTES_MAX)
		return NULL;
	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strncmp(programs[middle].name, name, len);

		if (order == 0)
			order = programs[middle].name[len] != '\0';
		if (order == 0)
			return &programs[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static void walk_begin_program(struct walk *walk, const struct program *program)
{
	walk->program = program;
	walk->operands = 0;
	walk->has_command = walk->has_option = false;
}

static bool has_text(const char *word, size_t len, const char *text)
{
	return strlen(text) == len && memcmp(word, text, len) == 0;
}

static bool begins_with(const char *word, size_t len, const char *text)
{
	return strlen(text) < len && memcmp(word, text, strlen(text)) == 0;
}

/* Hides a secret but for "pass:", by which OpenSSL and others say that it is given here. */
static void walk_hide(struct walk *walk, char *value, size_t len, enum redact_kind kind)
{
	static const char given[] = "pass:";

	if (begins_with(value, len, given)) {
		value += sizeof(given) - 1;
		len -= sizeof(given) - 1;
	}
	if (len && !redact_is_harmless(value, len, kind))
		walk->hide(walk->context, value, len, kind);
}

/* Hides what is secret of the argument of a place. */
static void walk_hide_place(struct walk *walk, const struct place *place, char *value, size_t len)
{
	char *secret = place->after ? memchr(value, place->after, len) : value, *end;

	/* An address is no user with a password. */
	if (!secret || (place->after == ':' && memmem(value, len, "://", 3)))
		return;
	secret += place->after ? 1 : 0;
	len -= (size_t)(secret - value);
	end = place->until ? memchr(secret, place->until, len) : NULL;
	walk_hide(walk, secret, end ? (size_t)(end - secret) : len, REDACT_PASSWORD);
}

/* "-sSu" for "-u". */
static bool ends_cluster(const char *word, size_t len, const char *option)
{
	return len > 2 && word[0] == '-' && word[1] != '-' && word[len - 1] == option[1];
}

/* Whether the word is an option of the place, whose secret is then awaited or hidden. */
static bool walk_try_place(struct walk *walk, const struct place *place, char *word, size_t len)
{
	bool is_option, is_cluster;

	if (!place->option || (place->command && !walk->has_command))
		return false;
	is_option = has_text(word, len, place->option);
	is_cluster = place->form & PLACE_CLUSTER && ends_cluster(word, len, place->option);
	if (place->form & PLACE_OPERAND) {
		walk->has_option |= is_option || is_cluster;
		return is_option || is_cluster;
	}
	if (place->form & PLACE_NEXT && is_option) {
		walk->awaited = place;
		return true;
	}
	if (place->form & PLACE_GLUED && begins_with(word, len, place->option)) {
		size_t option = strlen(place->option);

		walk_hide_place(walk, place, word + option, len - option);
		return true;
	}
	if (is_cluster)
		walk->awaited = place;
	return is_cluster;
}

static bool walk_try_places(struct walk *walk, char *word, size_t len)
{
	const struct place *place = walk->program ? walk->program->places : NULL;

	for (; place && place->form; place++)
		if (walk_try_place(walk, place, word, len))
			return true;
	return false;
}

/* An argument that is neither an option nor the value of one. Returns whether it is a secret. */
static bool walk_count_operand(struct walk *walk, char *word, size_t len)
{
	const struct place *place = walk->program->places;

	walk->operands++;
	for (; place->form; place++) {
		if (place->command && has_text(word, len, place->command))
			walk->has_command = true;
		if (place->form & PLACE_OPERAND && place->operand == walk->operands &&
		    (!place->option || walk->has_option)) {
			walk_hide_place(walk, place, word, len);
			return true;
		}
	}
	return false;
}

static void walk_operand(struct walk *walk, char *word, size_t len)
{
	const struct program *program;

	if (walk->program && walk_count_operand(walk, word, len))
		return;
	program = programs_find(word, len);
	if (program || (walk->program && walk->program->runs))
		walk_begin_program(walk, program);
}

/* Whether a character may be part of the name of an option or a variable. */
static bool programs_is_of_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       strchr("_-.", c);
}

/* NAME=X, --name=X, Name: X: the rest of the argument is the value. Returns whether it is a secret.
 */
static bool walk_assignment(struct walk *walk, char *word, size_t len)
{
	enum redact_kind kind;
	size_t name = 0, from;

	while (name < len && programs_is_of_name(word[name]))
		name++;
	if (name == 0 || name + 1 >= len || (word[name] != '=' && word[name] != ':'))
		return false;
	kind = redact_kind_of_name(word, name);
	if (kind == REDACT_KINDS)
		return false;
	from = name + 1;
	while (from < len && word[from] == ' ')
		from++;
	walk_hide(walk, word + from, len - from, kind);
	return true;
}

/* Authorization: Bearer X; Cookie: X. The scheme stays. */
static bool walk_header(struct walk *walk, char *word, size_t len)
{
	static const char *const names[] = {"authorization:", "proxy-authorization:", "cookie:"};
	size_t from = 0, scheme;

	for (size_t i = 0; i < COUNT(names) && from == 0; i++)
		if (len > strlen(names[i]) && redact_is_word(word, names[i]))
			from = strlen(names[i]);
	if (from == 0)
		return false;
	while (from < len && word[from] == ' ')
		from++;
	for (scheme = from; scheme < len && programs_is_of_name(word[scheme]);)
		scheme++;
	if (scheme < len && word[scheme] == ' ')
		from = scheme + 1;
	walk_hide(walk, word + from, len - from, REDACT_HEADERS);
	return true;
}

/* Returns whether the argument was awaited, as the value of the option before it. */
static bool walk_value(struct walk *walk, char *word, size_t len)
{
	const struct place *place = walk->awaited;
	enum redact_kind kind = walk->expected;

	walk->awaited = NULL;
	walk->expected = REDACT_KINDS;
	if ((!place && kind == REDACT_KINDS) || (len && word[0] == '-'))
		return false;
	if (place)
		walk_hide_place(walk, place, word, len);
	else
		walk_hide(walk, word, len, kind);
	return true;
}

static void walk_text(const struct walk *outer, char *text, size_t len);

static void walk_word(struct walk *walk, char *word, size_t len)
{
	if (walk_value(walk, word, len) || len == 0 || walk_try_places(walk, word, len))
		return;
	if (!walk->in_text && (walk_assignment(walk, word, len) || walk_header(walk, word, len)))
		return;
	if (word[0] == '-') {
		/* In text the search for words finds these, too. */
		walk->expected = walk->in_text ? REDACT_KINDS : redact_kind_of_name(word, len);
		return;
	}
	if (!walk->in_text && memchr(word, ' ', len))
		walk_text(walk, word, len);
	else
		walk_operand(walk, word, len);
}

static bool is_of_shell(char c)
{
	return (unsigned char)c <= ' ' || strchr("\"'`;|&()", c);
}

/* The words of an argument that may be a command of a shell. */
static void walk_text(const struct walk *outer, char *text, size_t len)
{
	struct walk walk = {
		.hide = outer->hide,
		.context = outer->context,
		.expected = REDACT_KINDS,
		.in_text = true,
	};
	size_t to;

	for (size_t at = 0; at < len; at = to + 1) {
		for (to = at; to < len && !is_of_shell(text[to]);)
			to++;
		if (to > at)
			walk_word(&walk, text + at, to - at);
		if (to < len && strchr(";|&()\n", text[to])) {
			walk_begin_program(&walk, NULL);
			walk.awaited = NULL;
		}
	}
}

void programs_visit_arguments(const char *program, char *strings, size_t len,
			      redact_arguments_hide *hide, void *context)
{
	struct walk walk = {.hide = hide, .context = context, .expected = REDACT_KINDS};
	const char *end = strings + len;

	if (program)
		walk_begin_program(&walk, programs_find(program, strlen(program)));
	for (char *at = strings; at < end;) {
		size_t n = strnlen(at, (size_t)(end - at));

		if (program)
			walk_word(&walk, at, n);
		else
			walk_assignment(&walk, at, n);
		at += n + 1;
	}
}
