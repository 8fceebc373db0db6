import { completionContract } from "../e2e/completion-contract.ts";
import { describeWith } from "../optional.ts";

describeWith("zsh", "completion in zsh", () => completionContract("zsh"));
describeWith("fish", "completion in fish", () => completionContract("fish"));
