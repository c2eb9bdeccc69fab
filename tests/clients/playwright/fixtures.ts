/** The fixtures and matchers by their name in npm, as `client.ts` has the client. */

export * from "../../../clients/playwright/test.ts";
