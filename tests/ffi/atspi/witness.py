"""Prints the elements that python3-pyatspi finds in a window with a title: role, name and center, one per line."""

import sys

import pyatspi

LIMIT = 2000


def walk(element, shown_state, lines):
    place = element.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
    shown = element.getState().contains(shown_state)
    if shown and place.width > 0:
        middle = f"{place.x + place.width // 2},{place.y + place.height // 2}"
        lines.append(f"{element.getRoleName()}\t{element.name.strip()}\t{middle}")
    for child in element:
        if child is not None and len(lines) < LIMIT:
            walk(child, shown_state, lines)


lines = []
for application in pyatspi.Registry.getDesktop(0):
    if application is None:
        continue
    # GTK 4.8 never reports an element as showing.
    is_gtk4 = application.get_toolkit_name() == "GTK" and application.get_toolkit_version().startswith("4.")
    for window in application:
        if window is not None and window.name == sys.argv[1]:
            walk(window, pyatspi.STATE_VISIBLE if is_gtk4 else pyatspi.STATE_SHOWING, lines)
print("\n".join(lines))
