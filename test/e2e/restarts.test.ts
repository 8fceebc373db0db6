import { describe, expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { hang, type Reply, startModelServer, text } from "../model-server.ts";
import { type FullScreen, fullScreen } from "./full-screen.ts";
import { hasTerminals } from "./pty.ts";
import { type Scratch, scratch } from "./scorel.ts";

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

/** What the model was sent last, as one text. */
const lastRequest = ({ server }: Awaited<ReturnType<typeof stage>>) =>
  JSON.stringify(server.requests.at(-1)?.body.messages);

describe.skipIf(!hasTerminals)("a host that is replaced", () => {
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
      await t.shows("(1 queued message from before; sent after your next message)");
      const said = t.screen.text().replace(/\n */g, " ");
      expect(said).toContain("(the host was stopped; connecting again by itself");
      t.type("three\r");
      await t.shows("Both.");
      await eventually(() => expect(lastRequest(s)).toMatch(/"three".*"two"/));
    },
    LIMIT,
  );
});
