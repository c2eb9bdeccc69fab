from deskhand import expect


def test_finished_tasks_are_removed(desk, launch, assert_tree):
    launch("/usr/bin/python3", "programs/tasks.py")
    task = desk.element('textbox "New task" in "Tasks"')
    expect(task, timeout=15).to_be_visible()
    for name in ["Milk", "Bread", "Tea"]:
        task.set(f"{name}\n")
    desk.element('checkbox "Bread" in "Tasks"').click()
    expect(desk.element('label "to do" in "Tasks"')).to_have_text("2 to do")
    desk.element('button "Remove finished" in "Tasks"').click()
    desk.element('button "Yes" in "Remove"').click()
    assert_tree(desk.window(title="Tasks"), "after")
