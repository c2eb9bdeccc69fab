import process from "node:process";
import type { DeskOptions, DeskWorkerOptions } from "@deskhand/client/test";
import { defineConfig } from "@playwright/test";

export default defineConfig<DeskOptions, DeskWorkerOptions>({
  testDir: ".",
  timeout: 120_000,
  expect: { timeout: 10_000 },
  reporter: [["json", { outputFile: "report.json" }], ["junit", { outputFile: "junit.xml" }], ["html", {
    open: "never",
  }]],
  use: { deskProgram: JSON.parse(process.env.DESKHAND_COMMAND!) },
});
