/** A folder's tools: filters the entries while the user types, without waiting for Enter; closes menus. */

const field = /** @type {HTMLInputElement} */ (document.querySelector("input[type=search]"));
const summary = document.querySelector(".summary");
const whole = summary.textContent;

/** The key of a name, as in files/listing/read.ts. */
const keyOf = (text) => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
const wordsOf = (text) => keyOf(text).split(/\s+/).filter(Boolean);

/** The words that the server searched for: the page contains only entries that match them. */
const found = wordsOf(field.defaultValue);
const isWithin = (words) => found.every((part) => words.some((word) => word.includes(part)));

let entries;

function allEntries() {
  return entries ??= Array.from(
    document.querySelectorAll("main > table > tbody > tr, .tiles > li, .folders > li"),
    (row) => {
      const name = row.querySelector("a").textContent;
      return { row, key: keyOf(name), isParent: name === "../" };
    },
  );
}

function narrow() {
  const words = wordsOf(field.value);
  if (!isWithin(words)) return; // Enter asks the server
  let count = 0, all = 0;
  for (const { row, key, isParent } of allEntries()) {
    const isShown = isParent ? words.length === 0 : words.every((word) => key.includes(word));
    if (row.hidden === isShown) row.hidden = !isShown;
    if (isParent) continue;
    all++;
    if (isShown) count++;
  }
  // An off-screen block keeps its height.
  for (const block of document.querySelectorAll("main > table > tbody, .tiles, .folders")) {
    block.hidden = block.firstElementChild !== null && !block.querySelector(":scope > :not([hidden])");
  }
  const text = count === all ? whole : `${count.toLocaleString()} of ${all.toLocaleString()} entries`;
  if (summary.textContent !== text) summary.textContent = text;
}

field.addEventListener("input", narrow);
if (field.value !== field.defaultValue) narrow(); // the browser restored the typed text

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "/" && event.target !== field) {
    event.preventDefault();
    field.select();
  } else if (event.key === "Escape" && event.target === field && field.value !== "") {
    event.preventDefault();
    field.value = "";
    narrow();
  }
});

// Escape or a press elsewhere closes a menu, and so does opening another one.

const menus = document.querySelectorAll(".tools details");
document.addEventListener("pointerdown", ({ target }) => {
  for (const menu of menus) if (!menu.contains(target)) menu.open = false;
});
for (const menu of menus) {
  menu.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
  menu.addEventListener("submit", () => menu.open = false);
}
