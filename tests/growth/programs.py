"""Programs of other languages than Python that register tools, in the notation of `documents`."""

# ruff: noqa: E501

from __future__ import annotations

_MCP = 'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nimport { z } from "zod";\n'
_SERVER = f'{_MCP}const server = new McpServer({{ name: "notes", version: "1" }});\n'

PROGRAMS = {
    "typescript registrations": {
        "server.ts": _SERVER + '«\\n server.registerTool("read_№", { description: "Reads. ¤", inputSchema: { path: z.string().describe("¤") } }, f);»\n'
        "const told = `Use read_0. ¤`;\nexport const SYSTEM_PROMPT = `Call read_0. ¤` + told;\n"
        '«\\n server.tool("write_№", "Writes. ¤", { p: z.enum(["a№"]) }, f);»\n',
    },
    "typescript loops": {
        "server.ts": _SERVER + "const tools = [«, { name: 't№', description: 'Does. ¤' }»] as const;\n"
        "for (const { name, ...rest } of tools) server.registerTool(name, rest, f);\n"
        "tools.map((t) => t.name).filter(Boolean).forEach((n) => server.registerTool('x' + n, {}, f));\n"
        "const table = new Map(Object.entries({«, k№: { description: '¤' }»}));\n"
        "for (const [name, tool] of [...table]) server.registerTool(name, tool, f);\n",
    },
    "typescript chains": {
        "server.ts": _SERVER + "const s = z.string()« .min(№)»;\nconst o = z.object({ a: s })« .extend({ b№: s })»;\n"
        "const u = z.union([«, z.literal('v№')»]);\nconst d = 'Reads.'« .concat(' №')»« + ' ¤'»;\n"
        "server.registerTool('read', { description: d, inputSchema: o.merge(u).shape }, f);\n",
    },
    "typescript nesting": {
        "server.ts": _SERVER + "const a = « [»1« ]»;\nconst b = « `${»1« }`»;\nconst c = « ()=>»1;\n"
        "server.registerTool('read', { description: b, inputSchema: a }, c);\n",
    },
    "typescript nesting of calls": {
        "server.ts": _SERVER + "const a = « {a:»1« }»;\nconst b = « z.array(»z.string()« )»;\n« if (x) {» f();\n"
        "server.registerTool('read', { description: 'Reads.', inputSchema: { a: b, c: a } }, f);\n",
    },
    "typescript functions": {
        "server.ts": _SERVER + "«\\n function add№(s: McpServer, n: string) { s.registerTool(n, { description: `Reads ${n}. ¤` }, f); }»\n"
        "«\\n add0(server, 'a№');»\n«\\n const w№ = (n = 'x') => (m = n) => add0(server, m);»\n«\\n w0('n№')();»\n"
        "«\\n class T№ extends T0 { static toolName = 't№'; go() { server.registerTool(T№.toolName, {}, f); } }»\n«\\n new T№().go();»\n",
    },
    "typescript imports": {
        "server.ts": _SERVER + "«\\n import { n№ } from './a.js';»\n«\\n import * as m№ from '@/b';»\nserver.registerTool(n0, { description: 'x' }, f);\n",
        "a.ts": _SERVER + "server.registerTool('a', { description: '¤' }, f);\nexport * from './b.js';\n«\\n export { n№ } from './b.js';»\n",
        "b.ts": _SERVER + "server.registerTool('b', { description: '¤' }, f);\nexport * from './a.js';\n«\\n export const n№ = 'n№';»\nmodule.exports = {«, k№: 1»};\n",
    },
    "typescript text": {"server.ts": _SERVER + "server.registerTool('read', { description: '¤' }, f);\n§\n"},
    "go program": {
        "server.go": 'package main\n\nimport "github.com/mark3labs/mcp-go/mcp"\n\n«\\n const name№ = "read_№"»\n\nfunc main() {\n'
        '«\\n 	s.AddTool(mcp.NewTool("read_№", mcp.WithDescription("Reads. ¤"), mcp.WithString("path", mcp.Required()), mcp.WithNumber("n№")), f)»\n'
        '	mcp.NewTool(name0, mcp.WithDescription("a"« + "b№"»)«, mcp.WithString("p№", mcp.Description("¤"))»)\n}\n§\n',
    },
    "rust program": {
        "server.rs": "use rmcp::{tool, tool_router};\n#[tool_router]\nimpl Server {\n«\\n     /// Reads. №\n    #[tool(description = \"Reads. ¤\")]\n    async fn read_№(&self, path: String) -> String { path }»\n}\n"
        "«\\n /// A field.\nstruct P№ { a: String, b: Option<i64> }»\n§\n",
    },
    "java program": {
        "Server.java": "import org.springframework.ai.tool.annotation.Tool;\nclass Server {\n«\\n   static final String N№ = \"n№\";»\n"
        "«\\n   @Tool(name = \"read_№\", description = \"Reads. ¤\") String read№(@ToolParam(description = \"¤\") String path) { return path; }»\n"
        "  @Tool(description = \"a\"« + \"b№\"») String last(«, int p№») { return null; }\n}\n§\n",
    },
    "kotlin program": {
        "Server.kt": "import org.springframework.ai.tool.annotation.Tool\nclass Server {\n«\\n   @Tool(name = \"read_№\", description = \"Reads. ¤\") fun read№(path: String, n: Int = 1) = path»\n}\n"
        "fun main() {\n«\\n   server.addTool(name = \"add_№\", description = \"Adds. ¤\") { r -> r }»\n}\n§\n",
    },
    "csharp program": {
        "Server.cs": "using ModelContextProtocol.Server;\n[McpServerToolType]\npublic static class Notes {\n"
        "«\\n   [McpServerTool(Name = \"read_№\"), Description(\"Reads. ¤\")] public static string Read№([Description(\"¤\")] string path, int n = 1) => path;»\n"
        "  [McpServerTool, Description(\"a\"« + \"b№\"»)] public static string Last(«, int p№») => \"\";\n}\n§\n",
    },
}  # fmt: skip
