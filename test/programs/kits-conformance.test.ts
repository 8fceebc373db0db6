import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { expect } from "vitest";
import { itWith } from "../optional.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { inKits, newerNode } from "./kits/kits.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const kit = inKits("@modelcontextprotocol/conformance/dist/index.js");
const client = [
  process.execPath,
  `${root}node_modules/jiti/lib/jiti-cli.mjs`,
  `${root}test/programs/kits/conformance-client.ts`,
];

/** Client scenarios that fail, with the check that fails. docs/decisions/0180-kits-of-others.md explains why. */
const known: Readonly<Record<string, string>> = {
  "auth/basic-cimd": "cimd-client-id-used",
  "auth/2025-03-26-oauth-metadata-backcompat": "authorization-request",
  "auth/2025-03-26-oauth-endpoint-fallback": "authorization-request",
};
/** Extensions of the protocol for programs without a user. */
const EXTENSIONS = /^auth\/(?:client-credentials|cross-app-access)-/;

/** A scenario that checks a duration, which depends on the load of the machine. */
const TIMED = "client-sse-retry-timing";

/** Whether only the check of a duration has failed. */
function isOnlyLate(output: string): boolean {
  const rows = stripVTControlCharacters(output).matchAll(/\[([\w-]+) *\] (?:FAILURE|WARNING) /g);
  const missed = [...rows].map(([, check]) => check);
  return missed.length > 0 && missed.every((check) => check === TIMED);
}

/** How long the kit waits for a client. Its default of 30 s is shorter than a loaded machine may need to start a few processes. */
const PATIENCE_MS = 120_000;

/** Runs the kit; its exit code is 0 if all checks have passed. */
function run(...args: string[]): Promise<{ passed: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(newerNode, [kit, ...args], { timeout: PATIENCE_MS + 30_000 }, (error, stdout, stderr) =>
      resolve({ passed: error === null, output: stdout + stderr }),
    );
  });
}

async function clientScenarios(): Promise<string[]> {
  const { output } = await run("list");
  const [, listed = ""] = output.split("Client scenarios");
  return [...listed.matchAll(/^ {2}- (\S+)/gm)]
    .map(([, name]) => name as string)
    .filter((name) => !EXTENSIONS.test(name));
}

itWith(
  "kits",
  "the conformance kit of MCP passes in all scenarios for clients but the known ones",
  async () => {
    const scenarios = await clientScenarios();
    expect(scenarios.length).toBeGreaterThan(20);
    const failed: Record<string, string> = {};
    const folder = temporaryFolder("scorel-conformance-");
    const play = async (scenario: string) => {
      const { passed, output } = await run(
        ...["client", "--command", client.join(" "), "--scenario", scenario, "--output-dir", folder],
        ...["--timeout", String(PATIENCE_MS)],
      );
      if (!passed && !isOnlyLate(output)) failed[scenario] = output;
    };
    const waiting = [...scenarios];
    const worker = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await play(next);
    };
    await Promise.all([worker(), worker(), worker()]);
    const unknown = Object.entries(failed).filter(([scenario]) => known[scenario] === undefined);
    expect(unknown).toEqual([]);
    const missed = Object.entries(known).filter(([scenario, check]) => !failed[scenario]?.includes(check));
    expect(missed).toEqual([]);
  },
  300_000,
);
