import { hostname } from "node:os";
import { expect, it } from "vitest";
import { startModelServer, text } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { fullScreen } from "./full-screen.ts";
import { terminal } from "./pty.ts";
import { none, relayed } from "./relayed.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

const LIMIT = 90_000;
const name = hostname().split(".")[0] as string;

/** The user's messages in the log. */
function said(s: Scratch): unknown[] {
  const messages = s.logs().flatMap((log) => records(log).map(({ message }) => message as Record<string, unknown>));
  return messages.filter((message) => message?.role === "user").map(({ content }) => content);
}

describeWith("script", "a message that is sent while nothing answers", () => {
  it(
    "is shown above the field until the host has accepted it, and then once in its place",
    async () => {
      using s = scratch();
      const server = await startModelServer([text("First."), text("Second."), text("Third.")]);
      s.useModel(server.baseUrl);
      const host = s.start(["host", "serve", "--foreground"]);
      await host.line((line) => line.startsWith("socket: "));
      await using t = fullScreen(s);
      await t.shows("scripted-model");
      t.type("one\r");
      await t.shows("First.");
      host.child.kill("SIGSTOP");
      t.type("while it hangs\r");
      await t.shows("On its way; the host has not taken it yet:\n⋯ while it hangs");
      t.type("and more\r");
      await t.shows("⋯ while it hangs\n⋯ and more");
      host.child.kill("SIGCONT");
      await t.shows("Third.");
      await t.hides("⋯ ");
      expect(t.screen.text().split("while it hangs")).toHaveLength(2);
      expect(said(s)).toEqual(["one", "while it hangs", "and more"]);
      await server.close();
    },
    LIMIT,
  );

  it(
    "is reported as waiting in a plain conversation behind a relay, and arrives once when the relay continues",
    async () => {
      await using r = await relayed();
      await r.pair();
      await r.host.run([...none, "-p", "first"]);
      await using t = terminal(r.laptop, ["attach", "--device", name, "--plain"]);
      await t.shows("answer 0");
      await t.shows("> ");
      r.hang();
      t.type("while it hangs\r");
      await t.shows("(not taken by the host yet: while it hangs)");
      r.goOn();
      await t.shows("answer 1");
      expect(said(r.host)).toEqual(["first", "while it hangs"]);
    },
    LIMIT,
  );
});
