import type { ExecutorName } from "@scorel/sandbox/contract";

/** A program that failed: its error output, and the circumstances that can explain the failure. */
export interface FailedProgram {
  skill: string;
  stderr: string;
  /** Paths of the skill's files. */
  files: readonly string[];
  network: boolean;
  executor: ExecutorName;
}

/** Python modules whose package has another name, with the pip and the Debian name (without `python3-`). */
const PACKAGES: Readonly<Record<string, readonly [pip: string, debian: string]>> = {
  bs4: ["beautifulsoup4", "bs4"],
  Crypto: ["pycryptodome", "pycryptodome"],
  cv2: ["opencv-python", "opencv"],
  dateutil: ["python-dateutil", "dateutil"],
  docx: ["python-docx", "docx"],
  dotenv: ["python-dotenv", "dotenv"],
  fitz: ["PyMuPDF", "fitz"],
  OpenSSL: ["pyOpenSSL", "openssl"],
  PIL: ["Pillow", "pil"],
  pptx: ["python-pptx", "pptx"],
  serial: ["pyserial", "serial"],
  skimage: ["scikit-image", "skimage"],
  sklearn: ["scikit-learn", "sklearn"],
  yaml: ["PyYAML", "yaml"],
};
const NAME = "[A-Za-z_][\\w.-]{0,99}";
const PYTHON = new RegExp(`^ModuleNotFoundError: No module named '(${NAME})'`, "m");
const NODE = new RegExp(`Cannot find (?:module|package) '((?:@[\\w.-]{1,99}/)?${NAME})(?:/[^'\\n]*)?'`);

/** A sentence about the package that a program lacks; undefined if its output mentions none. */
export function missingPackage(failed: FailedProgram): string | undefined {
  const module = PYTHON.exec(failed.stderr)?.[1]?.split(".")[0];
  if (module !== undefined) return pythonModule(module, failed);
  const name = NODE.exec(failed.stderr)?.[1];
  return name === undefined ? undefined : nodePackage(name, failed);
}

function pythonModule(module: string, failed: FailedProgram): string {
  const own = failed.files.find((path) => `/${path}`.includes(`/${module}/`) || `/${path}`.endsWith(`/${module}.py`));
  if (own !== undefined)
    return `the Python module "${module}" is the skill's own (${own}): run the program with python3 -m, or set PYTHONPATH to the folder around it`;
  const [pip, debian] = Object.hasOwn(PACKAGES, module)
    ? (PACKAGES[module] as readonly [string, string])
    : [module, module.toLowerCase()];
  const install = `python3 -m venv .venv && .venv/bin/pip install ${pip}`;
  return advice(`the Python module "${module}" is missing`, pip, install, `python3-${debian}`, failed);
}

function nodePackage(name: string, failed: FailedProgram): string {
  const install = `npm install --prefix "$WORK_DIR" ${name}, then with NODE_PATH="$WORK_DIR/node_modules"`;
  return advice(`the Node.js package "${name}" is missing`, name, install, undefined, failed);
}

function advice(
  what: string,
  name: string,
  install: string,
  debian: string | undefined,
  { skill, network, executor }: FailedProgram,
): string {
  // The executor `local` does not block the network.
  if (network || executor === "local") return `${what}: add the package ${name} and run again: ${install}`;
  const isContainer = executor === "docker" || executor === "podman";
  const system = debian === undefined ? "" : ` (${debian} on Debian)`;
  const place = isContainer ? 'to the image that "image" of [sandbox] names' : `to this machine${system}`;
  return `${what}, and this program has no network: a person has to add the package ${name} ${place}, or add "${skill}" to "network" of [runner]; then: ${install}`;
}
