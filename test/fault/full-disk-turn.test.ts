import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { fullScreen } from "../e2e/full-screen.ts";
import { modelTable, scratch } from "../e2e/scorel.ts";
import { eventually } from "../eventually.ts";
import { delayUntil, gate, type Reply, startModelServer, text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { smallFileSystem } from "./disk.ts";

/** Longer than the free part of the log's last block. */
const LONG = "many words ".repeat(1_000);

/** A model, and a home on a separate file system, which becomes full when the second reply is requested. */
async function stage(before: readonly Reply[]) {
  const s = scratch();
  const small = smallFileSystem(16 * 1024) ?? expect.unreachable();
  const held = gate();
  const server = await startModelServer([...before, [delayUntil(held.promise), text(LONG)], text("There is room.")]);
  mkdirSync(join(small.directory, ".scorel"));
  writeFileSync(join(small.directory, ".scorel/config.toml"), modelTable(server.baseUrl));
  const fill = async () => {
    await eventually(() => expect(server.requests.length).toBe(before.length + 1));
    small.fill?.();
    held.open();
  };
  const dispose = async () => {
    await server.close();
    s[Symbol.dispose]();
    small[Symbol.dispose]();
  };
  const sent = (index: number) => server.requests[index]?.body.messages as { role: string; content: unknown }[];
  return { s, small, fill, sent, env: { HOME: small.directory }, [Symbol.asyncDispose]: dispose };
}

/** Messages as the model receives them. */
const said = (messages: { role: string; content: unknown }[]) =>
  messages.filter(({ role }) => role !== "system").map(({ content }) => content);

itWith(
  ["script", "mounts"],
  "the terminal application says why a reply was not kept on a full disk, and goes on when there is room",
  async () => {
    await using x = await stage([text("First.")]);
    await using t = fullScreen(x.s, [], { env: x.env, columns: 200, rows: 40 });
    const times = () => t.screen.text().match(/no room is left on its disk/g)?.length;
    await t.shows("scripted-model");
    t.type("one\r");
    await t.shows("First.");
    t.type("two\r");
    await x.fill();
    await t.shows("✗ The session cannot be saved: ");
    await t.shows("/retry sends the last message again.");
    await t.hides("Esc to interrupt");
    expect(times()).toBe(1);
    x.small.free?.();
    t.type("three\r");
    await t.shows("There is room.");
    await t.shows("The session is being saved again.");
    expect(said(x.sent(2))).toEqual(["one", "First.", "two", "three"]);
    t.type("/exit\r");
    expect(await t.code).toBe(0);
  },
);

itWith(
  "mounts",
  "`-p` prints a reply that was not kept on a full disk, says once why, and the session goes on",
  async () => {
    await using x = await stage([]);
    const run = x.s.start(["-p", "one"], { env: x.env });
    await x.fill();
    const { code, stdout, stderr } = await run.finished;
    expect([code, stdout, stderr]).toEqual([
      1,
      `${LONG}\n`,
      expect.stringMatching(
        /^warning: The log \S+ could not be written \(no room is left on its disk: ENOSPC\)\.[^\n]*\n$/,
      ),
    ]);
    x.small.free?.();
    const next = await x.s.run(["-p", "two", "--continue"], { env: x.env });
    expect(next).toMatchObject({ code: 0, stdout: "There is room.\n", stderr: "" });
    expect(said(x.sent(1))).toEqual(["one", "two"]);
  },
);
