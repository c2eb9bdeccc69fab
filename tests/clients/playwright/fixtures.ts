/** The fixtures and matchers under their npm name, like the client in `client.ts`. */

export * from "../../../clients/playwright/test.ts";
