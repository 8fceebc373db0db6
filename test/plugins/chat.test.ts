import { once } from "node:events";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import chatPlugin from "@scorel/chat";
import type { Invocation } from "@scorel/cli/contract";
import { createKernel, definePlugin, ScorelError, type Services } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import type { LocalModel } from "@scorel/model/contract";
import type {} from "@scorel/models/contract";
import projects from "@scorel/projects";
import requestsPlugin from "@scorel/requests";
import { describe, expect, it } from "vitest";
import { linesOf } from "../../plugins/chat/pipe.ts";
import { testHeader } from "../harness.ts";
import { fc } from "../property.ts";
import { ask, echoAgent, type TestHome, type TestHost, testHome, testHost } from "./host/home.ts";

describe("a conversation in a terminal", () => {
  it("prints answers, and how to resume the session", async () => {
    await using t = await terminal([echoAgent]);
    t.type("hello\n");
    await t.shows("echo: hello");
    t.type("/exit\n");
    expect(await t.code).toBe(0);
    const screen = t.screen();
    const id = /^New session (\w+)/.exec(screen)?.[1];
    expect(screen).toContain(`To continue: scorel --session ${id}`);
  });

  it("asks for the new place of a moved session directory, and continues there", async () => {
    await using t = await terminal([echoAgent], undefined, async ({ client }, { cwd, home }) => {
      const { sessionId } = await client.request("create_session", { cwd });
      await ask(client, sessionId, "hello");
      await client.request("close_session", { sessionId });
      renameSync(cwd, join(home, "moved"));
      return { session: sessionId };
    });
    await t.shows("which is gone. Where is it now?");
    t.type("moved\n");
    await t.shows("/help");
    t.type("again\n");
    await t.shows("echo: again");
    t.type("/exit\n");
    expect(await t.code).toBe(0);
  });

  it("runs slash commands of plugins, and refuses unknown ones by name", async () => {
    const mine = definePlugin({
      id: "mine",
      name: "Mine",
      version: "1.0.0",
      commands: () => ({ shout: { description: "Say it loud", run: (args) => args.toUpperCase() } }),
    });
    await using t = await terminal([echoAgent, mine]);
    t.type("/help\n");
    await t.shows("Say it loud");
    expect(t.screen()).toMatch(/^ {2}\/shout +Say it loud$/m);
    t.type("/shout hi there\n");
    await t.shows("HI THERE");
    t.type("/nope\n");
    await t.shows('no command "/nope"');
    t.type("/etc/passwd is a path\n");
    await t.shows("echo: /etc/passwd is a path");
    t.end();
    expect(await t.code).toBe(0);
  });

  it("removes escape sequences from a model's output", async () => {
    await using t = await terminal([echoAgent]);
    t.type("\u001b]0;title\u0007\u001b[2J\u001b[31mred\u009b1m\n");
    await t.shows("echo: red");
    t.end();
    await t.code;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(t.screen()).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });
});

describe("a question of a plugin", () => {
  const asking = (kind: "select" | "confirm" | "input") =>
    definePlugin({
      id: "asking",
      name: "Asking",
      version: "1.0.0",
      needs: ["requests"],
      commands: (ctx) => ({
        ask: {
          run: () => {
            const options = [
              { value: "y", label: "yes", message: "go on" },
              { value: "n", label: "no" },
            ];
            const body = [{ display: "notice" as const, level: "info" as const, text: "$ rm \u001b[2Jx" }];
            const question = { kind, title: "Well?", body, ...(kind === "select" && { options }) };
            void ctx.requests.ask(question).then(({ answer, reason }) =>
              ctx.session.append("message", {
                message: { role: "internal", content: `got ${answer}, ${reason}`, timestamp: 1 },
              }),
            );
          },
        },
      }),
    });

  it("takes the next valid line as its answer, with an optional reason", async () => {
    await using t = await terminal([echoAgent, requestsPlugin, asking("confirm")]);
    t.type("/ask\n");
    await t.shows("Well? (asking)\n    $ rm \\u{1b}[2Jx\n  y = yes\n  n = no\n[y, n] ");
    t.type("perhaps\n");
    await t.shows("Please answer y, n (Ctrl-C cancels).\n");
    t.type("n too late today\n");
    await t.shows("got n, too late today");
    t.end();
    expect(await t.code).toBe(0);
  });

  it("may send a message in the user's name", async () => {
    await using t = await terminal([echoAgent, requestsPlugin, asking("select")]);
    t.type("/ask\n");
    await t.shows("[y, n] ");
    t.type("y\n");
    await t.shows("echo: go on");
    t.end();
    expect(await t.code).toBe(0);
  });

  it("accepts any line when it asks for text", async () => {
    await using t = await terminal([echoAgent, requestsPlugin, asking("input")]);
    t.type("/ask\n");
    await t.shows("[type the answer]");
    t.type("two words\n");
    await t.shows("got two words, undefined");
    t.end();
    expect(await t.code).toBe(0);
  });
});

describe("a terminal without a model", () => {
  const ollama = { provider: "ollama", server: "Ollama", baseUrl: "http://127.0.0.1:11434/v1", contextWindow: 8000 };
  const local = [
    { ...ollama, id: "qwen3:8b" },
    { ...ollama, id: "gemma" },
  ];

  it("can use a server that runs on this machine", async () => {
    await using t = await terminal([echoAgent, modelIfAsked], local);
    await t.shows("Use ollama/qwen3:8b for now? [y/N]");
    expect(t.screen()).toContain("scorel --model ollama/gemma");
    t.type("y\n");
    await t.shows("ollama/qwen3:8b · /help");
    t.type("/exit\n");
    expect(await t.code).toBe(0);
  });

  it("can use the offline demonstration instead, or neither", async () => {
    await using t = await terminal([echoAgent, modelIfAsked], local);
    await t.shows("Use ollama/qwen3:8b for now?");
    t.type("n\n");
    await t.shows("Try the offline demonstration model for now?");
    t.type("what\n");
    await t.shows("Please answer y or n (Enter: no).");
    await t.shows("Try the offline demonstration model for now? [y/N] ");
    t.type("\n");
    expect(await t.code).toBe(2);
  });

  it("does not offer servers that are not running", async () => {
    await using t = await terminal([echoAgent, modelIfAsked], []);
    await t.shows("Try the offline demonstration model for now?");
    expect(t.screen()).not.toContain("runs on this machine");
    t.type("\n");
    expect(await t.code).toBe(2);
  });
});

describe("lines of a stream", () => {
  it("take linear time, however many chunks a line comes in", async () => {
    const chunks = Array.from({ length: 2 ** 15 }, () => "x".repeat(2 ** 10));
    const lengths: number[] = [];
    for await (const line of linesOf(Readable.from(chunks))) lengths.push(line.length);
    expect(lengths).toEqual([2 ** 25]);
  });

  it("are the same for any chunks, and end only at a newline", async () => {
    const text = fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\n", "\r\n", "\u2028", "é", "🙂")));
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), async (parts, sizes) => {
        const bytes = Buffer.from(parts.join(""));
        const lines: string[] = [];
        for await (const line of linesOf(cut(bytes, sizes))) lines.push(line);
        const expected = bytes.toString().replace(/\n$/, "").split("\n");
        const ended = bytes.toString().endsWith("\n");
        const trimmed = expected.map((line, index) =>
          ended || index < expected.length - 1 ? line.replace(/\r$/, "") : line,
        );
        expect(lines).toEqual(bytes.length === 0 ? [] : trimmed);
      }),
    );
  });
});

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] as number;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** A person at a terminal, connected to a host whose sessions have these plugins. */
async function terminal(
  plugins: Parameters<typeof testHost>[0],
  local?: LocalModel[],
  before: (t: TestHost, home: TestHome) => Promise<Record<string, unknown>> = async () => ({}),
) {
  const home = testHome();
  const t = await testHost(plugins, [], [projects]);
  const options = await before(t, home);
  const kernel = await createKernel({
    entries: [{ plugin: chatPlugin, origin: "test" }],
    store: createMemoryStore(testHeader),
    services: {
      host: t.host,
      sessionOptions: t.kernel.find("sessionOptions") as Services["sessionOptions"],
      models: { local: async () => local ?? [] } as unknown as Services["models"],
    },
  });
  const [stdin, stdout] = [new PassThrough(), new PassThrough().setEncoding("utf8")];
  const interrupt = new AbortController();
  let screen = "";
  stdout.on("data", (text: string) => {
    screen += text;
  });
  const invocation = { args: [], options, cwd: home.home, env: {}, stderr: stdout, interrupt: interrupt.signal };
  const streams = {
    stdin: Object.assign(stdin, { isTTY: true }),
    stdout: local ? Object.assign(stdout, { isTTY: true }) : stdout,
  } as never as Pick<Invocation, "stdin" | "stdout">;
  const code = kernel.find("chat")?.run({ ...invocation, ...streams } as never as Invocation);
  return {
    code,
    screen: () => screen,
    type: (text: string) => void stdin.write(text),
    end: () => void stdin.end(),
    interrupt: () => interrupt.abort(),
    shows: async (text: string) => {
      while (!screen.includes(text)) await once(stdout, "data");
    },
    [Symbol.asyncDispose]: async () => {
      stdin.end();
      await code;
      await kernel.stop();
      await t[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

/** A model plugin that has a model only when one is requested by name. */
const modelIfAsked = definePlugin({
  id: "model",
  name: "Model",
  version: "1.0.0",
  provides: ["model"],
  activate(ctx) {
    const name = ctx.find("workspace")?.model;
    const current = () => {
      if (name === undefined) throw new ScorelError("MODEL_NONE", "No model configured.");
      const [provider, id] = name.split("/");
      return { provider, id };
    };
    ctx.provide("model", { current } as never);
  },
});
