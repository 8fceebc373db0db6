import { type Part, text, toolCall } from "../../model-server.ts";
import { random } from "./random.ts";
import { tokensIn } from "./tokens.ts";
import { Writer } from "./writer.ts";

/** A conversation with scripted replies that uses skills of a collection. */
export interface Scenario {
  turns: readonly Turn[];
  /** The number of requests at the end that are measured; those before are history. */
  measured: number;
}
interface Turn {
  ask: string;
  replies: readonly Part[];
}

/** A skill in a scenario, with the size of its body in bytes and its docs. */
export interface Actor {
  name: string;
  body: number;
  docs: readonly string[];
}
/** The skills of the scenarios: two that make a page, one with docs, and two larger ones. */
export type Cast = Readonly<Record<"brand" | "page" | "comms" | "sheet" | "slides", Actor>>;

const PUBLIC = {
  brand: "brand-guidelines",
  page: "frontend-design",
  comms: "internal-comms",
  sheet: "xlsx",
  slides: "pptx",
} as const;
const PARTS = Object.keys(PUBLIC) as (keyof Cast)[];

/**
 * The five skills of the public collection if all are there, otherwise the largest ones, with one that has docs where
 * docs are read.
 */
export function castOf(skills: readonly Actor[]): Cast {
  if (skills.length === 0) throw new Error("there is no skill to play with");
  const largest = skills.toSorted((a, b) => b.body - a.body || (a.name < b.name ? -1 : 1));
  const named = PARTS.map((part) => skills.find(({ name }) => name === PUBLIC[part]));
  const isPublic = named.every((actor) => actor !== undefined);
  const reader = largest.find(({ docs }) => docs.length > 0) ?? (largest[0] as Actor);
  const others = largest.filter((actor) => actor !== reader);
  const chosen = isPublic ? named : [others[0], others[1], reader, others[2], others[3]];
  return Object.fromEntries(PARTS.map((part, at) => [part, chosen[at] ?? reader])) as Cast;
}

const PAGE_TASK = `We need one static page to show a demo inside the company.

Work with these two skills and no others:
- {brand}: take the official colours from it and write them down as tokens
- {page}: make a small page of HTML and CSS from them

What has to be there in the end:
- out/tokens.json, an object with the keys dark, light, mid, pale, orange, blue and green
- out/styles.css, with one variable for each token in :root, as literal values
- out/index.html, which uses those variables and nothing from a network

Title and first heading are "Demo". The button that matters most is orange. No colour is invented: each stands in SKILL.md.
tokens.json is written once and left alone by the second skill. The page has to be readable for everybody: real headings, real
buttons, enough contrast. Everything lies below out/ in the workspace. When all of it is there, say {"scenario":"page","ok":true}
and nothing else.`;

const TOKENS = `cat > out/tokens.json <<'END'
{"dark":"#141413","light":"#faf9f5","mid":"#b0aea5","pale":"#e8e6dc","orange":"#d97757","blue":"#6a9bcc","green":"#788c5d"}
END`;
const STYLES = `cat > out/styles.css <<'END'
:root { --dark: #141413; --light: #faf9f5; --mid: #b0aea5; --pale: #e8e6dc; --orange: #d97757; --blue: #6a9bcc; --green: #788c5d; }
body { margin: 0; background: var(--light); color: var(--dark); font: 18px/1.6 Lora, Georgia, serif; }
header, main, footer { max-width: 60rem; margin: 0 auto; padding: 2rem; }
h1, h2 { font-family: Poppins, Arial, sans-serif; line-height: 1.2; }
.button { display: inline-block; padding: .8rem 1.4rem; background: var(--orange); color: var(--dark); border-radius: 4px; }
.button:focus-visible { outline: 3px solid var(--blue); outline-offset: 2px; }
footer { border-top: 1px solid var(--pale); color: var(--mid); }
END`;
const HTML = `cat > out/index.html <<'END'
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Demo</title><link rel="stylesheet" href="styles.css"></head>
<body>
<header><h1>Demo</h1><p>A small page that shows what the new tool does for us, in one minute.</p></header>
<main><h2>Why</h2><p>Reports take an afternoon today. With it they take one click, and nobody copies numbers by hand.</p>
<a class="button" href="#start">Try it</a></main>
<footer><p>Questions go to the platform team.</p></footer>
</body>
</html>
END`;

const CSV = `cat > out/quarter.csv <<'END'
month,region,orders,revenue,returns
July,North,412,18240.50,9
July,South,388,16910.00,14
August,North,455,20112.75,11
August,South,401,17555.20,8
September,North,502,22480.10,13
September,South,447,19870.00,10
END`;
const TOTALS = `awk -F, 'NR > 1 { n[$2] += $3; r[$2] += $4 } END { print "region,orders,revenue"; for (k in n) printf "%s,%d,%.2f\\n", k, n[k], r[k] }' out/quarter.csv | sort > out/totals.csv`;
const SVG = `cat > out/chart.svg <<'END'
<svg xmlns="http://www.w3.org/2000/svg" width="320" height="120" role="img" aria-label="Revenue by month">
<rect x="10" y="50" width="80" height="60"/><rect x="120" y="44" width="80" height="66"/><rect x="230" y="30" width="80" height="80"/>
</svg>
END`;
const UPDATE = `cat > out/update.md <<'END'
# Third quarter

Orders rose in every month, most of all in the north. Revenue went from 35,150 in July to 42,350 in September.
Returns stayed where they were. Next: the south gets the delivery times that the north has had since August.
END`;
const SLIDE = `cat > out/slide.html <<'END'
<section><h1>Third quarter</h1><ul><li>Orders rose in every month</li><li>Returns stayed where they were</li></ul></section>
END`;

const load = (skill: Actor) => toolCall("skill_load", { skill: skill.name });
const list = (skill: Actor) => toolCall("skill_list_docs", { skill: skill.name });
const run = (skill: Actor, command: string, file: string) =>
  toolCall("skill_run", { skill: skill.name, command, output_files: [file] });
const look = (skill: Actor, command: string) => toolCall("skill_run", { skill: skill.name, command });

/** Selects the skill's first doc alone, or lists the docs of a skill that has none. */
function read(skill: Actor): Part {
  const [doc] = skill.docs;
  if (doc === undefined) return list(skill);
  return toolCall("skill_select_docs", { skill: skill.name, docs: [doc], mode: "replace" });
}
function lines(skill: Actor): Part {
  return look(skill, `sed -n 1,4p '${skill.docs[0] ?? "SKILL.md"}'`);
}

/** Two skills make one page: six requests. */
export function pageScenario({ brand, page }: Cast): Scenario {
  const ask = PAGE_TASK.replace("{brand}", brand.name).replace("{page}", page.name);
  const replies = [
    load(brand),
    load(page),
    run(brand, TOKENS, "out/tokens.json"),
    run(brand, STYLES, "out/styles.css"),
    run(page, HTML, "out/index.html"),
    text('{"scenario":"page","ok":true}'),
  ];
  return { turns: [{ ask, replies }], measured: replies.length };
}

/** Loads a skill, selects one of its docs, and prints four lines of it: four requests. */
export function docScenario({ comms }: Cast): Scenario {
  const ask = `Work by the skill ${comms.name}: load it, select ${comms.docs[0] ?? "no doc"} alone, print its first four lines with skill_run, then say {"skill":"${comms.name}","ok":true} and nothing else.`;
  const replies = [load(comms), read(comms), lines(comms), text(`{"skill":"${comms.name}","ok":true}`)];
  return { turns: [{ ask, replies }], measured: replies.length };
}

/**
 * Three tasks of seven requests each after a long conversation. Each loads a skill; the later two also load the skill
 * of the task before again, as models do.
 */
export function longScenario({ sheet, comms, slides }: Cast, history = 20_000): Scenario {
  const again = comms.docs.length > 0 ? { docs: comms.docs.slice(0, 1) } : {};
  const second = toolCall("skill_load", { skill: comms.name, ...again });
  const turns = [
    {
      ask: `Put the numbers of the last quarter into a table by ${sheet.name}, then draw what matters in it.`,
      replies: [load(sheet), list(sheet), run(sheet, CSV, "out/quarter.csv"), run(sheet, TOTALS, "out/totals.csv")],
      more: [
        run(sheet, SVG, "out/chart.svg"),
        look(sheet, "ls $OUTPUT_DIR"),
        text("The table and the chart are in out/."),
      ],
    },
    {
      ask: `Now tell everybody what is in it, by ${comms.name}, with the totals as ${sheet.name} has them.`,
      replies: [load(comms), read(comms), lines(comms), load(sheet), look(sheet, "cat $OUTPUT_DIR/totals.csv")],
      more: [run(comms, UPDATE, "out/update.md"), text("The update is in out/update.md.")],
    },
    {
      ask: `Make one slide of that by ${slides.name}, and keep to the words that ${comms.name} gave us.`,
      replies: [load(slides), list(slides), second, look(comms, "cat $OUTPUT_DIR/update.md"), look(slides, "ls")],
      more: [run(slides, SLIDE, "out/slide.html"), text("The slide is in out/slide.html.")],
    },
  ].map(({ ask, replies, more }) => ({ ask, replies: [...replies, ...more] }));
  const measured = turns.reduce((sum, { replies }) => sum + replies.length, 0);
  return { turns: [...talk(history), ...turns], measured };
}

/** A conversation of at least this many tokens. */
function talk(tokens: number): Turn[] {
  const { markdown } = new Writer(random(tokens));
  const turns: Turn[] = [];
  for (let left = tokens; left > 0; ) {
    const [ask, answer] = [markdown(400), markdown(2_000)];
    turns.push({ ask, replies: [text(answer)] });
    left -= tokensIn(ask) + tokensIn(answer);
  }
  return turns;
}
