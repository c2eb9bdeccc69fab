import type { DeskOptions, DeskWorkerOptions } from "@deskhand/client/test";
import { defineConfig } from "@playwright/test";
import process from "node:process";

export default defineConfig<DeskOptions, DeskWorkerOptions>({
  testDir: "tests",
  expect: { timeout: 15_000 },
  reporter: [["list"], ["html", { open: "never" }]],
  use: { desktop: "xvfb" },
  // Under `deskhand run`, all tests share one desktop; otherwise each worker starts its own.
  workers: process.env.DESKHAND_URL ? 1 : undefined,
});
