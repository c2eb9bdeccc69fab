"""Requests to one deskhand: a persistent connection, and retries of calls that are safe to repeat."""

from __future__ import annotations

import base64
import http.client
import json
import os
import select
import socket
import threading
import time
import urllib.parse
from typing import Any, Dict, Iterator, Mapping, NamedTuple, Optional, Tuple, Union

from ._errors import ApiError, ConnectionFailed, DeskhandError, api_error

DEFAULT_URL = "http://127.0.0.1:4000"
#: Maximum time for a response, in seconds, in addition to the call's own waiting time.
TIMEOUT = 60.0
#: Maximum pause before a retry, in seconds, regardless of Retry-After.
LONGEST_PAUSE = 10.0
#: Fields of calls that delay the response, in milliseconds.
WAITS = ("timeout_ms", "wait_ms", "hold_ms")


class Answer(NamedTuple):
    """The response to a request."""

    status: int
    media_type: str
    retry_after: Optional[float]
    content: bytes


class Transport:
    """Sends requests, one at a time; may be shared by threads.

    url: Where deskhand listens; defaults to DESKHAND_URL, or http://127.0.0.1:4000.
    token: Its token; defaults to DESKHAND_TOKEN. Programs on the same machine usually need none.
    timeout: Maximum time for a response, in seconds, in addition to the call's own waiting time.
    retries: How often a call is retried if that is safe: a GET after a lost connection or a 503, any call after a
        refused connection or a 503 with Retry-After. An action that may have happened is never retried.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        token: Optional[str] = None,
        *,
        timeout: float = TIMEOUT,
        retries: int = 3,
    ) -> None:
        self.url: str = (url or os.environ.get("DESKHAND_URL") or DEFAULT_URL).rstrip("/")
        self._token = token or os.environ.get("DESKHAND_TOKEN")
        self._timeout = timeout
        self._retries = retries
        self._lock = threading.RLock()
        self._connection: Optional[http.client.HTTPConnection] = None
        parts = urllib.parse.urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise DeskhandError(f"the address must have the form {DEFAULT_URL}, not {self.url!r}")
        self._parts = parts

    def close(self) -> None:
        """Closes the connection. The next call opens a new one."""
        with self._lock:
            if self._connection:
                self._connection.close()
            self._connection = None

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        content: Optional[bytes] = None,
    ) -> Any:
        """Sends a call.

        Returns the response's JSON, text, or bytes, depending on its media type.
        """
        values = {**(query or {}), **(body or {})}
        payload = content if content is not None else _json(body)
        answer = self._answer(method, path + _query(query), payload, self._timeout + _waits(values))
        if answer.status != 200:
            raise _refusal(answer)
        if answer.media_type == "application/json":
            return json.loads(answer.content)
        return answer.content.decode() if answer.media_type.startswith("text/") else answer.content

    def _answer(self, method: str, target: str, payload: Optional[bytes], timeout: float) -> Answer:
        """Sends a request, and retries it after a failure if that is safe."""
        attempt = 0
        while True:
            pause = min(0.1 * 2**attempt, LONGEST_PAUSE)
            last = attempt >= self._retries
            attempt += 1
            try:
                answer = self._send(method, target, payload, timeout)
            except ConnectionFailed as error:
                if last or (error.may_have_happened and method != "GET"):
                    raise
            else:
                # deskhand sends a 503 with Retry-After before doing anything.
                is_passing = answer.status == 503 and (method == "GET" or answer.retry_after is not None)
                if last or not is_passing:
                    return answer
                pause = min(answer.retry_after or pause, LONGEST_PAUSE)
            time.sleep(pause)

    def _send(self, method: str, target: str, payload: Optional[bytes], timeout: float) -> Answer:
        with self._lock:
            connection = self._open(timeout)
            try:
                connection.request(method, self._parts.path + target, payload, self._headers(payload))
                response = connection.getresponse()
                content = response.read()
            except BaseException as error:
                # The unread rest of a response must not be mistaken for the next one.
                self.close()
                if not isinstance(error, (OSError, http.client.HTTPException)):
                    raise
                reason = "no answer came in time" if isinstance(error, socket.timeout) else f"{error!r}"
                raise ConnectionFailed(
                    f"{self.url}{target.split('?')[0]}: {reason}", may_have_happened=True
                ) from error
        return Answer(
            response.status,
            response.headers.get_content_type(),
            _seconds(response.headers.get("Retry-After")),
            content,
        )

    def _open(self, timeout: float) -> http.client.HTTPConnection:
        """Returns a connection that the other side has not closed."""
        connection = self._connection
        if connection is not None and (connection.sock is None or _is_readable(connection.sock)):
            self.close()
            connection = None
        if connection is None:
            connection = self._connect(timeout)
        connection.sock.settimeout(timeout)
        self._connection = connection
        return connection

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._parts.hostname or "", self._parts.port, timeout=min(timeout, 10.0))
        try:
            connection.connect()
        except OSError as error:
            raise ConnectionFailed(
                f"no deskhand answers at {self.url} ({error}): start one with `deskhand --http`, "
                "or name its address in DESKHAND_URL"
            ) from error
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def _headers(self, payload: Optional[bytes]) -> Dict[str, str]:
        headers = {"Content-Type": "application/json"} if payload is not None else {}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        return headers

    def _events(
        self, method: str, path: str, *, query: Optional[Mapping[str, Any]] = None
    ) -> Iterator[Dict[str, Any]]:
        """Yields server-sent events, on a separate connection that is closed with the iteration."""
        connection = self._connect(self._timeout)
        try:
            connection.request(method, self._parts.path + path + _query(query), None, self._headers(None))
            response = connection.getresponse()
            if response.status != 200:
                answer = Answer(response.status, response.headers.get_content_type(), None, response.read())
                raise _refusal(answer)
            connection.sock.settimeout(None)
            for line in response:
                if line.startswith(b"data:"):
                    yield json.loads(line[5:])
        finally:
            connection.close()


def _json(body: Optional[Mapping[str, Any]]) -> Optional[bytes]:
    return None if body is None else json.dumps(_present(body)).encode()


def _present(values: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns the values that were given."""
    return {name: value for name, value in values.items() if value is not None}


def _query(query: Optional[Mapping[str, Any]]) -> str:
    words = {name: _word(value) for name, value in _present(query or {}).items()}
    return f"?{urllib.parse.urlencode(words)}" if words else ""


def _word(value: Union[str, int, float, bool]) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _waits(values: Mapping[str, Any]) -> float:
    """Returns how many seconds a call waits because of its own fields."""
    waits = [values[name] for name in WAITS if isinstance(values.get(name), (int, float))]
    return sum(waits) / 1000 * (values.get("repeat") or 1)


def _seconds(text: Optional[str]) -> Optional[float]:
    try:
        return None if text is None else max(0.0, float(text))
    except ValueError:
        return None  # a date, which deskhand does not send


def _is_readable(sock: socket.socket) -> bool:
    """Whether bytes are waiting to be read: on an idle connection this means that it was closed."""
    try:
        poller: Tuple[list, list, list] = select.select([sock], [], [], 0)
    except (OSError, ValueError):
        return True
    return bool(poller[0])


def _refusal(answer: Answer) -> ApiError:
    """Returns the error for a response."""
    try:
        refusal = json.loads(answer.content)
        message, picture = str(refusal["error"]), refusal.get("picture")
        details = {name: refusal.get(name) for name in ("done", "changed")}
        if picture is not None:
            details["picture"] = base64.b64decode(picture)
    except (ValueError, KeyError, TypeError):
        return api_error(answer.status, answer.content.decode(errors="replace")[:200] or "no message")
    return api_error(answer.status, message, **details)
