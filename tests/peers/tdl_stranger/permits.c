/* Permits (9): permission that runs out, and exact counts. */
#include "device.h"

enum { PERMIT_MS_MOST = 60000 };

static bool about_cards(unsigned what)
{
    return what == PERMIT_DEAL || what == PERMIT_FEED;
}

/* Lines 6 to 10 of 9.2. */
static struct answer cards_guard(struct device *d, unsigned what)
{
    if (d->notices.full)
        return refused(R_NOTICES_FULL);
    if (d->world.lid_open)
        return refused(R_LID_OPEN);
    if (something_stops(d, what == PERMIT_DEAL ? STOPS_DEAL : STOPS_FEED, true))
        return refused(R_FAULT_OR_JAM);
    if (what == PERMIT_DEAL && d->content_unverified)
        return refused(R_CONTENT_UNVERIFIED);
    if (d->permits[what].ending)
        return answer(BUSY);
    return answer(OK);
}

/* A `packet end` tells a packet once: nothing more is told until another card has come in. */
static void packet_end(struct device *d)
{
    if (d->cards_since_packet_end == 0)
        return;
    d->cards_since_packet_end = 0;
    notice_edge(d, PACKET_END, keys1(d->permits[PERMIT_FEED].counted));
}

static void reach_limit(struct device *d, unsigned what)
{
    if (d->permits[what].stands && what == PERMIT_FEED)
        packet_end(d);
    permit_ends(d, what, END_NUMBER);
}

static void give(struct device *d, unsigned what, uint32_t ms, uint32_t limit)
{
    struct permit *p = &d->permits[what];
    if (p->fresh) {
        p->counted = 0;
        p->fresh = false;
    }
    p->deadline = d->now + (usec)ms * MS;
    p->limit = about_cards(what) ? limit : 0;
    if (p->limit != 0 && p->counted >= p->limit)
        reach_limit(d, what);
    else
        p->stands = true;
}

static void revoke(struct device *d, unsigned what)
{
    permit_ends(d, what, END_REVOKED);
    d->permits[what].fresh = true;
}

struct answer permit_arrives(struct device *d, const struct frame *f)
{
    uint32_t what, ms, limit = 0;
    if (!cbor_get_uint(&f->body, 0, UINT32_MAX, &what) || !cbor_get_uint(&f->body, 1, PERMIT_MS_MOST, &ms))
        return refused(R_ARGUMENT);
    if (cbor_given(&f->body, 2) && (!cbor_get_uint(&f->body, 2, UINT16_MAX, &limit) || limit == 0))
        return refused(R_ARGUMENT);
    if (what < PERMIT_DEAL || what > PERMIT_LID)
        return refused(R_NOT_OFFERED);
    d->session.last_permit = (uint8_t)what;
    if (ms == 0) {
        revoke(d, what);
        return answer(OK);
    }
    if (!host_obeyed(d))
        return refused(R_EPOCH);
    if (d->session.state != OPEN)
        return answer(BUSY);
    if (about_cards(what)) {
        struct answer against = cards_guard(d, what);
        if (against.status != OK)
            return against;
    }
    give(d, what, ms, limit);
    return answer(OK);
}

/* Bit and guards change at once; the notice waits until the last card is counted (9.3). */
void permit_ends(struct device *d, unsigned what, uint8_t why)
{
    struct permit *p = &d->permits[what];
    if (!p->stands)
        return;
    p->stands = false;
    p->ending = true;
    p->why = why;
    if (what == PERMIT_DEAL && d->command.running && d->command.code == EJECT_ALL)
        command_ends(d, FAILED, why == END_FAULT ? R_FAULT_OR_JAM : why == END_LID ? R_LID_OPEN : R_PERMIT);
}

void permits_revoke_all(struct device *d)
{
    for (unsigned what = PERMIT_DEAL; what < PERMITS; what++)
        revoke(d, what);
}

/* A card that still moved when its permit ended belongs to it. */
void permit_count_card(struct device *d, unsigned what)
{
    struct permit *p = &d->permits[what];
    p->counted++;
    if (what == PERMIT_FEED)
        d->cards_since_packet_end++;
    if (p->stands && p->limit != 0 && p->counted >= p->limit)
        reach_limit(d, what);
    if (what == PERMIT_FEED && d->world.hopper == 0)
        packet_end(d);
}

void permits_expire(struct device *d)
{
    for (unsigned what = PERMIT_DEAL; what < PERMITS; what++)
        if (d->permits[what].stands && d->now >= d->permits[what].deadline)
            permit_ends(d, what, END_TIME);
}

void permits_tell_ended(struct device *d)
{
    for (unsigned what = PERMIT_DEAL; what < PERMITS; what++) {
        struct permit *p = &d->permits[what];
        if (!p->ending || permit_card_moves(d, what))
            continue;
        p->ending = false;
        notice_edge(d, PERMIT_ENDED, keys3(what, p->why, p->counted));
    }
}
