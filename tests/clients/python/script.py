"""A PyAutoGUI script with only its import line changed. It prints its findings as JSON."""

import json
import os
import sys

import deskhand.pyautogui as pyautogui
from noise import noise

pyautogui.PAUSE = 0.02
found = {}

# The mouse, in the middle of a window.
pyautogui.moveTo(500, 400)
pyautogui.click()
pyautogui.click(x=510, y=410, button="right")
pyautogui.middleClick()
pyautogui.doubleClick(500, 400)
pyautogui.scroll(2)
pyautogui.scroll(-1)
pyautogui.hscroll(1)
pyautogui.dragTo(560, 430, 0.2, pyautogui.easeInOutQuad, button="left")
pyautogui.drag(-30, 0)
pyautogui.mouseDown(button="right")
pyautogui.move(5, 5)
pyautogui.mouseUp(button="right")
found["position"] = pyautogui.position()
found["size"] = pyautogui.size()

# The keyboard.
pyautogui.press("f5")
pyautogui.press(["left", "up"])
pyautogui.press("a", presses=2, interval=0.01)
pyautogui.hotkey("ctrl", "shift", "t")
pyautogui.hotkey("ctrl", "b", interval=0.01)
with pyautogui.hold("shift"):
    pyautogui.press("left")
pyautogui.keyDown("ctrl")
pyautogui.press("c")
pyautogui.keyUp("ctrl")

# Pictures: every function finds the part with the most colors where it is.
screen = pyautogui.screenshot()
boxes = [(x, y, 80, 60) for x in range(0, 1200, 80) for y in range(0, 660, 60)]
part = max(boxes, key=lambda box: len(set(screen.crop((box[0], box[1], box[0] + 80, box[1] + 60)).getdata())))
path = os.path.join(sys.argv[1], "part.png")
pyautogui.screenshot(path, region=part)
ways = ({}, {"grayscale": True}, {"confidence": 0.9}, {"region": part})
located = [pyautogui.locateOnScreen(path, **way) for way in ways]
found["located"] = [
    pyautogui.screenshot(region=box).tobytes() == pyautogui.screenshot(region=part).tobytes() for box in located
]
found["in a picture"] = pyautogui.locate(path, screen) == located[0]
found["all"] = located[0] in list(pyautogui.locateAllOnScreen(path))
found["center"] = pyautogui.locateCenterOnScreen(path) == pyautogui.center(located[0])
found["pixel"] = pyautogui.pixelMatchesColor(part[0], part[1], screen.getpixel(part[:2]))
found["missing"] = False
try:
    pyautogui.locateOnScreen(noise(screen))
except pyautogui.ImageNotFoundException:
    found["missing"] = True

# Windows.
try:
    found["titles"] = pyautogui.getAllTitles()
    found["active"] = pyautogui.getActiveWindowTitle()
except pyautogui.PyGetWindowException as error:
    found["titles"] = str(error)

# The fail-safe.
found["stopped"] = False
pyautogui.moveTo(0, 0)
try:
    pyautogui.press("z")
except pyautogui.FailSafeException:
    found["stopped"] = True

pyautogui.FAILSAFE = False
pyautogui.moveTo(300, 300)

print(json.dumps(found))
