import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  SOCKET_LISTEN: (a: { path: string; reason: string }) =>
    `The host cannot be reached by other processes of this computer: the socket ${a.path} could not be created (${a.reason}).`,
  SOCKET_DIAL: (a: { path: string; reason: string }) =>
    `No host answers at ${a.path} (${a.reason}). \`scorel host status\` shows whether one runs.`,
});
