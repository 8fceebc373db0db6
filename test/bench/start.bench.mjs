import { bin } from "./measure.mjs";

export default [
  { work: "scorel --version", args: [bin, "--version"], aim: 1.5 },
  { work: "scorel --help", args: [bin, "--help"], aim: 1.5 },
];
