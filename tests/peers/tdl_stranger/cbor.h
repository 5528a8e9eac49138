/* The narrow CBOR profile of section 3.3: one map, keys 0 to 23, flat values. */
#ifndef CBOR_H
#define CBOR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CBOR_KEYS = 24, CBOR_ARRAY_MAX = 23 };
enum cbor_kind { CBOR_ABSENT = 0, CBOR_UINT, CBOR_NINT, CBOR_BOOL, CBOR_BYTES, CBOR_TEXT, CBOR_ARRAY };

struct cbor_value {
    enum cbor_kind kind;
    uint32_t number;      /* of an unsigned integer */
    const uint8_t *bytes; /* of a string: where it lies in the body */
    size_t length;
};

struct cbor_map { struct cbor_value key[CBOR_KEYS]; };

/* False: the body is outside the profile (garbage, bad_body). */
bool cbor_read_map(const uint8_t *body, size_t length, struct cbor_map *map);
/* True: the key is given, is an unsigned integer and not above `most`. */
bool cbor_get_uint(const struct cbor_map *map, unsigned key, uint32_t most, uint32_t *value);
bool cbor_given(const struct cbor_map *map, unsigned key);

struct cbor_writer { uint8_t *out; size_t room, used; unsigned pairs; bool overflow; };

void cbor_begin(struct cbor_writer *w, uint8_t *out, size_t room);
void cbor_put_uint(struct cbor_writer *w, unsigned key, uint32_t value);
void cbor_put_bool(struct cbor_writer *w, unsigned key, bool value);
void cbor_put_bytes(struct cbor_writer *w, unsigned key, const uint8_t *bytes, size_t length);
void cbor_put_text(struct cbor_writer *w, unsigned key, const char *text);
void cbor_put_array(struct cbor_writer *w, unsigned key, const uint32_t *values, size_t count);
/* The length of the body; 0 if it had no room. */
size_t cbor_end(struct cbor_writer *w);

#endif
