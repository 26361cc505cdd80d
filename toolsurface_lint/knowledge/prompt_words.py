"""The English words that distinguish a tool from other names in a prompt: literal data, collected from published prompts.

Sets and not patterns: a set costs nothing to load, and a large alternation costs milliseconds to compile.
"""

from toolsurface_lint.knowledge import words

USE_VERBS = words(
    "use uses used using call calls called calling invoke invokes invoked invoking run runs running execute executes "
    "executing via"
)
"""Words right before a name that is to be used as a tool."""

CALL_VERBS = words("call calls called calling invoke invokes invoked invoking")
"""Those of them that one does not say of a parameter or a value."""

ORDER_VERBS = CALL_VERBS - {"called"}
"""Those of them that do not give a name to something: `a field called x`."""

SEQUENCE_WORDS = words("then first next finally prefer")
"""Words right before the name of a tool in a row of steps, where no verb says that it is used."""

MEANS = words("with from by")
"""Words right before a tool as the means of something, and right before fields, values and flags."""

NO_MEANS = words(
    "aren't can't cannot doesn't don't isn't never no nor not without answer answers replies reply respond responds return"
)
"""Words of a clause that leaves `with x` out, or answers with it."""

NO_MEANS_HERE = words(
    "arranged begin begins classified classify columns combine compare compared configure configured end ends enter entries "
    "fields fill filled filter filtered finish flags group grouped import imported items keys label labeled labelled lines "
    "mark marked match matching named objects ordered output ones passed prefix print prefixed records rename replace rows "
    "say set sort sorted start starting starts stop tag tagged things those values"
)
"""The verb of a clause, or the word right before `with x`, where `x` is what is written, compared or had."""

SUBJECT_VERBS = words("covers finds gives has is knows lists needs returns shows takes tells works")
"""Words right after a name that say what it does, at the beginning of a clause."""

WORDS_OF_ORDERS = words(
    "- * also always and can finally first have immediately instead may must need next now only please should then to "
    "will you"
)
"""Words at the beginning of a clause, before the verb that tells its reader what to do."""

CODE_NOUNS = words("function functions")
"""Nouns after the name of a tool, and as often after that of a function in code."""

FILLERS = words(
    "the a an only either both your its our this that any built-in builtin native available always provided own "
    "dedicated mcp same appropriate just directly first then"
)
"""Words that may come between a verb and the name of a tool."""

TOOL_NOUNS = words("tool tools")

NO_TOOL_NOUNS = words(
    "agent agents api apis annotation argument arguments attribute attributes binary block branch button class classes "
    "cli column columns command commands component config configuration constant constants constructor container "
    "data directive directory element elements endpoint endpoints entry entries enum env environment error errors event "
    "events executable extension field fields file files filter flag flags folder form format framework "
    "group guard header headers helper hook hooks id ids identifier input interface item key keys keyword keywords label "
    "labels language level library libraries line link list macro member metadata method methods mode model module "
    "modules namespace node object objects operator operators option options output package packages param parameter "
    "parameters params part pattern path permission placeholder plugin pragma prefix primitive profile project prompt "
    "prop properties property props protocol query record region repo repository resource response role "
    "route row rule schema scope script scripts section sections selector service session setting settings shape sheet "
    "signal skill skills slot stage state status statement step string struct style sub-agent subagent subcommand "
    "suffix switch symbol syntax tab table tables tag tags target task template test tests text theme token tokens "
    "topic trait type types url username utility value values variable variables version view word workflow"
)
"""Nouns right after a name, or right before it, that say that it names something else than a tool."""

VALUE_NOUNS = words("value values option options status statuses state states enum")
"""Nouns above a list that say that its entries are values of one thing."""

NO_TOOL_ADJECTIVES = words(
    "input output request response query optional required boolean string json yaml environment git new shell slash "
    "command-line cli url http config configuration css html react python typescript template enum"
)
"""Words between a name and such a noun."""

CONNECTIVES = words(
    "and or to for with from in on of the a an is are as when if by your this that other another any these those "
    "all no which via using use calls call"
)
"""Words right after a name that say nothing about what it names."""

TOOL_KINDS_OF_PROGRAMS = words(
    "build cli cli-based command command-line console dev development external linux node npm open-source os "
    "python shell system terminal third-party unix"
)
"""Words between a name and `tool` that make it a program for people."""

PROGRAMS = words(
    "ab ag ansible apt apt-get awk az aws babel bash bat black brew bun bundle cargo cat cd chmod choco cmake composer "
    "conda cp curl cypress deno df docker docker-compose dotnet du echo esbuild eslint ffmpeg find firebase flake8 gcc "
    "gcloud gdb gem gh git glab go gradle grep gunzip gzip head helm htop jest jq kubectl less lint ls lsof make man "
    "maven mkdir mocha mongosh mv mvn mypy mysql nano netstat nmap node nohup npm npx nslookup nuget nvm openssl pandoc "
    "perl pgrep php ping pip pip3 pipx pkill playwright pnpm poetry powershell prettier printf ps psql puppeteer pwd "
    "pwsh pylint pytest python python3 rg rm rollup rsync ruby ruff rustc rustfmt scp screen sed sh shellcheck sort "
    "sqlite3 ssh strace sudo swift systemctl tail tar tee terraform tmux top touch tox tree ts-node tsc turbo uv uvx "
    "uvicorn vi vim vite vitest watch wc webpack wget which xargs xcodebuild yarn yq zsh zip"
)
"""Programs of the command line: `use jq` means a command, unless the surface declares a tool of that name."""

MCP_REQUESTS = words(
    "list_tools call_tool list_resources list_resource_templates read_resource list_prompts get_prompt"
)
"""What a client asks a server for, as SDKs call it: `call list_resources` means the request, unless there is such a tool.

Source: modelcontextprotocol/python-sdk, `ClientSession`, 2026-11.
"""

TOOL_VERBS = words(
    "abort accept access acknowledge activate add advance analyse analyze annotate append apply approve archive ask "
    "assign attach attempt audit authenticate authorize autocomplete backup ban batch block book browse build calculate "
    "call cancel capture change check checkout choose classify clean clear click clone close comment commit compare "
    "compile complete compose compute condense configure confirm connect convert copy count crawl create cut deactivate "
    "debug decline decode decompose delegate delete deploy describe detach detect diff disable disconnect dismiss "
    "download draft drag draw drop dump duplicate edit enable encode end enter enumerate escalate estimate evaluate exec "
    "execute exit expand explain explore export extract fetch fill filter find finish fix focus forecast forget format "
    "forward generate geocode get give glob go grant grep group handle help hide highlight hover identify import index "
    "ingest initialize insert inspect install invite invoke issue join kill label launch link lint list load locate lock "
    "log login logout look lookup make manage mark measure merge migrate modify monitor mount move mute navigate new notify "
    "obtain open optimize parse paste patch pause pick pin ping plan play poll post predict prepare preview print process "
    "propose provision publish pull purge push put query rank rate react read rebase recall receive recommend record "
    "redeem refactor refine refresh refund register reject release reload remember remove rename render reopen reorder "
    "repair replace reply report request reserve reset resize resolve respond restart restore resume retrieve return "
    "revert review revoke rollback rotate run sample save scaffold scale scan schedule score scrape screenshot scroll "
    "search select send set share show simulate skip sleep snooze solve sort spawn split star start stat stop store "
    "stream submit subscribe suggest summarise summarize suspend swap switch sync tail take terminate test think toggle "
    "trace track train transcribe transfer transform translate transition trigger type unarchive unassign undo uninstall "
    "unlink unlock unmute unpin unstar unsubscribe untag update upload upsert use validate verify view visit visualize "
    "wait warm watch write zoom"
)
"""Verbs that names of tools begin or end with."""

IMPERATIVES = TOOL_VERBS | words(
    "begin consult discover do hand keep learn let offer prefer promise see sum tell try turn warn weigh"
)
"""Verbs that tell a reader to do something, at the beginning of a clause."""

FLAG_VERBS = words("allow disable enable exclude force ignore include keep require return skip use")
"""Verbs that names of flags begin with as often as those of tools do."""

TOOL_AGENTS = words(
    "action browser calculator checker editor executor explorer finder fetcher inspector interpreter "
    "investigator linter planner reader retriever runner searcher tool tools tracker viewer writer"
)
"""Nouns that names of tools end with."""

DATA_NOUNS = words(
    "address amount array attr attribute author body bool boolean bytes category class code codes color column columns "
    "config content context count counts created cursor data date day default delay depth description dict dir directory "
    "duration email enabled encoding end_at endpoint env error errors event events expression extension field fields "
    "filename flag flags folder format header headers height hint hours id identifier ids index info input int "
    "item items key keys kind label language length level limit limits line lines list location max message messages "
    "metadata min minutes mode model month name names namespace number object offset option options order output "
    "owner page pages param parameter parameters params parent password path paths pattern percent phone position prefix "
    "price priority properties property query range ratio reason ref region response result results role root rows rule rules "
    "schema scope score seconds secret section semantics settings size slug source state status string suffix tag tags "
    "target template text threshold time timeout timestamp title token tokens total type types unit unix uri url urls "
    "user username uuid value values variable version weight width year zone"
)
"""Nouns that names of parameters, fields and other data end with."""

NOT_NAMES = words(
    "snake_case camel_case kebab_case pascal_case upper_case lower_case kebab-case snake-case tool_name function_name "
    "tool_call tool_calls function_call function_calls tool_use tool_result tool_results tool_code tool_choice "
    "tool_response function_response tool_input tool_output tool_args tool_id tool_use_id tool_call_id functionresponse "
    "functioncall toolname toolcall mcp_tool your_tool my_tool some_tool tool_a tool_b tool_x "
    "multi_tool_use multi_tool_use.parallel parallel"
)
"""Words about names and about calling, in lower case; and what providers call for themselves."""

OWN_TOOL_PREFIXES = ("tool_search_tool_", "multi_tool_use")
"""Beginnings of tools that a provider runs by itself and that no surface declares."""

OLD = words(
    "legacy deprecated old former removed obsolete nonexistent non-existent renamed previous missing hypothetical"
)
"""Adjectives before a name that say that there is no such tool, or no longer."""

NOT_THERE = OLD | words("disabled future never no not planned soon unavailable")
"""Words in the row of a table that may say that there is no such tool."""

INSTEAD = words("than of from replaces replaced supersedes superseded formerly previously unlike")

SHOWN_USE = r"\b(?:show|demonstrat|illustrat)(?:e|es|s|ing)?(?: [a-z-]+){1,3} (?:using|calling|running)\b"
"""The words that speak of showing how a tool is used, as a pattern that takes any case: `show the assistant using`."""

LAUNCHED = words("launched spawned started invoked dispatched")
BY_MEANS = words("via by through with using from")
"""`launched via the X tool`: others use it, and the reader is what they launch."""

HEADING_WORDS = words(
    "access additional all allowed an and api are at available built-in builtin call calling can catalog catalogue core "
    "custom default description descriptions enabled following for function functions have in key list main mcp my "
    "native of our overview primary provided quick reference section server servers set some specific standard summary "
    "surface the these this to tool tools toolset use used useful usage using with you your"
)
"""Words of headings above a list of tools: there is nothing else in them."""
