/* SPDX-License-Identifier: MIT */
/*
 * What a call of SSL_write() or SSL_read() takes: one end writes 1000 bytes, the other one, on the
 * same thread and joined by memory, reads them. Prints nanoseconds a call, of the quickest of some
 * hundred batches. The library is that of the machine; its headers are not needed.
 *
 *     tls_calls [BATCHES]
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
	BATCHES = 400,
	CALLS = 400, /* of a batch: half of them write */
	BYTES = 1000,
	TRIES = 100, /* of a handshake */
};

static struct {
	void *(*TLS_method)(void);
	void *(*SSL_CTX_new)(void *method);
	int (*SSL_CTX_set_cipher_list)(void *context, const char *names);
	long (*SSL_CTX_ctrl)(void *context, int command, long value, void *data);
	void *(*SSL_new)(void *context);
	int (*BIO_new_bio_pair)(void **one, size_t one_bytes, void **other, size_t other_bytes);
	void (*SSL_set_bio)(void *object, void *read, void *write);
	void (*SSL_set_accept_state)(void *object);
	void (*SSL_set_connect_state)(void *object);
	int (*SSL_do_handshake)(void *object);
	int (*SSL_read)(void *object, void *data, int bytes);
	int (*SSL_write)(void *object, const void *data, int bytes);
} ssl;

static int fail(const char *what)
{
	fprintf(stderr, "tls_calls: %s\n", what);
	return 1;
}

#define FIND(name) ((*(void **)&ssl.name = dlsym(library, #name)) != NULL)

static int find_functions(void)
{
	void *library = dlopen("libssl.so.3", RTLD_NOW);

	if (!library)
		library = dlopen("libssl.so.1.1", RTLD_NOW);
	return library && FIND(TLS_method) && FIND(SSL_CTX_new) && FIND(SSL_CTX_set_cipher_list) &&
	       FIND(SSL_CTX_ctrl) && FIND(SSL_new) && FIND(BIO_new_bio_pair) && FIND(SSL_set_bio) &&
	       FIND(SSL_set_accept_state) && FIND(SSL_set_connect_state) &&
	       FIND(SSL_do_handshake) && FIND(SSL_read) && FIND(SSL_write);
}

/* Without certificates. Returns whether both ends agreed. */
static int connect_ends(void **client, void **server)
{
	enum { SET_DH_AUTO = 118, SET_MAX_VERSION = 124, TLS_1_2 = 0x303 };
	void *context = ssl.SSL_CTX_new(ssl.TLS_method()), *one, *other;
	int done = 0;

	if (!context || !ssl.SSL_CTX_ctrl(context, SET_MAX_VERSION, TLS_1_2, NULL) ||
	    !ssl.SSL_CTX_ctrl(context, SET_DH_AUTO, 1, NULL) ||
	    !ssl.SSL_CTX_set_cipher_list(context, "ADH-AES128-GCM-SHA256:@SECLEVEL=0") ||
	    ssl.BIO_new_bio_pair(&one, 0, &other, 0) != 1)
		return 0;
	*client = ssl.SSL_new(context);
	*server = ssl.SSL_new(context);
	ssl.SSL_set_bio(*client, one, one);
	ssl.SSL_set_bio(*server, other, other);
	ssl.SSL_set_connect_state(*client);
	ssl.SSL_set_accept_state(*server);
	for (int i = 0; i < TRIES && done != 3; i++) {
		done |= ssl.SSL_do_handshake(*client) == 1;
		done |= (ssl.SSL_do_handshake(*server) == 1) << 1;
	}
	return done == 3;
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Returns nanoseconds a call; below 0: one failed. */
static double run_batch(void *client, void *server)
{
	static char data[BYTES];
	double begin = now_ns();

	for (int i = 0; i < CALLS / 2; i++)
		if (ssl.SSL_write(client, data, BYTES) != BYTES ||
		    ssl.SSL_read(server, data, BYTES) != BYTES)
			return -1;
	return (now_ns() - begin) / CALLS;
}

int main(int argc, char **argv)
{
	long batches = argc > 1 ? strtol(argv[1], NULL, 10) : BATCHES;
	double least = 0;
	void *client, *server;

	if (!find_functions())
		return fail("there is no libssl with these functions");
	if (!connect_ends(&client, &server))
		return fail("the ends do not agree");
	for (long i = 0; i < batches; i++) {
		double ns = run_batch(client, server);

		if (ns < 0)
			return fail("a call failed");
		if (i == 0 || ns < least)
			least = ns;
	}
	printf("%.0f\n", least);
	return 0;
}
