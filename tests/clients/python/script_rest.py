"""The PyAutoGUI functions that script.py does not call, on a real desktop. It prints its findings as JSON."""

import contextlib
import io
import json
import os
import sys
import _thread
import threading
import time

import deskhand.pyautogui as pyautogui
from noise import noise

os.chdir(sys.argv[1])
pyautogui.PAUSE = 0.02
found = {}

# The mouse, in the middle of a window.
pyautogui.moveTo(500, 400)
pyautogui.moveRel(10, 5)
pyautogui.leftClick()
pyautogui.rightClick(505, 405)
pyautogui.tripleClick(510, 405)
pyautogui.click(button=pyautogui.PRIMARY)
pyautogui.click(button=pyautogui.MIDDLE)
pyautogui.mouseDown(button=pyautogui.LEFT)
pyautogui.dragRel(20, 0, 0.1, button="left", mouseDownUp=False)
pyautogui.mouseUp()
pyautogui.click(button=pyautogui.RIGHT)
pyautogui.click(button=pyautogui.SECONDARY)
pyautogui.vscroll(1)
found["place"] = pyautogui.position()
found["sizes"] = pyautogui.resolution() == pyautogui.size() == pyautogui.Size(*pyautogui.screenshot().size)
found["on screen"] = [pyautogui.onScreen(0, 0), pyautogui.onScreen(pyautogui.size())]

# The keyboard.
pyautogui.typewrite(["a", "left"])
pyautogui.shortcut("ctrl", "b")
found["keys"] = [name for name in ("a", "f5", "ctrl", "volumeup") if not pyautogui.isValidKey(name)]
found["no key"] = pyautogui.isValidKey("nokey")

# PyAutoGUI's own command language.
pyautogui.run("g520,410 c k'f5' h'ctrl,c' s0.01")

# Pictures.
screen = pyautogui.screenshot()
boxes = [(x, y, 80, 60) for x in range(0, 1200, 80) for y in range(0, 660, 60)]
part = max(boxes, key=lambda box: len(set(screen.crop((box[0], box[1], box[0] + 80, box[1] + 60)).getdata())))
pyautogui.screenshot("part.png", region=part)
place = pyautogui.locateOnScreen("part.png")
found["all in a picture"] = place in list(pyautogui.locateAll("part.png", screen))
found["pixel"] = tuple(pyautogui.pixel(*part[:2])) == tuple(screen.getpixel(part[:2]))[:3]
pyautogui.useImageNotFoundException(False)
found["nothing"] = pyautogui.locateOnScreen(noise(screen))
pyautogui.useImageNotFoundException()
pyautogui.LOG_SCREENSHOTS = True
pyautogui.LOG_SCREENSHOTS_LIMIT = 1
for _ in range(2):
    pyautogui.press("shift")
pyautogui.LOG_SCREENSHOTS = False
found["logged"] = len([name for name in os.listdir(".") if name != "part.png"])

# Windows.
windows = pyautogui.getAllWindows()
titles = [window.title for window in windows]
found["titles"] = titles == pyautogui.getAllTitles()
active = pyautogui.getActiveWindow()
found["active"] = (active and active.title) == pyautogui.getActiveWindowTitle()
found["by title"] = not titles or windows[0] in pyautogui.getWindowsWithTitle(titles[0][1:-1])
found["window"] = [isinstance(window, pyautogui.Window) and window.width > 0 for window in windows]
found["there"] = [window.title for window in pyautogui.getWindowsAt(500, 400)]
if windows:
    found["on it"] = pyautogui.locateOnWindow("part.png", titles[0]) is not None
    try:
        windows[0].activate()
        found["activated"] = windows[0].isActive
    except pyautogui.PyGetWindowException as error:
        found["activated"] = str(error)

# Everything else.
printed = io.StringIO()


def interrupt_when_printed():
    """Sends Ctrl-C to displayMousePosition, which runs until then."""
    while "RGB" not in printed.getvalue():
        time.sleep(0.01)
    _thread.interrupt_main()


with contextlib.redirect_stdout(printed):
    pyautogui.countdown(1)
    pyautogui.printInfo()
    threading.Thread(target=interrupt_when_printed).start()
    pyautogui.displayMousePosition()
found["printed"] = [part in printed.getvalue() for part in ("1 \n", "Resolution: Size(width=1280", "X:  520 Y:  410 RGB:")]
found["info"] = pyautogui.getInfo()[4] == pyautogui.size()
begun = time.monotonic()
pyautogui.sleep(0.1)
pyautogui.PAUSE = 0.2
pyautogui.move(1, 0)
found["paused"] = time.monotonic() - begun >= 0.3
pyautogui.PAUSE = 0
pyautogui.FAILSAFE_POINTS.append(pyautogui.Point(600, 300))
pyautogui.moveTo(600, 300)
found["stopped"] = False
try:
    pyautogui.failSafeCheck()
except pyautogui.FailSafeException:
    found["stopped"] = True
pyautogui.FAILSAFE = False

print(json.dumps(found))
