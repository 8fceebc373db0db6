import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { newId } from "@scorel/kernel";
import { identityOf, type LocalIdentity, placeOf } from "./identity.ts";
import { endTree } from "./tree.ts";

/** Where the ledgers of a user's sessions are; the manifest looks there too. */
export function ledgerFolder(home: string): string {
  return join(home, ".scorel", "processes");
}

/** A command that runs, as it is kept on disk. */
interface Row extends LocalIdentity {
  mark: string;
}
interface Page {
  /** The scorel process that started them. */
  owner: LocalIdentity;
  boot: string;
  space: string;
  commands: Row[];
}

/** Elsewhere a program has to be asked who a process is: that is worth it for commands that take longer than this. */
const LASTING_MS = 1_000;

/**
 * Which commands a session runs, on disk, so that the next start can end those that a killed process left behind. The file is
 * written in place, by one call each time: nothing is left half written by a kill. What cannot be written is told to
 * `report` and keeps nobody from working.
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

  /** A command that has just been started, with the mark that all it starts bears. */
  add(pid: number, mark: string): void {
    if (process.platform === "linux") this.note(pid, mark);
    else this.pending.set(mark, setTimeout(() => this.note(pid, mark), LASTING_MS).unref());
  }

  /** It has ended. */
  remove(mark: string): void {
    clearTimeout(this.pending.get(mark));
    this.pending.delete(mark);
    if (this.commands.delete(mark)) this.write();
  }

  /** All of them have ended. */
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

  /** Spaces cover what was longer before. */
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

  /** It appears with its first line in it. */
  private begin(bytes: Uint8Array): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const temporary = `${this.path}.${newId()}.tmp`;
    this.fd = openSync(temporary, "wx", 0o600);
    writeSync(this.fd, bytes, 0, bytes.length, 0);
    renameSync(temporary, this.path);
  }

  private attempt(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.report(thrown);
    }
  }
}

/** Ends what processes that were killed left running, where it is proved to be theirs. Costs one look when there is none. */
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
    return []; // Nothing was ever run in the background.
  }
}

async function settle(path: string): Promise<void> {
  const page = JSON.parse(readFileSync(path, "utf8")) as Page;
  const { boot, space } = placeOf();
  // Numbers of another container say nothing here.
  if (page.space !== space) return;
  if (page.boot === boot) {
    if (isSame(page.owner)) return;
    await Promise.all(page.commands.map((row) => endTree(isSame(row) ? row.pid : undefined, row.mark)));
  }
  if (page.owner.start !== "") noteEnd(path);
  rmSync(path, { force: true });
}

const KEPT_MS = 60 * 24 * 3600 * 1000;

/**
 * An empty file in ~/.scorel/cache/ended, named like the ledger: by its time all that the killed process had started has
 * ended, so no later change of a file is taken for a change by one of its tools.
 */
function noteEnd(path: string): void {
  const folder = join(dirname(dirname(path)), "cache", "ended");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > KEPT_MS) rmSync(join(folder, name), { force: true });
  }
  writeFileSync(join(folder, basename(path, ".json")), "", { mode: 0o600 });
}

/** The very process, and not another one that got its number; in doubt it is another. */
function isSame({ pid, start }: LocalIdentity): boolean {
  return start !== "" && identityOf(pid).start === start;
}
