/* The continuous shuffler (profile 1): all of its state, and what its parts offer each other.
 *   device.c   frames in and out, handshake, session, seq (4, 5)      goals.c    reads and goals (6)
 *   commands.c moving commands, OUTCOME, ADOPT (7)                    notices.c  the queue of notices (8)
 *   permits.c  permits and their counts (9)                           faults.c   jams, lid, faults, lamp (10)
 *   machine.c  the cards, and the hands that touch them (11.1)
 * Times are microseconds of a clock that never goes back. */
#ifndef DEVICE_H
#define DEVICE_H
#include "cbor.h"
#include "frame.h"
#include "memory.h"

typedef int64_t usec;
enum { MS = 1000, SECOND = 1000 * MS };
static const usec NEVER_DUE = INT64_MAX;

/* ---- answers ---- */

struct answer { uint8_t status, reason; bool has_cards; uint16_t cards; };

/* ---- session (4.1) ---- */

enum session_state { CLOSED, ADOPTED, OPEN };

struct session {
    enum session_state state;
    uint16_t number;
    uint8_t nonce[8];
    uint32_t host_epoch;
    usec heard;                  /* last valid frame of this session */
    uint8_t last_seq, last_code; /* last_code 0: only the HELLO was taken */
    struct answer last_answer;
    uint8_t last_permit;         /* `what` of the last PERMIT, for the fresh key of a copy */
    uint8_t armed_code;          /* 0: nothing is armed */
    usec armed_until;
    bool has_before;
    uint16_t before_number;
    uint8_t before_nonce[8];
};

/* ---- notices (8) ---- */

enum { EDGES_KEPT = 16, PERMIT_ENDED_RESERVE = 2, LEVEL_KINDS = 2 };
enum { NOTICES_KEPT = EDGES_KEPT + PERMIT_ENDED_RESERVE + 1 + LEVEL_KINDS + 1 };
enum notice_room { ROOM_EDGE, ROOM_PERMIT_ENDED, ROOM_NOTICES_LOST, ROOM_LEVEL, NO_ROOM_LEFT };

struct notice_keys { bool given[4]; uint32_t value[4]; }; /* keys 3 to 6 */

struct notice {
    uint32_t number, ms;
    uint8_t kind;
    enum notice_room room;
    bool sent;
    struct notice_keys keys;
};

struct notice_queue {
    struct notice kept[NOTICES_KEPT]; /* oldest first */
    unsigned count;
    uint32_t newest;  /* number of the newest made in this boot */
    bool full;        /* an edge was dropped, and no room has been made since */
    uint32_t lost;    /* edges dropped since the last `notices lost` was queued */
    bool lost_flag;
    usec again;       /* when the oldest is sent (again) */
    usec spacing;
};

/* ---- permits (9.1) ---- */

struct permit {
    bool stands, fresh;
    bool ending;      /* has ended, `permit ended` is not queued yet */
    uint8_t why;
    usec deadline;
    uint32_t limit;   /* 0: none */
    uint32_t counted;
};

/* ---- the command that runs (7.4) ---- */

struct command {
    bool running;     /* from `started` until its end is stored */
    bool ended;       /* its end is known; the machine may still move a card */
    uint8_t code;
    uint32_t number, argument;
    struct answer end;
    uint16_t done, of;
    usec progress;    /* next PROGRESS */
    usec store_again; /* memory could not be written at its end */
};

/* ---- the machine ---- */

enum { FAULTS_TOLD = 11, STANDING_KEPT = 32, CAUSES_KEPT = 16 };
enum area { FEED_AREA, EXIT_AREA, CAROUSEL_AREA, AREAS };
enum { CAPACITY = 450, BUFFER_FULL = 10, BUFFER_LOW_BELOW = 4, BUFFER_NORMAL_FROM = 7, PLACES = 7 };
enum motion_kind { STANDS_STILL, FEEDS, REFILLS, EJECTS, COUNTS, WORKS /* RECOVER, SELF_TEST */ };

struct motion { enum motion_kind kind; int phase; usec due; };

struct standing { uint8_t fault, place; }; /* fault 0: a jam */

/* What is true whatever the processor knows: it outlives a reset. */
struct world {
    unsigned hopper, buffer;      /* buffer: the part of the exit area at rest before the exit sensor */
    unsigned cards[AREAS];
    bool will_stick[PLACES], stuck[PLACES];
    bool lid_open;
    struct standing causes[CAUSES_KEPT];
    unsigned cause_count;
    uint32_t total_in, total_out, commands_moved;
    bool drawing;
    unsigned draw_wanted, draw_came;
    usec draw_due;
};

struct device {
    struct memory memory;
    struct session session;
    struct notice_queue notices;
    struct permit permits[PERMITS];
    struct command command;
    struct motion motion;
    struct world world;

    uint32_t content[AREAS];      /* the device's figure, by area */
    bool content_unverified;
    bool buffer_is_low, fed_last;
    uint32_t cards_in, cards_out, jams, dropped;
    uint32_t cards_since_packet_end;
    struct standing standing[STANDING_KEPT];
    unsigned standing_count;
    uint8_t lamp_colour, lamp_pattern;
    uint8_t boot_cause;

    const char *model;
    char serial[SERIAL_MAX + 1];
    uint8_t digest[32];
    unsigned pace;
    usec now, booted_at;
    void (*send)(const uint8_t *bytes, size_t length);
    struct receiver receiver;
};

/* device.c */
void device_boot(struct device *d, uint8_t cause);
void device_receive(struct device *d, const uint8_t *bytes, size_t length);
void device_work(struct device *d);           /* everything that is due at d->now */
usec device_due(const struct device *d);      /* when there is work again */
void device_send(struct device *d, uint8_t type, uint8_t code, uint8_t seq, uint16_t session, struct cbor_writer *body);
bool host_obeyed(const struct device *d);
uint8_t flags_now(const struct device *d);
struct answer answer(uint8_t status);
struct answer refused(uint8_t reason);

/* goals.c */
struct answer goal_arrives(struct device *d, const struct frame *f);
bool goal_is_read(uint8_t code);
void goal_keys(struct device *d, uint8_t code, struct cbor_writer *w);

/* commands.c */
bool command_offered(uint8_t code);
struct answer command_arrives(struct device *d, const struct frame *f);
struct answer outcome_asked(struct device *d, const struct frame *f);
struct answer adopt_arrives(struct device *d, const struct frame *f);
void command_ends(struct device *d, uint8_t status, uint8_t reason);
bool command_store_end(struct device *d);     /* true: stored just now, `command ended` is due */
void command_tell_end(struct device *d);
void command_progress(struct device *d);

/* notices.c */
struct notice_keys keys0(void);
struct notice_keys keys1(uint32_t a);
struct notice_keys keys2(uint32_t a, uint32_t b);
struct notice_keys keys3(uint32_t a, uint32_t b, uint32_t c);
void notice_edge(struct device *d, uint8_t kind, struct notice_keys keys);
void notice_level(struct device *d, uint8_t kind, uint32_t meter);
void notices_acknowledged(struct device *d, uint32_t number);
void notices_opened(struct device *d);
void notices_send(struct device *d);
uint32_t notices_oldest(const struct device *d);

/* permits.c */
struct answer permit_arrives(struct device *d, const struct frame *f);
void permit_ends(struct device *d, unsigned what, uint8_t why);
void permits_revoke_all(struct device *d);
void permit_count_card(struct device *d, unsigned what);
void permits_expire(struct device *d);
void permits_tell_ended(struct device *d);

/* faults.c */
unsigned fault_stops(uint8_t fault);          /* sum of STOPS_... */
enum { STOPS_DEAL = 1, STOPS_FEED = 2 };
bool something_stops(const struct device *d, unsigned what, bool with_jams);
bool jam_stands(const struct device *d, uint8_t place); /* place 0: any */
void jam_found(struct device *d, uint8_t place);
void jams_look(struct device *d);
void fault_begins(struct device *d, uint8_t fault, uint8_t place);
void fault_ends(struct device *d, uint8_t fault, uint8_t place);
void faults_at_boot(struct device *d);
void faults_look(struct device *d);           /* those that go by themselves */
struct answer clear_fault(struct device *d, uint8_t fault, uint32_t place);
bool cause_stands(const struct device *d, uint8_t fault, uint8_t place);
void lid_moves(struct device *d, bool open);
void lamp_light(struct device *d, uint8_t colour, uint8_t pattern);

/* machine.c */
void machine_work(struct device *d);
void machine_stop(struct device *d);          /* at once, wherever the card is */
void machine_base_position(struct device *d); /* no card in or out */
usec machine_due(const struct device *d);
uint32_t cards_inside(const struct device *d);
uint32_t content_now(const struct device *d);
bool path_clear(const struct device *d);
bool permit_card_moves(const struct device *d, unsigned what);
void draw_begin(struct device *d, unsigned cards);
bool draw_ended(struct device *d);            /* the draw that ran is over */

#endif
