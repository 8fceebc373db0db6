import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { definePlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { echoAgent } from "../host/home.ts";
import { type Desk, desk } from "./desk.ts";
import { lines } from "./peers.ts";

/** Replaces the plugin `model`, and knows only keys. */
const keys = definePlugin({
  id: "keys",
  name: "Keys",
  version: "1.0.0",
  provides: ["secrets"],
  activate: (ctx) =>
    ctx.provide("secrets", { redact: (text: string) => text.replaceAll("hunter2-hunter2", "[redacted]") } as never),
});

const [BEGIN, END] = ["BEGIN", "END"].map((word) => `-----${word} OPENSSH PRIVATE KEY-----`) as [string, string];

async function talked(t: Desk, words = "Hello"): Promise<string> {
  const { sessionId } = await t.client.request("create_session", { cwd: t.home.cwd, name: "Talk: one" });
  const { id } = await t.client.request("send_message", { sessionId, content: words });
  await t.client.request("wait_turn", { sessionId, id });
  return sessionId;
}

/** Milliseconds that some work takes, and the longest time of it in which the event loop could do nothing else. */
async function pausesDuring(work: () => Promise<unknown>): Promise<{ longest: number; whole: number }> {
  const began = performance.now();
  let [longest, last] = [0, began];
  const look = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const ended = new AbortController();
  const next = () => {
    look();
    if (!ended.signal.aborted) setImmediate(next);
  };
  setImmediate(next);
  await work();
  ended.abort();
  look();
  return { longest, whole: last - began };
}

describe("an exported file", () => {
  it("is readable only by its owner, is written whole, and replaces another only on request", async () => {
    await using t = await desk();
    const sessionId = await talked(t);
    const file = join(t.home.cwd, "talk.html");
    const ask = (force?: boolean) =>
      t.client.request("export_session", { sessionId, format: "html", file, ...(force && { force }) });
    const { bytes } = await ask();
    expect(statSync(file)).toMatchObject({ size: bytes, mode: 0o100600 });
    writeFileSync(file, "mine");
    await expect(ask()).rejects.toMatchObject({ code: "TRANSFER_EXISTS" });
    expect(readFileSync(file, "utf8")).toBe("mine");
    await ask(true);
    expect(readFileSync(file, "utf8")).toMatch(/^<!doctype html>.*<\/html>\n$/s);
    expect(readdirSync(t.home.cwd)).toEqual(["talk.html"]);
  });

  it("is not written through a link, not even a dangling one", async () => {
    await using t = await desk();
    const sessionId = await talked(t);
    const [target, link, dangling] = ["target", "link", "dangling"].map((name) => join(t.home.cwd, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(target, "theirs");
    symlinkSync(target, link);
    symlinkSync(join(t.home.cwd, "made"), dangling);
    for (const file of [link, dangling])
      await expect(t.client.request("export_session", { sessionId, format: "md", file })).rejects.toMatchObject({
        code: "TRANSFER_EXISTS",
      });
    await t.client.request("export_session", { sessionId, format: "md", file: link, force: true });
    expect([readFileSync(target, "utf8"), existsSync(join(t.home.cwd, "made"))]).toEqual(["theirs", false]);
    expect(statSync(link).isFile()).toBe(true);
  });

  it("is refused where it cannot be written, and nothing is left behind", async () => {
    await using t = await desk();
    const sessionId = await talked(t);
    const folder = join(t.home.cwd, "folder");
    mkdirSync(folder);
    const file = join(t.home.cwd, "file");
    writeFileSync(file, "");
    const long = join(t.home.cwd, `${"a".repeat(300)}.md`);
    for (const path of [folder, join(t.home.cwd, "none", "a.md"), join(file, "a.md"), long, "relative.md"])
      for (const force of path === folder ? [true] : [true, false])
        await expect(
          t.client.request("export_session", { sessionId, format: "md", file: path, force }),
        ).rejects.toMatchObject({ code: "TRANSFER_FILE" });
    expect(readdirSync(t.home.cwd).sort()).toEqual(["file", "folder"]);
  });

  it.each(["md", "html", "jsonl"] as const)(
    "holds no known secret as %s, and as a page nothing that looks like a key",
    async (format) => {
      await using t = await desk([echoAgent, keys]);
      const sessionId = await talked(t, `It is hunter2-hunter2 and ${["sk", "ant", "k".repeat(40)].join("-")}.`);
      const { content = "" } = await t.client.request("export_session", { sessionId, format });
      expect(content).toContain("It is [redacted] and ");
      expect(content).not.toContain("hunter2");
      expect(content.includes("sk-ant-")).toBe(format === "jsonl");
    },
  );

  it("holds no key of a service and no private key, also with line numbers, as a page", async () => {
    await using t = await desk();
    const services = [
      ["ASIA", "K".repeat(16)].join(""),
      ["sk", "test", "k".repeat(24)].join("_"),
      ["xapp", "1", "k".repeat(24)].join("-"),
      ["csk", "k".repeat(40)].join("-"),
    ];
    const pem = [BEGIN, ...Array<string>(40).fill("k".repeat(70)), END];
    const numbered = pem.map((line, at) => `${at + 1}\t${line}`);
    const words = `Keys: ${services.join(" ")}\n${pem.join("\n")}\n${numbered.join("\n")}\nA file begins with ${BEGIN}`;
    const sessionId = await talked(t, words);
    const { content = "" } = await t.client.request("export_session", { sessionId, format: "md" });
    const kept = "Keys: [redacted] [redacted] [redacted] [redacted]\n[redacted]\n1\t[redacted]\nA file begins with ";
    expect(content).toContain(`${kept}${BEGIN}`);
    expect(content).not.toMatch(/k{16}/i);
  });

  it.each([
    ["cut off", (lines: string[]) => lines.join("\n")],
    ["cut off, in a diff", (lines: string[]) => lines.map((line) => `+${line}\r`).join("\n")],
    ["cut off, with line numbers", (lines: string[]) => lines.map((line, at) => `${at + 1}\t${line}`).join("\n")],
    ["cut off, on one line", (lines: string[]) => `KEY="${lines.join("\\n")}`],
    ["very long", (lines: string[]) => [...lines, ...Array<string>(200).fill("k".repeat(64)), END].join("\n")],
  ])("holds no private key that is %s, as a page", async (_name, written) => {
    await using t = await desk();
    const words = written([BEGIN, ...Array<string>(4).fill("k".repeat(64))]);
    const sessionId = await talked(t, `${words}\nThat was it.`);
    const { content = "" } = await t.client.request("export_session", { sessionId, format: "md" });
    expect(content).toContain("[redacted]");
    expect(content).toContain("That was it.");
    expect(content).not.toMatch(/k{16}/);
  });

  it("has no part of a key in its title, which is the beginning of a message", async () => {
    await using t = await desk([echoAgent, keys]);
    const { sessionId } = await t.client.request("create_session", { cwd: t.home.cwd });
    const words = `${"Log in, please. ".repeat(4)}${["ghp", "k".repeat(36)].join("_")} is my key.`;
    const { id } = await t.client.request("send_message", { sessionId, content: words });
    await t.client.request("wait_turn", { sessionId, id });
    const { content = "" } = await t.client.request("export_session", { sessionId, format: "md" });
    expect(content.match(/^title: .*$/m)?.[0]).toBe(`title: "${"Log in, please. ".repeat(4)}[redacted] is my"`);
    expect(content).not.toContain("ghp_");
  });

  it("is Markdown with a fence around an output that has very many itself", async () => {
    await using t = await desk();
    const output = "```\n".repeat(200_000);
    const call = { type: "toolCall", id: "a", name: "Print", arguments: {} };
    const result = {
      role: "toolResult",
      toolCallId: "a",
      toolName: "Print",
      content: [{ type: "text", text: output }],
    };
    const messages = [{ role: "user", content: "Print." }, { role: "assistant", content: [call] }, result];
    const { report } = await t.import(
      lines({ type: "session", id: "x" }, ...messages.map((message) => ({ type: "message", message }))),
    );
    const { content = "" } = await t.client.request("export_session", { sessionId: report.sessionId, format: "md" });
    expect(content.endsWith(`\n\`\`\`\`\n${output}\n\`\`\`\`\n`)).toBe(true);
  });

  it.each(["md", "html", "jsonl"] as const)("is written as %s while the host does other work, too", async (format) => {
    await using t = await desk();
    const messages = Array.from({ length: 10_000 }, (_, n) => ({ role: "user", content: `Message ${n}` }));
    const { report } = await t.import(
      lines({ type: "session", id: "x" }, ...messages.map((message) => ({ type: "message", message }))),
    );
    const file = join(t.home.cwd, `talk.${format}`);
    const { longest, whole } = await pausesDuring(() =>
      t.client.request("export_session", { sessionId: report.sessionId, format, file }),
    );
    expect(longest).toBeLessThan(whole / 2);
  });

  it("is Markdown that starts with the session's details", async () => {
    await using t = await desk();
    const sessionId = await talked(t, "Hello\n```\nx");
    const { content = "" } = await t.client.request("export_session", { sessionId, format: "md" });
    expect(content.replace(/\d{4}-\d\d-\d\d [\d:]+Z/g, "<time>")).toBe(`---
id: "${sessionId}"
title: "Talk: one"
model: "test/echo"
created: "<time>"
updated: "<time>"
---

# Talk: one

## User

*<time>*

Hello
\`\`\`
x

## Assistant

*<time>*

echo: Hello
\`\`\`
x
`);
  });
});

describe("/export", () => {
  it("writes nothing for a client whose scope does not include the operation", async () => {
    await using t = await desk();
    const sessionId = await talked(t);
    const exportBy = (...operations: string[]) =>
      t
        .connect({ clientId: "limited", scope: { operations: ["run_command", "get_status", ...operations] } })
        .request("run_command", { sessionId, name: "export", args: "talk.md" });
    await expect(exportBy()).rejects.toMatchObject({
      code: "HOST_FORBIDDEN",
      message: expect.stringContaining('"export_session"'),
    });
    expect(readdirSync(t.home.cwd)).toEqual([]);
    await exportBy("export_session");
    expect(readdirSync(t.home.cwd)).toEqual(["talk.md"]);
  });

  it("writes the conversation into the working directory, under a new name or the given one", async () => {
    await using t = await desk();
    const sessionId = await talked(t);
    const run = async (args: string) =>
      (await t.client.request("run_command", { sessionId, name: "export", args })).output;
    expect(await run("")).toMatch(
      new RegExp(
        `^The conversation is in ${t.home.cwd}/scorel-${sessionId.slice(0, 8)}-[\\d-]+\\.html \\(\\d+ bytes\\)\\.$`,
      ),
    );
    expect(await run("md")).toMatch(/\.md \(\d+ bytes\)\.$/);
    expect(await run("talk.jsonl")).toContain(`${t.home.cwd}/talk.jsonl`);
    expect(await run("~/talk.md")).toContain(`${t.home.home}/talk.md`);
    expect(await run("html my talk.page")).toContain(`${t.home.cwd}/my talk.page`);
    expect(readFileSync(join(t.home.cwd, "my talk.page"), "utf8")).toContain("<!doctype html>");
    expect(await run("notes")).toContain(`${t.home.cwd}/notes.html`);
    expect(await run("md notes")).toContain(`${t.home.cwd}/notes.md`);
    for (const unknown of ["json", "PDF", "talk.txt"])
      await expect(run(unknown)).rejects.toMatchObject({ code: "TRANSFER_ENDING" });
    await expect(run("talk.jsonl")).rejects.toMatchObject({ code: "TRANSFER_EXISTS" });
    await expect(run("none/talk.md")).rejects.toMatchObject({
      code: "TRANSFER_FILE",
      data: { reason: "its folder does not exist" },
    });
    expect(await run("talk.jsonl --force")).toContain("/talk.jsonl (");
    expect(await t.client.request("complete_command", { sessionId, line: "/export h" })).toMatchObject({
      values: ["html"],
    });
    const { commands } = await t.client.request("list_commands", { sessionId });
    expect(commands.find(({ name }) => name === "export")).toMatchObject({
      plugin: "transfer",
      usage: "/export [format] [file] [--force]",
    });
  });
});
