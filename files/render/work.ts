/** Rendering of a text, as a call that can be sent to another thread. */

import { highlighted, languageOf } from "./highlight.ts";
import { renderMarkdown } from "./markdown.ts";
import { isMarkdown } from "./rendered.ts";

/** A text to render. */
export interface RenderCall {
  /** The file's name. */
  name: string;
  text: string;
}

/** A text as HTML. */
export interface Rendered {
  /** Prose is laid out by its page, code keeps its lines. */
  kind: "prose" | "code";
  html: string;
}

/** Renders a text. @returns undefined if nothing is known about its language. */
export function render({ name, text }: RenderCall): Rendered | undefined {
  if (isMarkdown(name)) return { kind: "prose", html: renderMarkdown(text) };
  const language = languageOf(name);
  return language === undefined ? undefined : { kind: "code", html: highlighted(text, language) };
}
