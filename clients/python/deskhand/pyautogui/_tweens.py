"""Easing functions, after Robert Penner's equations: the share of the distance by the share of the time, 0 to 1.

Each family is one curve that starts slowly; `Out` is the same curve reversed, `InOut` both in turn.
"""

from __future__ import annotations

import math
from typing import Callable, Tuple

Curve = Callable[[float], float]

#: How far `Back` overshoots.
OVERSHOOT = 1.70158


def linear(n: float) -> float:
    """Constant speed."""
    if not 0.0 <= n <= 1.0:
        from ._base import PyAutoGUIException

        raise PyAutoGUIException("Argument must be between 0.0 and 1.0.")
    return n


def getPointOnLine(x1: float, y1: float, x2: float, y2: float, n: float) -> Tuple[float, float]:
    """Returns the point at fraction n on the line from one point to another."""
    return x1 + (x2 - x1) * n, y1 + (y2 - y1) * n


def _out(curve: Curve, n: float) -> float:
    return 1 - curve(1 - n)


def _in_out(curve: Curve, n: float) -> float:
    return curve(2 * n) / 2 if n < 0.5 else 1 - curve(2 - 2 * n) / 2


def _family(name: str, curve: Curve) -> Tuple[Curve, Curve, Curve]:
    """Returns the three functions of a curve."""

    def ease_in(n: float) -> float:
        return curve(n)

    def ease_out(n: float) -> float:
        return _out(curve, n)

    def ease_in_out(n: float) -> float:
        return _in_out(curve, n)

    for ease, kind in ((ease_in, "In"), (ease_out, "Out"), (ease_in_out, "InOut")):
        ease.__name__ = ease.__qualname__ = f"ease{kind}{name}"
        ease.__doc__ = f"Easing by the curve {name}: {kind}."
    return ease_in, ease_out, ease_in_out


def _bounce(n: float) -> float:
    """Four parabolas, seen from the end."""
    rest = 1 - n
    for start, middle, low in ((0, 0, 0), (1, 1.5, 0.75), (2, 2.25, 0.9375), (2.5, 2.625, 0.984375)):
        if start / 2.75 <= rest:
            height = 7.5625 * (rest - middle / 2.75) ** 2 + low
    return 1 - height


easeInQuad, easeOutQuad, easeInOutQuad = _family("Quad", lambda n: n**2)
easeInCubic, easeOutCubic, easeInOutCubic = _family("Cubic", lambda n: n**3)
easeInQuart, easeOutQuart, easeInOutQuart = _family("Quart", lambda n: n**4)
easeInQuint, easeOutQuint, easeInOutQuint = _family("Quint", lambda n: n**5)
easeInSine, easeOutSine, easeInOutSine = _family("Sine", lambda n: 1 - math.cos(n * math.pi / 2))
easeInExpo, easeOutExpo, easeInOutExpo = _family("Expo", lambda n: 2 ** (10 * (n - 1)) if n else 0)
easeInCirc, easeOutCirc, easeInOutCirc = _family("Circ", lambda n: 1 - math.sqrt(1 - n * n))
easeInBounce, easeOutBounce, easeInOutBounce = _family("Bounce", _bounce)


def _elastic(n: float, amplitude: float, period: float) -> float:
    height = max(amplitude, 1)
    shift = period / (2 * math.pi) * math.asin(1 / height) if amplitude >= 1 else period / 4
    return -height * 2 ** (10 * (n - 1)) * math.sin((1 - n - shift) * 2 * math.pi / period)


def easeInElastic(n: float, amplitude: float = 1, period: float = 0.3) -> float:
    """A growing oscillation."""
    return _elastic(n, amplitude, period)


def easeOutElastic(n: float, amplitude: float = 1, period: float = 0.3) -> float:
    """A decaying oscillation."""
    return _out(lambda m: _elastic(m, amplitude, period), n)


def easeInOutElastic(n: float, amplitude: float = 1, period: float = 0.5) -> float:
    """A growing, then decaying oscillation."""
    return _in_out(lambda m: _elastic(m, amplitude, period), n)


def _back(n: float, s: float) -> float:
    return n * n * ((s + 1) * n - s)


def easeInBack(n: float, s: float = OVERSHOOT) -> float:
    """A start in the other direction."""
    return _back(n, s)


def easeOutBack(n: float, s: float = OVERSHOOT) -> float:
    """A movement that overshoots its end and returns."""
    return _out(lambda m: _back(m, s), n)


def easeInOutBack(n: float, s: float = OVERSHOOT) -> float:
    """A start in the other direction, and an end that overshoots and returns."""
    return _in_out(lambda m: _back(m, s * 1.525), n)
