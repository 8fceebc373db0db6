import { expect, it } from "vitest";
import { withoutFirstModel } from "../../../plugins/web/page/chat/first-model.ts";
import type { Entry } from "../../../plugins/web/page/host/session.ts";

const entry = (key: string, event: object, display: object) => ({ key, row: { event, display } }) as unknown as Entry;
const notice = { display: "notice", level: "info", text: "" };
const info = (key: string, changes: object) => entry(key, { type: "session_info", changes }, notice);
const said = (key: string, role: string) => entry(key, { type: "message" }, { display: "bubble", role });

it("the model of a new session is no switch, and later ones are", () => {
  const all = [
    info("first model", { model: "a/b" }),
    info("name", { name: "n" }),
    said("question", "user"),
    said("answer", "assistant"),
    info("switch", { model: "a/c" }),
  ];
  expect(withoutFirstModel(all).map(({ key }) => key)).toEqual(["name", "question", "answer", "switch"]);
  expect(withoutFirstModel(all.slice(0, 3)).map(({ key }) => key)).toEqual(["name", "question"]);
});
