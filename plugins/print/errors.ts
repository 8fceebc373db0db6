import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  PRINT_NO_PROMPT: () => 'Nothing to answer: give a prompt with -p "…", or pipe one in. (This preset has no "chat".)',
  PRINT_EMPTY_PROMPT: () => 'The prompt is empty: give one with -p "…", or pipe one in.',
  PRINT_OUTPUT_ALONE: () => "--output belongs to -p. Give a prompt with -p, or leave --output out.",
  PRINT_TWO_SESSIONS: () => "--session and --continue name a session in two ways. Give one of them.",
});
