import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { statusCommand } from "../../../plugins/daemon/commands.ts";
import type { DaemonContext } from "../../../plugins/daemon/context.ts";
import { lockFile, runFolder } from "../../../plugins/daemon/run-folder.ts";
import { writeState } from "../../../plugins/daemon/state.ts";
import { holderOf, tryLock } from "../../../plugins/kit/files/lock.ts";
import { inOwnFolder } from "../../../plugins/kit/files/state-folder.ts";
import { dialSocket } from "../../../plugins/socket/socket.ts";
import { testHome } from "../host/home.ts";

const transport = { name: "socket", schemes: ["unix:"], dial: (url: URL) => dialSocket(url.pathname) };
const ctx = {
  launch: { version: "1.0.0" },
  logger: { warn: () => {} },
  find: () => undefined,
  collect: () => [{ value: [transport] }],
} as unknown as DaemonContext;

const welcome = {
  type: "welcome",
  protocol: 1,
  version: "9",
  instance: "i",
  clientId: "c",
  secret: "s",
  resumed: false,
};
const hello = `${JSON.stringify(welcome)}\n`;

it.each<[string, (socket: Socket) => void]>([
  ["answers nothing", () => {}],
  ["answers nothing after its greeting", (socket) => socket.write(hello)],
  ["answers with nonsense", (socket) => socket.write("}{\n")],
  [
    "answers requests with nonsense",
    (socket) => {
      socket.write(hello);
      socket.on("data", () => socket.write('{"type":"response","requestId":1,"result":{"clients":5}}\n'));
    },
  ],
])("the status of a host that %s says so", async (_, behave) => {
  using home = testHome();
  process.env.HOME = home.home;
  inOwnFolder(runFolder(), () => {});
  const lock = tryLock(lockFile());
  if (!lock || !("release" in lock)) throw new Error("the home has a host");
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    behave(socket);
  });
  const address = join(runFolder(), "a.sock");
  await new Promise<void>((resolve) => server.listen(address, resolve));
  const { nonce } = holderOf(lockFile()) ?? { nonce: "" };
  const about = { pid: process.pid, nonce, version: "9", preset: "none", startedAt: Date.now() };
  writeState({ ...about, addresses: [{ transport: "socket", address }] });
  const printed: string[] = [];
  const invocation = { options: {}, stdout: { write: (text: string) => printed.push(text) } };
  try {
    expect(await statusCommand(ctx, invocation as unknown as Parameters<typeof statusCommand>[1], 200)).toBe(0);
    expect(printed.join("")).toContain("It does not answer. `scorel host logs` shows what it printed.\nsocket: ");
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
    lock.release();
  }
});
