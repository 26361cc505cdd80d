"""What is known of values in TypeScript and JavaScript without running it: names and descriptions, with their places."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from toolsurface_lint.readers.programs.definitions import ProgramTools
from toolsurface_lint.readers.programs.tools import read_programs
from toolsurface_lint.source.text import SourceText

HEAD = """\
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
const server = new McpServer({ name: "shop", version: "1.0.0" });
"""
ADD = "const add = (name, description) => server.registerTool(name, { description }, run);\n"


def read(code: str, files: Mapping[str, str] | None = None) -> ProgramTools:
    head = HEAD + ADD if "add(" in code else HEAD
    every = {"src/server.ts": head + code, **(files or {})}
    return read_programs([SourceText(path, text) for path, text in every.items()], language="typescript")


def found(code: str, files: Mapping[str, str] | None = None) -> list[tuple[str, str | None]]:
    """The names and descriptions of a program whose tools are all known."""
    tools = read(code, files)
    assert [reason.text for reason in tools.reasons] == []
    return [(tool.name, tool.description and tool.description.value) for tool in tools.tools]


ONE = [("find", "Finds it.")]

PROGRAMS = {
    "a constant": 'const n = "find", d = "Finds it."; add(n, d);',
    "a template": 'const x = "fin"; add(`${x}d`, `Finds ${"it"}.`);',
    "as const": 'const N = { a: "find" } as const; add(N.a, "Finds it.");',
    "satisfies": 'const T = { n: "find" } satisfies Named; add(T.n, "Finds it.");',
    "not null": 'const n: string | undefined = "find"; add(n!, "Finds it.");',
    "an enum": 'enum N { Find = "find" } add(N.Find, "Finds it.");',
    "an enum by key": 'const enum N { Find = "find" } add(N["Find"], "Finds it.");',
    "the values of an enum": 'enum N { Find = "find" } for (const n of Object.values(N)) add(n, "Finds it.");',
    "a spread object": 'const b = { description: "Finds it." }; server.registerTool("find", { ...b, title: "x" }, f);',
    "spread arguments": 'const a = ["find", "Finds it."] as const; add(...a);',
    "a spread under a condition": 'const o = { d: "Finds it.", ...(false && { d: "x" }) }; add("find", o.d);',
    "a pattern with a default": 'const { n = "find", d } = { d: "Finds it." }; add(n, d);',
    "a pattern with another name": 'const { x: n = "find", ...rest } = { d: "Finds it." }; add(n, rest.d);',
    "a pattern of an array": 'const [n, d = "Finds it."] = ["find"]; add(n, d);',
    "a pattern with a hole": 'const [, n] = ["x", "find"]; add(n, "Finds it.");',
    "a pattern of the environment": 'const { N = "find" } = process.env; add(N, "Finds it.");',
    "a parameter taken apart": 'function go({ n, d = "Finds it." }) { add(n, d); } go({ n: "find" });',
    "a parameter with a default": 'function go(n: string, d = "Finds it.") { add(n, d); } go("find");',
    "an optional parameter": 'function go(n: string, d?: string) { add(n, d ?? "Finds it."); } go("find");',
    "a rest parameter": 'function go(...a: string[]) { add(a[0], a[1]); } go("find", "Finds it.");',
    "a loop": 'for (const { n, d } of [{ n: "find", d: "Finds it." }]) add(n, d);',
    "a loop over keys": 'const t = { find: "Finds it." }; for (const n in t) add(n, t[n]);',
    "entries": 'for (const [n, t] of Object.entries({ find: "Finds it." })) add(n, t);',
    "fromEntries": 'const t = Object.fromEntries([["find", "Finds it."]]); add("find", t.find);',
    "assign": 'const o = Object.assign({}, { d: "Finds it." }); add("find", o.d);',
    "map and forEach": '["find"].map((n) => ({ n, d: "Finds it." })).forEach((t) => { add(t.n, t.d); });',
    "flatMap": '[["find"], []].flatMap((x) => x).forEach((n) => add(n, "Finds it."));',
    "filter": '["find", "x"].filter((n) => n !== "x").forEach((n) => add(n, "Finds it."));',
    "filter(Boolean)": '["find", null].filter(Boolean).forEach((n) => add(n, "Finds it."));',
    "reduce": 'const m = ["find"].reduce((a, n) => ({ ...a, [n]: "Finds it." }), {}); add("find", m.find);',
    "at": 'const a = ["x", "find"]; add(a.at(-1), "Finds it.");',
    "a map": 'for (const [n, d] of new Map([["find", "Finds it."]])) add(n, d);',
    "a spread map": 'const m = new Map([["find", "Finds it."]]); for (const [n, d] of [...new Map(m)]) add(n, d);',
    "a map that is filled": 'const m = new Map(); m.set("find", "Finds it."); m.forEach((d, n) => add(n, d));',
    "a set": 'for (const n of new Set(["find"])) add(n, "Finds it.");',
    "static members": 'class T { static n = "find"; d = "Finds it."; } add(T.n, new T().d);',
    "getters": 'class T { static get n() { return "find"; } get d() { return "Finds it."; } } add(T.n, new T().d);',
    "a getter of an object": 'const o = { get n() { return "find"; } }; add(o.n, "Finds it.");',
    "parameter properties": 'class T { constructor(public n, readonly d = "Finds it.") {} go() { add(this.n, this.d); } }'
    ' new T("find").go();',
    "super()": "class B { constructor(public n, public d) {} go() { add(this.n, this.d); } }"
    ' class T extends B { constructor() { super("find", "Finds it."); } } new T().go();',
    "an abstract class": "abstract class B { abstract n: string; go() { add(this.n, this.d()); } abstract d(); }"
    ' class T extends B { n = "find"; d() { return "Finds it."; } } new T().go();',
    "super.method()": 'class B { n() { return "fin"; } } class T extends B { n() { return super.n() + "d"; } }'
    ' add(new T().n(), "Finds it.");',
    "private fields": 'class T { #n = "find"; go = () => { add(this.#n, "Finds it."); }; } new T().go();',
    "a setting": 'add(process.env.N ?? "find", process.env["D"] || "Finds it.");',
    "typeof": 'const d: unknown = "Finds it."; add("find", typeof d === "string" ? d : "x");',
    "a condition that is known": 'if (true) add("find", "Finds it."); else add("x", "y");',
    "a registry": 'const all = []; const put = (n, d) => all.push({ n, d }); put("find", "Finds it.");'
    " for (const t of all) add(t.n, t.d);",
    "a bound method": 'const t = server.registerTool.bind(server); t("find", { description: "Finds it." }, f);',
    "a method taken out": 'const { registerTool } = server; registerTool("find", { description: "Finds it." }, f);',
    "an optional call": 'server?.registerTool?.("find", { description: "Finds it." }, f);',
    "a function that stands below": 'add(n(), "Finds it."); function n() { return "find"; }',
    "a function that is called at once": '(async () => { add("find", "Finds it."); })();',
    "a function that is called later": "async function main() { await go(server); }"
    ' async function go(s) { s.registerTool("find", { description: "Finds it." }, f); } main().catch(console.error);',
    "joined texts": 'add("find", ["Finds", "it."].join(" "));',
    "assignments": 'let d = "Finds "; d += "it."; let n; n ??= "find"; add(n, d);',
    "a tag": "add(`find`, String.raw`Finds it.`);",
    "replaced parts": 'add("fi-n-d".replaceAll("-", ""), "Finds it.");',
}  # fmt: skip


@pytest.mark.parametrize("code", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_value(code: str) -> None:
    assert found(code) == ONE


IMPORTS = {
    "without an ending": ('import { n } from "./n";', "src/n.ts", 'export const n = "find";'),
    "with .js": ('import { n } from "./n.js";', "src/n.ts", 'export const n = "find";'),
    "with .ts": ('import { n } from "./n.ts";', "src/n.ts", 'export const n = "find";'),
    "with .mjs": ('import { n } from "./n.mjs";', "src/n.mts", 'export const n = "find";'),
    "of a component": ('import { n } from "./n";', "src/n.tsx", 'export const n = "find";'),
    "of a folder": ('import { n } from "./n";', "src/n/index.ts", 'export const n = "find";'),
    "of a folder above": ('import { n } from "../lib/n.js";', "lib/n.ts", 'export const n = "find";'),
    "of the default": ('import n from "./n.js";', "src/n.ts", 'export default "find";'),
    "of the default by its name": ('import { default as n } from "./n";', "src/n.ts", 'const m = "find"; export default m;'),
    "of all": ('import * as all from "./n.js"; const n = all.n;', "src/n.ts", 'export const n = "find";'),
    "by another name": ('import { m as n } from "./n.js";', "src/n.ts", 'const x = "find"; export { x as m };'),
    "of a type too": ('import { type T, n } from "./n.js";', "src/n.ts", 'export type T = 1; export const n = "find";'),
    "by @/": ('import { n } from "@/lib/n";', "src/lib/n.ts", 'export const n = "find";'),
    "by ~/": ('import { n } from "~/n.js";', "src/n.ts", 'export const n = "find";'),
    "from the base": ('import { n } from "src/lib/n";', "src/lib/n.ts", 'export const n = "find";'),
    "of a package beside": ('import { n } from "@shop/names";', "packages/names/src/index.ts", 'export const n = "find";'),
    "by require": ('const { n } = require("./n");', "src/n.js", 'module.exports = { n: "find" };'),
    "by require of one value": ('const n = require("./n");', "src/n.js", 'module.exports = "find";'),
    "by require of exports": ('const n = require("./n").n;', "src/n.js", 'exports.n = "find";'),
    "of module.exports": ('import { n } from "./n.js";', "src/n.js", 'module.exports.n = "find";'),
    "by import =": ('import all = require("./n"); const n = all.n;', "src/n.ts", 'export const n = "find";'),
    "at run time": ('const { n } = await import("./n.js");', "src/n.ts", 'export const n = "find";'),
}  # fmt: skip


@pytest.mark.parametrize(("code", "path", "text"), IMPORTS.values(), ids=IMPORTS.keys())
def test_import(code: str, path: str, text: str) -> None:
    files = {path: text}
    assert found(f'{code} add(n, "Finds it.");', files) == ONE
    name = read(f'{code} add(n, "Finds it.");', files).tools[0].name_node.place
    assert name.source is not None
    span = name.span()
    assert span is not None
    assert (name.source.path, name.source.text[slice(*span)]) == (path, '"find"')


@pytest.mark.parametrize(
    "text", ['export { n } from "./m.js";', 'export * from "./m.js";', 'import { n } from "./m"; export { n };']
)
def test_exported_again(text: str) -> None:
    files = {"src/n.ts": text, "src/m.ts": 'import "./n.js"; export const n = "find";'}
    assert found('import { n } from "./n.js"; add(n, "Finds it.");', files) == ONE


def test_functions_of_files_in_a_loop() -> None:
    files = {
        "src/tools/index.ts": 'export * from "./a.js"; export * as more from "./b.js";',
        "src/tools/a.ts": 'export function go(s) { s.registerTool("find", { description: "Finds it." }, f); }',
        "src/tools/b.ts": "export const unused = 1;",
    }
    code = 'import * as tools from "./tools/index.js"; for (const go of Object.values(tools)) go(server);'
    assert found(code, files) == ONE


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("add(process.env.NAME, 'x');", "a tool registered under an environment variable"),
        ("add(nameOf(x), 'x');", "a tool registered under a call's result"),
        ("for (const n of await list()) add(n, 'x');", "tools registered in a loop over a call's result"),
        (
            "import { n } from 'x'; for (const t of n) add(t, 'x');",
            "tools registered in a loop over a value that only a run can tell",
        ),
        ("for (const [n] of new Map(x)) add(n, 'x');", "tools registered in a loop over a dict that is filled at run time"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_said(code: str, reason: str) -> None:
    tools = read(code)
    assert tools.tools == []
    assert [each.text for each in tools.reasons] == [reason]


@pytest.mark.parametrize("code", ["function go(s: McpServer) {", "export const go = (s: McpServer) => {"])
def test_a_function_that_nobody_calls(code: str) -> None:
    tools = read(f'{code} s.registerTool("find", {{ description: "Finds it." }}, f); }}')
    assert [(tool.name, tool.description.value) for tool in tools.tools if tool.description] == ONE
