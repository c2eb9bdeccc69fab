"""A Qt window with toggle buttons, a field whose caret blinks, and empty places; prints as observed_board.py does."""

import sys

from PyQt5 import QtCore, QtWidgets

application = QtWidgets.QApplication(sys.argv)
window = QtWidgets.QWidget()
window.setWindowTitle("Qt")
window.resize(600, 500)
buttons = []
for number in range(12):
    button = QtWidgets.QPushButton(f"Button {number}", window)
    button.setCheckable(True)
    button.setFocusPolicy(QtCore.Qt.NoFocus)  # the field keeps the keyboard
    button.setGeometry(20 + number % 4 * 140, 80 + number // 4 * 90, 110, 40)
    button.toggled.connect(lambda _, number=number: print("press", number, flush=True))
    buttons.append(button)
field = QtWidgets.QLineEdit(window)
field.move(20, 20)
field.setFocus()


def told():
    for number, button in enumerate(buttons):
        at = button.mapToGlobal(button.rect().center())
        print("button", number, at.x(), at.y(), flush=True)
    print("beside", flush=True)


window.show()
QtCore.QTimer.singleShot(500, told)
application.exec_()
