"use strict";

const { spawn } = require("node:child_process");
const path = require("node:path");
const { ConfigurationTarget, RelativePattern, Uri, commands, env, window, workspace } = require("vscode");
const { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn } = require("vscode-languageclient/node");
const { ENVIRONMENTS, FILE, NAME, NoProgram, SCRIPTS, environment, findProgram, pythonEnvironments } = require("./program");
const { followTheme, showSurface } = require("./surface");

const INSTALLATION = "https://github.com/toolsurface-lint/toolsurface-lint/blob/main/docs/editors.md#vs-code";
const STEPS = {
  trust: ["Trust…", () => commands.executeCommand("workbench.trust.manage")],
  setting: ["Open Setting", () => commands.executeCommand("workbench.action.openSettings", `${NAME}.path`)],
  install: ["Install…", () => env.openExternal(Uri.parse(INSTALLATION))],
  choose: ["Choose…", () => chooseProgram()],
  restart: ["Restart", () => restart(true)],
  log: ["Show Log", () => log.show()],
};
/** What can be done, by why no program runs. */
const REMEDIES = {
  missing: [STEPS.install, STEPS.choose],
  unset: [STEPS.setting, STEPS.choose],
  old: [STEPS.install, STEPS.choose],
  broken: [STEPS.install, STEPS.choose],
  crashed: [STEPS.restart],
};
/** How often the server may end by itself in three minutes before it is not started again. */
const CRASHES = 4;

/** A client that says what goes wrong in the log only: `complain` says the rest. */
class Client extends LanguageClient {
  error(message, data) {
    super.error(message, data, false);
  }
}

let log;
let client;
/** The process of the server. */
let server;
let languages;
let home;
/** The last start or stop: they follow one another. */
let turn = Promise.resolve();
/** How often a start was wanted: one that another has followed is of no interest. */
let attempt = 0;
/** What was said last, so that it is said once. */
let said = "";

async function activate(context) {
  log = window.createOutputChannel(NAME, { log: true });
  home = context.extensionPath;
  // The languages in which the extension wakes up are those that it serves.
  languages = context.extension.packageJSON.activationEvents
    .filter((event) => event.startsWith("onLanguage:"))
    .map((event) => ({ scheme: "file", language: event.slice("onLanguage:".length) }));
  context.subscriptions.push(
    log,
    commands.registerCommand(`${NAME}.restart`, () => restart(true)),
    commands.registerCommand(`${NAME}.showSurface`, surface),
    commands.registerCommand(`${NAME}.showLog`, () => log.show()),
    commands.registerCommand(`${NAME}.chooseProgram`, chooseProgram),
    window.onDidChangeActiveColorTheme(followTheme),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${NAME}.path`) || event.affectsConfiguration(`${NAME}.enable`)) {
        restart();
      }
    }),
    workspace.onDidGrantWorkspaceTrust(() => follow(context).then(() => restart())),
    workspace.onDidChangeWorkspaceFolders(() => watch(context)),
  );
  await follow(context);
  await restart();
}

/** Notice when the environments of a trusted workspace change: their program, and which of them is chosen. */
async function follow(context) {
  if (!workspace.isTrusted) {
    return;
  }
  watch(context);
  try {
    const environments = await pythonEnvironments();
    environments && context.subscriptions.push(environments.onDidChangeActiveEnvironmentPath(() => restart()));
  } catch (error) {
    log.warn(`The Python extension cannot be asked which interpreter is chosen: ${error.message}`);
  }
}

let watchers = [];
let soon;

function watch(context) {
  watchers.forEach((watcher) => watcher.dispose());
  watchers = (workspace.isTrusted ? (workspace.workspaceFolders ?? []) : []).map((folder) => {
    // Of a folder that has just come, what came in it may be missed.
    const glob = `{${ENVIRONMENTS}}{,/${SCRIPTS},/${SCRIPTS}/${FILE}}`;
    const watcher = workspace.createFileSystemWatcher(new RelativePattern(folder, glob));
    const changed = () => {
      // An installation writes many files.
      clearTimeout(soon);
      soon = setTimeout(() => restart(), 1000);
    };
    watcher.onDidCreate(changed);
    watcher.onDidDelete(changed);
    watcher.onDidChange((uri) => path.basename(uri.fsPath) === FILE && changed());
    context.subscriptions.push(watcher);
    return watcher;
  });
}

/** Stop the server and start the one that is to run now. `asked`: somebody waits for it, and is told again what is wrong. */
function restart(asked = false) {
  if (asked) {
    said = "";
  }
  if (!client) {
    // One that does not come up would be waited for.
    server?.kill();
  }
  const mine = ++attempt;
  const isLast = () => mine === attempt;
  turn = turn
    .then(() => isLast() && stop())
    .then(() => isLast() && start())
    .catch((error) => isLast() && complain(error));
  return turn;
}

async function stop() {
  const stopped = client;
  client = undefined;
  await stopped?.dispose(2000).catch((error) => log.warn(`The server did not stop: ${error.message}`));
  server?.kill();
  server = undefined;
}

async function start() {
  if (!workspace.getConfiguration(NAME).get("enable", true)) {
    log.info("Turned off by the setting toolsurface-lint.enable.");
    return;
  }
  const program = await findProgram(log);
  log.info(`Runs ${program.path}, version ${program.version}.`);
  let words = "";
  let ended;
  const run = async () => {
    // Not in the workspace: nothing is to be looked for there because it is the working directory.
    server = spawn(program.path, ["server"], { cwd: home, env: environment() });
    ended = new Promise((resolve) => server.on("close", resolve));
    server.stderr.on("data", (data) => (words = (words + data).slice(-2000)));
    server.on("error", (error) => (words += error.message));
    return server;
  };
  let runs = false;
  let usual;
  const options = {
    documentSelector: languages,
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: async () => {
        if (!runs) {
          return { action: CloseAction.DoNotRestart, handled: true };
        }
        const answer = await usual.closed();
        if (answer.action === CloseAction.DoNotRestart) {
          complain(new NoProgram("crashed", answer.message));
        }
        return { ...answer, handled: true };
      },
    },
  };
  const started = new Client(NAME, NAME, run, options);
  usual = started.createDefaultErrorHandler(CRASHES);
  try {
    await started.start();
  } catch (error) {
    server?.kill();
    // What it said last may arrive after its end.
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 2000))]);
    throw new NoProgram("broken", words.trim().split("\n").at(-1) || `The server does not start: ${error.message}`);
  }
  runs = true;
  client = started;
  said = "";
}

/** Say what is wrong with what can be done about it. */
async function complain(error) {
  log.error(error.message);
  if (said === error.message) {
    return;
  }
  said = error.message;
  const untrusted = workspace.isTrusted
    ? ""
    : " In Restricted Mode, an environment of the workspace and its settings are not used.";
  const steps = [...(untrusted ? [STEPS.trust] : []), ...(REMEDIES[error.reason] ?? []), STEPS.log];
  // Not waited for: nobody may ever answer.
  window
    .showWarningMessage(`${error.message}${untrusted}`, ...steps.map(([title]) => title))
    .then((title) => steps.find(([other]) => other === title)?.[1]());
}

async function chooseProgram() {
  const [chosen] = (await window.showOpenDialog({ title: `Where is ${FILE}?`, openLabel: "Choose" })) ?? [];
  if (chosen) {
    await workspace.getConfiguration(NAME).update("path", chosen.fsPath, ConfigurationTarget.Global);
  }
}

async function surface() {
  const active = window.activeTextEditor && workspace.getWorkspaceFolder(window.activeTextEditor.document.uri);
  const folders = workspace.workspaceFolders ?? [];
  const folder = active ?? (folders.length > 1 ? await window.showWorkspaceFolderPick() : folders[0]);
  if (!folder) {
    window.showWarningMessage("Open a folder to see its surface.");
    return;
  }
  try {
    const program = await findProgram(log);
    await showSurface(program.path, folder);
  } catch (error) {
    said = "";
    await complain(error);
  }
}

async function deactivate() {
  await turn;
  await stop();
}

module.exports = { activate, deactivate };
