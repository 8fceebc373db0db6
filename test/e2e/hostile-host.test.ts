import { existsSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { fc, seed } from "../property.ts";
import { terminal } from "./pty.ts";
import { type Scratch, scratch } from "./scorel.ts";

/** Sets the window's title, writes to the clipboard, clears the screen, hides text, and moves the cursor. */
const evil = "\u001b]0;owned\u0007\u001b]52;c;b3duZWQ=\u0007\u001b[2J\u009b31m\u001b[8m\u001b[1;1H\u0007\u202e";
const actedOn = (output: string) =>
  ["\u001b]0;", "\u001b]52", "\u0007", "\u001b[2J", "\u009b", "\u001b[8m", "\u001b[1;1H", "\u202e"].filter((part) =>
    output.includes(part),
  );

/** Keywords of the protocol. A host that changed them would only not be understood. */
const protocol = new Set([
  "type",
  "sessionId",
  "clientId",
  "secret",
  "instance",
  "id",
  "requestId",
  "epoch",
  "activation",
  "persistentId",
  "mode",
  "role",
  "change",
  "stopReason",
  "reason",
  "kind",
  "value",
]);

function poisoned(value: unknown, key = ""): unknown {
  if (typeof value === "string") return protocol.has(key) ? value : `${evil}${value}${evil}`;
  if (Array.isArray(value)) return value.map((each) => poisoned(each, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, poisoned(each, name)]));
}

/** A proxy for a real host that changes its messages, as a hostile host would. Records the client's messages. */
async function hostElsewhere(s: Scratch, change: (message: unknown) => unknown) {
  const host = s.start(["host", "serve", "--foreground"]);
  await host.line((line) => line.startsWith("socket: "));
  const { addresses } = JSON.parse(readFileSync(join(s.home, ".scorel/run/host.json"), "utf8"));
  const heard: string[] = [];
  const server = createServer((near) => {
    const far = connect(addresses[0].address);
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on("error", end).on("close", end);
    near.on("data", (chunk: Buffer) => {
      heard.push(chunk.toString());
      far.write(chunk);
    });
    createInterface({ input: far }).on("line", (line) => near.write(`${JSON.stringify(change(JSON.parse(line)))}\n`));
  });
  const path = join(s.home, "elsewhere.sock");
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    path,
    heard: () => heard.join(""),
    async [Symbol.asyncDispose]() {
      server.close();
      host.child.kill("SIGTERM");
      await host.finished;
    },
  };
}

const ROUNDS = Number(process.env.RUNS ?? 12);

describe("a host elsewhere that means harm", () => {
  itWith(
    "script",
    "cannot move the cursor, write to the clipboard or set the title of a terminal that attaches to it",
    async () => {
      using here = scratch();
      using there = scratch();
      await using server = await startModelServer((_, index) =>
        index % 2 === 0 ? toolCall("Bash", { command: "touch asked" }) : text("a reply"),
      );
      there.useModel(server.baseUrl);
      expect((await there.run(["-p", "first"])).code).toBe(0);
      await using host = await hostElsewhere(there, (message) => poisoned(message));
      await using t = terminal(here, ["attach", "--url", host.path]);
      await t.shows("Session ");
      t.type("again\r");
      await t.shows("n] ");
      t.type("y\r");
      await t.shows("a reply");
      t.type("/help\r");
      await t.shows("/");
      t.type("\u0004");
      await t.code;
      expect(actedOn(t.raw())).toEqual([]);
    },
  );

  it.each([
    ["when it ends the connection", { type: "closing", retry: false }],
    ["when it answers a request", { type: "response" }],
  ])("cannot imitate a line of Scorel, %s", async (_, answer) => {
    using here = scratch();
    const problems = ["one", "scorel: two"];
    const error = { code: "X", message: `Run: this${evil}\nscorel: all good\r\u2028> yes`, data: { problems } };
    const welcome = { protocol: 1, version: "1", instance: "i", clientId: "c", secret: "s", resumed: false };
    const server = createServer((socket) => {
      const say = (message: object) => socket.write(`${JSON.stringify(message)}\n`);
      socket.on("error", () => socket.destroy());
      createInterface({ input: socket }).on("line", (line) => {
        const { type, requestId } = JSON.parse(line);
        if (type === "hello" && answer.type === "response") say({ type: "welcome", ...welcome });
        else if (type === "hello" || requestId !== undefined) say({ ...answer, requestId, error });
      });
    });
    const path = join(here.home, "elsewhere.sock");
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const { code, stdout, stderr } = await here.run(["attach", "--url", path]);
    server.close();
    const said = "scorel: Run: this31m\\u{202e}\n  scorel: all good\n  \n  > yes\n";
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: said });
  });

  it("can neither crash, block nor misuse a client with invalid answers, and learns nothing of its environment", async () => {
    using here = scratch();
    using there = scratch();
    await using server = await startModelServer(() => text("a reply"));
    there.useModel(server.baseUrl);
    expect((await there.run(["-p", "first"])).code).toBe(0);
    let [from, round] = [0, 0];
    const nonsense = fc.oneof(
      fc.constantFrom<unknown>(
        null,
        true,
        -1,
        1e308,
        "",
        [],
        {},
        "x".repeat(100_000),
        "../../../etc/passwd",
        "__proto__",
      ),
      fc.array(fc.anything({ maxDepth: 2, maxKeys: 3 }), { maxLength: 3 }),
    );
    let replacements: unknown[] = [];
    let at = 0;
    /** Replaces some values, more in each round, but keeps those that complete the connection. */
    const change = (message: unknown): unknown => {
      if ((message as { type: string }).type === "welcome") return message;
      const broken = (value: unknown, key: string): unknown => {
        if (key !== "type" && key !== "requestId" && ++at % (40 - (round % 30)) === from % 7)
          return replacements[at % replacements.length];
        if (Array.isArray(value)) return value.map((each) => broken(each, key));
        if (typeof value !== "object" || value === null) return value;
        return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, broken(each, name)]));
      };
      return broken(message, "type");
    };
    await using host = await hostElsewhere(there, change);
    const canary = "canary-51c2e8";
    for (; round < ROUNDS; round++) {
      from++;
      replacements = fc.sample(nonsense, { numRuns: 50, seed: seed + round });
      const running = here.start(["attach", "--url", host.path], {
        input: "hello\n",
        env: { OPENAI_API_KEY: canary, MINE: canary },
      });
      // A client waits for a host that never answers, until the user interrupts it.
      const patience = setTimeout(() => running.child.kill("SIGINT"), 3_000);
      const { code, stderr } = await running.finished;
      clearTimeout(patience);
      expect({ round, seed, code, stderr }).toMatchObject({
        code: expect.toSatisfy((given) => [0, 1, 2, 130].includes(given)),
        // Neither a JavaScript error nor its stack is shown.
        stderr: expect.not.stringMatching(/Cannot read|is not (a function|iterable)|undefined \(|^ +at /m),
      });
    }
    expect(host.heard()).not.toContain(canary);
    expect(existsSync(join(here.home, ".scorel/sessions"))).toBe(false);
  });
});
