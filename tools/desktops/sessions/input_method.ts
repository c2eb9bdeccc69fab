/** Input methods: their settings in a session, and their engines. */

import type { InputMethod } from "../rows.ts";
import type { Session } from "../session.ts";

/** The IBus engine of the plain keyboard. */
const KEYBOARD_ENGINE = "xkb:us::eng";
/** The IBus engines that rows activate. */
const IBUS_ENGINES: Partial<Record<InputMethod, string>> = {
  "ibus+pinyin": "libpinyin",
  "ibus+anthy": "anthy",
  "ibus+hangul": "hangul",
};

/** The IBus engine that a row activates; undefined if none converts keys to other text. */
export function ibusEngine(method: InputMethod): string | undefined {
  return IBUS_ENGINES[method];
}

/** Configures the active engines: IBus-Hangul otherwise starts with Latin letters. */
export async function configureIbus(session: Session, method: InputMethod): Promise<void> {
  if (method !== "ibus+hangul") return;
  await session.run("gsettings set org.freedesktop.ibus.engine.hangul initial-input-mode hangul");
}

/** fcitx5's list of engines, with the named one as the default. */
const fcitxProfile = (engine: string): string =>
  `[Groups/0]
Name=Default
Default Layout=us
DefaultIM=${engine}

[Groups/0/Items/0]
Name=keyboard-us
Layout=

[Groups/0/Items/1]
Name=pinyin
Layout=

[GroupOrder]
0=Default
`;

/** Activates Pinyin for every program, or leaves the plain keyboard. */
const fcitxConfig = (isOn: boolean): string =>
  `[Behavior]
ActiveByDefault=${isOn ? "True" : "False"}
ShareInputState=All
`;

/** Sets the input method in the environment, like im-config(8), for an X11 session. */
export function nameInputMethod(session: Session, method: InputMethod): void {
  const [framework] = method.split("+"), name = framework === "fcitx5" ? "fcitx" : framework;
  if (name === "none") return;
  Object.assign(session.env, { GTK_IM_MODULE: name, QT_IM_MODULE: name, XMODIFIERS: `@im=${name}` });
}

/** Starts IBus on X11 with its panel, which activates its first engine. */
async function startIBus(session: Session, engine: string): Promise<void> {
  for (const key of ["preload-engines", "engines-order"]) {
    await session.run(`gsettings set org.freedesktop.ibus.general ${key} "['${engine}']"`);
  }
  session.launch("ibus", "ibus-daemon --daemonize --replace --xim");
  await session.ready("IBus", "ibus engine", 60);
  await session.run(`ibus engine ${engine} || true`);
}

/** Waits until the IBus engine that a row activates is active. */
export async function awaitEngine(session: Session, method: InputMethod): Promise<void> {
  const engine = ibusEngine(method);
  if (engine) await session.ready(`IBus's engine ${engine}`, `test "$(ibus engine)" = ${engine}`, 60);
}

/** Writes fcitx5's configuration. */
export function configureFcitx(session: Session, method: InputMethod): void {
  const isOn = method.endsWith("+pinyin");
  session.write(".config/fcitx5/profile", fcitxProfile("pinyin"));
  session.write(".config/fcitx5/config", fcitxConfig(isOn));
}

/** Starts fcitx5 and waits until it responds. */
export async function startFcitx(session: Session, method: InputMethod): Promise<void> {
  configureFcitx(session, method);
  session.launch("fcitx5", "fcitx5");
  await session.ready("fcitx5", "fcitx5-remote");
}

/** Starts the input method of an X11 session. */
export async function startInputMethod(session: Session, method: InputMethod): Promise<void> {
  if (method.startsWith("ibus")) {
    await configureIbus(session, method);
    await startIBus(session, ibusEngine(method) ?? KEYBOARD_ENGINE);
  }
  if (method.startsWith("fcitx5")) await startFcitx(session, method);
}
