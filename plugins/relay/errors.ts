import { defineErrors } from "@scorel/kit/values/coded-error";

/** Errors of the protocol with a relay. */
export const errors = defineErrors({
  RELAY_FRAME: (a: { problem: string }) =>
    `The other end of a connection with a relay broke the protocol: ${a.problem}. The connection is closed. Check that both run versions of Scorel that know each other.`,
  RELAY_CHANNEL: (a: { problem: string }) =>
    `The encrypted connection through the relay was ended, since what arrived is not what the other computer sent (${a.problem}). Connect again. If it happens again, the relay, or something on the way to it, changes messages: use another relay.`,
  RELAY_CODE_FORM: {
    exit: 2,
    text: () =>
      "This is not a pairing code. A code has 11 letters and digits, such as 7Q2-K9FV-0CXE; `scorel pair` on the computer of the host shows one.",
  },
  RELAY_CODE_WRONG: {
    exit: 2,
    text: () =>
      "The pairing code is wrong, or the relay has tried to read along. Nothing was exchanged. Check the code, or take a new one: `scorel pair` on the computer of the host shows it.",
  },
  RELAY_CODE_ENDED: {
    exit: 2,
    text: (a: { reason: string }) =>
      `The pairing code is no longer valid: ${a.reason}. Run \`scorel pair\` on the computer of the host for a new one.`,
  },
  RELAY_PAIR_MESSAGE: (a: { problem: string }) =>
    `The other computer did not follow the steps of pairing: ${a.problem}. Nothing was stored. Check that both run versions of Scorel that know each other, and try again with a new code.`,
  RELAY_PAIR_OTHER: (a: { expected: string; got: string }) =>
    `The link is of the host ${a.expected}, but ${a.got} answered. Nothing was stored. Take a new link from \`scorel pair\` on the computer of the host.`,
});
