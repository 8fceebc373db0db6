import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startModelServer, status, text } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { terminal } from "./pty.ts";
import { scratch } from "./scorel.ts";

/** Sets the window's title, clears the screen, and imitates a line of Scorel. */
const evil = "\u001b]0;owned\u0007\u001b[2J\u009b31mred\u001b[8m";
/** The control sequences of that text that are in an output. */
const actedOn = (output: string) =>
  ["\u001b]0;", "\u0007", "\u001b[2J", "\u009b", "\u001b[8m"].filter((part) => output.includes(part));
const refusal = status(400, { error: { message: `no ${evil} such model` } });

describeWith("script", "in a terminal", () => {
  it("a server's answer to a refused request cannot move the cursor", async () => {
    using s = scratch();
    await using server = await startModelServer(() => refusal);
    s.useModel(server.baseUrl);
    for (const args of [
      ["-p", "hi"],
      ["model", "check"],
    ]) {
      await using t = terminal(s, args);
      await t.code;
      expect(t.screen()).toContain("such model");
      expect(actedOn(t.raw())).toEqual([]);
    }
  });

  it("nor can the name of a folder, before its project is trusted", async () => {
    using s = scratch();
    const cwd = join(s.project, `a${evil}b`);
    mkdirSync(join(cwd, ".scorel"), { recursive: true });
    s.useModel("http://127.0.0.1:9", "[agent]\nretries = 0\n");
    for (const args of [
      ["--cwd", cwd, "-p", "hi"],
      ["--cwd", cwd, "config", "show"],
    ]) {
      await using t = terminal(s, args);
      await t.code;
      expect(actedOn(t.raw())).toEqual([]);
    }
  });

  it("nor can the contents of a user's file that a command shows", async () => {
    using s = scratch();
    await using server = await startModelServer([text(`answer ${evil}`), text(`answer ${evil}`)]);
    s.useModel(server.baseUrl);
    await s.run(["-p", `called ${evil}`]);
    for (const args of [
      ["session", "list"],
      ["session", "show"],
      ["search", "called"],
      ["-p", "again"],
    ]) {
      await using t = terminal(s, args);
      await t.code;
      expect(actedOn(t.raw())).toEqual([]);
    }
  });
});

it("stderr contains no escape sequences, even if it is not a terminal", async () => {
  using s = scratch();
  await using server = await startModelServer(() => refusal);
  s.useModel(server.baseUrl);
  const { stderr } = await s.run(["-p", "hi"]);
  expect(stderr).toContain("such model");
  expect(actedOn(stderr)).toEqual([]);
});
