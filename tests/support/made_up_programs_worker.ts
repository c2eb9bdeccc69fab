/// <reference lib="deno.worker" />
/**
 * The thread of a made-up program on a bus, or of the registry of programs, which gives a test's responses.
 */

import { Channel, type Incoming } from "../../ffi/linux/dbus/channel.ts";
import { POLLIN } from "../../ffi/linux/libc.ts";
import { DAEMON, MESSAGE } from "../../ffi/linux/dbus/message.ts";
import { type Sent, Variant } from "../../ffi/linux/dbus/values.ts";
import type { MadeObject, MadeProgram, ProgramStart } from "./made_up_programs.ts";
import { serveOwnSocket } from "./shell.ts";

/** The set states: enabled, sensitive, showing, visible. */
const SHOWN = [1 << 8 | 1 << 24 | 1 << 25 | 1 << 30, 0];
/** Longest time after which a thread notices that it is terminated, in milliseconds. */
const SLICE_MS = 100;
const ROOT = "/org/a11y/atspi/accessible/root";
const INTERFACE = "org.a11y.atspi.Accessible";

/** A response's signature and values; "none" for no response. */
type Answer = [signature: string, ...args: Sent[]] | "none" | undefined;

class MadeUp {
  readonly channel: Channel;
  name = "";
  calls = 0;

  constructor(socket: string, readonly answer: (call: Incoming, own: MadeUp) => Answer) {
    this.channel = Channel.open([socket]);
    this.channel.user = {
      handle: (message) => this.#take(message),
      ended: () => this.channel.socket.close(),
    };
    this.#ask("Hello", "", []);
    this.channel.messages.until(() => this.name !== "", "a name", 5000);
    this.channel.own = this.name;
  }

  own(name: string): void {
    this.#ask("RequestName", "su", [name, 0]);
  }

  #ask(member: string, signature: string, args: Sent[]): void {
    const { destination, path, interface: type } = DAEMON;
    this.channel.send({
      type: MESSAGE.call,
      fields: { destination, path, interface: type, member },
      signature,
      args,
    });
  }

  #take(message: Incoming): void {
    if (message.type === MESSAGE.reply && this.name === "") this.name = String(message.values[0]);
    if (message.type !== MESSAGE.call) return;
    this.calls++;
    const answer = this.answer(message, this);
    if (answer === "none" || this.channel.messages.isLost) return;
    const fields = { destination: message.sender, replySerial: message.serial };
    if (answer) {
      const [signature, ...args] = answer;
      return void this.channel.send({ type: MESSAGE.reply, fields, signature, args });
    }
    const errorName = "org.freedesktop.DBus.Error.UnknownMethod";
    this.channel.send({ type: MESSAGE.error, fields: { ...fields, errorName }, signature: "", args: [] });
  }
}

function registryAnswer(listed: readonly string[]) {
  return ({ member }: Incoming): Answer => {
    if (member === "GetChildren") return ["a(so)", listed.map((name) => [name, ROOT])];
    return member === "RegisterEvent" ? [""] : undefined;
  };
}

function programAnswer(program: MadeProgram, ownAddress: string | undefined) {
  return ({ path = "", member = "", values, sender = "" }: Incoming, own: MadeUp): Answer => {
    if (own.calls === program.endsAt) self.close();
    if (own.calls === program.endsAt) return "none";
    if (member === "GetApplicationBusAddress") {
      return ownAddress === undefined ? undefined : ["s", ownAddress];
    }
    if (path === "/org/a11y/atspi/cache") return items(program, own.name);
    const object: MadeObject | undefined = program.objects[path], { leavesAt } = program;
    if (leavesAt?.member === member) Atomics.store(leavesAt.left, 0, 1);
    if (!object || object.silent?.includes(member)) return object && "none";
    if (object.wrong) return ["a{sv}", { wrong: new Variant("i", 1) }];
    if (member === "Get") return propertyOf(object, String(values[1]));
    if (member === "GetRole") return ["u", object.role ?? 43];
    if (member === "GetState") return ["au", object.states ?? SHOWN];
    if (member === "GetExtents") return ["(iiii)", object.place ?? [10, 20, 30, 10]];
    if (member === "GetText") return ["s", "x".repeat(object.text ?? 0)];
    if (member === "GetChildren") return ["a(so)", refs(object, own.name, sender)];
    if (member === "GetName") return ["s", object.actions?.[Number(values[0])] ?? ""];
    if (member === "DoAction") {
      object.name = "pressed";
      return ["b", true];
    }
  };
}

function propertyOf(object: MadeObject, property: string): Answer {
  const { name = "", children = [], text, actions = [], toolkit } = object;
  if (property === "ToolkitName" && toolkit !== undefined) return ["v", new Variant("s", toolkit)];
  if (property === "Name") {
    return ["v", new Variant("s", typeof name === "string" ? name : "x".repeat(name))];
  }
  if (property === "NActions") return ["v", new Variant("i", actions.length)];
  if (property === "ChildCount") return ["v", new Variant("i", children.length)];
  if (property === "CharacterCount" && text !== undefined) return ["v", new Variant("i", -1)];
}

/** Children; `self:` stands for the caller, and `many:N` for N children that do not exist. */
function refs({ children = [] }: MadeObject, own: string, sender: string): Sent[] {
  return children.flatMap((child): Sent[] => {
    const [, count] = /^many:(\d+)$/.exec(child) ?? [];
    if (count) return Array.from({ length: Number(count) }, () => [own, "/none"]);
    const [app, path] = child.includes(" ") ? child.split(" ") : [own, child];
    return [[app === "self:" ? sender : app === "gap:" ? "not a name" : app, path]];
  });
}

function items({ objects, cache }: MadeProgram, own: string): Answer {
  if (cache === undefined) return undefined;
  if (cache === "ends") self.close();
  if (cache === "none" || cache === "ends") return "none";
  if (cache === "wrong") return ["a(si)", [["a", 1], ["b", 2]]];
  const parentOf = (path: string) =>
    Object.keys(objects).find((parent) => objects[parent].children?.includes(path)) ?? ROOT;
  const rows = Object.entries(objects).filter(([path, { isLeftOut }]) => path !== ROOT && !isLeftOut).map(
    ([path, object]): Sent => {
      const { name = "", role = 43, states = SHOWN, children = [] } = object, parent = parentOf(path);
      const index = objects[parent].children?.indexOf(path) ?? 0;
      const refs = [[own, path], [own, ROOT], [own, parent]];
      const rest = [[INTERFACE], String(name), role, "", states];
      return cache === "new" ? [...refs, index, object.count ?? children.length, ...rest] : [
        ...refs,
        children.map((child) => [own, child]),
        ...rest,
      ];
    },
  );
  return [`a((so)(so)(so)${cache === "new" ? "ii" : "a(so)"}assusau)`, rows];
}

globalThis.onmessage = async ({ data: { socket, program, listed } }: MessageEvent<ProgramStart>) => {
  const address = program?.ownSocket && serveOwnSocket(program.ownSocket, socket);
  const made = new MadeUp(socket, program ? programAnswer(program, address) : registryAnswer(listed));
  if (!program) made.own("org.a11y.atspi.Registry");
  self.postMessage(made.name);
  const { messages, socket: { c, fd } } = made.channel;
  while (!messages.isLost) {
    messages.dispatch();
    await c.poll_waiting(Int32Array.of(fd, POLLIN), 1n, SLICE_MS); // sleeps between calls
  }
};
