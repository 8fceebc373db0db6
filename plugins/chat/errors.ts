import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  CHAT_TWO_SESSIONS: { exit: 2, text: () => "--session and --continue name a session in two ways. Give one of them." },
  CHAT_NO_WATCH: {
    exit: 2,
    text: () =>
      'Nothing here watches files for --watch. Add "watch" to "use" in the preset, or leave the option out and use /reload.',
  },
});
