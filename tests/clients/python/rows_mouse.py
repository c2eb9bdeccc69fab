"""PyAutoGUI's mouse functions: each row of docs/pyautogui.md is a test here."""

import time
import unittest
from unittest import mock

from desk_rows import MIDDLE, Rows, pyautogui

MOVE = "duration=0.0, tween=linear, logScreenshot=False, _pause=True"
ACT = "duration=0.0, tween=linear, logScreenshot=None, _pause=True"
DRAG = "duration=0.0, tween=linear, button='primary', logScreenshot=None, _pause=True, mouseDownUp=True"


class Mouse(Rows):
    def test_position(self):
        self.takes(pyautogui.position, "x=None, y=None")
        place = pyautogui.position()
        self.assertEqual((place, place.x, place.y), ((100, 100), 100, 100))
        self.assertEqual(pyautogui.position(x=5), (5, 100))
        self.assertEqual(pyautogui.position(y=7.9), (100, 7))

    def test_size(self):
        size = pyautogui.size()
        self.assertEqual((size, size.width, size.height), ((1280, 720), 1280, 720))

    def test_resolution(self):
        self.assertEqual(pyautogui.resolution(), (1280, 720))

    def test_onScreen(self):
        self.takes(pyautogui.onScreen, "x, y=None")
        for place, expected in (((0, 0), True), ((0, -1), False), ((1280, 720), False), ((1279, 719), True)):
            self.assertIs(pyautogui.onScreen(*place), expected)
            self.assertIs(pyautogui.onScreen(place), expected)
            self.assertIs(pyautogui.onScreen(list(place)), expected)

    def test_moveTo(self):
        self.takes(pyautogui.moveTo, f"x=None, y=None, {MOVE}")
        pyautogui.moveTo(200, 300)
        pyautogui.moveTo(None, 350)
        pyautogui.moveTo(250, None)
        pyautogui.moveTo((10, 20))
        pyautogui.moveTo([30.9, 40.2])
        pyautogui.moveTo((100, 100, 50, 31))
        self.did("move 200,300", "move 200,350", "move 250,350", "move 10,20", "move 30,40", "move 125,115")
        pyautogui.FAILSAFE = False
        pyautogui.moveTo(-5, 9999)
        self.at(0, 719)
        self.assertRaises(pyautogui.PyAutoGUIException, pyautogui.moveTo, (1, 2), 3)
        self.assertRaises(pyautogui.PyAutoGUIException, pyautogui.moveTo, (1, 2, 3))

    def test_moveTo_takes_its_time(self):
        self.seen = len(self.history())
        begin = time.monotonic()
        pyautogui.moveTo(300, 100, 0.5)
        took = time.monotonic() - begin
        steps = [action["x"] for action in self.history()[self.seen :]]
        self.assertGreaterEqual(took, 0.5)
        self.assertEqual((len(steps), steps[-1], steps), (10, 300, sorted(steps)))
        self.assertEqual(steps[:3], [120, 140, 160])
        pyautogui.moveTo(100, 100, 0.2, pyautogui.easeInQuad)
        steps = [action["x"] for action in self.history()[self.seen + 10 :]]
        self.assertEqual(steps, [288, 250, 188, 100])

    def test_moveTo_an_image(self):
        pyautogui.moveTo(self.cut())
        self.at(*MIDDLE)

    def test_moveRel(self):
        self.takes(pyautogui.moveRel, f"xOffset=None, yOffset=None, {MOVE}")
        pyautogui.moveRel(0, 50)
        pyautogui.moveRel(-30, None)
        pyautogui.moveRel((5, -5))
        self.did("move 100,150", "move 70,150", "move 75,145")

    def test_move(self):
        self.assertIs(pyautogui.move, pyautogui.moveRel)

    def test_dragTo(self):
        self.takes(pyautogui.dragTo, f"x=None, y=None, {DRAG}")
        pyautogui.dragTo(102, 101)
        drag = [one for one in self.history()[self.seen :] if one["type"] == "button"]
        self.assertEqual([(one["x"], one["y"], one["down"]) for one in drag], [(100, 100, True), (102, 101, False)])
        self.seen = len(self.history())
        pyautogui.dragTo(108, 101, 0.2, button="right")
        self.did("right down", "move 104,101", "move 105,101", "move 106,101", "move 108,101", "right up")
        pyautogui.dragTo(110, 101, mouseDownUp=False)
        self.did("move 110,101")

    def test_dragRel(self):
        self.takes(pyautogui.dragRel, f"xOffset=0, yOffset=0, {DRAG}")
        pyautogui.dragRel(8, 0, 0.2, button="middle")
        self.did("middle down", "move 102,100", "move 104,100", "move 106,100", "move 108,100", "middle up")
        pyautogui.dragRel(0, 0)
        self.did()

    def test_drag(self):
        self.assertIs(pyautogui.drag, pyautogui.dragRel)

    def test_a_drag_that_fails_leaves_no_button_down(self):
        def stop(_n):
            raise KeyError("a tween that fails")

        self.assertRaises(KeyError, pyautogui.dragTo, 200, 200, 0.5, stop)
        self.did("left down", "left up")

    def test_click(self):
        self.takes(pyautogui.click, f"x=None, y=None, clicks=1, interval=0.0, button='primary', {ACT}")
        pyautogui.click()
        self.did("move 100,100", "left down", "left up")
        pyautogui.click(x=50, y=60, button="right")
        self.did("move 50,60", "right down", "right up")
        pyautogui.click(clicks=2)
        self.did("move 50,60", *["left down", "left up"] * 2)
        pyautogui.click((70, 80), clicks=2, interval=0.01, button=2)
        self.did("move 70,80", "middle down", "middle up", "move 70,80", "middle down", "middle up")
        pyautogui.click(clicks=5, button="secondary")
        self.did(*["move 70,80", "right down", "right up"] * 5)
        pyautogui.click(self.cut())
        self.did(f"move {MIDDLE[0]},{MIDDLE[1]}", "left down", "left up")
        self.assertRaises(pyautogui.PyAutoGUIException, pyautogui.click, button="lfet")

    def test_click_waits_between(self):
        with mock.patch("deskhand.pyautogui._mouse.time.sleep") as sleep:
            pyautogui.click(clicks=3, interval=0.25)
        self.assertEqual([call.args for call in sleep.call_args_list if call.args != (0,)], [(0.25,)] * 3)

    def one_button(self, function, button, count=1, chosen=""):
        self.takes(function, f"x=None, y=None, interval=0.0, {chosen}{ACT}")
        function(20, 30)
        self.did("move 20,30", *[f"{button} down", f"{button} up"] * count)

    def test_leftClick(self):
        self.one_button(pyautogui.leftClick, "left")

    def test_rightClick(self):
        self.one_button(pyautogui.rightClick, "right")

    def test_middleClick(self):
        self.one_button(pyautogui.middleClick, "middle")

    def test_doubleClick(self):
        self.one_button(pyautogui.doubleClick, "left", 2, "button='left', ")

    def test_tripleClick(self):
        self.one_button(pyautogui.tripleClick, "left", 3, "button='left', ")

    def test_mouseDown(self):
        self.takes(pyautogui.mouseDown, f"x=None, y=None, button='primary', {ACT}")
        pyautogui.mouseDown()
        pyautogui.moveTo(120, 100)
        pyautogui.mouseUp()
        self.did("move 100,100", "left down", "move 120,100", "left up")

    def test_mouseUp(self):
        self.takes(pyautogui.mouseUp, f"x=None, y=None, button='primary', {ACT}")
        pyautogui.mouseDown(button="right")
        pyautogui.mouseUp(button="right", x=100, y=200)
        self.did("move 100,100", "right down", "move 100,200", "right up")

    def test_scroll(self):
        self.takes(pyautogui.scroll, "clicks, x=None, y=None, logScreenshot=None, _pause=True")
        pyautogui.scroll(10)
        pyautogui.scroll(-10)
        pyautogui.scroll(0)
        self.did("up 10", "down 10")
        pyautogui.scroll(3, x=40, y=50)
        self.did("move 40,50", "up 3")
        pyautogui.scroll(-2500)
        self.did("down 1000", "down 1000", "down 500")

    def test_vscroll(self):
        self.takes(pyautogui.vscroll, "clicks, x=None, y=None, logScreenshot=None, _pause=True")
        pyautogui.vscroll(-2)
        self.did("down 2")

    def test_hscroll(self):
        self.takes(pyautogui.hscroll, "clicks, x=None, y=None, logScreenshot=None, _pause=True")
        pyautogui.hscroll(4)
        pyautogui.hscroll(-4, (60, 70))
        self.did("right 4", "move 60,70", "left 4")

    def test_LEFT(self):
        self.assertEqual(pyautogui.LEFT, "left")

    def test_MIDDLE(self):
        self.assertEqual(pyautogui.MIDDLE, "middle")

    def test_RIGHT(self):
        self.assertEqual(pyautogui.RIGHT, "right")

    def test_PRIMARY(self):
        self.assertEqual(pyautogui.PRIMARY, "primary")
        pyautogui.click(button=pyautogui.PRIMARY)
        self.did("move 100,100", "left down", "left up")

    def test_SECONDARY(self):
        self.assertEqual(pyautogui.SECONDARY, "secondary")
        pyautogui.click(button=pyautogui.SECONDARY)
        self.did("move 100,100", "right down", "right up")


if __name__ == "__main__":
    unittest.main()
