/** The Debian packages of each root. */

/** A root, by the codename of the Debian release. */
export type RootName = "bookworm" | "trixie";

/** The titles of the roots. */
export const ROOTS: Readonly<Record<RootName, string>> = { bookworm: "Debian 12", trixie: "Debian 13" };

const words = (text: string): string[] => text.trim().split(/\s+/);

/** The packages in both roots. */
export const COMMON: readonly string[] = words(`
  dbus dbus-x11 procps psmisc python3-dbusmock python3-dbus python3-gi locales xauth xkb-data ca-certificates
  libglib2.0-bin dconf-gsettings-backend dconf-cli x11-xserver-utils x11-utils x11-xkb-utils xdotool xinput xclip wl-clipboard
  xvfb xserver-xephyr tigervnc-standalone-server xterm openbox fonts-dejavu-core adwaita-icon-theme hicolor-icon-theme
  at-spi2-core libgl1-mesa-dri libegl1 xwayland pipewire wireplumber libpipewire-0.3-0
  ibus ibus-gtk3 ibus-gtk4 ibus-libpinyin ibus-anthy ibus-hangul im-config
  fcitx5 fcitx5-chinese-addons fcitx5-frontend-gtk3 fcitx5-frontend-gtk4
  xdg-desktop-portal xdg-desktop-portal-gtk xdg-desktop-portal-gnome xdg-desktop-portal-kde xdg-desktop-portal-wlr
  chromium firefox-esr libreoffice-writer libreoffice-gtk3 gnome-text-editor mousepad kwrite featherpad pluma
  gnome-shell gnome-session gnome-settings-daemon gnome-terminal gnome-control-center-data mutter
  plasma-desktop plasma-workspace kwin-wayland kwin-x11 konsole kde-cli-tools breeze kscreen
  xfce4-session xfwm4 xfce4-panel xfdesktop4 xfce4-settings xfce4-terminal thunar
  mate-session-manager marco mate-panel mate-settings-daemon mate-terminal caja
  cinnamon cinnamon-session nemo
  lxqt-session lxqt-panel pcmanfm-qt lxqt-config lxqt-qtplugin lxqt-policykit qterminal
  i3-wm sway foot grim slurp wlr-randr wtype
`);

/** The additional packages in one root. */
export const OWN: Readonly<Record<RootName, readonly string[]>> = {
  bookworm: words("plasma-workspace-wayland qtwayland5 qdbus-qt5 fcitx5-frontend-qt5 python3-pyqt6"),
  trixie: words("labwc qt6-wayland qdbus-qt6 fcitx5-frontend-qt6 python3-pyqt5"),
};
