/** The folder of the file server, as the control API sees it. */
export interface ServedFolder {
  /** The folder's path on this machine. */
  path: string;
  /**
   * Stores a file, or a part of one (`Content-Range`), under a name.
   * @returns The file server's answer: 200 or 201 when the file is whole, 202 with `Upload-Offset` while a part is
   *   missing, otherwise a status with its reason as text.
   */
  take(name: string, request: Request): Promise<Response>;
}
