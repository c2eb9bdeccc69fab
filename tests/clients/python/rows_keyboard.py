"""PyAutoGUI's keyboard functions: each row of docs/pyautogui.md is a test here."""

import time
import unittest
import warnings

from desk_rows import Rows, pyautogui


def taps(*keys):
    return [f"{key} {way}" for key in keys for way in ("down", "up")]


class Keyboard(Rows):
    def test_write(self):
        self.takes(pyautogui.write, "message, interval=0.0, logScreenshot=None, _pause=True")
        pyautogui.write("Hello, world!\nhéllo €")
        self.did("text Hello, world!\nhéllo €")
        pyautogui.write("ab", interval=0.01)
        self.did("text a", "text b")
        pyautogui.write(["a", "left", "X", "Enter"])
        self.did("text a", *taps("left"), "text X", *taps("enter"))
        pyautogui.write("a\bc\r")
        self.did("text a", *taps("backspace"), "text c\n")
        pyautogui.write("x" * 120)
        self.did("text " + "x" * 50, "text " + "x" * 50, "text " + "x" * 20)

    def test_typewrite(self):
        self.assertIs(pyautogui.typewrite, pyautogui.write)

    def test_write_with_a_modifier_down_presses_keys(self):
        pyautogui.keyDown("ctrl")
        pyautogui.write("ac")
        pyautogui.keyUp("ctrl")
        self.did("ctrl down", *taps("a", "c"), "ctrl up")

    def test_press(self):
        self.takes(pyautogui.press, "keys, presses=1, interval=0.0, logScreenshot=None, _pause=True")
        pyautogui.press("enter")
        pyautogui.press("F1")
        pyautogui.press(["left", "left", "up"])
        self.did(*taps("enter", "f1", "left", "left", "up"))
        pyautogui.press("a", presses=3)
        self.did(*taps("a", "a", "a"))
        pyautogui.press("+")
        pyautogui.press(" ")
        self.did(*taps("+", "space"))
        begin = time.monotonic()
        pyautogui.press("b", presses=2, interval=0.05)
        self.assertGreaterEqual(time.monotonic() - begin, 0.1)
        self.did(*taps("b", "b"))

    def test_press_of_a_key_that_is_none_does_nothing_and_warns(self):
        with self.assertWarnsRegex(RuntimeWarning, "'banana' is not pressed"):
            pyautogui.press("banana")
        with self.assertWarnsRegex(RuntimeWarning, "'fn' is not pressed"):
            pyautogui.hotkey("fn", "a")
        self.did(*taps("a"))

    def test_every_key_of_the_list_is_pressed_or_said(self):
        pressed = []
        for key in pyautogui.KEY_NAMES:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                pyautogui.press(key)
            if not said:
                pressed.append(key)
        self.assertEqual([key for key in pyautogui.KEY_NAMES if key not in pressed], ["accept", "final", "fn", "junja"])
        self.assertEqual(len(self.history()) - self.seen, 2 * len(pressed))

    def test_keyDown(self):
        self.takes(pyautogui.keyDown, "key, logScreenshot=None, _pause=True")
        pyautogui.keyDown("shift")
        pyautogui.press("left")
        pyautogui.keyUp("shift")
        self.did("shift down", *taps("left"), "shift up")

    def test_keyUp(self):
        self.takes(pyautogui.keyUp, "key, logScreenshot=None, _pause=True")
        pyautogui.keyDown("a")
        pyautogui.keyUp("A".lower())
        self.did(*taps("a"))

    def test_hold(self):
        self.takes(pyautogui.hold, "keys, logScreenshot=None, _pause=True")
        with pyautogui.hold("shift"):
            pyautogui.press(["left", "left"])
        self.did("shift down", *taps("left", "left"), "shift up")
        with self.assertRaises(KeyError), pyautogui.hold(["ctrl", "alt"]):
            raise KeyError
        self.did("ctrl down", "alt down", "ctrl up", "alt up")

    def test_hotkey(self):
        self.takes(pyautogui.hotkey, "*args, **kwargs")
        expected = ["ctrl down", "shift down", "escape down", "escape up", "shift up", "ctrl up"]
        pyautogui.hotkey("ctrl", "shift", "esc")
        self.did(*expected)
        pyautogui.hotkey(["ctrl", "shift", "esc"])
        self.did(*expected)
        begin = time.monotonic()
        pyautogui.hotkey("ctrl", "shift", "esc", interval=0.02)
        self.assertGreaterEqual(time.monotonic() - begin, 0.12)
        self.did(*expected)
        pyautogui.hotkey("ctrl", "C")
        self.did("ctrl down", "C down", "C up", "ctrl up")
        pyautogui.hotkey("ctrl", "+")
        self.did("ctrl down", "+ down", "+ up", "ctrl up")

    def test_shortcut(self):
        self.assertIs(pyautogui.shortcut, pyautogui.hotkey)

    def test_isValidKey(self):
        self.takes(pyautogui.isValidKey, "key")
        self.assertEqual([pyautogui.isValidKey(key) for key in ("esc", "F5", "a", "banana", "fn")], [True] * 3 + [False] * 2)

    def test_isShiftCharacter(self):
        self.takes(pyautogui.isShiftCharacter, "character")
        self.assertEqual([pyautogui.isShiftCharacter(key) for key in "aA1!=+"], [False, True, False, True, False, True])

    def test_KEY_NAMES(self):
        self.assertEqual((len(pyautogui.KEY_NAMES), len(set(pyautogui.KEY_NAMES))), (194, 194))
        self.assertEqual(pyautogui.KEY_NAMES[:4] + pyautogui.KEY_NAMES[-3:], ["\t", "\n", "\r", " ", "option", "optionleft", "optionright"])

    def test_KEYBOARD_KEYS(self):
        self.assertIs(pyautogui.KEYBOARD_KEYS, pyautogui.KEY_NAMES)

    def test_QWERTY(self):
        self.assertEqual(len(pyautogui.QWERTY), 94)

    def test_QWERTZ(self):
        self.assertEqual(len(pyautogui.QWERTZ), 94)


if __name__ == "__main__":
    unittest.main()
