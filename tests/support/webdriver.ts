/** A stage with WebDriver on it. */

import { ElementsStage } from "./elements.ts";

/** Starts a stage with WebDriver. @param args The arguments of deskhand beside those of WebDriver's port. */
export async function webDriverStage(...args: string[]): Promise<{ stage: ElementsStage; url: string }> {
  const stage = await ElementsStage.start("--webdriver", "0", ...args);
  return { stage, url: await stage.program.webdriverUrl() };
}
