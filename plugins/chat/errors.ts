import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  CHAT_TWO_SESSIONS: () => "--session and --continue name a session in two ways. Give one of them.",
});
