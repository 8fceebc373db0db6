import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  ARTIFACT_NAME: (a: { name: string }) =>
    `${JSON.stringify(a.name.slice(0, 80))} cannot be the name of an artifact: it has 1 to 512 characters, none invisible, no blank at its ends, something after "user:", and no @ with a number at its end.`,
  ARTIFACT_UNKNOWN: (a: { name: string; known: readonly string[] }) =>
    a.known.length === 0
      ? `There is no artifact ${a.name}: this session has none.`
      : `There is no artifact ${a.name}. There are: ${a.known.join(", ")}.`,
  ARTIFACT_NOT_IN_LATEST: (a: { message: string; sessionId: string }) =>
    `${a.message} That is session ${a.sessionId}, the latest of this directory: \`scorel session list\` shows the others, --session <id> looks into one.`,
  ARTIFACT_NO_SESSION: (a: { cwd: string }) =>
    `There is no session of ${a.cwd} yet, so nothing was saved in one. Name one with --session <id>: \`scorel session list --all\` shows those of other directories.`,
  ARTIFACT_VERSION: (a: { name: string; version: number; first: number; latest: number }) =>
    `version ${a.version} does not exist: ${a.name} has ${a.first === a.latest ? `version ${a.latest}` : `the versions ${a.first} to ${a.latest}`}.`,
  ARTIFACT_NO_REPLAY: (a: { name: string; reason: string }) => `${a.name} cannot be made again: ${a.reason}.`,
  ARTIFACT_LOST: (a: { name: string; sha256: string }) =>
    `The bytes of ${a.name} are gone: no blob ${a.sha256} is kept. Restore ~/.scorel/blobs from a copy, or make the artifact again.`,
  ARTIFACT_DAMAGED: (a: { name: string; sha256: string }) =>
    `The bytes of ${a.name} are not what was saved: the blob ${a.sha256} is damaged. Restore ~/.scorel/blobs from a copy, or make the artifact again.`,
  ARTIFACT_FILE: (a: { path: string; reason: string }) =>
    `${a.path} cannot be read as the list of the user's artifacts: ${a.reason}. Nothing was changed. Restore it from a copy, or move it away to begin a new list.`,
  ARTIFACT_NO_HOST: () => "The command needs the plugin `host`, which this preset does not load.",
  ARTIFACT_EXISTS: (a: { file: string }) =>
    `${a.file} exists, and was left as it is. Name another file with --to, or remove it first.`,
  ARTIFACT_TO: (a: { file: string; reason: string }) => `${a.file} cannot be written: ${a.reason}.`,
});
