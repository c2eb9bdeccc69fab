// The driver of a desktop for Anthropic's SDK: the toolset of computer use, done by deskhand over HTTP.

import { BetaAbstractComputerToolset20260801, ToolError } from "@anthropic-ai/sdk/helpers/beta/toolsets";

/** Runs the members of the toolset on the desktop of a deskhand. anthropic.d.mts describes the options. */
export class DeskhandComputer extends BetaAbstractComputerToolset20260801 {
  #endpoint;
  #headers;
  #fetch;
  #calls = 0;

  constructor(
    {
      url = "http://127.0.0.1:4000",
      token,
      fetch: request = globalThis.fetch,
      confirm = () => true,
      ...options
    } = {},
  ) {
    super({ confirm, ...options });
    this.#endpoint = new URL("/api/act", url);
    this.#headers = {
      "content-type": "application/json",
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    };
    this.#fetch = request;
  }

  async execute(ctx, name, input) {
    const id = ctx.toolUse?.id ?? `call_${++this.#calls}`;
    const block = { type: "tool_use", id, name, toolset_name: "computer", input };
    const [{ content, is_error: isError }] = await this.#results([block], ctx.signal);
    if (isError) throw new ToolError(content);
    const picture = content.find(({ type }) => type === "image");
    if (picture) return { data: picture.source.data, mediaType: picture.source.media_type };
    const place = name === "cursor_position" && /^X=(-?\d+),Y=(-?\d+)$/.exec(content[0].text);
    return place ? { x: Number(place[1]), y: Number(place[2]) } : content[1]?.text;
  }

  async #results(actions, signal) {
    const request = this.#fetch; // fetch must not be called as a method
    const answer = await request(this.#endpoint, {
      method: "POST",
      headers: this.#headers,
      body: JSON.stringify({ dialect: "anthropic", actions }),
      signal,
    });
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new ToolError(`deskhand answered ${answer.status}: ${body.error ?? "no JSON"}`);
    return body.results;
  }
}
