/* SPDX-License-Identifier: MIT */
/* Calls each of the functions that move plaintext in a way of its own, over and over, each time for
 * another connection. */
#include <stddef.h>
#include <unistd.h>

/* Whose calls the compiler leaves as they are, with what is behind their arguments. */
#define FUNCTION __attribute__((noinline, noclone, used))
#define KEPT __asm__ volatile("" ::: "memory")

FUNCTION int SSL_read(void *object, void *data, int bytes)
{
	KEPT;
	return object && data ? bytes : -1;
}
FUNCTION int SSL_write(void *object, const void *data, int bytes)
{
	KEPT;
	return object && data ? bytes : -1;
}

FUNCTION int SSL_write_ex2(void *object, const void *data, size_t bytes, unsigned long flags,
			   size_t *done)
{
	KEPT;
	*done = bytes + flags;
	return object && data;
}

FUNCTION int SSL_write_early_data(void *object, const void *data, size_t bytes, size_t *done)
{
	KEPT;
	*done = bytes;
	return object && data;
}

FUNCTION int SSL_read_early_data(void *object, void *data, size_t bytes, size_t *done)
{
	KEPT;
	*done = bytes;
	return object && data;
}

FUNCTION long SSL_sendfile(void *object, int fd, long offset, size_t bytes, int flags)
{
	KEPT;
	return object && fd + flags >= 0 ? (long)bytes + offset : -1;
}

FUNCTION long gnutls_record_send2(void *object, const void *data, size_t bytes, size_t padding,
				  unsigned int flags)
{
	KEPT;
	return object && data ? (long)(bytes + padding + flags) : -1;
}

/* The last step is the other function, by a jump. */
FUNCTION long gnutls_record_send(void *object, const void *data, size_t bytes)
{
	KEPT;
	return gnutls_record_send2(object, data, bytes, 0, 0);
}

FUNCTION long gnutls_record_recv_seq(void *object, void *data, size_t bytes,
				     unsigned char *sequence)
{
	KEPT;
	sequence[0] = 0;
	return object && data ? (long)bytes : -1;
}

FUNCTION long gnutls_record_recv_packet(void *object, void **packet)
{
	KEPT;
	return object && packet ? 77 : -1;
}

int main(void)
{
	static char objects[2000];
	char data[64] = "0123456789012345678901234567890123456789";
	unsigned char sequence[8];
	void *packet = NULL;
	long sum = 0;
	size_t done;

	for (size_t i = 0; i < sizeof(objects); i++) {
		char *object = objects + i;

		sum += SSL_write(object, data, 1);
		sum += SSL_write_ex2(object, data, 2, 0, &done);
		sum += SSL_write_early_data(object, data, 3, &done);
		sum += SSL_read_early_data(object, data, 4, &done);
		sum += SSL_sendfile(object, 1, 0, 500, 0);
		sum += gnutls_record_send(object, data, 6);
		sum += gnutls_record_send2(object, data, 7, 0, 0);
		sum += gnutls_record_recv_seq(object, data, 8, sequence);
		sum += gnutls_record_recv_packet(object, &packet);
		sum += SSL_read(object, data, 9);
		usleep(20000);
	}
	return sum == 0;
}
