import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { hang, type Reply, startModelServer, text } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { type FullScreen, fullScreen } from "./full-screen.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

const LIMIT = 60_000;

async function stage(replies: readonly Reply[]) {
  const s = scratch();
  const server = await startModelServer(replies);
  s.useModel(server.baseUrl);
  const dispose = async () => {
    s[Symbol.dispose]();
    await server.close();
  };
  return Object.assign(s, { server, [Symbol.asyncDispose]: dispose });
}

async function serving(s: Scratch, more: readonly string[] = []) {
  const host = s.start(["host", "serve", "--foreground", ...more]);
  await host.line((line) => line.startsWith("socket: "));
  return host;
}

async function terminal(s: Scratch, args: readonly string[] = []): Promise<FullScreen> {
  const t = fullScreen(s, args);
  await t.shows("scripted-model");
  return t;
}

/** A terminal whose host is killed after the first turn. */
async function terminalWithoutHost(s: Scratch): Promise<FullScreen> {
  const host = await serving(s);
  const t = await terminal(s);
  t.type("one\r");
  await t.shows("First.");
  host.child.kill("SIGKILL");
  await t.shows("no connection to the host");
  await t.shows("`scorel host serve` in another terminal starts one");
  return t;
}

/** The saved drafts, which the next terminal would show. */
function drafts(s: Scratch): string[] {
  const folder = join(s.home, ".scorel/drafts");
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return files.map((name) => (JSON.parse(readFileSync(join(folder, name), "utf8")) as { text: string }).text);
}

describeWith("script", "a terminal whose host does not answer", () => {
  it("can be left at once, and says how to continue", async () => {
    await using s = await stage([text("First.")]);
    const host = await serving(s);
    await using t = await terminal(s);
    t.type("one\r");
    await t.shows("First.");
    await t.hides("to interrupt");
    host.child.kill("SIGSTOP");
    const begun = performance.now();
    t.type("\x03\x03");
    await t.code;
    // A client gives up a silent connection only after 15 seconds.
    expect(performance.now() - begun).toBeLessThan(14_000);
    host.child.kill("SIGCONT");
    expect(t.sent()).toContain("To continue: scorel --session");
  });

  it("can be left in the middle of a turn, which it cannot interrupt", async () => {
    await using s = await stage([hang()]);
    const host = await serving(s);
    await using t = await terminal(s);
    t.type("one\r");
    await t.shows("to interrupt");
    host.child.kill("SIGSTOP");
    const begun = performance.now();
    t.type("\x03\x03");
    await t.shows("Press Ctrl-C again to leave.");
    t.type("\x03");
    await t.code;
    expect(performance.now() - begun).toBeLessThan(14_000);
    host.child.kill("SIGCONT");
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The users' messages in the only session. */
const users = (s: Scratch) =>
  records(s.logs()[0] as string).flatMap(({ message }) => {
    const { role, content } = (message ?? {}) as { role?: string; content?: unknown };
    return role === "user" ? [content] : [];
  });

/** The last request to the model, as text. */
const lastRequest = ({ server }: Awaited<ReturnType<typeof stage>>) =>
  JSON.stringify(server.requests.at(-1)?.body.messages);

describeWith("script", "a host that is replaced", () => {
  it(
    "keeps queued messages, and the terminal says that they wait for the person and how they are sent",
    async () => {
      await using s = await stage([[text("half of"), hang()], text("Both."), text("All.")]);
      await serving(s);
      await using t = await terminal(s);
      t.type("one\r");
      await t.shows("half of");
      t.type("two\r");
      await t.shows("Queued: sent when this turn ends");
      const next = serving(s, ["--replace"]);
      await t.shows("Queued: kept until the host is back");
      await next;
      await t.shows("Queued: sent after your next message · Alt-Q sends or changes them");
      expect(s.server.requests).toHaveLength(1);
      t.type("three\r");
      await t.shows("Both.");
      await t.hides("Queued:");
      await eventually(() => expect(lastRequest(s)).toMatch(/"three".*"two"/));
    },
    LIMIT,
  );

  it(
    "keeps them in a plain conversation, too, and says why it was away",
    async () => {
      await using s = await stage([[text("half of"), hang()], text("Both."), text("All.")]);
      await serving(s);
      await using t = await terminal(s, ["--plain"]);
      t.type("one\r");
      await t.shows("half of");
      t.type("two\r");
      await t.shows("(queued: this message is sent when the current turn ends");
      await serving(s, ["--replace"]);
      await t.shows("(the host is back)");
      await t.shows("(1 message is still queued; it is sent after your next one)");
      const said = t.screen.text().replace(/\n */g, " ");
      expect(said).toContain("(the host was stopped; connecting again by itself");
      t.type("three\r");
      await t.shows("Both.");
      await eventually(() => expect(lastRequest(s)).toMatch(/"three".*"two"/));
    },
    LIMIT,
  );
});

describeWith("script", "a message that is entered while the host is away", () => {
  it(
    "is shown as waiting, and is sent once when the host is back",
    async () => {
      await using s = await stage([text("First."), text("Second."), text("Third.")]);
      await using t = await terminalWithoutHost(s);
      t.type("while away\r");
      await t.shows("Sent when the host is back (Esc takes it back):\n⋯ while away");
      t.type("and more\r");
      await t.shows("⋯ while away\n⋯ and more");
      await serving(s);
      await t.shows("Third.");
      await t.hides("⋯ ");
      expect(users(s)).toEqual(["one", "while away", "and more"]);
      expect(s.server.requests).toHaveLength(3);
    },
    LIMIT,
  );

  it(
    "returns to the field of a person who leaves before that, and is not sent",
    async () => {
      await using s = await stage([text("First."), text("Never.")]);
      await using t = await terminalWithoutHost(s);
      t.type("kept words\r");
      await t.shows("⋯ kept words");
      t.type("\u0004");
      expect(await t.code).toBe(0);
      await serving(s);
      await using again = await terminal(s, ["--continue"]);
      await again.shows("> kept words");
      expect([users(s), s.server.requests.length]).toEqual([["one"], 1]);
    },
    LIMIT,
  );

  it(
    "waits in order with shell lines and commands, which run once the host is back",
    async () => {
      await using s = await stage([text("First."), text("Second.")]);
      await using t = await terminalWithoutHost(s);
      t.type("!!echo ran >> ran\r");
      await t.shows("Sent when the host is back (Esc takes it back):\n⋯ !!echo ran >> ran");
      t.type("/name Renamed\r");
      await t.shows("⋯ !!echo ran >> ran\n⋯ /name Renamed");
      t.type("go on\r");
      await t.shows("⋯ /name Renamed\n⋯ go on");
      expect(t.screen.text()).not.toContain("▌ /name");
      await serving(s);
      await t.shows("Second.");
      await t.hides("⋯ ");
      expect(t.screen.text()).toMatch(/▌ \/name Renamed[\s\S]*▌ go on/);
      await t.shows(/● !! echo ran >> ran .*\[exit code 0/);
      await eventually(() => expect(readFileSync(join(s.project, "ran"), "utf8")).toBe("ran\n"));
      expect(users(s)).toEqual(["one", "go on"]);
    },
    LIMIT,
  );

  it(
    "comes back to the field with Esc, a shell line as one and several entries as text",
    async () => {
      await using s = await stage([text("First."), text("Never.")]);
      await using t = await terminalWithoutHost(s);
      t.type("!touch made\r");
      await t.shows("⋯ !touch made");
      t.type("\u001b");
      await t.shows("\n!touch made\n");
      t.type("\r");
      await t.shows("⋯ !touch made");
      t.type("and words\r");
      await t.shows("⋯ and words");
      t.type("\u001b");
      await t.shows(/> !touch made\s+and words/);
      await t.hides("⋯ ");
      await serving(s);
      await t.hides("no connection to the host");
      expect([existsSync(join(s.project, "made")), users(s)]).toEqual([false, ["one"]]);
    },
    LIMIT,
  );

  it(
    "becomes the draft of the next terminal if this one is killed, together with the typed text",
    async () => {
      await using s = await stage([text("First."), text("Never.")]);
      {
        await using t = await terminalWithoutHost(s);
        t.type("one more\r");
        await t.shows("⋯ one more");
        t.type("!touch made\r");
        await t.shows("⋯ one more\n⋯ !touch made");
        t.type("and half");
        await t.shows("> and half");
        await eventually(() => expect(drafts(s)).toEqual(["one more\n\n!touch made\n\nand half"]));
        t.signal("SIGKILL");
        await t.code;
      }
      await serving(s);
      await using again = await terminal(s, ["--continue"]);
      await again.shows(/> one more\s+!touch made\s+and half/);
      expect([users(s), s.server.requests.length, existsSync(join(s.project, "made"))]).toEqual([["one"], 1, false]);
    },
    LIMIT,
  );

  it(
    "is not a draft of the next terminal if it arrived after its sender had left",
    async () => {
      await using s = await stage([text("First."), text("Second.")]);
      const host = await serving(s);
      {
        await using t = await terminal(s);
        t.type("one\r");
        await t.shows("First.");
        await t.hides("to interrupt");
        host.child.kill("SIGSTOP");
        t.type("on its way");
        await t.shows("> on its way");
        t.type("\r");
        await t.hides("> on its way");
        t.type("\u0004");
        expect(await t.code).toBe(0);
        expect(drafts(s)).toEqual(["on its way"]);
      }
      host.child.kill("SIGCONT");
      await eventually(() => expect(users(s)).toEqual(["one", "on its way"]));
      await using again = await terminal(s, ["--continue"]);
      await again.shows("Second.");
      await eventually(() => expect(drafts(s)).toEqual([]));
      expect(again.screen.text()).not.toContain("> on its way");
    },
    LIMIT,
  );

  it(
    "is not a draft any more once it is sent",
    async () => {
      await using s = await stage([text("First."), text("Second.")]);
      await using t = await terminalWithoutHost(s);
      t.type("while away\r");
      await eventually(() => expect(drafts(s)).toEqual(["while away"]));
      await serving(s);
      await t.shows("Second.");
      await eventually(() => expect(drafts(s)).toEqual([]));
    },
    LIMIT,
  );
});

describeWith("script", "a shell line in a plain conversation", () => {
  it(
    "says that it was interrupted when its host is killed, and the conversation continues",
    async () => {
      await using s = await stage([text("I see.")]);
      const host = await serving(s);
      await using t = await terminal(s, ["--plain"]);
      t.type("!echo $$ > pid; sleep 300\r");
      await t.shows("· ! echo $$ > pid; sleep 300");
      await eventually(() => expect(existsSync(join(s.project, "pid"))).toBe(true));
      const pid = Number(readFileSync(join(s.project, "pid"), "utf8"));
      host.child.kill("SIGKILL");
      await t.shows("(no connection to the host:");
      await t.shows("starts one)");
      expect(t.screen.text().replace(/\n */g, " ")).toContain("Ctrl-C leaves; `scorel host serve` in another terminal");
      await serving(s);
      await t.shows("[interrupted: the host ended");
      t.type("and?\r");
      await t.shows("I see.");
      expect(users(s)).toEqual(["and?"]);
      t.type("/exit\r");
      expect(await t.code).toBe(0);
      if (isAlive(pid)) process.kill(pid, "SIGKILL");
    },
    LIMIT,
  );
});
