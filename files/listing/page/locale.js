/** Formats numbers, sizes and times in the reader's language and time zone once their rows are visible. */

const time = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const formats = [0, 1].map((digits) => new Intl.NumberFormat(undefined, { minimumFractionDigits: digits }));

/** Reformats the English numbers in a text: `1,234 files, 5.0 MiB`. */
function localized(text) {
  return text.replace(/\d[\d,]*(\.\d)?/g, (number, fraction) => {
    return formats[fraction ? 1 : 0].format(Number(number.replaceAll(",", "")));
  });
}

function write(block) {
  for (const { cells } of block.rows) {
    cells[1].textContent = localized(cells[1].textContent);
    const at = /^(\S+) (\d\d:\d\d) UTC$/.exec(cells[2].textContent);
    if (!at) continue;
    cells[2].title = at[0];
    cells[2].textContent = time.format(new Date(`${at[1]}T${at[2]}Z`));
  }
}

const observer = new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) {
    if (!isIntersecting) continue;
    observer.unobserve(target);
    write(target);
  }
}, { rootMargin: "500px" });
for (const block of document.querySelectorAll("main > table > tbody")) observer.observe(block);
for (const element of document.querySelectorAll(".counts")) {
  element.textContent = localized(element.textContent);
}
