"""What a screen is told of itself: whether it is signed in, whose badge that was, and until when. Pure."""

from __future__ import annotations

from tableside.page.sign_ins import SignIn, SignIns, SignInState

SIGNED_OUT: dict[str, object] = {"state": "out"}


def me_view(sign_ins: SignIns, token: str) -> dict[str, object]:
    """How the screen of this token stands.

    `until_ns` changes with each tap and not with each second: the screen counts down from `left_s` by itself.
    """
    one = sign_ins.of(token)
    if one is None:
        return SIGNED_OUT
    told: dict[str, object] = {
        "state": one.state.value,
        "screen": one.screen,
        "table": one.table,
        "reader": one.reader,
        "until_ns": one.until_ns,
        "left_s": sign_ins.left_s(one),
        "note": None if one.note is None else one.note.value,
        "why": None if one.why is None else one.why.value,
    }
    if one.person is not None:
        told |= {
            "staff": one.person.staff,
            "name": one.person.name,
            "roles": [role.value for role in one.person.roles],
        }
    return told


def screen_view(sign_ins: SignIns, one: SignIn) -> dict[str, object]:
    """A screen as everybody at the table may see it."""
    return {
        "screen": one.screen,
        "is_waiting": one.state is SignInState.WAITING,
        "staff": "" if one.person is None else one.person.staff,
        "name": "" if one.person is None else one.person.name,
    }
