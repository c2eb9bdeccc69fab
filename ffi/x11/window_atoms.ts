/** The properties and messages of windows: ICCCM 2.0, EWMH 1.5 (Extended Window Manager Hints) and XIM. */

/** Names of atoms, asked for once a connection. */
export const WINDOW_ATOMS = [
  "UTF8_STRING",
  "STRING",
  "DESKHAND",
  "TRANSPORT",
  "XIM_SERVERS",
  "WM_NAME",
  "WM_CLASS",
  "WM_STATE",
  "WM_CHANGE_STATE",
  "WM_PROTOCOLS",
  "WM_DELETE_WINDOW",
  "_GTK_FRAME_EXTENTS",
  "I3_FLOATING_WINDOW",
  "_NET_ACTIVE_WINDOW",
  "_NET_CLIENT_LIST",
  "_NET_CLIENT_LIST_STACKING",
  "_NET_CLOSE_WINDOW",
  "_NET_FRAME_EXTENTS",
  "_NET_MOVERESIZE_WINDOW",
  "_NET_REQUEST_FRAME_EXTENTS",
  "_NET_SUPPORTED",
  "_NET_SUPPORTING_WM_CHECK",
  "_NET_WM_ACTION_MINIMIZE",
  "_NET_WM_ALLOWED_ACTIONS",
  "_NET_WM_NAME",
  "_NET_WM_PID",
  "_NET_WM_PING",
  "_NET_WM_STATE",
  "_NET_WM_STATE_FULLSCREEN",
  "_NET_WM_STATE_MAXIMIZED_HORZ",
  "_NET_WM_STATE_MAXIMIZED_VERT",
  "_NET_WM_STATE_SKIP_PAGER",
  "_NET_WM_STATE_SKIP_TASKBAR",
  "_NET_WM_WINDOW_TYPE",
  "_NET_WM_WINDOW_TYPE_DESKTOP",
  "_NET_WM_WINDOW_TYPE_DOCK",
] as const;

/** The numbers of these atoms on one server. */
export type WindowAtoms = Record<typeof WINDOW_ATOMS[number], number>;
