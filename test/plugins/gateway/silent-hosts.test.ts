import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Channel, connectHost, type LinkTimes } from "@scorel/host/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dialSocket } from "../../../plugins/socket/socket.ts";
import { dialOverSsh } from "../../../plugins/ssh/dial.ts";
import { dialSocket as dialWeb } from "../../../plugins/ws/dial.ts";
import { eventually } from "../../eventually.ts";

const times: Partial<LinkTimes> = {
  welcome: 200,
  answer: 100,
  opening: 200,
  ping: 20,
  dead: 200,
  firstRetry: 5,
  lastRetry: 20,
};
const welcome = {
  ...{ type: "welcome", protocol: 1, version: "9", instance: "i", clientId: "c", secret: "s", resumed: false },
};
const line = (message: object) => `${JSON.stringify(message)}\n`;

let folder: string;
let ends: (() => void)[];
/** Connections to the servers of the test, which are no hosts. */
let sockets: Socket[];

/** The most bytes that a server can send: those that a client reads before it gives up, and those in buffers. */
const MAX_TAKEN = 32_000_000;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "scorel-silent-"));
  ends = [];
  sockets = [];
});
afterEach(() => {
  for (const end of ends) end();
  rmSync(folder, { recursive: true });
});

/** Starts a server that is no host and handles each connection with `behave`. */
async function served(behave: (socket: Socket) => void, where: string | number): Promise<Server> {
  const server = createServer((socket) => {
    ends.push(() => socket.destroy());
    sockets.push(socket);
    socket.on("error", () => {});
    behave(socket);
  });
  ends.push(() => server.close());
  const place = typeof where === "number" ? { port: where, host: "127.0.0.1" } : { path: where };
  await new Promise<void>((resolve) => server.listen(place, resolve));
  return server;
}

/** Writes a text endlessly, either as fast as it is read or every `everyMs` milliseconds. */
function endless(socket: Socket, text: string, everyMs?: number): void {
  const write = () => {
    if (socket.destroyed) return;
    if (everyMs !== undefined) socket.write(text);
    else while (socket.write(text));
  };
  if (everyMs === undefined) socket.on("drain", write);
  const timer = everyMs === undefined ? undefined : setInterval(write, everyMs);
  ends.push(() => clearInterval(timer));
  write();
}

/** Connects as commands do, by dialing and then greeting; returns the code and message of the error. */
async function outcome(dial: () => Promise<Channel>, address: string) {
  const attempt = async () => {
    const channel = await dial();
    await (await connectHost({ dial: () => channel, address, version: "1.0.0", times })).close();
    return { code: "connected", message: "" };
  };
  const thrown = await attempt().catch((error) => error as { code: string; message: string });
  for (const { bytesWritten } of sockets) expect(bytesWritten).toBeLessThan(MAX_TAKEN);
  return thrown;
}

describe("a host at a Unix socket", () => {
  const behaviours: [string, (socket: Socket) => void, string][] = [
    ["answers nothing", () => {}, "LINK_SILENT"],
    ["closes at once", (socket) => socket.destroy(), "LINK_CLOSED"],
    ["speaks another protocol", (socket) => socket.write("220 mail.example ESMTP\n"), "LINK_PROTOCOL"],
    ["welcomes without sense", (socket) => socket.write(line({ type: "welcome", clientId: 5 })), "LINK_PROTOCOL"],
    [
      "welcomes at length",
      (socket) => socket.write(line({ ...welcome, version: "x".repeat(60_000), name: "x".repeat(60_000) })),
      "LINK_CLOSED",
    ],
    ["sends bytes without end", (socket) => endless(socket, "x".repeat(65_536)), "LINK_CLOSED"],
    ["sends one byte after the other", (socket) => endless(socket, " ", 10), "LINK_SILENT"],
  ];
  it.each(behaviours)("that %s is given up with an error that names the address", async (_, behave, code) => {
    const path = join(folder, "host.sock");
    await served(behave, path);
    const thrown = await outcome(() => dialSocket(path, 200), path);
    expect(thrown).toMatchObject({ code, message: expect.stringContaining(path) });
    expect(thrown.message).toMatch(/Check|Try/);
  });

  it.each([
    ["get_status", {}],
    ["list_sessions", {}],
    ["create_session", { cwd: "/" }],
    ["send_message", { sessionId: "s", content: "hi" }],
  ] as const)("that is there and does not answer %s is given up for that request", async (operation, params) => {
    const path = join(folder, "host.sock");
    await served((socket) => {
      socket.write(line(welcome));
      socket.on("data", (data) => {
        for (const _ of String(data).matchAll(/"ping"/g)) socket.write(line({ type: "pong" }));
      });
    }, path);
    const client = await connectHost({ dial: () => dialSocket(path), address: path, version: "1.0.0", times });
    await expect(client.request(operation, params as never)).rejects.toMatchObject({
      code: "LINK_UNANSWERED",
      message: expect.stringContaining(`The host at ${path} is reachable, but has not answered the request`),
    });
    await expect(client.subscribe("s", () => {})).rejects.toMatchObject({ code: "LINK_UNANSWERED" });
    expect(client.state).toMatchObject({ state: "live" });
    await client.close();
  });

  it("that does not answer a subscription in time is told that nobody waits for it any more", async () => {
    const path = join(folder, "host.sock");
    let heard = "";
    await served((socket) => {
      socket.write(line(welcome));
      socket.on("data", (data) => {
        heard += data;
        for (const _ of String(data).matchAll(/"ping"/g)) socket.write(line({ type: "pong" }));
      });
    }, path);
    const client = await connectHost({ dial: () => dialSocket(path), address: path, version: "1.0.0", times });
    await expect(client.subscribe("s", () => {})).rejects.toMatchObject({ code: "LINK_UNANSWERED" });
    await expect(client.watchSessions(() => {})).rejects.toMatchObject({ code: "LINK_UNANSWERED" });
    const sent = (type: string) =>
      Array.from(heard.matchAll(new RegExp(`"type":"${type}"[^}]*"subscription":(\\d+)`, "g")));
    const numbers = (...types: string[]) => types.flatMap(sent).map(([, number]) => number);
    await expect.poll(() => numbers("unsubscribe")).toEqual(numbers("subscribe", "watch"));
    await client.close();
  });

  it("that welcomes and is then lost, again and again, is given up for a request after the same time", async () => {
    const path = join(folder, "host.sock");
    await served((socket) => {
      socket.write(line(welcome));
      setTimeout(() => socket.destroy(), 30);
    }, path);
    const client = await connectHost({ dial: () => dialSocket(path), address: path, version: "1.0.0", times });
    await expect(client.request("list_sessions", {})).rejects.toMatchObject({ code: "LINK_UNANSWERED" });
    await client.close();
  });
});

describe("a host at a WebSocket", () => {
  const handshake = "HTTP/1.1 101 Switching Protocols\r\n";
  const behaviours: [string, (socket: Socket) => void][] = [
    ["answers nothing", () => {}],
    ["closes at once", (socket) => socket.destroy()],
    ["speaks another protocol", (socket) => socket.write("220 mail.example ESMTP\r\n")],
    ["sends bytes without end", (socket) => endless(socket, "x".repeat(65_536))],
    ["sends headers without end", (socket) => endless(socket, `${handshake}X-A: ${"x".repeat(900)}\r\n`)],
    [
      "sends one byte after the other",
      (socket) => {
        const text = `${handshake}X-A: ${"x".repeat(1_000)}`;
        let at = 0;
        const timer = setInterval(() => socket.write(text.charAt(at++)), 10);
        ends.push(() => clearInterval(timer));
      },
    ],
  ];
  it.each(behaviours)("that %s is given up with an error that names the address", async (_, behave) => {
    const server = await served(behave, 0);
    const address = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const since = performance.now();
    const thrown = await outcome(() => dialWeb(new URL(address), { env: {} }, 200), address);
    expect(thrown).toMatchObject({
      code: "WS_DIAL",
      message: expect.stringContaining(`No host answers at ${address}`),
    });
    expect(performance.now() - since).toBeLessThan(5_000);
  });
});

describe("a host over SSH", () => {
  /** A program `ssh` with these lines, which records its pid. */
  function ssh(...lines: string[]) {
    const path = join(folder, "ssh");
    writeFileSync(path, `#!/bin/sh\necho $$ > '${folder}/pid'\n${lines.join("\n")}\n`);
    chmodSync(path, 0o755);
    const env = { PATH: `${folder}:/usr/bin:/bin` };
    return () => dialOverSsh(new URL("ssh:box"), { env }, { first: 500, again: 200, end: 50 });
  }
  const isOver = () =>
    eventually(() => {
      const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
      expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    });

  const more = `head -c ${MAX_TAKEN}`;
  const taken = 'exec touch "$(dirname "$0")/taken"';
  const behaviours: [string, string[], string][] = [
    ["answers nothing", ["exec sleep 60"], "SSH_SILENT"],
    ["does not end when it is asked to", ["trap '' TERM HUP", "while :; do sleep 0.05; done"], "SSH_SILENT"],
    ["prints without end", [`yes 'Welcome to this computer' | ${more} && ${taken}`], "SSH_NOISE"],
    ["prints without end and without a line", [`</dev/zero ${more} && ${taken}`], "SSH_NOISE"],
    ["prints errors without end", ["exec yes 'warning' >&2"], "SSH_SILENT"],
    ["ends", ["exit 255"], "SSH_ENDED"],
  ];
  it.each(behaviours)(
    "that %s is given up with an error that names the computer, and ssh is ended",
    async (_, lines, code) => {
      const thrown = await outcome(ssh(...lines), "ssh:box");
      expect(thrown).toMatchObject({ code, message: expect.stringMatching(/\bbox\b/) });
      await isOver();
      expect(existsSync(join(folder, "taken"))).toBe(false);
    },
  );

  it("reports once what ssh wrote to stderr, without control sequences", async () => {
    for (const [end, code] of [
      ["exit 1", "SSH_ENDED"],
      ["exec sleep 60", "SSH_SILENT"],
    ]) {
      const dial = ssh(`printf 'port closed \\033]0;owned\\007\\033[2J\\302\\233 by mars\\n' >&2`, end as string);
      const thrown = await outcome(dial, "ssh:box");
      expect(thrown.code).toBe(code);
      expect(thrown.message.split("port closed")).toHaveLength(2);
      expect(thrown.message).toContain("port closed  by mars");
      expect(thrown.message).not.toMatch(/(?!\n)\p{Cc}/u);
      await isOver();
    }
  });
});
