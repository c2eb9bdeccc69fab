/** Requests for elements in tests under Wine. */

import type { StageElement } from "../support/elements_stage.ts";

export interface Answer {
  status: number;
  error?: string;
  via?: string;
  value?: string;
  ref?: string;
  states?: string[];
  silent?: string;
  elements: StageElement[];
}

/** Requests to one program, whose answers are kept: each start takes a second of processor time under Wine. */
export function callsOf(url: string) {
  const answers: string[] = [];
  const ask = async (path: string, init?: RequestInit): Promise<string> => {
    const response = await fetch(`${url}/api/${path}`, init), text = await response.text();
    answers.push(text);
    return path.includes("format=text")
      ? text
      : JSON.stringify({ status: response.status, ...JSON.parse(text) });
  };
  const post = async (path: string, body: unknown): Promise<Answer> =>
    JSON.parse(await ask(path, { method: "POST", body: JSON.stringify(body) }));
  return {
    answers,
    click: (body: unknown) => post("element/click", body),
    set: (body: unknown) => post("element/set", body),
    focus: (body: unknown) => post("element/focus", body),
    post,
    list: async (title: string, more = ""): Promise<Answer> =>
      JSON.parse(await ask(`elements?title=${encodeURIComponent(title)}${more}`)),
    /** The lines, without places and the number of the list. */
    text: async (title: string) =>
      (await ask(`elements?title=${encodeURIComponent(title)}&format=text`))
        .replaceAll(/ @-?\d+,-?\d+$/gm, "").replace(/, serial \d+$/m, ""),
  };
}

export type Calls = ReturnType<typeof callsOf>;
