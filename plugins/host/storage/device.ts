import { join } from "node:path";
import { messageOf, newId } from "@scorel/kernel";
import { createFile, readIfPresent, replaceFile } from "@scorel/kit/files/private";
import { makePrivateFolder } from "@scorel/kit/files/private-folder";
import { isId } from "@scorel/kit/values/id";
import { errors } from "../errors.ts";

/** Returns the id of this installation, creating it in `<home>/.scorel/device.json` if necessary. Throws HOST_HOME. */
export function deviceId(home: string): string {
  try {
    return readOrMake(home);
  } catch (thrown) {
    throw errors.HOST_HOME({ path: join(home, ".scorel"), reason: messageOf(thrown) }, { cause: thrown });
  }
}

function readOrMake(home: string): string {
  const directory = join(home, ".scorel");
  const path = join(directory, "device.json");
  const known = parse(readIfPresent(path));
  if (known !== undefined) return known;
  makePrivateFolder(directory);
  const text = `${JSON.stringify({ deviceId: newId() })}\n`;
  // If several processes start at once, the file of the first one is used. An unreadable file is replaced.
  if (!createFile(path, text, { durable: true }) && parse(readIfPresent(path)) === undefined)
    replaceFile(path, text, { durable: true });
  return parse(readIfPresent(path)) ?? (JSON.parse(text) as { deviceId: string }).deviceId;
}

function parse(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const { deviceId } = JSON.parse(text) as { deviceId?: unknown };
    return isId(deviceId) ? deviceId : undefined;
  } catch {
    return undefined;
  }
}
