import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { terminal } from "../e2e/pty.ts";
import { records, type Scratch, scratch } from "../e2e/scorel.ts";
import { eventually } from "../eventually.ts";
import { FaultProxy } from "../fault-proxy.ts";
import { text } from "../model-server.ts";
import { spawnModelServer } from "../model-server-process.ts";
import { itWith } from "../optional.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const guide = readFileSync(join(root, "docs/guide/many-clients.md"), "utf8");
const blocks = (kind: string) =>
  Array.from(guide.matchAll(new RegExp(`^\`\`\`${kind}\n([\\s\\S]*?)^\`\`\`$`, "gm")), ([, block = ""]) => block);
const [serve = "", replace = "", stop = ""] = blocks("sh");
const [script = "", tokens = ""] = blocks("bash");
const [program = ""] = blocks("js");
/** The messages in the guide, in the order in which the program prints them. */
const said = [
  ...new Set(
    blocks("text")
      .join("")
      .match(/^(user|assistant): .*$/gm),
  ),
];
const answers = said.flatMap((line) => /^assistant: (.*)$/.exec(line)?.[1] ?? []);
const questions = said.flatMap((line) => /^user: (.*)$/.exec(line)?.[1] ?? []);

/** A port that is not in use. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Runs a block of the guide in a shell with `scorel` on its PATH. */
function shell(s: Scratch, command: string, port: number): string {
  const shim = join(s.home, "bin/scorel");
  mkdirSync(join(s.home, "bin"), { recursive: true });
  writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist/bin.js")}" "$@"\n`);
  chmodSync(shim, 0o755);
  const env = { PATH: `${join(s.home, "bin")}:${process.env.PATH}`, HOME: s.home, LANG: "C.UTF-8" };
  const code = `exec 2>&1\n${command.replaceAll("7777", String(port))}`;
  return spawnSync("sh", ["-c", code], { cwd: s.project, env, encoding: "utf8" }).stdout;
}

/** Installs the packed client in a folder. Returns a function that runs a program there. */
function installClient(s: Scratch) {
  const folder = join(s.home, "program");
  mkdirSync(folder);
  const env = { PATH: process.env.PATH, HOME: s.home, npm_config_update_notifier: "false" };
  const npm = (args: string[], cwd: string) => execFileSync("npm", args, { cwd, env, stdio: "ignore" });
  npm(["--silent", "run", "pack:host", folder], root);
  writeFileSync(join(folder, "package.json"), '{ "name": "program", "version": "1.0.0", "type": "module" }');
  const [tarball = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  npm(["install", "--offline", "--ignore-scripts", "--cache", join(s.home, "npm-cache"), `./${tarball}`], folder);
  return (code: string) => {
    writeFileSync(join(folder, "watch.mjs"), code);
    const child = spawn(process.execPath, ["watch.mjs"], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
    let printed = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      printed += chunk;
    });
    return { printed: () => printed, child };
  };
}

/** The messages of the only session. */
function conversation(s: Scratch): string[] {
  const [log = ""] = s.logs();
  return records(log).flatMap(({ type, message }) => {
    if (type !== "message") return [];
    const { role, content } = message as { role: string; content: string | { text?: string }[] };
    const words = typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
    return [`${role}: ${words}`];
  });
}

itWith(
  "script",
  "the guide to many clients is true: two terminals, a script and a program, a restart and a cut",
  async () => {
    using s = scratch();
    const more = "Still here.";
    await using server = await spawnModelServer([...answers, more].map((answer) => text(answer, 3)));
    s.useModel(server.baseUrl);
    const port = await freePort();
    const children: ChildProcess[] = [];
    const watch = installClient(s);
    expect(shell(s, serve, port)).toMatch(
      /^The host runs now \(process \d+\)\.\nsocket: .*\nweb: http:.*\nws: ws:.*\n$/,
    );
    try {
      await using one = terminal(s);
      await one.shows("New session");
      await one.shows("> ");
      one.type(`${questions[0]}\r`);
      await one.shows(answers[0] as string);
      await using two = terminal(s, ["attach"]);
      await two.shows(`terminal> ${questions[0]}`);
      await two.shows(answers[0] as string);
      await two.shows("(also here: terminal; you are terminal-2)");
      two.type(`${questions[1]}\r`);
      await two.shows(answers[1] as string);
      await one.shows(answers[1] as string);
      const streamed = shell(s, script, port);
      expect(streamed).toContain('{"status":"started","id":');
      for (const answer of answers.slice(0, 3)) expect(streamed).toContain(answer);
      for (const each of [one, two]) await each.shows(answers[2] as string);
      const plain = (text: string) =>
        text.replaceAll(/(\/\S+)(?=\/\.scorel)/g, "HOME").replaceAll(/since \S+/g, "since T");
      const shown = blocks("text").find((block) => block.startsWith('The token "phone"')) as string;
      expect(plain(shell(s, tokens, port))).toBe(plain(shown));

      const watching = watch(program.replace("7777", String(port)));
      children.push(watching.child);
      await eventually(() => expect(watching.printed()).toBe(`${said.slice(0, 6).join("\n")}\n`));
      expect(shell(s, replace, port)).toContain("The host runs now");
      await eventually(() => expect(watching.printed()).toContain("(reconnecting)\n(live)\n"));
      one.type(`${questions[3]}\r`);
      for (const each of [one, two]) await each.shows(answers[3] as string);
      await eventually(() =>
        expect(watching.printed()).toBe(
          [...said.slice(0, 6), "(reconnecting)", "(live)", ...said.slice(6), ""].join("\n"),
        ),
      );

      // A proxy simulates the network between another program and the host.
      const status = JSON.parse((await s.run(["host", "status", "--json"])).stdout);
      const path = status.state.addresses.find((each: { transport: string }) => each.transport === "socket").address;
      await using proxy = new FaultProxy({ path });
      const network = join(s.home, "network.sock");
      await proxy.listen(network);
      const afar = watch(
        program.replaceAll(/dialHost\("[^)]*\)/g, `dialUnixSocket("${network}")`).replace("dialHost", "dialUnixSocket"),
      );
      children.push(afar.child);
      await eventually(() => expect(afar.printed()).toBe(`${said.join("\n")}\n`));
      proxy.cut();
      two.type("More?\r");
      await one.shows(more);
      const lines = [...said, "(reconnecting)", "(live)", "user: More?", `assistant: ${more}`];
      await eventually(() => expect(afar.printed().trimEnd().split("\n").toSorted()).toEqual(lines.toSorted()));
      expect(conversation(s)).toEqual([...said, "user: More?", `assistant: ${more}`]);
      one.type("/exit\r");
      two.type("/exit\r");
      expect([await one.code, await two.code]).toEqual([0, 0]);
    } finally {
      for (const child of children) child.kill();
      expect(shell(s, stop, port)).toMatch(/^The host \(process \d+\) has stopped\.\n$/);
    }
  },
);
