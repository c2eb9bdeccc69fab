/**
 * Reports the program's state to a service manager: systemd's sd_notify(3), a datagram to the Unix socket
 * named in NOTIFY_SOCKET. Neither Deno nor its Node modules can send such datagrams without unstable
 * features, so the C library sends them.
 */

import { libcFunctions } from "./binding.ts";
import { attempt } from "./errors.ts";

/** Constants of sys/socket.h and bits/socket_type.h on Linux. */
const AF_UNIX = 1, SOCK_DGRAM = 2, SOCK_CLOEXEC = 0o2000000, MSG_NOSIGNAL = 0x4000, MSG_DONTWAIT = 0x40;
/** `struct sockaddr_un` of sys/un.h: sun_family in 2 bytes, then sun_path. */
const PATH_OFFSET = 2, PATH_LIMIT = 108;

/**
 * Sends a state to the service manager, if one is listening.
 * @param state Such as `READY=1`; separate several with line feeds.
 * @param socket The value of NOTIFY_SOCKET: a path, or `@` and the name of an abstract socket.
 * @returns Whether the state was sent. An unreachable manager is not an error.
 */
export function notifyServiceManager(state: string, socket = Deno.env.get("NOTIFY_SOCKET")): boolean {
  const address = socket && Deno.build.os === "linux" ? unixAddress(socket) : undefined;
  return address !== undefined && attempt(() => send(new TextEncoder().encode(state), address), false);
}

function send(message: Uint8Array<ArrayBuffer>, address: Uint8Array<ArrayBuffer>): boolean {
  const { socket, sendto, close } = libcFunctions({
    socket: "i32 (i32 domain, i32 type, i32 protocol)",
    sendto: "isize (i32, buffer, usize, i32 flags, buffer dest_addr, u32)",
    close: "i32 (i32)",
  });
  const descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return false;
  const length = BigInt(message.length), flags = MSG_NOSIGNAL | MSG_DONTWAIT;
  const sent = sendto(descriptor, message, length, flags, address, address.length);
  close(descriptor);
  return sent === length;
}

/** @returns undefined if the text is not a Unix socket address, such as `vsock:2:1234`. */
function unixAddress(socket: string): Uint8Array<ArrayBuffer> | undefined {
  const path = new TextEncoder().encode(socket);
  if (!/^[/@]/.test(socket) || path.length >= PATH_LIMIT) return undefined;
  const isAbstract = socket.startsWith("@");
  // A path ends with a zero; an abstract name begins with one, and ends where the address ends (unix(7)).
  const address = new Uint8Array(PATH_OFFSET + path.length + (isAbstract ? 0 : 1));
  new DataView(address.buffer).setUint16(0, AF_UNIX, true);
  address.set(path, PATH_OFFSET);
  if (isAbstract) address[PATH_OFFSET] = 0;
  return address;
}
