import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  ARTIFACT_NAME: (a: { name: string }) =>
    `${JSON.stringify(a.name.slice(0, 80))} is not a valid artifact name. A name has 1 to 512 visible characters, does not start or end with a space, has text after "user:", and does not end with @ and a number.`,
  ARTIFACT_UNKNOWN: (a: { name: string; known: readonly string[] }) =>
    a.known.length === 0
      ? `There is no artifact ${a.name}: this session has none.`
      : `There is no artifact ${a.name}. There are: ${a.known.join(", ")}.`,
  ARTIFACT_NOT_IN_LATEST: (a: { message: string; sessionId: string }) =>
    `${a.message} This is the latest session of this directory, ${a.sessionId}; choose another one of \`scorel session list\` with --session <id>.`,
  ARTIFACT_NO_SESSION: (a: { cwd: string }) =>
    `There is no session of ${a.cwd} yet. Choose one of another directory with --session <id>; \`scorel session list --all\` shows them.`,
  ARTIFACT_VERSION: (a: { name: string; version: number; first: number; latest: number }) =>
    `version ${a.version} does not exist: ${a.name} has ${a.first === a.latest ? `version ${a.latest}` : `the versions ${a.first} to ${a.latest}`}.`,
  ARTIFACT_NO_REPLAY: (a: { name: string; reason: string }) => `${a.name} cannot be reproduced: ${a.reason}.`,
  ARTIFACT_LOST: (a: { name: string; sha256: string }) =>
    `The content of ${a.name} is missing: there is no blob ${a.sha256}. Restore ~/.scorel/blobs from a backup, or create the artifact again.`,
  ARTIFACT_DAMAGED: (a: { name: string; sha256: string }) =>
    `The content of ${a.name} is damaged: the blob ${a.sha256} does not contain the bytes that were saved. Restore ~/.scorel/blobs from a backup, or create the artifact again.`,
  ARTIFACT_FILE: (a: { path: string; reason: string }) =>
    `${a.path}, the list of the user's artifacts, cannot be read: ${a.reason}. Nothing was changed. Restore it from a backup, or move it away to start a new list.`,
  ARTIFACT_NO_HOST: () => "The command needs the plugin `host`, which this preset does not load.",
  ARTIFACT_EXISTS: (a: { file: string }) =>
    `${a.file} already exists and was not changed. Choose another file with --to, or remove it first.`,
  ARTIFACT_TO: (a: { file: string; reason: string }) => `${a.file} cannot be written: ${a.reason}.`,
});
