#include "cbor.h"
#include <string.h>

enum { MAJOR_UINT = 0, MAJOR_NINT, MAJOR_BYTES, MAJOR_TEXT, MAJOR_ARRAY, MAJOR_MAP, MAJOR_TAG, MAJOR_SIMPLE };

struct reader { const uint8_t *at, *end; };

/* One head: major type and argument, shortest form only, at most 32 bits. */
static bool read_head(struct reader *r, unsigned *major, uint32_t *argument)
{
    if (r->at == r->end)
        return false;
    unsigned first = *r->at++, info = first & 0x1F;
    *major = first >> 5;
    *argument = info;
    if (info < 24)
        return true;
    if (info > 26) /* 64 bits, reserved, indefinite */
        return false;
    size_t width = (size_t)1 << (info - 24);
    if ((size_t)(r->end - r->at) < width)
        return false;
    uint32_t value = 0;
    for (size_t i = 0; i < width; i++)
        value = value << 8 | *r->at++;
    *argument = value;
    static const uint32_t least[3] = { 24, 0x100, 0x10000 };
    return value >= least[info - 24];
}

static bool read_array(struct reader *r, uint32_t count)
{
    if (count > CBOR_ARRAY_MAX)
        return false;
    while (count--) {
        unsigned major;
        uint32_t element;
        if (!read_head(r, &major, &element) || major != MAJOR_UINT)
            return false;
    }
    return true;
}

static bool read_string(struct reader *r, uint32_t length, struct cbor_value *v)
{
    if ((size_t)(r->end - r->at) < length)
        return false;
    v->bytes = r->at;
    v->length = length;
    r->at += length;
    return true;
}

static bool read_value(struct reader *r, struct cbor_value *v)
{
    unsigned major;
    if (r->at == r->end)
        return false;
    uint8_t first = *r->at;
    if (first == 0xF4 || first == 0xF5) {
        r->at++;
        v->kind = CBOR_BOOL;
        v->number = first == 0xF5;
        return true;
    }
    if (!read_head(r, &major, &v->number))
        return false;
    switch (major) {
    case MAJOR_UINT: v->kind = CBOR_UINT; return true;
    case MAJOR_NINT: v->kind = CBOR_NINT; return v->number <= 0x7FFFFFFFu; /* down to -2^31 */
    case MAJOR_BYTES: v->kind = CBOR_BYTES; return read_string(r, v->number, v);
    case MAJOR_TEXT: v->kind = CBOR_TEXT; return read_string(r, v->number, v); /* not looked into (3.3) */
    case MAJOR_ARRAY: v->kind = CBOR_ARRAY; return read_array(r, v->number);
    default: return false;
    }
}

bool cbor_read_map(const uint8_t *body, size_t length, struct cbor_map *map)
{
    struct reader r = { body, body + length };
    unsigned major;
    uint32_t pairs;
    int last_key = -1;
    memset(map, 0, sizeof *map);
    if (!read_head(&r, &major, &pairs) || major != MAJOR_MAP || pairs > CBOR_KEYS)
        return false;
    while (pairs--) {
        if (r.at == r.end || *r.at >= CBOR_KEYS || (int)*r.at <= last_key)
            return false;
        last_key = *r.at++;
        if (!read_value(&r, &map->key[last_key]))
            return false;
    }
    return r.at == r.end;
}

bool cbor_given(const struct cbor_map *map, unsigned key)
{
    return map->key[key].kind != CBOR_ABSENT;
}

bool cbor_get_uint(const struct cbor_map *map, unsigned key, uint32_t most, uint32_t *value)
{
    const struct cbor_value *v = &map->key[key];
    if (v->kind != CBOR_UINT || v->number > most)
        return false;
    *value = v->number;
    return true;
}

static void put(struct cbor_writer *w, uint8_t byte)
{
    if (w->used < w->room)
        w->out[w->used++] = byte;
    else
        w->overflow = true;
}

static void put_head(struct cbor_writer *w, unsigned major, uint32_t argument)
{
    unsigned width = argument < 24 ? 0 : argument < 0x100 ? 1 : argument < 0x10000 ? 2 : 4;
    unsigned info = width == 0 ? argument : width == 1 ? 24 : width == 2 ? 25 : 26;
    put(w, (uint8_t)(major << 5 | info));
    while (width--)
        put(w, (uint8_t)(argument >> (8 * width)));
}

void cbor_begin(struct cbor_writer *w, uint8_t *out, size_t room)
{
    *w = (struct cbor_writer){ .out = out, .room = room };
    put(w, 0xA0); /* the number of pairs is written by cbor_end */
}

static void put_key(struct cbor_writer *w, unsigned key)
{
    put(w, (uint8_t)key);
    w->pairs++;
}

void cbor_put_uint(struct cbor_writer *w, unsigned key, uint32_t value)
{
    put_key(w, key);
    put_head(w, MAJOR_UINT, value);
}

void cbor_put_bool(struct cbor_writer *w, unsigned key, bool value)
{
    put_key(w, key);
    put(w, value ? 0xF5 : 0xF4);
}

static void put_string(struct cbor_writer *w, unsigned major, const uint8_t *bytes, size_t length)
{
    put_head(w, major, (uint32_t)length);
    for (size_t i = 0; i < length; i++)
        put(w, bytes[i]);
}

void cbor_put_bytes(struct cbor_writer *w, unsigned key, const uint8_t *bytes, size_t length)
{
    put_key(w, key);
    put_string(w, MAJOR_BYTES, bytes, length);
}

void cbor_put_text(struct cbor_writer *w, unsigned key, const char *text)
{
    put_key(w, key);
    put_string(w, MAJOR_TEXT, (const uint8_t *)text, strlen(text));
}

void cbor_put_array(struct cbor_writer *w, unsigned key, const uint32_t *values, size_t count)
{
    put_key(w, key);
    put_head(w, MAJOR_ARRAY, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        put_head(w, MAJOR_UINT, values[i]);
}

size_t cbor_end(struct cbor_writer *w)
{
    if (w->overflow || w->room == 0)
        return 0;
    w->out[0] = (uint8_t)(0xA0 | w->pairs);
    return w->used;
}
