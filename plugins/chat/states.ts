/**
 * How a conversation reacts to each key, line and signal in each of its states. The state is computed from facts that other modules keep,
 * such as the running turns, so that it cannot disagree with them. Only this file makes decisions by the state.
 */

/**
 * - `starting`: no session is open yet.
 * - `idle`: no turn and no slash command runs.
 * - `commanding`: a slash command of this conversation runs, and no turn. Further lines wait for its end.
 * - `running`: a turn runs that answers a message of this conversation.
 * - `watching`: a turn runs that answers messages of other clients only.
 * - `asking`: a question is on the screen and no turn runs: a command asks.
 * - `askingInTurn`: a turn runs, whoever began it, and its question is on the screen.
 * - `disconnected`: the host is gone, and the client tries to connect again.
 * - `closing`: the user has left, or the input has ended. Work in progress is finished, and questions are declined.
 * - `closingInTurn`: the same, while a turn runs that answers a message of this conversation.
 */
export type ChatState =
  | ("starting" | "idle" | "commanding" | "running" | "watching" | "asking" | "askingInTurn" | "disconnected")
  | ("closing" | "closingInTurn");

/** The facts that the state is computed from. */
export interface Facts {
  /** A session is open. */
  opened: boolean;
  /** The host can be reached. */
  connected: boolean;
  /** The user asked to leave, or the input has ended. */
  left: boolean;
  /** Whose messages the running turn answers. */
  turn: "own" | "others" | "none";
  /** A question is on the screen. */
  question: boolean;
  /** A slash command of this conversation runs. */
  command: boolean;
}

/** Computes the state of a conversation. */
export function stateOf({ opened, connected, left, turn, question, command }: Facts): ChatState {
  if (!opened) return "starting";
  if (left) return turn === "own" ? "closingInTurn" : "closing";
  if (!connected) return "disconnected";
  if (question) return turn === "none" ? "asking" : "askingInTurn";
  if (turn !== "none") return turn === "own" ? "running" : "watching";
  return command ? "commanding" : "idle";
}

interface Reactions {
  /**
   * A message. `take` sends it, or queues it while a turn runs; `answer` answers the question on the screen. A command, which
   * starts with a slash, is taken in every state.
   */
  line: "take" | "answer";
  /**
   * Ctrl-C. `clear` empties the line that is being typed, or leaves when it is empty. `cancel` ends the running turn, whoever began
   * it; `cancelOwn` only one that answers this conversation; `cancelCommand` the slash command.
   */
  interrupt: "clear" | "cancel" | "cancelOwn" | "cancelCommand" | "decline" | "nothing";
  /**
   * A signal that ends the process, or a closed terminal. Turns of others continue, as do all turns of a host in another process; a slash
   * command is cancelled.
   */
  hangUp: "leave" | "cancelAndLeave";
  /** Ctrl-D or the end of the input. `newline` puts the shell's prompt on a line of its own; `wait` says that the turn is finished first. */
  end: "newline" | "nothing" | "wait";
  /** Whether a prompt for a line is shown. In the other states a line can be typed all the same. */
  prompts: boolean;
  /** Whether waiting work may run now, such as a reload after a file has changed. */
  quiet: boolean;
}

/** No prompt is shown, and waiting work does not run. */
const busy = { prompts: false, quiet: false } as const;
/** Ctrl-C ends the turn first, as do signals if the turn runs in this process. */
const inTurn = { interrupt: "cancel", hangUp: "cancelAndLeave", end: "wait", ...busy } as const;

/** The reactions in each state. */
export const reactions: Readonly<Record<ChatState, Reactions>> = {
  starting: { line: "take", interrupt: "clear", hangUp: "leave", end: "newline", ...busy },
  idle: { line: "take", interrupt: "clear", hangUp: "leave", end: "newline", prompts: true, quiet: true },
  commanding: {
    line: "take",
    interrupt: "cancelCommand",
    hangUp: "leave",
    end: "newline",
    prompts: true,
    quiet: false,
  },
  running: { line: "take", ...inTurn },
  watching: { line: "take", ...inTurn, end: "newline", prompts: true },
  asking: { line: "answer", interrupt: "decline", hangUp: "leave", end: "newline", prompts: true, quiet: false },
  askingInTurn: { line: "answer", ...inTurn },
  disconnected: { line: "take", interrupt: "clear", hangUp: "leave", end: "newline", ...busy },
  // For lines that were typed before the input ended: they may still answer the last question.
  closing: { line: "answer", interrupt: "cancelCommand", hangUp: "leave", end: "nothing", ...busy },
  closingInTurn: { line: "answer", ...inTurn, interrupt: "cancelOwn" },
};
