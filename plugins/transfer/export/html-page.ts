import type { Session } from "@scorel/kernel";
import { drawing, pictures } from "./html-parts.ts";
import { escaped } from "./html-text.ts";
import type { Redact } from "./redaction.ts";
import { factsOf, shownIn } from "./shown.ts";
import { STYLE } from "./style.ts";

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** Renders a conversation as a single HTML page without scripts or external resources, with all text escaped. */
export async function* htmlPage(session: Session, redact: Redact): AsyncGenerator<string> {
  const { id, title, models, created, updated } = await factsOf(session, redact);
  const facts = { Session: id, Model: models.join(", ") || "none", Begun: created, "Last event": updated };
  const rows = Object.entries(facts).map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value)}</dd>`);
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header class="top"><h1>${escaped(title)}</h1><dl>${rows.join("")}</dl></header>
<main>
`;
  const highlighting = { spentMs: 0 };
  for await (const { display, ts, images, model } of shownIn(session, redact))
    yield `${drawing(display, { ts, model, highlighting })}${pictures(images)}`;
  yield "</main>\n</body>\n</html>\n";
}
