import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { scratch } from "../e2e/scorel.ts";
import { sessionPicture } from "./session-picture.ts";

/** Runs the demonstration in a temporary home and returns its picture. */
export async function playDemo(): Promise<string> {
  using s = scratch();
  const TMPDIR = join(s.home, "tmp");
  mkdirSync(TMPDIR);
  const { stdout } = await s.run(["demo"], { env: { TMPDIR } });
  return sessionPicture(stdout);
}
