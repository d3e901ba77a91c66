"""Fixtures that give each test a namespace of a Marquee service."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

import pytest
from requests_oauthlib import OAuth1Session

# a checkout around this file, or the package that a project around it has installed; else the PATH
PROGRAMS = [
    folder / program
    for folder in pathlib.Path(__file__).resolve().parents
    for program in ("bin/marquee.mjs", "node_modules/marquee/bin/marquee.mjs")
]
COMMAND = next((["node", str(each)] for each in PROGRAMS if each.exists()), ["marquee"])
START_SECONDS = 120
STOP_SECONDS = 30


def _session(credentials):
    return OAuth1Session(
        credentials["consumer_key"],
        credentials["consumer_secret"],
        credentials["access_token"],
        credentials["access_token_secret"],
    )


def _is_ready(url):
    try:
        return urllib.request.urlopen(f"{url}/health/ready", timeout=2).status == 200
    except OSError:
        return False


@pytest.fixture(scope="session")
def marquee():
    """The credentials of a service: of the file in MARQUEE_CREDENTIALS, or of the demo, started here."""
    if "MARQUEE_CREDENTIALS" in os.environ:
        yield json.loads(pathlib.Path(os.environ["MARQUEE_CREDENTIALS"]).read_text())
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    folder = tempfile.mkdtemp(prefix="marquee-pytest-")
    environment = {
        **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        **{"PORT": str(port), "BASE_URL": url, "DATA_DIR": folder, "LOG_LEVEL": "warn"},
        # its standard input ends with this process, even if that is killed
        "MARQUEE_STOP_WITH_STDIN": "true",
    }
    process = subprocess.Popen(
        [*COMMAND, "serve"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    try:
        until = time.monotonic() + START_SECONDS
        while not _is_ready(url):
            assert process.poll() is None, "the service ended"
            assert time.monotonic() < until, "the service did not become ready"
            time.sleep(0.1)
        # nothing passes that was signed in the second in which the store was opened
        time.sleep(1)
        yield json.loads((pathlib.Path(folder) / "demo-credentials.json").read_text())
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


class Namespace:
    """An application, a user and accounts of one test, and a session that signs for them."""

    def __init__(self, credentials):
        self.credentials = credentials
        self.session = _session(credentials)
        self.url = f"{credentials['ads_base_url']}/12/accounts/{credentials['account_id']}"


@pytest.fixture
def namespace(marquee):
    owner = _session(marquee)
    path = f"{marquee['base_url']}/workbench/namespaces"
    created = owner.post(path, data={"ttl": 600})
    assert created.status_code == 201, created.text
    credentials = created.json()["data"]
    yield Namespace(credentials)
    owner.delete(f"{path}/{credentials['id']}")
