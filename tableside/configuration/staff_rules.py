"""What staff entries must keep together, within a file and across a host's and its tables' files."""

from __future__ import annotations

from collections.abc import Iterator

from tableside.configuration.draft import Draft
from tableside.configuration.mistake import Finding, nearest_of
from tableside.configuration.table_rules import repeated
from tableside.pins import is_pin_hash

BITS_PER_BYTE = 8
HEX_DIGITS_PER_BYTE = 2


def staff_findings(file: Draft) -> Iterator[Finding]:
    """Everything across keys that is wrong with the staff of one file."""
    staff = file.parts("staff")
    yield from repeated_people(staff)
    for person in staff:
        yield from _badge_width(person)
        since, until = person.date("valid_from"), person.date("valid_until")
        if since is not None and until is not None and until < since:
            yield Finding(
                person.at("valid_until"),
                f"{until} is before valid_from, {since}",
                "the last day of validity",
            )
        pin_hash = person.text("pin_hash")
        if pin_hash is not None and not is_pin_hash(pin_hash):
            yield Finding(
                person.at("pin_hash"),
                "is no PIN hash, or one that is quick to guess",
                "scrypt$<log2 n>$<r>$<p>$<salt>$<hash>; never a PIN itself",
            )


def repeated_people(staff: list[Draft]) -> Iterator[Finding]:
    """A staff id or a badge that two entries have."""
    for person, staff_id in repeated(staff, "staff_id"):
        yield Finding(person.at("staff_id"), f'"{staff_id}" is another person already', "each id once")
    for person, _ in repeated(staff, "badge"):
        yield Finding(person.at("badge"), "is another person's badge already", "each badge once")


def unknown_person(path: tuple[str | int, ...], staff_id: str, role: str, staff: list[Draft]) -> Iterator[Finding]:
    """A staff id that is used where a person with `role` is needed."""
    roles = {person.text("staff_id"): {word for _, word in person.texts("roles")} for person in staff}
    fitting = [known for known, held in roles.items() if known is not None and role in held]
    if staff_id not in roles:
        nearest = nearest_of(staff_id, fitting)
        yield Finding(path, f'"{staff_id}" is nobody in [[staff]]', _people(role, fitting), nearest=nearest)
    elif staff_id not in fitting:
        yield Finding(path, f'"{staff_id}" has not the role {role}', _people(role, fitting))


def _people(role: str, fitting: list[str]) -> str:
    return ", ".join(fitting) if fitting else f"a staff id with the role {role}"


def _badge_width(person: Draft) -> Iterator[Finding]:
    bits, _, digits = (person.text("badge") or "").partition(":")
    if not bits:
        return
    wanted = HEX_DIGITS_PER_BYTE * -(-int(bits) // BITS_PER_BYTE)
    if int(digits, 16).bit_length() > int(bits):
        yield Finding(person.at("badge"), f"is a number of more than {bits} bits", "the number as the reader shows it")
    elif len(digits) != wanted:
        yield Finding(
            person.at("badge"),
            f"has {len(digits)} hex digits for {bits} bits",
            f"{wanted} digits, leading zeros written",
        )
