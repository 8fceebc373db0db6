import { homedir } from "node:os";
import { join } from "node:path";
import { codeOf, messageOf } from "@scorel/kernel";
import { rootOf } from "@scorel/kit/files/home";
import { readText } from "@scorel/kit/files/open";
import { canonical } from "@scorel/kit/files/paths";
import { visibleName } from "@scorel/kit/text/plain";
import { errors } from "../errors.ts";
import type { Candidate } from "./candidate.ts";
import { claudeCodeServers } from "./claude-code.ts";
import { codexServers } from "./codex.ts";

/** A configuration file of another program, with the servers in it. */
export interface Source {
  program: string;
  path: string;
  candidates: readonly Candidate[];
}

interface Program {
  program: string;
  path: string;
  read(text: string, cwd: string): Candidate[];
}

/** Most characters of a file. Claude Code's file also contains the history of each project. */
const MOST_CHARACTERS = 50_000_000;

const programs: Readonly<Record<string, Program>> = {
  "claude-code": {
    program: "Claude Code",
    path: ".claude.json",
    read: (text, cwd) => claudeCodeServers(text, [cwd, canonical(cwd), rootOf(canonical(cwd))]),
  },
  codex: { program: "Codex", path: ".codex/config.toml", read: (text) => codexServers(text) },
};

/**
 * Reads the files of the program with this name, or of all known programs. Throws MCP_ADMIN_PROGRAM, and MCP_ADMIN_SOURCE for a file that
 * cannot be read.
 */
export function sourcesOf(name: string | undefined, cwd: string): Source[] {
  const known = Object.keys(programs);
  if (name !== undefined && !known.includes(name)) throw errors.MCP_ADMIN_PROGRAM({ given: visibleName(name), known });
  const wanted = Object.entries(programs).filter(([each]) => name === undefined || each === name);
  return wanted.flatMap(([, program]) => sourceOf(program, cwd) ?? []);
}

function sourceOf({ program, path: below, read }: Program, cwd: string): Source | undefined {
  const path = join(homedir(), below);
  try {
    const text = readText(path);
    if (text.length > MOST_CHARACTERS) throw new Error(`it has more than ${MOST_CHARACTERS} characters`);
    return { program, path, candidates: read(text, cwd) };
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw errors.MCP_ADMIN_SOURCE({ path, reason: messageOf(thrown) });
  }
}
