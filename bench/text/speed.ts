/** Screens on which the time for a reading is measured. */

import { processorMs } from "../measure.ts";
import { pageOf } from "./page.ts";
import { textsOf } from "./texts.ts";

/** Runs a reading; returns its elapsed time, CPU time and number of words, as text. */
export async function timed(pid: number, read: () => Promise<number>): Promise<string> {
  const processor = processorMs(pid), start = performance.now(), words = await read();
  const ms = performance.now() - start;
  return `${Math.round(ms)} ms (${processorMs(pid) - processor} ms of a processor, ${words} words)`;
}

/** Panels side by side, each a separate page. */
function panels(number: number, count: number, columns: number, size: number): string {
  const theme = "white", font = "Open Sans";
  const style = /<style>[^]*?<\/style>/.exec(pageOf(textsOf(0), theme, size, font))![0];
  const cells = Array.from({ length: count }, (_, i) => {
    const texts = textsOf(number * 17 + i), unlike = (text: string) => `${text} ${number * count + i}`;
    const page = pageOf({ ...texts, lines: texts.lines.map(unlike) }, theme, size, font);
    return `<section>${page.replace(/<meta[^>]*>|<style>[^]*?<\/style>/g, "")}</section>`;
  });
  return `<meta charset=utf-8>${style}<style>main{display:grid;grid-template-columns:repeat(${columns},1fr);gap:20px}
    section{border:1px solid var(--l);padding:12px;overflow:hidden}</style><main>${cells.join("")}</main>`;
}

/** A desktop with three windows: about 250 words. */
export const desktopPage = (number: number) => panels(number, 3, 3, 14);

/** A screen full of text: about 800 words. */
export const dense = (number: number) => panels(number, 12, 4, 12);

/** Opens a dialog of 450x200 pixels over the page. */
export function dialog(): string {
  return `document.body.insertAdjacentHTML("beforeend", '<div style="position:fixed;left:700px;top:400px;width:450px;' +
    'height:200px;background:#fff;border:1px solid #888;display:block;padding:20px"><p>Do you want to replace the old ' +
    'spreadsheet?</p><p>A file of this name was changed an hour ago.</p><button>Replace</button> <button>Keep both' +
    '</button></div>')`;
}
