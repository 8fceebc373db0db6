type Env = Readonly<Record<string, string | undefined>>;
/** How a notification is shown: not at all (false), by the bell, by the bell and a given sequence, or as the terminal supports it (true). */
export type NotifySetting = boolean | "bell" | "osc9" | "osc777";

const ESC = "\u001b";
const BELL = "\u0007";

/**
 * The output that notifies a user who looks elsewhere: the bell, and a notification with text of the application if the terminal supports
 * it. Within tmux the sequence is passed through to the terminal; if tmux does not allow that, only the bell is left.
 */
export function callFor(text: string, setting: NotifySetting, env: Env): string {
  if (setting === false) return "";
  const form = setting === true ? formOf(env) : setting;
  if (form === "bell") return BELL;
  const plain = text.replace(/[^\p{L}\p{N} .,:!?'()。，-]/gu, " ");
  const message = form === "osc777" ? `${ESC}]777;notify;Scorel;${plain}${BELL}` : `${ESC}]9;Scorel: ${plain}${BELL}`;
  return BELL + (env.TMUX ? throughTmux(message) : message);
}

/** A sequence that tmux passes through to the terminal, for which each escape character is doubled. */
function throughTmux(message: string): string {
  return `${ESC}Ptmux;${message.replaceAll(ESC, ESC + ESC)}${ESC}\\`;
}

/** The sequence that this terminal is known to support, judging by its environment variables. GNU Screen passes none through. */
function formOf(env: Env): "bell" | "osc9" | "osc777" {
  const { TERM = "", TERM_PROGRAM = "", LC_TERMINAL = "" } = env;
  if (env.STY || (TERM.startsWith("screen") && !env.TMUX)) return "bell";
  if (/^(?:ghostty|WezTerm)$/i.test(TERM_PROGRAM) || /^(?:foot|rxvt|xterm-ghostty)/.test(TERM)) return "osc777";
  if (env.GHOSTTY_RESOURCES_DIR || env.WEZTERM_PANE || env.VTE_VERSION) return "osc777";
  if (TERM_PROGRAM === "iTerm.app" || LC_TERMINAL === "iTerm2" || TERM === "xterm-kitty" || env.KITTY_WINDOW_ID)
    return "osc9";
  return "bell";
}
