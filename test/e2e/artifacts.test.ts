import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { delayUntil, gate, startModelServer, text } from "../model-server.ts";
import { scratch } from "./scorel.ts";

const hash = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

/** Saves the last message of the session, and bytes that are not text, as artifacts. */
const keeper = `export default {
  id: "keeper", name: "Keeper", version: "1.0.0", needs: ["artifacts"],
  async onEvent(event, ctx) {
    if (event.type !== "turn_finish") return;
    const own = ctx.artifacts.of(ctx.session);
    const lineage = { by: "keeper", skill: { name: "math", digest: "abc" }, command: "fib 10", inputs: [] };
    await own.save({ name: "out/fib.txt", content: Buffer.from("55\\n"), mimeType: "text/plain", lineage });
    await own.save({ name: "big", content: Buffer.alloc(9_000_000, "0123456789"), mimeType: "text/plain" });
    await own.save({ name: "user:raw", content: Buffer.from([0, 255, 10, 27]), mimeType: "application/octet-stream" });
  },
};`;

it("artifacts of a session can be read while another process has the session open", async () => {
  const never = gate();
  await using server = await startModelServer((_, index) =>
    index === 0 ? text("Done.") : [text("Wait"), delayUntil(never.promise)],
  );
  using s = scratch({ inProcess: true });
  s.useModel(server.baseUrlFor("openai-completions"));
  expect(await s.run(["artifact", "list"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`There is no session of ${s.project} yet.`),
  });
  s.file("~/.scorel/extensions/keeper.js", keeper);
  expect((await s.run(["-p", "one"])).code).toBe(0);
  const open = s.start(["-p", "two", "--continue", "--output", "events"]);
  await open.line((line) => line.includes('"text_delta"'));

  expect((await s.run(["artifact", "get", "out/fib.txt"])).stdout).toBe("55\n");
  const [id] = s.logs().map((path) => basename(path, ".jsonl"));
  expect(await s.run(["artifact", "get", "other"])).toMatchObject({
    code: 1,
    stderr: `scorel: There is no artifact other. There are: big, out/fib.txt, user:raw. This is the latest session of this directory, ${id}; choose another one of \`scorel session list\` with --session <id>.\n`,
  });
  expect(await s.run(["artifact", "get", "out/fib.txt", "-o", "none/fib.txt"])).toMatchObject({
    code: 1,
    stderr: `scorel: ${s.project}/none/fib.txt cannot be written: its folder does not exist.\n`,
  });
  process.kill(open.pid, "SIGKILL");
  await open.finished;
  never.open();
});

it("artifacts of a session can be listed, read, explained and removed from the command line", async () => {
  await using server = await startModelServer(() => text("Done."));
  using s = scratch({ inProcess: true });
  s.useModel(server.baseUrlFor("openai-completions"));
  s.file("~/.scorel/extensions/keeper.js", keeper);
  for (const turn of ["one", "two"])
    expect((await s.run(["-p", turn, ...(turn === "two" ? ["--continue"] : [])])).code).toBe(0);

  const listed = await s.run(["artifact", "list"]);
  expect(listed).toMatchObject({ code: 0, stderr: "" });
  expect(listed.stdout.replaceAll(/^[\d-]{10} [\d:]{5} {2}/gm, "")).toBe(
    [
      "big@1          8.6 MiB  text/plain\n",
      "out/fib.txt@1  3 bytes  text/plain\n",
      "user:raw@1     4 bytes  application/octet-stream\n",
    ].join(""),
  );
  expect(JSON.parse((await s.run(["artifact", "list", "out/fib.txt", "--output", "json"])).stdout)).toMatchObject([
    { version: 0 },
    { version: 1 },
  ]);
  expect((await s.run(["artifact", "get", "out/fib.txt@0"])).stdout).toBe("55\n");
  const told = await s.run(["artifact", "get", "user:raw", "--to", "raw"]);
  expect([told.stdout, [...readFileSync(join(s.project, "raw"))]]).toEqual([
    `user:raw@1 is in ${join(s.project, "raw")} (4 bytes).\n`,
    [0, 255, 10, 27],
  ]);
  expect(await s.run(["artifact", "get", "user:raw", "--to", "raw"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("raw already exists and was not changed."),
  });
  expect((await s.run(["artifact", "get", "big", "-o", "big"])).stdout).toBe(
    `big@1 is in ${join(s.project, "big")} (8.6 MiB).\n`,
  );
  const big = readFileSync(join(s.project, "big"));
  expect([big.length, hash(big)]).toEqual([9_000_000, hash(Buffer.alloc(9_000_000, "0123456789"))]);
  writeFileSync(join(s.home, ".scorel/blobs", hash(big).slice(0, 2), hash(big)), Buffer.alloc(9_000_000, "x"));
  expect(await s.run(["artifact", "get", "big", "-o", "damaged"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The content of big is damaged"),
  });
  expect(readdirSync(s.project).sort()).toEqual(["big", "raw"]);
  expect((await s.run(["artifact", "lineage", "out/fib.txt"])).stdout).toMatch(
    /^out\/fib\.txt@1 {2}3 bytes {2}sha256 [0-9a-f]{64}\nsaved by: keeper\nskill: math \(abc\)\ncommand: fib 10\n$/,
  );
  expect(await s.run(["artifact", "get", "other"])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("scorel: There is no artifact other. There are: big, out/fib.txt, user:raw."),
  });
  expect((await s.run(["artifact", "rm", "out/fib.txt"])).stdout).toBe(
    "Removed out/fib.txt. The log still says what it was.\n",
  );
  expect((await s.run(["artifact", "list", "--output", "json"])).stdout).not.toContain("fib.txt");
  expect(existsSync(join(s.home, ".scorel/artifacts/user.json"))).toBe(true);
});
