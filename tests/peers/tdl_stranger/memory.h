/* What the device remembers over power loss (7.1): two copies in one file, each with a check and a rising counter. */
#ifndef MEMORY_H
#define MEMORY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OUTCOMES_KEPT = 8, SERIAL_MAX = 16 };

struct outcome {
    uint32_t number;
    uint8_t status, reason;
    bool has_cards;
    uint16_t cards;
};

struct record {
    uint32_t boot, epoch, highest;
    struct outcome outcomes[OUTCOMES_KEPT];
    unsigned outcome_count;
    char serial[SERIAL_MAX + 1];
};

struct memory {
    struct record now;
    uint32_t counter;  /* of the copy written last */
    const char *path;
    bool broken;       /* the test bench lets writing fail */
};

enum memory_state { MEMORY_READ, MEMORY_NEW, MEMORY_UNREADABLE };

/* Fills m->now. NEW: there was no file yet. UNREADABLE: there is one, but no good copy in it. */
enum memory_state memory_read(struct memory *m, const char *path);
/* Writes `next` durably; only then it is m->now. False: nothing has changed. */
bool memory_write(struct memory *m, const struct record *next);

const struct outcome *record_find(const struct record *r, uint32_t number);
/* Puts an outcome in, or another in place of the one with the same number; a ninth pushes out the lowest. */
void record_put(struct record *r, struct outcome o);

#endif
