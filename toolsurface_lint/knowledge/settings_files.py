"""The keys at the root of clients' settings files.

Clients ignore a key that they do not know, and add keys every month: one is wrong only if it is nearly one of these, or one
under which another client has its servers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from toolsurface_lint.knowledge import words


class SettingsFile(NamedTuple):
    """The settings file of a client: `name` is that of the file, `keys` are those that the client reads.

    `others` are keys that it does not read and that stand for none of these either. `servers` is the file in which the
    client has its servers, if that is another one. `tables` are the keys of the objects below some of them.
    """

    name: str
    keys: frozenset[str]
    source: str
    others: frozenset[str] = frozenset()
    servers: str = ""
    tables: Mapping[str, frozenset[str]] = {}


SETTINGS_FILES: Mapping[str, SettingsFile] = {
    "claude-code": SettingsFile(
        "settings.json",
        words(
            "$schema apiKeyHelper proxyAuthHelper awsCredentialExport awsAuthRefresh gcpAuthRefresh "
            "processWrapper policyHelper fileSuggestion respectGitignore cleanupPeriodDays "
            "desktopSessionCleanupPeriodDays syncClaudeAiSkills syncClaudeAiPlugins skillListingMaxDescChars "
            "skillListingBudgetFraction wslInheritsWindowsSettings env attribution attributionProject "
            "attributionProjectPolicy includeCoAuthoredBy includeGitInstructions permissions model fallbackModel "
            "availableModels enforceAvailableModels availableModelsMatch deniedModels modelOverrides modelPicker "
            "modelPricing enableAllProjectMcpServers enabledMcpjsonServers disabledMcpjsonServers "
            "disableClaudeAiConnectors skillOverrides disableBundledSkills managedMcpServers allowedMcpServers "
            "deniedMcpServers hooks worktree disableAllHooks disableReplyCheck disableAgentView "
            "disableRemoteControl disableWorkflows disableArtifact enableArtifact enableWorkflows "
            "workflowSizeGuideline workflowKeywordTriggerEnabled disableSkillShellExecution "
            "disableWindowsBashCommandSplit defaultShell bashEditDiffEnabled bashOutputMaxChars "
            "taskOutputMaxChars respondToBashCommands allowManagedHooksOnly allowedHttpHookUrls "
            "httpHookAllowedEnvVars allowManagedPermissionRulesOnly allowManagedMcpServersOnly "
            "desktopMcpServersListScope allowAllClaudeAiMcps allowClaudeInChromeWithManagedMcp "
            "strictPluginOnlyCustomization statusLine prUrlTemplate footerLinksRegexes subagentStatusLine "
            "enabledPlugins prependPlugins appendPlugins extraKnownMarketplaces additionalMarketplaces "
            "strictKnownMarketplaces allowedMarketplaces blockedMarketplaces disableCommandPluginSources "
            "disableSideloadFlags pluginSuggestionMarketplaces forceLoginMethod forceLoginGatewayUrl "
            "gatewayInternalNetworks parentSettingsBehavior managedSourcesBehavior forceLoginOrgUUID "
            "allowNestedModelAccessUnderForceLogin allowedProviders forceRemoteSettingsRefresh otelHeadersHelper "
            "outputStyle viewMode language skipWebFetchPreflight sandbox feedbackSurveyRate feedbackDrafts "
            "spinnerTipsEnabled spinnerVerbs spinnerTipsOverride syntaxHighlightingDisabled maxProseWidth "
            "spellcheck terminalTitleFromRename promptCacheTtl subagentPromptCacheTtl alwaysThinkingEnabled "
            "effortLevel maxEffortLevel modelSettings ultracode autoCompactWindow advisorModel fastMode "
            "fastModePerSessionOptIn promptSuggestionEnabled emojiCompletionEnabled showClearContextOnPlanAccept "
            "askUserQuestionTimeout dialogExpiry agent companyAnnouncements pluginConfigs remote "
            "autoUpdatesChannel minimumVersion requiredMinimumVersion requiredMaximumVersion plansDirectory tui "
            "voice channelsEnabled allowedChannelPlugins prefersReducedMotion timeFormat timeZone "
            "autoMemoryEnabled autoMemoryDirectory autoDreamEnabled showThinkingSummaries "
            "skipDangerousModePermissionPrompt disableAutoMode sshConfigs sshHostCommands claudeMd "
            "claudeMdExcludes pluginTrustMessage theme editorMode keybindingFlavor vimInsertModeRemaps verbose "
            "preferredNotifChannel autoCompactEnabled precomputeCompactionEnabled idleCompaction "
            "switchModelsOnFlag autoContinueAtUsageLimit autoScrollEnabled wheelScrollAccelerationEnabled "
            "fileCheckpointingEnabled showTurnDuration showMessageTimestamps terminalProgressBarEnabled "
            "todoFeatureEnabled teammateMode remoteControlAtStartup isolatePeerMachines daemonColdStart "
            "crossSessionInbound autoUploadSessions inputNeededNotifEnabled agentPushNotifEnabled "
            "skipAutoPermissionPrompt useAutoModeDuringPlan autoMode disableDeepLinkRegistration voiceEnabled "
            "defaultView"
        ),
        "npm @anthropic-ai/claude-agent-sdk 0.3.330, sdk.d.ts, Settings; github.com/anthropics/claude-code/issues/24477 and"
        " code.claude.com/docs/en/mcp: servers are in `.mcp.json`, and `mcpServers` in the settings is ignored, 2026-02",
        others=words("agents"),
        servers=".mcp.json",
    ),
    "codex": SettingsFile(
        "config.toml",
        words(
            "agents allow_login_shell analytics approval_policy approvals_reviewer apps apps_mcp_product_sku "
            "audio auto_review background_terminal_max_timeout chatgpt_base_url check_for_update_on_startup "
            "cli_auth_credentials_store compact_prompt debug default_permissions desktop developer_instructions "
            "disable_paste_burst experimental_compact_prompt_file experimental_realtime_start_instructions "
            "experimental_realtime_ws_backend_prompt experimental_realtime_ws_base_url "
            "experimental_realtime_ws_model experimental_realtime_ws_startup_context "
            "experimental_thread_config_endpoint experimental_thread_store experimental_use_unified_exec_tool "
            "features feedback file_opener forced_chatgpt_workspace_id forced_login_method ghost_snapshot "
            "hide_agent_reasoning history hooks include_apps_instructions include_collaboration_mode_instructions "
            "include_environment_context include_permissions_instructions instructions log_dir marketplaces "
            "mcp_oauth_callback_port mcp_oauth_callback_url mcp_oauth_credentials_store mcp_servers memories "
            "model model_auto_compact_token_limit model_auto_compact_token_limit_scope model_catalog_json "
            "model_context_window model_instructions_file model_provider model_providers model_reasoning_effort "
            "model_reasoning_summary model_supports_reasoning_summaries model_verbosity notice notify "
            "openai_base_url oss_provider otel permissions personality plan_mode_reasoning_effort plugins profile "
            "profiles project_doc_fallback_filenames project_doc_max_bytes project_root_markers projects realtime "
            "review_model sandbox_mode sandbox_workspace_write service_tier shell_environment_policy "
            "show_raw_agent_reasoning skills sqlite_home suppress_unstable_features_warning "
            "tool_output_token_limit tool_suggest tools tui web_search windows"
        ),
        "openai/codex 000c857, codex-rs/core/config.schema.json; the keys of `sandbox_workspace_write`: Codex's own tests of"
        " agent roles and configurations in public repositories, 2026",
        tables={
            "sandbox_workspace_write": words("writable_roots network_access exclude_tmpdir_env_var exclude_slash_tmp")
        },
    ),
    "gemini-cli": SettingsFile(
        "settings.json",
        words(
            "$schema mcpServers policyPaths adminPolicyPaths general output ui ide privacy telemetry billing "
            "model modelConfigs agents context tools mcp useWriteTodos security advanced experimental extensions "
            "skills hooksConfig hooks contextManagement admin"
        ),
        "google-gemini/gemini-cli, schemas/settings.schema.json, 2026",
    ),
    "opencode": SettingsFile(
        "opencode.json",
        words(
            "$schema shell logLevel server command skills references reference watcher snapshot plugin share "
            "autoshare autoupdate disabled_providers enabled_providers model small_model default_agent "
            "subagent_depth username mode agent provider mcp formatter lsp instructions layout permission tools "
            "attachment enterprise tool_output compaction experimental"
        ),
        "npm @opencode-ai/sdk 1.19.3, dist/v2/gen/types.gen.d.ts, Config; stbenjam/skillsaw, opencode-config-valid: the"
        " spellings of version 2, which reads both",
        others=words("agents commands permissions plugins providers theme keybinds tui"),
    ),
}
