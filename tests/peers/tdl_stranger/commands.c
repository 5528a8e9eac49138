/* Moving commands, OUTCOME and ADOPT (7): a number is answered from memory before anything moves. */
#include "device.h"

static const usec PROGRESS_SPACING = 800 * MS; /* at least once a second */
static const usec STORE_AGAIN = 1 * SECOND;

bool command_offered(uint8_t code)
{
    return code == COUNT_ALL || code == EJECT_ALL || code == RECOVER || code == SELF_TEST || code == ADOPT;
}

static struct answer as_answer(const struct outcome *o)
{
    return (struct answer){ o->status, o->reason, o->has_cards, o->cards };
}

/* Writes one outcome, and the highest number if it is above. On failure fault 8 stands and nothing has changed. */
static bool store(struct device *d, uint32_t number, struct answer a)
{
    struct record next = d->memory.now;
    record_put(&next, (struct outcome){ number, a.status, a.reason, a.has_cards, a.cards });
    if (number > next.highest)
        next.highest = number;
    if (memory_write(&d->memory, &next))
        return true;
    fault_begins(d, FAULT_MEMORY, NO_PLACE);
    return false;
}

/* ---- guards, in the order of 7.3 ---- */

static bool argument_makes_sense(const struct frame *f, uint32_t *argument)
{
    *argument = 0;
    if (f->code != RECOVER && f->code != SELF_TEST) /* the others have none: the key is not known for them */
        return true;
    if (cbor_given(&f->body, 2) && !cbor_get_uint(&f->body, 2, UINT16_MAX, argument))
        return false;
    if (f->code == RECOVER)
        return *argument <= CAROUSEL_PLACE || *argument == LID_PLACE; /* the places that profile 1 uses */
    return *argument == 0; /* this machine has no parts that are tested alone */
}

static bool stopped_by_fault(const struct device *d, uint8_t code)
{
    return (code == COUNT_ALL && something_stops(d, STOPS_DEAL | STOPS_FEED, false)) ||
           (code == EJECT_ALL && something_stops(d, STOPS_DEAL, false));
}

static uint8_t machine_guard(const struct device *d, uint8_t code)
{
    if (d->world.lid_open)
        return R_LID_OPEN;
    if (code != RECOVER && jam_stands(d, NO_PLACE))
        return R_FAULT_OR_JAM;
    if (stopped_by_fault(d, code))
        return R_FAULT_OR_JAM;
    if (code == EJECT_ALL && d->content_unverified)
        return R_CONTENT_UNVERIFIED;
    if (code == EJECT_ALL && !d->permits[PERMIT_DEAL].stands)
        return R_PERMIT;
    return NO_REASON;
}

static uint8_t guard(const struct device *d, const struct frame *f, uint32_t *argument)
{
    if (!command_offered(f->code))
        return R_NOT_OFFERED;
    if (!argument_makes_sense(f, argument))
        return R_ARGUMENT;
    if (d->session.state != OPEN)
        return R_NOT_OPEN;
    if (d->command.running)
        return R_COMMAND_RUNS;
    if (d->notices.full)
        return R_NOTICES_FULL;
    return machine_guard(d, f->code);
}

/* ---- arrival (7.2) ---- */

static void begin(struct device *d, uint8_t code, uint32_t number, uint32_t argument)
{
    uint32_t content = content_now(d);
    d->command = (struct command){
        .running = true, .code = code, .number = number, .argument = argument,
        .of = (uint16_t)(content > UINT16_MAX ? UINT16_MAX : content), .progress = d->now + PROGRESS_SPACING
    };
    d->world.commands_moved++;
}

/* False: the answer is in *a already (lines 1 and 2 of 7.2 and of 7.6). */
static bool number_valid(const struct device *d, const struct frame *f, uint32_t *number, struct answer *a)
{
    uint32_t epoch;
    if (!cbor_get_uint(&f->body, 0, UINT32_MAX, &epoch) || !cbor_get_uint(&f->body, 1, UINT32_MAX, number) ||
        *number == 0)
        *a = refused(R_ARGUMENT);
    else if (!host_obeyed(d) || epoch != d->memory.now.epoch)
        *a = refused(R_EPOCH);
    else
        return true;
    return false;
}

/* True: lines 3 and 4, the number is known or old. */
static bool number_known(const struct device *d, uint32_t number, struct answer *a)
{
    const struct outcome *o = record_find(&d->memory.now, number);
    if (o != NULL)
        *a = as_answer(o);
    else if (number <= d->memory.now.highest)
        *a = answer(OLD);
    else
        return false;
    return true;
}

struct answer command_arrives(struct device *d, const struct frame *f)
{
    struct answer a;
    uint32_t number, argument;
    if (!number_valid(d, f, &number, &a) || number_known(d, number, &a))
        return a;
    uint8_t against = guard(d, f, &argument);
    a = against ? refused(against) : answer(STARTED);
    if (!store(d, number, a))
        return refused(R_FAULT_OR_JAM);
    if (a.status == STARTED) /* the machine begins in device_work, after the answer has been sent */
        begin(d, f->code, number, argument);
    return a;
}

/* Line 5 is the fence. Without memory there is no fence, so the question stays open: busy, not refused, which
 * would look like a stored refusal of that command. */
struct answer outcome_asked(struct device *d, const struct frame *f)
{
    struct answer a;
    uint32_t number;
    if (!number_valid(d, f, &number, &a) || number_known(d, number, &a))
        return a;
    return store(d, number, answer(NEVER)) ? answer(NEVER) : answer(BUSY);
}

struct answer adopt_arrives(struct device *d, const struct frame *f)
{
    uint32_t epoch, highest;
    bool armed = d->session.armed_code == ADOPT && d->now < d->session.armed_until;
    if (d->session.armed_code == ADOPT)
        d->session.armed_code = 0; /* used up, whatever the answer */
    if (!cbor_get_uint(&f->body, 0, UINT32_MAX, &epoch) || !cbor_get_uint(&f->body, 1, UINT32_MAX, &highest) ||
        epoch == 0 || epoch != d->session.host_epoch)
        return refused(R_ARGUMENT);
    if (epoch == d->memory.now.epoch)
        return answer(DONE);
    if (d->session.state != OPEN)
        return refused(R_NOT_OPEN);
    if (d->command.running)
        return refused(R_COMMAND_RUNS);
    if (d->memory.now.epoch != 0 && !armed)
        return refused(R_NOT_ARMED);
    permits_revoke_all(d);
    struct record next = d->memory.now;
    next.epoch = epoch;
    next.highest = highest;
    next.outcome_count = 0;
    if (memory_write(&d->memory, &next))
        return answer(DONE);
    fault_begins(d, FAULT_MEMORY, NO_PLACE);
    return refused(R_FAULT_OR_JAM);
}

/* ---- the end (7.4) ---- */

/* The first thing that ends a command decides; it is stored when the machine stands still. */
void command_ends(struct device *d, uint8_t status, uint8_t reason)
{
    struct command *c = &d->command;
    if (!c->running || c->ended)
        return;
    c->ended = true;
    c->end = (struct answer){ status, status == FAILED ? reason : NO_REASON, false, 0 };
    if (d->motion.kind == COUNTS || d->motion.kind == WORKS) /* no card is on its way in or out: stop at once */
        d->motion.kind = STANDS_STILL;
}

static void set_content(struct device *d)
{
    bool done = d->command.end.status == DONE;
    if (d->command.code == COUNT_ALL) {
        d->content_unverified = !done;
        if (!done)
            permit_ends(d, PERMIT_DEAL, END_FAULT);
    }
    if (done && (d->command.code == COUNT_ALL || d->command.code == EJECT_ALL))
        for (int area = 0; area < AREAS; area++)
            d->content[area] = d->world.cards[area];
}

/* While the end cannot be stored the command counts as running and is tried again: the host must never hear
 * `done` of something that the next boot would call interrupted. */
bool command_store_end(struct device *d)
{
    struct command *c = &d->command;
    if (!c->running || !c->ended || d->motion.kind != STANDS_STILL || d->now < c->store_again)
        return false;
    c->end.has_cards = c->code == COUNT_ALL || c->code == EJECT_ALL;
    c->end.cards = c->done;
    set_content(d);
    if (!store(d, c->number, c->end)) {
        c->store_again = d->now + STORE_AGAIN;
        return false;
    }
    c->running = false;
    return true;
}

void command_tell_end(struct device *d)
{
    struct notice_keys keys = keys2(d->command.number, d->command.end.status);
    if (d->command.end.status == FAILED) {
        keys.given[2] = true;
        keys.value[2] = d->command.end.reason;
    }
    keys.given[3] = d->command.end.has_cards;
    keys.value[3] = d->command.end.cards;
    notice_edge(d, COMMAND_ENDED, keys);
}

void command_progress(struct device *d)
{
    struct command *c = &d->command;
    uint8_t body[TDL_BODY_MAX];
    struct cbor_writer w;
    if (!c->running || d->now < c->progress)
        return;
    c->progress = d->now + PROGRESS_SPACING;
    if (d->session.state != OPEN)
        return;
    cbor_begin(&w, body, sizeof body);
    cbor_put_uint(&w, 0, c->number);
    if (c->code == COUNT_ALL || c->code == EJECT_ALL) {
        cbor_put_uint(&w, 1, c->done);
        cbor_put_uint(&w, 2, c->of);
    }
    device_send(d, PROGRESS, c->code, 0, d->session.number, &w);
}
