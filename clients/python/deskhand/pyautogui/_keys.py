"""Key names in PyAutoGUI's documentation, and deskhand's names for them."""

from __future__ import annotations

import warnings
from typing import Dict, List, Optional, Sequence

from .._errors import ApiError, BadRequest, Conflict
from ._base import desk

_CHARACTERS = "\t\n\r !\"#$%&'()*+,-./0123456789:;<=>?@[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"
_NAMES = (
    "accept add alt altleft altright apps backspace browserback browserfavorites browserforward browserhome "
    "browserrefresh browsersearch browserstop capslock clear convert ctrl ctrlleft ctrlright decimal del delete "
    "divide down end enter esc escape execute f1 f10 f11 f12 f13 f14 f15 f16 f17 f18 f19 f2 f20 f21 f22 f23 f24 f3 "
    "f4 f5 f6 f7 f8 f9 final fn hanguel hangul hanja help home insert junja kana kanji launchapp1 launchapp2 "
    "launchmail launchmediaselect left modechange multiply nexttrack nonconvert num0 num1 num2 num3 num4 num5 num6 "
    "num7 num8 num9 numlock pagedown pageup pause pgdn pgup playpause prevtrack print printscreen prntscrn prtsc "
    "prtscr return right scrolllock select separator shift shiftleft shiftright sleep space stop subtract tab up "
    "volumedown volumemute volumeup win winleft winright yen command option optionleft optionright"
)
KEY_NAMES: List[str] = [*_CHARACTERS, *_NAMES.split()]
KEYBOARD_KEYS = KEY_NAMES

QWERTY = "`1234567890-=qwertyuiop[]\\asdfghjkl;'zxcvbnm,./~!@#$%^&*()_+QWERTYUIOP{}|ASDFGHJKL:\"ZXCVBNM<>?"
QWERTZ = "=1234567890/0qwertzuiop89-asdfghjkl,\\yxcvbnm,.7+!@#$%^&*()?)QWERTZUIOP*(_ASDFGHJKL<|YXCVBNM<>&"

#: Names that deskhand spells differently; it supports the rest of KEY_NAMES unchanged.
_SPELT: Dict[str, str] = {
    "\t": "tab",
    "\n": "enter",
    "\r": "enter",
    "\b": "backspace",
    " ": "space",
    "multiply": "kpmultiply",
    "separator": "kpseparator",
    "hanguel": "hangul",
}
#: Keys that deskhand only supports by system codes: X11 keysyms (X11/keysymdef.h, XF86keysym.h).
_KEYSYMS: Dict[str, int] = {
    "browserfavorites": 0x1008FF30,
    "browserstop": 0x1008FF28,
    "clear": 0xFF0B,
    "execute": 0xFF62,
    "hanja": 0xFF34,
    "kana": 0xFF2E,
    "launchapp1": 0x1008FF33,
    "launchapp2": 0x1008FF1D,
    "launchmail": 0x1008FF19,
    "launchmediaselect": 0x1008FF32,
    "modechange": 0xFF7E,
    "select": 0xFF60,
}
#: Likewise: Windows virtual keys (winuser.h).
_VIRTUAL_KEYS: Dict[str, int] = {
    "accept": 0x1E,
    "browserfavorites": 0xAB,
    "browserstop": 0xA9,
    "clear": 0x0C,
    "execute": 0x2B,
    "final": 0x18,
    "hanja": 0x19,
    "junja": 0x17,
    "kana": 0x15,
    "launchapp1": 0xB6,
    "launchapp2": 0xB7,
    "launchmail": 0xB4,
    "launchmediaselect": 0xB5,
    "modechange": 0x1F,
    "select": 0x29,
}
_SHIFTED = set('~!@#$%^&*()_+{}|:"<>?')
_LISTED = set(KEY_NAMES)


def isShiftCharacter(character: str) -> bool:
    """Whether a character requires the Shift key on a US keyboard."""
    return character.isupper() or character in _SHIFTED


def isValidKey(key: str) -> bool:
    """Whether the keyboard functions support a key on this desktop."""
    return key_of(key) is not None


def key_of(key: str) -> Optional[str]:
    """Returns deskhand's name for a key; None if it has no name for it on this desktop."""
    if key in _SPELT:
        return _SPELT[key]
    if len(key) == 1:
        return key
    name = key.lower()
    if name not in _LISTED:
        return None
    if name in _SPELT:
        return _SPELT[name]
    if name not in _KEYSYMS and name not in _VIRTUAL_KEYS:
        return None if name == "fn" else name
    if desk().screen()["kind"] == "windows":
        return f"vk:{_VIRTUAL_KEYS[name]:#04x}" if name in _VIRTUAL_KEYS else None
    return f"keysym:{_KEYSYMS[name]:#x}" if name in _KEYSYMS else None


def known_keys(keys: Sequence[str]) -> List[str]:
    """Returns deskhand's names for keys; skips a key without a name, with a warning."""
    named = [(key, key_of(key)) for key in keys]
    for key, name in named:
        if name is None:
            warn(key, "this desktop has no such key")
    return [name for _key, name in named if name is not None]


def warn(key: str, why: str) -> None:
    """Warns that a key was not pressed, where PyAutoGUI itself is silent."""
    warnings.warn(f"the key {key!r} is not pressed: {why}", RuntimeWarning, stacklevel=4)


def refused(error: ApiError) -> bool:
    """Whether an error says that the keyboard does not have a key."""
    return isinstance(error, (BadRequest, Conflict))
