"""A GTK program on an X server that the plugin starts."""

from deskhand import expect


def test_greets(desk, launch):
    program = launch("zenity", "--entry", "--title", "Greeting", "--text", "Name")
    expect(desk.window(title="Greeting"), timeout=60).to_be_visible()
    field = desk.element('textbox in "Greeting"')
    field.set("Grace")
    expect(field).to_have_value("Grace")
    desk.element('button "OK" in "Greeting"').click()
    expect(desk.window(title="Greeting")).not_.to_be_visible()
    assert program.wait(10) == 0
    assert desk.screen()["width"] == 1024
