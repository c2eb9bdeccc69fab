/** Content-Security-Policies of the pages. Threads that write pages do not need them. */

import { inlinePolicy } from "../pages.ts";
import { assetsOf, type PageKind } from "./assets.ts";

const policies = new Map<string, Promise<string>>();

/**
 * The Content-Security-Policy of a page: its own styles and scripts by their digests, and nothing of other hosts. For the
 * parameters see {@linkcode assetsOf}.
 */
export function policyOf(kind: PageKind, takesFiles = false): Promise<string> {
  const key = `${kind} ${takesFiles}`;
  const policy = policies.get(key) ?? inlinePolicy(assetsOf(kind, takesFiles));
  policies.set(key, policy);
  return policy;
}
