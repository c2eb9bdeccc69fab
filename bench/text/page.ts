/** Chromium scenes: a page with the texts, whose words and positions come from the DOM. */

import type { Texts } from "./texts.ts";

/** A theme's colours: page, text, control, primary control, secondary text, lines. */
const THEMES: Record<string, string> = {
  paper:
    "background:#fdf6e3;color:#3b3a36;--b:#eee8d5;--bc:#3b3a36;--p:#268bd2;--pc:#fff;--m:#7b7a70;--l:#cfc9b4",
  white:
    "background:#fff;color:#111827;--b:#f3f4f6;--bc:#1f2937;--p:#16a34a;--pc:#fff;--m:#6b7280;--l:#d1d5db",
  night:
    "background:#2e3440;color:#d8dee9;--b:#3b4252;--bc:#e5e9f0;--p:#88c0d0;--pc:#2e3440;--m:#9aa3b5;--l:#4c566a",
  plum:
    "background:#2d1b33;color:#f3e6f7;--b:#45294e;--bc:#f3e6f7;--p:#ff7a59;--pc:#2d1b33;--m:#b79bc2;--l:#5d3a68",
  mint:
    "background:linear-gradient(#d5f5e3,#e8f8f5);color:#145a32;--b:#abebc6;--bc:#145a32;--p:#117a65;--pc:#fff;--m:#52796f;--l:#a3d9c0",
  contrast: "background:#000;color:#ff0;--b:#000;--bc:#0ff;--p:#ff0;--pc:#000;--m:#fff;--l:#fff",
};

/** The HTML of a scene. */
export function pageOf(
  { menu, buttons, lines, table }: Texts,
  theme: string,
  size: number,
  font: string,
): string {
  const each = (texts: string[], write: (text: string, i: number) => string) => texts.map(write).join("");
  const rows = table.map((row, i) =>
    `<tr>${each(row, (text) => i ? `<td>${text}</td>` : `<th>${text}</th>`)}</tr>`
  );
  return `<meta charset=utf-8><style>*{box-sizing:border-box}body{margin:0;padding:10px;${
    THEMES[theme]
  };font:${size}px
    "${font}";line-height:1.4}nav{display:flex;gap:1.5em;padding:4px 8px;border-bottom:1px solid var(--l)}
    div{display:flex;flex-wrap:wrap;gap:8px;margin:10px 0}button{font:inherit;padding:4px 12px;border:1px solid var(--l);
    border-radius:6px;background:var(--b);color:var(--bc)}button:first-child{background:var(--p);color:var(--pc)}
    button:last-child,p:nth-of-type(3n){color:var(--m)}p{margin:4px 0}p:nth-of-type(4){background:var(--p);color:var(--pc)}
    table{border-collapse:collapse}td,th{border:1px solid var(--l);padding:3px 10px;text-align:left}th{background:var(--b)}
    </style><nav>${each(menu, (text) => `<span>${text}</span>`)}</nav>${
    each(lines, (text) => `<p>${text}</p>`)
  }
    <table>${rows.join("")}</table><div>${each(buttons, (text) => `<button>${text}</button>`)}</div>`;
}

/** Runs in the page: returns its words with their positions. */
export const WORDS_OF_PAGE = `(() => {
  const words = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode());) {
    if (node.parentElement.tagName === "STYLE") continue;
    for (const { 0: text, index } of node.data.matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + text.length);
      const { x, y, width, height, right, bottom } = range.getBoundingClientRect();
      if (width && right <= innerWidth && bottom <= innerHeight) words.push({ text, x, y, width, height });
    }
  }
  return words;
})()`;
