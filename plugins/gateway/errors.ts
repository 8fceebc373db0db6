import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  GATEWAY_MESSAGE: (a: { problems: string }) =>
    `The host received a message that it does not understand: ${a.problems}.`,
  GATEWAY_PROTOCOL: (a: { host: number; client: number; hostVersion: string; clientVersion: string }) =>
    `The host (Scorel ${a.hostVersion}) speaks version ${a.host} of the protocol, this client (${a.clientVersion}) version ${a.client}. Update the older one; if that is the host, restart it: scorel host serve --replace`,
  GATEWAY_REFUSED: () =>
    "The host refuses this client. Check its token; `scorel host logs` on the host's computer shows why.",
  GATEWAY_HELLO: (a: { seconds: number }) =>
    `The client did not send its first message, "hello", within ${a.seconds} s.`,
  GATEWAY_BUSY: (a: { max: number }) =>
    `This client has ${a.max} unanswered requests, which is the maximum, or it does not read its answers. Wait for answers first.`,
  GATEWAY_SUBSCRIPTIONS: (a: { max: number }) =>
    `This client has ${a.max} subscriptions, which is the maximum. End one first.`,
  GATEWAY_FULL: (a: { max: number; of?: string | undefined }) =>
    `The host has ${a.max} clients${a.of === undefined ? "" : ` of ${a.of}`}, which is the maximum. Close one, or try again later: \`scorel host status\` on the host's computer shows them.`,
  GATEWAY_RESULT_GONE: (a: { requestId: number }) =>
    `Request ${a.requestId} was carried out, but its answer was lost with the connection. Ask for what you need again.`,
  GATEWAY_ANSWER: (a: { bytes: number; max: number }) =>
    `The request was carried out, but its answer has ${a.bytes} bytes, and an answer over this connection may have at most ${a.max}. Ask for less at once, such as a page.`,
  GATEWAY_ENDED: (a: { reason: string }) => `The host has ended the connection: ${a.reason}.`,
});
