"""Tests of the virtual desktop with the pytest plugin."""

import os

import pytest

from deskhand import NotFound, expect

FORM = {"title": "Form"}


def test_assertions_wait_and_hold(desk):
    name = desk.element(role="textbox", name="Name", **FORM)
    expect(name).to_be_visible()
    name.set("Ada  L")
    expect(name).to_have_value("Ada  L")
    expect(name).to_have_text("Ada L")
    expect(name).to_contain_text("ada")
    expect(name).not_.to_have_value("Bob")
    expect(name).to_be_enabled()
    expect(name).not_.to_be_disabled()
    name.focus()
    expect(name).to_be_focused()
    news = desk.element(role="checkbox", **FORM)
    expect(news).not_.to_be_checked()
    news.click()
    expect(news).to_be_checked()
    expect(news).not_.to_be_checked(False)
    expect(desk.element(role="radio", **FORM)).to_have_count(2)
    expect(desk.window(**FORM)).to_be_focused()
    expect(desk.window(title="Nowhere")).not_.to_be_visible()
    expect(desk.window(title="Nowhere")).to_be_hidden()
    expect(name).not_.to_be_hidden()
    with pytest.raises(AssertionError, match='button "Sned" did not appear within 200 ms: near: button "Send"'):
        expect(desk.element(role="button", name="Sned", **FORM), timeout=0.2).to_be_visible()


def test_an_act_that_fails_says_what_was_there_at_last(desk, monkeypatch):
    desk.window(**FORM).close()
    wait = desk.wait

    def opening(**given):
        desk.steps(steps=[{"open": "form"}])
        return wait(**{**given, "timeout_ms": 50})

    monkeypatch.setattr(desk, "wait", opening)
    with pytest.raises(NotFound, match='there is no button "Sned" in "Form"; near: button "Send"'):
        desk.element(role="button", name="Sned", **FORM).click()


def test_a_window_looks_like_its_baseline(desk, assert_looks_like):
    desk.window(title="Notes").activate()
    if os.environ.get("CHANGED"):
        desk.type("hello")
    assert_looks_like(desk.window(title="Notes"), "notes", timeout=1)


def test_a_window_has_the_outline_of_its_baseline(desk, assert_tree):
    desk.window(title="Notes").activate()
    assert_tree(desk.window(title="Notes"), "notes", timeout=1)


def test_what_is_masked_is_not_compared(desk, assert_looks_like):
    clock = desk.window(title="Clock")
    assert_looks_like(clock, "clock", mask=[{"x": 0, "y": 0, "width": 200, "height": 120}])
