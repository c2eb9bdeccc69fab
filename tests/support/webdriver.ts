/** A stage with WebDriver. */

import { ElementsStage } from "./elements.ts";

/** Starts a stage with WebDriver. @param args deskhand's arguments besides WebDriver's port. */
export async function webDriverStage(...args: string[]): Promise<{ stage: ElementsStage; url: string }> {
  const stage = await ElementsStage.start("--webdriver", "0", ...args);
  return { stage, url: await stage.program.webdriverUrl() };
}
