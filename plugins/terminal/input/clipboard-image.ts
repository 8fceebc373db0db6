import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { codeOf } from "@scorel/kernel";
import { imageType } from "@scorel/kit/files/image-type";
import { ownPath } from "@scorel/kit/process/programs";

type Env = Readonly<Record<string, string | undefined>>;

/** The picture in the clipboard, or why there is none. */
export type ClipboardImage = { image: Uint8Array } | { problem: "no program" | "no image" | "too slow" | "too large" };

/** A program that prints the picture in the clipboard to stdout. */
interface Reader {
  file: string;
  args: readonly string[];
  /** Decodes the output into the picture. Without it, the output is the picture. */
  decode?(printed: Buffer): Uint8Array;
}

/** Milliseconds after which a program is killed: xclip hangs when the owner of the clipboard does not answer. */
const PATIENCE_MS = 4_000;
const MOST_BYTES = 20_000_000;
/** The most bytes of output: a picture in hexadecimal digits or base64 takes up to twice its size. */
const MOST_PRINTED = 2 * MOST_BYTES + 1_000;

const wayland: Reader = { file: "wl-paste", args: ["--no-newline", "--type", "image/png"] };
const x11: Reader = { file: "xclip", args: ["-selection", "clipboard", "-t", "image/png", "-o"] };
/** Prints `«data PNGf89504E47…»`. */
const mac: Reader = {
  file: "osascript",
  args: ["-e", "get the clipboard as «class PNGf»"],
  decode: (printed) => Buffer.from(/PNGf([0-9A-F]+)/i.exec(printed.toString("latin1"))?.[1] ?? "", "hex"),
};
const WINDOWS_SCRIPT = [
  "Add-Type -AssemblyName System.Windows.Forms, System.Drawing",
  "$image = [System.Windows.Forms.Clipboard]::GetImage()",
  "if ($image) { $out = New-Object System.IO.MemoryStream",
  "$image.Save($out, [System.Drawing.Imaging.ImageFormat]::Png)",
  "[Convert]::ToBase64String($out.ToArray()) }",
].join("; ");
const windows: Reader = {
  file: "powershell.exe",
  args: ["-NoProfile", "-STA", "-Command", WINDOWS_SCRIPT],
  decode: (printed) => Buffer.from(printed.toString("latin1").trim(), "base64"),
};

/** The programs to try on a platform. On Linux within Windows (WSL), the clipboard is that of Windows. */
function readersFor(platform: NodeJS.Platform, env: Env): Reader[] {
  if (platform === "darwin") return [mac];
  if (platform === "win32") return [windows];
  return env.WAYLAND_DISPLAY ? [wayland, x11, windows] : [x11, wayland, windows];
}

/** Reads the picture that is in the clipboard of this computer. */
export async function clipboardImage(
  env: Env,
  platform = process.platform,
  patience = PATIENCE_MS,
): Promise<ClipboardImage> {
  let last: ClipboardImage = { problem: "no program" };
  for (const reader of readersFor(platform, env)) {
    const found = await read(reader, env, patience);
    if ("image" in found) return found;
    if (found.problem !== "no program") last = found;
  }
  return last;
}

function read({ file, args, decode }: Reader, env: Env, timeout: number): Promise<ClipboardImage> {
  const options = {
    env: { ...env, PATH: ownPath(env.PATH) },
    cwd: tmpdir(),
    encoding: "buffer",
    timeout,
    killSignal: "SIGKILL",
    maxBuffer: MOST_PRINTED,
  } as const;
  return new Promise((resolve) => {
    const child = execFile(file, args, options, (failure, printed) => {
      if (failure) return resolve({ problem: problemOf(failure) });
      const image = decode ? decode(printed) : printed;
      if (image.length > MOST_BYTES) resolve({ problem: "too large" });
      else resolve(imageType(image) === undefined ? { problem: "no image" } : { image });
    });
    child.stdin?.on("error", () => {}).end();
  });
}

/** Why a program has failed. When it has run and ended with an error, there was no picture. */
function problemOf(
  failure: Error & { killed?: boolean | undefined },
): Exclude<ClipboardImage, { image: unknown }>["problem"] {
  const code = codeOf(failure);
  if (code === "ENOENT" || code === "EACCES") return "no program";
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return "too large";
  return failure.killed ? "too slow" : "no image";
}
