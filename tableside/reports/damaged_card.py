"""The report on damaged cards that room management gives to the inspection service (CSM-1), as a printable text."""

from __future__ import annotations

from collections.abc import Sequence

from tableside.control.curtain import A_CARD
from tableside.decisions import IncidentClosed, IncidentNoted
from tableside.happenings import DamageReported, PresenceShown
from tableside.house import Role
from tableside.journal.chain import Finding
from tableside.jurisdiction import JurisdictionUnknown, load_jurisdiction
from tableside.reports import paper
from tableside.reports.damaged_cards import DamagedCard, damaged_cards
from tableside.reports.story import NoStory, Story, Told

TITLE = "Damaged cards: report to the inspection service (CSM-1)"
HOW = {"key": "by the dealer's key", "person": "by a person", "machine": "suspected by the machine"}


def damaged_card_report(story: Story, findings: Sequence[Finding] = (), incident: int | None = None) -> str:
    """The document: every incident of the journal, or one. Raises `NoStory` where there is no such incident."""
    cards = [card for card in damaged_cards(story) if incident in (None, card.incident)]
    if not cards and incident is not None:
        raise NoStory(f"the journal has no damaged card under incident {incident}")
    lines = paper.head(TITLE, story) + _addressed(story)
    if not cards:
        lines += ["", "No damaged card stands in this journal."]
    for card in cards:
        lines += _incident(card, story)
    lines += paper.foot(story, findings) + paper.signatures("Room management", "Inspection service")
    return "\n".join(lines) + "\n"


def _addressed(story: Story) -> list[str]:
    try:
        law = load_jurisdiction(story.house.jurisdiction.name)
    except JurisdictionUnknown:
        return []
    duty = ", ".join(_called(role, law.role_names[role].value) for role in law.report_duty.value)
    return paper.field("To", law.authority.value) + paper.field("Report due by", duty or "nobody")


def _called(role: Role, name: str) -> str:
    return f"{role.value} ({name})"


def _incident(card: DamagedCard, story: Story) -> list[str]:
    lines = paper.section(f"Incident {card.incident}")
    lines += paper.field("Found", f"{_when(card.found, story)}, {HOW.get(card.how, card.how)}")
    where = f"session {card.session}, " + (f"round {card.round}" if card.round else "before the first round")
    lines += paper.field("In", f"{where}, dealer {story.person(card.dealer)}")
    if card.stopped is not None:
        until = _when(card.freed, story) if card.freed is not None else "still stopped"
        lines += paper.field("Dealing stopped", f"{_when(card.stopped, story)} until {until}")
    for told in card.shown:
        what = told.what
        assert isinstance(what, PresenceShown)
        lines += paper.field("Present", f"{_when(told, story)} {story.person(what.staff)}, {what.change} by {what.way}")
    lines += _exchange(card, story)
    for told in card.notes:
        what = told.what
        assert isinstance(what, IncidentNoted)
        text = "an exchange, named once the round is over" if card.is_secret else what.text
        lines += paper.field("Noted", f"{_when(told, story)} {text}")
    return lines + _reported(card, story)


def _exchange(card: DamagedCard, story: Story) -> list[str]:
    exchange = card.exchange
    if exchange is None:
        if card.closed is not None and isinstance(card.closed.what, IncidentClosed):
            by = story.person(card.closed.what.by)
            return paper.field("Not replaced", f"{_when(card.closed, story)} {card.closed.what.text}, by {by}")
        return paper.field("Not replaced yet", "the incident is open")
    assert card.replaced is not None
    lines = paper.field("Taken out", f"{A_CARD if card.is_secret else exchange.damaged}, envelope {exchange.envelope}")
    lines += paper.field("Put in", f"{A_CARD if card.is_secret else exchange.replacement}, from the reserve deck")
    lines += paper.field("By", f"{story.person(exchange.by)}, {_when(card.replaced, story)}")
    total = sum(card.balances.values())
    places = ", ".join(f"{place} {cards}" for place, cards in sorted(card.balances.items()))
    whole = "whole" if total == card.brought else f"NOT whole, {card.brought} were brought"
    return lines + paper.field("Cards after it", f"{total} ({whole}): {places}")


def _reported(card: DamagedCard, story: Story) -> list[str]:
    if card.exchange is None:
        return []
    if card.reported is None or not isinstance(card.reported.what, DamageReported):
        return paper.field("Reported", "NOT YET: room management reports it and enters the reference")
    what = card.reported.what
    by = story.person(what.by)
    return paper.field("Reported", f"{_when(card.reported, story)}, {by}, reference {what.reference}")


def _when(told: Told, story: Story) -> str:
    return f"{story.time(told.wall_ns)} [row {told.seq}]"
