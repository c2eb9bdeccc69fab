"""A window with one control of each kind, in PyQt5 or PyQt6: prints each change, such as `Country=Norway`."""

import importlib
import sys

Qt = importlib.import_module(sys.argv[2] + ".QtWidgets")
QtCore = importlib.import_module(sys.argv[2] + ".QtCore")


def tell(name, value):
    print(f"{name}={value}", flush=True)


app = Qt.QApplication([])
window = Qt.QWidget(windowTitle=sys.argv[1])
form = Qt.QFormLayout(window)
ask = Qt.QPushButton("Ask")


def opened():
    tell("Asked", 1)
    box = Qt.QMessageBox(window)
    box.setWindowTitle("Asked")
    box.setText("Sure?")
    box.open()


ask.clicked.connect(opened)
form.addRow(ask)
country = Qt.QComboBox()
country.addItems(["France", "Germany", "Italy", "Norway", "Spain"])
country.currentTextChanged.connect(lambda text: tell("Country", text))
form.addRow("Country", country)
news = Qt.QCheckBox("Newsletter")
news.toggled.connect(lambda on: tell("Newsletter", on))
form.addRow(news)
for name in ("Small", "Large"):
    size = Qt.QRadioButton(name)
    size.toggled.connect(lambda on, name=name: on and tell("Size", name))
    form.addRow(size)
volume = Qt.QSlider(QtCore.Qt.Orientation.Horizontal)
volume.setRange(0, 100)
volume.valueChanged.connect(lambda value: tell("Volume", value))
form.addRow("Volume", volume)
count = Qt.QSpinBox()
count.valueChanged.connect(lambda value: tell("Count", value))
form.addRow("Count", count)
name = Qt.QLineEdit()
name.textChanged.connect(lambda text: tell("Name", text))
form.addRow("Name", name)
pages = Qt.QTabWidget()
for title in ("General", "Advanced"):
    pages.addTab(Qt.QLabel(title + " things"), title)
pages.currentChanged.connect(lambda at: tell("Tab", pages.tabText(at)))
form.addRow(pages)
rows = Qt.QListWidget()
rows.addItems(["Apple", "Pear", "Plum"])
rows.itemSelectionChanged.connect(lambda: tell("Selected", ",".join(it.text() for it in rows.selectedItems())))
rows.setMaximumHeight(90)
rows.currentTextChanged.connect(lambda text: tell("Row", text))
form.addRow(rows)
tree = Qt.QTreeWidget()
tree.setHeaderLabel("Kind")
tree.setMaximumHeight(110)
fruit = Qt.QTreeWidgetItem(tree, ["Fruit"])
Qt.QTreeWidgetItem(fruit, ["Fig"])
Qt.QTreeWidgetItem(fruit, ["Grape"])
Qt.QTreeWidgetItem(tree, ["Nuts"])
tree.currentItemChanged.connect(lambda item, _: item and tell("Tree", item.text(0)))
tree.itemSelectionChanged.connect(lambda: tell("Selected", ",".join(it.text(0) for it in tree.selectedItems())))
tree.itemExpanded.connect(lambda item: tell("Expanded", item.text(0)))
form.addRow(tree)
window.show()
app.exec()
