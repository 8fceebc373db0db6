import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  HTTP_TYPE: () => "The body must be JSON, with the header Content-Type: application/json.",
  HTTP_BODY: (a: { problem: string }) =>
    `The body cannot be used: ${a.problem}. It must be a JSON object with the params.`,
  HTTP_TOO_LARGE: (a: { max: number }) => `The body has more than ${a.max} bytes, which is the maximum.`,
  HTTP_FULL: () =>
    "The other requests with this token use all the bytes that they may use together. Send this one again when one of them has been answered.",
  HTTP_SLOW: (a: { seconds: number }) => `The body had not arrived after ${a.seconds} s. Send it again.`,
  HTTP_LEFT: () => "The client closed the connection before the request was answered.",
  HTTP_POSITION: () =>
    "The header Last-Event-ID is not a position of this stream. Omit it to start from the beginning, and ask for stored events with ?tail=<n>.",
  HTTP_TAIL: (a: { tail: string }) => `"${a.tail}" is not a number of events. Use a number, or all.`,
  HTTP_PATH: (a: { path: string }) => `There is nothing at ${a.path}. GET /openapi.json describes the available paths.`,
  HTTP_UNEXPECTED: () => "The host failed unexpectedly. `scorel host logs` on its computer shows why.",
});
