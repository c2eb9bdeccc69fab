/** Messages to a service manager: datagrams to the socket that it names. */

import { assertEquals } from "@std/assert";
import { notifyServiceManager } from "../../core/service_manager.ts";
import { NotifySocket } from "../support/notify_socket.ts";
import { need } from "../support/need.ts";

Deno.test({
  ...need("python3"),
  name: "a state reaches the socket, whether it has a path or an abstract name",
}, async () => {
  for (const isAbstract of [false, true]) {
    await using socket = await NotifySocket.open(isAbstract);
    assertEquals(notifyServiceManager("READY=1\nSTATUS=here", socket.name), true);
    assertEquals(await socket.next(), "READY=1\nSTATUS=here");
    assertEquals(notifyServiceManager("STOPPING=1", socket.name), true);
    assertEquals(await socket.next(), "STOPPING=1");
  }
});

Deno.test("without a manager that listens nothing is sent, and nothing fails", () => {
  for (const socket of [undefined, "", "/nowhere/at/all", "@nobody", "vsock:2:1234", `/${"x".repeat(200)}`]) {
    assertEquals(notifyServiceManager("READY=1", socket ?? ""), false, socket);
  }
});
