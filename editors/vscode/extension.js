"use strict";

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = [
  "dockerfile", "jinja", "json", "jsonc", "makefile", "markdown", "plaintext", "prompt", "shellscript", "toml", "yaml",
  "csharp", "go", "java", "javascript", "javascriptreact", "kotlin", "python", "rust", "typescript", "typescriptreact",
];

let client;

async function activate() {
  const command = workspace.getConfiguration("toolsurface-lint").get("path");
  client = new LanguageClient(
    "toolsurface-lint",
    "toolsurface-lint",
    { command, args: ["server"] },
    { documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })) },
  );
  await client.start();
}

async function deactivate() {
  await client?.stop();
}

module.exports = { activate, deactivate };
