"""Coding clients: the tools that they have of their own, by the names that files for them use, and which files they read.

Each catalogue says where it was read and how sure that is (`source`: a package or a repository; `docs`), as of 2026-11. A
name that was only recalled is among the known ones all the same: it can keep a finding back, and never be the ground of one.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from toolsurface_lint.knowledge import DOCS, SOURCE, renamed, words


class Client(NamedTuple):
    """One client's own tools.

    `name` is for people. `legacy` maps former and other spellings to present ones. `complete`: the catalogue holds every
    tool, and a name it does not know is not a tool; without it only a name close to a known one can be called wrong.
    `folds`: the client takes names in any case. `sets` are names that stand for several tools. `former` maps names
    that it does not know any more to those that took their place.
    """

    name: str
    tools: frozenset[str]
    source: str
    confidence: str
    legacy: Mapping[str, str] = {}
    sets: Mapping[str, frozenset[str]] = {}
    former: Mapping[str, str] = {}
    complete: bool = False
    folds: bool = False

    def instead_of(self, name: str) -> str | None:
        """The tool that took the place of one under a former name, in whatever case that is written; None for any other."""
        renamed = {**self.legacy, **self.former}
        return renamed.get(name) or next((new for old, new in renamed.items() if old.lower() == name.lower()), None)

    def spellings(self, name: str) -> frozenset[str]:
        """The names by which a list may grant a tool: its own, others of it, and the sets that hold it."""
        present = self.legacy.get(name, name)
        names = {name, present, *(other for other, new in self.legacy.items() if new == present)}
        return frozenset(names | {group for group, members in self.sets.items() if not members.isdisjoint(names)})


CLIENTS: dict[str, Client] = {
    "claude-code": Client(
        "Claude Code",
        # `Cd` and the last four before it are in the settings' schema or in the typings alone; `DesignSync` is in agents and
        # notes of public repositories, 2026-10.
        words(
            "Agent Artifact AskUserQuestion Bash CronCreate CronDelete CronList DesignSync Edit EndConversation "
            "EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob Grep ListAgents ListMcpResourcesTool LSP "
            "Monitor NotebookEdit PowerShell PushNotification Read ReadMcpResourceTool RemoteTrigger "
            "ReportFindings ScheduleWakeup SendFeedback SendMessage SendUserFile ShareOnboardingGuide Skill "
            "SubagentHandback TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoWrite ToolSearch "
            "WaitForMcpServers WebFetch WebSearch Workflow Write ReadMcpResourceDir Projects REPL "
            "ShowOnboardingRolePicker Cd"
        ),
        "tools-reference of the documentation up to 2.1.288; npm @anthropic-ai/claude-code 2.1.197, sdk-tools.d.ts;"
        " the settings' schema of SchemaStore, 2026-08",
        DOCS,
        legacy=renamed(
            "Task=Agent MultiEdit=Edit LS=Glob BashOutput=TaskOutput KillShell=TaskStop KillBash=TaskStop "
            "SlashCommand=Skill NotebookRead=Read MCPSearch=ToolSearch TeamCreate=Agent TeamDelete=Agent"
        ),
        # npm @anthropic-ai/claude-code 0.2.50, cli.js.
        former=renamed(
            "View=Read Replace=Write GlobTool=Glob GrepTool=Grep NotebookEditCell=NotebookEdit ReadNotebook=Read "
            "dispatch_agent=Agent"
        ),
        complete=True,
    ),
    "gemini-cli": Client(
        "Gemini CLI",
        words(
            "glob grep_search list_directory read_file read_many_files run_shell_command write_file replace "
            "google_web_search web_fetch write_todos ask_user activate_skill get_internal_docs enter_plan_mode "
            "exit_plan_mode update_topic complete_task invoke_agent read_mcp_resource list_mcp_resources "
            "tracker_create_task tracker_update_task tracker_get_task tracker_list_tasks tracker_add_dependency "
            "tracker_visualize codebase_investigator cli_help"
        ),
        "@google/gemini-cli-core 0.61.0, tools/tool-names.js; the names that end in `Tool` are recalled",
        SOURCE,
        legacy=renamed(
            "search_file_content=grep_search edit=replace save_memory=write_file ShellTool=run_shell_command "
            "ReadFileTool=read_file WriteFileTool=write_file EditTool=replace GlobTool=glob GrepTool=grep_search "
            "LSTool=list_directory WebFetchTool=web_fetch WebSearchTool=google_web_search "
            "ReadManyFilesTool=read_many_files"
        ),
    ),
    "copilot": Client(
        "GitHub Copilot",
        words(
            "codebase executionSubagent searchSubagent symbols vscodeAPI fileSearch textSearch applyPatch "
            "readFile viewImage listDirectory problems changes testFailure newWorkspace getProjectSetupInfo "
            "installExtension runCommand createJupyterNotebook insertEdit createFile createDirectory "
            "replaceString multiReplaceString editNotebook runNotebookCell getNotebookSummary "
            "readNotebookCellOutput fetch findTestFiles searchResults githubRepo switchAgent memory "
            "resolveMemoryFileUri editFiles semantic_search execution_subagent search_subagent "
            "search_workspace_symbols get_vscode_api file_search grep_search apply_patch read_file view_image "
            "list_dir get_errors get_changed_files test_failure create_new_workspace get_project_setup_info "
            "install_extension run_vscode_command create_new_jupyter_notebook insert_edit_into_file create_file "
            "create_directory replace_string_in_file multi_replace_string_in_file edit_notebook_file "
            "run_notebook_cell copilot_getNotebookSummary read_notebook_cell_output fetch_webpage test_search "
            "get_search_view_results github_repo switch_agent resolve_memory_file_uri edit_files run_in_terminal "
            "get_terminal_output terminal_selection terminal_last_command create_and_run_task run_task "
            "get_task_output runTests runSubagent manage_todo_list vscode_askQuestions vscode_get_confirmation "
            "vscode_get_terminal_confirmation tool_search runCommands runTasks openSimpleBrowser usages extensions new "
            "runNotebooks terminalLastCommand terminalSelection search todos think readCellOutput"
        ),
        "microsoft/vscode-copilot-chat 0.42.0, package.json and toolNames.ts; github/awesome-copilot, the instructions for"
        " agents, 2026-08",
        SOURCE,
        legacy=renamed(
            "semantic_search=codebase execution_subagent=executionSubagent search_subagent=searchSubagent "
            "search_workspace_symbols=symbols get_vscode_api=vscodeAPI file_search=fileSearch grep_search=textSearch "
            "apply_patch=applyPatch read_file=readFile view_image=viewImage list_dir=listDirectory "
            "get_errors=problems get_changed_files=changes test_failure=testFailure create_new_workspace=newWorkspace "
            "get_project_setup_info=getProjectSetupInfo install_extension=installExtension "
            "run_vscode_command=runCommand create_new_jupyter_notebook=createJupyterNotebook "
            "insert_edit_into_file=insertEdit create_file=createFile create_directory=createDirectory "
            "replace_string_in_file=replaceString multi_replace_string_in_file=multiReplaceString "
            "edit_notebook_file=editNotebook run_notebook_cell=runNotebookCell "
            "copilot_getNotebookSummary=getNotebookSummary read_notebook_cell_output=readNotebookCellOutput "
            "fetch_webpage=fetch test_search=findTestFiles get_search_view_results=searchResults "
            "github_repo=githubRepo switch_agent=switchAgent resolve_memory_file_uri=resolveMemoryFileUri "
            "edit_files=editFiles run_in_terminal=runInTerminal get_terminal_output=getTerminalOutput "
            "terminal_selection=terminalSelection terminal_last_command=terminalLastCommand "
            "create_and_run_task=createAndRunTask run_task=runTask get_task_output=getTaskOutput "
            "manage_todo_list=todos vscode_askQuestions=askQuestions"
        ),
        sets={
            "agent": words("agent custom-agent Task runSubagent executionSubagent searchSubagent"),
            "edit": words(
                "edit Edit MultiEdit Write NotebookEdit "
                "createDirectory createFile createJupyterNotebook editFiles editNotebook rename"
            ),
            "execute": words(
                "execute shell Bash powershell runCommands terminalCommand runInTerminal getTerminalOutput runTask runTasks "
                "createAndRunTask runTests runNotebooks runNotebookCell testFailure executionSubagent"
            ),
            "read": words(
                "read Read NotebookRead view getNotebookSummary problems readFile viewImage readNotebookCellOutput "
                "terminalSelection terminalLastCommand getTaskOutput"
            ),
            "search": words(
                # `readFile` was part of the set before it had one of its own.
                "search Grep Glob readFile "
                "changes codebase fileSearch listDirectory searchResults textSearch searchSubagent usages"
            ),
            "todo": words("todo todos TodoWrite"),
            "vscode": words(
                "vscode askQuestions extensions openSimpleBrowser "
                "getProjectSetupInfo installExtension memory newWorkspace resolveMemoryFileUri runCommand switchAgent vscodeAPI"
            ),
            "web": words("web WebSearch WebFetch fetch githubRepo"),
        },
        folds=True,
    ),
    "codex": Client(
        "Codex",
        words(
            "exec_command write_stdin shell_command apply_patch view_image web_search get_goal create_goal "
            "update_goal spawn_agents_on_csv report_agent_job_result list_mcp_resources "
            "list_mcp_resource_templates read_mcp_resource update_plan shell local_shell spawn_agent send_input "
            "resume_agent wait_agent close_agent list_agents request_user_input request_permissions js_repl "
            "grep_files read_file list_dir tool_search tool_suggest image_generation get_context_remaining "
            "current_time"
        ),
        "openai/codex 2026-05 to 2026-08, codex-rs/core/src/tools",
        SOURCE,
    ),
    "opencode": Client(
        "OpenCode",
        words(
            "bash edit write apply_patch read grep glob lsp skill todowrite webfetch websearch browser question task "
            " external_directory doom_loop patch list todoread codesearch"
        ),
        "sst/opencode, documentation of tools and permissions at 9dc1388",
        DOCS,
    ),
    "amazon-q": Client(
        "Amazon Q",
        words(
            "fs_read fs_write execute_bash use_aws knowledge report_issue thinking introspect todo_list read write shell "
            " aws subagent delegate report todo web_search web_fetch grep glob code"
        ),
        "aws/amazon-q-developer-cli, docs/agent-format.md; the names of Kiro are recalled",
        DOCS,
    ),
    "cline": Client(
        "Cline",
        words(
            "ask_followup_question attempt_completion execute_command replace_in_file read_file write_to_file search_files "
            "list_files list_code_definition_names browser_action use_mcp_tool access_mcp_resource load_mcp_documentation "
            "new_task plan_mode_respond act_mode_respond focus_chain web_fetch web_search condense summarize_task "
            "report_bug new_rule apply_patch use_skill use_subagents"
        ),
        "cline/cline, src/shared/tools.ts, 2026",
        SOURCE,
    ),
    "roo": Client(
        "Roo Code",
        words(
            "execute_command read_file write_to_file apply_diff search_and_replace search_replace edit_file apply_patch "
            "search_files list_files browser_action use_mcp_tool access_mcp_resource ask_followup_question "
            "attempt_completion switch_mode new_task fetch_instructions codebase_search update_todo_list "
            "run_slash_command generate_image insert_content list_code_definition_names"
        ),
        "RooCodeInc/Roo-Code, packages/types/src/tool.ts; the last two are recalled",
        SOURCE,
    ),
}


ANY_CLIENT = frozenset((*CLIENTS, "cursor", "windsurf"))
"""Of what several clients read; of the last ones no catalogue is known."""

_READ_BY_NAME = {
    "agents.md": ANY_CLIENT,
    "agents.override.md": frozenset({"codex"}),
    "claude.md": frozenset({"claude-code"}),
    "claude.local.md": frozenset({"claude-code"}),
    "gemini.md": frozenset({"gemini-cli"}),
    # Qwen Code began as Gemini CLI, and has its tools.
    "qwen.md": frozenset({"gemini-cli"}),
    "copilot-instructions.md": frozenset({"copilot"}),
    ".clinerules": frozenset({"cline"}),
    ".cursorrules": frozenset({"cursor"}),
    ".roorules": frozenset({"roo"}),
    ".windsurfrules": frozenset({"windsurf"}),
}
_READ_BY_ENDING = {
    ".agent.md": frozenset({"copilot"}),
    ".chatmode.md": frozenset({"copilot"}),
    ".instructions.md": frozenset({"copilot"}),
    ".mdc": frozenset({"cursor"}),
}
_READ_IN = {
    ".agents": ANY_CLIENT,
    ".amazonq": frozenset({"amazon-q"}),
    ".claude": frozenset({"claude-code"}),
    ".clinerules": frozenset({"cline"}),
    ".codex": frozenset({"codex"}),
    ".continue": ANY_CLIENT,
    ".cursor": frozenset({"cursor"}),
    ".gemini": frozenset({"gemini-cli"}),
    ".github": frozenset({"copilot"}),
    ".kiro": frozenset({"amazon-q"}),
    ".opencode": frozenset({"opencode"}),
    ".roo": frozenset({"roo"}),
    ".windsurf": frozenset({"windsurf"}),
    "opencode": frozenset({"opencode"}),
}
_OF_ANY_CLIENT = words("agent agents command commands rules skills")


def readers_of(path: str) -> frozenset[str]:
    """The coding clients that read a prompt because of its name and place: keys of `CLIENTS`, or of clients without a row.

    Empty if no client does: then the prompt is an application's.
    """
    if path.rpartition("/")[2] == "AGENT.md":
        return ANY_CLIENT
    *folders, name = path.lower().split("/")
    if name in _READ_BY_NAME:
        return _READ_BY_NAME[name]
    found = next((clients for ending, clients in _READ_BY_ENDING.items() if name.endswith(ending)), None)
    found = found or next((_READ_IN[folder] for folder in folders if folder in _READ_IN), None)
    if found is not None:
        return found
    hidden = any(one.startswith(".") and below in _OF_ANY_CLIENT for one, below in pairwise(folders))
    return ANY_CLIENT if hidden or name == "skill.md" else frozenset()


AGENT, COMMAND, SKILL, PROMPT, RULE, STYLE = "agent", "command", "skill", "prompt", "rule", "style"
"""The kinds of files that clients read as something of their own."""


class Standing(NamedTuple):
    """What a file is to the coding clients that read it, by its place.

    `kind` is empty if it is nothing of theirs but a prompt. `readers` are as in `Prompt.audience`. `in_plugin`: a plugin of
    Claude Code brings it along.
    """

    kind: str
    readers: frozenset[str]
    in_plugin: bool = False


SENDING_TOOLS = ("Agent", "Task")
"""The tools with which Claude Code sends to an agent; a rule names the agent in parentheses."""

MODEL_WORDS = words("sonnet opus haiku inherit")
"""What Claude Code accepts for a model beside full names. Source: code.claude.com/docs/en/sub-agents, 2026-11."""

CLIENT_TOOLS = frozenset(name for client in CLIENTS.values() for name in (*client.tools, *client.legacy))
"""The built-in tools of all clients, as each client writes them."""

BUILTIN_TOOLS = words(
    "bash shell computer code_execution code_interpreter str_replace_editor str_replace_based_edit_tool edit_file "
    "tool_search_tool_regex tool_search_tool_bm25 sequential_thinking start_async_task "
    "run_terminal_cmd run_terminal_command codebase_search glob_file_search read_lints todo_write delete_file fetch_rules "
    "search_replace reapply diff_history create_diagram update_memory list_dir grep_search find_by_name view_file"
).union(name for name in CLIENT_TOOLS if "_" in name and name.islower())
"""Names that a description may use although its own list does not declare them: tools of clients, in snake case.

The first are tools of providers and of PyPI deepagents 0.7.32, then those recalled of Cursor and Windsurf.
"""
