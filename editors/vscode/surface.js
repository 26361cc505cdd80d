"use strict";

// The page of the surface, in a panel. It is the program's own: one page that needs nothing but itself, and whose policy
// (CSP) admits no other style or script than its own, by their digests.

const { createHash } = require("node:crypto");
const { ColorThemeKind, ProgressLocation, ViewColumn, window, workspace } = require("vscode");
const { run } = require("./program");

const DARK = "(prefers-color-scheme: dark)";
/** Takes back what a panel gives every page, which has a look of its own. */
const PLAIN = "code { color: inherit; background-color: transparent; padding: 0; border-radius: 0; } a code { color: inherit; }\n";
const panels = new Map();

/** Show the surfaces of a workspace folder, or show them again. `program` is the path of the program. */
async function showSurface(program, folder) {
  const key = folder.uri.toString();
  const task = { location: ProgressLocation.Notification, title: `Reading the surface of ${folder.name}`, cancellable: true };
  const { code, stdout, stderr, cancelled } = await window.withProgress(task, async (_, token) => {
    const stop = new AbortController();
    token.onCancellationRequested(() => stop.abort());
    // Paths on the page are relative to the folder.
    const options = { cwd: folder.uri.fsPath, signal: stop.signal };
    const ended = await run(program, ["surface", "--output", "html", "."], options);
    return { ...ended, cancelled: stop.signal.aborted };
  });
  if (cancelled) {
    return;
  }
  if (!stdout.startsWith("<!doctype html>")) {
    throw new Error(stderr.trim() || `toolsurface-lint surface ended with ${code}`);
  }
  let entry = panels.get(key);
  if (!entry) {
    const options = { enableScripts: true, enableFindWidget: true, retainContextWhenHidden: true, localResourceRoots: [] };
    const panel = window.createWebviewPanel("toolsurface-lint.surface", "", ViewColumn.Active, options);
    entry = { panel, page: "" };
    panels.set(key, entry);
    panel.onDidDispose(() => panels.delete(key));
  }
  const several = (workspace.workspaceFolders ?? []).length > 1;
  entry.panel.title = several ? `Surface: ${folder.name}` : "Surface";
  entry.page = stdout;
  draw(entry);
  entry.panel.reveal();
}

/** Show the pages that are open in the present colours. */
function followTheme() {
  for (const entry of panels.values()) {
    draw(entry);
  }
}

function draw({ panel, page }) {
  const theme = window.activeColorTheme.kind;
  panel.webview.html = inScheme(page, theme === ColorThemeKind.Dark || theme === ColorThemeKind.HighContrast);
}

/** The page in dark or light colours, whatever the system prefers, which is what the page follows by itself. */
function inScheme(page, dark) {
  const [, style] = /<style>([^]*?)<\/style>/.exec(page) ?? [];
  if (style === undefined || !style.includes(DARK)) {
    return page;
  }
  const drawn = `${PLAIN}${style}`
    .replaceAll(DARK, dark ? "(min-width: 0)" : "(max-width: 0)")
    .replace("color-scheme: light dark", `color-scheme: ${dark ? "dark" : "light"}`);
  return page.replace(digest(style), () => digest(drawn)).replace(style, () => drawn);
}

function digest(text) {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

module.exports = { followTheme, inScheme, showSurface };
