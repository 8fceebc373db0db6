/** Stores a key for each given provider when told to. A separate process, for the tests of the file's lock. */
import { storeCredential } from "../../plugins/model/keys/auth-file.ts";

process.stdin.once("data", () => {
  void Promise.all(process.argv.slice(2).map((provider) => storeCredential(provider, `key-${provider}`))).then(() => {
    process.stdout.write("stored\n");
    process.stdin.pause();
  });
});
process.stdout.write("ready\n");
