"""The types that rows of a journal have, for whoever asks for some of them by name."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import click

WIDTH = 100


def known_types() -> list[str]:
    """Every type of an input or a decision, in alphabetical order."""
    from typing import get_args

    from tableside.inputs import AnyInput
    from tableside.rows import DECISIONS

    return sorted({kind.__name__ for kind in (*get_args(AnyInput), *DECISIONS)})


def check_types(kinds: Sequence[str]) -> None:
    """A type that no row ever has is refused, else its reader waits for ever. Raises `click.UsageError`."""
    if not kinds:
        return
    from tableside.configuration.mistake import nearest_of

    known = known_types()
    wrong = [kind for kind in kinds if kind not in known]
    if wrong:
        nearest = nearest_of(wrong[0], known)
        meant = f' Did you mean "{nearest}"?' if nearest else ""
        listed = textwrap.fill(", ".join(known), WIDTH)
        raise click.UsageError(f'no row has the type "{wrong[0]}".{meant}\nThere are:\n{listed}')
