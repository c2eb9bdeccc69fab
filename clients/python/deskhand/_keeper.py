"""Runs a command until it exits or standard input ends. This is a separate program, which _start.py starts."""

import shutil
import subprocess
import sys
import threading


#: Maximum time for the command to end, in seconds.
END_TIMEOUT = 10


def keep(folder, command):
    """Runs a command, removes its folder of traces, if it has one, and returns its exit code."""
    child = subprocess.Popen(command, stdin=subprocess.PIPE)

    def end_with_input():
        sys.stdin.buffer.read()
        child.stdin.close()
        child.terminate()
        try:
            child.wait(END_TIMEOUT)
        except subprocess.TimeoutExpired:
            child.kill()

    threading.Thread(target=end_with_input, daemon=True).start()
    try:
        return child.wait()
    finally:
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(keep(sys.argv[1], sys.argv[2:]))
