"""Retries, errors and connections, against a server with scripted responses."""

import http.server
import json
import socket
import threading
import time
import unittest
from unittest import mock

import deskhand
from deskhand import _transport


class Server(http.server.ThreadingHTTPServer):
    """Answers each request with the next of a list: (status, headers), "close" (no answer) or "close after"."""

    daemon_threads = True

    def __init__(self, *answers):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = list(answers)
        self.seen = []
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __exit__(self, *unused):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_any(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        self.server.seen.append((self.command, self.path, body, self.headers.get("Authorization")))
        answer = self.server.answers.pop(0) if self.server.answers else (200, {})
        if answer == "close":
            self.close_connection = True
            return
        is_last = answer == "close after"
        status, headers, *refusal = (200, {}) if is_last else answer
        content = b'{"ok":true}' if status == 200 else json.dumps({"error": "no", **dict(*refusal)}).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.close_connection = is_last

    do_GET = do_POST = do_PUT = handle_any

    def log_message(self, *unused):
        pass


class Retries(unittest.TestCase):
    def setUp(self):
        self.pauses = []
        patch = mock.patch.object(_transport.time, "sleep", self.pauses.append)
        patch.start()
        self.addCleanup(patch.stop)

    def calls(self, answers, call, **options):
        """Makes a call; returns its result or error, and the methods of the received requests."""
        with Server(*answers) as server:
            desk = deskhand.Desk(server.url, **options)
            try:
                result = call(desk)
            except deskhand.DeskhandError as error:
                result = error
            desk.close()
            return result, [method for method, *_rest in server.seen]

    def test_a_get_is_repeated_after_a_lost_connection(self):
        result, methods = self.calls(["close", "close"], lambda desk: desk.position())
        self.assertEqual((result, methods), ({"ok": True}, ["GET"] * 3))
        self.assertEqual(self.pauses, [0.1, 0.2])

    def test_an_action_is_not_repeated_after_a_lost_connection(self):
        error, methods = self.calls(["close"], lambda desk: desk.move(1, 2))
        self.assertIsInstance(error, deskhand.ConnectionFailed)
        self.assertTrue(error.may_have_happened)
        self.assertEqual(methods, ["POST"])

    def test_a_503_with_retry_after_is_repeated_after_that_time(self):
        busy = (503, {"Retry-After": "2"})
        result, methods = self.calls([busy, busy], lambda desk: desk.move(1, 2))
        self.assertEqual((result, methods), ({"ok": True}, ["POST"] * 3))
        self.assertEqual(self.pauses, [2.0, 2.0])

    def test_a_503_without_it_is_an_actions_error_and_a_gets_pause(self):
        error, methods = self.calls([(503, {})], lambda desk: desk.move(1, 2))
        self.assertIsInstance(error, deskhand.Unavailable)
        self.assertEqual(methods, ["POST"])
        result, methods = self.calls([(503, {})], lambda desk: desk.position())
        self.assertEqual((result, methods), ({"ok": True}, ["GET", "GET"]))

    def test_retries_end(self):
        error, methods = self.calls([(503, {})] * 9, lambda desk: desk.position(), retries=2)
        self.assertIsInstance(error, deskhand.Unavailable)
        self.assertEqual(methods, ["GET"] * 3)

    def test_a_pause_has_a_bound(self):
        self.calls([(503, {"Retry-After": "9999"})], lambda desk: desk.position())
        self.assertEqual(self.pauses, [_transport.LONGEST_PAUSE])

    def test_other_errors_are_not_repeated(self):
        kinds = {
            400: deskhand.BadRequest,
            401: deskhand.NotAllowed,
            404: deskhand.NotFound,
            408: deskhand.TimedOut,
            409: deskhand.Conflict,
            500: deskhand.ApiError,
        }
        for status, kind in kinds.items():
            with self.subTest(status):
                error, methods = self.calls([(status, {})], lambda desk: desk.position())
                self.assertIs(type(error), kind)
                self.assertEqual((error.status, error.message, methods), (status, "no", ["GET"]))
        self.assertTrue(issubclass(deskhand.TimedOut, TimeoutError))

    def test_the_error_of_a_list_has_how_many_were_done(self):
        steps = [{"action": "move", "x": 1, "y": 2}, {"action": "move", "x": -1, "y": 2}]
        error, methods = self.calls([(400, {}, {"done": 1})], lambda desk: desk.steps(steps))
        self.assertEqual((type(error), error.done, methods), (deskhand.BadRequest, 1, ["POST"]))
        error, _ = self.calls([(400, {})], lambda desk: desk.move(1, 2))
        self.assertIsNone(error.done)

    def test_a_refused_action_is_sent_once_someone_listens(self):
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        desk = deskhand.Desk(f"http://127.0.0.1:{listener.getsockname()[1]}", retries=1)

        def listen(_pause):
            listener.listen()
            threading.Thread(target=answer_once, args=(listener,), daemon=True).start()

        with mock.patch.object(_transport.time, "sleep", listen):
            self.assertEqual(desk.move(1, 2), {"ok": True})
        desk.close()
        listener.close()

    def test_a_refused_call_says_how_to_start_one(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            desk = deskhand.Desk(f"http://127.0.0.1:{free.getsockname()[1]}")
            with self.assertRaisesRegex(deskhand.ConnectionFailed, "deskhand --http") as raised:
                desk.move(1, 2)
            self.assertFalse(raised.exception.may_have_happened)


def answer_once(listener):
    connection, _address = listener.accept()
    with connection:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n")
        connection.sendall(b'{"ok":true}')


class Connections(unittest.TestCase):
    def test_a_connection_that_was_closed_while_idle_is_replaced_before_an_action(self):
        with Server("close after") as server:
            desk = deskhand.Desk(server.url, retries=0)
            desk.move(1, 2)
            end = time.monotonic() + 30
            while not _transport._is_readable(desk._connection.sock) and time.monotonic() < end:
                time.sleep(0.01)
            self.assertEqual(desk.move(3, 4), {"ok": True})
            desk.close()
            self.assertEqual(len(server.seen), 2)

    def test_a_call_that_takes_too_long_ends_and_is_not_repeated(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            desk = deskhand.Desk(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.05)
            with self.assertRaisesRegex(deskhand.ConnectionFailed, "no answer came in time") as raised:
                desk.move(1, 2)
            self.assertTrue(raised.exception.may_have_happened)

    def test_what_is_left_out_is_not_sent_and_words_are_the_apis(self):
        with Server() as server:
            desk = deskhand.Desk(server.url, token="secret-token-secret")
            desk.windows(class_="xterm", active=True)
            desk.click(1, 2, "left")
            desk.drag({"x": 1, "y": 2}, {"x": 3, "y": 4})
            desk.close()
        self.assertEqual(server.seen[0][1], "/api/windows?class=xterm&active=true")
        self.assertEqual(json.loads(server.seen[1][2]), {"x": 1, "y": 2, "button": "left"})
        self.assertEqual(json.loads(server.seen[2][2]), {"from": {"x": 1, "y": 2}, "to": {"x": 3, "y": 4}})
        self.assertEqual({seen[3] for seen in server.seen}, {"Bearer secret-token-secret"})

    def test_an_address_that_is_none_is_refused(self):
        for url in ("localhost:4000", "ftp://localhost", "http://"):
            with self.subTest(url), self.assertRaisesRegex(deskhand.DeskhandError, "must have the form"):
                deskhand.Desk(url)

    def test_threads_share_a_desk(self):
        with Server() as server:
            desk = deskhand.Desk(server.url)
            results = []
            threads = [threading.Thread(target=lambda: results.append(desk.position())) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            desk.close()
        self.assertEqual(results, [{"ok": True}] * 8)


if __name__ == "__main__":
    unittest.main()
