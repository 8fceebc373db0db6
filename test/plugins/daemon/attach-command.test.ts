import { expect, it } from "vitest";
import type { DaemonContext } from "../../../plugins/daemon/context.ts";
import { attachCommand } from "../../../plugins/daemon/dial.ts";

const transports = [{ plugin: "ssh", value: [{ dialOptions: [{ flags: "--ssh <target>" }, { flags: "--start" }] }] }];
const ctx = { collect: () => transports } as unknown as DaemonContext;

it.each([
  [{ ssh: "me@build.example", start: true }, "scorel attach --ssh me@build.example"],
  [{ ssh: "it's" }, "scorel attach --ssh 'it'\\''s'"],
  [{ url: "ws://token@host:7777/ws" }, "scorel attach --url 'ws://…@host:7777/ws'"],
  [{ url: "me:p@ss@host" }, "scorel attach --url '…@host'"],
  [{ url: "/run/me@home.sock" }, "scorel attach --url /run/me@home.sock"],
])("the command that returns to a host has its address, and no password: %j", (options, command) => {
  expect(attachCommand(ctx, options)).toBe(command);
});
