"""Sends the D-Bus calls in a file to a program's own socket and waits for all answers, repeatedly.

Arguments: the socket's path, the file, the number of calls in it, the number of rounds. Prints the milliseconds of
each round as JSON: the time that the program itself takes.
"""

import json
import os
import socket
import struct
import sys
import time

path, file, calls, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
with open(file, "rb") as opened:
    message = opened.read()
connection = socket.socket(socket.AF_UNIX)
connection.connect(path)
connection.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
connection.recv(1000)
connection.sendall(b"NEGOTIATE_UNIX_FD\r\n")
connection.recv(1000)
connection.sendall(b"BEGIN\r\n")


def answers(received, missing):
    """Reads messages until all missing answers have arrived; returns the bytes after them."""
    at = 0
    while missing:
        while len(received) - at < 16 or len(received) - at < length_at(received, at):
            received += connection.recv(1 << 20)
        missing -= received[at + 1] in (2, 3)  # a reply or an error
        at += length_at(received, at)
    return received[at:]


def length_at(received, at):
    body, fields = (struct.unpack_from("<I", received, at + offset)[0] for offset in (4, 12))
    return (16 + fields + 7) // 8 * 8 + body


times, left = [], bytearray()
for _ in range(rounds):
    start = time.perf_counter()
    connection.sendall(message)
    left = answers(left, calls)
    times.append(1000 * (time.perf_counter() - start))
print(json.dumps(times))
