import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import coding from "@scorel/coding";
import type { Operations } from "@scorel/host/contract";
import images from "@scorel/images";
import local from "@scorel/local";
import mentions from "@scorel/mentions";
import permissions from "@scorel/permissions";
import requests from "@scorel/requests";
import tools from "@scorel/tools";
import { describe, expect, it } from "vitest";
import { startModelServer } from "../model-server.ts";
import { agentHost } from "./host/agent-host.ts";
import { testHome } from "./host/home.ts";

/** A session whose directory has these files, with the real tools and guards. */
async function project(files: Record<string, string | Buffer>, config: object = {}) {
  const home = testHome();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home.cwd, name)), { recursive: true });
    writeFileSync(join(home.cwd, name), content);
  }
  const server = await startModelServer([]);
  const session = [tools, requests, { plugin: permissions, origin: "test", config }, local, images, coding, mentions];
  const { client, kernel } = await agentHost(server.baseUrl, { session });
  const { sessionId } = await client.request("create_session", { cwd: home.cwd });
  return {
    home,
    client,
    sessionId,
    view: (path: string): Promise<Operations["view_file"]["result"]> =>
      client.request("view_file", { sessionId, path }),
    /** The code and text of the error for a file. */
    refusal: (path: string) =>
      client.request("view_file", { sessionId, path }).then(
        (shown) => `shown: ${JSON.stringify(shown)}`,
        ({ code, message }) => `${code} ${message}`,
      ),
    async [Symbol.asyncDispose]() {
      await kernel.stop();
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

describe("view_file", () => {
  it("returns the text of a file of the project, by its relative and its absolute path", async () => {
    await using t = await project({ "src/cart.ts": "export const tax = 1;\n", "empty.txt": "" });
    const cart = { path: "src/cart.ts", bytes: 22, text: "export const tax = 1;\n" };
    expect(await t.view("src/cart.ts")).toEqual(cart);
    expect(await t.view(join(t.home.cwd, "src/cart.ts"))).toEqual(cart);
    expect(await t.view("src/../src/./cart.ts")).toEqual(cart);
    expect(await t.view("empty.txt")).toEqual({ path: "empty.txt", bytes: 0, text: "" });
  });

  it("tells the size of what is too large or no text", async () => {
    await using t = await project({
      "big.txt": Buffer.alloc(2 ** 20 + 1, "a"),
      "whole.txt": Buffer.alloc(2 ** 20, "a"),
      program: Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0]),
      "latin1.txt": Buffer.from([0xe9, 0x74, 0xe9]),
    });
    expect(await t.view("big.txt")).toEqual({ path: "big.txt", bytes: 2 ** 20 + 1, problem: "large" });
    expect((await t.view("whole.txt")).text).toHaveLength(2 ** 20);
    expect(await t.view("program")).toEqual({ path: "program", bytes: 5, problem: "binary" });
    expect(await t.view("latin1.txt")).toEqual({ path: "latin1.txt", bytes: 3, problem: "binary" });
  });

  it("shows nothing outside of the project, also not through a link, and does not tell what is there", async () => {
    await using t = await project({ "a.ts": "" });
    writeFileSync(join(t.home.home, "outside.txt"), "private");
    symlinkSync(join(t.home.home, "outside.txt"), join(t.home.cwd, "link.txt"));
    symlinkSync(t.home.home, join(t.home.cwd, "folder"));
    for (const path of [
      join(t.home.home, "outside.txt"),
      join(t.home.home, "nothing.txt"),
      "../outside.txt",
      "link.txt",
      "folder/outside.txt",
      "folder/nothing.txt",
      "/etc/passwd",
      "a.ts/nothing",
      "x\0y",
    ])
      expect(await t.refusal(path), path).toMatch(/^MENTIONS_(OUTSIDE|NONE) /);
    expect(await t.refusal("link.txt")).toBe(
      "MENTIONS_OUTSIDE link.txt is not in this session's project. Only files of the project are shown.",
    );
  });

  it.each(["ask", "edits", "full"])(
    "shows neither what rules deny or ask about, nor git's own files, in mode %s",
    async (mode) => {
      const files = { "notes/plan.md": "secret plan", ".git/config": "[core]", "ask/it.txt": "x" };
      const config = { mode, deny: ["Read(notes/**)"], ask: ["Read(ask/**)"] };
      await using t = await project(files, config);
      symlinkSync("notes/plan.md", join(t.home.cwd, "innocent.txt"));
      for (const path of ["innocent.txt", "notes/plan.md", "notes/none.md", ".git/config", ".GIT/config", "ask/it.txt"])
        expect(await t.refusal(path), path).toMatch(/^MENTIONS_CLOSED /);
    },
  );

  it("says that a file does not exist, and that a folder is not a file", async () => {
    await using t = await project({ "src/a.ts": "" });
    expect(await t.refusal("src/b.ts")).toBe("MENTIONS_NONE There is no file src/b.ts in this project.");
    expect(await t.refusal("src")).toBe("MENTIONS_CLOSED src is not shown: it is no regular file.");
  });
});
