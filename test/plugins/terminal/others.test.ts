import { stripVTControlCharacters } from "node:util";
import type { SessionView, ViewChange } from "@scorel/host/client";
import { expect, it } from "vitest";
import { Others } from "../../../plugins/terminal/app/others.ts";
import { People } from "../../../plugins/terminal/app/people.ts";
import { queueStrip } from "../../../plugins/terminal/app/strip.ts";
import type { Keys } from "../../../plugins/terminal/keys.ts";
import { none } from "../../../plugins/terminal/theme/colors.ts";
import { themeOf } from "../../../plugins/terminal/theme/theme.ts";
import { en } from "../../../plugins/terminal/words/en.ts";

const [own, laptop] = ["terminal-0123456789abcdef", "laptop-0123456789abcdef"];
const people = new People({ clientId: own });

function watching() {
  const told: string[] = [];
  const others = new Others(people, en, (text) => void told.push(text));
  const view = (more: object) =>
    ({ rows: [], requests: [], status: { host: { sessionId: "s" } }, ...more }) as unknown as SessionView;
  return {
    told,
    joins: (clientId: string) => others.isNews({ type: "client_joined", name: clientId.slice(0, -17), clientId }),
    ends: (cancelledBy?: string) =>
      others.hear(
        { kind: "passing", delivered: { event: { type: "runtime_end", cancelledBy } } } as unknown as ViewChange,
        view({}),
      ),
    enters: (requests: object[]) => others.enter(view({ requests })),
    moves: (type: "rewind" | "branch", clientId: string) =>
      others.hear({ kind: "rows", index: 0, isNew: true }, view({ rows: [{ event: { type }, clientId }] })),
    asks: (requests: object[]) => others.hear({ kind: "requests" }, view({ requests })),
    answers: (clientId: string, answer: string | null) => {
      const event = { type: "approval_answer", requestId: "r1", answer };
      others.hear({ kind: "rows", index: 0, isNew: true }, view({ rows: [{ event, clientId }] }));
    },
  };
}

it("everybody who did not interrupt a turn is told who did", () => {
  const t = watching();
  for (const by of [own, laptop, "0123456789abcdef", undefined]) t.ends(by);
  expect(t.told).toEqual(["Interrupted by laptop.", "Interrupted by another client."]);
});

it("everybody who did not go back, or to another branch, is told who did", () => {
  const t = watching();
  t.moves("rewind", own);
  t.moves("branch", laptop);
  t.moves("rewind", "0123456789abcdef");
  expect(t.told).toEqual([
    "laptop went to another place in the conversation, which continues from here.",
    "another client went to another place in the conversation, which continues from here.",
  ]);
});

it("nobody is told that they joined themselves, or that somebody returned with the host", () => {
  const t = watching();
  expect([own, laptop, laptop].map(t.joins)).toEqual([false, true, false]);
});

it("everybody who did not answer a question is told who did, in the words of the question", () => {
  const t = watching();
  t.asks([{ requestId: "r1", options: [{ value: "y", label: "Yes, once" }] }]);
  for (const by of [own, laptop]) t.answers(by, "y");
  t.answers(laptop, null);
  t.answers(laptop, "something else");
  expect(t.told).toEqual(["laptop has answered: Yes, once", "laptop has answered: something else"]);
});

it("a person who joins while a question is open is told who answered it", () => {
  const t = watching();
  t.enters([{ requestId: "r1", options: [{ value: "y", label: "Yes, once" }] }]);
  t.answers(laptop, "y");
  expect(t.told).toEqual(["laptop has answered: Yes, once"]);
});

it("queued messages are shown in the order in which they are sent", () => {
  const theme = themeOf("none", none);
  const keys = { label: () => "", labels: () => [] } as unknown as Keys;
  const queue = ["follow_up", "steer", "follow_up", "steer"].map((mode, index) => ({
    id: `${index}`,
    mode,
    content: `message ${index}`,
    clientId: own,
  }));
  const marked = { chosen: undefined, editing: undefined };
  const lines = queueStrip(queue as never, 80, { theme, words: en, keys }, marked);
  expect(lines.map((line) => /message \d/.exec(line)?.[0]).filter(Boolean)).toEqual(
    [1, 3, 0, 2].map((index) => `message ${index}`),
  );
});

it("queued messages of others show their names", () => {
  const theme = themeOf("none", none);
  const keys = { label: () => "", labels: () => [] } as unknown as Keys;
  const queue = [own, laptop].map((clientId, index) => ({
    id: `${index}`,
    mode: "follow_up",
    content: "hi",
    clientId,
  }));
  const nameOf = (clientId: string) => people.actorOf(clientId);
  const marked = { chosen: undefined, editing: undefined };
  const lines = queueStrip(queue as never, 80, { theme, words: en, keys }, marked, nameOf);
  expect(lines.map(stripVTControlCharacters).slice(1)).toEqual(["≡ hi", "≡ laptop: hi"]);
});
