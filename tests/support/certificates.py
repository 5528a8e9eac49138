"""Certificates for tests, made anew each time and visibly for tests: an authority, and who it vouches for."""

from __future__ import annotations

import datetime
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

ORGANISATION = "TEST KEY, NOT FOR USE"


class Authority:
    """Writes `NAME.crt` and `NAME.key` into its folder, and its own `ca.crt`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("test authority")
        certificate = self._built(self._name, self._key, is_authority=True)
        (folder / "ca.crt").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def issue(self, name: str) -> None:
        """A certificate for a client or for the broker on the loopback."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._built(_name(name), key)
        (self.folder / f"{name}.crt").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        path = self.folder / f"{name}.key"
        path.touch(0o600)
        path.write_bytes(private)

    def _built(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, *, is_authority: bool = False
    ) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=2))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        )
        if not is_authority:
            here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
            builder = builder.add_extension(here, critical=False)
        return builder.sign(self._key, hashes.SHA256())


def _name(common: str) -> x509.Name:
    return x509.Name(
        [x509.NameAttribute(NameOID.ORGANIZATION_NAME, ORGANISATION), x509.NameAttribute(NameOID.COMMON_NAME, common)]
    )
