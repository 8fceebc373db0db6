import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { text } from "../model-server.ts";
import { spawnModelServer } from "../model-server-process.ts";
import { brokenLinks } from "../readme-links.ts";
import { type Scratch, scratch } from "./scorel.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const readme = readFileSync(join(root, "plugins/host/client/README.md"), "utf8");

let s: Scratch;
/** A folder outside of the repository in which only the packed client is installed. */
let folder: string;

beforeAll(() => {
  s = scratch();
  folder = join(s.project, "program");
  mkdirSync(folder);
  run("npm", ["--silent", "run", "pack:host", folder], root);
  writeFileSync(join(folder, "package.json"), '{ "name": "program", "version": "1.0.0", "type": "module" }');
  const [tarball = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  const install = ["install", "--offline", "--ignore-scripts", "--cache", join(s.home, "npm-cache"), `./${tarball}`];
  run("npm", install, folder);
});
afterAll(() => s[Symbol.dispose]());

function run(command: string, args: readonly string[], cwd: string): string {
  const env = { PATH: process.env.PATH, HOME: s.home, LANG: "C.UTF-8", npm_config_update_notifier: "false" };
  return execFileSync(command, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Runs a program in the folder without blocking this process; returns its stdout. */
async function program(name: string, code: string, args: readonly string[]): Promise<string> {
  writeFileSync(join(folder, name), code);
  const env = { PATH: process.env.PATH, HOME: s.home };
  return (await promisify(execFile)(process.execPath, [name, ...args], { cwd: folder, env })).stdout;
}

it("has a README whose links lead somewhere", () => {
  expect(brokenLinks(join(folder, "node_modules/@scorel/host"))).toEqual([]);
});

it("lets programs outside of the repository use a session, over a Unix socket and over WebSocket", async () => {
  await using server = await spawnModelServer([
    [text("words ", 1), text("of a model")],
    [text("second")],
    [text("third")],
  ]);
  s.useModel(server.baseUrl);
  const host = s.start(["host", "serve", "--foreground", "--preset", "none", "--port", "0"]);
  const web = await host.line((line) => line.startsWith("web: "));
  const address = /http:\S+/.exec(web)?.[0] as string;
  const [code = ""] = /(?<=```js\n)[\s\S]*?(?=```)/.exec(readme) ?? [];
  expect(await program("readme.mjs", code, ["hello"])).toMatch(
    /^words of a model\ncompleted: \d+ rows, model scripted\/scripted-model\n$/,
  );
  const tokenFile = join(s.home, ".scorel/host/owner.token");
  const overSocket = code.replaceAll("dialLocalHost", "dialHost");
  const headed = overSocket.replace(
    "dial: dialHost",
    `dial: () => dialHost("${address}", { tokenFile: "${tokenFile}" })`,
  );
  expect(await program("headed.mjs", headed, ["hello"])).toContain("second\ncompleted");
  // Like in a browser, with the platform's WebSocket, which cannot set headers: the token is sent in the first message.
  const platform = code
    .replace("dialLocalHost,", "dialWebSocket,")
    .replace("dial: dialLocalHost", `token: () => token, dial: () => dialWebSocket("${address}", make)`)
    .replace("client/node", "client");
  const given = `import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const { WebSocket } = createRequire(${JSON.stringify(join(root, "plugins/ws/package.json"))})("ws");
const make = (url) => new WebSocket(url);
const token = readFileSync("${tokenFile}", "utf8").trim();
`;
  expect(await program("browser-like.mjs", given + platform, ["hello"])).toContain("third\ncompleted");
  host.child.kill("SIGTERM");
  await host.finished;
});

it("has types without any settings, for the operations of all plugins", () => {
  const code = (mode: string) => `import { connectHost, dialLocalHost, followSession } from "@scorel/host/client/node";
const client = await connectHost({ dial: dialLocalHost, version: "1.0.0" });
const { mode } = await client.request("set_permission", { sessionId: "s", mode: ${mode} });
const view = await followSession(client, mode);
view.subscribe((change) => void (change.kind === "text" ? change.delta.length : change.kind));
const model: string | undefined = view.status.model;
export default [model, view.rows[0]?.display.display];
`;
  const compiler = join(
    dirname(createRequire(join(root, "package.json")).resolve("typescript/package.json")),
    "bin/tsc",
  );
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2023"];
  const check = () => run(process.execPath, [compiler, ...options, "typed.mts"], folder);
  writeFileSync(join(folder, "typed.mts"), code('"edits"'));
  expect(check()).toBe("");
  writeFileSync(join(folder, "typed.mts"), code('"everything"'));
  expect(check).toThrow(expect.objectContaining({ stdout: expect.stringContaining('"everything"') }));
});

it("can be bundled for a browser, and needs nothing of Node", async () => {
  const bundle = (module: string) =>
    build({
      stdin: { contents: `export * from "${module}"`, resolveDir: folder },
      bundle: true,
      minify: true,
      format: "esm",
      platform: "browser",
      write: false,
      logLevel: "silent",
    });
  const { outputFiles } = await bundle("@scorel/host/client");
  const code = outputFiles[0]?.text ?? "";
  expect(code).not.toMatch(/\brequire\(|node:|process\.|Buffer\./);
  expect(code.length).toBeLessThan(61_000);
  await expect(bundle("@scorel/host/client/node")).rejects.toThrow('Could not resolve "node:');
});
