import {
  BetaAbstractComputerToolset20260801,
  type BetaComputerToolsetOptions,
} from "@anthropic-ai/sdk/helpers/beta/toolsets";

/** Options of {@linkcode DeskhandComputer}, in addition to those of the SDK's toolset. */
export interface DeskhandComputerOptions extends BetaComputerToolsetOptions {
  /** Address of deskhand's control API; defaults to `http://127.0.0.1:4000`. */
  url?: string | undefined;
  /** Token for the control API, not needed by callers on the same machine. */
  token?: string | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/**
 * The computer toolset `computer_toolset_20260801` on a deskhand's desktop. The SDK requires a `confirm`,
 * which allows or refuses each call; `() => true` leaves the decision to deskhand (`--agent-allow`,
 * `--read-only`, `--tools`).
 * @example
 * const computer = new DeskhandComputer({ url: "http://localhost:4000", confirm: () => true });
 * const runner = client.beta.messages.toolRunner({ model, max_tokens: 4096, tools: [computer], messages });
 * for await (const message of runner) console.log(message.content);
 */
export declare class DeskhandComputer extends BetaAbstractComputerToolset20260801 {
  constructor(options?: DeskhandComputerOptions);
}
