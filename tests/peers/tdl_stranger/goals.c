/* Reads and goals (6). The checks of a goal: keys and values, offered, host obeyed, session open, state. */
#include "device.h"

static const usec ARMED_FOR = 10 * SECOND;

bool goal_is_read(uint8_t code)
{
    return code == IDENTITY || code == OUTCOME || code == STATE || code == FAULTS || code == METERS || code == PING;
}

/* ---- what changes something ---- */

static struct answer lamp_arrives(struct device *d, const struct frame *f)
{
    uint32_t colour, pattern;
    if (!cbor_get_uint(&f->body, 0, LAMP_BLUE, &colour) || !cbor_get_uint(&f->body, 1, LAMP_BLINKING, &pattern) ||
        (colour == LAMP_OFF && pattern != LAMP_STEADY))
        return refused(R_ARGUMENT);
    if (!host_obeyed(d))
        return refused(R_EPOCH);
    if (d->session.state != OPEN)
        return answer(BUSY);
    if (colour == LAMP_OFF && jam_stands(d, NO_PLACE))
        return refused(R_FAULT_OR_JAM);
    lamp_light(d, (uint8_t)colour, (uint8_t)pattern);
    return answer(OK);
}

static struct answer clear_fault_arrives(struct device *d, const struct frame *f)
{
    uint32_t fault, place;
    if (!cbor_get_uint(&f->body, 0, UINT8_MAX, &fault) || !cbor_get_uint(&f->body, 1, UINT8_MAX, &place))
        return refused(R_ARGUMENT);
    if (!host_obeyed(d))
        return refused(R_EPOCH);
    if (d->session.state != OPEN)
        return answer(BUSY);
    return clear_fault(d, (uint8_t)fault, place);
}

/* Arming moves nothing by itself, so any host may do it (6); a refused ARM leaves what was armed before. */
static struct answer arm_arrives(struct device *d, const struct frame *f)
{
    uint32_t code;
    if (!cbor_get_uint(&f->body, 0, UINT32_MAX, &code))
        return refused(R_ARGUMENT);
    if (code != ADOPT)
        return refused(R_NOT_OFFERED);
    d->session.armed_code = (uint8_t)code;
    d->session.armed_until = d->now + ARMED_FOR;
    return answer(OK);
}

struct answer goal_arrives(struct device *d, const struct frame *f)
{
    switch (f->code) {
    case IDENTITY: case STATE: case FAULTS: case METERS: case PING: return answer(OK);
    case OUTCOME: return outcome_asked(d, f);
    case PERMIT: return permit_arrives(d, f);
    case LAMP: return lamp_arrives(d, f);
    case CLEAR_FAULT: return clear_fault_arrives(d, f);
    case ARM: return arm_arrives(d, f);
    default: return refused(R_NOT_OFFERED);
    }
}

/* ---- the keys that an `ok` carries ---- */

static void identity_keys(struct device *d, struct cbor_writer *w)
{
    static const uint32_t profiles[] = { 1 };
    /* deal, feed, lid, lamp, count in, count out, count all, content by area */
    static const uint32_t abilities[] = { 2, 2, 2, 2, 2, 2, 2, 2 };
    cbor_put_text(w, 2, "Stranger");
    cbor_put_text(w, 3, "1.0.0");
    cbor_put_bytes(w, 4, d->digest, sizeof d->digest);
    cbor_put_array(w, 5, profiles, 1);
    cbor_put_array(w, 6, abilities, 8);
}

static uint32_t permit_bits(const struct device *d)
{
    uint32_t bits = 0;
    for (unsigned what = PERMIT_DEAL; what < PERMITS; what++)
        bits |= (uint32_t)d->permits[what].stands << (what - 1);
    return bits;
}

static void state_keys(struct device *d, struct cbor_writer *w)
{
    cbor_put_uint(w, 2, content_now(d));
    cbor_put_array(w, 3, d->content, AREAS);
    cbor_put_bool(w, 4, path_clear(d));
    cbor_put_bool(w, 5, d->world.lid_open);
    cbor_put_uint(w, 6, 16u * d->lamp_colour + d->lamp_pattern);
    cbor_put_uint(w, 7, permit_bits(d));
    cbor_put_uint(w, 8, d->command.running ? d->command.number : 0);
    cbor_put_uint(w, 9, flags_now(d));
}

static void faults_keys(struct device *d, struct cbor_writer *w)
{
    uint32_t pairs[2 * FAULTS_TOLD];
    unsigned n = d->standing_count < FAULTS_TOLD ? d->standing_count : FAULTS_TOLD;
    for (unsigned i = 0; i < n; i++) {
        pairs[2 * i] = d->standing[i].fault;
        pairs[2 * i + 1] = d->standing[i].place;
    }
    cbor_put_array(w, 2, pairs, 2 * n);
}

static void meters_keys(struct device *d, struct cbor_writer *w)
{
    cbor_put_uint(w, 2, d->cards_in);
    cbor_put_uint(w, 3, d->cards_out);
    cbor_put_uint(w, 4, d->jams);
    cbor_put_uint(w, 6, d->dropped);
}

void goal_keys(struct device *d, uint8_t code, struct cbor_writer *w)
{
    switch (code) {
    case IDENTITY: identity_keys(d, w); break;
    case STATE: state_keys(d, w); break;
    case FAULTS: faults_keys(d, w); break;
    case METERS: meters_keys(d, w); break;
    case PERMIT: cbor_put_uint(w, 2, d->permits[d->session.last_permit].counted); break;
    default: break;
    }
}
