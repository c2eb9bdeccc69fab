/** Content-Security-Policies of the pages. Threads that write pages do not need them. */

import { inlinePolicy } from "../pages.ts";
import { assetsOf, type PageKind } from "./assets.ts";

const policies = new Map<PageKind, Promise<string>>();

/** The Content-Security-Policy of a page: its own styles and scripts by their digests, and nothing of other hosts. */
export function policyOf(kind: PageKind): Promise<string> {
  const policy = policies.get(kind) ?? inlinePolicy(assetsOf(kind));
  policies.set(kind, policy);
  return policy;
}
