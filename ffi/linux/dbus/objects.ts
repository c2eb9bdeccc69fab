/** Objects of a bus, as calls name them. */

import { FLAG } from "./message.ts";

/** An interface of an object of a service. */
export interface RemoteObject {
  /** The service's name. */
  destination: string;
  path: string;
  interface: string;
  /** Has the bus refuse calls while the service does not run; if left out, the bus starts it where it knows how. */
  onlyIfRunning?: true;
}

/** The bus itself (D-Bus Specification, "Message Bus Messages"). */
export const DAEMON: RemoteObject = {
  destination: "org.freedesktop.DBus",
  path: "/org/freedesktop/DBus",
  interface: "org.freedesktop.DBus",
};

/** The interface by which an object's properties are read. */
export function propertiesOf(object: RemoteObject): RemoteObject {
  return { ...object, interface: "org.freedesktop.DBus.Properties" };
}

/** The flags that an object asks for in each call of its methods: bits of {@linkcode FLAG}, 0 for none. */
export function flagsOf({ onlyIfRunning }: RemoteObject): number {
  return onlyIfRunning ? FLAG.noAutoStart : 0;
}

/** A method's name as errors show it: `org.freedesktop.DBus.Hello`. */
export function methodName(object: RemoteObject, member: string): string {
  return `${object.interface}.${member}`;
}
