/* SPDX-License-Identifier: MIT */
/*
 * A program with functions of a TLS library of its own. Calls them as often as its argument says,
 * with pauses, 0: until SIGTERM, and says how often a call had another result than it should. PAD
 * moves the functions in the file.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int SSL_read(void *object, void *data, int bytes);
int SSL_write(void *object, const void *data, int bytes);

#ifdef PAD
__attribute__((noinline, used)) int padding(int a)
{
	volatile int sum = a;

	for (int i = 0; i < PAD; i++)
		sum = sum * 3 + i;
	for (int i = 0; i < PAD; i++)
		sum = sum * 5 - i;
	return sum;
}
#endif

__attribute__((noinline)) int SSL_read(void *object, void *data, int bytes)
{
	((volatile char *)data)[0] = 'r';
	return object ? bytes : -1;
}

__attribute__((noinline)) int SSL_write(void *object, const void *data, int bytes)
{
	return object && ((const volatile char *)data)[0] ? bytes : -1;
}

enum { LIMIT_S = 600 }; /* when who should have ended it is gone */

static volatile sig_atomic_t is_over;

static void end(int signal)
{
	is_over = signal;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	useconds_t pause = argc > 2 ? (useconds_t)strtol(argv[2], NULL, 10) : 1000;
	char data[64] = "GET / HTTP/1.0\r\n\r\n", object[8];
	long wrong = 0;

	alarm(LIMIT_S);
	if (count == 0)
		signal(SIGTERM, end);
	for (long i = 0; count ? i < count : !is_over; i++) {
		wrong += SSL_write(object, data, 18) != 18;
		wrong += SSL_read(object, data + 32, 7) != 7;
		if (pause)
			usleep(pause);
	}
	printf("%ld\n", wrong);
	return wrong != 0;
}
