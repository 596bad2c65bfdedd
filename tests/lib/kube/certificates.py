# SPDX-License-Identifier: MIT
"""Certificate authorities and certificates, made with the command openssl."""
import ipaddress
import itertools
import pathlib
import ssl
import subprocess

NAMES = ("127.0.0.1", "::1", "localhost", "kubernetes.default.svc")


def _openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, timeout=30)


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

    def issue(self, names=NAMES, days=10):
        """A server's certificate for these names and addresses, as a TLS context."""
        stem = self.folder / f"server-{next(self.numbers)}"
        key, request, extensions = (stem.with_suffix(end) for end in (".key", ".csr", ".ext"))
        chain = stem.with_suffix(".crt")
        extensions.write_text(f"subjectAltName={','.join(map(_alternative, names))}\n"
                              "extendedKeyUsage=serverAuth\n")
        _new_key(key)
        _openssl("req", "-new", "-key", key, "-subj", "/CN=kube-apiserver", "-out", request)
        _openssl("x509", "-req", "-in", request, "-CA", self.path, "-CAkey", self.key, "-CAcreateserial",
                 "-days", days, "-extfile", extensions, "-out", chain)
        with chain.open("a") as file:
            file.write(self.path.read_text())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(chain, key)
        context.set_alpn_protocols(["http/1.1"])
        return context
