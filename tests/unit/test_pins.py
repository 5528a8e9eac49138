"""PINs: kept as slow hashes, compared without telling how far they agree."""

from __future__ import annotations

import pytest

from tableside.pins import PinRefused, hash_pin, is_pin, is_pin_hash

SALT = b"test salt, fixed"


def test_a_pin_is_known_again_and_another_is_not() -> None:
    stored = hash_pin("004711", SALT)
    assert is_pin("004711", stored)
    assert not is_pin("4711", stored), "leading zeros count"
    assert "004711" not in stored


def test_the_same_pin_is_stored_differently_each_time() -> None:
    assert hash_pin("123456") != hash_pin("123456")


@pytest.mark.parametrize("pin", ["", "12345", "1234567890123", "12a456", "１２３４５６"])
def test_what_is_no_pin_is_refused(pin: str) -> None:
    with pytest.raises(PinRefused, match="6 to 12 digits"):
        hash_pin(pin)


@pytest.mark.parametrize(
    "stored",
    [
        "",
        "123456",
        "scrypt$15$8$3$zz$00",
        "scrypt$10$8$3$" + "00" * 16 + "$" + "00" * 32,  # quick to guess
        "md5$15$8$3$" + "00" * 16 + "$" + "00" * 32,
        "scrypt$15$8$3$" + "00" * 16 + "$" + "00" * 8,
    ],
)
def test_a_stored_text_that_is_none_is_refused(stored: str) -> None:
    assert not is_pin_hash(stored)
    with pytest.raises(PinRefused):
        is_pin("123456", stored)
