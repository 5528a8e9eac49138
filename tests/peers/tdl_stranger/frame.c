#include "frame.h"
#include <string.h>

uint32_t crc32(const uint8_t *bytes, size_t length)
{
    uint32_t crc = 0xFFFFFFFFu;
    while (length--) {
        crc ^= *bytes++;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

/* ---- receiving ---- */

enum received receiver_take(struct receiver *rx, uint8_t byte)
{
    if (rx->ended) { /* the run handed out at the last zero has been judged by now */
        rx->ended = false;
        rx->used = 0;
    }
    if (byte == 0) {
        bool run = !rx->discarding && rx->used > 0;
        rx->discarding = false;
        rx->ended = true;
        return run ? RECEIVED_RUN : RECEIVED_NOTHING;
    }
    if (rx->discarding)
        return RECEIVED_NOTHING;
    if (rx->used == sizeof rx->run) {
        rx->discarding = true;
        rx->used = 0;
        return RECEIVED_OVERSIZED;
    }
    rx->run[rx->used++] = byte;
    return RECEIVED_NOTHING;
}

/* In place: what comes out is never longer than what was read. */
static bool unstuff(uint8_t *run, size_t length, size_t *out_length)
{
    size_t in = 0, out = 0;
    while (in < length) {
        unsigned code = run[in++];
        if (code - 1 > length - in)
            return false;
        memmove(run + out, run + in, code - 1);
        in += code - 1;
        out += code - 1;
        if (code != 0xFF && in < length)
            run[out++] = 0;
    }
    *out_length = out;
    return true;
}

static uint16_t u16_at(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }
static uint32_t u32_at(const uint8_t *p) { return u16_at(p) | (uint32_t)u16_at(p + 2) << 16; }

static bool fields_allowed(const struct frame *f)
{
    bool coded = f->code >= 0x01 && f->code <= 0xFE;
    if (f->session == 0)
        return false;
    switch (f->type) {
    case HELLO: case HELLO_REPLY: return f->code == 0 && f->seq != 0;
    case REQUEST: case REPLY: return coded && f->seq != 0;
    case NOTICE: case PROGRESS: return coded && f->seq == 0;
    case NOTICE_ACK: return f->code == 0 && f->seq == 0;
    default: return false;
    }
}

enum verdict frame_judge(uint8_t *run, size_t length, struct frame *f)
{
    size_t n;
    if (!unstuff(run, length, &n))
        return BAD_COBS;
    if (n > FRAME_MAX)
        return OVERSIZED;
    if (n == 0 || run[0] != TDL_VERSION_BYTE)
        return NOT_TDL;
    if (n < TDL_AROUND)
        return TRUNCATED;
    if (u16_at(run + 6) != n - TDL_AROUND)
        return BAD_LENGTH;
    if (u32_at(run + n - TDL_CHECK) != crc32(run, n - TDL_CHECK))
        return BAD_CHECK;
    f->type = run[1];
    f->code = run[2];
    f->seq = run[3];
    f->session = u16_at(run + 4);
    if (f->type < HELLO || f->type > PROGRESS) /* SEALED is not built (13) */
        return BAD_TYPE;
    if (!fields_allowed(f))
        return BAD_FIELD;
    if (!cbor_read_map(run + TDL_HEADER, n - TDL_AROUND, &f->body))
        return BAD_BODY;
    return FRAME_TAKEN;
}

/* ---- sending ---- */

/* A frame of at most 108 bytes never has a group of 254, so the FF rule of 3.1 is not needed on this side. */
static size_t stuff(uint8_t *out, const uint8_t *in, size_t length)
{
    size_t code_at = 0, used = 1;
    for (size_t i = 0; i < length; i++) {
        if (in[i] != 0) {
            out[used++] = in[i];
            continue;
        }
        out[code_at] = (uint8_t)(used - code_at);
        code_at = used++;
    }
    out[code_at] = (uint8_t)(used - code_at);
    return used;
}

size_t frame_write(uint8_t *out, uint8_t type, uint8_t code, uint8_t seq, uint16_t session,
                   const uint8_t *body, size_t length)
{
    uint8_t frame[TDL_BODY_MAX + TDL_AROUND] = {
        TDL_VERSION_BYTE, type, code, seq, (uint8_t)session, (uint8_t)(session >> 8),
        (uint8_t)length, (uint8_t)(length >> 8)
    };
    memcpy(frame + TDL_HEADER, body, length);
    uint32_t check = crc32(frame, TDL_HEADER + length);
    for (int i = 0; i < 4; i++)
        frame[TDL_HEADER + length + i] = (uint8_t)(check >> (8 * i));
    out[0] = 0;
    size_t stuffed = stuff(out + 1, frame, length + TDL_AROUND);
    out[1 + stuffed] = 0;
    return stuffed + 2;
}
