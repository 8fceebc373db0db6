import { describe, expect, it } from "vitest";
import { TICK_MS } from "../../../plugins/checkpoints/scan/scanned-file.ts";
import { eventually } from "../../eventually.ts";
import { checkpointsIn, type Project, project } from "./project.ts";
import { slowGit } from "./slow-git.ts";

const CLOSED = "the session closed before the changes of the last commands were recorded";

/** A session whose last command has made a change for which git has to be asked, and git waits. */
async function withSlowScan(t: Project) {
  await t.bash("echo 2 > a");
  await t.changes();
  // File times are then old enough to reveal the next change.
  await new Promise((resolve) => setTimeout(resolve, 2 * TICK_MS));
  const git = slowGit(t);
  const { user } = await t.bash(`echo 3 > a; echo 1 > new; touch ${t.home}/held`);
  await git.began();
  return { user, git };
}

const pending = ({ session }: Parameters<typeof checkpointsIn>[0]) =>
  checkpointsIn({ session }).filter((checkpoint) => checkpoint.pending);

describe("a session that closes during the scan for a command's changes", () => {
  it("waits for the scan, so that the changes can be undone", async () => {
    await using t = await project({ files: { a: "1" } });
    const kernel = await t.kernel();
    const { user, git } = await withSlowScan(t);
    using _git = git;
    const closed = t.client.request("close_session", { sessionId: t.sessionId });
    await eventually(() =>
      expect(pending(kernel)).toMatchObject([{ calls: ["call2"], notCovered: [{ reason: CLOSED }] }]),
    );
    git.release();
    expect((await closed).notices).toEqual([]);
    await t.reopen();
    expect(await t.restore(user)).toEqual({ restored: ["a", "new"], skipped: [] });
    expect(t.tree()).toEqual({ a: "644 2\n" });
  });

  it("says that the changes cannot be undone if its time limit ends the scan", async () => {
    await using t = await project({ files: { a: "1" }, config: { maxScanMs: 300 } });
    const { user, git } = await withSlowScan(t);
    using _git = git;
    const { notices } = await t.client.request("close_session", { sessionId: t.sessionId });
    expect(notices).toEqual([]);
    git.release();
    await t.reopen();
    const gap = [{ path: ".", reason: CLOSED }];
    expect((await t.preview(user)).notCovered).toEqual(gap);
    expect((await t.restore(user)).skipped).toContainEqual(gap[0]);
    expect((await t.changes()).notCovered).toContainEqual(gap[0]);
  });

  it("needs no note if the command has changed nothing", async () => {
    await using t = await project({ files: { a: "1" } });
    const kernel = await t.kernel();
    await t.bash("touch a");
    await t.client.request("close_session", { sessionId: t.sessionId });
    expect(checkpointsIn(kernel)).toEqual([]);
  });
});
