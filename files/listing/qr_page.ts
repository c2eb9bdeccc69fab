/** A page with the QR code of an address, for a phone's camera. */

import { escape } from "@std/html";
import { isLoopbackName, parseHost } from "../../http/host.ts";
import { qrSvg } from "../../http/qr.ts";
import { beginning, breadcrumb, ending } from "./html.ts";
import { shown } from "./shown.ts";

/**
 * Writes the page.
 * @param address The URL that the code holds.
 * @param names On the way from the root to the folder; for a file to the folder that it is in.
 * @param file The file's name; undefined for a folder.
 */
export async function qrPage(address: URL, names: readonly string[], file?: string): Promise<string> {
  const here = file === undefined ? "QR code" : `QR code of ${shown(file)}`;
  const svg = await codeOf(address.href);
  const title = file === undefined ? `QR code of ${shown(names.at(-1) ?? "files")}` : here;
  return beginning({
    kind: "qr",
    title,
    isUsual: false,
    header: `<h1>${title}</h1>\n${breadcrumb(names, "", here)}`,
  }) + `${svg ?? "<p>The address is too long for a QR code.</p>"}\n<p><a href="${escape(address.href)}">` +
    `${escape(address.href)}</a></p>\n${hint(address)}${ending("qr")}`;
}

async function codeOf(address: string): Promise<string | undefined> {
  try {
    return (await qrSvg(address)).replace("<svg", `<svg role="img" aria-label="QR code of this address"`);
  } catch {
    return undefined; // longer than a code can hold
  }
}

/** The hint for an address that a phone cannot reach. */
function hint({ host }: URL): string {
  const name = parseHost(host)?.name;
  if (name === undefined || !isLoopbackName(name)) return "";
  return `<p class="hint">Only this machine can open this address. Start deskhand with <code>--host 0.0.0.0</code>, ` +
    `and open this page by the address that it prints, for a code that works on a phone.</p>\n`;
}
