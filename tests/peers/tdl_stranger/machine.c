/* The cards (11.1): hopper -> feed path -> carousel -> exit path -> buffer -> the dealer's hand.
 * One card moves at a time, each motion in two phases. `world` is what is true; `content` is the device's figure. */
#include "device.h"

/* Real milliseconds; --pace divides them. A feed or an exit takes less than the second that 9.3 allows. */
enum { FEED_MS = 400, REFILL_MS = 300, EJECT_MS = 250, DRAW_MS = 300,
       COUNT_FIRST_MS = 1000, COUNT_CARD_MS = 250, RECOVER_MS = 2000, SELF_TEST_MS = 3000 };

static usec motion_time(const struct device *d, int ms) { return (usec)ms * MS / d->pace; }

uint32_t cards_inside(const struct device *d)
{
    return d->world.cards[FEED_AREA] + d->world.cards[EXIT_AREA] + d->world.cards[CAROUSEL_AREA];
}

uint32_t content_now(const struct device *d)
{
    return d->content[FEED_AREA] + d->content[EXIT_AREA] + d->content[CAROUSEL_AREA];
}

/* Cards at rest in the compartments or in the buffer do not matter (6.2). */
bool path_clear(const struct device *d)
{
    const struct world *w = &d->world;
    enum motion_kind m = d->motion.kind;
    return w->hopper == 0 && w->cards[FEED_AREA] == 0 && w->cards[EXIT_AREA] == w->buffer &&
           m != FEEDS && m != REFILLS && m != EJECTS;
}

bool permit_card_moves(const struct device *d, unsigned what)
{
    enum motion_kind m = d->motion.kind;
    return (what == PERMIT_FEED && m == FEEDS) || (what == PERMIT_DEAL && (m == REFILLS || m == EJECTS));
}

/* ---- single steps of a card ---- */

static void leaves(struct device *d, enum area area)
{
    d->world.cards[area]--;
    if (d->content[area] > 0)
        d->content[area]--;
}

static void arrives(struct device *d, enum area area)
{
    d->world.cards[area]++;
    d->content[area]++;
}

static void buffer_watch(struct device *d)
{
    unsigned cards = d->world.buffer;
    if (!d->buffer_is_low && cards < BUFFER_LOW_BELOW) {
        d->buffer_is_low = true;
        notice_edge(d, BUFFER_LOW, keys1(cards));
    } else if (d->buffer_is_low && cards >= BUFFER_NORMAL_FROM) {
        d->buffer_is_low = false;
        notice_edge(d, BUFFER_NORMAL, keys1(cards));
    }
}

static void card_in(struct device *d)
{
    arrives(d, FEED_AREA);
    d->cards_in++;
    d->world.total_in++;
    notice_level(d, CARDS_IN, d->cards_in);
    permit_count_card(d, PERMIT_FEED);
}

static void card_out(struct device *d)
{
    leaves(d, EXIT_AREA);
    d->cards_out++;
    d->world.total_out++;
    notice_level(d, CARDS_OUT, d->cards_out);
    if (d->command.running && d->command.code == EJECT_ALL) {
        d->command.done++;
        if (cards_inside(d) == 0) /* the goal is reached, even where the limit is reached with the same card */
            command_ends(d, DONE, NO_REASON);
    }
    permit_count_card(d, PERMIT_DEAL);
}

/* True: the card that has just moved here sticks. */
static bool sticks(struct device *d, uint8_t place)
{
    if (!d->world.will_stick[place])
        return false;
    d->world.will_stick[place] = false;
    d->world.stuck[place] = true;
    jam_found(d, place);
    return true;
}

/* ---- stopping and resting ---- */

void machine_stop(struct device *d)
{
    if (d->motion.kind == FEEDS && d->motion.phase == 0) /* not at the entry sensor yet: it lies in the hopper */
        d->world.hopper++;
    d->motion.kind = STANDS_STILL;
}

void machine_base_position(struct device *d)
{
    struct world *w = &d->world;
    while (w->cards[FEED_AREA] > 0 && !w->stuck[FEED_PLACE]) {
        leaves(d, FEED_AREA);
        arrives(d, CAROUSEL_AREA);
    }
    w->buffer = w->cards[EXIT_AREA] - (w->stuck[EXIT_PLACE] ? 1 : 0);
    buffer_watch(d);
}

/* ---- beginning a motion ---- */

static bool move(struct device *d, enum motion_kind kind, int phase, int ms)
{
    d->motion = (struct motion){ kind, phase, d->now + motion_time(d, ms) };
    return true;
}

static bool begin_eject(struct device *d)
{
    if (cards_inside(d) == 0) {
        command_ends(d, DONE, NO_REASON);
        return false;
    }
    if (!d->permits[PERMIT_DEAL].stands)
        return false;
    if (d->world.buffer == 0)
        return d->world.cards[CAROUSEL_AREA] > 0 && move(d, EJECTS, 0, EJECT_MS);
    d->world.buffer--;
    buffer_watch(d);
    return move(d, EJECTS, 1, EJECT_MS);
}

static bool begin_command(struct device *d)
{
    if (d->command.ended)
        return false;
    switch (d->command.code) {
    case COUNT_ALL: return move(d, COUNTS, 0, COUNT_FIRST_MS);
    case EJECT_ALL: return begin_eject(d);
    case RECOVER: return move(d, WORKS, 0, RECOVER_MS);
    default: return move(d, WORKS, 0, SELF_TEST_MS);
    }
}

static bool begin_feed(struct device *d)
{
    if (!d->permits[PERMIT_FEED].stands || d->world.hopper == 0)
        return false;
    if (cards_inside(d) >= CAPACITY) {
        fault_begins(d, OVER_CAPACITY, CAROUSEL_PLACE);
        return false;
    }
    d->world.hopper--;
    return move(d, FEEDS, 0, FEED_MS);
}

static bool begin_refill(struct device *d)
{
    const struct world *w = &d->world;
    return d->permits[PERMIT_DEAL].stands && w->buffer < BUFFER_FULL && w->cards[CAROUSEL_AREA] > 0 &&
           move(d, REFILLS, 0, REFILL_MS);
}

static bool begin_motion(struct device *d)
{
    if (d->command.running)
        return begin_command(d);
    d->fed_last = !d->fed_last; /* both permits may stand: they take turns */
    return d->fed_last ? begin_feed(d) || begin_refill(d) : begin_refill(d) || begin_feed(d);
}

/* ---- the end of a phase ---- */

static void feed_phase(struct device *d)
{
    if (d->motion.phase == 0) {
        d->motion.phase = 1; /* past the entry sensor: from here on it does not go back to the hopper */
        d->motion.due += motion_time(d, FEED_MS);
        card_in(d);
        sticks(d, FEED_PLACE);
        return;
    }
    leaves(d, FEED_AREA);
    arrives(d, CAROUSEL_AREA);
    if (!sticks(d, CAROUSEL_PLACE))
        d->motion.kind = STANDS_STILL;
}

/* Carousel to exit path, for a refill and for EJECT_ALL. */
static void exit_phase(struct device *d, int next_ms)
{
    if (sticks(d, CAROUSEL_PLACE))
        return;
    leaves(d, CAROUSEL_AREA);
    arrives(d, EXIT_AREA);
    d->motion.phase = 1;
    d->motion.due += motion_time(d, next_ms);
}

static void refill_phase(struct device *d)
{
    if (d->motion.phase == 0) {
        exit_phase(d, REFILL_MS);
    } else if (!sticks(d, EXIT_PLACE)) {
        d->world.buffer++;
        d->motion.kind = STANDS_STILL;
        buffer_watch(d);
    }
}

static void eject_phase(struct device *d)
{
    if (d->motion.phase == 0) {
        exit_phase(d, EJECT_MS);
    } else if (!sticks(d, EXIT_PLACE)) {
        d->motion.kind = STANDS_STILL;
        card_out(d);
    }
}

static void count_phase(struct device *d)
{
    if (d->world.cards[CAROUSEL_AREA] > 0 && sticks(d, CAROUSEL_PLACE))
        return;
    if (d->command.done < cards_inside(d)) {
        d->command.done++;
        d->motion.due += motion_time(d, COUNT_CARD_MS);
    } else {
        command_ends(d, DONE, NO_REASON);
    }
}

/* RECOVER shakes free what sticks in the carousel; a card in the feed or exit path needs a hand. */
static void recover_end(struct device *d)
{
    uint8_t target = (uint8_t)d->command.argument;
    if (target == NO_PLACE || target == CAROUSEL_PLACE)
        d->world.stuck[CAROUSEL_PLACE] = false;
    jams_look(d);
    if (jam_stands(d, target))
        command_ends(d, FAILED, R_FAULT_OR_JAM);
    else
        command_ends(d, DONE, NO_REASON);
}

static void work_phase(struct device *d)
{
    if (d->command.code == RECOVER)
        recover_end(d);
    else if (d->world.cards[CAROUSEL_AREA] == 0 || !sticks(d, CAROUSEL_PLACE))
        command_ends(d, DONE, NO_REASON);
}

static void end_phase(struct device *d)
{
    switch (d->motion.kind) {
    case FEEDS: feed_phase(d); break;
    case REFILLS: refill_phase(d); break;
    case EJECTS: eject_phase(d); break;
    case COUNTS: count_phase(d); break;
    case WORKS: work_phase(d); break;
    case STANDS_STILL: break;
    }
}

/* ---- the dealer's hand ---- */

void draw_begin(struct device *d, unsigned cards)
{
    d->world.drawing = true;
    d->world.draw_wanted = cards;
    d->world.draw_came = 0;
    d->world.draw_due = d->now;
}

static bool more_can_come(const struct device *d)
{
    const struct world *w = &d->world;
    bool shutter_open = d->permits[PERMIT_DEAL].stands && !d->command.running && !w->lid_open;
    return shutter_open && w->draw_came < w->draw_wanted &&
           (w->buffer > 0 || w->cards[CAROUSEL_AREA] > 0 || d->motion.kind == REFILLS);
}

static void draw_work(struct device *d)
{
    struct world *w = &d->world;
    while (w->drawing && more_can_come(d) && w->buffer > 0 && d->now >= w->draw_due) {
        w->draw_due += motion_time(d, DRAW_MS);
        w->draw_came++;
        w->buffer--;
        card_out(d);
        buffer_watch(d);
    }
}

bool draw_ended(struct device *d)
{
    if (!d->world.drawing || more_can_come(d))
        return false;
    d->world.drawing = false;
    return true;
}

/* ---- */

void machine_work(struct device *d)
{
    while ((d->motion.kind != STANDS_STILL || begin_motion(d)) && d->motion.due <= d->now)
        end_phase(d);
    draw_work(d);
}

usec machine_due(const struct device *d)
{
    usec due = d->motion.kind == STANDS_STILL ? NEVER_DUE : d->motion.due;
    const struct world *w = &d->world;
    if (w->drawing && w->buffer > 0 && w->draw_due < due)
        due = w->draw_due;
    return due;
}
