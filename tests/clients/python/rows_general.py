"""PyAutoGUI's other functions and its settings: each row of docs/pyautogui.md is a test here."""

import contextlib
import io
import sys
import time
import unittest
from unittest import mock

from desk_rows import Rows, pyautogui

#: Values of Robert Penner's easing equations at a quarter of the time; Out mirrors In.
AT_A_QUARTER = {
    "Quad": 0.0625,
    "Cubic": 0.015625,
    "Quart": 0.00390625,
    "Quint": 0.0009765625,
    "Sine": 0.0761204675,
    "Expo": 0.0055242717,
    "Circ": 0.0317541634,
    "Elastic": -0.0055242717,
    "Back": -0.0641365625,
    "Bounce": 0.02734375,
}


class Tweens(unittest.TestCase):
    """A test for each function, named after it."""


def tween_test(kind, family):
    def test(self):
        ease = getattr(pyautogui, f"ease{kind}{family}")
        self.assertAlmostEqual(ease(0), 0, places=2)
        self.assertAlmostEqual(ease(1), 1, places=2)
        expected = AT_A_QUARTER[family]
        if kind == "In":
            self.assertAlmostEqual(ease(0.25), expected)
        elif kind == "Out":
            self.assertAlmostEqual(ease(0.75), 1 - expected)
        else:
            self.assertAlmostEqual(ease(0.3) + ease(0.7), 1)
            self.assertAlmostEqual(ease(0.5), 0.5, places=2)
            if family not in ("Elastic", "Back"):  # InOut of these has other parameters
                self.assertAlmostEqual(ease(0.125), expected / 2)
        self.assertEqual(ease.__name__, f"ease{kind}{family}")

    return test


for _family in AT_A_QUARTER:
    for _kind in ("In", "Out", "InOut"):
        setattr(Tweens, f"test_ease{_kind}{_family}", tween_test(_kind, _family))


class General(Rows):
    def test_linear(self):
        self.assertEqual(pyautogui.linear(0.3), 0.3)
        self.assertRaises(pyautogui.PyAutoGUIException, pyautogui.linear, 1.1)

    def test_getPointOnLine(self):
        self.takes(pyautogui.getPointOnLine, "x1, y1, x2, y2, n")
        self.assertEqual(pyautogui.getPointOnLine(0, 0, 6, 6, 0.75), (4.5, 4.5))

    def test_sleep(self):
        begin = time.monotonic()
        pyautogui.sleep(0.05)
        self.assertGreaterEqual(time.monotonic() - begin, 0.05)

    def test_countdown(self):
        with mock.patch("time.sleep") as sleep, contextlib.redirect_stdout(io.StringIO()) as printed:
            pyautogui.countdown(3)
        self.assertEqual((printed.getvalue(), sleep.call_count), ("3 2 1 \n", 3))

    def test_run(self):
        self.takes(pyautogui.run, "commandStr, _ssCount=None")
        pyautogui.run("g50,60 c g+10,-20 r p0.0 s0.001 su sd k'a' w'hi' h'ctrl, c' f2(m)")
        self.did(
            *["move 50,60", "left down", "left up", "move 60,40", "right down", "right up", "up 1", "down 1"],
            *["a down", "a up", "text hi", "ctrl down", "c down", "c up", "ctrl up"],
            *["move 60,40", "middle down", "middle up"] * 2,
        )
        for wrong, why in (
            ("cxc", "index 1: x is not a valid command"),
            ("g5", "index 1: two numbers"),
            ("g5,+5", r"both have a \+/- or neither"),
            ("k", "index 1: a quoted string"),
            ("f2(c", "Not enough close parentheses"),
            ("f2(q)", "index 3: q is not"),
        ):
            with self.subTest(wrong), self.assertRaisesRegex(pyautogui.PyAutoGUIException, why):
                pyautogui.run(wrong)
        self.did()

    def test_getInfo(self):
        platform, version, own, executable, size, _time = pyautogui.getInfo()
        self.assertEqual((platform, version, executable), (sys.platform, sys.version, sys.executable))
        self.assertEqual((own, size), (pyautogui.__version__, (1280, 720)))

    def test_printInfo(self):
        self.takes(pyautogui.printInfo, "dontPrint=False")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            text = pyautogui.printInfo()
            self.assertRegex(pyautogui.printInfo(True), r"Resolution: Size\(width=1280, height=720\)")
        self.assertEqual(printed.getvalue(), text + "\n")

    def test_displayMousePosition(self):
        self.takes(pyautogui.displayMousePosition, "xOffset=0, yOffset=0")
        with mock.patch("deskhand.pyautogui._general.time.sleep", side_effect=KeyboardInterrupt):
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                pyautogui.displayMousePosition()
        self.assertRegex(printed.getvalue(), r"X:  100 Y:  100 RGB: \( *\d+, *\d+, *\d+\)")

    def test_alert(self):
        self.boxes("alert", "pymsgbox")

    def test_confirm(self):
        self.boxes("confirm", "pymsgbox")

    def test_prompt(self):
        self.boxes("prompt", "pymsgbox")

    def test_password(self):
        self.boxes("password", "pymsgbox")

    def test_mouseInfo(self):
        self.boxes("mouseInfo", "mouseinfo", "MouseInfoWindow")

    def boxes(self, name, module, called=None):
        function = getattr(pyautogui, name)
        with mock.patch.dict(sys.modules, {module: None}):
            with self.assertRaisesRegex(pyautogui.PyAutoGUIException, f"pip install {module}"):
                function()
        package = mock.Mock()
        with mock.patch.dict(sys.modules, {module: package}):
            function("text")
        getattr(package, called or name).assert_called_once_with("text")

    def test_failSafeCheck(self):
        pyautogui.failSafeCheck()
        pyautogui.moveTo(0, 0)
        self.assertRaises(pyautogui.FailSafeException, pyautogui.failSafeCheck)
        self.assertRaises(pyautogui.FailSafeException, pyautogui.moveTo, 5, 5)
        self.assertRaises(pyautogui.FailSafeException, pyautogui.write, "a")
        pyautogui.FAILSAFE = False
        pyautogui.moveTo(5, 5)
        self.did("move 0,0", "move 5,5")

    def test_FAILSAFE(self):
        for corner in pyautogui.FAILSAFE_POINTS:
            with self.subTest(corner):
                pyautogui.FAILSAFE = False
                pyautogui.moveTo(*corner)
                pyautogui.FAILSAFE = True
                self.assertRaises(pyautogui.FailSafeException, pyautogui.click)

    def test_a_person_in_the_corner_stops_a_text(self):
        text = "x" * 200
        kept = pyautogui._keyboard.failSafeCheck
        self.addCleanup(setattr, pyautogui._keyboard, "failSafeCheck", kept)
        calls = []

        def moved_by_a_person():
            calls.append(1)
            if len(calls) == 3:
                self.desk.move(0, 0)
            kept()

        pyautogui._keyboard.failSafeCheck = moved_by_a_person
        self.assertRaises(pyautogui.FailSafeException, pyautogui.write, text)
        self.did("text " + "x" * 50, "text " + "x" * 50, "move 0,0")

    def test_FAILSAFE_POINTS(self):
        self.assertEqual(pyautogui.FAILSAFE_POINTS, [(0, 0), (0, 719), (1279, 0), (1279, 719)])
        self.addCleanup(setattr, pyautogui, "FAILSAFE_POINTS", pyautogui.FAILSAFE_POINTS)
        pyautogui.FAILSAFE_POINTS = [(100, 100)]
        self.assertRaises(pyautogui.FailSafeException, pyautogui.press, "a")

    def test_PAUSE(self):
        for name, arguments in (("moveTo", (110, 110)), ("click", ()), ("press", ("a",)), ("write", ("",)), ("scroll", (1,))):
            with self.subTest(name):
                pyautogui.PAUSE = 0.05
                begin = time.monotonic()
                getattr(pyautogui, name)(*arguments)
                self.assertGreaterEqual(time.monotonic() - begin, 0.05)
                pyautogui.PAUSE = 60
                begin = time.monotonic()
                getattr(pyautogui, name)(*arguments, _pause=False)
                self.assertLess(time.monotonic() - begin, 60)

    def test_MINIMUM_DURATION(self):
        self.assertEqual(pyautogui.MINIMUM_DURATION, 0.1)
        pyautogui.moveTo(300, 100, 0.1)
        self.did("move 300,100")

    def test_MINIMUM_SLEEP(self):
        self.assertEqual(pyautogui.MINIMUM_SLEEP, 0.05)
        self.addCleanup(setattr, pyautogui, "MINIMUM_SLEEP", 0.05)
        pyautogui.MINIMUM_SLEEP = 0.1
        pyautogui.moveTo(300, 100, 0.2)
        self.did("move 200,100", "move 300,100")

    def test_DARWIN_CATCH_UP_TIME(self):
        self.assertEqual(pyautogui.DARWIN_CATCH_UP_TIME, 0.01)

    def test___version__(self):
        self.assertEqual(pyautogui.__version__, "0.9.54")

    def test_Point(self):
        self.assertEqual(repr(pyautogui.Point(1, 2)), "Point(x=1, y=2)")

    def test_Size(self):
        self.assertEqual(repr(pyautogui.Size(1, 2)), "Size(width=1, height=2)")

    def test_PyAutoGUIException(self):
        self.assertTrue(issubclass(pyautogui.PyAutoGUIException, Exception))

    def test_FailSafeException(self):
        self.assertTrue(issubclass(pyautogui.FailSafeException, pyautogui.PyAutoGUIException))


if __name__ == "__main__":
    unittest.main()
