/* What the device does by itself (10): jams, lid, faults, and the lamp. */
#include "device.h"
#include <string.h>

/* ---- the list of what stands, oldest first ---- */

static int find(const struct standing *list, unsigned count, uint8_t fault, uint8_t place)
{
    for (unsigned i = 0; i < count; i++)
        if (list[i].fault == fault && list[i].place == place)
            return (int)i;
    return -1;
}

static bool stands(const struct device *d, uint8_t fault, uint8_t place)
{
    return find(d->standing, d->standing_count, fault, place) >= 0;
}

bool cause_stands(const struct device *d, uint8_t fault, uint8_t place)
{
    if (fault == FAULT_MEMORY && d->memory.broken)
        return true;
    if (fault == OVER_CAPACITY && cards_inside(d) >= CAPACITY)
        return true;
    return find(d->world.causes, d->world.cause_count, fault, place) >= 0;
}

static bool add_standing(struct device *d, uint8_t fault, uint8_t place)
{
    if (stands(d, fault, place) || d->standing_count == STANDING_KEPT)
        return false;
    d->standing[d->standing_count++] = (struct standing){ fault, place };
    return true;
}

static void remove_standing(struct device *d, uint8_t fault, uint8_t place)
{
    int at = find(d->standing, d->standing_count, fault, place);
    if (at < 0)
        return;
    d->standing_count--;
    memmove(d->standing + at, d->standing + at + 1, (d->standing_count - (unsigned)at) * sizeof *d->standing);
}

/* ---- the table of 10.4 ---- */

unsigned fault_stops(uint8_t fault)
{
    switch (fault) {
    case FEED_DRIVE: case OVER_CAPACITY: return STOPS_FEED;
    case EXIT_DRIVE: return STOPS_DEAL;
    case SENSOR_MARGIN: case FAULT_LAMP: return 0;
    default: return fault >= HOMING && fault <= DOUBLE_FEED ? STOPS_DEAL | STOPS_FEED : 0;
    }
}

static bool goes_by_itself(uint8_t fault)
{
    return fault == SENSOR_MARGIN || fault == SUPPLY || fault == TEMPERATURE || fault == FAULT_LAMP ||
           fault == OVER_CAPACITY;
}

bool something_stops(const struct device *d, unsigned what, bool with_jams)
{
    for (unsigned i = 0; i < d->standing_count; i++) {
        uint8_t fault = d->standing[i].fault;
        if (fault == FAULT_JAM ? with_jams : (fault_stops(fault) & what) != 0)
            return true;
    }
    return false;
}

static unsigned command_needs(uint8_t code)
{
    return code == COUNT_ALL ? STOPS_DEAL | STOPS_FEED : code == EJECT_ALL ? STOPS_DEAL : 0;
}

void fault_begins(struct device *d, uint8_t fault, uint8_t place)
{
    unsigned stopped = fault_stops(fault);
    if (!add_standing(d, fault, place))
        return;
    notice_edge(d, FAULT, keys2(fault, place));
    if (stopped & STOPS_DEAL)
        permit_ends(d, PERMIT_DEAL, END_FAULT);
    if (stopped & STOPS_FEED)
        permit_ends(d, PERMIT_FEED, END_FAULT);
    if (d->command.running && (command_needs(d->command.code) & stopped))
        command_ends(d, FAILED, R_FAULT_OR_JAM);
}

void fault_ends(struct device *d, uint8_t fault, uint8_t place)
{
    if (!stands(d, fault, place))
        return;
    remove_standing(d, fault, place);
    notice_edge(d, FAULT_GONE, keys2(fault, place));
}

void faults_look(struct device *d)
{
    for (unsigned i = 0; i < d->world.cause_count; i++)
        fault_begins(d, d->world.causes[i].fault, d->world.causes[i].place);
    for (unsigned i = 0; i < d->standing_count; i++) {
        struct standing s = d->standing[i];
        if (goes_by_itself(s.fault) && !cause_stands(d, s.fault, s.place)) {
            fault_ends(d, s.fault, s.place);
            i--;
        }
    }
}

/* ---- jams ---- */

bool jam_stands(const struct device *d, uint8_t place)
{
    for (unsigned i = 0; i < d->standing_count; i++)
        if (d->standing[i].fault == FAULT_JAM && (place == NO_PLACE || d->standing[i].place == place))
            return true;
    return false;
}

/* The order is that of 10.1. */
void jam_found(struct device *d, uint8_t place)
{
    machine_stop(d);
    permit_ends(d, PERMIT_DEAL, END_FAULT);
    permit_ends(d, PERMIT_FEED, END_FAULT);
    add_standing(d, FAULT_JAM, place);
    d->jams++;
    notice_edge(d, JAM, keys1(place));
    lamp_light(d, LAMP_RED, LAMP_BLINKING);
    if (d->command.running)
        command_ends(d, FAILED, R_FAULT_OR_JAM);
}

static void jam_look(struct device *d, uint8_t place)
{
    if (!jam_stands(d, place) || d->world.stuck[place])
        return;
    remove_standing(d, FAULT_JAM, place);
    notice_edge(d, JAM_GONE, keys1(place));
    machine_base_position(d);
}

void jams_look(struct device *d)
{
    if (d->world.lid_open)
        return;
    for (uint8_t place = FEED_PLACE; place <= CAROUSEL_PLACE; place++)
        jam_look(d, place);
}

/* ---- boot, lid, lamp, CLEAR_FAULT ---- */

void faults_at_boot(struct device *d)
{
    if (d->world.lid_open)
        notice_edge(d, LID_OPENED, keys0());
    for (uint8_t place = FEED_PLACE; place <= CAROUSEL_PLACE; place++)
        if (d->world.stuck[place])
            jam_found(d, place);
    faults_look(d);
    if (d->memory.broken)
        fault_begins(d, FAULT_MEMORY, NO_PLACE);
}

void lid_moves(struct device *d, bool open)
{
    d->world.lid_open = open;
    if (!open) {
        notice_edge(d, LID_CLOSED, keys0());
        jams_look(d);
        machine_base_position(d);
        return;
    }
    machine_stop(d);
    permit_ends(d, PERMIT_DEAL, END_LID);
    permit_ends(d, PERMIT_FEED, END_LID);
    notice_edge(d, LID_OPENED, keys0());
    if (d->command.running)
        command_ends(d, FAILED, R_LID_OPEN);
}

void lamp_light(struct device *d, uint8_t colour, uint8_t pattern)
{
    if (d->lamp_colour == colour && d->lamp_pattern == pattern)
        return;
    d->lamp_colour = colour;
    d->lamp_pattern = pattern;
    notice_edge(d, LAMP_LIT, keys2(colour, pattern));
}

/* Memory is found well again only when a write has succeeded. */
static bool cause_gone(struct device *d, uint8_t fault, uint8_t place)
{
    if (fault == FAULT_MEMORY) {
        struct record same = d->memory.now;
        return memory_write(&d->memory, &same);
    }
    return !cause_stands(d, fault, place);
}

struct answer clear_fault(struct device *d, uint8_t fault, uint32_t place)
{
    if (place >= PLACES || !stands(d, fault, (uint8_t)place))
        return answer(OK);
    if (fault == FAULT_JAM) {
        if (!d->world.lid_open)
            jam_look(d, (uint8_t)place);
        return jam_stands(d, (uint8_t)place) ? refused(R_FAULT_OR_JAM) : answer(OK);
    }
    if (!cause_gone(d, fault, (uint8_t)place))
        return refused(R_FAULT_OR_JAM);
    fault_ends(d, fault, (uint8_t)place);
    return answer(OK);
}
