/** The part of the screen that differs between two moments. */

/** Width and height of a cell, the unit of comparison, in pixels. */
const CELL = 8;
/** Outlines at most. */
const MOST = 12;

/** @typedef {{ x: number, y: number, width: number, height: number }} Box */

/**
 * @param {ImageData} before
 * @param {ImageData} after Of the same size.
 * @returns {Box[]} Where they differ, touching parts joined.
 */
export function changedBoxes(before, after) {
  const { width, height } = after, columns = Math.ceil(width / CELL), rows = Math.ceil(height / CELL);
  const a = new Uint32Array(before.data.buffer), b = new Uint32Array(after.data.buffer);
  const cells = new Uint8Array(columns * rows);
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / CELL) * columns;
    for (let x = 0, at = y * width; x < width; x++, at++) {
      if (a[at] !== b[at]) cells[row + Math.floor(x / CELL)] = 1;
    }
  }
  const boxes = [];
  for (let cell = cells.indexOf(1); cell >= 0; cell = cells.indexOf(1, cell + 1)) {
    boxes.push(flood(cells, cell, columns, rows));
  }
  return few(boxes).map(({ left, top, right, bottom }) => ({
    x: left * CELL,
    y: top * CELL,
    width: Math.min(width, right * CELL) - left * CELL,
    height: Math.min(height, bottom * CELL) - top * CELL,
  }));
}

/** @typedef {{ left: number, top: number, right: number, bottom: number }} Cells */

/**
 * Collects and unmarks the cells that are connected with a cell, directly or over a small gap.
 * @param {Uint8Array} cells
 * @param {number} first
 * @param {number} columns
 * @param {number} rows
 */
function flood(cells, first, columns, rows) {
  const box = { left: Infinity, top: Infinity, right: 0, bottom: 0 }, open = [first];
  cells[first] = 0;
  for (let cell = open.pop(); cell !== undefined; cell = open.pop()) {
    const x = cell % columns, y = Math.floor(cell / columns);
    box.left = Math.min(box.left, x);
    box.top = Math.min(box.top, y);
    box.right = Math.max(box.right, x + 1);
    box.bottom = Math.max(box.bottom, y + 1);
    for (let row = Math.max(0, y - 2); row <= Math.min(rows - 1, y + 2); row++) {
      for (let column = Math.max(0, x - 2); column <= Math.min(columns - 1, x + 2); column++) {
        const next = row * columns + column;
        if (!cells[next]) continue;
        cells[next] = 0;
        open.push(next);
      }
    }
  }
  return box;
}

/** Joins the boxes into one if there are too many to be useful. @param {Cells[]} boxes @returns {Cells[]} */
function few(boxes) {
  if (boxes.length <= MOST) return boxes;
  return [boxes.reduce((sum, box) => ({
    left: Math.min(sum.left, box.left),
    top: Math.min(sum.top, box.top),
    right: Math.max(sum.right, box.right),
    bottom: Math.max(sum.bottom, box.bottom),
  }))];
}
