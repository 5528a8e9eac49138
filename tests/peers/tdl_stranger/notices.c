/* Notices (8): numbered facts, kept until the host has them in its journal. */
#include "device.h"
#include <string.h>

static const usec FIRST_SPACING = 500 * MS, LAST_SPACING = 4 * SECOND;

struct notice_keys keys0(void) { return (struct notice_keys){ .given = { false } }; }
struct notice_keys keys1(uint32_t a) { return (struct notice_keys){ { true }, { a } }; }
struct notice_keys keys2(uint32_t a, uint32_t b) { return (struct notice_keys){ { true, true }, { a, b } }; }

struct notice_keys keys3(uint32_t a, uint32_t b, uint32_t c)
{
    return (struct notice_keys){ { true, true, true }, { a, b, c } };
}

static uint32_t ms_since_boot(const struct device *d)
{
    return (uint32_t)((d->now - d->booted_at) / MS);
}

static unsigned kept_in(const struct notice_queue *q, enum notice_room room)
{
    unsigned n = 0;
    for (unsigned i = 0; i < q->count; i++)
        n += q->kept[i].room == room;
    return n;
}

static void queue_notice(struct device *d, uint8_t kind, enum notice_room room, struct notice_keys keys)
{
    struct notice_queue *q = &d->notices;
    if (q->count == 0) { /* it is the oldest now and goes at once */
        q->again = d->now;
        q->spacing = FIRST_SPACING;
    }
    q->kept[q->count++] = (struct notice){ ++q->newest, ms_since_boot(d), kind, room, false, keys };
}

/* Which place an edge takes. The reserve is for the permits that 8.5 itself ends, so not for the lid's. */
static enum notice_room room_for(const struct notice_queue *q, uint8_t kind, const struct notice_keys *keys)
{
    if (kind == NOTICES_LOST && kept_in(q, ROOM_NOTICES_LOST) == 0)
        return ROOM_NOTICES_LOST;
    if (kept_in(q, ROOM_EDGE) < EDGES_KEPT)
        return ROOM_EDGE;
    bool cards = kind == PERMIT_ENDED && keys->value[0] != PERMIT_LID;
    if (cards && kept_in(q, ROOM_PERMIT_ENDED) < PERMIT_ENDED_RESERVE)
        return ROOM_PERMIT_ENDED;
    return NO_ROOM_LEFT;
}

void notice_edge(struct device *d, uint8_t kind, struct notice_keys keys)
{
    struct notice_queue *q = &d->notices;
    enum notice_room room = room_for(q, kind, &keys);
    if (room != NO_ROOM_LEFT) {
        queue_notice(d, kind, room, keys);
        return;
    }
    q->lost++;
    q->lost_flag = true;
    q->full = true;
    permit_ends(d, PERMIT_DEAL, END_NOTICES_FULL);
    permit_ends(d, PERMIT_FEED, END_NOTICES_FULL);
}

void notice_level(struct device *d, uint8_t kind, uint32_t meter)
{
    struct notice_queue *q = &d->notices;
    for (unsigned i = 0; i < q->count; i++) {
        struct notice *n = &q->kept[i];
        if (n->kind == kind && !n->sent) { /* keeps its number and place, takes values and ms */
            n->keys.value[0] = meter;
            n->ms = ms_since_boot(d);
            return;
        }
    }
    queue_notice(d, kind, ROOM_LEVEL, keys1(meter));
}

/* The flag goes when the last `notices lost` has been acknowledged and nothing was lost since it was queued. */
static void lower_lost_flag(struct notice_queue *q)
{
    for (unsigned i = 0; i < q->count; i++)
        if (q->kept[i].kind == NOTICES_LOST)
            return;
    if (q->lost == 0)
        q->lost_flag = false;
}

void notices_acknowledged(struct device *d, uint32_t number)
{
    struct notice_queue *q = &d->notices;
    bool dropped = false;
    while (q->count > 0 && q->kept[0].number <= number && q->kept[0].sent) {
        memmove(q->kept, q->kept + 1, --q->count * sizeof *q->kept);
        dropped = true;
    }
    if (!dropped)
        return;
    q->again = d->now;
    q->spacing = FIRST_SPACING;
    if (q->full && kept_in(q, ROOM_EDGE) < EDGES_KEPT) {
        uint32_t lost = q->lost;
        q->lost = 0;
        q->full = false;
        notice_edge(d, NOTICES_LOST, keys1(lost));
    }
    lower_lost_flag(q);
}

void notices_opened(struct device *d)
{
    d->notices.again = d->now;
    d->notices.spacing = FIRST_SPACING;
}

uint32_t notices_oldest(const struct device *d)
{
    return d->notices.count ? d->notices.kept[0].number : d->notices.newest + 1;
}

/* Only the oldest is on its way, until it is acknowledged. */
void notices_send(struct device *d)
{
    struct notice_queue *q = &d->notices;
    uint8_t body[TDL_BODY_MAX];
    struct cbor_writer w;
    if (d->session.state != OPEN || q->count == 0 || d->now < q->again)
        return;
    struct notice *n = &q->kept[0];
    cbor_begin(&w, body, sizeof body);
    cbor_put_uint(&w, 0, d->memory.now.boot);
    cbor_put_uint(&w, 1, n->number);
    cbor_put_uint(&w, 2, n->ms);
    for (unsigned i = 0; i < 4; i++)
        if (n->keys.given[i])
            cbor_put_uint(&w, 3 + i, n->keys.value[i]);
    device_send(d, NOTICE, n->kind, 0, d->session.number, &w);
    n->sent = true;
    q->again = d->now + q->spacing;
    q->spacing = q->spacing * 2 > LAST_SPACING ? LAST_SPACING : q->spacing * 2;
}
