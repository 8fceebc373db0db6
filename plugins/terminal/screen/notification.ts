type Env = Readonly<Record<string, string | undefined>>;
/** How a terminal is told to show a notification: not at all, by its bell, or also by a sequence of its own. */
export type NotifySetting = boolean | "bell" | "osc9" | "osc777";

const ESC = "\u001b";
const BELL = "\u0007";

/**
 * What calls a person who looks elsewhere: the bell, and where the terminal knows it, a notification with a text of the application. In
 * tmux it goes through to the terminal if tmux lets it; else tmux drops it, and the bell is left.
 */
export function callFor(text: string, setting: NotifySetting, env: Env): string {
  if (setting === false) return "";
  const form = setting === true ? formOf(env) : setting;
  if (form === "bell") return BELL;
  const plain = text.replace(/[^\p{L}\p{N} .,:!?'()。，-]/gu, " ");
  const message = form === "osc777" ? `${ESC}]777;notify;Scorel;${plain}${BELL}` : `${ESC}]9;Scorel: ${plain}${BELL}`;
  return BELL + (env.TMUX ? throughTmux(message) : message);
}

/** tmux passes on what stands between these, with each escape character doubled. */
function throughTmux(message: string): string {
  return `${ESC}Ptmux;${message.replaceAll(ESC, ESC + ESC)}${ESC}\\`;
}

/** The sequence that this terminal is known to understand, by the variables that it sets. Screen passes nothing on. */
function formOf(env: Env): "bell" | "osc9" | "osc777" {
  const { TERM = "", TERM_PROGRAM = "", LC_TERMINAL = "" } = env;
  if (env.STY || (TERM.startsWith("screen") && !env.TMUX)) return "bell";
  if (/^(?:ghostty|WezTerm)$/i.test(TERM_PROGRAM) || /^(?:foot|rxvt|xterm-ghostty)/.test(TERM)) return "osc777";
  if (env.GHOSTTY_RESOURCES_DIR || env.WEZTERM_PANE || env.VTE_VERSION) return "osc777";
  if (TERM_PROGRAM === "iTerm.app" || LC_TERMINAL === "iTerm2" || TERM === "xterm-kitty" || env.KITTY_WINDOW_ID)
    return "osc9";
  return "bell";
}
