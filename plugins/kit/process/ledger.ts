import { closeSync, openSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeFolder } from "../files/make-folder.ts";
import { newId } from "../values/id.ts";
import { noteEnd } from "./ended.ts";
import { identityOf, type LocalIdentity, placeOf } from "./identity.ts";
import { endTree } from "./tree.ts";

/** The folder with the ledgers of a user's sessions. */
export function ledgerFolder(home: string): string {
  return join(home, ".scorel", "processes");
}

/** A running command, as it is written to disk. */
interface Row extends LocalIdentity {
  mark: string;
}
interface Page {
  /** The scorel process that started the commands. */
  owner: LocalIdentity;
  boot: string;
  space: string;
  commands: Row[];
}

/**
 * Milliseconds. On systems without /proc, identifying a process needs another program, so only commands that run this long are recorded.
 */
const LASTING_MS = 1_000;

/**
 * Records on disk which commands a session runs, so that the next start can end those that a killed process left behind. The file
 * is overwritten in place with a single call, so that a kill never leaves it half written. Write errors go to `report` and do not
 * stop the session.
 */
export class Ledger {
  private readonly folder: string;
  private readonly path: string;
  private readonly report: (thrown: unknown) => void;
  private readonly commands = new Map<string, Row>();
  private readonly pending = new Map<string, NodeJS.Timeout>();
  private page: Omit<Page, "commands"> | undefined;
  private fd: number | undefined;
  private length = 0;

  constructor(folder: string, name: string, report: (thrown: unknown) => void) {
    this.folder = folder;
    this.path = join(folder, `${name}.json`);
    this.report = report;
  }

  /**
   * Records a command that is about to start, so that it is known even if this process is killed before `add`. Only on Linux, where
   * its processes are found by the mark.
   */
  expect(mark: string): void {
    if (process.platform !== "linux") return;
    this.commands.set(mark, { pid: 0, start: "", mark });
    this.write();
  }

  /** Records a command that was just started. `mark` is in the environment of it and of all its descendants. */
  add(pid: number, mark: string): void {
    if (process.platform === "linux") this.note(pid, mark);
    else this.pending.set(mark, setTimeout(() => this.note(pid, mark), LASTING_MS).unref());
  }

  /** Removes a command that has ended. */
  remove(mark: string): void {
    clearTimeout(this.pending.get(mark));
    this.pending.delete(mark);
    if (this.commands.delete(mark)) this.write();
  }

  /** Removes the file when all commands have ended. */
  clear(): void {
    for (const timer of this.pending.values()) clearTimeout(timer);
    const { fd } = this;
    this.fd = undefined;
    if (fd === undefined) return;
    this.attempt(() => {
      closeSync(fd);
      rmSync(this.path, { force: true });
    });
  }

  private note(pid: number, mark: string): void {
    this.commands.set(mark, { ...identityOf(pid), mark });
    this.write();
  }

  /** Writes all commands; if the text was longer before, it is padded with spaces. */
  private write(): void {
    this.attempt(() => {
      this.page ??= { owner: identityOf(process.pid), ...placeOf() };
      const text = JSON.stringify({ ...this.page, commands: [...this.commands.values()] });
      const bytes = Buffer.from(text.padEnd(this.length));
      this.length = bytes.length;
      if (this.fd === undefined) this.begin(bytes);
      else writeSync(this.fd, bytes, 0, bytes.length, 0);
    });
  }

  /** Creates the file together with its first content. */
  private begin(bytes: Uint8Array): void {
    makeFolder(this.folder);
    const temporary = `${this.path}.${newId()}.tmp`;
    const fd = openSync(temporary, "wx", 0o600);
    try {
      writeSync(fd, bytes, 0, bytes.length, 0);
      renameSync(temporary, this.path);
    } catch (thrown) {
      closeSync(fd);
      rmSync(temporary, { force: true });
      throw thrown;
    }
    this.fd = fd;
  }

  private attempt(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.report(thrown);
    }
  }
}

/** Ends commands that killed scorel processes left running. Reads only the folder when there are none. */
export async function endSurvivors(folder: string, report: (thrown: unknown) => void): Promise<void> {
  await Promise.all(
    namesIn(folder).map(async (name) => {
      try {
        await settle(join(folder, name));
      } catch (thrown) {
        report(thrown);
      }
    }),
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return []; // The folder does not exist: no command was ever recorded.
  }
}

async function settle(path: string): Promise<void> {
  const page = pageIn(path);
  if (!page) return rmSync(path, { force: true });
  const { boot, space } = placeOf();
  // Pids of another container have no meaning here.
  if (page.space !== space) return;
  if (page.boot === boot) {
    if (isSame(page.owner)) return;
    await Promise.all(page.commands.map((row) => endTree(isSame(row) ? row.pid : undefined, row.mark)));
  }
  if (page.owner.start !== "") noteEnd(dirname(dirname(path)), basename(path, ".json"));
  rmSync(path, { force: true });
}

/**
 * Milliseconds after which nobody is still writing a file that cannot be read. A power cut or a full disk can leave one, which would be
 * reported at every start.
 */
const SETTLED_MS = 60_000;

/** The content of a file; undefined for a damaged one. */
function pageIn(path: string): Page | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Page;
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError) || Math.abs(Date.now() - statSync(path).mtimeMs) < SETTLED_MS) throw thrown;
    return undefined;
  }
}

/** Whether the pid still belongs to the same process; false when unknown. */
function isSame({ pid, start }: LocalIdentity): boolean {
  return start !== "" && identityOf(pid).start === start;
}
