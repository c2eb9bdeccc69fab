import pytest
from deskhand import expect


@pytest.fixture(autouse=True)
def tickets(desk, launch):
    launch("/usr/bin/python3", "programs/tickets.py")
    expect(desk.window(title="Tickets"), timeout=15).to_be_focused()


def test_students_pay_half(desk):
    desk.element('spinbutton "Tickets"').set_to(3)
    expect(desk.element('label "Total"')).to_have_text("Total: 60 €")
    desk.element('checkbox "Student"').click()
    expect(desk.element('label "Total"')).to_have_text("Total: 30 €")


def test_a_ticket_needs_a_name(desk, assert_tree):
    buy = desk.element('button "Buy" in "Tickets"')
    expect(buy).to_be_disabled()
    desk.element('textbox "Name"').set("Ada")
    buy.click()
    assert_tree(desk.window(title="Sold"), "sold")
    desk.element('button "OK" in "Sold"').click()
    expect(desk.window(title="Sold")).to_be_hidden()
    expect(buy).to_be_disabled()
