/** Capabilities of a new session (W3C WebDriver, section 7), under the names that Appium clients send. */

import { isJsonObject } from "../../../core/json.ts";
import {
  anyObject,
  choice,
  converted,
  field,
  flag,
  list,
  number,
  optional,
  plainText,
  type Values,
} from "../../schema/schema.ts";
import { invalid, notCreated } from "./errors.ts";

const TEXT = optional(plainText("")), FLAG = optional(flag("")), OBJECT = optional(anyObject({}));
const ANY = optional(field<unknown>({}, "", () => true));
const areWords = (value: unknown) => [value].flat().every((word) => typeof word === "string");
const isApp = (value: unknown) => typeof value === "string" || Number.isSafeInteger(value);

/** The standard capabilities. Those of browsers have no effect. */
const STANDARD = {
  acceptInsecureCerts: FLAG,
  browserName: TEXT,
  browserVersion: TEXT,
  pageLoadStrategy: optional(choice(["none", "eager", "normal"], "")),
  platformName: TEXT,
  proxy: OBJECT,
  setWindowRect: FLAG,
  strictFileInteractability: FLAG,
  timeouts: OBJECT,
  unhandledPromptBehavior: ANY,
  userAgent: TEXT,
  webSocketUrl: ANY,
};

/** The capabilities that deskhand reads, with the prefix `appium:` or, from older clients, without it. */
const OWN = {
  app: optional(converted(field<string | number>({}, "a string", isApp), String)),
  appArguments: optional(field<string | string[]>({}, "a string or a list of strings", areWords)),
  appTopLevelWindow: TEXT,
  appWorkingDir: TEXT,
  arguments: optional(list(plainText(""), "")),
  automationName: ANY,
  deviceName: ANY,
  environ: OBJECT,
  environment: OBJECT,
  newCommandTimeout: optional(number(0, Number.MAX_SAFE_INTEGER, "Seconds")),
  shouldCloseApp: FLAG,
};

/** Capabilities without the prefix `appium:`. */
export type Capabilities = Values<typeof STANDARD> & Values<typeof OWN>;

/** The system as a `platformName`. */
export const PLATFORM = Deno.build.os === "windows" ? "windows" : "linux";
/** Matching values of `platformName`, in lower case. */
const PLATFORMS: readonly string[] = [PLATFORM, "any", "", ...(PLATFORM === "windows" ? ["windows 10"] : [])];

/**
 * Reads the capabilities from the body of New Session.
 * @throws InputError if they are invalid; WebDriverError if they fit only another system.
 */
export function capabilitiesOf({ capabilities, desiredCapabilities }: Record<string, unknown>): Capabilities {
  const given = capabilities ?? (desiredCapabilities && { alwaysMatch: desiredCapabilities });
  if (!isJsonObject(given)) throw invalid("capabilities must be an object");
  const { alwaysMatch = {}, firstMatch = [{}] } = given;
  if (!Array.isArray(firstMatch) || !firstMatch.length) throw invalid("firstMatch must be a list of objects");
  const always = checked(alwaysMatch, "alwaysMatch");
  const merged = firstMatch.map((one): Capabilities => {
    const choice = checked(one, "firstMatch"), twice = Object.keys(choice).find((name) => name in always);
    if (twice === undefined) return { ...always, ...choice };
    throw invalid(`the capability ${twice} is in alwaysMatch and in firstMatch`);
  });
  const fitting = merged.find(({ platformName = "" }) => PLATFORMS.includes(platformName.toLowerCase()));
  if (fitting) return fitting;
  throw notCreated(`no set of capabilities fits: platformName must be ${PLATFORM}, any, or left out`);
}

const NEED_PREFIX = "vendor capabilities need a prefix";

/** Checks names and values, and removes the prefix; null means that a capability is left out. */
function checked(given: unknown, where: string): Record<string, unknown> {
  if (!isJsonObject(given)) throw invalid(`${where} must be an object`);
  const all: Record<string, unknown> = {}, known = { ...STANDARD, ...OWN };
  for (const [name, value] of Object.entries(given).filter(([, value]) => value !== null)) {
    const bare = name.replace(/^appium:/, "");
    if (name === "appium:options") Object.assign(all, checked(value, name));
    else if (Object.hasOwn(bare === name ? known : OWN, bare)) {
      all[bare] = known[bare as keyof typeof known].parse(value, `the capability ${name}`);
    } else if (name.includes(":")) all[bare] = value;
    else throw invalid(`unknown capability ${name}; ${NEED_PREFIX}, such as appium:${name}`);
  }
  return all;
}

/**
 * The capabilities in the answer to New Session. webdriverio uses some of them to choose its commands:
 * without `setWindowRect` or `automationName` it sends those of 2016.
 * @param capabilities The requested ones.
 */
export function answeredBy(
  { capabilities, timeouts }: { capabilities: Capabilities; timeouts: Record<string, number | null> },
): Record<string, unknown> {
  const { webSocketUrl: _, proxy: __, ...asked } = capabilities;
  const all = {
    browserVersion: "",
    acceptInsecureCerts: false,
    pageLoadStrategy: "normal",
    proxy: {},
    setWindowRect: true,
    strictFileInteractability: false,
    unhandledPromptBehavior: "ignore",
    automationName: "deskhand",
    ...asked,
    browserName: "",
    platformName: PLATFORM,
    timeouts,
  };
  const isBare = (name: string) => Object.hasOwn(STANDARD, name) || name.includes(":");
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [isBare(name) ? name : `appium:${name}`, value]),
  );
}
