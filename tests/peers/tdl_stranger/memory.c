#include "memory.h"
#include "frame.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { COPY_SIZE = 256, CHECK_AT = COPY_SIZE - 4, OUTCOME_SIZE = 9, MAGIC = 0x314D4454 /* "TDM1" */ };

static uint8_t *put32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        *p++ = (uint8_t)(v >> (8 * i));
    return p;
}

static uint32_t get32(const uint8_t *p)
{
    return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static void encode(uint8_t copy[COPY_SIZE], const struct record *r, uint32_t counter)
{
    uint8_t *p = copy;
    memset(copy, 0, COPY_SIZE);
    p = put32(p, MAGIC);
    p = put32(p, counter);
    p = put32(p, r->boot);
    p = put32(p, r->epoch);
    p = put32(p, r->highest);
    memcpy(p, r->serial, SERIAL_MAX);
    p += SERIAL_MAX;
    *p++ = (uint8_t)r->outcome_count;
    for (unsigned i = 0; i < r->outcome_count; i++) {
        const struct outcome *o = &r->outcomes[i];
        p = put32(p, o->number);
        *p++ = o->status;
        *p++ = o->reason;
        *p++ = o->has_cards;
        *p++ = (uint8_t)o->cards;
        *p++ = (uint8_t)(o->cards >> 8);
    }
    put32(copy + CHECK_AT, crc32(copy, CHECK_AT));
}

static bool decode(const uint8_t copy[COPY_SIZE], struct record *r, uint32_t *counter)
{
    if (get32(copy) != MAGIC || get32(copy + CHECK_AT) != crc32(copy, CHECK_AT))
        return false;
    memset(r, 0, sizeof *r);
    *counter = get32(copy + 4);
    r->boot = get32(copy + 8);
    r->epoch = get32(copy + 12);
    r->highest = get32(copy + 16);
    memcpy(r->serial, copy + 20, SERIAL_MAX);
    const uint8_t *p = copy + 20 + SERIAL_MAX;
    r->outcome_count = *p++;
    if (r->outcome_count > OUTCOMES_KEPT)
        return false;
    for (unsigned i = 0; i < r->outcome_count; i++, p += OUTCOME_SIZE)
        r->outcomes[i] = (struct outcome){ get32(p), p[4], p[5], p[6] != 0, (uint16_t)(p[7] | p[8] << 8) };
    return true;
}

enum memory_state memory_read(struct memory *m, const char *path)
{
    uint8_t copies[2 * COPY_SIZE];
    struct record r;
    uint32_t counter;
    bool found = false;
    memset(&m->now, 0, sizeof m->now);
    m->counter = 0;
    m->path = path;
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return errno == ENOENT ? MEMORY_NEW : MEMORY_UNREADABLE;
    ssize_t n = pread(fd, copies, sizeof copies, 0);
    close(fd);
    for (int i = 0; i < 2 && n >= (i + 1) * COPY_SIZE; i++)
        if (decode(copies + i * COPY_SIZE, &r, &counter) && (!found || (int32_t)(counter - m->counter) > 0)) {
            m->now = r;
            m->counter = counter;
            found = true;
        }
    return found ? MEMORY_READ : MEMORY_UNREADABLE;
}

/* The older of the two copies is overwritten, so power lost in the middle leaves the younger one whole. */
bool memory_write(struct memory *m, const struct record *next)
{
    uint8_t copy[COPY_SIZE];
    uint32_t counter = m->counter + 1;
    if (m->broken)
        return false;
    encode(copy, next, counter);
    int fd = open(m->path, O_WRONLY | O_CREAT, 0644);
    if (fd < 0)
        return false;
    bool written = pwrite(fd, copy, COPY_SIZE, (off_t)(counter % 2) * COPY_SIZE) == COPY_SIZE && fsync(fd) == 0;
    close(fd);
    if (!written)
        return false;
    m->now = *next;
    m->counter = counter;
    return true;
}

const struct outcome *record_find(const struct record *r, uint32_t number)
{
    for (unsigned i = 0; i < r->outcome_count; i++)
        if (r->outcomes[i].number == number)
            return &r->outcomes[i];
    return NULL;
}

void record_put(struct record *r, struct outcome o)
{
    unsigned at = 0;
    for (unsigned i = 0; i < r->outcome_count; i++)
        if (r->outcomes[i].number == o.number) {
            r->outcomes[i] = o;
            return;
        }
    if (r->outcome_count < OUTCOMES_KEPT) {
        at = r->outcome_count++;
    } else {
        for (unsigned i = 1; i < OUTCOMES_KEPT; i++)
            if (r->outcomes[i].number < r->outcomes[at].number)
                at = i;
    }
    r->outcomes[at] = o;
}
