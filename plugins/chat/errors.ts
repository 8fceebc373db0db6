import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  CHAT_TWO_SESSIONS: { exit: 2, text: () => "--session and --continue each select a session. Use only one of them." },
  CHAT_NO_WATCH: {
    exit: 2,
    text: () =>
      'This preset cannot watch files. Add "watch" to "use" in the preset, or leave out --watch and use /reload.',
  },
});
