/** Objects of a bus, as calls name them. */

/** An interface of an object of a service. */
export interface RemoteObject {
  /** The service's name. */
  destination: string;
  path: string;
  interface: string;
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

/** A method's name as errors show it: `org.freedesktop.DBus.Hello`. */
export function methodName(object: RemoteObject, member: string): string {
  return `${object.interface}.${member}`;
}
