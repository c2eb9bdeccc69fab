/** Opens the file server. Loaded only if it is asked for. */

import { checkedHostName } from "../control/http/access/guard.ts";
import { UsageError } from "../core/errors.ts";
import { printable } from "../core/printable.ts";
import { exposureNotice } from "../files/exposure.ts";
import { createFilesGuard } from "../files/guard.ts";
import { createFilesHandler } from "../files/handler.ts";
import { parseSize } from "../files/upload/size.ts";
import { isBoundBeyondLoopback, ownHosts, urlsOf } from "../http/addresses.ts";
import { AttemptLimiter } from "../http/limiter.ts";
import { counted, ServerTraffic } from "../http/traffic.ts";
import type { Settings } from "./option_table.ts";
import { secretPaths } from "./secret_paths.ts";
import { type BoundServer, listenFor, qrLines, type ServerContext } from "./server.ts";

/**
 * Binds the port of the file server.
 * @param root The folder that is served.
 * @throws UsageError if a setting is wrong or the port is not available.
 */
export function bindFiles(root: string, context: ServerContext): BoundServer {
  const { settings, output } = context;
  const uploads = uploadOptions(settings), requests = new ServerTraffic("files");
  context.traffic.push(requests);
  const handler = createFilesHandler({
    root,
    index: settings.index,
    secrets: secretPaths(settings),
    noHidden: settings.noHidden,
    cors: settings.filesCors,
    trustHtml: settings.trustHtml,
    uploads,
    guard: guardOf(context),
    sent: (bytes) => requests.sentBytes += bytes,
    report: output.report,
  });
  // What is served has no routes: every path is a file of the user's.
  const routed = counted(handler, requests, () => "files");
  const listener = listenFor("File server", "files", settings.filesPort, routed, context);
  const real = Deno.realPathSync(root);
  const home = Deno.env.get(Deno.build.os === "windows" ? "USERPROFILE" : "HOME");
  const exposure = settings.noHidden ? undefined : exposureNotice(real, home);
  const about = async () =>
    [
      `File server started on port ${listener.port}`,
      `  ${printable(real)}`,
      ...urlsOf(listener).map((url) => `  ${url}/`),
      ...await qrLines(listener, "/"),
    ].join("\n");
  return {
    about,
    async start() {
      output.result(await about());
      if (exposure !== undefined) output.notice(exposure);
      if (uploads && !uploads.hasPassword && isBoundBeyondLoopback(listener)) {
        output.notice(
          "files are taken from this machine alone: --files-auth USER:PASSWORD lets others upload",
        );
      }
    },
    drain: () => listener.close(),
  };
}

function guardOf({ settings: { filesAuth, allowHost, host, filesCors }, tls }: ServerContext) {
  return createFilesGuard({
    basic: filesAuth,
    hosts: new Set([...allowHost.map(checkedHostName), ...(host === undefined ? [] : ownHosts())]),
    tls: tls !== undefined,
    cors: filesCors,
    limiter: new AttemptLimiter(),
  });
}

/**
 * How files are taken; undefined if they are not.
 * @throws UsageError if the options contradict each other or the limit is no size.
 */
function uploadOptions({ allowUpload, readOnly, allowOverwrite, uploadLimit, filesAuth }: Settings) {
  const limit = parseSize(uploadLimit, "--upload-limit");
  if (!allowUpload) return undefined;
  if (readOnly) throw new UsageError("--read-only and --allow-upload contradict each other");
  return {
    overwrite: allowOverwrite,
    limit,
    hasPassword: filesAuth !== undefined,
  };
}
