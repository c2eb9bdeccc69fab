/** Program settings, so that typed text stays unchanged, and no questions are asked on the first start. */

import type { Session } from "./session.ts";

/** KWrite: no automatic closing quotes and brackets, no suggestions, spaces are preserved. */
const KWRITE = `[KTextEditor View]
Auto Brackets=false
Auto Completion=false

[KTextEditor Document]
Remove Spaces=0
Newline at End of File=false
`;

/** Firefox's preferences. */
const FIREFOX = {
  "browser.aboutwelcome.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.homepage_override.mstone": "ignore",
  "datareporting.policy.dataSubmissionEnabled": false,
  "termsofuse.bypassNotification": true,
  "toolkit.telemetry.reportingpolicy.firstRun": false,
};

/** LibreOffice switches to turn off: autocorrection, completion, questions. */
const LIBREOFFICE: readonly [path: string, name: string][] = [
  ["Office.Writer/AutoFunction/Format/ByInput", "Enable"],
  ["Office.Writer/AutoFunction/Completion", "Enable"],
  ...[
    "UseReplacementTable",
    "TwoCapitalsAtStart",
    "CapitalAtStartSentence",
    "ChangeDash",
    "ReplaceSingleQuote",
  ]
    .map((name): [string, string] => ["Office.Common/AutoCorrect", name]),
  ...["ReplaceDoubleQuote", "CorrectAccidentalCapsLock", "SetInetAttribute", "ChangeOrdinalNumber"]
    .map((name): [string, string] => ["Office.Common/AutoCorrect", name]),
  ["Office.Common/Save/Document", "WarnAlienFormat"],
  ["Office.Common/Misc", "ShowTipOfTheDay"],
  ["Office.Common/Misc", "FirstRun"],
];

const registry = (items: readonly [path: string, name: string][]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
${
    items.map(([path, name]) =>
      `<item oor:path="/org.openoffice.${path}"><prop oor:name="${name}" oor:op="fuse"><value>false</value></prop></item>`
    ).join("\n")
  }
</oor:items>
`;

/** Writes all settings into the user's home folder. */
export function writeSettings(session: Session): void {
  for (const name of ["kwriterc", "katerc"]) session.write(`.config/${name}`, KWRITE);
  const preferences = Object.entries(FIREFOX).map(([name, value]) =>
    `user_pref("${name}", ${JSON.stringify(value)});`
  );
  session.write(".config/featherpad/fp.conf", "[text]\nappendEmptyLine=false\n");
  session.write("firefox/user.js", preferences.join("\n") + "\n");
  session.write(".config/libreoffice/4/user/registrymodifications.xcu", registry(LIBREOFFICE));
}
