import { sessionChange } from "@scorel/kit/schema/session-meta";
import { z } from "zod";

const attachment = z.literal(true).optional();
const textBlock = z.object({ type: z.literal("text"), text: z.string(), attachment, forPeople: z.string().optional() });
const imageBlock = z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string(), attachment });
const filesRestored = z.strictObject({
  restored: z.array(z.string()),
  skipped: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
  leftOut: z.number().optional(),
});
const undone = z.strictObject({
  message: z.strictObject({
    eventId: z.string(),
    text: z.string(),
    content: z.union([z.string(), z.array(z.union([textBlock, imageBlock]))]),
  }),
  eventId: z.string(),
  fromLeafId: z.string().nullable(),
  leafId: z.string().nullable(),
  text: z.string(),
  files: filesRestored.optional(),
});
const moved = z.strictObject({
  eventId: z.string(),
  fromLeafId: z.string().nullable(),
  leafId: z.string().nullable(),
  text: z.string(),
});
const movedWithFiles = moved.extend({ files: filesRestored.optional() });
const movePreview = z.strictObject({
  targetEventId: z.string().nullable(),
  leafId: z.string().nullable(),
  changes: z.array(
    z.strictObject({
      path: z.string(),
      kind: z.string(),
      diff: z.string().optional(),
      conflict: z.string().optional(),
    }),
  ),
  notCovered: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
});
const treeRow = z.strictObject({
  id: z.string(),
  parentId: z.string().nullable(),
  seq: z.number(),
  ts: z.number(),
  label: z.string(),
  text: z.string(),
  point: z.boolean(),
  active: z.boolean(),
  beside: z.literal(true).optional(),
});
const treeLeaf = z.strictObject({ id: z.string(), ts: z.number(), text: z.string(), active: z.boolean() });
const treePage = z.strictObject({
  sessionId: z.string(),
  leafId: z.string().nullable(),
  events: z.number(),
  idLength: z.number(),
  rows: z.array(treeRow),
  before: z.string().optional(),
  branchPoints: z.array(z.strictObject({ id: z.string(), children: z.array(z.string()) })),
  branchPointCount: z.number(),
  leaves: z.array(treeLeaf),
  leafCount: z.number(),
});

/** The schemas of what the operations return. */
export const results = {
  undo: undone,
  update_info: sessionChange,
  rename_session: sessionChange,
  archive_session: sessionChange,
  rewind: movedWithFiles,
  preview_rewind: movePreview,
  preview_undo: movePreview,
  preview_redo: movePreview,
  branch: moved,
  redo: movedWithFiles,
  get_tree: treePage,
  delete_session: z.strictObject({ sessionId: z.string(), trash: z.string(), text: z.string() }),
  restore_session: z.strictObject({ sessionId: z.string(), text: z.string() }),
  list_trash: z.strictObject({
    sessions: z.array(z.strictObject({ sessionId: z.string(), bytes: z.number(), title: z.string() })),
  }),
  purge_sessions: z.strictObject({
    sessions: z.array(z.string()),
    bytes: z.number(),
    blobs: z.strictObject({ removed: z.number(), bytes: z.number(), kept: z.number() }).optional(),
    text: z.string(),
  }),
};
