"""Measures how often a second OpenCV finds a picture in a screen, as PyAutoGUI does with `confidence`; run by find.ts.

Both files are read before: what counts is matchTemplate, and looking for the best place in what it gives.
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
