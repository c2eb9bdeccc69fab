"""docs/pyautogui.md has a row for every name of the module, and every row has a test."""

import importlib
import os
import re
import unittest

import deskhand.pyautogui as pyautogui

FILES = ("rows_mouse", "rows_keyboard", "rows_screen", "rows_general")
#: Scripts that run on X11, sway, GNOME and KDE.
SCRIPTS = ("script.py", "script_rest.py")
#: Names that are the same on every desktop: constants, tweens, errors, and functions of other packages.
WITHOUT_DESKTOP = re.compile(
    "ease.*|[A-Z]+_(NAMES|KEYS|DURATION|SLEEP|UP_TIME)|QWERT[YZ]|Box|RGB|PyAutoGUIException|linear|getPointOnLine"
    "|DARWIN_CATCH_UP_TIME|isShiftCharacter|alert|confirm|prompt|password|mouseInfo|__version__"
)


def rows():
    """The names in the first column of the page's tables."""
    with open(os.environ["DESKHAND_PAGE"], encoding="utf-8") as file:
        lines = [line for line in file if line.startswith("| `")]
    return [name for line in lines for name in re.findall(r"`(\w+)`", line.split("|")[1])]


class Page(unittest.TestCase):
    def test_every_name_has_one_row(self):
        self.assertEqual(sorted(rows()), sorted([*pyautogui.__all__, "__version__"]))

    def test_every_row_has_a_test(self):
        tests = set()
        for file in FILES:
            for value in vars(importlib.import_module(file)).values():
                if isinstance(value, type) and issubclass(value, unittest.TestCase):
                    tests.update(name[len("test_") :] for name in dir(value) if name.startswith("test_"))
        self.assertEqual([name for name in rows() if name not in tests], [])

    def test_every_row_that_needs_a_desktop_is_in_a_script(self):
        folder = os.path.dirname(__file__)
        text = "pyautogui.write("  # the scripts' test types text
        for script in SCRIPTS:
            with open(os.path.join(folder, script), encoding="utf-8") as file:
                text += file.read()
        used = set(re.findall(r"pyautogui\.(\w+)", text))
        missing = [name for name in rows() if name not in used and not WITHOUT_DESKTOP.fullmatch(name)]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
