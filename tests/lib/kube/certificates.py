# SPDX-License-Identifier: MIT
"""Certificate authorities and certificates, made with the command openssl."""
import ipaddress
import itertools
import pathlib
import ssl
import subprocess

NAMES = ("127.0.0.1", "::1", "localhost", "kubernetes.default.svc")


def _openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, timeout=60)


def _new_key(path):
    _openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path)


def _alternative(name):
    try:
        return f"IP:{ipaddress.ip_address(name)}"
    except ValueError:
        return f"DNS:{name}"


class Authority:
    """A certificate authority; `path` is its certificate. Two of the same name have different keys."""
    numbers = itertools.count(1)

    def __init__(self, folder, name="kubernetes"):
        stem = pathlib.Path(folder) / f"ca-{next(self.numbers)}"
        self.folder, self.key, self.path = stem.parent, stem.with_suffix(".key"), stem.with_suffix(".crt")
        _new_key(self.key)
        _openssl("req", "-x509", "-new", "-key", self.key, "-subj", f"/CN={name}", "-days", 30, "-addext",
                 "keyUsage=critical,digitalSignature,keyEncipherment,keyCertSign", "-out", self.path)

    def _issue(self, subject, extensions, days):
        """A certificate and its key: their files."""
        stem = self.folder / f"issued-{next(self.numbers)}"
        key, request, described = (stem.with_suffix(end) for end in (".key", ".csr", ".ext"))
        chain = stem.with_suffix(".crt")
        described.write_text(extensions)
        _new_key(key)
        _openssl("req", "-new", "-key", key, "-subj", f"/CN={subject}", "-out", request)
        _openssl("x509", "-req", "-in", request, "-CA", self.path, "-CAkey", self.key, "-CAcreateserial",
                 "-days", days, "-extfile", described, "-out", chain)
        with chain.open("a") as file:
            file.write(self.path.read_text())
        return chain, key

    def issue_client(self, name="lanner", days=10):
        """A client's certificate and its key: their files."""
        return self._issue(name, "extendedKeyUsage=clientAuth\n", days)

    def issue_server(self, names=NAMES, days=10):
        """A server's certificate for these names and addresses, and its key: their files."""
        return self._issue("kube-apiserver", f"subjectAltName={','.join(map(_alternative, names))}\n"
                           "extendedKeyUsage=serverAuth\n", days)

    def issue(self, names=NAMES, days=10):
        """The same as a TLS context."""
        chain, key = self.issue_server(names, days)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(chain, key)
        context.set_alpn_protocols(["http/1.1"])
        return context
