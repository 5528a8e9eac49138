/* Frames in and out, handshake, session and seq (3.5, 4, 5), and the order in which things are done. */
#include "device.h"
#include <string.h>

static const usec HOST_HEARD_FOR = 5 * SECOND;

struct answer answer(uint8_t status) { return (struct answer){ status, NO_REASON, false, 0 }; }
struct answer refused(uint8_t reason) { return (struct answer){ REFUSED, reason, false, 0 }; }

bool host_obeyed(const struct device *d)
{
    return d->memory.now.epoch != 0 && d->session.host_epoch == d->memory.now.epoch;
}

uint8_t flags_now(const struct device *d)
{
    return (uint8_t)((d->notices.lost_flag ? FLAG_NOTICES_LOST : 0) |
                     (d->content_unverified ? FLAG_CONTENT_UNVERIFIED : 0) |
                     (d->command.running ? FLAG_COMMAND_RUNS : 0));
}

/* ---- boot (10.3) ---- */

static bool store_boot(struct device *d)
{
    struct record next = d->memory.now;
    next.boot++;
    for (unsigned i = 0; i < next.outcome_count; i++)
        if (next.outcomes[i].status == STARTED)
            next.outcomes[i] = (struct outcome){ next.outcomes[i].number, INTERRUPTED, NO_REASON, false, 0 };
    memcpy(next.serial, d->serial, sizeof next.serial);
    if (memory_write(&d->memory, &next))
        return true;
    d->memory.now = next; /* this boot goes on with it, and fault 8 says that it was not kept */
    return false;
}

static void forget(struct device *d)
{
    struct device kept = *d;
    memset(d, 0, sizeof *d);
    d->memory = kept.memory;
    d->world = kept.world;
    d->model = kept.model;
    memcpy(d->serial, kept.serial, sizeof d->serial);
    memcpy(d->digest, kept.digest, sizeof d->digest);
    d->pace = kept.pace;
    d->now = kept.now;
    d->send = kept.send;
}

void device_boot(struct device *d, uint8_t cause)
{
    machine_stop(d); /* the motors stand when the processor does */
    forget(d);
    bool broken = d->memory.broken;
    enum memory_state state = memory_read(&d->memory, d->memory.path);
    d->memory.broken = broken;
    bool stored = store_boot(d);
    d->booted_at = d->now;
    d->boot_cause = cause;
    for (unsigned what = PERMIT_DEAL; what < PERMITS; what++)
        d->permits[what].fresh = true;
    for (int area = 0; area < AREAS; area++) /* a first look with the compartment sensors: a figure, unverified */
        d->content[area] = d->world.cards[area];
    d->content_unverified = true;
    d->buffer_is_low = d->world.cards[EXIT_AREA] < BUFFER_LOW_BELOW;
    notice_edge(d, BOOTED, keys2(cause, content_now(d))); /* number 1: nothing may be queued before */
    machine_base_position(d);
    if (state == MEMORY_UNREADABLE || !stored)
        fault_begins(d, FAULT_MEMORY, NO_PLACE);
    faults_at_boot(d);
}

/* ---- sending ---- */

void device_send(struct device *d, uint8_t type, uint8_t code, uint8_t seq, uint16_t session, struct cbor_writer *body)
{
    uint8_t out[STREAM_OUT_MAX];
    size_t length = cbor_end(body);
    if (length > 0)
        d->send(out, frame_write(out, type, code, seq, session, body->out, length));
}

static void reply(struct device *d, const struct frame *f, struct answer a)
{
    uint8_t body[TDL_BODY_MAX];
    struct cbor_writer w;
    cbor_begin(&w, body, sizeof body);
    cbor_put_uint(&w, 0, a.status);
    if (a.status == REFUSED || a.status == FAILED)
        cbor_put_uint(&w, 1, a.reason);
    if (a.status == OK)
        goal_keys(d, f->code, &w);
    else if (a.has_cards)
        cbor_put_uint(&w, 2, a.cards);
    device_send(d, REPLY, f->code, f->seq, d->session.number, &w);
}

static void hello_reply(struct device *d, const struct frame *f, uint8_t version, uint8_t more_flags)
{
    uint8_t body[TDL_BODY_MAX];
    struct cbor_writer w;
    cbor_begin(&w, body, sizeof body);
    cbor_put_bytes(&w, 0, f->body.key[0].bytes, 8);
    cbor_put_uint(&w, 1, version);
    cbor_put_uint(&w, 2, d->memory.now.boot);
    cbor_put_uint(&w, 3, d->boot_cause);
    cbor_put_text(&w, 4, d->model);
    cbor_put_text(&w, 5, d->serial);
    cbor_put_uint(&w, 6, TDL_RX_MAX);
    cbor_put_bool(&w, 7, true); /* no cards of paper in here */
    cbor_put_uint(&w, 8, d->memory.now.epoch);
    cbor_put_uint(&w, 9, d->memory.now.highest);
    cbor_put_uint(&w, 10, notices_oldest(d));
    cbor_put_uint(&w, 11, d->notices.newest);
    cbor_put_uint(&w, 12, flags_now(d) | more_flags);
    device_send(d, HELLO_REPLY, 0, f->seq, f->session, &w);
}

/* ---- HELLO (4.3) ---- */

struct hello { uint32_t lowest, highest, rx_max, epoch; const uint8_t *nonce; };

static bool hello_read(const struct frame *f, struct hello *h)
{
    const struct cbor_value *nonce = &f->body.key[0];
    h->nonce = nonce->bytes;
    return nonce->kind == CBOR_BYTES && nonce->length == 8 && cbor_get_uint(&f->body, 1, UINT8_MAX, &h->lowest) &&
           cbor_get_uint(&f->body, 2, UINT8_MAX, &h->highest) && cbor_get_uint(&f->body, 3, UINT16_MAX, &h->rx_max) &&
           cbor_get_uint(&f->body, 4, UINT32_MAX, &h->epoch) && h->rx_max >= 96 && h->epoch != 0;
}

static void session_take(struct device *d, const struct frame *f, const struct hello *h)
{
    struct session *s = &d->session;
    struct session next = { .state = ADOPTED, .number = f->session, .host_epoch = h->epoch, .heard = d->now,
                            .last_seq = f->seq };
    memcpy(next.nonce, h->nonce, 8);
    if (s->state != CLOSED) {
        next.has_before = true;
        next.before_number = s->number;
        memcpy(next.before_nonce, s->nonce, 8);
    }
    *s = next;
}

static void hello_arrives(struct device *d, const struct frame *f)
{
    struct session *s = &d->session;
    struct hello h;
    if (!hello_read(f, &h)) {
        d->dropped++;
    } else if (h.lowest > 1 || h.highest < 1) {
        hello_reply(d, f, 0, 0);
    } else if (s->state != CLOSED && f->session == s->number && memcmp(h.nonce, s->nonce, 8) == 0) {
        s->heard = d->now;
        hello_reply(d, f, 1, 0);
    } else if (s->has_before && f->session == s->before_number && memcmp(h.nonce, s->before_nonce, 8) == 0) {
        d->dropped++;
    } else if (s->state != CLOSED && h.epoch != s->host_epoch && d->now - s->heard < HOST_HEARD_FOR) {
        hello_reply(d, f, 1, FLAG_OTHER_HOST);
    } else {
        session_take(d, f, &h);
        hello_reply(d, f, 1, 0);
    }
}

/* ---- REQUEST (5) ---- */

static bool is_numbered(uint8_t code) { return code >= 0x40 && code <= 0xBF && code != ADOPT; }

static struct answer act(struct device *d, const struct frame *f)
{
    if (is_numbered(f->code))
        return command_arrives(d, f);
    return f->code == ADOPT ? adopt_arrives(d, f) : goal_arrives(d, f);
}

static void request_arrives(struct device *d, const struct frame *f)
{
    struct session *s = &d->session;
    unsigned ahead = (f->seq - s->last_seq + 255u) % 255u;
    bool copy = ahead == 0 && s->last_code == f->code; /* last_code 0: the seq is that of the HELLO */
    if (!copy && (ahead == 0 || ahead > 127)) {
        d->dropped++;
        return;
    }
    if (copy && !goal_is_read(f->code) && !is_numbered(f->code)) {
        reply(d, f, s->last_answer); /* a goal acts once */
        return;
    }
    s->last_seq = f->seq;
    s->last_code = f->code;
    s->last_answer = act(d, f);
    reply(d, f, s->last_answer);
}

/* ---- frames ---- */

static void notice_ack_arrives(struct device *d, const struct frame *f)
{
    uint32_t boot, number;
    if (!cbor_get_uint(&f->body, 0, UINT32_MAX, &boot) || !cbor_get_uint(&f->body, 1, UINT32_MAX, &number) ||
        boot != d->memory.now.boot) {
        d->dropped++;
        return;
    }
    if (d->session.state == ADOPTED) {
        d->session.state = OPEN;
        notices_opened(d);
    }
    notices_acknowledged(d, number);
}

static void frame_arrives(struct device *d, const struct frame *f)
{
    struct session *s = &d->session;
    if (f->type == HELLO) {
        hello_arrives(d, f);
        return;
    }
    if ((f->type != REQUEST && f->type != NOTICE_ACK) || s->state == CLOSED || f->session != s->number) {
        d->dropped++;
        return;
    }
    s->heard = d->now;
    if (f->type == REQUEST)
        request_arrives(d, f);
    else
        notice_ack_arrives(d, f);
}

/* The order of 7.4 and 10.1: stored first, then `permit ended`, then `command ended`. */
static void settle(struct device *d)
{
    bool stored = command_store_end(d);
    permits_tell_ended(d);
    if (stored)
        command_tell_end(d);
}

void device_receive(struct device *d, const uint8_t *bytes, size_t length)
{
    struct frame f;
    for (size_t i = 0; i < length; i++) {
        enum received got = receiver_take(&d->receiver, bytes[i]);
        if (got == RECEIVED_OVERSIZED)
            d->dropped++;
        if (got != RECEIVED_RUN)
            continue;
        settle(d); /* several frames may come in one read: each must see what the one before has done */
        if (frame_judge(d->receiver.run, d->receiver.used, &f) == FRAME_TAKEN)
            frame_arrives(d, &f);
        else
            d->dropped++;
    }
}

/* ---- what is due ---- */

void device_work(struct device *d)
{
    permits_expire(d);
    machine_work(d);
    faults_look(d);
    settle(d);
    command_progress(d);
    notices_send(d);
}

static usec sooner(usec a, usec b) { return a < b ? a : b; }

usec device_due(const struct device *d)
{
    usec due = machine_due(d);
    for (unsigned what = PERMIT_DEAL; what < PERMITS; what++)
        if (d->permits[what].stands)
            due = sooner(due, d->permits[what].deadline);
    if (d->command.running)
        due = sooner(due, d->command.ended && d->command.store_again > d->now ? d->command.store_again
                                                                            : d->command.progress);
    if (d->session.state == OPEN && d->notices.count > 0)
        due = sooner(due, d->notices.again);
    return due;
}
