"""Assertions that wait: one request each, which deskhand answers once the assertion holds."""

from __future__ import annotations

from typing import Any, Optional, Union

from ._errors import TimedOut
from ._places import ElementLocator, WindowLocator

#: Seconds for which an assertion waits.
TIMEOUT = 5.0


class Expectation:
    """Assertions about an element or a window. A method raises AssertionError that says what was there instead."""

    def __init__(self, shown: Union[ElementLocator, WindowLocator], timeout: float, gone: bool = False) -> None:
        self._shown, self._timeout, self._gone = shown, timeout, gone

    @property
    def not_(self) -> "Expectation":
        """The opposite: `expect(box).not_.to_be_checked()`."""
        return Expectation(self._shown, self._timeout, not self._gone)

    def to_be_visible(self) -> None:
        """Asserts that the element or window exists."""
        self._wait()

    def to_be_hidden(self) -> None:
        """Asserts that the element or window does not exist."""
        self.not_._wait()

    def to_be_focused(self) -> None:
        """Asserts that the element or window has the focus."""
        if isinstance(self._shown, WindowLocator):
            self._wait(active=True)
        else:
            self._wait(states={"focused": True})

    def to_have_text(self, text: str) -> None:
        """Asserts that a field's value, or another element's name, equals this text; any whitespace counts as one
        space."""
        self._wait(text=text)

    def to_contain_text(self, part: str) -> None:
        """Asserts that a field's value, or another element's name, contains this text, ignoring case."""
        self._wait(contains=part)

    def to_have_value(self, value: str) -> None:
        """Asserts that the value of a field or slider equals this text."""
        self._wait(value=value)

    def to_be_enabled(self) -> None:
        """Asserts that the element exists and is not disabled."""
        self._wait(states={"disabled": False})

    def to_be_disabled(self) -> None:
        """Asserts that the element exists and is disabled."""
        self._wait(states={"disabled": True})

    def to_be_checked(self, checked: bool = True) -> None:
        """Asserts that the check box, radio button or menu item is checked, or not checked."""
        self._wait(states={"checked": checked})

    def to_have_count(self, count: int) -> None:
        """Asserts that this many elements match."""
        self._wait(count=count)

    def _wait(self, **condition: Any) -> None:
        if self._gone:
            condition["gone"] = True
        try:
            self._shown.wait_until(self._timeout, **condition)
        except TimedOut as error:
            raise AssertionError(str(error)) from None


def expect(shown: Union[ElementLocator, WindowLocator], timeout: Optional[float] = None) -> Expectation:
    """Begins an assertion that waits for the given seconds: `expect(field).to_have_value("Ada")`."""
    return Expectation(shown, TIMEOUT if timeout is None else timeout)
