/* SHA-256 (FIPS 180-4), for the digest that IDENTITY gives. */
#ifndef SHA256_H
#define SHA256_H
#include <stdbool.h>
#include <stdint.h>

/* False: the file could not be read. */
bool sha256_of_file(const char *path, uint8_t digest[32]);

#endif
