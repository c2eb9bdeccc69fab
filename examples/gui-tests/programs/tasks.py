#!/usr/bin/python3
"""Tasks: a Qt program with a to-do list."""

import sys

from PyQt5.QtWidgets import QApplication, QCheckBox, QLabel, QLineEdit, QMessageBox, QPushButton, QVBoxLayout, QWidget


class Tasks(QWidget):
    def __init__(self) -> None:
        super().__init__(windowTitle="Tasks")
        self.tasks: "list[QCheckBox]" = []
        self.task, self.left, self.remove = QLineEdit(), QLabel(), QPushButton("Remove finished")
        label = QLabel("New task")
        label.setBuddy(self.task)
        self.box = QVBoxLayout(self)
        for widget in (label, self.task, self.left, self.remove):
            self.box.addWidget(widget)
        self.task.returnPressed.connect(self.add)
        self.remove.clicked.connect(self.ask)
        self.count()

    def add(self) -> None:
        task = QCheckBox(self.task.text())
        task.toggled.connect(self.count)
        self.tasks.append(task)
        self.box.addWidget(task)
        self.task.clear()
        self.count()

    def count(self) -> None:
        finished = sum(task.isChecked() for task in self.tasks)
        self.left.setText(f"{len(self.tasks) - finished} to do")
        self.remove.setEnabled(finished > 0)

    def ask(self) -> None:
        if QMessageBox.question(self, "Remove", "Remove the finished tasks?") != QMessageBox.Yes:
            return
        for task in [task for task in self.tasks if task.isChecked()]:
            self.tasks.remove(task)
            task.deleteLater()
        self.count()


application = QApplication(sys.argv)
window = Tasks()
window.show()
sys.exit(application.exec())
