"""Shows the texts of a scene in a Qt 5 window; prints the words with their places once they are drawn."""

import json
import re
import sys

from PyQt5.QtCore import QPoint, Qt, QTimer
from PyQt5.QtGui import QColor, QFont, QFontMetrics, QPalette
from PyQt5.QtWidgets import (QApplication, QHBoxLayout, QLabel, QPushButton, QTableWidget, QTableWidgetItem,
                             QVBoxLayout, QWidget)

scene = json.load(sys.stdin)
texts = scene["texts"]
app = QApplication(sys.argv)
app.setStyle(scene["theme"])
font = QFont(scene["font"], scene["size"])
if not scene["smooth"]:
    font.setStyleStrategy(QFont.NoAntialias)
app.setFont(font)
palette = app.style().standardPalette()
if scene["dark"]:
    palette = QPalette(QColor(35, 38, 41))
    palette.setColor(QPalette.Window, QColor(35, 38, 41))
    palette.setColor(QPalette.Base, QColor(25, 27, 29))
    palette.setColor(QPalette.Button, QColor(58, 62, 66))
    for role in (QPalette.WindowText, QPalette.Text, QPalette.ButtonText):
        palette.setColor(role, QColor(239, 240, 241))
app.setPalette(palette)

window = QWidget()
window.setWindowFlags(Qt.FramelessWindowHint | Qt.X11BypassWindowManagerHint)
column = QVBoxLayout(window)
labels, buttons = [], []


def row(texts, make, kept):
    box = QHBoxLayout()
    for text in texts:
        kept.append(make(text))
        box.addWidget(kept[-1])
    column.addLayout(box)


row(texts["menu"], QLabel, labels)
for text in texts["lines"][:6]:
    labels.append(QLabel(text))
    column.addWidget(labels[-1])
head, *cells = texts["table"]
table = QTableWidget(len(cells), len(head))
table.setHorizontalHeaderLabels(head)
table.verticalHeader().hide()
for y, line in enumerate(cells):
    for x, text in enumerate(line):
        table.setItem(y, x, QTableWidgetItem(text))
table.resizeColumnsToContents()
table.resizeRowsToContents()
height = table.horizontalHeader().height() + sum(table.rowHeight(y) for y in range(table.rowCount()))
table.setFixedHeight(height + 4)
column.addWidget(table)
row(texts["buttons"][:4], QPushButton, buttons)
row(texts["buttons"][4:], QPushButton, buttons)


def split(text, metrics, x, y):
    for match in re.finditer(r"\S+", text):
        left, right = metrics.horizontalAdvance(text[:match.start()]), metrics.horizontalAdvance(text[:match.end()])
        yield {"text": match.group(), "x": x + left, "y": y, "width": right - left, "height": metrics.height()}


def words():
    for label in labels:
        metrics, area = QFontMetrics(label.font()), label.contentsRect()
        at = label.mapTo(window, QPoint(area.x(), area.y() + (area.height() - metrics.height()) // 2))
        yield from split(label.text(), metrics, at.x(), at.y())
    for button in buttons:
        metrics = QFontMetrics(button.font())
        width, at = metrics.horizontalAdvance(button.text()), button.mapTo(window, QPoint(0, 0))
        x, y = at.x() + (button.width() - width) / 2, at.y() + (button.height() - metrics.height()) / 2
        yield from split(button.text(), metrics, x, y)
    metrics = QFontMetrics(table.font())
    for y, line in enumerate(cells):
        for x, text in enumerate(line):
            area = table.visualItemRect(table.item(y, x))
            at = table.viewport().mapTo(window, area.topLeft())
            top = at.y() + (area.height() - metrics.height()) / 2
            yield from split(text, metrics, at.x() + 3, top)


window.resize(720, window.sizeHint().height())
window.move(0, 0)
window.show()
QTimer.singleShot(1000, lambda: print(json.dumps(list(words())), flush=True))
app.exec_()
