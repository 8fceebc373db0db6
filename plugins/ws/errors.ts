import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  WS_ADDRESS: {
    exit: 2,
    text: (a: { address: string }) =>
      `${a.address} contains a user, password or query. Addresses contain no secrets: name the file of the token with --token-file, or set SCOREL_HOST_TOKEN.`,
  },
  WS_PLAIN: {
    exit: 2,
    text: (a: { address: string }) =>
      `${a.address} is on another computer and not encrypted, so others could read the token. Use wss:, or an SSH tunnel to a port of this computer. With --insecure, it is sent anyway.`,
  },
  WS_OTHER_USER: (a: { address: string; uid: number }) =>
    `The program at ${a.address} belongs to another user of this computer (uid ${a.uid}), so the token was not sent. If your host does not run, somebody else has taken its port: start it on another port. If that user runs the host for you, add --insecure.`,
  WS_OLD_PAGE: () =>
    "This page is from an earlier version of Scorel: it does not check that this is its host before it sends its token. Reload the page. Your own page needs the current @scorel/host/client.",
  WS_TOO_LARGE: (a: { max: number }) =>
    `A message over this connection may have at most ${a.max} bytes. Connect again, and send less at once, or name a file that the session can read.`,
  WS_TOKEN_FILE: {
    exit: 2,
    text: (a: { path: string; problem: string }) =>
      `The token file ${a.path} cannot be used: ${a.problem}. On the host's computer, \`scorel host token show-path\` prints the one that can.`,
  },
  WS_REFUSED: (a: { address: string; status: number }) =>
    `The host at ${a.address} refuses the connection (status ${a.status})${a.status === 401 ? ". Check the token: `scorel host token show-path` on its computer prints the file that has it" : a.status === 404 ? ". There is no host at this path; leave it out of the address" : a.status === 421 ? ". It does not use that name; `names` in its [web-server] table adds names" : ""}.`,
  WS_BUSY: (a: { address: string; isOwnFault: boolean }) =>
    a.isOwnFault
      ? `The host at ${a.address} accepts no more connections with this token now: it has reached the maximum for one token. Close some, or try again in a few seconds.`
      : `The host at ${a.address} accepts no connections now: it is stopping, or has too many. Try again in a few seconds.`,
  WS_DIAL: (a: { address: string; reason: string }) =>
    `No host answers at ${a.address} (${a.reason}). \`scorel host status\` on its computer shows whether one runs.`,
});
