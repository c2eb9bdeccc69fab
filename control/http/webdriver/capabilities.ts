/** Capabilities of a new session (W3C WebDriver, section 7), with the names that Appium's clients send. */

import { isJsonObject } from "../../../core/json.ts";
import { invalid, WebDriverError } from "./errors.ts";

/** A check of a capability's value. */
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isAny: Check = () => true;

/** The capabilities of the standard. Those of browsers have no effect. */
const STANDARD: Readonly<Record<string, Check>> = {
  acceptInsecureCerts: isFlag,
  browserName: isText,
  browserVersion: isText,
  pageLoadStrategy: (value) => ["none", "eager", "normal"].includes(value as string),
  platformName: isText,
  proxy: isJsonObject,
  setWindowRect: isFlag,
  strictFileInteractability: isFlag,
  timeouts: isJsonObject,
  unhandledPromptBehavior: isAny,
  userAgent: isText,
  webSocketUrl: isAny,
};

/** The capabilities that deskhand reads, with the prefix `appium:` or, as older clients send them, without. */
const OWN: Readonly<Record<string, Check>> = {
  app: (value) => isText(value) || Number.isSafeInteger(value),
  appArguments: (value) => isText(value) || isTexts(value),
  appTopLevelWindow: isText,
  appWorkingDir: isText,
  arguments: isTexts,
  automationName: isAny,
  deviceName: isAny,
  environ: isJsonObject,
  environment: isJsonObject,
  newCommandTimeout: (value) => Number.isFinite(value) && (value as number) >= 0,
  shouldCloseApp: isFlag,
};

/** Capabilities without the prefix `appium:`. */
export interface Capabilities {
  app?: string | number;
  appArguments?: string | string[];
  appTopLevelWindow?: string;
  appWorkingDir?: string;
  arguments?: string[];
  environ?: Record<string, unknown>;
  environment?: Record<string, unknown>;
  newCommandTimeout?: number;
  shouldCloseApp?: boolean;
  timeouts?: Record<string, unknown>;
  platformName?: string;
  [name: string]: unknown;
}

/** The system, as `platformName` has it. */
export const PLATFORM = Deno.build.os === "windows" ? "windows" : "linux";
/** Values of `platformName` that fit, in lower case. */
const PLATFORMS: readonly string[] = [PLATFORM, "any", "", ...(PLATFORM === "windows" ? ["windows 10"] : [])];

/**
 * Reads the capabilities out of the body of New Session.
 * @throws WebDriverError if they are wrong, or fit another system alone.
 */
export function capabilitiesOf(body: Record<string, unknown>): Capabilities {
  const { capabilities, desiredCapabilities } = body;
  const isOld = capabilities === undefined && isJsonObject(desiredCapabilities);
  const given = isOld ? { alwaysMatch: desiredCapabilities } : capabilities;
  if (!isJsonObject(given)) throw invalid("capabilities must be an object");
  const { alwaysMatch = {}, firstMatch = [{}] } = given;
  if (!isJsonObject(alwaysMatch)) throw invalid("alwaysMatch must be an object");
  if (!Array.isArray(firstMatch) || !firstMatch.length || !firstMatch.every(isJsonObject)) {
    throw invalid("firstMatch must be a list of objects");
  }
  const always = checked(alwaysMatch), choices = firstMatch.map(checked);
  for (const choice of choices) {
    const twice = Object.keys(choice).find((name) => name in always);
    if (twice !== undefined) throw invalid(`the capability ${twice} is in alwaysMatch and in firstMatch`);
  }
  const merged = choices.map((choice): Capabilities => ({ ...always, ...choice }));
  const fitting = merged.find(({ platformName = "" }) => PLATFORMS.includes(platformName.toLowerCase()));
  if (fitting) return fitting;
  throw new WebDriverError("session not created", `no set of capabilities fits: this is ${PLATFORM}`);
}

/** Checks names and values, and removes the prefix; null means that a capability is left out. */
function checked(given: Record<string, unknown>): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue;
    const bare = name.replace(/^appium:/, "");
    if (bare === "options" && bare !== name) {
      if (!isJsonObject(value)) throw invalid("the capability appium:options must be an object");
      Object.assign(all, checked(value));
      continue;
    }
    const check = bare === name ? STANDARD[name] ?? OWN[name] : OWN[bare] ?? isAny;
    if (!check && !name.includes(":")) {
      throw invalid(
        `the capability ${name} is unknown; one of a vendor has a prefix, such as appium:${name}`,
      );
    }
    if (check && !check(value)) throw invalid(`the capability ${name} has a wrong value`);
    all[bare] = value;
  }
  return all;
}

/**
 * The capabilities in the answer to New Session. webdriverio decides by some of them which commands it sends: without
 * `setWindowRect` or `automationName` it sends those of 2016.
 * @param session The capabilities that were asked for.
 */
export function answeredCapabilities(
  { timeouts: _, webSocketUrl: __, proxy: ___, ...session }: Capabilities,
  timeouts: Record<string, number | null>,
): Record<string, unknown> {
  const all: Record<string, unknown> = {
    browserName: "",
    browserVersion: "",
    acceptInsecureCerts: false,
    pageLoadStrategy: "normal",
    proxy: {},
    setWindowRect: true,
    strictFileInteractability: false,
    unhandledPromptBehavior: "ignore",
    automationName: "deskhand",
    ...session,
    platformName: PLATFORM,
    timeouts,
  };
  const isBare = (name: string) => Object.hasOwn(STANDARD, name) || name.includes(":");
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [isBare(name) ? name : `appium:${name}`, value]),
  );
}
