"""Starts a deskhand for one script, and stops it with the script, however that ends."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import sys
import threading
from typing import List, Optional, Sequence

from ._errors import DeskhandError

#: Maximum time for a start, in seconds: a desktop may ask the user for consent.
START_TIMEOUT = 60.0
_STARTED = re.compile(r"HTTP server started on port (\d+)")


def find_executable() -> Optional[str]:
    """Returns the executable's path: DESKHAND_EXECUTABLE, or `deskhand` on the PATH."""
    return os.environ.get("DESKHAND_EXECUTABLE") or shutil.which("deskhand")


def kept(command: Sequence[str], folder: str = "", errors: Optional[int] = None) -> "subprocess.Popen[str]":
    """Starts deskhand under a keeper (_keeper.py): when its standard input ends, even because this process was killed,
    the keeper stops deskhand, which releases all keys and buttons, and removes the folder of its traces.
    """
    keeper = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_keeper.py")
    return subprocess.Popen(
        [sys.executable, "-I", keeper, folder, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        start_new_session=True,  # only the script handles Ctrl-C, because it may still need the desktop
    )


def end_kept(process: "subprocess.Popen[str]") -> None:
    """Ends what `kept` started, and waits until it has exited."""
    if process.stdin and not process.stdin.closed:
        process.stdin.close()
    try:
        process.wait(20)  # the keeper gives deskhand half of this
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Started:
    """A deskhand that this process started, on a free port."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = kept([*command, "--http", "0"], errors=subprocess.STDOUT)
        self._lines: List[str] = []
        self._port: Optional[str] = None
        self._known = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()
        atexit.register(self.end)
        if not self._known.wait(START_TIMEOUT) or self._port is None:
            self.end()
            raise DeskhandError(f"{command[0]} did not start:\n{''.join(self._lines[-20:])}")
        self.url: str = f"http://127.0.0.1:{self._port}"

    def _read(self) -> None:
        """Reads deskhand's output to the end, so that deskhand never blocks on writing."""
        assert self._process.stdout
        for line in self._process.stdout:
            if self._port is None:
                self._lines.append(line)
                match = _STARTED.search(line)
                if match:
                    self._port = match[1]
                    self._known.set()
        self._known.set()

    def end(self) -> None:
        """Stops the program, and waits until it has exited."""
        atexit.unregister(self.end)
        end_kept(self._process)
