import { expect, it } from "vitest";
import { startModelServer, text } from "../model-server.ts";
import { hasTerminals, terminal } from "./pty.ts";
import { scratch } from "./scorel.ts";

it.skipIf(!hasTerminals)(
  "remaining terminals are told where the session continues when its terminal is closed",
  async () => {
    using s = scratch();
    await using server = await startModelServer([text("first answer"), text("second answer")]);
    s.useModel(server.baseUrl);
    await using first = terminal(s, ["--preset", "none"]);
    await first.shows("> ");
    first.type("one\r");
    await first.shows("first answer");
    await using second = terminal(s, ["--preset", "none", "--continue"]);
    await second.shows("(also here: terminal; you are terminal-2)");
    await first.shows("(terminal-2 is here, too)");
    first.type("\u0004");
    await first.shows("The session goes on without you: terminal-2 is still there. To come back: scorel --session ");
    expect(await first.code).toBe(0);
    await second.shows(
      "(the terminal that ran this session was closed; the session goes on in yours, and you need not do anything)",
    );
    second.type("two\r");
    await second.shows("second answer");
    second.type("\u0004");
    await second.shows("To go on: scorel --session ");
    expect(await second.code).toBe(0);
  },
);
