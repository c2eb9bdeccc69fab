"""Measures how often per second OpenCV finds a picture on a screen, as PyAutoGUI does with `confidence`; for find.ts.

Reads both files first: only matchTemplate and the search for the best place in its result count.
"""

import json
import sys
import time

import cv2

SECONDS = 1


def per_second(screen, picture):
    count = 0
    start = time.perf_counter()
    while time.perf_counter() - start < SECONDS or count < 3:
        cv2.minMaxLoc(cv2.matchTemplate(screen, picture, cv2.TM_CCOEFF_NORMED))
        count += 1
    return count / (time.perf_counter() - start)


rates = {
    name: per_second(*(cv2.imread(file, flag) for file in sys.argv[1:3]))
    for name, flag in (("grey", cv2.IMREAD_GRAYSCALE), ("colour", cv2.IMREAD_COLOR))
}
print(json.dumps(rates))
