"""Published MCP servers: how a project's files name each, and which tools its versions had.

A row is read from the text of the packages or the tags that `source` names, of every stable version up to `newest`;
`benchmarks/published_servers.py` does that, and prints what has changed since. Imported when a file names a tool of a server.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property

from toolsurface_lint.knowledge import ADDRESS, IMAGE, NPM, PYPI, words


class PublishedServer:
    """One published server.

    `names` are those by which everybody calls it, folded: where no file of a project declares a server of such a name, it
    is this one, or another that is called so too. `history` says of each version what it added (`new`), dropped (`-old`)
    and replaced with another tool (`-old=new`), oldest first; versions without a change are not in it. `open`: it may have
    tools that are not in the history, such as those of its hosted version. `read` is the month in which it was read.
    """

    def __init__(
        self,
        title: str,
        packages: tuple[tuple[str, str], ...],
        history: Mapping[str, str],
        newest: str,
        source: str,
        read: str,
        names: frozenset[str] = frozenset(),
        open: bool = False,
    ) -> None:
        self.title = title
        self.packages = packages
        self.history = history
        self.newest = newest
        self.source = source
        self.read = read
        self.names = names
        self.open = open
        self._tools: dict[str, frozenset[str]] = {}

    def tools_at(self, version: str = "") -> frozenset[str]:
        """The tools of a version, or of the newest."""
        found = self._tools.get(version)
        return found if found is not None else self._tools.setdefault(version, frozenset(self._read(version)))

    def _read(self, version: str) -> set[str]:
        last = order_of(version or self.newest)
        tools: set[str] = set()
        for each, changes in self.history.items():
            if order_of(each) <= last:
                for change in changes.split():
                    if change.startswith("-"):
                        tools.discard(change[1:].partition("=")[0])
                    else:
                        tools.add(change)
        return tools

    @cached_property
    def ever(self) -> frozenset[str]:
        """The tools that any version had."""
        return words(" ".join(self.history.values())) - {change for change in self._changes if change[0] == "-"}

    @property
    def _changes(self) -> list[str]:
        return [change for changes in self.history.values() for change in changes.split()]

    @cached_property
    def dropped(self) -> dict[str, tuple[str, str]]:
        """By each tool that is gone the version that dropped it, and the tool that is there instead, or nothing."""
        found: dict[str, tuple[str, str]] = {}
        for version, changes in self.history.items():
            for change in changes.split():
                if change.startswith("-"):
                    old, _, new = change[1:].partition("=")
                    found[old] = version, new
        there = self.tools_at()
        gone = {old: each for old, each in found.items() if old not in there}
        # What took the place of a tool may be gone too.
        for old, (version, new) in reversed(gone.items()):
            if new and new not in there:
                gone[old] = version, gone[new][1]
        return gone


def order_of(version: str) -> tuple[int, ...]:
    """What versions are compared by: numbers with dots between them."""
    return tuple(map(int, version.split(".")))


SERVERS: tuple[PublishedServer, ...] = (
    PublishedServer(
        "Context7",
        ((NPM, "@upstash/context7-mcp"), (ADDRESS, "mcp.context7.com"), (IMAGE, "mcp/context7")),
        {
            "1.0.0": "list-available-docs get-library-documentation",
            "1.0.7": "resolve-library-id get-library-docs -list-available-docs=resolve-library-id"
            " -get-library-documentation=get-library-docs",
            "2.0.0": "query-docs -get-library-docs=query-docs",
        },
        "4.1.1",
        "npm @upstash/context7-mcp 1.0.0 to 4.1.1",
        "2026-11",
        words("context7 context7mcp"),
    ),
    PublishedServer(
        "Playwright MCP",
        ((NPM, "@playwright/mcp"), (IMAGE, "mcr.microsoft.com/playwright/mcp"), (IMAGE, "mcp/playwright")),
        {
            "0.0.9": "browser_choose_file browser_click browser_close browser_drag browser_go_back browser_go_forward"
            " browser_hover browser_install browser_move_mouse browser_navigate browser_press_key"
            " browser_save_as_pdf browser_screenshot browser_select_option browser_snapshot"
            " browser_take_screenshot browser_type browser_wait",
            "0.0.10": "browser_file_upload browser_navigate_back browser_navigate_forward browser_pdf_save"
            " browser_screen_capture browser_screen_click browser_screen_drag browser_screen_move_mouse"
            " browser_screen_type browser_tab_close browser_tab_list browser_tab_new browser_tab_select"
            " -browser_choose_file=browser_file_upload -browser_go_back=browser_navigate_back"
            " -browser_go_forward=browser_navigate_forward -browser_move_mouse=browser_screen_move_mouse"
            " -browser_save_as_pdf=browser_pdf_save -browser_screenshot=browser_take_screenshot",
            "0.0.14": "browser_console_messages browser_handle_dialog browser_resize",
            "0.0.15": "browser_network_requests",
            "0.0.20": "browser_generate_playwright_test",
            "0.0.24": "browser_wait_for -browser_wait=browser_wait_for",
            "0.0.31": "browser_evaluate browser_mouse_click_xy browser_mouse_drag_xy browser_mouse_move_xy"
            " -browser_generate_playwright_test -browser_screen_capture=browser_take_screenshot"
            " -browser_screen_click=browser_mouse_click_xy -browser_screen_drag=browser_mouse_drag_xy"
            " -browser_screen_move_mouse=browser_mouse_move_xy -browser_screen_type",
            "0.0.32": "browser_perform",
            "0.0.33": "browser_connect",
            "0.0.35": "browser_fill_form browser_tabs -browser_navigate_forward -browser_tab_close=browser_tabs"
            " -browser_tab_list=browser_tabs -browser_tab_new=browser_tabs -browser_tab_select=browser_tabs",
            "0.0.36": "browser_verify_element_visible browser_verify_list_visible browser_verify_text_visible"
            " browser_verify_value",
            "0.0.37": "browser_start_tracing browser_stop_tracing -browser_perform",
            "0.0.38": "browser_generate_locator",
            "0.0.47": "browser_run_code",
            "0.0.52": "browser_expect_value browser_expect_visible browser_expect_visible_text",
            "0.0.53": "-browser_connect",
            "0.0.54": "browser_expect_list_visible",
            "0.0.56": "browser_set_checked",
            "0.0.57": "browser_expect_title browser_expect_url browser_mouse_down browser_mouse_up browser_mouse_wheel",
            "0.0.62": "browser_set_storage_state browser_start_video browser_stop_video browser_storage_state",
            "0.0.63": "browser_cookie_clear browser_cookie_delete browser_cookie_get browser_cookie_list"
            " browser_cookie_set browser_localstorage_clear browser_localstorage_delete"
            " browser_localstorage_get browser_localstorage_list browser_localstorage_set browser_route"
            " browser_route_list browser_sessionstorage_clear browser_sessionstorage_delete"
            " browser_sessionstorage_get browser_sessionstorage_list browser_sessionstorage_set"
            " browser_unroute",
            "0.0.64": "browser_get_config",
            "0.0.69": "browser_network_state_set browser_resume browser_video_chapter -browser_expect_list_visible"
            " -browser_expect_title -browser_expect_url -browser_expect_value -browser_expect_visible"
            " -browser_expect_visible_text -browser_install -browser_set_checked",
            "0.0.71": "browser_drop browser_hide_highlight browser_highlight",
            "0.0.72": "browser_annotate browser_network_request browser_run_code_unsafe"
            " -browser_run_code=browser_run_code_unsafe",
            "0.0.76": "browser_video_hide_actions browser_video_show_actions",
            "0.0.78": "browser_find",
            "0.0.80": "browser_start_recording browser_stop_recording",
            "0.0.81": "browser_webmcp_call browser_webmcp_list",
            "0.0.82": "browser_emulate_media -browser_webmcp_call -browser_webmcp_list",
        },
        "0.0.83",
        "npm @playwright/mcp 0.0.9 to 0.0.83 and the playwright packages that each depends on, without `skillOnly`",
        "2026-11",
        words("playwright playwrightmcp"),
    ),
    PublishedServer(
        "Playwright MCP of ExecuteAutomation",
        ((NPM, "@executeautomation/playwright-mcp-server"),),
        {
            "1.0.4": "clear_codegen_session end_codegen_session get_codegen_session playwright_assert_response"
            " playwright_click playwright_click_and_switch_tab playwright_close playwright_console_logs"
            " playwright_custom_user_agent playwright_delete playwright_drag playwright_evaluate"
            " playwright_expect_response playwright_fill playwright_get playwright_get_visible_html"
            " playwright_get_visible_text playwright_go_back playwright_go_forward playwright_hover"
            " playwright_iframe_click playwright_iframe_fill playwright_navigate playwright_patch"
            " playwright_post playwright_press_key playwright_put playwright_save_as_pdf playwright_screenshot"
            " playwright_select start_codegen_session",
            "1.0.6": "playwright_upload_file",
            "1.0.12": "playwright_resize",
        },
        "1.0.12",
        "npm @executeautomation/playwright-mcp-server 1.0.4 to 1.0.12",
        "2026-11",
        words("playwright playwrightmcp"),
    ),
    PublishedServer(
        "GitHub",
        (
            (IMAGE, "ghcr.io/github/github-mcp-server"),
            (IMAGE, "mcp/github-mcp-server"),
            (ADDRESS, "api.githubcopilot.com"),
        ),
        {
            "0.1.0": "add_issue_comment create_branch create_issue create_or_update_file create_pull_request"
            " create_pull_request_review create_repository fork_repository get_code_scanning_alert"
            " get_file_contents get_issue get_me get_pull_request get_pull_request_comments"
            " get_pull_request_files get_pull_request_reviews get_pull_request_status"
            " list_code_scanning_alerts list_commits list_issues list_pull_requests merge_pull_request"
            " push_files search_code search_issues search_repositories search_users update_issue"
            " update_pull_request_branch",
            "0.1.1": "get_issue_comments",
            "0.2.0": "add_pull_request_review_comment enable_toolset get_commit get_toolset_tools"
            " list_available_toolsets list_branches update_pull_request",
            "0.3.0": "delete_file get_tag list_tags request_copilot_review",
            "0.4.0": "add_pull_request_review_comment_to_pending_review assign_copilot_to_issue"
            " create_and_submit_pull_request_review create_pending_pull_request_review"
            " delete_pending_pull_request_review dismiss_notification get_notification_details"
            " get_pull_request_diff list_notifications manage_notification_subscription"
            " manage_repository_notification_subscription mark_all_notifications_read"
            " submit_pending_pull_request_review"
            " -add_pull_request_review_comment=add_pull_request_review_comment_to_pending_review"
            " -create_pull_request_review=create_and_submit_pull_request_review",
            "0.6.0": "cancel_workflow_run delete_workflow_run_logs download_workflow_run_artifact get_job_logs"
            " get_workflow_run get_workflow_run_logs get_workflow_run_usage list_workflow_jobs"
            " list_workflow_run_artifacts list_workflow_runs list_workflows rerun_failed_jobs"
            " rerun_workflow_run run_workflow search_orgs search_pull_requests",
            "0.7.0": "get_discussion get_discussion_comments list_discussion_categories list_discussions",
            "0.8.0": "add_comment_to_pending_review"
            " -add_pull_request_review_comment_to_pending_review=add_comment_to_pending_review",
            "0.9.0": "add_sub_issue list_sub_issues remove_sub_issue reprioritize_sub_issue",
            "0.10.0": "create_gist list_gists update_gist",
            "0.12.0": "get_latest_release get_team_members get_teams list_issue_types list_releases",
            "0.13.0": "get_global_security_advisory get_release_by_tag list_global_security_advisories"
            " list_org_repository_security_advisories list_repository_security_advisories",
            "0.15.0": "get_pull_request_review_comments list_starred_repositories star_repository unstar_repository"
            " -get_pull_request_comments=get_pull_request_review_comments",
            "0.16.0": "get_project list_project_fields list_projects",
            "0.17.0": "add_project_item delete_project_item get_project_field get_project_item list_project_items"
            " update_project_item",
            "0.17.1": "-update_project_item",
            "0.18.0": "pull_request_read update_project_item -get_pull_request=pull_request_read"
            " -get_pull_request_diff=pull_request_read -get_pull_request_files=pull_request_read"
            " -get_pull_request_review_comments=pull_request_read -get_pull_request_reviews=pull_request_read"
            " -get_pull_request_status=pull_request_read",
            "0.19.0": "pull_request_review_write -create_and_submit_pull_request_review=pull_request_review_write"
            " -create_pending_pull_request_review=pull_request_review_write"
            " -delete_pending_pull_request_review=pull_request_review_write"
            " -submit_pending_pull_request_review=pull_request_review_write",
            "0.20.0": "issue_read issue_write sub_issue_write -add_sub_issue=sub_issue_write -create_issue=issue_write"
            " -get_issue=issue_read -get_issue_comments=issue_read -list_sub_issues=issue_read"
            " -remove_sub_issue=sub_issue_write -reprioritize_sub_issue=sub_issue_write"
            " -update_issue=issue_write",
            "0.20.2": "get_gist",
            "0.21.0": "get_repository_tree",
            "0.24.0": "get_dependabot_alert get_label get_secret_scanning_alert label_write list_dependabot_alerts"
            " list_label list_secret_scanning_alerts",
            "0.26.0": "actions_get actions_list actions_run_trigger",
            "0.28.0": "projects_get projects_list projects_write",
            "0.31.0": "add_reply_to_pull_request_comment -add_project_item=projects_write"
            " -cancel_workflow_run=actions_run_trigger -delete_project_item=projects_write"
            " -delete_workflow_run_logs=actions_run_trigger -download_workflow_run_artifact=actions_get"
            " -get_project=projects_get -get_project_field=projects_get -get_project_item=projects_get"
            " -get_workflow_run=actions_get -get_workflow_run_logs=actions_get"
            " -get_workflow_run_usage=actions_get -list_project_fields=projects_list"
            " -list_project_items=projects_list -list_projects=projects_list -list_workflow_jobs=actions_list"
            " -list_workflow_run_artifacts=actions_list -list_workflow_runs=actions_list"
            " -list_workflows=actions_list -rerun_failed_jobs=actions_run_trigger"
            " -rerun_workflow_run=actions_run_trigger -run_workflow=actions_run_trigger"
            " -update_project_item=projects_write",
            "0.33.0": "add_pull_request_review_comment add_sub_issue create_issue create_pull_request_review"
            " delete_pending_pull_request_review remove_sub_issue reprioritize_sub_issue"
            " request_pull_request_reviewers resolve_review_thread submit_pending_pull_request_review"
            " unresolve_review_thread update_pull_request_draft_state",
            "1.0.0": "set_issue_fields",
            "1.0.5": "discussion_comment_write list_repository_collaborators update_issue_type",
            "1.1.0": "list_issue_fields search_commits update_issue_labels -enable_toolset -get_toolset_tools"
            " -list_available_toolsets",
            "1.3.0": "get_file_blame",
            "1.4.0": "get_code_quality_finding ui_get",
            "1.5.0": "add_issue_comment_reaction add_issue_reaction add_pull_request_review_comment_reaction"
            " issue_dependency_read issue_dependency_write",
            "1.6.0": "update_issue_assignees update_issue_state",
            "1.7.0": "assign_copilot_to_issue_with_intent",
            "1.9.0": "find_duplicate",
        },
        "1.10.1",
        "github/github-mcp-server, pkg/github of the tags v0.1.0 to v1.10.1; the hosted server has more",
        "2026-11",
        words("github githubmcp githubmcpserver"),
        open=True,
    ),
    PublishedServer(
        "GitHub (archived reference server)",
        ((NPM, "@modelcontextprotocol/server-github"), (IMAGE, "mcp/github")),
        {
            "0.6.2": "create_branch create_issue create_or_update_file create_pull_request create_repository"
            " fork_repository get_file_contents push_files search_repositories",
            "2025.1.23": "add_issue_comment get_issue list_commits list_issues search_code search_issues search_users"
            " update_issue",
            "2025.3.19": "create_pull_request_review get_pull_request get_pull_request_comments get_pull_request_files"
            " get_pull_request_reviews get_pull_request_status list_pull_requests merge_pull_request"
            " update_pull_request_branch",
        },
        "2025.4.8",
        "npm @modelcontextprotocol/server-github 0.6.2 to 2025.4.8",
        "2026-11",
        words("github githubmcp githubmcpserver"),
    ),
    PublishedServer(
        "Filesystem (reference server)",
        ((NPM, "@modelcontextprotocol/server-filesystem"), (IMAGE, "mcp/filesystem")),
        {
            "0.5.1": "create_directory get_file_info list_allowed_directories list_directory move_file read_file"
            " read_multiple_files search_files write_file",
            "2025.1.14": "directory_tree edit_file",
            "2025.7.1": "list_directory_with_sizes",
            "2025.7.29": "read_media_file read_text_file",
        },
        "2026.8.31",
        "npm @modelcontextprotocol/server-filesystem 0.5.1 to 2026.8.31",
        "2026-11",
    ),
    PublishedServer(
        "Memory (reference server)",
        ((NPM, "@modelcontextprotocol/server-memory"), (IMAGE, "mcp/memory")),
        {
            "0.6.2": "add_observations create_entities create_relations delete_entities delete_observations"
            " delete_relations open_nodes read_graph search_nodes",
        },
        "2026.8.31",
        "npm @modelcontextprotocol/server-memory 0.6.2 to 2026.8.31",
        "2026-11",
    ),
    PublishedServer(
        "Sequential Thinking (reference server)",
        ((NPM, "@modelcontextprotocol/server-sequential-thinking"), (IMAGE, "mcp/sequentialthinking")),
        {
            "0.6.2": "sequentialthinking",
        },
        "2026.8.31",
        "npm @modelcontextprotocol/server-sequential-thinking 0.6.2 to 2026.8.31",
        "2026-11",
    ),
    PublishedServer(
        "Everything (reference server)",
        ((NPM, "@modelcontextprotocol/server-everything"), (IMAGE, "mcp/everything")),
        {
            "0.6.2": "add echo getTinyImage longRunningOperation sampleLLM",
            "2025.1.14": "printEnv",
            "2025.3.19": "annotatedMessage",
            "2025.4.8": "getResourceReference",
            "2025.7.29": "getResourceLinks startElicitation structuredContent",
            "2025.9.12": "listRoots",
            "2025.11.25": "zip",
            "2026.1.14": "get-annotated-message get-env get-resource-links get-resource-reference get-roots-list"
            " get-structured-content get-sum get-tiny-image gzip-file-as-resource toggle-simulated-logging"
            " toggle-subscriber-updates trigger-elicitation-request trigger-long-running-operation"
            " trigger-sampling-request -add=get-sum -annotatedMessage=get-annotated-message"
            " -getResourceLinks=get-resource-links -getResourceReference=get-resource-reference"
            " -getTinyImage=get-tiny-image -listRoots=get-roots-list"
            " -longRunningOperation=trigger-long-running-operation -printEnv=get-env"
            " -sampleLLM=trigger-sampling-request -startElicitation=trigger-elicitation-request"
            " -structuredContent=get-structured-content -zip=gzip-file-as-resource",
            "2026.1.26": "trigger-elicitation-request-async trigger-sampling-request-async",
            "2026.7.4": "trigger-url-elicitation",
        },
        "2026.8.31",
        "npm @modelcontextprotocol/server-everything 0.6.2 to 2026.8.31",
        "2026-11",
    ),
    PublishedServer(
        "Puppeteer (archived reference server)",
        ((NPM, "@modelcontextprotocol/server-puppeteer"), (IMAGE, "mcp/puppeteer")),
        {
            "0.6.2": "puppeteer_click puppeteer_evaluate puppeteer_fill puppeteer_hover puppeteer_navigate"
            " puppeteer_screenshot puppeteer_select",
        },
        "2025.5.12",
        "npm @modelcontextprotocol/server-puppeteer 0.6.2 to 2025.5.12",
        "2026-11",
    ),
    PublishedServer(
        "Slack (archived reference server)",
        ((NPM, "@modelcontextprotocol/server-slack"), (IMAGE, "mcp/slack")),
        {
            "2025.1.17": "slack_add_reaction slack_get_channel_history slack_get_thread_replies slack_get_user_profile"
            " slack_get_users slack_list_channels slack_post_message slack_reply_to_thread",
        },
        "2025.4.25",
        "npm @modelcontextprotocol/server-slack 2025.1.17 to 2025.4.25",
        "2026-11",
    ),
    PublishedServer(
        "PostgreSQL (archived reference server)",
        ((NPM, "@modelcontextprotocol/server-postgres"), (IMAGE, "mcp/postgres")),
        {
            "0.3.0": "query",
        },
        "0.6.2",
        "npm @modelcontextprotocol/server-postgres 0.3.0 to 0.6.2",
        "2026-11",
    ),
    PublishedServer(
        "GitLab (archived reference server)",
        ((NPM, "@modelcontextprotocol/server-gitlab"), (IMAGE, "mcp/gitlab")),
        {
            "2025.4.25": "create_branch create_issue create_merge_request create_or_update_file create_repository"
            " fork_repository get_file_contents push_files search_repositories",
        },
        "2025.4.25",
        "npm @modelcontextprotocol/server-gitlab 2025.4.25 to 2025.4.25",
        "2026-11",
    ),
    PublishedServer(
        "Brave Search (archived reference server)",
        ((NPM, "@modelcontextprotocol/server-brave-search"),),
        {
            "0.6.2": "brave_local_search brave_web_search",
        },
        "0.6.2",
        "npm @modelcontextprotocol/server-brave-search 0.6.2 to 0.6.2",
        "2026-11",
    ),
    PublishedServer(
        "Brave Search",
        ((NPM, "@brave/brave-search-mcp-server"), (IMAGE, "mcp/brave-search")),
        {
            "2.0.62": "brave_image_search brave_local_search brave_news_search brave_summarizer brave_video_search"
            " brave_web_search",
            "2.0.82": "brave_llm_context brave_place_search",
        },
        "2.1.4",
        "npm @brave/brave-search-mcp-server 2.0.62 to 2.1.4",
        "2026-11",
    ),
    PublishedServer(
        "Git (reference server)",
        ((PYPI, "mcp-server-git"), (IMAGE, "mcp/git")),
        {
            "0.2.0": "git_commit git_file_history git_get_diff git_get_repo_structure git_list_branches git_list_files"
            " git_list_repos git_list_tags git_log git_read_file git_search_code",
            "0.4.0": "git_add git_diff_staged git_diff_unstaged git_reset git_status -git_file_history -git_get_diff"
            " -git_get_repo_structure -git_list_branches -git_list_files -git_list_repos"
            " -git_list_tags -git_read_file -git_search_code",
            "0.6.2": "git_create_branch",
            "2025.1.14": "git_checkout git_diff git_show",
            "2025.7.1": "git_branch git_init",
            "2025.9.25": "-git_init",
        },
        "2026.10.19",
        "PyPI mcp-server-git 0.2.0 to 2026.10.19",
        "2026-11",
    ),
    PublishedServer(
        "Fetch (reference server)",
        ((PYPI, "mcp-server-fetch"), (IMAGE, "mcp/fetch")),
        {
            "0.1.0": "fetch",
        },
        "2026.10.24",
        "PyPI mcp-server-fetch 0.1.0 to 2026.10.24",
        "2026-11",
    ),
    PublishedServer(
        "Time (reference server)",
        ((PYPI, "mcp-server-time"), (IMAGE, "mcp/time")),
        {
            "0.5.1": "convert_time get_current_time",
        },
        "2026.10.19",
        "PyPI mcp-server-time 0.5.1 to 2026.10.19",
        "2026-11",
    ),
    PublishedServer(
        "SQLite (archived reference server)",
        ((PYPI, "mcp-server-sqlite"), (IMAGE, "mcp/sqlite")),
        {
            "0.1.0": "append-insight create-table describe-table list-tables read-query write-query",
            "2025.1.14": "append_insight create_table describe_table list_tables read_query write_query"
            " -append-insight=append_insight -create-table=create_table -describe-table=describe_table"
            " -list-tables=list_tables -read-query=read_query -write-query=write_query",
        },
        "2025.4.25",
        "PyPI mcp-server-sqlite 0.1.0 to 2025.4.25",
        "2026-11",
    ),
    PublishedServer(
        "Sentry (archived reference server)",
        ((PYPI, "mcp-server-sentry"),),
        {
            "0.4.1": "get-sentry-issue",
            "2025.1.14": "get_sentry_issue -get-sentry-issue=get_sentry_issue",
        },
        "2025.1.14",
        "PyPI mcp-server-sentry 0.4.1 to 2025.1.14",
        "2026-11",
        words("sentry sentrymcp"),
    ),
    PublishedServer(
        "Sentry",
        ((NPM, "@sentry/mcp-server"), (ADDRESS, "mcp.sentry.dev")),
        {
            "0.2.0": "begin_autofix create_dsn create_project create_team get_autofix_status get_issue_details"
            " get_issue_summary list_dsns list_issues list_organizations list_projects list_releases list_tags"
            " list_teams search_errors search_transactions",
            "0.8.0": "begin_seer_issue_fix get_seer_issue_fix_status -begin_autofix=begin_seer_issue_fix"
            " -get_autofix_status=get_seer_issue_fix_status",
            "0.9.0": "-get_issue_summary=get_issue_details",
            "0.10.0": "find_dsns find_errors find_issues find_organizations find_projects find_releases find_tags"
            " find_teams find_transactions -list_dsns=find_dsns -list_issues"
            " -list_organizations=find_organizations -list_projects=find_projects -list_releases=find_releases"
            " -list_tags=find_tags -list_teams=find_teams -search_errors=find_errors"
            " -search_transactions=find_transactions",
            "0.11.0": "whoami",
            "0.12.0": "update_issue update_project",
            "0.13.0": "analyze_issue_with_seer get_doc get_event_attachment search_docs"
            " -begin_seer_issue_fix=analyze_issue_with_seer -get_seer_issue_fix_status=analyze_issue_with_seer",
            "0.17.0": "search_events search_issues -find_errors=search_events -find_issues=search_issues -find_tags"
            " -find_transactions=search_events",
            "0.18.0": "get_trace_details",
            "0.20.0": "use_sentry",
            "0.26.0": "search_issue_events",
            "0.27.0": "get_issue_tag_values list_events list_issue_events list_issues",
            "0.29.0": "get_profile get_sentry_resource",
            "0.31.0": "get_profile_details",
            "0.32.0": "get_replay_details",
            "0.34.0": "get_latest_base_snapshot get_snapshot_details -list_events -list_issue_events -list_issues",
            "0.35.0": "get_ai_conversation_details",
            "0.36.0": "add_issue_note execute_tool get_issue_activity get_release_details get_snapshot"
            " get_snapshot_image search_tools -get_snapshot_details",
            "0.37.0": "execute_sentry_tool find_alert_rules find_dashboards find_monitors get_alert_rule"
            " get_dashboard_details get_event_stacktrace get_issue_user_reports get_monitor_details"
            " search_ai_conversations search_sentry_tools update_dsn -execute_tool -search_tools",
        },
        "0.37.0",
        "getsentry/sentry-mcp, tool definitions of the tags 0.2.0 to 0.37.0",
        "2026-11",
        words("sentry sentrymcp"),
        open=True,
    ),
    PublishedServer(
        "Supabase",
        ((NPM, "@supabase/mcp-server-supabase"), (ADDRESS, "mcp.supabase.com")),
        {
            "0.1.0": "apply_migration create_project execute_sql generate_typescript_types get_anon_key"
            " get_organization get_project get_project_url list_extensions list_migrations list_organizations"
            " list_projects list_tables",
            "0.1.1": "create_branch delete_branch enable_branching list_branches merge_branch pause_project"
            " rebase_branch reset_branch restore_project",
            "0.1.2": "get_logs",
            "0.2.0": "-enable_branching",
            "0.3.0": "confirm_cost get_cost",
            "0.3.6": "deploy_edge_function list_edge_functions",
            "0.4.2": "search_docs",
            "0.4.3": "get_advisors",
            "0.4.5": "get_storage_config list_storage_buckets update_storage_config",
            "0.5.3": "get_edge_function",
            "0.5.9": "get_publishable_keys -get_anon_key=get_publishable_keys",
            "0.10.0": "query_logs",
            "0.13.0": "create_edge_function_secret",
        },
        "0.13.0",
        "supabase-community/supabase-mcp, tools of the tags v0.1.0 to v0.7.0; npm @supabase/mcp-server-supabase to 0.13.0",
        "2026-11",
        words("supabase"),
        open=True,
    ),
    PublishedServer(
        "Framelink Figma",
        ((NPM, "figma-developer-mcp"),),
        {
            "0.1.0": "get_file get_node",
            "0.1.15": "download_figma_images get_figma_data -get_file=get_figma_data -get_node=get_figma_data",
        },
        "0.13.2",
        "npm figma-developer-mcp 0.1.0 to 0.13.2",
        "2026-11",
    ),
    PublishedServer(
        "Chrome DevTools",
        ((NPM, "chrome-devtools-mcp"),),
        {
            "0.2.6": "click close_page drag emulate_cpu emulate_network evaluate_script fill fill_form"
            " get_network_request handle_dialog hover list_console_messages list_network_requests list_pages"
            " navigate_page navigate_page_history new_page performance_analyze_insight performance_start_trace"
            " performance_stop_trace resize_page select_page take_screenshot take_snapshot upload_file"
            " wait_for",
            "0.9.0": "get_console_message",
            "0.10.1": "emulate press_key -emulate_cpu=emulate -emulate_network=emulate"
            " -navigate_page_history=navigate_page",
            "0.13.0": "click_at get_tab_id",
            "0.14.0": "install_extension list_extensions reload_extension uninstall_extension",
            "0.18.0": "evaluate navigate screencast_start screencast_stop screenshot take_memory_snapshot type_text",
            "0.19.0": "lighthouse_audit trigger_extension_action",
            "0.21.0": "execute_in_page_tool list_in_page_tools",
            "0.22.0": "execute_webmcp_tool get_memory_snapshot_details list_webmcp_tools load_memory_snapshot",
            "0.24.0": "get_nodes_by_class",
            "0.25.0": "execute_3p_developer_tool list_3p_developer_tools"
            " -execute_in_page_tool=execute_3p_developer_tool -list_in_page_tools=list_3p_developer_tools",
            "1.0.1": "get_node_retainers",
            "1.1.0": "get_heapsnapshot_class_nodes get_heapsnapshot_details get_heapsnapshot_retainers"
            " get_heapsnapshot_summary take_heapsnapshot -get_memory_snapshot_details=get_heapsnapshot_details"
            " -get_node_retainers -get_nodes_by_class -load_memory_snapshot"
            " -take_memory_snapshot=take_heapsnapshot",
            "1.2.0": "close_heapsnapshot",
            "1.3.0": "get_heapsnapshot_dominators get_heapsnapshot_edges get_heapsnapshot_retaining_paths",
            "1.5.0": "compare_heapsnapshots get_heapsnapshot_duplicate_strings",
            "1.7.0": "get_heapsnapshot_object_details",
            "1.8.0": "get_os_app_state install_pwa launch_pwa query_heapsnapshot_objects uninstall_pwa",
            "1.10.0": "get_css_styles get_devtools_comments open_devtools resolve_devtools_comment reveal_in_devtools",
            "1.11.0": "analyze_heapsnapshot_contexts",
        },
        "1.11.0",
        "npm chrome-devtools-mcp 0.2.6 to 1.11.0",
        "2026-11",
        words("chromedevtools chromedevtoolsmcp"),
    ),
    PublishedServer(
        "Firecrawl",
        ((NPM, "firecrawl-mcp"), (ADDRESS, "mcp.firecrawl.dev")),
        {
            "1.3.0": "firecrawl_batch_scrape firecrawl_check_batch_status firecrawl_check_crawl_status firecrawl_crawl"
            " firecrawl_extract firecrawl_map firecrawl_scrape firecrawl_search",
            "1.11.0": "firecrawl_deep_research firecrawl_generate_llmstxt",
            "3.11.0": "firecrawl_agent firecrawl_agent_status firecrawl_browser_create firecrawl_browser_delete"
            " firecrawl_browser_execute firecrawl_browser_list",
            "3.15.0": "firecrawl_interact firecrawl_interact_stop firecrawl_parse -firecrawl_batch_scrape"
            " -firecrawl_check_batch_status -firecrawl_deep_research -firecrawl_generate_llmstxt",
            "3.20.0": "firecrawl_search_feedback -firecrawl_browser_create -firecrawl_browser_delete"
            " -firecrawl_browser_execute -firecrawl_browser_list",
            "3.21.0": "firecrawl_feedback",
            "3.22.0": "firecrawl_monitor_check firecrawl_monitor_checks firecrawl_monitor_create"
            " firecrawl_monitor_delete firecrawl_monitor_get firecrawl_monitor_list firecrawl_monitor_run"
            " firecrawl_monitor_update firecrawl_research_inspect_paper firecrawl_research_read_paper"
            " firecrawl_research_related_papers firecrawl_research_search_github"
            " firecrawl_research_search_papers",
            "3.24.0": "firecrawl_developer_search",
            "3.25.1": "firecrawl_credit_usage firecrawl_find_tools",
        },
        "3.26.0",
        "npm firecrawl-mcp 1.3.0 to 3.26.0",
        "2026-11",
        words("firecrawl firecrawlmcp"),
    ),
    PublishedServer(
        "Exa",
        ((NPM, "exa-mcp-server"), (ADDRESS, "mcp.exa.ai")),
        {
            "2.1.1": "company_research_exa crawling_exa deep_researcher_check deep_researcher_start"
            " get_code_context_exa linkedin_search_exa web_search_exa",
            "3.1.5": "deep_search_exa web_search_advanced_exa",
            "3.1.8": "people_search_exa",
            "3.4.0": "agent_run web_fetch_exa",
        },
        "3.4.1",
        "npm exa-mcp-server 2.1.1 to 3.4.1",
        "2026-11",
        words("exa"),
        open=True,
    ),
    PublishedServer(
        "Tavily",
        ((NPM, "tavily-mcp"),),
        {
            "0.1.4": "tavily-extract tavily-search",
            "0.2.3": "tavily-crawl tavily-map",
            "0.2.15": "tavily_crawl tavily_extract tavily_map tavily_search -tavily-crawl=tavily_crawl"
            " -tavily-extract=tavily_extract -tavily-map=tavily_map -tavily-search=tavily_search",
            "0.2.16": "tavily_research",
        },
        "0.2.22",
        "npm tavily-mcp 0.1.4 to 0.2.22",
        "2026-11",
        words("tavily tavilymcp"),
    ),
    PublishedServer(
        "Perplexity",
        ((NPM, "@perplexity-ai/mcp-server"),),
        {
            "0.5.1": "perplexity_ask perplexity_reason perplexity_research perplexity_search",
        },
        "1.2.1",
        "npm @perplexity-ai/mcp-server 0.5.1 to 1.2.1",
        "2026-11",
    ),
    PublishedServer(
        "Perplexity Ask",
        ((NPM, "server-perplexity-ask"),),
        {
            "0.1.3": "perplexity_ask",
        },
        "0.1.3",
        "npm server-perplexity-ask 0.1.3 to 0.1.3",
        "2026-11",
    ),
    PublishedServer(
        "Desktop Commander",
        ((NPM, "@wonderwhy-er/desktop-commander"),),
        {
            "0.1.0": "block_command create_directory edit_block execute_command force_terminate get_file_info"
            " kill_process list_allowed_directories list_blocked_commands list_directory list_processes"
            " list_sessions move_file read_file read_multiple_files read_output search_files unblock_command"
            " write_file",
            "0.1.20": "search_code",
            "0.1.39": "get_config set_config_value -block_command=set_config_value -list_allowed_directories=get_config"
            " -list_blocked_commands=get_config -unblock_command=set_config_value",
            "0.2.10": "get_usage_stats give_feedback_to_desktop_commander interact_with_process read_process_output"
            " start_process -execute_command=start_process -read_output=read_process_output",
            "0.2.12": "get_more_search_results get_prompts list_searches start_search stop_search"
            " -search_code=start_search -search_files=start_search",
            "0.2.17": "get_recent_tool_calls",
            "0.2.24": "write_pdf",
        },
        "0.2.52",
        "npm @wonderwhy-er/desktop-commander 0.1.0 to 0.2.52",
        "2026-11",
        words("desktopcommander desktopcommandermcp"),
    ),
    PublishedServer(
        "Browser MCP",
        ((NPM, "@browsermcp/mcp"),),
        {
            "0.1.2": "browser_click browser_drag browser_get_console_logs browser_go_back browser_go_forward"
            " browser_hover browser_navigate browser_press_key browser_screenshot browser_select_option"
            " browser_snapshot browser_type browser_wait",
        },
        "0.1.3",
        "npm @browsermcp/mcp 0.1.2 to 0.1.3",
        "2026-11",
        words("browsermcp"),
    ),
    PublishedServer(
        "Task Master",
        ((NPM, "task-master-ai"),),
        {
            "0.11.1": "add_dependency add_subtask add_task analyze_project_complexity clear_subtasks complexity_report"
            " expand_all expand_task fix_dependencies generate get_operation_status get_task get_tasks"
            " initialize_project next_task parse_prd remove_dependency remove_subtask remove_task"
            " set_task_status update update_subtask update_task validate_dependencies",
            "0.13.2": "models",
            "0.15.0": "move_task",
            "0.17.1": "add_tag copy_tag delete_tag list_tags rename_tag research use_tag",
            "0.18.0": "rules",
            "0.22.0": "response-language",
            "0.23.0": "scope_down_task scope_up_task",
            "0.31.0": "autopilot_abort autopilot_commit autopilot_complete_phase autopilot_finalize autopilot_next"
            " autopilot_resume autopilot_start autopilot_status",
        },
        "0.43.1",
        "npm task-master-ai 0.11.1 to 0.26.0; eyaltoledano/claude-task-master at c0c98d3 (0.43.1)",
        "2026-11",
        words("taskmaster taskmasterai"),
        open=True,
    ),
    PublishedServer(
        "Serena",
        ((PYPI, "serena-agent"),),
        {
            "0.1.0": "activate_project check_onboarding_performed create_text_file delete_lines delete_memory"
            " execute_shell_command find_file find_referencing_symbols find_symbol get_current_config"
            " get_symbols_overview initial_instructions insert_after_symbol insert_at_line"
            " insert_before_symbol jet_brains_find_referencing_symbols jet_brains_find_symbol"
            " jet_brains_get_symbols_overview list_dir list_memories onboarding prepare_for_new_conversation"
            " read_file read_memory remove_project replace_lines replace_regex replace_symbol_body"
            " restart_language_server search_for_pattern summarize_changes switch_modes"
            " think_about_collected_information think_about_task_adherence think_about_whether_you_are_done"
            " write_memory",
            "1.0.0": "edit_memory jet_brains_find_declaration jet_brains_find_implementations jet_brains_move"
            " jet_brains_rename jet_brains_safe_delete jet_brains_type_hierarchy list_queryable_projects"
            " open_dashboard query_project rename_memory rename_symbol replace_content"
            " -replace_regex=replace_content",
            "1.1.0": "-prepare_for_new_conversation -summarize_changes -switch_modes"
            " -think_about_collected_information -think_about_task_adherence -think_about_whether_you_are_done",
            "1.2.0": "jet_brains_debug serena_info",
            "1.3.0": "find_declaration find_implementations get_diagnostics_for_file get_diagnostics_for_symbol"
            " jet_brains_list_inspections jet_brains_run_inspections",
            "1.5.0": "-check_onboarding_performed",
            "1.6.0": "replace_in_files",
        },
        "1.7.0",
        "oraios/serena, classes of tools of the tags v0.1.0 to v1.7.0",
        "2026-11",
        words("serena"),
        open=True,
    ),
)


@cache
def _by_package() -> dict[tuple[str, str], PublishedServer]:
    return {package: server for server in SERVERS for package in server.packages}


def server_of(registry: str, package: str) -> PublishedServer | None:
    """The published server that a package, an image or the host of an address is; None if it is not in the catalogue."""
    return _by_package().get((registry, package))


@cache
def servers_named(name: str) -> tuple[PublishedServer, ...]:
    """The published servers that everybody calls by a name, which is folded."""
    return tuple(server for server in SERVERS if name in server.names)
