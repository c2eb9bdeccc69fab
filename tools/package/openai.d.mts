import type { ComputerDriver } from "openai/helpers/computer";

/** Options of the drivers. */
export interface DeskhandOptions {
  /** Address of deskhand's control API; defaults to `http://127.0.0.1:4000`. */
  url?: string | undefined;
  /** Token for the control API, not needed by callers on the same machine. */
  token?: string | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/**
 * The driver for `ComputerToolset` in OpenAI's SDK (7.33 or later). An action that deskhand refuses throws,
 * which ends the run; the toolset calls `approveSafetyChecks` before actions flagged by OpenAI's service.
 * @example
 * const computer = new ComputerToolset(new DeskhandDriver({ url: "http://localhost:4000" }));
 * const response = await computer.run(new OpenAI(), { model, input }, { approveSafetyChecks });
 */
export declare class DeskhandDriver implements ComputerDriver {
  constructor(options?: DeskhandOptions);
  click: ComputerDriver["click"];
  double_click: ComputerDriver["double_click"];
  drag: ComputerDriver["drag"];
  keypress: ComputerDriver["keypress"];
  move: ComputerDriver["move"];
  screenshot: ComputerDriver["screenshot"];
  scroll: ComputerDriver["scroll"];
  type: ComputerDriver["type"];
  wait: ComputerDriver["wait"];
}

/**
 * The `Computer` for the Agents SDK (`@openai/agents` 0.20 or later), which does not pass on keys held during
 * a click, a move or a drag. Prefer {@linkcode deskhandTool}, which refuses unanswered safety checks.
 */
export declare class DeskhandComputer {
  constructor(options?: DeskhandOptions);
  click(x: number, y: number, button: "left" | "right" | "wheel" | "back" | "forward"): Promise<void>;
  doubleClick(x: number, y: number): Promise<void>;
  drag(path: [number, number][]): Promise<void>;
  keypress(keys: string[]): Promise<void>;
  move(x: number, y: number): Promise<void>;
  /** A PNG file in base64. */
  screenshot(): Promise<string>;
  scroll(x: number, y: number, scrollX: number, scrollY: number): Promise<void>;
  type(text: string): Promise<void>;
  wait(): Promise<void>;
}

/**
 * The options of the Agents SDK's `computerTool` for a deskhand's desktop; its other options are passed on.
 * Calls flagged by OpenAI's service are refused if `onSafetyCheck` is omitted, whereas the SDK itself would
 * continue.
 * @example
 * const tools = [computerTool(deskhandTool({ url: "http://localhost:4000", onSafetyCheck }))];
 * const { finalOutput } = await run(new Agent({ name: "desk", model, tools }), "Open the menu.");
 */
export declare function deskhandTool<Options extends object = object>(
  options?: DeskhandOptions & Options,
): Omit<Options, keyof DeskhandOptions> & { computer: DeskhandComputer };
