"""Runs a command until the command or standard input ends. This is a program of its own, which _start.py starts."""

import subprocess
import sys
import threading


def keep(command):
    """Runs a command; returns its exit code."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL)

    def end_with_input():
        sys.stdin.buffer.read()
        child.terminate()

    threading.Thread(target=end_with_input, daemon=True).start()
    return child.wait()


if __name__ == "__main__":
    sys.exit(keep(sys.argv[1:]))
