/* Bytes and frames: sections 3.1, 3.2 and 3.5. */
#ifndef FRAME_H
#define FRAME_H
#include "cbor.h"
#include "tdl.h"

enum {
    FRAME_MAX = TDL_RX_MAX + TDL_AROUND,
    STUFFED_MAX = FRAME_MAX + 1 + FRAME_MAX / 254, /* the longest run between two zeros (3.1) */
    STREAM_OUT_MAX = TDL_BODY_MAX + TDL_AROUND + 3 /* with code byte and both zeros */
};

struct frame {
    uint8_t type, code, seq;
    uint16_t session;
    struct cbor_map body;
};

enum verdict {
    FRAME_TAKEN, BAD_COBS, OVERSIZED, NOT_TDL, TRUNCATED, BAD_LENGTH, BAD_CHECK, BAD_TYPE, BAD_FIELD, BAD_BODY
};

struct receiver {
    uint8_t run[STUFFED_MAX];
    size_t used;
    bool ended;      /* run is complete and handed out */
    bool discarding; /* the run was too long: nothing is kept until the next zero */
};

enum received { RECEIVED_NOTHING, RECEIVED_RUN, RECEIVED_OVERSIZED };

uint32_t crc32(const uint8_t *bytes, size_t length);
/* One byte from the stream. RECEIVED_RUN: run[0..used) holds one stuffed frame until the next call. */
enum received receiver_take(struct receiver *rx, uint8_t byte);
/* Undoes the stuffing in place and judges in the order of 3.5. `f` points into `run`. */
enum verdict frame_judge(uint8_t *run, size_t length, struct frame *f);
/* Writes 00 COBS(frame) 00; returns how many bytes. */
size_t frame_write(uint8_t *out, uint8_t type, uint8_t code, uint8_t seq, uint16_t session,
                   const uint8_t *body, size_t length);

#endif
