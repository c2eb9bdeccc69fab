/** Capabilities of a new session (W3C WebDriver, section 7), under the names that Appium clients send. */

import { isJsonObject } from "../../../core/json.ts";
import { nearest, printable } from "../../../core/printable.ts";
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
/** Process numbers have at most 32 bits, and 0 stands for no process. */
const isProcess = (number: number) => Number.isInteger(number) && number > 0 && number < 2 ** 32;
const isApp = (value: unknown) =>
  typeof value === "string" && !/^-?\d+$/.test(value) ||
  ["string", "number"].includes(typeof value) && isProcess(Number(value));

/**
 * How long a session without the capability `newCommandTimeout` waits for a command, in seconds, as long as
 * Selenium Grid: a client that was killed leaves a program and maybe keys that are down.
 */
export const SILENCE_S = 300;

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
  app: optional(
    converted(field<string | number>({}, "a program, Root, or a process number from 1", isApp), String),
  ),
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

/**
 * Capabilities of phones and of Appium's own servers, which clients and tools such as Appium Inspector send
 * without being asked. They have no effect.
 */
const IGNORED = Object.fromEntries(
  ("autoWebview connectHardwareKeyboard createSessionTimeout ensureWebviewsHavePages eventTimings fullReset " +
    "includeSafariInWebviews nativeWebScreenshot noReset orientation platformVersion " +
    "printPageSourceOnFindFailure systemPort udid wadUrl").split(" ").map((name) => [name, ANY]),
);

const KNOWN = { ...STANDARD, ...OWN, ...IGNORED };
/** Prefixes of capabilities that deskhand must know; those of other vendors fit everywhere. */
const OWN_PREFIX = /^(?:appium|deskhand):/;

/** Capabilities without the prefix `appium:`. */
export type Capabilities = Values<typeof STANDARD> & Values<typeof OWN>;

/** The system as a `platformName`. */
export const PLATFORM = Deno.build.os === "windows" ? "windows" : "linux";
/** Matching values of `platformName`, in lower case. */
const PLATFORMS: readonly string[] = [PLATFORM, "any", "", ...(PLATFORM === "windows" ? ["windows 10"] : [])];

/**
 * Reads the capabilities from the body of New Session.
 * @throws InputError if they are invalid; WebDriverError if none fits: another system, or an unknown name.
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
  const misfits = merged.map(misfitOf), fitting = misfits.indexOf(undefined);
  if (fitting >= 0) return merged[fitting];
  throw notCreated(`no set of capabilities fits: ${[...new Set(misfits)].join("; ")}`);
}

/** Why capabilities do not fit this system; undefined if they do. */
function misfitOf(capabilities: Capabilities): string | undefined {
  const { platformName = "" } = capabilities;
  if (!PLATFORMS.includes(platformName.toLowerCase())) {
    return `platformName must be ${PLATFORM}, any, or left out`;
  }
  const unknown = Object.keys(capabilities).find((name) => OWN_PREFIX.test(name));
  if (unknown === undefined) return undefined;
  const names = Object.keys(OWN), meant = nearest(unknown.replace(OWN_PREFIX, ""), names);
  const instead = meant === undefined ? `supported: ${names.join(", ")}` : `did you mean appium:${meant}?`;
  return `the capability ${printable(unknown, 60)} is unknown; ${instead}`;
}

const NEED_PREFIX = "vendor capabilities need a prefix";

/**
 * Checks names and values, and removes the prefix of known ones; null means that a capability is left out.
 */
function checked(given: unknown, where: string): Record<string, unknown> {
  if (!isJsonObject(given)) throw invalid(`${where} must be an object`);
  const all: Record<string, unknown> = {}, isInside = where === OPTIONS;
  for (const [name, value] of Object.entries(given).filter(([, value]) => value !== null)) {
    const bare = name.replace(/^appium:/, "");
    if (name === OPTIONS) Object.assign(all, checked(value, name));
    else if (Object.hasOwn(KNOWN, bare)) {
      all[bare] = KNOWN[bare as keyof typeof KNOWN].parse(value, `the capability ${name}`);
    } else if (name.includes(":")) all[name] = value;
    else if (isInside) all[`appium:${name}`] = value;
    else throw invalid(`unknown capability ${name}; ${NEED_PREFIX}, such as appium:${name}`);
  }
  return all;
}

/** The capability whose fields are capabilities without their prefix. */
const OPTIONS = "appium:options";

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
    newCommandTimeout: SILENCE_S,
    acceptInsecureCerts: false,
    pageLoadStrategy: "normal",
    proxy: {},
    setWindowRect: true,
    strictFileInteractability: false,
    unhandledPromptBehavior: "ignore",
    automationName: "deskhand",
    ...asked,
    browserName: "",
    browserVersion: "",
    platformName: PLATFORM,
    timeouts,
  };
  const isBare = (name: string) => Object.hasOwn(STANDARD, name) || name.includes(":");
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [isBare(name) ? name : `appium:${name}`, value]),
  );
}
