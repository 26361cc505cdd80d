"""The English words and phrases of instructions that a tool's description should not hold: literal data.

A phrase is a row of words. A word in capitals stands for any of the set of that name, `a|b` for either, `~n` for up to n words
in between, `END` for the end of a clause. The words marked with `!` are looked for first: a text without any is passed over.

Source: the published classes of tool poisoning: OWASP MCP Top 10, MCP03; MCPTox, arXiv 2508.14925; the experiments of Invariant
Labs on tool poisoning and shadowing, 2025-04. Which words stand for them is a judgement of ours, 2026-11.
"""

from toolsurface_lint.knowledge import words

SETS = {
    "NOT": words(
        "not never don't dont mustn't shouldn't needn't doesn't don’t mustn’t shouldn’t needn’t doesn’t won't without avoid "
        "avoids nor no cannot"
    ),
    "PERSON": words(
        "user users human humans person people customer customers operator owner anybody anyone somebody someone end-user "
        "them"
    ),
    # Verbs whose object is a person.
    "TELL": words(
        "tell telling told inform informing informed bother bothering bothered trouble troubling troubled"
    ),
    # As often what a program does, or a switch of it.
    "NOTIFY": words("notify notifying alert alerting warn warning"),
    # Verbs whose object is what is said.
    "MENTION": words(
        "mention mentioning mentioned disclose disclosing disclosed reveal revealing revealed acknowledge acknowledging "
        "admit admitting announce announcing"
    ),
    "KNOW": words("know hear learn notice realise realize suspect"),
    "ACT": words(
        "call step section note instruction instructions paragraph request action process upload access reading argument "
        "tool lookup transfer behaviour behavior sharing collection"
    ),
    "THIS": words("this that it these them the any"),
    "PRONOUN": words("this it that these"),
    "ANSWER": words("answer answers reply replies response responses summary summaries report reports output message"),
    "GIVE": words(
        "include pass put send give supply provide hand append attach add forward copy upload paste submit insert embed "
        "carry share transmit write place return encode prepend relay deliver post enter fill drop repeat quote recite save "
        "store report disclose reveal state list"
    ),
    "GIVEN": words(
        "included passed put sent given supplied provided handed appended attached added forwarded copied uploaded pasted "
        "submitted inserted embedded shared transmitted relayed delivered posted entered filled repeated quoted saved stored"
    ),
    "READ": words(
        "read open cat load fetch print dump run gather collect retrieve access find look execute scan locate search obtain "
        "get check inspect examine view consult extract grep take grab pull"
    ),
    "GATHER": words(
        "gather collect list harvest include forward send copy extract enumerate look search find locate attach scan"
    ),
    "INTO": words("as in into to with through via using under inside"),
    "SECRETS": words("passwords password credentials credential secrets secret logins"),
    "KEYS": words("key keys token tokens"),
    "KIND": words("api access auth authentication private secret ssh signing session"),
    "PLACE": words(
        "chat conversation session workspace environment machine memory computer clipboard know find files documents history"
    ),
    "EVERY": words("every all any each"),
    "OTHER": words("other another every any all each"),
    "TOOLS": words("tool tools"),
    "EARLIER": words("earlier previous prior preceding above former other"),
    "RULES": words("instruction instructions guideline guidelines directive directives safeguard safeguards prompt prompts"),
    "IGNORE": words("ignore disregard forget"),
    "OVERRIDE": words("override overrides supersede supersedes overrule overrules bypass"),
    "ASKED": words(
        "ask asks asked said says say want wants wanted wish wishes request requests requested named names specified specifies "
        "chose chooses tells told meant"
    ),
    "YOU": words("you you're you’re your this it"),
}  # fmt: skip

PHRASES = {
    # Something is kept from the user, on the instruction of a text that the user does not read.
    "hide": (
        "NOT ~2 !TELL ~2 PERSON",
        "NOT ~2 !NOTIFY ~2 PERSON",
        "NOT ~2 !let ~3 PERSON KNOW",
        "NOT ~2 !let ~3 PERSON find out",
        "PERSON must|should|shall not ~1 be ~1 !TELL",
        "PERSON ~4 not !need|needs|have|has to KNOW about|of ~3 PRONOUN|ACT",
        "PERSON ~4 no !need|reason|cause to KNOW about|of ~3 PRONOUN|ACT",
        "PERSON ~4 no|not !need|needs|have|has to KNOW PRONOUN|END",
        "no !need|reason|cause for ~2 PERSON to KNOW about|of ~3 PRONOUN|ACT",
        "so|sure ~3 PERSON ~2 NOT ~1 !notice|realise|realize|suspect",
        "without ~2 PERSON ~1 !noticing|knowing|realising|realizing",
        "without ~1 !user's|user’s|human's|customer's knowledge|knowing|awareness",
        "NOT ~2 !MENTION THIS ~1 ACT",
        "NOT ~2 !MENTION PRONOUN END",
        "NOT ~2 !MENTION PRONOUN to|when|anywhere",
        "NOT ~2 !MENTION ACT to|when|END",
        "NOT ~2 !MENTION|TELL that YOU",
        "PRONOUN|ACT ~2 should|must|shall not ~1 be ~1 !MENTION",
        "PRONOUN|ACT ~2 should|must|shall not ~1 !appear|surface ~3 in ~2 ANSWER|conversation|chat",
        "NOT ~2 !bring PRONOUN up",
        "NOT ~2 !talk|speak about|of PRONOUN",
        "!refrain|abstain from ~1 TELL|MENTION",
        "no !mention of THIS",
        "!say nothing about|of|to",
        "keep !quiet|silent about",
        "keep PRONOUN|ACT !quiet",
        "!hide|conceal|keep|withhold ~1 PRONOUN|ACT ~2 from ~2 PERSON",
        "!leave PRONOUN|ACT out of ~1 ANSWER",
        "!keep PRONOUN|ACT ~2 out of ~2 ANSWER|conversation|chat",
        "!omit PRONOUN|ACT ~2 from ~2 ANSWER",
        "ANSWER ~3 !leave out that",
        "ANSWER ~3 !omit that",
        "should|must stay|remain in the !background",
        "keep|stays ~3 between !us",
        "between you and !me",
        "behind ~2 PERSON !back",
        "behind ~1 !user's|user’s|human's|person's back",
        "!unbeknownst to",
        "keep ~2 PERSON ~6 !unaware",
        "NOT ~2 !let on",
    ),
    "silently": ("!silently|quietly|secretly|covertly|discreetly|unobtrusively",),
    # Secrets: files with keys, the model's own prompt, what was said, keys wherever they are.
    "file": (
        "!private|ssh key|keys",
        "!printenv",
        "EVERY|your ~2 environment !variables",
        "environment !variables of|from|on ~2 machine|user|system|computer|session|shell|host",
        "output|result of !env",
        "!cookies|cookie of|in|from ~1 browser",
        "!browser cookies|history|passwords",
        "session|login|auth !cookies|cookie",
        "dump|print|read|send|post the !environment",
        "!browser's cookies|history|passwords",
    ),
    "prompt": (
        "!system|developer prompt|message|instructions",
        "your ~1 original|initial|hidden|own !instructions",
        "!instructions|rules ~1 you were|received|got",
        "what ~1 you !were told|instructed",
    ),
    "chat": (
        "!conversation|chat|message|dialogue history|transcript|log",
        "history|transcript|log|content|contents of ~2 !conversation|chat|session|dialogue",
        "whole|full|entire|complete !conversation|chat|dialogue|session|transcript",
        "user's|user’s ~2 !messages",
        "previous|earlier|prior|last|preceding ~2 !messages|turns",
        "everything|all|anything ~7 !said|discussed|written ~1 so|in|earlier|before|END",
    ),
    # What tools are given in good faith, unless it is done silently.
    "words of the user": (
        "question|questions|message|messages|words of ~1 user",
        "user's|user’s ~2 question|questions|message|messages|words|request|prompt|query",
    ),
    "keys": (
        "!SECRETS ~6 in|from ~3 PLACE",
        "KIND !KEYS ~6 in|from ~3 PLACE",
        "EVERY ~3 !SECRETS ~6 PLACE",
        "EVERY ~3 KIND !KEYS ~6 PLACE",
        "!SECRETS ~3 of|on ~2 user|workspace|machine|computer|session",
        "KIND !KEYS ~3 of|on ~2 user|workspace|machine|computer|session",
        "!user's|user’s ~2 SECRETS",
        "!user's|user’s ~2 KIND KEYS",
    ),
    # What is said of other tools, by one that has nothing to do with them.
    "other tools": (
        "OTHER ~1 TOOLS",
        "whichever tool",
        "whatever tool",
    ),
    "other servers": (
        "other|another|any|every|all ~1 server|servers",
        "server|servers installed|connected|configured",
    ),
    "first": ("!before|ahead|prior ~4 OTHER ~1 TOOLS",),
    "shuns": (
        "NOT|refuse|stop ~3 use|using|call|calling|trust ~3 TOOLS ~1 of|from ~1 other|another ~1 !server|servers",
        "TOOLS ~1 of|from ~1 other|another ~1 !server|servers ~8 NOT|refuse|stop ~2 use|using|call|calling|trust",
    ),
    "results": (
        "result|results|output|outputs|answer|answers|response|responses ~1 of|from ~1 every|each|all ~1 !TOOLS",
    ),
    "diverts": (
        "!bcc|cc|recipient|recipients|payee|wallet|iban|beneficiary",
        "!blind ~1 copy",
        "!carbon copy",
        "!reply-to",
    ),
    "from now on": (
        "from !now on",
        "from this !point on|onwards",
        "for the !rest of",
        "in|with all|every|any !future|further|later|following",
        "!henceforth",
    ),
    # What the user, the system prompt or other instructions say is to count for less.
    "override": (
        "!IGNORE ~3 EARLIER ~1 RULES",
        "!IGNORE ~3 system|safety|security prompt|message|policy|policies|guidelines|instructions|rules",
        "!IGNORE ~2 RULES ~1 EARLIER|given|you|that|which",
        "!IGNORE ~2 EARLIER END|and",
        "!OVERRIDE ~3 EARLIER ~1 RULES",
        "EARLIER|your|system|safety ~1 RULES ~5 no !longer apply|applies|count|counts|hold|holds|valid|binding",
        "system message ~5 no !longer apply|applies|count|counts|hold|holds",
        "EARLIER|your|safety ~1 RULES ~5 are|is|be|as !void|suspended|lifted|cancelled|canceled|obsolete|invalid|revoked",
        "EARLIER|your|safety RULES ~2 not !apply|count|hold",
        "!precedence|priority over ~3 EARLIER ~1 RULES",
    ),
    "against the user": (
        ", !whatever ~4 PERSON ~2 ASKED",
        "!regardless|matter|despite ~5 PERSON ~3 ASKED",
        "!instead of ~1 person|recipient|account|address|payee|one ~3 PERSON ~2 ASKED",
    ),
    "lie": (
        "tell|inform|report|say|claim|assure ~2 PERSON that ~12 !even if|though|when",
        "!pretend ~3 that",
        "!pretend ~1 to ~1 PERSON",
        "act|behave|answer|respond|continue as if !nothing",
    ),
}  # fmt: skip

SECRET_FILES = (
    ".ssh", "id_rsa", "id_ed25519", "id_ecdsa", ".aws/", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".kube/config",
    ".docker/config", "/etc/passwd", "/etc/shadow", "mcp.json", "claude_desktop_config", ".bash_history", ".zsh_history",
    "wallet.dat", ".gnupg", "gh/hosts.yml", "gcloud/application_default",
)  # fmt: skip
"""Parts of the paths of files that hold keys, or what was done with them: the documentation of OpenSSH, AWS CLI, npm, pip, git,
kubectl, Docker, GnuPG, and of MCP's clients."""
SECRET_FILE_NAMES = words(".env .env.local .env.production")
SECRET_FILE_WORDS = words(
    "ssh id_rsa id_ed25519 id_ecdsa aws netrc npmrc pypirc git-credentials kube docker passwd shadow claude_desktop_config "
    "bash_history zsh_history wallet gnupg hosts application_default env"
)
"""A word of each of them, but for `mcp.json`, which is looked for as it is."""

ORDERING = words(
    ", : ( - and then also always first please kindly must should you shall finally next so but thus instead afterwards "
    "afterward again assistant model agent"
)
"""What comes right before a verb that tells the model to do something; or nothing, at the beginning of a sentence."""
ORDERING_TO = words("have has need needs asked required sure remember essential necessary mandatory important make")
"""The same, before `to`."""
AGENTS = words("assistant model agent ai llm")
"""Who is to act where the verb is in the third person: `the assistant retrieves`."""

ONLY_ABLE = words("can may could might will would cannot not never to")
"""Words before `be given` that ask for nothing."""

HERE = words("here along too")
ALONG_WITH = words("query request call input url header body arguments endpoint collector webhook external remote")
"""Words for where something goes, beside the name of a parameter."""
SHOWING = words("reveal disclose repeat recite print quote")
"""What is done with a system prompt without a place to put it."""
QUOTING = words("text texts output outputs response responses reply message string input example phrase phrases")
"""Words before a colon that quotes: `expected output: ignore ...`."""

STATING = words(
    "does will would is are was were has have can could may might it which who they doesn't doesn’t won't cannot"
)
"""Words of, or right before, a negation that says what a program does: `it does not notify the user`."""

EXCEPT = words("unless until yet before again twice")
"""Words that give the time, or the condition, from which the user is told: no secret."""
UNABLE = words("cannot can't can’t unable couldn't couldn’t failed ai assistant model")
"""What a model is often told to leave unsaid of itself."""

VERBATIM = words("verbatim word exact exactly unabridged unredacted confidential literally uncut")

ABOUT_ATTACKS = words(
    "injection injections detect detects detecting detection scan scans scanner jailbreak jailbreaks attack attacks malicious "
    "poisoning poisoned phishing suspicious adversarial guardrail guardrails sanitize sanitizes exfiltration example examples "
    "e.g e.g. attempts attempt"
)
"""Words of tools that look for such texts, and quote them."""

PURPOSES = {
    "file": words(
        "env dotenv environment ssh sftp scp remote aws s3 iam credential credentials key keys keypair secret secrets vault "
        "config configuration git mcp cookie cookies browser"
    ),
    "prompt": words(
        "prompt prompts system instruction instructions agent agents persona assistant model llm completion generate"
    ),
    "chat": words(
        "chat chats conversation conversations message messages history transcript session memory memories dialogue thread "
        "threads agent agents context feedback prompt summary summarize summarise handoff llm completion"
    ),
    "keys": words(
        "key keys password passwords token tokens credential credentials secret secrets vault auth login logins oauth security "
        "scan"
    ),
}
"""Words of a tool's name, or of the first sentence of its description, with which it is its purpose to be given such a thing."""

HOLDS_ANYTHING = words("context")
"""Words of the names of parameters that do not say that it is their purpose to be given a conversation."""

AUTHORITY = words(
    "important system instruction instructions critical secret admin hidden system-reminder assistant urgent"
)
"""Tags that give a part of a description weight: `<IMPORTANT>`."""

RUNS = words(
    "is was used called invoked run runs returns writes reads sends finishes ends use call invoke calling using after before"
)
"""Words around the name of a tool that say that it is called."""


def alternatives(part: str) -> frozenset[str]:
    """The words that a part of a phrase stands for."""
    return frozenset[str]().union(*(SETS.get(name, (name,)) for name in part.removeprefix("!").split("|")))


_MARKED = SECRET_FILE_WORDS.union(
    *(alternatives(part) for rows in PHRASES.values() for row in rows for part in row.split() if part[0] == "!")
)
_SIGNS = str.maketrans(dict.fromkeys('`"()[]{}<>*,.:;!?#/|', " "))


def may_conceal(text: str) -> bool:
    """Whether a text has any word without which no phrase is there; most have none."""
    folded = text.lower()
    return not _MARKED.isdisjoint(folded.translate(_SIGNS).split()) or "mcp.json" in folded
