"""Functions that are not part of deskhand: message boxes and MouseInfo, through the packages that PyAutoGUI uses."""

from __future__ import annotations

import importlib
from typing import Any, Callable

from ._base import PyAutoGUIException


def _of(module: str, name: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            package = importlib.import_module(module)
        except ImportError:
            raise PyAutoGUIException(f"{call.__name__}() needs the package {module}: pip install {module}") from None
        return getattr(package, name)(*args, **kwargs)

    return call


alert, confirm, prompt, password = (_of("pymsgbox", name) for name in ("alert", "confirm", "prompt", "password"))
mouseInfo = _of("mouseinfo", "MouseInfoWindow")
for _call, _name in (
    (alert, "alert"),
    (confirm, "confirm"),
    (prompt, "prompt"),
    (password, "password"),
    (mouseInfo, "mouseInfo"),
):
    _call.__name__ = _call.__qualname__ = _name
