"""PyAutoGUI's functions for pictures and windows: each row of docs/pyautogui.md is a test here."""

import os
import unittest
from unittest import mock

from desk_rows import MIDDLE, PART, Rows, pyautogui
from deskhand._image import Image, plain_image

try:
    from PIL import Image as pillow
except ImportError:
    pillow = None

NEVER = Image(9, 7, bytes(range(189)))


class Screen(Rows):
    def test_screenshot(self):
        self.takes(pyautogui.screenshot, "imageFilename=None, region=None")
        image = pyautogui.screenshot()
        self.assertEqual((image.size, image.width, image.mode), ((1280, 720), 1280, "RGB"))
        self.assertEqual(tuple(image.getpixel((5, 5))), tuple(pyautogui.pixel(5, 5)))
        self.assertEqual(type(image).__module__.split(".")[0], "PIL" if pillow else "deskhand")
        part = pyautogui.screenshot(region=PART)
        left, top, width, height = PART
        self.assertEqual(part.size, (width, height))
        self.assertEqual(part.tobytes(), image.crop((left, top, left + width, top + height)).tobytes())
        path = self.cut()
        self.assertEqual(plain_image(path).tobytes(), part.tobytes())
        self.assertEqual(pyautogui.screenshot(region=(1270, 710, 50, 50)).size, (10, 10))

    def test_pixel(self):
        self.takes(pyautogui.pixel, "x, y")
        color = pyautogui.pixel(5, 5)
        self.assertEqual((color.red, color.green, color.blue), tuple(color))
        self.assertRaisesRegex(pyautogui.PyAutoGUIException, "x must be from 0 to 1279", pyautogui.pixel, 5000, 5)

    def test_RGB(self):
        self.assertEqual(repr(pyautogui.RGB(1, 2, 3)), "RGB(red=1, green=2, blue=3)")

    def test_pixelMatchesColor(self):
        self.takes(pyautogui.pixelMatchesColor, "x, y, expectedRGBColor, tolerance=0")
        red, green, blue = pyautogui.pixel(5, 5)
        self.assertTrue(pyautogui.pixelMatchesColor(5, 5, (red, green, blue)))
        self.assertTrue(pyautogui.pixelMatchesColor(5, 5, (red, green, blue, 255)))
        self.assertFalse(pyautogui.pixelMatchesColor(5, 5, (red + 10, green, blue)))
        self.assertTrue(pyautogui.pixelMatchesColor(5, 5, (red + 10, green, blue), tolerance=10))

    def test_locateOnScreen(self):
        path = self.cut()
        box = pyautogui.locateOnScreen(path)
        self.assertEqual((box, box.left, box.height), (PART, PART[0], PART[3]))
        for options in (
            {"grayscale": True},
            {"grayscale": False},
            {"confidence": 0.9},
            {"confidence": 0.8, "grayscale": True, "region": (700, 300, 300, 200)},
            {"confidence": 0.8, "grayscale": True},
            {"confidence": 0.5, "grayscale": True},
            {"region": (700, 300, 300, 200)},
            {"minSearchTime": 1},
        ):
            with self.subTest(options):
                self.assertEqual(pyautogui.locateOnScreen(path, **options), PART)
        self.assertEqual(pyautogui.locateOnScreen(plain_image(path)), PART)
        if pillow:
            self.assertEqual(pyautogui.locateOnScreen(pillow.open(path)), PART)
        for missing in ({}, {"grayscale": True}, {"confidence": 0.9}, {"minSearchTime": 0.01}):
            with self.subTest(missing):
                self.assertRaises(pyautogui.ImageNotFoundException, pyautogui.locateOnScreen, NEVER, **missing)
        with self.assertRaises(pyautogui.ImageNotFoundException):
            pyautogui.locateOnScreen(path, region=(0, 0, 200, 200))
        with self.assertRaisesRegex(pyautogui.ImageNotFoundException, r"\(highest confidence < 0\.500\)"):
            pyautogui.locateOnScreen(path, region=(0, 0, 200, 200), confidence=0.99)
        self.assertRaises(ValueError, pyautogui.locateOnScreen, path, region=(0, 0, 20, 20))
        self.assertRaises(FileNotFoundError, pyautogui.locateOnScreen, "nothing.png")

    def test_locateOnScreen_of_a_changed_picture(self):
        cut = bytearray(plain_image(self.cut()).tobytes())
        for at in range(0, 90):
            cut[at] = 255 - cut[at]
        changed = Image(PART[2], PART[3], bytes(cut))
        with self.assertRaisesRegex(pyautogui.ImageNotFoundException, r"\(highest confidence = 0\.[5-9]\d\d\)"):
            pyautogui.locateOnScreen(changed)
        self.assertEqual(pyautogui.locateOnScreen(changed, confidence=0.8), PART)
        self.assertEqual(pyautogui.locateOnScreen(changed, confidence=0.8, grayscale=True), PART)

    def test_locateCenterOnScreen(self):
        self.assertEqual(pyautogui.locateCenterOnScreen(self.cut()), MIDDLE)
        self.assertRaises(pyautogui.ImageNotFoundException, pyautogui.locateCenterOnScreen, NEVER)

    def test_locateAllOnScreen(self):
        found = pyautogui.locateAllOnScreen(self.cut())
        self.assertEqual(next(found), PART)
        self.assertRaises(StopIteration, next, found)
        blank = Image(2, 2, bytes(pyautogui.pixel(5, 5)) * 4)
        boxes = list(pyautogui.locateAllOnScreen(blank, region=(0, 0, 10, 4)))
        self.assertEqual([(box.left, box.top) for box in boxes], [(x, y) for y in (0, 2) for x in range(0, 10, 2)])
        self.assertEqual(len(list(pyautogui.locateAllOnScreen(blank, limit=3))), 3)
        self.assertRaises(pyautogui.ImageNotFoundException, list, pyautogui.locateAllOnScreen(NEVER))

    def test_locate(self):
        path, screen = self.cut(), self.cut((700, 300, 300, 200))
        expected = (PART[0] - 700, PART[1] - 300, PART[2], PART[3])
        for options in ({}, {"grayscale": True}, {"confidence": 0.9}, {"region": (50, 50, 200, 100)}):
            with self.subTest(options):
                self.assertEqual(pyautogui.locate(path, screen, **options), expected)
        self.assertRaises(pyautogui.ImageNotFoundException, pyautogui.locate, NEVER, screen)
        # The best match, not the first.
        needle, row = Image(4, 1, bytes(range(12))), bytearray([200] * 36)
        row[0:12] = bytes([*range(9), 250, 250, 250])
        row[18:30] = bytes(range(12))
        self.assertEqual(pyautogui.locate(needle, Image(12, 1, bytes(row)), confidence=0.6).left, 6)

    def test_locateAll(self):
        self.takes(
            pyautogui.locateAll,
            "needleImage, haystackImage, grayscale=None, limit=None, region=None, step=1, confidence=None",
        )
        dot, row = Image(1, 1, b"abc"), Image(5, 1, b"abcxyzabcxyzabc")
        self.assertEqual([box.left for box in pyautogui.locateAll(dot, row)], [0, 2, 4])
        self.assertEqual([box.left for box in pyautogui.locateAll(dot, row, region=(1, 0, 3, 1))], [2])
        self.assertEqual([box.left for box in pyautogui.locateAll(dot, row, limit=2)], [0, 2])

    def test_locateOnWindow(self):
        self.takes(pyautogui.locateOnWindow, "image, title, **kwargs")
        window = pyautogui.getWindowsWithTitle("Notes")[0]
        window.activate()
        part = (window.left + 2, window.top + 2, 40, 30)
        self.assertEqual(pyautogui.locateOnWindow(self.cut(part), "notes"), part)
        self.assertRaises(pyautogui.PyAutoGUIException, pyautogui.locateOnWindow, NEVER, "no such window")

    def test_center(self):
        self.takes(pyautogui.center, "coords")
        for box, middle in (((10, 10, 6, 8), (13, 14)), ((10, 10, 7, 9), (13, 14)), ((10, 10, 8, 10), (14, 15))):
            self.assertEqual(pyautogui.center(box), middle)
        self.assertEqual(pyautogui.center(pyautogui.Box(0, 0, 2, 2)).x, 1)

    def test_Box(self):
        self.assertEqual(repr(pyautogui.Box(1, 2, 3, 4)), "Box(left=1, top=2, width=3, height=4)")

    def test_useImageNotFoundException(self):
        self.takes(pyautogui.useImageNotFoundException, "value=None")
        pyautogui.useImageNotFoundException(False)
        self.assertIsNone(pyautogui.locateOnScreen(NEVER))
        self.assertIsNone(pyautogui.locateCenterOnScreen(NEVER))
        self.assertEqual(list(pyautogui.locateAllOnScreen(NEVER)), [])
        self.assertIsNone(pyautogui.locate(NEVER, Image(20, 20, bytes(1200))))
        pyautogui.useImageNotFoundException()
        self.assertRaises(pyautogui.ImageNotFoundException, pyautogui.locateOnScreen, NEVER)

    def test_ImageNotFoundException(self):
        self.assertTrue(issubclass(pyautogui.ImageNotFoundException, pyautogui.PyAutoGUIException))

    def test_LOG_SCREENSHOTS(self):
        self.assertIs(pyautogui.LOG_SCREENSHOTS, False)
        with mock.patch("deskhand.pyautogui._screen.screenshot") as screenshot:
            pyautogui.click()
            self.assertFalse(screenshot.called)
            pyautogui.click(logScreenshot=True)
            pyautogui.LOG_SCREENSHOTS = True
            pyautogui.press("a")
            pyautogui.press("a", logScreenshot=False)
        names = [os.path.basename(call.args[0]) for call in screenshot.call_args_list]
        self.assertEqual([name.split("_", 2)[2] for name in names], ["click_left,1,100,1....png", "press_a.png"])

    def test_LOG_SCREENSHOTS_LIMIT(self):
        self.assertEqual(pyautogui.LOG_SCREENSHOTS_LIMIT, 10)


class Windows(Rows):
    def window(self):
        return pyautogui.getWindowsWithTitle("Notes")[0]

    def test_getAllTitles(self):
        self.assertEqual(sorted(pyautogui.getAllTitles()), ["Clock", "Form", "Notes"])

    def test_getAllWindows(self):
        self.assertEqual([window.title for window in pyautogui.getAllWindows()], pyautogui.getAllTitles())

    def test_getWindowsWithTitle(self):
        self.takes(pyautogui.getWindowsWithTitle, "title")
        self.assertEqual([window.title for window in pyautogui.getWindowsWithTitle("NOTE")], ["Notes"])
        self.assertEqual(pyautogui.getWindowsWithTitle("nothing"), [])

    def test_getWindowsAt(self):
        self.takes(pyautogui.getWindowsAt, "x, y")
        window = self.window()
        self.assertIn(window, pyautogui.getWindowsAt(window.left + 5, window.top + 5))
        self.assertEqual(pyautogui.getWindowsAt(1, 1), [])

    def test_getActiveWindow(self):
        self.window().activate()
        self.assertEqual(pyautogui.getActiveWindow(), self.window())

    def test_getActiveWindowTitle(self):
        pyautogui.getWindowsWithTitle("Clock")[0].activate()
        self.assertEqual(pyautogui.getActiveWindowTitle(), "Clock")

    def test_Window(self):
        window = self.window()
        window.restore()
        window.box = (400, 300, 200, 100)
        self.assertEqual((window.left, window.top, window.right, window.bottom), (400, 300, 600, 400))
        self.assertEqual((window.size, window.area, window.center), ((200, 100), 20000, (500, 350)))
        self.assertEqual((window.midleft, window.midbottom, window.bottomright), ((400, 350), (500, 400), (600, 400)))
        window.moveTo(100, 120)
        window.moveRel(10, -20)
        self.assertEqual(window.topleft, (110, 100))
        window.resizeTo(300, 200)
        window.resizeRel(20, 10)
        self.assertEqual(window.size, (320, 210))
        window.right = 900
        window.centery = 305
        self.assertEqual(window.box, (580, 200, 320, 210))
        window.topleft = (800, 380)
        window.size = (320, 180)
        window.width, window.height = 330, 190
        self.assertEqual(window.box, (800, 380, 330, 190))
        window.size = (320, 180)
        window.maximize()
        self.assertTrue(window.isMaximized)
        window.minimize()
        self.assertEqual((window.isMinimized, window.visible), (True, False))
        window.restore()
        window.activate()
        self.assertEqual((window.isMinimized, window.isActive, window.title), (False, True, "Notes"))
        self.assertRegex(str(window), 'left="800", top="380", width="320", height="180", title="Notes"')

    def test_PyGetWindowException(self):
        self.assertRaises(pyautogui.PyGetWindowException, pyautogui.Window("0x9999").activate)
        with self.assertRaisesRegex(pyautogui.PyGetWindowException, "gone"):
            print(pyautogui.Window("0x9999").title)


if __name__ == "__main__":
    unittest.main()
