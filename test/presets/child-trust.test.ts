import { join } from "node:path";
import { expect, it } from "vitest";
import { createTrustService } from "../../presets/composition/trust.ts";
import { askedIn } from "./asked.ts";
import { place } from "./place.ts";
import { type Desk, desk } from "./session-desk.ts";

const extension = `export default {
  id: "ours", name: "Ours", version: "1.0.0",
  commands: () => ({ ours: { summary: "Ours", run: () => "ran" } }),
};`;

/** The parts of the project that a session reads: its folders, and whether the project's extension runs. */
async function readBy(d: Desk, sessionId: string) {
  const { trusted, nestedSkills } = (await d.inside(sessionId)).workspace;
  const { commands } = await d.client.request("list_commands", { sessionId });
  return [trusted, nestedSkills?.folders, commands.some(({ name }) => name === "ours")];
}

it("a project that is trusted after a session began is not read by sessions that belong to it", async () => {
  using at = place();
  at.file(".scorel/extensions/ours.ts", extension);
  const skills = "packages/app/.claude/skills";
  at.file(`${skills}/deploy/SKILL.md`, "---", "name: deploy", "description: Deploys.", "---", "Deploy");
  const cwd = join(at.project, "packages/app");
  await using d = await desk(at);
  const create = async (parent?: string) => {
    const of = parent === undefined ? {} : { parent: { sessionId: parent } };
    return (await d.client.request("create_session", { cwd, model: "offline/demo", ...of })).sessionId;
  };
  const nothing = [undefined, undefined, false];
  const all = [join(at.project, ".scorel"), [join(at.project, skills)], true];
  const parent = await create();
  const before = await create(parent);
  await (await createTrustService(askedIn(cwd).asked).review(cwd))?.accept();

  const after = await create(parent);
  const grandchild = await create(after);
  expect(await readBy(d, await create())).toEqual(all);
  for (const id of [parent, before, after, grandchild]) expect(await readBy(d, id)).toEqual(nothing);
  await d.client.request("reload_session", { sessionId: after });
  expect(await readBy(d, after)).toEqual(nothing);

  // A copy of a child has the child's limits, also after it is opened again.
  const { id } = await d.client.request("send_message", { sessionId: after, content: "hello" });
  await d.client.request("wait_turn", { sessionId: after, id });
  const copy = (await d.client.request("clone_session", { sessionId: after, atOnce: true })).sessionId;
  expect(await readBy(d, copy)).toEqual(nothing);
  await d.client.request("close_session", { sessionId: copy });
  await d.client.request("load_session", { sessionId: copy });
  expect(await readBy(d, copy)).toEqual(nothing);

  // Once the parent is reloaded, it may read the project, and so may children that are created then.
  await d.client.request("reload_session", { sessionId: parent });
  expect(await readBy(d, parent)).toEqual(all);
  expect(await readBy(d, await create(parent))).toEqual(all);
  expect(await readBy(d, before)).toEqual(nothing);
});
