import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTemporaryFolder } from "@scorel/kit/files/temporary";
import { findProgram, ownPath } from "@scorel/kit/process/programs";
import { isSecret } from "@scorel/kit/text/secret-free";
import { errors } from "../errors.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Editors that are tried when the environment names none. */
const USUAL = ["nano", "vim", "vi"];

/** The command line of the user's editor: $VISUAL, else $EDITOR, else one that is installed. Throws TERMINAL_NO_EDITOR. */
export function editorOf(env: Env): string {
  const named = [env.VISUAL, env.EDITOR].find((command) => command !== undefined && command.trim() !== "");
  const usual = () => USUAL.find((name) => findProgram(name, ownPath(env.PATH)) !== undefined);
  const editor = named ?? usual();
  if (editor === undefined) throw errors.TERMINAL_NO_EDITOR();
  return editor;
}

/**
 * Opens text in the user's editor, which has the terminal until it ends, and returns the text as saved. Its file is in a folder that only
 * this user can enter, and is removed afterwards. Throws TERMINAL_EDITOR when the editor fails.
 */
export async function editInEditor(text: string, env: Env): Promise<string> {
  const editor = editorOf(env);
  const folder = makeTemporaryFolder("scorel-prompt-");
  const path = join(folder, "prompt.md");
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
    await run(editor, path, env);
    // Editors end a file with a line end that nobody has typed.
    const saved = readFileSync(path, "utf8").replace(/\r\n/g, "\n");
    return text.endsWith("\n") ? saved : saved.replace(/\n$/, "");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the editor through the shell, since its command line may have arguments, such as `code --wait`. */
function run(editor: string, path: string, env: Env): Promise<void> {
  const started = { stdio: "inherit", env: environmentFor(env) } as const;
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", `${editor} "$@"`, "sh", path], started);
    child.on("error", (cause) => reject(errors.TERMINAL_EDITOR({ editor, reason: cause.message }, { cause })));
    child.on("exit", (code, signal) => {
      const reason = signal ? `ended by ${signal}` : `exit code ${code}`;
      if (code === 0) resolve();
      else reject(errors.TERMINAL_EDITOR({ editor, reason }));
    });
  });
}

/** The environment without the API keys of model providers, and without folders of programs of a project. */
function environmentFor(env: Env): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !isSecret(name));
  return { ...Object.fromEntries(kept), PATH: ownPath(env.PATH) };
}
