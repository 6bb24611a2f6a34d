"""The command `deniable`, where the environment variable DENIABLE_COMMAND says where it is."""

import json
import os
import subprocess

import pytest

needed = pytest.mark.skipif(
    "DENIABLE_COMMAND" not in os.environ,
    reason="DENIABLE_COMMAND does not say where the command `deniable` is",
)


def run(*words, code=0):
    """Runs it, and gives what it prints."""
    done = subprocess.run(
        [os.environ["DENIABLE_COMMAND"], *map(str, words)], capture_output=True, text=True
    )
    assert done.returncode == code, done.stderr
    return done.stdout


def json_of(*words):
    """Runs it, and reads what it prints."""
    return json.loads(run(*words, "--json"))
