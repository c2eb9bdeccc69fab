"""Assertions that wait: one request each, which deskhand answers when the assertion holds."""

from __future__ import annotations

from typing import Any, Optional, Union

from ._errors import TimedOut
from ._places import ElementLocator, WindowLocator

#: Seconds that an assertion waits.
TIMEOUT = 5.0


class Expectation:
    """What an element or a window is expected to be. A method raises AssertionError that says what was there."""

    def __init__(self, shown: Union[ElementLocator, WindowLocator], timeout: float, gone: bool = False) -> None:
        self._shown, self._timeout, self._gone = shown, timeout, gone

    @property
    def not_(self) -> "Expectation":
        """The reverse: `expect(box).not_.to_be_checked()`."""
        return Expectation(self._shown, self._timeout, not self._gone)

    def to_be_visible(self) -> None:
        """The element or window is there."""
        self._wait()

    def to_be_hidden(self) -> None:
        """The element or window is not there."""
        self.not_._wait()

    def to_be_focused(self) -> None:
        """The element or window has the keyboard."""
        if isinstance(self._shown, WindowLocator):
            self._wait(active=True)
        else:
            self._wait(states={"focused": True})

    def to_have_text(self, text: str) -> None:
        """The value of a field, or the name of another element, is this text; spaces and breaks count as one space."""
        self._wait(text=text)

    def to_contain_text(self, part: str) -> None:
        """The value of a field, or the name of another element, has this part, in any case of letters."""
        self._wait(contains=part)

    def to_have_value(self, value: str) -> None:
        """The value of a field or slider is this text."""
        self._wait(value=value)

    def to_be_enabled(self) -> None:
        """The element is there, and not disabled."""
        self._wait(states={"disabled": False})

    def to_be_disabled(self) -> None:
        """The element is there, and disabled."""
        self._wait(states={"disabled": True})

    def to_be_checked(self, checked: bool = True) -> None:
        """The check box, radio button or menu item is checked, or is not."""
        self._wait(states={"checked": checked})

    def to_have_count(self, count: int) -> None:
        """As many elements fit."""
        self._wait(count=count)

    def _wait(self, **condition: Any) -> None:
        if self._gone:
            condition["gone"] = True
        try:
            self._shown.wait_until(self._timeout, **condition)
        except TimedOut as error:
            raise AssertionError(str(error)) from None


def expect(shown: Union[ElementLocator, WindowLocator], timeout: Optional[float] = None) -> Expectation:
    """What follows is expected of an element or a window within the time, in seconds: `expect(field).to_have_value("Ada")`."""
    return Expectation(shown, TIMEOUT if timeout is None else timeout)
