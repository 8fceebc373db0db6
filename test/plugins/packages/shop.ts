import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import type { Invocation } from "@scorel/cli/contract";
import { add, update } from "../../../plugins/packages/commands/add.ts";
import { diff, remove } from "../../../plugins/packages/commands/installed.ts";
import type { PresetLock } from "../../../plugins/packages/contract.ts";
import { createAsked } from "../../../presets/composition/asked.ts";
import { createPresetStore } from "../../../presets/composition/preset-store.ts";

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
  /** Runs one of the commands; returns its exit code or the code of its error, and its output. */
  run(
    action: keyof typeof actions,
    args: string[],
    options?: object,
    interrupt?: AbortSignal,
  ): Promise<{ code: number | string; said: string }>;
  /** The content of presets.lock.json. */
  lock(): PresetLock["presets"];
  installed(path: string): string;
}

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
  const file = (path: string, content: string | Buffer) => {
    const full = path.startsWith("~/") ? join(home, path.slice(2)) : join(cwd, path);
    mkdirSync(dirname(full), { recursive: true, mode: 0o700 });
    for (let dir = dirname(full); dir !== root && dir.startsWith(root); dir = dirname(dir)) chmodSync(dir, 0o700);
    writeFileSync(full, content);
    return full;
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
    async run(action, args, options = { yes: true }, interrupt = new AbortController().signal) {
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
        const code = await actions[action](store, invocation);
        return { code, said: String(stdout.read() ?? "") };
      } catch (thrown) {
        const { code, message, stack } = thrown as Error & { code?: string };
        return { code: code ?? String(stack), said: `${stdout.read() ?? ""}${message}` };
      }
    },
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
