"""Reads the showing elements of a window with python3-pyatspi; prints the milliseconds of each reading as JSON.

Arguments: the window's title and the number of readings.
"""

import json
import sys
import time

import pyatspi


def walk(element):
    """Reads the role, name, states and place of each showing element, as deskhand does; returns their number."""
    if not element.getState().contains(pyatspi.STATE_SHOWING):
        return 0
    element.getRoleName(), element.name
    try:
        element.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
    except NotImplementedError:
        pass
    return 1 + sum(walk(child) for child in element if child is not None)


def find(title):
    """Returns the window with a title."""
    for application in pyatspi.Registry.getDesktop(0):
        for window in application:
            if window is not None and window.name == title:
                return window
    sys.exit(f"there is no window {title}")


times, count = [], 0
window = find(sys.argv[1])
for _ in range(int(sys.argv[2])):
    window.clearCache()
    start = time.perf_counter()
    count = walk(window)
    times.append(1000 * (time.perf_counter() - start))
print(json.dumps({"ms": times, "count": count}))
