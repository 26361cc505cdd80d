"use strict";

// Which toolsurface-lint is run. In a workspace that nobody has said to trust, nothing of that workspace is.

const { execFile } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { extensions, workspace } = require("vscode");

/** The oldest program that answers all that this extension asks of it. */
const OLDEST = "0.1.0";

const NAME = "toolsurface-lint";
const FILE = process.platform === "win32" ? `${NAME}.exe` : NAME;
const SCRIPTS = process.platform === "win32" ? "Scripts" : "bin";
/** Environments in a workspace folder, as globs have them too. */
const ENVIRONMENTS = [".venv", "venv"];
/** Milliseconds after which a program that does not say its version is not one. */
const PATIENCE = 30_000;

/** Why no program runs: `reason` is `missing`, `unset` (the setting names none that is there), `old`, `broken` or `crashed`. */
class NoProgram extends Error {
  constructor(reason, message) {
    super(message);
    this.reason = reason;
  }
}

/** The path of the program and its version. Throws `NoProgram`. */
async function findProgram(log) {
  const set = workspace.getConfiguration(NAME).get("path", "").trim();
  const found = set ? named(set) : (await inWorkspace(log)) || onPath(FILE) || ofUser();
  if (!found && set) {
    throw new NoProgram("unset", `The program that the setting toolsurface-lint.path names is not there: ${set}`);
  }
  if (!found) {
    throw new NoProgram("missing", "toolsurface-lint is not installed, so nothing is checked.");
  }
  const version = await versionOf(found, log);
  if (isOlder(version, OLDEST)) {
    throw new NoProgram("old", `toolsurface-lint ${version} is too old: ${OLDEST} or later is needed (${found}).`);
  }
  return { path: found, version };
}

/** The program that the setting names: by a name on the PATH, or by a path, relative to a trusted workspace folder. */
function named(set) {
  const given = set.startsWith("~/") ? path.join(os.homedir(), set.slice(2)) : set;
  if (given === path.basename(given)) {
    return onPath(given) || (process.platform === "win32" && onPath(`${given}.exe`));
  }
  const bases = path.isAbsolute(given) || !workspace.isTrusted ? [""] : folders();
  return bases.map((base) => path.join(base, given)).find((file) => path.isAbsolute(file) && isUsable(file));
}

/** The program in the environment of a trusted workspace: the one chosen in the Python extension, then `.venv` and `venv`. */
async function inWorkspace(log) {
  if (!workspace.isTrusted) {
    return undefined;
  }
  for (const folder of workspace.workspaceFolders ?? []) {
    const chosen = await chosenInterpreter(folder.uri, log);
    const places = ENVIRONMENTS.map((name) => path.join(folder.uri.fsPath, name, SCRIPTS));
    const found = [...(chosen ? [path.dirname(chosen)] : []), ...places]
      .map((place) => path.join(place, FILE))
      .find(isUsable);
    if (found) {
      return found;
    }
  }
  return undefined;
}

/** The environments of the Python extension; undefined if it is not installed. */
async function pythonEnvironments() {
  const python = extensions.getExtension("ms-python.python");
  return python && (python.isActive ? python.exports : await python.activate())?.environments;
}

async function chosenInterpreter(uri, log) {
  try {
    const environments = await pythonEnvironments();
    const chosen = environments?.getActiveEnvironmentPath(uri);
    return chosen && (await environments.resolveEnvironment(chosen))?.executable?.uri?.fsPath;
  } catch (error) {
    log.warn(`The Python extension does not say which interpreter is chosen: ${error.message}`);
    return undefined;
  }
}

function onPath(file) {
  return (process.env.PATH ?? "")
    .split(path.delimiter)
    .filter(path.isAbsolute)
    .map((folder) => path.join(folder, file))
    .find(isUsable);
}

/** Where pipx and uv put programs, for an editor that was started without the PATH of a shell. */
function ofUser() {
  const file = path.join(os.homedir(), ".local", "bin", FILE);
  return isUsable(file) ? file : undefined;
}

function isUsable(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile() && (workspace.isTrusted || !isInWorkspace(file));
  } catch {
    return false;
  }
}

/** Whether a file lies in a workspace folder, or leads there, by its own path or by that of a folder above it. */
function isInWorkspace(file) {
  const whole = fs.realpathSync.native;
  const places = [file, whole(file)];
  return folders()
    .flatMap((folder) => [folder, whole(folder)])
    .some((folder) => places.some((place) => isBelow(place, folder)));
}

function isBelow(file, folder) {
  const relative = path.relative(folder, file);
  return !path.isAbsolute(relative) && relative.split(path.sep)[0] !== "..";
}

function folders() {
  return (workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
}

async function versionOf(program, log) {
  const { stdout, stderr } = await run(program, ["--version"], { cwd: os.homedir(), timeout: PATIENCE });
  const version = /\d+\.\d+\.\d+/.exec(stdout)?.[0];
  if (!version) {
    log.error(`${program} --version: ${stderr || stdout}`);
    throw new NoProgram("broken", `This is not toolsurface-lint, or it is broken: ${program}`);
  }
  return version;
}

function isOlder(version, than) {
  const [one, other] = [version, than].map((text) => text.split(".").map(Number));
  const differs = one.findIndex((number, index) => number !== other[index]);
  return differs >= 0 && one[differs] < other[differs];
}

/** What a program writes, and its exit code, null if it did not end by itself. `options` are those of `execFile`. */
function run(program, args, options) {
  return new Promise((resolve) => {
    const whole = { env: environment(), maxBuffer: 256 * 1024 * 1024, ...options };
    execFile(program, args, whole, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === "number" ? error.code : null) : 0;
      resolve({ code, stdout, stderr: stderr || (error && code === null ? error.message : "") });
    });
  });
}

/**
 * The variables for the program: Python takes a relative entry of PYTHONPATH for one in the working directory, and the
 * settings of a workspace that is not trusted may not choose which installed plugins run.
 */
function environment() {
  const { PYTHONPATH: kept, ...others } = process.env;
  const variables = workspace.isTrusted ? others : { ...others, TOOLSURFACE_LINT_PLUGINS: "off" };
  const absolute = (kept ?? "").split(path.delimiter).filter(path.isAbsolute);
  return absolute.length ? { ...variables, PYTHONPATH: absolute.join(path.delimiter) } : variables;
}

module.exports = { ENVIRONMENTS, FILE, NAME, NoProgram, SCRIPTS, environment, findProgram, pythonEnvironments, run };
