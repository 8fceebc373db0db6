/** Adds a model to the user's configuration, and prints the outcome. A separate process, for tests with a full disk. */
import { newTable, writeModel } from "../../plugins/models/model-file.ts";

const model = { provider: "local", id: "m1", baseUrl: "http://127.0.0.1:8000/v1", contextWindow: 32_000 };
try {
  writeModel(newTable(model.provider), model);
  process.stdout.write("written\n");
} catch (thrown) {
  process.stdout.write(`${(thrown as { code?: string }).code}\n`);
}
