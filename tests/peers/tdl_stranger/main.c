/* The host side of the stranger: pseudo-terminal, standard input (the physical world), clock. */
#include "device.h"
#include "sha256.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_SLEEP_MS = 20, OUT_MAX = 4096, LINES_MAX = 8192 };

static struct device device;
static int master;
static uint8_t out[OUT_MAX];
static size_t out_used;
static char lines[LINES_MAX];
static size_t lines_used;
static bool quit;

static usec clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (usec)t.tv_sec * SECOND + t.tv_nsec / 1000;
}

/* ---- the wire ---- */

static void wire_flush(void)
{
    ssize_t n = out_used ? write(master, out, out_used) : 0;
    if (n <= 0)
        return;
    out_used -= (size_t)n;
    memmove(out, out + n, out_used);
}

/* There is no flow control: when nobody reads, whole frames are lost, as on a wire. */
static void wire_send(const uint8_t *bytes, size_t length)
{
    wire_flush();
    if (length > OUT_MAX - out_used)
        return;
    memcpy(out + out_used, bytes, length);
    out_used += length;
    wire_flush();
}

static void wire_receive(void)
{
    uint8_t bytes[512];
    ssize_t n = read(master, bytes, sizeof bytes);
    if (n > 0)
        device_receive(&device, bytes, (size_t)n);
}

static int open_terminal(void)
{
    struct termios t;
    master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
        return -1;
    /* our own hold on the other end: a host that closes it leaves no error here (serial cannot see the end, 2.1) */
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    if (slave < 0 || tcgetattr(slave, &t) < 0)
        return -1;
    t.c_iflag = 0;
    t.c_oflag = 0;
    t.c_lflag = 0;
    t.c_cflag = CS8 | CREAD | CLOCAL;
    t.c_cc[VMIN] = 1;
    t.c_cc[VTIME] = 0;
    cfsetispeed(&t, B38400); /* a pseudo-terminal has no speed; 115,200 is not in POSIX */
    cfsetospeed(&t, B38400);
    if (tcsetattr(slave, TCSANOW, &t) < 0)
        return -1;
    return fcntl(master, F_SETFL, O_NONBLOCK);
}

/* ---- the physical world, line by line ---- */

static const char *const place_names[] = { "none", "feed", "exit", "carousel" };
static const enum area place_area[] = { AREAS, FEED_AREA, EXIT_AREA, CAROUSEL_AREA };

static uint8_t place_named(const char *name)
{
    for (uint8_t p = FEED_PLACE; p <= CAROUSEL_PLACE; p++)
        if (strcmp(name, place_names[p]) == 0)
            return p;
    return NO_PLACE;
}

static void say(const char *text) { printf("%s\n", text); }

static void do_jam(const char *name)
{
    uint8_t place = place_named(name);
    if (place == NO_PLACE) {
        say("error no such place");
        return;
    }
    device.world.will_stick[place] = true;
    say("ok");
}

static void do_clear(const char *name)
{
    uint8_t place = place_named(name);
    if (place == NO_PLACE || !device.world.stuck[place]) {
        say("error nothing sticks there");
        return;
    }
    device.world.stuck[place] = false;
    device.world.cards[place_area[place]]--; /* the device's own figure cannot know of it */
    say("ok");
}

static void do_lid(const char *how)
{
    bool open = strcmp(how, "open") == 0;
    if ((!open && strcmp(how, "close") != 0) || open == device.world.lid_open) {
        say("error lid");
        return;
    }
    bool forced = open && !device.permits[PERMIT_LID].stands;
    lid_moves(&device, open);
    say(forced ? "ok forced" : "ok"); /* a lid that is opened without a permit is told just the same (10.2) */
}

static unsigned take_from(unsigned *heap, unsigned wanted)
{
    unsigned taken = wanted < *heap ? wanted : *heap;
    *heap -= taken;
    return taken;
}

/* What sticks can only be taken by `clear`. */
static void do_take(unsigned wanted)
{
    struct world *w = &device.world;
    unsigned taken = 0, from_buffer;
    if (!w->lid_open) {
        say("error lid closed");
        return;
    }
    if (!w->stuck[FEED_PLACE])
        taken += take_from(&w->cards[FEED_AREA], wanted);
    from_buffer = take_from(&w->buffer, wanted - taken);
    w->cards[EXIT_AREA] -= from_buffer;
    taken += from_buffer;
    unsigned held = w->stuck[CAROUSEL_PLACE] ? 1 : 0, loose = w->cards[CAROUSEL_AREA] - held;
    taken += take_from(&loose, wanted - taken);
    w->cards[CAROUSEL_AREA] = loose + held;
    printf("ok %u\n", taken);
}

/* Not asked for, but there is no other way to test 10.4: a cause of a fault comes and goes. */
static void do_fault(unsigned fault, unsigned place, bool comes)
{
    struct world *w = &device.world;
    unsigned kept = 0;
    for (unsigned i = 0; i < w->cause_count; i++)
        if (w->causes[i].fault != fault || w->causes[i].place != place)
            w->causes[kept++] = w->causes[i];
    w->cause_count = kept;
    if (comes && kept < CAUSES_KEPT)
        w->causes[w->cause_count++] = (struct standing){ (uint8_t)fault, (uint8_t)place };
    say("ok");
}

/* Adds a name to a list with commas. */
static void list_add(char *list, const char *name)
{
    strcat(list, list[0] ? "," : "");
    strcat(list, name);
}

/* hopper to inside: what is true; content and meters: what the device believes and tells. */
static void do_look(void)
{
    static const char *const colours[] = { "off", "red", "amber", "blue" };
    static const char *const permit_names[PERMITS] = { "", "deal", "feed", "lid" };
    const struct world *w = &device.world;
    char jams[40] = "", stuck[40] = "", permits[40] = "";
    for (uint8_t place = FEED_PLACE; place <= CAROUSEL_PLACE; place++) {
        if (jam_stands(&device, place))
            list_add(jams, place_names[place]);
        if (w->stuck[place])
            list_add(stuck, place_names[place]);
    }
    for (unsigned what = PERMIT_DEAL; what < PERMITS; what++)
        if (device.permits[what].stands)
            list_add(permits, permit_names[what]);
    printf("ok hopper=%u feed=%u exit=%u carousel=%u buffer=%u inside=%u content=%u unverified=%d permits=%s jams=%s "
           "stuck=%s lid=%s lamp=%s pattern=%s command=%u commands_moved=%u moved_in=%u moved_out=%u meter_in=%u "
           "meter_out=%u dropped=%u boot=%u\n",
           w->hopper, w->cards[FEED_AREA], w->cards[EXIT_AREA], w->cards[CAROUSEL_AREA], w->buffer,
           (unsigned)cards_inside(&device), (unsigned)content_now(&device), device.content_unverified,
           permits[0] ? permits : "none", jams[0] ? jams : "none", stuck[0] ? stuck : "none",
           w->lid_open ? "open" : "closed", colours[device.lamp_colour],
           device.lamp_pattern == LAMP_BLINKING ? "blinking" : "steady",
           (unsigned)(device.command.running ? device.command.number : 0), (unsigned)w->commands_moved,
           (unsigned)w->total_in, (unsigned)w->total_out, (unsigned)device.cards_in, (unsigned)device.cards_out,
           (unsigned)device.dropped, (unsigned)device.memory.now.boot);
}

static void do_reset(void)
{
    out_used = 0;
    device_boot(&device, CAUSE_RESET);
    say("ok");
}

static void do_hopper(unsigned cards)
{
    device.world.hopper += cards;
    say("ok");
}

/* `draw` is answered when the last card has come; lines behind it wait. */
static void do_line(const char *line)
{
    char verb[16] = "", word[16] = "";
    unsigned a = 0, b = 0;
    sscanf(line, "%15s %15s", verb, word);
    int numbers = sscanf(line, "%*s %u %u", &a, &b);
    if (strcmp(verb, "hopper") == 0 && numbers >= 1 && a <= 10000) do_hopper(a);
    else if (strcmp(verb, "draw") == 0) draw_begin(&device, numbers >= 1 ? a : 1);
    else if (strcmp(verb, "jam") == 0) do_jam(word);
    else if (strcmp(verb, "clear") == 0) do_clear(word);
    else if (strcmp(verb, "lid") == 0) do_lid(word);
    else if (strcmp(verb, "take") == 0 && numbers >= 1) do_take(a);
    else if (strcmp(verb, "fault") == 0 && numbers >= 2 && a >= 1 && a <= 255 && b < PLACES) do_fault(a, b, true);
    else if (strcmp(verb, "mend") == 0 && numbers >= 2) do_fault(a, b, false);
    else if (strcmp(verb, "memory") == 0) { device.memory.broken = strcmp(word, "broken") == 0; say("ok"); }
    else if (strcmp(verb, "reset") == 0) do_reset();
    else if (strcmp(verb, "look") == 0) do_look();
    else if (strcmp(verb, "quit") == 0) { say("ok"); quit = true; }
    else say("error what");
}

static void do_lines(void)
{
    char *end;
    while (!quit && !device.world.drawing && (end = memchr(lines, '\n', lines_used)) != NULL) {
        size_t length = (size_t)(end - lines) + 1;
        char line[128];
        snprintf(line, sizeof line, "%.*s", (int)(length - 1), lines);
        lines_used -= length;
        memmove(lines, lines + length, lines_used);
        do_line(line);
        device_work(&device);
    }
}

/* The end of standard input is the end of the machine, so that no orphan stays behind. */
static void lines_receive(void)
{
    ssize_t n = read(STDIN_FILENO, lines + lines_used, sizeof lines - lines_used);
    if (n > 0)
        lines_used += (size_t)n;
    else if (n == 0 || errno != EINTR)
        quit = true;
}

/* ---- */

static int sleep_ms(void)
{
    usec wait = device_due(&device) - clock_now();
    if (wait <= 0)
        return 0;
    return wait > LONGEST_SLEEP_MS * MS ? LONGEST_SLEEP_MS : (int)((wait + MS - 1) / MS);
}

static void turn(void)
{
    struct pollfd fds[2] = { { master, POLLIN, 0 }, { STDIN_FILENO, POLLIN, 0 } };
    fds[0].events |= out_used ? POLLOUT : 0;
    fds[1].fd = device.world.drawing || lines_used == sizeof lines ? -1 : STDIN_FILENO;
    if (poll(fds, 2, sleep_ms()) < 0 && errno != EINTR)
        quit = true;
    device.now = clock_now();
    permits_expire(&device); /* before what has just come: a permit that ran out must not be seen standing */
    if (fds[0].revents & POLLIN)
        wire_receive();
    wire_flush();
    if (fds[1].revents & (POLLIN | POLLHUP))
        lines_receive();
    do_lines();
    device_work(&device);
    if (draw_ended(&device))
        printf("ok %u\n", device.world.draw_came);
}

static bool name_valid(const char *s)
{
    size_t n = strlen(s);
    for (const char *c = s; *c; c++)
        if (*c < 0x20 || *c > 0x7E)
            return false;
    return n >= 1 && n <= SERIAL_MAX;
}

static const char *option(int argc, char **argv, const char *name, const char *otherwise)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return argv[i + 1];
    return otherwise;
}

static bool configure(int argc, char **argv)
{
    const char *path = option(argc, argv, "--memory", NULL);
    const char *serial = option(argc, argv, "--serial", NULL);
    long pace = strtol(option(argc, argv, "--pace", "1"), NULL, 10);
    device.model = option(argc, argv, "--model", "CSM-C99");
    if (path == NULL || pace < 1 || pace > 1000)
        return false;
    memory_read(&device.memory, path);
    snprintf(device.serial, sizeof device.serial, "%s", serial ? serial : device.memory.now.serial);
    device.pace = (unsigned)pace;
    device.send = wire_send;
    sha256_of_file("/proc/self/exe", device.digest);
    return name_valid(device.model) && name_valid(device.serial) && (!serial || name_valid(serial));
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGPIPE, SIG_IGN);
    if (!configure(argc, argv)) {
        fprintf(stderr, "tdl_stranger --serial S --model M --memory FILE [--pace N]\n");
        return 2;
    }
    if (open_terminal() < 0) {
        perror("pseudo-terminal");
        return 1;
    }
    device.now = clock_now();
    device_boot(&device, CAUSE_POWER);
    printf("node %s\n", ptsname(master));
    while (!quit)
        turn();
    return 0;
}
