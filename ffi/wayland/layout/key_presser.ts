/** Presses the keys of a desktop by their codes; one implementation for each way of controlling desktops. */

/** Keys by their codes as the kernel counts them (linux/input-event-codes.h). */
export interface KeyPresser {
  /**
   * Presses (`down`) or releases a key. What it sends may wait until {@linkcode flush}.
   * @param isModifier Whether it changes what other keys type.
   * @throws DesktopUnavailableError if the desktop is gone.
   */
  press(code: number, down: boolean, isModifier?: boolean): void;

  /** Returns or resolves when the desktop has processed what was pressed. */
  flush(): void | Promise<void>;

  /** Whether Caps Lock is on; left out where the desktop does not tell. */
  isCapsLocked?(): boolean | Promise<boolean>;
}
