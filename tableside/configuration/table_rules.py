"""What the keys of a table's file must keep together. Each rule yields its findings and knows no other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from tableside.cards import CARDS_PER_DECK
from tableside.configuration.draft import Draft
from tableside.configuration.mistake import MISSING, Finding, listed
from tableside.house import TableKind
from tableside.jurisdiction import known_jurisdictions

DEFAULT_PRESENCE_S = 60
DEFAULT_PACKET_CARDS = 104
SEATS = (6, 7)  # BJ-1
CARDS = "cards"  # the set in play, as [[maintenance]] names it
_AT_BLACKJACK = (TableKind.SHUFFLER, TableKind.HAND_SHOE)
# By kind of table: how many decks there may be, and what is said of it.
_DECKS: dict[str, tuple[tuple[int, ...], str]] = {
    TableKind.SHUFFLER: ((4, 6), "4 or 6 decks (SHOE-1)"),
    TableKind.BATCH: ((2,), "2 decks of two back colours, in turn"),
    TableKind.HAND_SHOE: ((4, 6), "4 or 6 decks (SHOE-1)"),
    TableKind.SHOE: ((4, 6, 8), "4 or 6 decks (SHOE-1), or 8 as baccarat is played elsewhere"),
}


def table_findings(file: Draft) -> Iterator[Finding]:
    """Everything across keys that is wrong with a table's file, devices and staff apart."""
    for rule in _RULES:
        yield from rule(file)


def repeated(drafts: list[Draft], key: str) -> Iterator[tuple[Draft, str]]:
    """Each part whose `key` an earlier part has already."""
    seen: set[str] = set()
    for draft in drafts:
        value = draft.text(key)
        if value in seen:
            yield draft, value
        if value is not None:
            seen.add(value)


def cards_in_play(file: Draft) -> int:
    """Cards of all decks, as far as the file says them."""
    return CARDS_PER_DECK * sum(group.number("count") or 0 for group in file.parts("decks"))


def _jurisdiction(file: Draft) -> Iterator[Finding]:
    name, known = file.part("table").text("jurisdiction"), known_jurisdictions()
    if name is not None and name not in known:
        yield Finding(("table", "jurisdiction"), f'is "{name}"', listed(known))


def _languages(file: Draft) -> Iterator[Finding]:
    counts = Counter(language for _, language in file.part("table").texts("languages"))
    for language in (language for language, count in counts.items() if count > 1):
        yield Finding(("table", "languages"), f'names "{language}" twice', "each once")


def _decks(file: Draft) -> Iterator[Finding]:
    groups = file.parts("decks")
    for group, back in repeated(groups, "back"):
        yield Finding(
            group.at("back"),
            f'"{back}" has a group already; equal backs cannot be told apart by deck',
            "one group for each back colour",
        )
    decks, kind = cards_in_play(file) // CARDS_PER_DECK, file.part("table").text("kind") or TableKind.SHUFFLER
    allowed, said = _DECKS.get(kind, ((), ""))
    is_known = bool(groups) and all(group.number("count") is not None for group in groups)
    if is_known and allowed and decks not in allowed:
        yield Finding(("decks",), f"{decks} decks in all", said)


def _two_decks(file: Draft) -> Iterator[Finding]:
    """One deck of each back colour: the account knows a deck by its colour."""
    if file.part("table").text("kind") != TableKind.BATCH:
        return
    for group in file.parts("decks"):
        if group.number("count") not in (1, None):
            yield Finding(group.at("count"), f"is {group.number('count')}", "1 at a batch table")


def _special_cards(file: Draft) -> Iterator[Finding]:
    """SHOE-1: unlike the decks and unlike each other; a shoe by hand needs them, other kinds of table have none."""
    kind, cards = file.part("table").text("kind") or TableKind.SHUFFLER, file.part("special_cards")
    if kind == TableKind.HAND_SHOE and not file.has("special_cards"):
        yield Finding(("special_cards",), MISSING, "the colours of the cut card and of the warning card (SHOE-1)")
    if kind not in _AT_BLACKJACK and file.has("special_cards"):
        yield Finding(("special_cards",), f"means nothing at a table of kind {kind}", "no [special_cards]")
    backs = {group.text("back") for group in file.parts("decks")} - {None}
    for key in ("cut", "warning"):
        colour = cards.text(key)
        if colour in backs:
            yield Finding(cards.at(key), f'is "{colour}", as a deck is', "a colour that no deck has (SHOE-1)")
    if cards.text("cut") is not None and cards.text("cut") == cards.text("warning"):
        yield Finding(cards.at("warning"), f'is "{cards.text("cut")}" like the cut card', "another colour (SHOE-1)")


def _seats(file: Draft) -> Iterator[Finding]:
    """BJ-1; the shape allows what baccarat has."""
    seats, kind = file.part("table").number("seats"), file.part("table").text("kind") or TableKind.SHUFFLER
    if seats is not None and kind in _AT_BLACKJACK and seats not in SEATS:
        yield Finding(("table", "seats"), f"is {seats}", "a whole number from 6 to 7 (BJ-1)")


def _presence(file: Draft) -> Iterator[Finding]:
    settings = file.part("settings")
    seconds = settings.number("presence_s", DEFAULT_PRESENCE_S)
    approved = {key for key in ("presence_approved_by", "presence_approved_on") if settings.has(key)}
    if len(approved) == 1 or (not approved and seconds not in (None, DEFAULT_PRESENCE_S)):
        missing = "presence_approved_by" if "presence_approved_by" not in approved else "presence_approved_on"
        yield Finding(
            settings.at(missing),
            "is missing: the inspection service approves the time that one tap proves presence",
            "who approved presence_s, and presence_approved_on with the date",
        )


def _packets(file: Draft) -> Iterator[Finding]:
    settings, cards = file.part("settings"), cards_in_play(file)
    limit = settings.number("packet_limit_cards", DEFAULT_PACKET_CARDS)
    kind = file.part("table").text("kind") or TableKind.SHUFFLER  # elsewhere a deck goes in as it is, or none does
    if limit is not None and 0 < cards <= limit and kind == TableKind.SHUFFLER:
        yield Finding(
            settings.at("packet_limit_cards"),
            f"is {limit}, which lets all {cards} cards go in as one packet",
            f"below {cards} (CSM-5: at least two packets)",
        )


def _maintenance(file: Draft) -> Iterator[Finding]:
    """What is never due is a mistake of whoever wrote it; the set of cards belongs to no model."""
    for one in file.parts("maintenance"):
        if not one.has("after_cards") and not one.has("after_hours"):
            yield Finding(one.at("after_cards"), "is missing, and after_hours too", "one of them, or both")
        if one.text("what") == CARDS and one.has("model"):
            yield Finding(one.at("model"), "is given for the cards", "no model: cards are of the table")


def _alert_order(file: Draft) -> Iterator[Finding]:
    alerts = file.part("alerts")
    for sooner, sooner_default, later, later_default in _ESCALATIONS:
        first, then = alerts.number(sooner, sooner_default), alerts.number(later, later_default)
        if first is not None and then is not None and first >= then:
            path = alerts.at(later if alerts.has(later) else sooner)
            yield Finding(path, f"{sooner} is {first} and {later} is {then}", f"{sooner} below {later}")


def _round_end(file: Draft) -> Iterator[Finding]:
    """Sensors find rounds where cards leave a continuous shuffler; a shoe tells its games, and a batch its packets."""
    settings, kind = file.part("settings"), file.part("table").text("kind") or TableKind.SHUFFLER
    if settings.text("round_end") == "sensed" and kind != TableKind.SHUFFLER:
        yield Finding(settings.at("round_end"), f'is "sensed" at a table of kind "{kind}"', '"told"')


# (earlier key, its default, later key, its default): who is called later must not be called first.
_ESCALATIONS = (
    ("class_1_neighbour_s", 30, "class_1_management_s", 120),
    ("presence_lapsed_class_2_s", 60, "presence_lapsed_class_1_s", 600),
)
_RULES: tuple[Callable[[Draft], Iterator[Finding]], ...] = (
    _jurisdiction,
    _languages,
    _decks,
    _two_decks,
    _special_cards,
    _seats,
    _presence,
    _packets,
    _maintenance,
    _alert_order,
    _round_end,
)
