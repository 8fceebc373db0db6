import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import type { Invocation } from "@scorel/cli/contract";
import { add, update } from "../../../plugins/packages/commands/add.ts";
import { diff, remove } from "../../../plugins/packages/commands/installed.ts";
import { extensionInstaller, presetInstaller } from "../../../plugins/packages/commands/installer.ts";
import type { PackageLock } from "../../../plugins/packages/contract.ts";
import { createAsked } from "../../../presets/composition/asked.ts";
import { createExtensionStore, createPresetStore } from "../../../presets/composition/preset-store.ts";

const actions = { add, update, remove, diff };

/** A home to install into, and a folder with sources. HOME points to the home until it is disposed. */
export interface Shop extends Disposable {
  home: string;
  /** The working directory of the commands, with relative sources. */
  cwd: string;
  store: ReturnType<typeof createPresetStore>;
  /** Writes a file below `cwd`, or below the home with `~/`; returns its path. */
  file(path: string, content: string | Buffer): string;
  /** A small preset as a folder. */
  preset(name: string, files?: Record<string, string>): string;
  /** An extension as a folder, named by its id. */
  extension(id: string, files?: Record<string, string>): string;
  /** Runs one of `scorel preset`; returns its exit code or the code of its error, and its output. */
  run: Run;
  /** The same for `scorel plugin`. */
  plugin: Run;
  extensions: ReturnType<typeof createExtensionStore>;
  /** The content of presets.lock.json. */
  lock(): PackageLock;
  installed(path: string): string;
}

type Run = (
  action: keyof typeof actions,
  args: string[],
  options?: object,
  interrupt?: AbortSignal,
) => Promise<{ code: number | string; said: string }>;

export const guard = `
  export default { id: "guard", name: "Guard", version: "1.0.0",
    hooks: () => ({ async beforeToolCall() {} }),
  };`;

export function shop(env: Record<string, string> = {}): Shop {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "scorel-shop-")));
  const [home, cwd] = [join(root, "home"), join(root, "work")];
  for (const dir of [home, cwd]) mkdirSync(dir);
  const before = { HOME: process.env.HOME, USERPROFILE: process.env.USERPROFILE };
  Object.assign(process.env, { HOME: home, USERPROFILE: home });
  const asked = createAsked({ preset: "none", by: "--preset", cwd, trust: false, notify: () => {} });
  const store = createPresetStore(asked);
  const extensions = createExtensionStore(async () => undefined);
  const file = (path: string, content: string | Buffer) => {
    const full = path.startsWith("~/") ? join(home, path.slice(2)) : join(cwd, path);
    mkdirSync(dirname(full), { recursive: true, mode: 0o700 });
    for (let dir = dirname(full); dir !== root && dir.startsWith(root); dir = dirname(dir)) chmodSync(dir, 0o700);
    writeFileSync(full, content);
    return full;
  };
  const runner =
    (installer: Parameters<typeof add>[0]): Run =>
    async (action, args, options = { yes: true }, interrupt = new AbortController().signal) => {
      const stdout = new PassThrough();
      const stream = stdout as unknown as NodeJS.WriteStream;
      const stdin = new PassThrough() as unknown as NodeJS.ReadStream;
      const invocation: Invocation = {
        args,
        options: { ...options },
        cwd,
        env: { PATH: process.env.PATH, HOME: home, TMPDIR: tmpdir(), ...env },
        stdin,
        stdout: stream,
        stderr: stream,
        interrupt,
      };
      try {
        const code = await actions[action](installer, invocation);
        return { code, said: String(stdout.read() ?? "") };
      } catch (thrown) {
        const { code, message, stack } = thrown as Error & { code?: string };
        return { code: code ?? String(stack), said: `${stdout.read() ?? ""}${message}` };
      }
    };
  return {
    home,
    cwd,
    store,
    file,
    preset(name, files = {}) {
      const all = { "preset.toml": 'description = "ours"\n', "extensions/guard.js": guard, ...files };
      for (const [path, content] of Object.entries(all)) file(`${name}/${path}`, content);
      return join(cwd, name);
    },
    extension(id, files = {}) {
      const source = `export default { id: "${id}", name: "${id}", version: "1.0.0", tools: () => [] };\n`;
      for (const [path, content] of Object.entries({ "index.mjs": source, ...files })) file(`${id}/${path}`, content);
      return join(cwd, id);
    },
    run: runner(presetInstaller(store)),
    plugin: runner(extensionInstaller(extensions)),
    extensions,
    lock: () => JSON.parse(readFileSync(join(home, ".scorel/presets/presets.lock.json"), "utf8")).presets,
    installed: (path) => readFileSync(join(home, ".scorel/presets", path), "utf8"),
    [Symbol.dispose]() {
      for (const [name, value] of Object.entries(before))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      rmSync(root, { recursive: true, force: true });
    },
  };
}
