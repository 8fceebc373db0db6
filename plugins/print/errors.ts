import { defineErrors } from "@scorel/kernel";

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

export const errors = defineErrors({
  PRINT_COMMAND: {
    exit: 2,
    text: (a: { name: string }) => `/${a.name} works only in a conversation. Start one with: scorel`,
  },
  PRINT_COMMAND_SEALED: {
    exit: 2,
    text: (a: { name: string }) =>
      `/${a.name} runs only in a conversation, since -p may pass on text from others. For this run, use an option, such as --permission <mode>.`,
  },
  PRINT_NO_PROMPT: {
    exit: 2,
    text: () => 'Nothing to answer: pass a prompt with -p "…", or pipe one in. (This preset has no "chat".)',
  },
  PRINT_EMPTY_PROMPT: { exit: 2, text: () => 'The prompt is empty: pass one with -p "…", or pipe one in.' },
  PRINT_TWO_PROMPTS: {
    exit: 2,
    text: (a: { prompt: string }) =>
      `"scorel" takes no argument "${a.prompt}" in addition to -p. Quote text that contains spaces.`,
  },
  PRINT_STDIN_SIZE: {
    exit: 2,
    text: (a: { limit: number }) =>
      `The piped input is longer than ${a.limit} MB, which no model reads. Save it to a file, and ask about the file: the model can search it.`,
  },
  PRINT_STDIN_BINARY: {
    exit: 2,
    text: (a: { bytes: number }) =>
      `The piped input (${a.bytes} bytes) is not UTF-8 text. Pipe text, or attach an image with --image FILE.`,
  },
  PRINT_PRINT_ONLY: {
    exit: 2,
    text: (a: { option: string }) => `${a.option} only works with -p. Pass a prompt with -p, or omit ${a.option}.`,
  },
  PRINT_CHAT_ONLY: {
    exit: 2,
    text: (a: { option: string }) =>
      `${a.option} only works in a conversation, not with -p, which ends after its answer. Leave one of them out.`,
  },
  PRINT_TWO_SESSIONS: {
    exit: 2,
    text: (a: { options: readonly string[] }) =>
      `${a.options.join(" and ")} each select a session. Use only one of them.`,
  },
  PRINT_BUSY: {
    exit: 5,
    text: (a: { sessionId: string }) =>
      `A turn is running in session ${a.sessionId}, so the prompt was not sent. Omit --if-busy refuse to wait until it ends, or use --fork ${a.sessionId} to work in a copy.`,
  },
  PRINT_CANCELLED: (a: { by: string | undefined }) =>
    `The turn was cancelled by ${a.by === undefined ? "another client" : `another client (${a.by})`}, so the answer is not complete.`,
  PRINT_HOST_STOPPED: () =>
    "The host was stopped during the turn, so the answer is not complete. What arrived is kept in the session.",
  PRINT_LEFT: {
    exit: 130,
    text: (a: { seconds?: number }) =>
      `${a.seconds === undefined ? "Left while the host was away" : `Left because the host did not end the turn within ${counted(a.seconds, "second")}`}. The answer so far is kept in the session; a turn that is still running there continues.`,
  },
  PRINT_HOST_AWAY: (a: { seconds: number }) =>
    `The host could not be reached for ${counted(a.seconds / 60, "minute")}, so this command ended. The answer so far is kept in the session.`,
  PRINT_NUMBER: {
    exit: 2,
    text: (a: { option: string; value: string; what: string }) => `${a.option} takes ${a.what}, not "${a.value}".`,
  },
  PRINT_ATTACHMENT: {
    exit: 2,
    text: (a: { path: string; reason: string }) => `${a.path} cannot be attached: ${a.reason}.`,
  },
  PRINT_SCHEMA: {
    exit: 2,
    text: (a: { path: string; reason: string }) =>
      `--output-schema ${a.path} cannot be used as a JSON schema: ${a.reason}.`,
  },
  PRINT_SCHEMA_UNMET: {
    exit: 2,
    text: (a: { reason: string }) => `The answer does not match the schema, even after one retry: ${a.reason}`,
  },
  PRINT_MAX_ROUNDS: {
    exit: 3,
    text: (a: { rounds: number }) =>
      `Stopped after ${counted(a.rounds, "round")} (--max-rounds) before the work was done. Raise --max-rounds to let it finish.`,
  },
  PRINT_MAX_COST: {
    exit: 3,
    text: (a: { cost: number }) =>
      `Stopped at $${a.cost} (--max-cost) before the work was done. Requests in progress may add to that. Raise --max-cost to let it finish.`,
  },
  PRINT_TIMEOUT: {
    exit: 3,
    text: (a: { seconds: number }) =>
      `Stopped after ${counted(a.seconds, "second")} (--timeout) before the work was done. Raise --timeout to let it finish.`,
  },
});
