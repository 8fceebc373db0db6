import type { OperationContext, Operations } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import { changeInfo } from "@scorel/kit/session/change-info";
import type { SessionMeta } from "@scorel/messages/contract";
import { errors } from "./errors.ts";

type Params = Operations["update_info"]["params"];
type Answer = Operations["update_info"]["result"];

/**
 * Applies the changes and stores them, each as the plugin that owns it does. They take effect with the next model request.
 */
export async function updateInfo(
  { sessionId, changes, messageId }: Params,
  context: OperationContext,
): Promise<Answer> {
  const { name, model, thinkingLevel: level, archived } = changes;
  const { request, clientId } = context;
  const session = { sessionId, messageId };
  const made: Answer[] = [];
  // The model is set first, since it is the only change that can be refused.
  if (model !== undefined) made.push(await setModel(request, { ...session, model }));
  if (level !== undefined) made.push(await request("set_thinking", { ...session, level }));
  if (name !== undefined || archived !== undefined) {
    const { kernel } = await context.open(sessionId);
    const agent = kernel.find("agent");
    const stored = name !== undefined && agent?.changesStored ? await agent.storable(name) : name;
    const own = { ...(stored !== undefined && { name: stored }), ...(archived !== undefined && { archived }) };
    const asked = { operation: "update_info", clientId, messageId };
    made.push(await changeInfo<SessionMeta>(kernel.session, own, asked, stored !== name));
  }
  const last = made.at(-1);
  if (!last) throw errors.HISTORY_NO_CHANGE();
  return { ...last, text: made.map(({ text }) => text).join(", ") };
}

async function setModel(
  request: OperationContext["request"],
  params: Operations["set_model"]["params"],
): Promise<Answer> {
  try {
    return await request("set_model", params);
  } catch (thrown) {
    if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
    throw errors.HISTORY_NO_MODEL({ sessionId: params.sessionId });
  }
}
