/** A skill of the public collection as of 2026: its names and sizes, but nothing of its text. */
export interface Planned {
  folder: string;
  /** The name in the front matter, if it differs from the folder's. */
  name?: string;
  /** Size of the SKILL.md. */
  bytes: number;
  /** Characters of the description, and its form in the front matter. */
  description: number;
  style?: "quoted" | "block";
  docs: readonly (readonly [path: string, bytes: number])[];
  /** Bytes of the licence file. */
  licence?: number;
  /** Paths of programs; each gets the content of a small one that runs. */
  scripts?: readonly string[];
}

type Doc = readonly [string, number];

/** A list of `count` docs with `bytes` bytes together, each of another size. */
function docs(folder: string, count: number, bytes: number): Doc[] {
  const share = (at: number) => Math.floor((bytes * 2 * (at + 1)) / (count * (count + 1)));
  const sizes = Array.from({ length: count }, (_, at) => share(at));
  sizes[count - 1] = bytes - sizes.slice(0, -1).reduce((sum, size) => sum + size, 0);
  return sizes.map((size, at) => [`${folder}part-${String(at + 1).padStart(2, "0")}.md`, size]);
}

const APACHE = 11_345;
const SHORT = 1_467;
const fonts = Array.from({ length: 27 }, (_, at): Doc => [`fonts/family-${at + 1}-OFL.txt`, at === 0 ? 4_397 : 4_393]);

export const inventory: readonly Planned[] = [
  {
    folder: "algorithmic-art",
    bytes: 19_769,
    description: 324,
    docs: [],
    licence: APACHE,
    scripts: ["templates/seed.py"],
  },
  { folder: "brand-guidelines", bytes: 2_235, description: 236, docs: [], licence: APACHE },
  { folder: "canvas-design", bytes: 11_939, description: 289, docs: fonts, licence: APACHE },
  {
    folder: "claude-api",
    bytes: 73_938,
    description: 1_068,
    style: "block",
    docs: docs("", 64, 708_144),
    licence: APACHE,
  },
  { folder: "doc-coauthoring", bytes: 15_815, description: 428, docs: [] },
  { folder: "docx", bytes: 20_084, description: 785, docs: [], licence: SHORT, scripts: ["scripts/unpack.py"] },
  { folder: "frontend-design", bytes: 8_260, description: 204, docs: [], licence: 10_174 },
  {
    folder: "internal-comms",
    bytes: 1_511,
    description: 329,
    docs: [
      ["examples/3p-updates.md", 3_274],
      ["examples/company-newsletter.md", 3_295],
      ["examples/faq-answers.md", 2_364],
      ["examples/general-comms.md", 604],
    ],
    licence: APACHE,
  },
  {
    folder: "mcp-builder",
    bytes: 9_092,
    description: 277,
    docs: docs("reference/", 5, 82_671),
    licence: APACHE,
    scripts: ["scripts/evaluate.py"],
  },
  {
    folder: "pdf",
    bytes: 8_072,
    description: 437,
    docs: docs("", 2, 28_546),
    licence: SHORT,
    scripts: ["scripts/check.py"],
  },
  {
    folder: "pptx",
    bytes: 9_182,
    description: 688,
    style: "quoted",
    docs: docs("", 2, 19_704),
    licence: SHORT,
    scripts: ["scripts/slides.py"],
  },
  {
    folder: "skill-creator",
    bytes: 33_168,
    description: 319,
    docs: docs("references/", 4, 38_773),
    licence: APACHE,
    scripts: ["scripts/report.py"],
  },
  {
    folder: "slack-gif-creator",
    bytes: 7_841,
    description: 227,
    docs: [["requirements.txt", 66]],
    licence: APACHE,
    scripts: ["core/easing.py"],
  },
  { folder: "template", name: "template-skill", bytes: 140, description: 68, docs: [] },
  { folder: "theme-factory", bytes: 3_124, description: 262, docs: docs("themes/", 10, 5_315), licence: APACHE },
  { folder: "web-artifacts-builder", bytes: 3_087, description: 288, docs: [], licence: APACHE },
  {
    folder: "webapp-testing",
    bytes: 3_913,
    description: 204,
    docs: [],
    licence: APACHE,
    scripts: ["scripts/serve.py"],
  },
  {
    folder: "xlsx",
    bytes: 11_463,
    description: 941,
    style: "quoted",
    docs: [],
    licence: SHORT,
    scripts: ["scripts/recalc.py"],
  },
];
