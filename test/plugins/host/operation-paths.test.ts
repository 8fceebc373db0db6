import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { PathReach, SchemaSource } from "@scorel/host/contract";
import { expect, it } from "vitest";
import { z } from "zod";
import { operations as own } from "../../../plugins/host/clients/operations.ts";
import { contributedOperations } from "../../docs/operations.ts";
import { root } from "../../docs/source.ts";

interface Row {
  params: SchemaSource<unknown>;
  paths?: Readonly<Record<string, PathReach>>;
}

/**
 * Names of params that are texts but not paths on the host's computer. A name that may be a path, such as `file` or
 * `folder`, does not belong here: declare it under `paths` of its operation.
 */
const texts = new Set(
  `sessionId sessionIds messageId requestId toolCallId eventId leafEventId targetEventId expectedLeafId after before id run artifact name version
  answer reason text content type data mimeType base64 instructions line args rule model thinking preset kind parent project of since
  skill command to sha256 token code appendSystemPrompt tools environment query filter page address endpoint origin relay relays more device known`.split(
    /\s+/,
  ),
);

/** The pattern of ids of hosts and devices. */
const ID = "^[\\w-]{43}$";

/** The places in a JSON Schema of all strings that may have any value. */
function textsIn(schema: unknown, place = ""): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { type, properties = {}, items, anyOf = [], pattern, ...fixed } = schema as Record<string, object>;
  const isFree =
    [type].flat().includes("string" as never) &&
    fixed.enum === undefined &&
    fixed.const === undefined &&
    String(pattern) !== ID;
  const below = Object.entries(properties).flatMap(([key, each]) =>
    textsIn(each, place === "" ? key : `${place}.${key}`),
  );
  const others = [items, ...(anyOf as object[])].flatMap((each) => textsIn(each, place));
  return [...new Set([...(isFree ? [place] : []), ...below, ...others])];
}

async function placesOf({ params }: Row): Promise<string[]> {
  return textsIn(
    z.toJSONSchema(typeof params === "function" ? await params() : params, { unrepresentable: "any", io: "input" }),
  );
}

/** The strings in an operation's params that might be paths and have no declared reach. */
async function undeclared(name: string, row: Row): Promise<string[]> {
  const places = await placesOf(row);
  return places
    .filter((place) => row.paths?.[place] === undefined && !texts.has(place.split(".").at(-1) ?? ""))
    .map((place) => `${name}: ${place}`);
}

async function rows(): Promise<[string, Row][]> {
  const contributed = await contributedOperations(readdirSync(join(root, "plugins")));
  return [own, ...contributed.map(({ value }) => value)].flatMap((table) =>
    Object.entries(table as Record<string, Row>),
  );
}

it("every path in the params of an operation is declared, with its reach for a limited client", async () => {
  const all = await rows();
  expect((await Promise.all(all.map(([name, row]) => undeclared(name, row)))).flat()).toEqual([]);
  expect(Object.fromEntries(all.flatMap(([name, { paths }]) => (paths ? [[name, paths]] : [])))).toEqual({
    create_session: { cwd: "directory" },
    close_unused_sessions: { cwd: "directory" },
    continue_session: { cwd: "operation" },
    list_presets: { cwd: "directory" },
    list_sessions: { cwd: "operation" },
    get_prompt: { cwd: "operation" },
    create_access_code: { directory: "directory" },
    register_project: { directory: "directory" },
    move_project: { directory: "directory" },
    list_directories: { directory: "operation" },
    create_worktree: { cwd: "directory" },
    list_worktrees: { cwd: "directory" },
    merge_worktree: { cwd: "directory" },
    remove_worktree: { cwd: "directory" },
    run_skill: { host: "project", out: "project", "request.inputs.from": "operation", "request.cwd": "operation" },
    read_skills: { path: "project" },
    preview_skills: { path: "project", instead: "project" },
    check_skills: { path: "project" },
    export_session: { file: "project" },
    view_file: { path: "operation" },
    import_session: { file: "unlimited", cwd: "unlimited" },
  });
  for (const [name, row] of all)
    for (const place of Object.keys(row.paths ?? {}))
      expect([name, await placesOf(row)]).toEqual([name, expect.arrayContaining([place])]);
});

it("a new operation with an undeclared path is found, also in lists and objects", async () => {
  const params = z.strictObject({
    sessionId: z.string(),
    folder: z.string().min(1).optional(),
    from: z.array(z.union([z.string(), z.strictObject({ file: z.string().nullable() })])),
    mode: z.enum(["a", "b"]),
  });
  expect(await undeclared("copy", { params })).toEqual(["copy: folder", "copy: from", "copy: from.file"]);
  expect(
    await undeclared("copy", { params, paths: { folder: "project", from: "operation", "from.file": "project" } }),
  ).toEqual([]);
});
