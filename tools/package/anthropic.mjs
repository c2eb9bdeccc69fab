// The desktop driver for Anthropic's SDK: the computer use toolset, implemented with deskhand over HTTP.

import { BetaAbstractComputerToolset20260801, ToolError } from "@anthropic-ai/sdk/helpers/beta/toolsets";
import { endpointOf } from "./endpoint.mjs";

/** Runs the toolset's members on a deskhand's desktop. anthropic.d.mts describes the options. */
export class DeskhandComputer extends BetaAbstractComputerToolset20260801 {
  #act;
  #calls = 0;

  constructor({ url, token, fetch, ...options } = {}) {
    super(options);
    this.#act = endpointOf("anthropic", { url, token, fetch }, (message) => new ToolError(message));
  }

  async execute(ctx, name, input) {
    const id = ctx.toolUse?.id ?? `call_${++this.#calls}`;
    const block = { type: "tool_use", id, name, toolset_name: "computer", input };
    const { results: [{ content, is_error: isError }] } = await this.#act({ actions: [block] }, ctx.signal);
    if (isError) throw new ToolError(content);
    const picture = content.find(({ type }) => type === "image");
    if (picture) return { data: picture.source.data, mediaType: picture.source.media_type };
    const place = name === "cursor_position" && /^X=(-?\d+),Y=(-?\d+)$/.exec(content[0].text);
    return place ? { x: Number(place[1]), y: Number(place[2]) } : content[1]?.text;
  }
}
