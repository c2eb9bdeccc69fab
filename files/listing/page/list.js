/** Writes sizes and times as the reader's language and time zone have them, in the blocks that are in sight. */

const number = new Intl.NumberFormat();
const time = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

function write(block) {
  for (const { cells } of block.rows) {
    const size = /^([\d.]+) (\w+)$/.exec(cells[1].textContent);
    if (size) cells[1].textContent = `${number.format(size[1])} ${size[2]}`;
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
for (const block of document.querySelectorAll("tbody")) observer.observe(block);
