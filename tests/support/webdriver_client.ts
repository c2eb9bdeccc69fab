/** A WebDriver client that sends what a test specifies. */

import { assertEquals } from "@std/assert";

/** The field name of an element reference. */
export const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** A WebDriver response. */
interface WebDriverAnswer {
  status: number;
  // deno-lint-ignore no-explicit-any
  value: any;
}

/** Sends commands to an address, including those of a session. */
export class WebDriverClient {
  session = "";

  constructor(readonly url: string) {}

  /** Sends a command outside of the session. */
  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const answer = await fetch(this.url + path, {
      method,
      headers,
      ...(method === "POST" ? { body: JSON.stringify(body ?? {}) } : {}),
    });
    const { value } = await answer.json();
    return { status: answer.status, value } as WebDriverAnswer;
  }

  /** Opens the session for the following commands. */
  async open(capabilities: Record<string, unknown>): Promise<WebDriverAnswer> {
    const answer = await this.send("POST", "/session", { capabilities: { alwaysMatch: capabilities } });
    this.session = answer.value.sessionId ?? "";
    return answer;
  }

  /** Sends a session command that must succeed; returns its value. */
  async get(path: string) {
    return this.#value(await this.send("GET", `/session/${this.session}${path}`));
  }

  /** Sends a session command that must succeed; returns its value. */
  async post(path: string, body: unknown = {}) {
    return this.#value(await this.send("POST", `/session/${this.session}${path}`, body));
  }

  #value({ status, value }: WebDriverAnswer) {
    assertEquals(status, 200, JSON.stringify(value));
    return value;
  }

  /** Sends a session command that must fail; returns the code, the message and the status. */
  async fail(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<[code: string, message: string, status: number]> {
    const { status, value } = await this.send(method, `/session/${this.session}${path}`, body);
    return [value?.error, value?.message, status];
  }

  /** Finds an element; returns its reference. */
  async find(using: string, value: string): Promise<string> {
    return (await this.post("/element", { using, value }))[ELEMENT];
  }

  /** Ends the session. */
  async quit(): Promise<void> {
    this.#value(await this.send("DELETE", `/session/${this.session}`));
  }
}
