import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  CHAT_TWO_SESSIONS: {
    exit: 2,
    text: () => "--session, --continue and --resume each select a session. Use only one of them.",
  },
  CHAT_RESUME: {
    exit: 2,
    text: () =>
      "--resume needs a part of the session's id or title here, since there is no one to ask. `scorel session list` lists them.",
  },
  CHAT_GONE_THERE: (a: { sessionId: string; cwd: string }) =>
    `Session ${a.sessionId} works in ${a.cwd}, which no longer exists on the computer of its host. To use another session, run: scorel attach SESSION, with the same options; --list shows the sessions of the host. If the directory has moved, run this on that computer: scorel project move ${JSON.stringify(a.cwd)} NEW-DIRECTORY`,
  CHAT_NO_INPUT: {
    exit: 2,
    text: () =>
      "The input ended before there was a prompt. Pass a prompt with -p or through a pipe, or run this in a terminal.",
  },
  CHAT_COMMAND_SEALED: {
    exit: 2,
    text: (a: { name: string }) =>
      `/${a.name} runs only when a person types it, since anyone may have written piped input. Use an option instead, such as --permission <mode>.`,
  },
  CHAT_LOOKS_ON: () =>
    "This was not sent: you may only read this session, as your connection does not include `prompt`. On the host's computer, `scorel device scopes <name> view,prompt` grants it to a paired device; for a connection with a token, `scorel host token rotate <name> --scope view,prompt` creates one that has it.",
  CHAT_NO_WATCH: {
    exit: 2,
    text: () =>
      'This preset cannot watch files. Add "watch" to "use" in the preset, or leave out --watch and use /reload.',
  },
});
