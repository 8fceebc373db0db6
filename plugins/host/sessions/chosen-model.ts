import { codeOf, type Kernel, messageOf } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import type {} from "@scorel/model/contract";
import type { Notice } from "@scorel/workspace/contract";

/** Selects the model that was chosen in this session earlier. Returns a notice if it cannot be used any more. */
export async function chosenModel(kernel: Kernel): Promise<Notice[]> {
  const { chosenModel: name } = kernel.session.projection("sessionMeta");
  if (name === undefined) return [];
  try {
    await kernel.find("model")?.choose(name);
    return [];
  } catch (thrown) {
    return [
      {
        origin: `the model ${name}, which was chosen in this session`,
        code: codeOf(thrown),
        message: messageOf(thrown),
      },
    ];
  }
}
