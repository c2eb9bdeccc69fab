"""The pytest plugin: a desktop for tests, with traces and pictures of failed ones.

    def test_greets(desk, launch, assert_looks_like):
        launch("zenity", "--entry", "--title", "Greeting", "--text", "Name")
        desk.element('textbox in "Greeting"').set("Ada")
        expect(desk.element('button "OK" in "Greeting"')).to_be_enabled()
        assert_looks_like(desk.window(title="Greeting"), "greeting")
"""

from __future__ import annotations

import base64
import difflib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Union

import pytest

from . import _start
from ._desk import Desk
from ._errors import Conflict, DeskhandError
from ._expect import TIMEOUT
from ._places import ElementLocator, WindowLocator, milliseconds

#: The environment variables that programs need to show their windows on the desktop of `deskhand run`.
_VARIABLES = (
    "DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR XDG_SESSION_TYPE GDK_BACKEND QT_QPA_PLATFORM "
    "QT_LINUX_ACCESSIBILITY_ALWAYS_ON DESKHAND_URL"
).split()
#: Prints the address and environment of the desktop created by `deskhand run`, and waits until its input ends.
_REPORT = 'env | sed "s/^/deskhand-env /"; echo deskhand-ready; cat >/dev/null'
#: Interval between checks of a window's outline, and maximum time for a program to exit, in seconds.
_LOOK, _END = 0.25, 3.0

Shown = Union[Desk, WindowLocator, ElementLocator]


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("deskhand", "tests of desktop programs")
    group.addoption("--desk-url", help="a deskhand that runs already (DESKHAND_URL if left out)")
    group.addoption("--desk-program", help="the command that starts deskhand (DESKHAND_EXECUTABLE, or deskhand)")
    group.addoption("--desk-desktop", default="virtual", help="virtual (in memory), xvfb (an X server), x11 ...")
    group.addoption("--desk-size", help="the size of that desktop, such as 1280x720")
    group.addoption("--desk-artifacts", default="desk-artifacts", help="the folder of traces and pictures")
    group.addoption(
        "--desk-trace",
        choices=("retain-on-failure", "on", "off"),
        default="retain-on-failure",
        help="the tests whose trace is kept",
    )
    group.addoption("--desk-heal", action="store_true", help="let other elements replace missing ones, with a warning")
    group.addoption("--desk-update", action="store_true", help="write the baselines anew")


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "desk_heal: as --desk-heal, for one test or file")


class DeskHealed(UserWarning):
    """An element replaced a missing one: the line of the test should name it."""


def _warn(told: str) -> None:
    """Warns with the line of the test: the first one outside of this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and os.path.dirname(frame.f_code.co_filename) == os.path.dirname(__file__):
        level, frame = level + 1, frame.f_back
    warnings.warn(DeskHealed(told), stacklevel=level)


class Server:
    """A deskhand, and the environment variables that programs need to show their windows on its desktop."""

    def __init__(self, url: str, environment: Mapping[str, str], end: Callable[[], None]) -> None:
        self.url, self.environment, self.end = url, environment, end


def _started(command: Sequence[str], desktop: str, size: Optional[str]) -> Server:
    sized = ["--size", size] if size else []
    if desktop == "xvfb":
        traces = tempfile.mkdtemp(prefix="deskhand-traces-")  # otherwise `run` leaves traces in this folder
        return _started_xvfb([*command, "run", "--trace", traces, *sized, "--", "sh", "-c", _REPORT], traces)
    program = _start.Started([*command, "--desktop", desktop, *(sized if desktop == "virtual" else [])])
    return Server(program.url, {}, program.end)


def _started_xvfb(command: List[str], traces: str) -> Server:
    process = _start.kept(command, traces)
    assert process.stdout

    def end() -> None:
        assert process.stdout
        _start.end_kept(process)
        process.stdout.close()

    environment: Dict[str, str] = {}
    for line in process.stdout:
        if line == "deskhand-ready\n":
            return Server(environment["DESKHAND_URL"], environment, end)
        match = re.match(r"deskhand-env (\w+)=(.*)\n", line)
        if match and match[1] in _VARIABLES:
            environment[match[1]] = match[2]
    end()
    raise DeskhandError(f"{command[0]} did not start: it exited with code {process.returncode}")


@pytest.fixture(scope="session")
def desk_server(request: Any) -> Iterator[Server]:
    """The deskhand of this test run or worker: the one at --desk-url, or one started for it."""
    option = request.config.getoption
    url = option("--desk-url") or os.environ.get("DESKHAND_URL")
    if url:
        if int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1)) > 1:  # they would act in each other's tests
            raise DeskhandError(
                f"several workers would share the desktop of {url}: use -n 0, or leave out --desk-url and "
                "DESKHAND_URL, so that each worker starts its own"
            )
        yield Server(url, {}, lambda: None)
        return
    named = option("--desk-program")
    command = shlex.split(named) if named else [_start.find_executable() or "deskhand"]
    if not shutil.which(command[0]):
        raise DeskhandError(f"program not found: {command[0]}; DESKHAND_EXECUTABLE or --desk-program names it")
    server = _started(command, option("--desk-desktop"), option("--desk-size"))
    try:
        yield server
    finally:
        server.end()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Iterator[None]:
    """Reports to the fixture `desk` whether its test failed, and adds the saved files to the report of pytest-html."""
    outcome: Any = yield
    report = outcome.get_result()
    if report.when == "call" or not report.passed:
        has_failed = report.failed and not hasattr(report, "wasxfail")
        item.desk_failed = getattr(item, "desk_failed", False) or has_failed
    if report.when == "teardown" and getattr(item, "desk_artifacts", None):
        report.sections.append(("desktop", "\n".join(str(path) for path in item.desk_artifacts)))


@pytest.fixture
def desk_programs() -> "Iterator[List[subprocess.Popen[bytes]]]":
    """The programs started by `launch`, which are terminated after the picture of a failed test is taken."""
    processes: "List[subprocess.Popen[bytes]]" = []
    yield processes
    for process in reversed(processes):
        process.terminate()
        try:
            process.wait(_END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture
def desk(request: Any, desk_server: Server, desk_programs: Any) -> Iterator[Desk]:
    """The desktop. A failed test leaves its trace and a picture in --desk-artifacts; a new run removes them."""
    option, node = request.config.getoption, request.node
    keeps, node.desk_artifacts, folder = option("--desk-trace"), [], _folder_of(node)
    if getattr(node, "execution_count", 1) == 1:  # not between the attempts of pytest-rerunfailures
        shutil.rmtree(folder, ignore_errors=True)
    with Desk(desk_server.url, action_timeout=TIMEOUT) as desktop:
        if option("--desk-heal") or node.get_closest_marker("desk_heal"):
            desktop.on_healed = _warn
        if keeps != "off":
            _start_trace(desktop, node.nodeid[-100:])
        yield desktop
        failed = getattr(node, "desk_failed", True)  # without a report, Ctrl-C has cut the test short
        if failed:
            _keep(node, folder / "desktop.png", desktop.screenshot(format="png", cursor=True))
        if keeps != "off":
            _end_trace(desktop, node, folder, failed or keeps == "on")
        desktop.release()


def _folder_of(node: Any) -> Path:
    return Path(node.config.getoption("--desk-artifacts")) / re.sub(r"[^\w.-]+", "-", node.nodeid)[-120:]


def _start_trace(desktop: Desk, name: str) -> None:
    try:
        desktop.start_trace(name=name)
    except Conflict:  # one that an earlier run left behind, or that `deskhand run` began
        desktop.stop_trace()
        desktop.start_trace(name=name)


def _end_trace(desktop: Desk, node: Any, folder: Path, is_kept: bool) -> None:
    file = desktop.stop_trace().get("file")
    if not file:
        return
    if is_kept and os.path.exists(file):  # the file stays where it is if deskhand runs on another machine
        _keep(node, folder / "trace.html", Path(file).read_bytes())
    desktop.remove_trace(os.path.basename(file))


def _keep(node: Any, path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    node.desk_artifacts.append(path)


@pytest.fixture
def launch(
    desk: Desk, desk_server: Server, desk_programs: "List[subprocess.Popen[bytes]]"
) -> Callable[..., "subprocess.Popen[bytes]"]:
    """Starts a program on the desktop; it is terminated with the test."""

    def start(*command: str) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(command, env={**os.environ, **desk_server.environment})
        desk_programs.append(process)
        return process

    return start


class _Baselines:
    """The baselines next to a test file, in a folder of the same name."""

    def __init__(self, request: Any) -> None:
        path, self._node = Path(str(request.node.fspath)), request.node
        self._folder = path.parent / f"{path.stem}-baselines"
        self._updates = request.config.getoption("--desk-update")

    def read(self, name: str) -> Optional[bytes]:
        """Returns a baseline's content; None if it is missing or being updated."""
        path = self._folder / name
        return path.read_bytes() if path.exists() and not self._updates else None

    def write(self, name: str, content: bytes) -> None:
        """Writes a baseline. Raises AssertionError unless baselines are being updated."""
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        if not self._updates:
            raise AssertionError(f"no baseline {path} existed; it has been written now")

    def keep(self, name: str, content: bytes) -> Path:
        """Saves a file of a failed comparison."""
        path = _folder_of(self._node) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        getattr(self._node, "desk_artifacts", []).append(path)
        return path


def _place_of(shown: Shown) -> Dict[str, Any]:
    """The call's fields that select the part of the screen."""
    if isinstance(shown, WindowLocator):
        return {"window": json.dumps(shown.wanted())}
    return {"element": json.dumps(shown.wanted())} if isinstance(shown, ElementLocator) else {}


@pytest.fixture
def assert_looks_like(request: Any, desk: Desk) -> Callable[..., None]:
    """Asserts that the desktop, a window or an element looks like a named baseline."""
    baselines = _Baselines(request)

    def check(
        shown: Shown,
        name: str,
        *,
        mask: Sequence[Union[ElementLocator, Mapping[str, int]]] = (),
        threshold: Optional[float] = None,
        max_pixels: Optional[int] = None,
        still: float = 0.3,
        timeout: float = TIMEOUT,
    ) -> None:
        baseline, place = baselines.read(f"{name}.png"), _place_of(shown)
        if baseline is None:
            baselines.write(f"{name}.png", _still_picture(desk, shown, place, still))
            return
        masks = [one.wanted() if isinstance(one, ElementLocator) else one for one in mask]
        found = desk.compare(
            baseline,
            **place,
            mask=json.dumps(masks) if masks else None,
            threshold=threshold,
            max_pixels=max_pixels,
            timeout_ms=milliseconds(timeout),
            pictures=True,
        )
        if found["same"]:
            return
        for kind in ("actual", "difference"):
            baselines.keep(f"{name}-{kind}.png", base64.b64decode(str(found.get(f"{kind}_png", ""))))
        kept = baselines.keep(f"{name}-expected.png", baseline).parent
        places = "; ".join("{width}x{height} at {x},{y}".format(**one) for one in found["regions"])
        raise AssertionError(f"{found['pixels']} pixels differ from {name}.png: {places}; pictures in {kept}")

    return check


def _still_picture(desk: Desk, shown: Shown, place: Mapping[str, Any], still: float) -> bytes:
    desk.wait_still(still)
    if isinstance(shown, WindowLocator):
        return desk.screenshot(format="png", window=shown.all()[0]["id"])
    return desk.screenshot(format="png", **place)


@pytest.fixture
def assert_tree(request: Any, desk: Desk) -> Callable[..., None]:
    """Asserts that a window's elements, with their names, values and states, match a named baseline."""
    baselines = _Baselines(request)

    def check(window: WindowLocator, name: str, *, timeout: float = TIMEOUT) -> None:
        kept, end = baselines.read(f"{name}.yml"), time.monotonic() + timeout
        window.wait(timeout)
        tree = desk.elements_as_tree(**window.fields())
        if kept is None:
            baselines.write(f"{name}.yml", tree.encode())
            return
        wanted = kept.decode()
        while tree != wanted and time.monotonic() < end:
            time.sleep(_LOOK)
            tree = desk.elements_as_tree(**window.fields())
        if tree != wanted:
            lines = difflib.unified_diff(wanted.splitlines(), tree.splitlines(), f"{name}.yml", "window", lineterm="")
            raise AssertionError("the elements of the window differ:\n" + "\n".join(lines))

    return check
