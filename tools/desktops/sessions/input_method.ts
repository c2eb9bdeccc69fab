/** Input methods: their settings in a session, and their engines. */

import type { InputMethod } from "../rows.ts";
import type { Session } from "../session.ts";

/** The engine of IBus that is the plain keyboard. */
const KEYBOARD_ENGINE = "xkb:us::eng";
/** The engines of IBus that a row switches on. */
const IBUS_ENGINES: Partial<Record<InputMethod, string>> = {
  "ibus+pinyin": "libpinyin",
  "ibus+anthy": "anthy",
  "ibus+hangul": "hangul",
};

/** The engine of IBus that a row switches on; undefined where none makes other text of keys. */
export function ibusEngine(method: InputMethod): string | undefined {
  return IBUS_ENGINES[method];
}

/** Sets up the engines that are switched on: IBus-Hangul begins with Latin letters otherwise. */
export async function configureIbus(session: Session, method: InputMethod): Promise<void> {
  if (method !== "ibus+hangul") return;
  await session.run("gsettings set org.freedesktop.ibus.engine.hangul initial-input-mode hangul");
}

/** fcitx5's list of engines, in which the named one is the default. */
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

/** Switches pinyin on for every program, or leaves the keyboard. */
const fcitxConfig = (isOn: boolean): string =>
  `[Behavior]
ActiveByDefault=${isOn ? "True" : "False"}
ShareInputState=All
`;

/** Names the input method in the environment, as im-config(8) does, for a session on X11. */
export function nameInputMethod(session: Session, method: InputMethod): void {
  const [framework] = method.split("+"), name = framework === "fcitx5" ? "fcitx" : framework;
  if (name === "none") return;
  Object.assign(session.env, { GTK_IM_MODULE: name, QT_IM_MODULE: name, XMODIFIERS: `@im=${name}` });
}

/** Starts IBus on X11 with its panel, which switches the first of its engines on. */
async function startIBus(session: Session, engine: string): Promise<void> {
  for (const key of ["preload-engines", "engines-order"]) {
    await session.run(`gsettings set org.freedesktop.ibus.general ${key} "['${engine}']"`);
  }
  session.launch("ibus", "ibus-daemon --daemonize --replace --xim");
  await session.ready("IBus", "ibus engine", 60);
  await session.run(`ibus engine ${engine} || true`);
}

/** Waits until the engine of IBus that a row switches on is the one that is on. */
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

/** Starts fcitx5 and waits until it answers. */
export async function startFcitx(session: Session, method: InputMethod): Promise<void> {
  configureFcitx(session, method);
  session.launch("fcitx5", "fcitx5");
  await session.ready("fcitx5", "fcitx5-remote");
}

/** Starts the input method of a session on X11. */
export async function startInputMethod(session: Session, method: InputMethod): Promise<void> {
  if (method.startsWith("ibus")) {
    await configureIbus(session, method);
    await startIBus(session, ibusEngine(method) ?? KEYBOARD_ENGINE);
  }
  if (method.startsWith("fcitx5")) await startFcitx(session, method);
}
