import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { filesBelow } from "../plugins/checkpoints/project.ts";
import { records, scratch } from "./scorel.ts";

describe("file checkpoints of a session", () => {
  it("move back and forth with the session in other processes, and are removed with it", async () => {
    using s = scratch();
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", s.project, "-c", "user.name=t", "-c", "user.email=t@t", ...args]);
    s.file("cart.js", "one\n");
    s.file("old.js", "old\n");
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "first");
    await using server = await startModelServer([
      [toolCall("Write", { file_path: "new.js", content: "new\n" })],
      [toolCall("Bash", { command: "echo two > cart.js; rm old.js" })],
      [text("Done.")],
    ]);
    s.useModel(server.baseUrl);
    expect(await s.run(["-p", "Change it."])).toMatchObject({ code: 0, stdout: "Done.\n", stderr: "" });
    const [log = ""] = s.logs();
    const sessionId = String(records(log)[0]?.sessionId);
    const messages = records(log).filter(({ type }) => type === "message");
    const [first, last] = [messages[0], messages.at(-1)].map((event) => String(event?.id)) as [string, string];
    const files = () =>
      Object.fromEntries(
        readdirSync(s.project)
          .filter((name) => name.endsWith(".js"))
          .map((name) => [name, readFileSync(join(s.project, name), "utf8")]),
      );
    const rewind = (to: string) => s.run(["session", "rewind", sessionId, to, "--files", "--yes"]);

    expect(await rewind(first)).toMatchObject({ code: 0 });
    expect(files()).toEqual({ "cart.js": "one\n", "old.js": "old\n" });
    expect(await rewind(last)).toMatchObject({ code: 0 });
    expect(files()).toEqual({ "cart.js": "two\n", "new.js": "new\n" });

    const unasked = await s.run(["session", "undo", sessionId, "--files"]);
    expect(unasked.code).not.toBe(0);
    expect(files()).toEqual({ "cart.js": "two\n", "new.js": "new\n" });
    const undone = await s.run(["session", "undo", sessionId, "--files", "--yes"]);
    expect(undone.stdout).toContain("Undone: Change it.\n3 files restored.\n");
    expect(files()).toEqual({ "cart.js": "one\n", "old.js": "old\n" });
    expect(await s.run(["session", "redo", sessionId, "--files", "--yes"])).toMatchObject({ code: 0 });
    expect(files()).toEqual({ "cart.js": "two\n", "new.js": "new\n" });

    const typed = (...lines: string[]) => s.run(["chat", "--session", sessionId], { input: `${lines.join("\n")}\n` });
    const asked = await typed("/undo --files");
    expect(asked.stdout).toContain("To restore these files, and go back: /undo --files --yes");
    expect(files()).toEqual({ "cart.js": "two\n", "new.js": "new\n" });
    await typed("/undo --files --yes");
    expect(files()).toEqual({ "cart.js": "one\n", "old.js": "old\n" });
    await typed("/redo --files --yes");
    expect(files()).toEqual({ "cart.js": "two\n", "new.js": "new\n" });

    expect((await s.run(["session", "show", sessionId])).stdout).not.toContain("checkpoint");

    const kept = () => filesBelow(join(s.home, ".scorel/blobs"));
    const then = new Date(Date.now() - 2 * 60 * 60 * 1000);
    for (const path of kept()) utimesSync(path, then, then);
    expect(await s.run(["session", "delete", sessionId])).toMatchObject({ code: 0 });
    const purged = await s.run(["session", "purge", "--yes"]);
    expect(purged).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/nothing refers to: 4, 16 bytes/) as string,
    });
    expect(kept()).toEqual([]);
  });
});
