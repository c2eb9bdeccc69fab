/**
 * Renders Markdown as HTML that is safe in one of deskhand's own pages: no scripts, no styles, nothing loaded
 * from other servers. Of HTML in the text, a few elements remain, without attributes; of all others only the
 * text.
 */

import { escape } from "@std/html";
import { Marked, type RendererObject, Tokenizer, type TokenizerObject, type Tokens } from "marked";
import { BusyError } from "../../core/errors.ts";

/** HTML elements that remain, without their attributes. */
const ELEMENTS = new Set(
  ("b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre s samp small " +
    "strong sub summary sup table tbody td th thead tr u ul var").split(" "),
);
/** An HTML tag or comment. */
const TAG = /<!--[^]*?(?:-->|$)|<(\/?)([a-zA-Z][\w-]*)((?:"[^"]*"|'[^']*'|[^'">])*)>/g;
const ATTRIBUTE = (name: string) =>
  new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i");
/** Schemes that a link may have; addresses without a scheme are allowed too. */
const SAFE_SCHEME = /^(?:https?:|mailto:|\/\/)/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:|^\/\//i;

/** Number of tokenizer calls between checks of the clock. */
const STEPS = 64;
/** The names of the library's tokenizer methods, each of which reads one token. */
const STEP_NAMES = Object.getOwnPropertyNames(Tokenizer.prototype).filter((name) => name !== "constructor");

/**
 * Renders Markdown (GitHub's) as HTML.
 * @param limitMs Maximum time, in milliseconds: the library takes half a minute for some texts of 100 KB, and
 * nothing else can stop a thread that computes (Deno 2.9.6).
 * @throws BusyError if it takes longer.
 * @example
 * renderMarkdown("**a** <script>b</script>"); // "<p><strong>a</strong> b</p>\n"
 */
export function renderMarkdown(text: string, limitMs = Infinity): string {
  const ids = new Map<string, number>(), renderer = { ...RENDERER, heading: headings(ids) };
  const marked = new Marked({ gfm: true, async: false, renderer, tokenizer: endingAfter(limitMs) });
  return marked.parse(text) as string;
}

/** Tokenizer methods that check the clock, and leave the token to the library. */
function endingAfter(limitMs: number): TokenizerObject {
  const end = performance.now() + limitMs;
  let steps = 0;
  const step = () => {
    if (++steps % STEPS === 0 && performance.now() > end) {
      throw new BusyError("the text takes too long to render");
    }
    return false;
  };
  return Object.fromEntries(STEP_NAMES.map((name) => [name, step]));
}

const RENDERER: RendererObject = {
  html({ text }) {
    return safeHtml(text);
  },
  text(token) {
    // marked leaves text after a tag such as <kbd> unescaped, as HTML; deskhand escapes all text.
    return "tokens" in token && token.tokens ? this.parser.parseInline(token.tokens) : plain(token.text);
  },
  code({ text }) {
    return `<pre tabindex="0"><code>${escape(text)}</code></pre>\n`;
  },
  link({ href, title, tokens }) {
    return link(href, this.parser.parseInline(tokens), title);
  },
  image({ href, text, title }) {
    return image(href, text, title);
  },
  table(token) {
    const row = (cells: Tokens.TableCell[], tag: string) =>
      `<tr>${
        cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join("")
      }</tr>\n`;
    const rows = token.rows.map((cells) => row(cells, "td")).join("");
    return `<div class="wide" tabindex="0"><table>\n<thead>${row(token.header, "th")}</thead>\n` +
      `<tbody>${rows}</tbody>\n</table></div>\n`;
  },
  checkbox({ checked }) {
    return checked ? "☑ " : "☐ ";
  },
};

/** Gives headings the same unique anchors as GitHub. */
function headings(ids: Map<string, number>): NonNullable<RendererObject["heading"]> {
  return function ({ tokens, depth, text }) {
    const id = text.toLowerCase().replace(/<[^>]*>|[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-");
    const count = ids.get(id) ?? 0;
    ids.set(id, count + 1);
    const unique = escape(count ? `${id}-${count}` : id);
    return `<h${depth} id="${unique}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  };
}

/** Sanitizes HTML: allowed elements, links and pictures remain; of all others only the content. */
function safeHtml(html: string): string {
  let safe = "", end = 0;
  for (const match of html.matchAll(TAG)) {
    safe += plain(html.slice(end, match.index)) + tag(match);
    end = match.index + match[0].length;
  }
  return safe + plain(html.slice(end));
}

function tag([, slash, name = "", attributes = ""]: RegExpExecArray): string {
  const element = name.toLowerCase();
  if (element === "a") {
    const href = attribute(attributes, "href");
    if (slash) return "</a>";
    return href === undefined ? "<a>" : opening(href);
  }
  if (element === "img") return image(attribute(attributes, "src") ?? "", attribute(attributes, "alt") ?? "");
  return ELEMENTS.has(element) ? `<${slash}${element}>` : "";
}

function attribute(attributes: string, name: string): string | undefined {
  const found = ATTRIBUTE(name).exec(attributes);
  return found ? unescaped(found[1] ?? found[2] ?? found[3]) : undefined;
}

/** Escapes text for HTML, so that it contains no tags. */
function plain(text: string): string {
  return text.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function unescaped(text: string): string {
  return text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#39;", "'");
}

function link(href: string, content: string, title?: string | null): string {
  return `${opening(href, title)}${content}</a>`;
}

/** A link's opening tag; without the address if it is not allowed. Another Markdown file opens as a page. */
function opening(href: string, title?: string | null): string {
  const named = title ? ` title="${escape(title)}"` : "";
  const address = [...href].filter((character) => character > " ").join("");
  const isElsewhere = SCHEME.test(address);
  if (isElsewhere && !SAFE_SCHEME.test(address)) return `<a${named}>`;
  const shown = isElsewhere ? address : address.replace(/\.(md|markdown)(?=#|$)/i, "$&?view");
  return `<a href="${escape(shown)}"${named}${isElsewhere ? ' rel="noreferrer"' : ""}>`;
}

/** A picture from the folder; one on another server becomes a link, so that nothing is loaded from there. */
function image(href: string, text: string, title?: string | null): string {
  if (SCHEME.test(href.trim())) return link(href, escape(text || href), title);
  const named = title ? ` title="${escape(title)}"` : "";
  return `<img src="${escape(href.trim())}" alt="${escape(text)}"${named} loading="lazy">`;
}
