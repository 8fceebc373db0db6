import { expect } from "vitest";
import { smallFileSystem } from "../fault/disk.ts";
import { itWith } from "../optional.ts";
import { fullScreen } from "./full-screen.ts";
import { scratch } from "./scorel.ts";

itWith(
  ["script", "mounts"],
  "the terminal application says once why a message is not stored on a full disk",
  async () => {
    using s = scratch();
    using small = smallFileSystem(16 * 1024) ?? expect.unreachable();
    const env = { HOME: small.directory };
    await using t = fullScreen(s, ["--model", "offline/demo"], { env, columns: 200, rows: 40 });
    const times = () => t.screen.text().match(/jsonl could not be written/g)?.length;
    await t.shows("ask · demo");
    t.type("run echo one\r");
    await t.shows("$ echo one");
    await t.hides("Esc to interrupt");
    small.fill?.();
    // A short message could still fit into the last block of the log.
    t.paste("many words ".repeat(1_000));
    await t.shows("[paste #1");
    t.type("\r");
    await t.shows("jsonl could not be written");
    t.type("Q");
    await t.shows("Q");
    expect(times()).toBe(1);
    small.free?.();
  },
);
