"""Boxes in a terminal that change colour when they are clicked; its caret blinks in a line above them.

It gets the name of a file to print into, as observed_board.py prints, with places in cells of the terminal.
"""

import re
import sys
import termios
import tty

report = open(sys.argv[1], "w", buffering=1)
boxes = [(6 + number % 4 * 18, 6 + number // 4 * 6) for number in range(12)]
pressed = [False] * len(boxes)


def draw(number):
    column, row = boxes[number]
    for line in range(3):
        colour = "\033[7m" if pressed[number] else "\033[44m"
        sys.stdout.write(f"\033[{row + line + 1};{column + 1}H{colour}            \033[0m")
    sys.stdout.write("\033[1;1H")
    sys.stdout.flush()


tty.setraw(sys.stdin, termios.TCSANOW)
sys.stdout.write("\033[2J\033[?1000h\033[?1006h")
for number, (column, row) in enumerate(boxes):
    draw(number)
    print("button", number, column + 6, row + 1, file=report)
print("beside", file=report)
pending = ""
while True:
    pending += sys.stdin.read(1)
    click = re.search(r"\033\[<0;(\d+);(\d+)M", pending)
    if click:
        pending = ""
        x, y = int(click[1]) - 1, int(click[2]) - 1
        for number, (column, row) in enumerate(boxes):
            if column <= x < column + 12 and row <= y < row + 3:
                pressed[number] = not pressed[number]
                draw(number)
                print("press", number, file=report)
