/**
 * The output of `--help`, and the responses to invalid options. The texts are those of xdotool 3.20160805.1,
 * because scripts may read them.
 *
 * Copyright (c) 2007, 2008, 2009: Jordan Sissel. All rights reserved.
 *
 * Redistribution and use in source and binary forms, with or without modification, are permitted provided that the
 * following conditions are met: redistributions of source code must retain the above copyright notice, this list of
 * conditions and the following disclaimer; redistributions in binary form must reproduce them in the documentation and/or
 * other materials provided with the distribution; neither the name of the Jordan Sissel nor the names of its contributors
 * may be used to endorse or promote products derived from this software without specific prior written permission.
 *
 * THIS SOFTWARE IS PROVIDED BY JORDAN SISSEL "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED
 * TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL
 * JORDAN SISSEL BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING,
 * BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS
 * INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING
 * NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF
 * SUCH DAMAGE.
 */

const STACK = "If no window is given, %1 is used. See WINDOW STACK in xdotool(1)";

/** Usage texts by command; `{}` stands for the command's name as typed. */
const TEXTS: Readonly<Record<string, string>> = {
  getactivewindow: "Usage: {}",
  getwindowfocus: `Usage: {} [-f]
-f     - Report the window with focus even if we don't think it is a 
         top-level window. The default is to find the top-level window
         that has focus.`,
  getwindowname: `Usage: {} [window=%1]\n${STACK}`,
  getwindowpid: `Usage: {} [window=%1]\n${STACK}`,
  getwindowgeometry: `Usage: {} [window=%1] [--shell] [--prefix <STR>]
--shell      - output shell variables for use with eval
--prefix STR - use prefix for shell variables names (max 16 chars) 
${STACK}`,
  getdisplaygeometry: "Usage: {}",
  search: `Usage: xdotool {} [options] regexp_pattern
--class         check regexp_pattern against the window class
--classname     check regexp_pattern against the window classname
--maxdepth N    set search depth to N. Default is infinite.
                -1 also means infinite.
--onlyvisible   matches only windows currently visible
--pid PID       only show windows belonging to specific process
                Not supported by all X11 applications
--screen N      only search a specific screen. Default is all screens
--desktop N     only search a specific desktop number
--limit N       break search after N results
--name          check regexp_pattern against the window name
--shell         print results as shell array WINDOWS=( ... )
--prefix STR    use prefix (max 16 chars) for array name STRWINDOWS
--title         DEPRECATED. Same as --name.
--all           Require all conditions match a window. Default is --any
--any           Windows matching any condition will be reported
--sync          Wait until a search result is found.
-h, --help      show this help output

If none of --name, --classname, or --class are specified, the 
defaults are: --name --classname --class`,
  click: `Usage: {} [options] <button>
--clearmodifiers       - reset active modifiers (alt, etc) while typing
--window WINDOW        - specify a window to send click to
--repeat REPEATS       - number of times to click. Default is 1
--delay MILLISECONDS   - delay in milliseconds between clicks.
    This has no effect if you do not use --repeat.
    Default is 100ms

Button is a button number. Generally, left = 1, middle = 2, 
right = 3, wheel up = 4, wheel down = 5`,
  getmouselocation: `Usage: {} [--shell] [--prefix <STR>]
--shell      - output shell variables for use with eval
--prefix STR - use prefix for shell variables names (max 16 chars) `,
  key: `Usage: {} [options] <keysequence> [keysequence ...]
--clearmodifiers     - clear active keyboard modifiers during keystrokes
--delay DELAY        - Use DELAY milliseconds between keystrokes
--repeat TIMES       - How many times to repeat the key sequence
--repeat-delay DELAY - DELAY milliseconds between repetitions
--window WINDOW      - send keystrokes to a specific window
Each keysequence can be any number of modifiers and keys, separated by plus (+)
  For example: alt+r

Any letter or key symbol such as Shift_L, Return, Dollar, a, space are valid,
including those not currently available on your keyboard.

If no window is given, and there are windows in the stack, %1 is used. Otherwise
the currently-focused window is used
This command consumes all arguments after it, so you cannot chain
 additional commands after it.`,
  mousedown: `Usage: {} [--clearmodifiers] [--window WINDOW] <button>
--window <windowid>    - specify a window to send keys to
--clearmodifiers       - reset active modifiers (alt, etc) while typing`,
  mousemove: `Usage: {} [options] <x> <y>
-c, --clearmodifiers      - reset active modifiers (alt, etc) while typing
--screen SCREEN           - which screen to move on, default is current screen
--sync                    - only exit once the mouse has moved
-w, --window <windowid>   - specify a window to move relative to.`,
  mousemove_relative: `Usage: {} [options] <x> <y>
-c, --clearmodifiers      - reset active modifiers (alt, etc) while typing
-p, --polar               - Use polar coordinates. X as an angle, Y as distance
--sync                    - only exit once the mouse has moved

Using polar coordinate mode makes 'x' the angle (in degrees) and
'y' the distance.

If you want to use negative numbers for a coordinate, you'll need to
invoke it this way (with the '--'):
   {} -- -20 -15
otherwise, normal usage looks like this:
   {} 100 140`,
  mouseup: `Usage: {} [--clearmodifiers] [--window WINDOW] <button>
--window <windowid>    - specify a window to send keys to
--clearmodifiers       - reset active modifiers (alt, etc) while typing`,
  type: `Usage: {} [--window windowid] [--delay milliseconds] <things to type>
--window <windowid>    - specify a window to send keys to
--delay <milliseconds> - delay between keystrokes
--clearmodifiers       - reset active modifiers (alt, etc) while typing
--args N  - how many arguments to expect in the exec command. This is
            useful for ending an exec and continuing with more xdotool
            commands
--terminator TERM - similar to --args, specifies a terminator that
                    marks the end of 'exec' arguments. This is useful
                    for continuing with more xdotool commands.
--file <filepath> - specify a file, the contents of which will be
                    be typed as if passed as an argument. The filepath
                    may also be '-' to read from stdin.
-h, --help             - show this help output`,
  windowactivate: `Usage: {} [options] [window=%1]
--sync    - only exit once the window is active (is visible + active)
${STACK}`,
  windowfocus: `Usage: {} [window=%1]
--sync    - only exit once the window has focus`,
  windowclose: `Usage: {} [window=%1]\n${STACK}`,
  windowmap: `Usage: {} [options] [window=%1]
--sync    - only exit once the window has been mapped (is visible)
${STACK}`,
  windowminimize: `Usage: {} [options] [window=%1]
--sync    - only exit once the window has minimized (is not visible)
${STACK}`,
  windowmove: `Usage: {} [options] [window=%1] x y
--sync      - only exit once the window has moved
--relative  - make movements relative to the current window position
If you use literal 'x' or 'y' for the x coordinates, then the current
coordinate will be used. This is useful for moving the window along
only one axis.`,
  windowraise: `Usage: {} [window=%1]\n${STACK}`,
  windowsize: `Usage: {} [--sync] [--usehints] [window=%1] width height
${STACK}
--usehints  - Use window sizing hints (like font size in terminals)
--sync      - only exit once the window has resized`,
  exec: `Usage: {} [options] command [arg1 arg2 ...] [terminator]
--sync    - only exit when the command given finishes. The default
            is to fork a child process and continue.
--args N  - how many arguments to expect in the exec command. This is
            useful for ending an exec and continuing with more xdotool
            commands
--terminator TERM - similar to --args, specifies a terminator that
                    marks the end of 'exec' arguments. This is useful
                    for continuing with more xdotool commands.

Unless --args OR --terminator is specified, the exec command is assumed
to be the remainder of the command line.`,
  sleep: `Usage: {} seconds
Sleep a given number of seconds. Fractions of seconds are valid.`,
  getwindowclassname: `Usage: {} [window=%1]\n${STACK}`,
  windowquit: `Usage: {} [window=%1]\n${STACK}`,
  windowstate: `Usage: {} [options] [window=%1]
${STACK}
--add property  - add a property
--remove property - remove a property
--toggle property - toggle a property
property can be one of 
MODAL, STICKY, MAXIMIZED_VERT, MAXIMIZED_HORZ, SHADED, SKIP_TASKBAR, 
SKIP_PAGER, HIDDEN, FULLSCREEN, ABOVE, BELOW, DEMANDS_ATTENTION`,
};

/** Commands whose help is another command's text. */
const SAME: Readonly<Record<string, string>> = { keydown: "key", keyup: "key" };

/**
 * The help of a command.
 * @param command Its name in the table.
 * @param name The name as typed.
 */
export function usageOf(command: string, name: string): string {
  return (TEXTS[SAME[command] ?? command] ?? "").replaceAll("{}", name);
}
