"""Runs a command until it exits or standard input ends. This is a separate program, which _start.py starts."""

import subprocess
import sys
import threading


def keep(command):
    """Runs a command, and returns its exit code."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL)

    def end_with_input():
        sys.stdin.buffer.read()
        child.terminate()

    threading.Thread(target=end_with_input, daemon=True).start()
    return child.wait()


if __name__ == "__main__":
    sys.exit(keep(sys.argv[1:]))
