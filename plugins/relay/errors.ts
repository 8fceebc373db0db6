import { defineErrors } from "@scorel/kit/values/coded-error";

/** Errors of plugin `relay`: its commands, the protocol, and pairing. */
export const errors = defineErrors({
  RELAY_FRAME: (a: { problem: string }) =>
    `The other end of a connection with a relay broke the protocol: ${a.problem}. The connection is closed. Check that both run compatible versions of Scorel.`,
  RELAY_CHANNEL: (a: { problem: string }) =>
    `The encrypted connection through the relay was ended, since what arrived is not what the other computer sent (${a.problem}). Connect again. If it happens again, the relay, or something in between, changes messages: use another relay.`,
  RELAY_CODE_FORM: {
    exit: 2,
    text: () =>
      "This is not a pairing code. A code has 11 letters and digits, such as 7Q2-K9FV-0CXE; `scorel pair` on the computer of the host shows one.",
  },
  RELAY_CODE_WRONG: {
    exit: 2,
    text: () =>
      "The pairing code is wrong, or the relay has tried to intercept the pairing. Nothing was exchanged. Check the code, or get a new one: `scorel pair` on the computer of the host shows it.",
  },
  RELAY_CODE_ENDED: {
    exit: 2,
    text: (a: { reason: string }) =>
      `The pairing code is no longer valid: ${a.reason}. Run \`scorel pair\` on the computer of the host for a new one.`,
  },
  RELAY_PAIR_MESSAGE: (a: { problem: string }) =>
    `The other computer did not follow the steps of pairing: ${a.problem}. Nothing was stored. Check that both run compatible versions of Scorel, and try again with a new code.`,
  RELAY_PAIR_OTHER: (a: { expected: string; got: string }) =>
    `The link belongs to the host ${a.expected}, but ${a.got} answered. Nothing was stored. Get a new link from \`scorel pair\` on the computer of the host.`,
  RELAY_DATA: (a: { path: string; problem: string }) =>
    `The file ${a.path} cannot be used: ${a.problem}. It lists what was revoked, so the relay does not start without it. Correct it, or move it away if nothing was revoked.`,
  RELAY_LISTEN: (a: { address: string; reason: string }) =>
    `The relay cannot listen at ${a.address} (${a.reason}). Choose another address with --bind and --port.`,
  RELAY_PORT: {
    exit: 2,
    text: (a: { port: string }) =>
      `"${a.port}" is not a port. --port takes a number from 0 to 65535; 0 means any free one.`,
  },
  RELAY_BIND: {
    exit: 2,
    text: (a: { address: string }) => `"${a.address}" is not an IP address. --bind takes one, such as 127.0.0.1 or ::.`,
  },
  RELAY_NAME: {
    exit: 2,
    text: (a: { name: string }) =>
      `"${a.name}" is not a name for a relay. --name takes the part of its address between :// and /relay, such as relay.example or relay.example:7800.`,
  },
  RELAY_TLS: {
    exit: 2,
    text: (a: { problem: string }) =>
      `The relay cannot encrypt connections: ${a.problem}. --tls-cert and --tls-key take PEM files.`,
  },
  RELAY_EXPOSED: {
    exit: 2,
    text: (a: { address: string }) =>
      `At ${a.address}, others could see who talks to whom. Use --tls-cert and --tls-key, or --behind-proxy when a proxy on this computer encrypts, or --insecure to do without. What passes through the relay is encrypted in any case.`,
  },
  RELAY_NATS: {
    exit: 2,
    text: (a: { problem: string }) =>
      `The settings of the relay's bus are invalid: ${a.problem}. --nats, or SCOREL_RELAY_NATS in the environment, takes addresses of NATS servers such as nats://127.0.0.1:4222, separated by commas; --nats-credentials takes a file with a token, a line user:password, or what NATS calls credentials.`,
  },
  RELAY_NATS_PLAIN: {
    exit: 2,
    text: (a: { address: string }) =>
      `The bus at ${a.address} is on another computer, and nats: does not encrypt, so others could see who talks to whom, and the password. Use tls:, or add --insecure: what hosts and devices say is encrypted in any case.`,
  },
  RELAY_BUS: (a: { servers: string; reason: string }) =>
    `The relay cannot use its bus at ${a.servers} (${a.reason}). Until then, this relay cannot reach hosts that are connected to other relays. Check that NATS runs there, and who may use it.`,
  RELAY_DATA_LONG: {
    exit: 2,
    text: (a: { folder: string; bytes: number; max: number }) =>
      `The path of the relay's folder, ${a.folder}, is too long for the socket in it (${a.bytes} bytes; at most ${a.max}). Name a shorter one with --data.`,
  },
  RELAY_HELD: (a: { folder: string; pid: number }) =>
    `A relay with the folder ${a.folder} is already running (process ${a.pid}). \`scorel relay status\` shows it; --data takes another folder for another relay.`,
  RELAY_TAKEN: (a: { folder: string }) =>
    `Another relay has taken over the folder ${a.folder}, since this one did not run for a while. This one has ended. Give each relay its own folder with --data.`,
  RELAY_NOT_RUNNING: (a: { folder: string }) =>
    `No relay with the folder ${a.folder} is running. \`scorel relay serve\` starts one; --data names another folder.`,
  RELAY_CONTROL: (a: { reason: string }) =>
    `The relay does not answer on its control socket (${a.reason}). Check what it printed, and start it again if it hangs.`,
  RELAY_ID: {
    exit: 2,
    text: (a: { id: string }) =>
      `"${a.id}" is not an id. An id has 43 letters, digits, hyphens and underscores; \`scorel device list --json\` shows those of devices.`,
  },
  RELAY_ADDRESS: {
    exit: 2,
    text: (a: { given: string }) =>
      `"${a.given}" is not the address of a relay. It has the form relay.example or wss://relay.example/relay, without user, password or query.`,
  },
  RELAY_ADDRESSES: {
    exit: 2,
    text: (a: { max: number }) =>
      `Too many relays were given. An owner can have at most ${a.max} relay addresses, separated by commas, of at most 500 bytes each.`,
  },
  RELAY_PLAIN: {
    exit: 2,
    text: (a: { address: string }) =>
      `${a.address} is on another computer and does not encrypt, so others could see who talks to whom. Use wss:, or add --insecure: what passes through the relay is encrypted in any case.`,
  },
  RELAY_UNREACHABLE: (a: { relay: string; reason: string }) =>
    `The relay ${a.relay} cannot be reached (${a.reason}). Check its address and the network; \`scorel relay status\` on its computer shows whether it runs.`,
  RELAY_ALL: (a: { host: string; tried: readonly string[] }) =>
    `No relay leads to ${a.host}. Tried: ${a.tried.join("; ")}. Check the network; \`scorel relay status\` on a relay's computer shows whether it runs, and \`scorel device list\` on the host's computer whether the host is connected.`,
  RELAY_HOST_APART: (a: { tried: readonly string[] }) =>
    `The host cannot connect to any of its relays. Tried: ${a.tried.join("; ")}. Check the network; \`scorel relay status\` on a relay's computer shows whether it runs.`,
  RELAY_REFUSED: (a: { relay: string; reason: string; text: string }) =>
    `The relay ${a.relay} refuses (${a.reason}): ${a.text}`,
  RELAY_STORED: (a: { path: string; problem: string }) =>
    `The file ${a.path} cannot be used: ${a.problem}. It lists the paired computers. Correct it; without it, they have to be paired again.`,
  RELAY_MANY: (a: { what: string; max: number }) =>
    `There are ${a.max} ${a.what} already, which is the maximum. \`scorel device list\` shows them; \`scorel device revoke\` ends one.`,
  RELAY_DEVICE_UNKNOWN: {
    exit: 2,
    text: (a: { device: string; known: readonly string[] }) =>
      `There is no device "${a.device}". ${a.known.length === 0 ? "None is paired; `scorel pair` pairs one." : `Known: ${a.known.join(", ")}.`}`,
  },
  RELAY_HOST_UNKNOWN: {
    exit: 2,
    text: (a: { host: string; known: readonly string[] }) =>
      `This computer is not paired with a host "${a.host}". ${a.known.length === 0 ? "`scorel pair` on the host's computer shows a code for it." : `Known: ${a.known.join(", ")}.`}`,
  },
  RELAY_NOT_PAIRED: () =>
    "This device is not paired with the host, or was revoked. `scorel pair` on the host's computer pairs it again.",
  RELAY_PAIRED_APART: (a: { problem: string }) =>
    `The computers are paired, but this one cannot reach the host: ${a.problem} If the relay has another address, pair again with that one: \`scorel pair\` on the host's computer shows a code.`,
  RELAY_NOT_RUNNING_HOST: () =>
    "Devices pair with the host that runs in the background, and none runs in this process. `scorel pair` starts one.",
  RELAY_NONE: {
    exit: 2,
    text: () => "No relay is known yet. Name one with --relay wss://relay.example; `scorel relay serve` runs your own.",
  },
  RELAY_OFFER_UNKNOWN: (a: { code: string }) =>
    `No pairing with the code ${a.code} is in progress. \`scorel pair\` shows a new one.`,
  RELAY_DECLINED: () => "The user of the host said no, or did not answer in time. Nothing was stored.",
  RELAY_SCOPE: {
    exit: 2,
    text: (a: { scope: string; known: readonly string[] }) =>
      `"${a.scope}" is not a scope. --scope takes these, separated by commas: ${a.known.join(", ")}.`,
  },
  RELAY_GRANT: (a: { host: string }) =>
    `The host "${a.host}" issued a new grant that excludes this device. The old one is kept. Pair again before it ends: \`scorel pair\` on the host's computer.`,
  RELAY_AWAY: (a: { host: string; relay: string }) =>
    `The host "${a.host}" is not connected to the relay ${a.relay}. Start it there: \`scorel host serve\`, or \`scorel pair\`.`,
  RELAY_SILENT: (a: { host: string; seconds: number }) =>
    `The host "${a.host}" is connected to the relay, but has not answered within ${a.seconds} s. \`scorel host serve --replace\` on its computer starts another one there.`,
  RELAY_LINK: {
    exit: 2,
    text: () =>
      "This is not a link to pair with. `scorel pair` on the computer of the host prints one; it contains #pair= with the code, and the relay.",
  },
  RELAY_PAGE: {
    exit: 2,
    text: () =>
      "The address of the page is invalid. --page, and page in the table [relay], take one such as https://build.example.org:7777/, without user, password, query or fragment.",
  },
  RELAY_PAGE_NONE: {
    exit: 2,
    text: () =>
      "There is no page, since the plugin `web` is not running. Remove it from `without` in the configuration.",
  },
  RELAY_BROWSER: () =>
    "This browser cannot pair: it does not support Ed25519 and X25519 keys, or only in pages over https: and from this computer. Use a current browser, and open the page over https:.",
  RELAY_NO_TERMINAL: {
    exit: 2,
    text: () =>
      "A device that has the code is let in only after you agree, and there is no terminal to ask in. Run `scorel pair` in a terminal, or with --yes.",
  },
  RELAY_DEVICE_NAME: {
    exit: 2,
    text: (a: { max: number }) => `A name has 1 to ${a.max} bytes, on one line, of visible characters.`,
  },
});
