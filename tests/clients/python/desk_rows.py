"""Shared by the tests of PyAutoGUI's functions: a virtual desktop, and what arrives on it."""

import inspect
import os
import re
import tempfile
import unittest

import deskhand
import deskhand.pyautogui as pyautogui
from deskhand.pyautogui import _keyboard

#: A word in a window of the virtual desktop that is unique on the screen, and its center.
PART = (882, 350, 50, 30)
MIDDLE = (907, 365)


def signature(function):
    """A function's parameters as written, without types."""
    plain = [one.replace(annotation=one.empty) for one in inspect.signature(function).parameters.values()]
    return ", ".join(re.sub(r"<function (\w+) at \w+>", r"\1", str(one)) for one in plain)


def written(action):
    """A history action as a short text."""
    kind = action["type"]
    if kind == "move":
        return f"move {action['x']},{action['y']}"
    if kind == "text":
        return f"text {action['text']}"
    if kind == "scroll":
        return f"{action['direction']} {action['amount']}"
    return f"{action.get('button') or action['key']} {'down' if action['down'] else 'up'}"


class Rows(unittest.TestCase):
    """Tests named after the functions: `test_moveTo`."""

    maxDiff = None

    def setUp(self):
        pyautogui.PAUSE = 0
        pyautogui.FAILSAFE = True
        pyautogui.LOG_SCREENSHOTS = False
        pyautogui.useImageNotFoundException()
        self.desk = deskhand.Desk()
        self.addCleanup(self.desk.close)
        self.desk.release()
        self.desk.move(100, 100)
        _keyboard._down.clear()
        self.seen = len(self.history())

    def history(self):
        return self.desk.history()["actions"]

    def did(self, *lines):
        """Asserts what arrived since the last call; moves to the current position are ignored."""
        actions = self.history()[self.seen :]
        self.seen += len(actions)
        found = []
        for text in map(written, actions):
            if not (text.startswith("move") and found and found[-1] == text):
                found.append(text)
        self.assertEqual(found, list(lines))

    def at(self, x, y):
        self.assertEqual(tuple(pyautogui.position()), (x, y))

    def takes(self, function, expected):
        """Asserts a function's parameters."""
        self.assertEqual(signature(function), expected)

    def cut(self, box=PART):
        """A part of the screen as a file that is removed afterwards."""
        handle, path = tempfile.mkstemp(".png")
        os.close(handle)
        self.addCleanup(os.unlink, path)
        pyautogui.screenshot(path, region=box)
        return path

